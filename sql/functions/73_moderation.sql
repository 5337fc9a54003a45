-- Commands of moderators. Each changes the review, the shop's counters, the titles and the reports, and writes the audit log
-- in one transaction. The lock order is that of all commands: members, shops, reviews.

-- Also locks the author, because a review that is shown again may earn a title.
CREATE OR REPLACE FUNCTION moderated_review(review bigint) RETURNS reviews
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  before reviews;
  current reviews;
BEGIN
  SELECT r.* INTO before FROM reviews r WHERE r.id = review;
  PERFORM FROM members m WHERE m.id = before.member_id FOR NO KEY UPDATE;
  PERFORM FROM shops s WHERE s.id = before.shop_id FOR NO KEY UPDATE;
  SELECT r.* INTO current FROM reviews r WHERE r.id = review FOR UPDATE;
  IF current.shop_id <> before.shop_id THEN
    RAISE EXCEPTION 'review % moved to another shop', review USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN current;
END $$;
COMMENT ON FUNCTION moderated_review(bigint)
IS 'Locks author, shop and review and returns the review, or nulls if it does not exist; raises a serialization failure if it has moved to another shop.';

CREATE OR REPLACE FUNCTION close_reports(reports_to_close bigint [], result text, moment timestamptz) RETURNS bigint []
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  closed bigint[];
BEGIN
  WITH done AS (
    UPDATE reports p SET closed_at = moment, outcome = result
    WHERE p.id = ANY (reports_to_close) AND p.closed_at IS NULL RETURNING p.id
  )
  SELECT coalesce(array_agg(d.id ORDER BY d.id), '{}') INTO closed FROM done d;
  RETURN closed;
END $$;
COMMENT ON FUNCTION close_reports(bigint [], text, timestamptz) IS 'Closes the open ones of these reports and returns them.';

CREATE OR REPLACE FUNCTION hide_review(review bigint, actor text, reason text, moment timestamptz) RETURNS text
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  it reviews := moderated_review(review);
  closed bigint[];
BEGIN
  IF it.id IS NULL THEN
    RETURN 'unknown';
  END IF;
  IF it.hidden_at IS NOT NULL THEN
    RETURN 'hidden already';
  END IF;
  UPDATE reviews r SET hidden_at = moment WHERE r.id = review;
  PERFORM count_review(it, -1);
  closed := close_reports(ARRAY(SELECT p.id FROM reports p WHERE p.review_id = review), 'UPHELD', moment);
  PERFORM write_audit(actor, 'hide', 'review', review, reason,
    jsonb_build_object('shop_id', it.shop_id, 'member_id', it.member_id, 'reports', closed));
  RETURN 'hidden';
END $$;
COMMENT ON FUNCTION hide_review(bigint, text, text, timestamptz)
IS 'Removes a review from lists, counts and ratings and closes its reports as upheld; titles stay. Returns hidden, hidden already or unknown.';

CREATE OR REPLACE FUNCTION show_review(review bigint, actor text, reason text, moment timestamptz, zone text) RETURNS text
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  it reviews := moderated_review(review);
  awarded bigint[] := ARRAY[]::bigint[];
BEGIN
  IF it.id IS NULL THEN
    RETURN 'unknown';
  END IF;
  IF it.hidden_at IS NULL THEN
    RETURN 'visible already';
  END IF;
  UPDATE reviews r SET hidden_at = NULL WHERE r.id = review;
  PERFORM count_review(it, 1);
  IF EXISTS (SELECT FROM members m WHERE m.id = it.member_id AND m.withdrawn_at IS NULL) THEN
    awarded := award_titles(it.member_id, 'review', moment, zone);
  END IF;
  PERFORM write_audit(actor, 'show', 'review', review, reason,
    jsonb_build_object('shop_id', it.shop_id, 'member_id', it.member_id, 'titles', awarded));
  RETURN 'visible';
END $$;
COMMENT ON FUNCTION show_review(bigint, text, text, timestamptz, text)
IS 'Restores a hidden review to lists, counts and ratings, and awards titles. Returns visible, visible already or unknown.';

CREATE OR REPLACE FUNCTION settle_reports(
  wanted bigint [], result text, actor text, reason text, moment timestamptz
) RETURNS bigint []
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  closed bigint[] := close_reports(wanted, result, moment);
  report bigint;
BEGIN
  FOREACH report IN ARRAY closed LOOP
    PERFORM write_audit(actor, CASE result WHEN 'UPHELD' THEN 'uphold' ELSE 'dismiss' END, 'report', report, reason, '{}');
  END LOOP;
  RETURN closed;
END $$;
COMMENT ON FUNCTION settle_reports(bigint [], text, text, text, timestamptz)
IS 'Closes reports without changing the reported reviews and shops; returns those that were open.';
