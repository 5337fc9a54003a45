-- The titles of a member.

CREATE OR REPLACE FUNCTION member_titles_json(
  member bigint, session bigint, wanted bigint, origin text, zone text
) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
  open bigint[] := ARRAY(
    SELECT t.id FROM titles t
    WHERE (wanted IS NULL OR t.id = wanted)
      AND NOT EXISTS (SELECT FROM member_titles h WHERE h.member_id = member AND h.title_id = t.id));
  every text;
  main text;
  held_cnt integer;
BEGIN
  IF NOT session_is_live(session, member) THEN
    RETURN NULL;
  END IF;
  SELECT string_agg(q.json, ',' ORDER BY q.id), max(q.json) FILTER (WHERE q.is_main), count(q.is_main)
  INTO every, main, held_cnt
  FROM (
    SELECT t.id, h.is_main, title_json(t, h.title_id IS NOT NULL, coalesce(h.is_main, false),
        coalesce(p.current, t.target), coalesce(p.target, t.target), origin) AS json
    FROM titles t
    LEFT JOIN member_titles h ON h.title_id = t.id AND h.member_id = member
    LEFT JOIN (
      SELECT g.title_id, g.current, g.target FROM title_progress_in(zone) g
      WHERE g.member_id = member AND g.title_id = ANY (open)
    ) p ON p.title_id = t.id
    WHERE wanted IS NULL OR t.id = wanted
  ) q;
  RETURN CASE WHEN wanted IS NOT NULL THEN coalesce(every, '') ELSE concat(
    '{"holding_count":', held_cnt, ',"main_member_title":', coalesce(main, 'null'),
    ',"member_titles":[', every, ']}') END;
END $$;
COMMENT ON FUNCTION member_titles_json(bigint, bigint, bigint, text, text)
IS 'One title (empty if unknown) or, if wanted is null, all titles of a member as JSON, with progress; null if the session is not live.';
