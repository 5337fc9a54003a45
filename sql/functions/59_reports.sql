-- Reports by members. A member has at most one open report of a review or shop; repeating it changes nothing.

CREATE OR REPLACE FUNCTION report_json(report bigint, zone text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT concat(
    '{"id":', p.id,
    CASE WHEN p.review_id IS NULL THEN ',"shop_id":' ELSE ',"review_id":' END, coalesce(p.review_id, p.shop_id),
    ',"reason":', to_json(p.reason)::text, ',"content":', to_json(p.content)::text,
    ',"create_date":', date_array(p.created_at, zone),
    ',"status":', to_json(coalesce(p.outcome, 'OPEN'))::text, '}'
  )
  FROM reports AS p WHERE p.id = report;
END;
COMMENT ON FUNCTION report_json(bigint, text) IS 'A report as JSON, as shown to the reporting member.';

CREATE OR REPLACE FUNCTION create_report(
  member bigint, session bigint, review bigint, shop bigint, reason text, content text,
  moment timestamptz, zone text,
  OUT outcome text, OUT body text
)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  report bigint;
BEGIN
  IF NOT begin_command(member, session) THEN
    outcome := 'session_ended';
    RETURN;
  END IF;
  -- the lock prevents deletion of the review before the report that references it is committed
  IF review IS NOT NULL THEN
    PERFORM FROM reviews r WHERE r.id = review AND r.hidden_at IS NULL FOR KEY SHARE;
  ELSE
    shop := begin_command_on(shop);
    PERFORM FROM shops s WHERE s.id = shop;
  END IF;
  IF NOT FOUND THEN
    outcome := CASE WHEN review IS NULL THEN 'shop_missing' ELSE 'review_missing' END;
    RETURN;
  END IF;
  SELECT p.id INTO report FROM reports p
  WHERE p.member_id = member AND p.closed_at IS NULL
    AND (p.review_id, p.shop_id) IS NOT DISTINCT FROM (review, shop);
  outcome := CASE WHEN report IS NULL THEN 'created' ELSE 'existing' END;
  IF report IS NULL THEN
    INSERT INTO reports (member_id, review_id, shop_id, reason, content, created_at)
    VALUES (member, review, shop, create_report.reason, create_report.content, moment) RETURNING id INTO report;
  END IF;
  body := report_json(report, zone);
END $$;
COMMENT ON FUNCTION create_report
IS 'Reports a review or a shop; for a merged shop, the one into which it was merged. Outcomes: created, existing (an open report of it), session_ended, review_missing or shop_missing.';

CREATE OR REPLACE FUNCTION member_forget_reports(member bigint) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
  UPDATE reports AS p SET member_id = NULL, content = '' WHERE p.member_id = member;
END;
COMMENT ON FUNCTION member_forget_reports(bigint)
IS 'Removes the member and the text from a member''s reports; the reported item and the reason remain for moderators.';
