-- Withdrawal: deletes all personal data in one transaction. Reviews stay without a name, or are deleted on request.
-- Lock order: member, shops by id, rows.

CREATE OR REPLACE FUNCTION member_forget_favorites(member bigint) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
  WITH deleted AS (
    DELETE FROM favorites AS f WHERE f.member_id = member RETURNING f.shop_id
  )
  UPDATE shops AS s SET favorite_cnt = s.favorite_cnt - 1 FROM deleted AS d WHERE s.id = d.shop_id;
END;
COMMENT ON FUNCTION member_forget_favorites(bigint) IS 'Deletes a member''s favorites and decreases the counters of their shops.';

CREATE OR REPLACE FUNCTION member_forget_reviews(member bigint) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  gone reviews;
BEGIN
  FOR gone IN DELETE FROM reviews r WHERE r.member_id = member RETURNING r.* LOOP
    IF gone.hidden_at IS NULL THEN
      PERFORM count_review(gone, -1);
    END IF;
  END LOOP;
END $$;
COMMENT ON FUNCTION member_forget_reviews(bigint)
IS 'Deletes a member''s reviews and removes the visible ones from counters and histograms.';

CREATE OR REPLACE FUNCTION member_withdraw(
  member bigint, session bigint, with_reviews boolean,
  OUT outcome text, OUT unlink_id bigint, OUT provider text, OUT subject text, OUT unlink_token bytea
)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM FROM members AS m WHERE m.id = member FOR UPDATE;
  IF NOT session_is_live(session, member) THEN
    outcome := 'session_ended';
    RETURN;
  END IF;
  PERFORM FROM shops AS s
  WHERE s.id IN (SELECT f.shop_id FROM favorites AS f WHERE f.member_id = member)
    OR (with_reviews AND s.id IN (SELECT r.shop_id FROM reviews AS r WHERE r.member_id = member))
  ORDER BY s.id FOR NO KEY UPDATE;
  PERFORM member_forget_favorites(member);
  IF with_reviews THEN
    PERFORM member_forget_reviews(member);
  END IF;
  PERFORM member_forget_reports(member);
  DELETE FROM member_titles AS h WHERE h.member_id = member;
  DELETE FROM idempotency_keys AS k WHERE k.member_id = member;
  DELETE FROM sessions AS s WHERE s.member_id = member;
  -- Stored before the request to the provider, so that a crash in between does not lose the unlink.
  WITH link AS (
    DELETE FROM member_identities AS i WHERE i.member_id = member RETURNING i.*
  )
  INSERT INTO pending_unlinks AS p (provider, issuer, subject, unlink_token, next_attempt_at)
  SELECT l.provider, l.issuer, l.subject, l.unlink_token, now() + interval '1 minute' FROM link AS l
  RETURNING p.id, p.provider, p.subject, p.unlink_token
  INTO unlink_id, member_withdraw.provider, member_withdraw.subject, member_withdraw.unlink_token;
  UPDATE members AS m SET nickname = NULL, nickname_key = NULL, withdrawn_at = now() WHERE m.id = member;
  outcome := 'deleted';
END $$;
COMMENT ON FUNCTION member_withdraw
IS 'Deletes the caller''s sessions, favorites, titles, identity and name; keeps the id. Outcomes: deleted, with the link to remove at the provider, or session_ended.';
