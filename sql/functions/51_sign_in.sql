-- Sign-in: finds or registers the member of an identity, and creates a session, in one statement.

CREATE OR REPLACE FUNCTION member_register(
  new_issuer text, new_subject text, new_provider text, new_unlink_token bytea, nicknames text [], nickname_keys text [],
  zone text
) RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  member bigint;
BEGIN
  FOR i IN 1..cardinality(nicknames) LOOP
    INSERT INTO members (nickname, nickname_key) VALUES (nicknames[i], nickname_keys[i])
    ON CONFLICT (nickname_key) DO NOTHING RETURNING id INTO member;
    EXIT WHEN member IS NOT NULL;
  END LOOP;
  IF member IS NULL THEN
    RAISE EXCEPTION 'none of % nicknames is free', cardinality(nicknames);
  END IF;
  INSERT INTO member_identities (issuer, subject, member_id, provider, unlink_token)
  VALUES (new_issuer, new_subject, member, new_provider, new_unlink_token) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    -- A concurrent first sign-in of this identity has committed; the caller retries the lookup.
    DELETE FROM members AS m WHERE m.id = member;
    RETURN NULL;
  END IF;
  -- If a member withdrew and returns, a pending unlink would remove the new link at the provider, so it is deleted. The
  -- withdrawal committed before the row above was inserted, so its entry is visible. The job that processes the entries
  -- locks only one at a time and tolerates missing ones.
  DELETE FROM pending_unlinks AS p WHERE p.issuer = new_issuer AND p.subject = new_subject;
  PERFORM award_titles(member, 'sign-in', now(), zone);
  RETURN member;
END $$;
COMMENT ON FUNCTION member_register
IS 'Registers a member with the first free nickname and the newbie title, and drops a pending unlink; null if the identity has got a member in the meantime.';

CREATE OR REPLACE FUNCTION sign_in(
  the_issuer text, the_subject text, the_provider text, new_unlink_token bytea, nicknames text [], nickname_keys text [],
  new_device text, new_refresh_hash bytea, refresh_days integer, session_days integer, zone text,
  OUT member bigint, OUT session bigint, OUT issued_at timestamptz, OUT session_ends_at timestamptz
)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  LOOP
    SELECT i.member_id INTO member FROM member_identities AS i WHERE i.issuer = the_issuer AND i.subject = the_subject;
    IF FOUND THEN
      PERFORM FROM members AS m WHERE m.id = member FOR KEY SHARE;
      -- A concurrent withdrawal may have deleted the link; then this is a new member.
      UPDATE member_identities AS i
      SET provider = the_provider, unlink_token = coalesce(new_unlink_token, i.unlink_token)
      WHERE i.issuer = the_issuer AND i.subject = the_subject AND i.member_id = member;
      EXIT WHEN FOUND;
    ELSE
      member := member_register(the_issuer, the_subject, the_provider, new_unlink_token, nicknames, nickname_keys, zone);
      EXIT WHEN member IS NOT NULL;
    END IF;
  END LOOP;
  INSERT INTO sessions AS s (member_id, device, expires_at, refresh_hash)
  VALUES (member, new_device, now() + make_interval(days => least(refresh_days, session_days)), new_refresh_hash)
  RETURNING s.id, s.created_at, s.expires_at INTO session, issued_at, session_ends_at;
END $$;
COMMENT ON FUNCTION sign_in
IS 'Returns the member of an identity, registered if new, and a new session whose refresh token has that hash.';
