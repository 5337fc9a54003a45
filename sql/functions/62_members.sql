-- What members see and change of themselves. Every function first tells whether the caller's session is alive.

CREATE OR REPLACE FUNCTION member_json(member bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT json_build_object(
    'id', m.id,
    'nickname', m.nickname,
    'main_member_title', coalesce((
      SELECT t.name FROM member_titles AS h INNER JOIN titles AS t ON t.id = h.title_id
      WHERE h.member_id = m.id AND h.is_main
    ), ''),
    'member_title_cnt', (SELECT count(*) FROM member_titles AS h WHERE h.member_id = m.id)
  )::text
  FROM members AS m WHERE m.id = member;
END;
COMMENT ON FUNCTION member_json(bigint) IS 'The member profile of the contract.';

CREATE OR REPLACE FUNCTION member_profile(member bigint, session bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN session_is_live(session, member) THEN member_json(member) END;
COMMENT ON FUNCTION member_profile(bigint, bigint) IS 'The caller''s profile; null when the session is over.';

CREATE OR REPLACE FUNCTION nickname_is_free(
  member bigint, session bigint, wanted_key text, OUT session_ok boolean, OUT free boolean
)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT
    session_is_live(session, member),
    NOT EXISTS (SELECT FROM members AS m WHERE m.nickname_key = wanted_key);
END;
COMMENT ON FUNCTION nickname_is_free IS 'Whether nobody, the caller included, holds the nickname.';

CREATE OR REPLACE FUNCTION nickname_change(
  member bigint, session bigint, new_nickname text, new_key text, OUT outcome text, OUT body text
)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  -- Both rows in one order, so that nicknames passed round a ring cannot deadlock.
  PERFORM FROM members AS m WHERE m.id = member OR m.nickname_key = new_key ORDER BY m.id FOR UPDATE;
  IF NOT session_is_live(session, member) THEN
    outcome := 'over';
  ELSIF EXISTS (SELECT FROM members AS m WHERE m.nickname_key = new_key AND m.id <> member) THEN
    outcome := 'taken';
  ELSE
    UPDATE members AS m SET nickname = new_nickname, nickname_key = new_key
    WHERE m.id = member AND (m.nickname, m.nickname_key) IS DISTINCT FROM (new_nickname, new_key);
    outcome := 'changed';
    body := member_json(member);
  END IF;
END $$;
COMMENT ON FUNCTION nickname_change IS 'Changes the caller''s nickname: changed, taken or over.';

CREATE OR REPLACE FUNCTION main_title_change(
  member bigint, session bigint, title bigint, origin text, zone text, OUT outcome text, OUT body text
)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF NOT begin_act(member, session) THEN
    outcome := 'over';
  ELSIF NOT EXISTS (SELECT FROM titles AS t WHERE t.id = title) THEN
    outcome := 'unknown';
  ELSIF NOT EXISTS (SELECT FROM member_titles AS h WHERE h.member_id = member AND h.title_id = title) THEN
    outcome := 'not held';
  ELSE
    UPDATE member_titles AS h SET is_main = false WHERE h.member_id = member AND h.is_main AND h.title_id <> title;
    UPDATE member_titles AS h SET is_main = true WHERE h.member_id = member AND h.title_id = title AND NOT h.is_main;
    outcome := 'changed';
    SELECT j.body INTO body FROM member_titles_json(member, session, title, origin, zone) AS j;
  END IF;
END $$;
COMMENT ON FUNCTION main_title_change IS 'Makes a held title the main one: changed, not held, unknown or over.';
