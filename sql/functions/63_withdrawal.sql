-- Withdrawal: deletes all personal data in one transaction; reviews stay without a name unless they are to be deleted too.
-- Locks: member, shops by id, then rows.

CREATE OR REPLACE FUNCTION member_forget_favorites(member bigint) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
  WITH deleted AS (
    DELETE FROM favorites AS f WHERE f.member_id = member RETURNING f.shop_id
  )
  UPDATE shops AS s SET favorite_cnt = s.favorite_cnt - 1 FROM deleted AS d WHERE s.id = d.shop_id;
END;
COMMENT ON FUNCTION member_forget_favorites(bigint) IS 'Removes a member''s favorites and takes them out of the counters.';

CREATE OR REPLACE FUNCTION member_forget_reviews(member bigint) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
  WITH deleted_reports AS (
    DELETE FROM reports AS p WHERE p.review_id IN (SELECT r.id FROM reviews AS r WHERE r.member_id = member)
  ),
  deleted AS (
    DELETE FROM reviews AS r WHERE r.member_id = member RETURNING r.*
  ),
  votes AS (
    SELECT
      g.shop_id,
      count(*)::integer AS cnt,
      sum(g.star_rating)::integer AS stars,
      (count(*) FILTER (WHERE g.star_rating = 1))::integer AS star_1,
      (count(*) FILTER (WHERE g.star_rating = 2))::integer AS star_2,
      (count(*) FILTER (WHERE g.star_rating = 3))::integer AS star_3,
      (count(*) FILTER (WHERE g.star_rating = 4))::integer AS star_4,
      (count(*) FILTER (WHERE g.star_rating = 5))::integer AS star_5,
      (count(*) FILTER (WHERE g.purity = 'GOOD'))::integer AS purity_good,
      (count(*) FILTER (WHERE g.purity = 'BAD'))::integer AS purity_bad,
      (count(*) FILTER (WHERE g.retouch = 'GOOD'))::integer AS retouch_good,
      (count(*) FILTER (WHERE g.retouch = 'BAD'))::integer AS retouch_bad,
      (count(*) FILTER (WHERE g.item = 'GOOD'))::integer AS item_good,
      (count(*) FILTER (WHERE g.item = 'BAD'))::integer AS item_bad
    FROM deleted AS g WHERE g.hidden_at IS NULL
    GROUP BY g.shop_id
  ),
  counted AS (
    UPDATE shops AS s SET review_cnt = s.review_cnt - v.cnt, star_rating_sum = s.star_rating_sum - v.stars
    FROM votes AS v WHERE s.id = v.shop_id
  )
  UPDATE shop_stats AS t SET
    star_1 = t.star_1 - v.star_1, star_2 = t.star_2 - v.star_2, star_3 = t.star_3 - v.star_3,
    star_4 = t.star_4 - v.star_4, star_5 = t.star_5 - v.star_5,
    purity_good = t.purity_good - v.purity_good, purity_bad = t.purity_bad - v.purity_bad,
    retouch_good = t.retouch_good - v.retouch_good, retouch_bad = t.retouch_bad - v.retouch_bad,
    item_good = t.item_good - v.item_good, item_bad = t.item_bad - v.item_bad
  FROM votes AS v WHERE t.shop_id = v.shop_id;
END;
COMMENT ON FUNCTION member_forget_reviews(bigint)
IS 'Erases a member''s reviews and takes the visible ones out of counters and histograms.';

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
  -- Stored before the request to the provider, so that a crash in between loses no unlinking.
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
IS 'Deletes the caller''s sessions, favorites, titles, identity and name and keeps a tombstone: deleted, with the link to remove at the provider, or session_ended.';
