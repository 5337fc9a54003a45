-- Titles as JSON, for lists and for the results of commands that earn titles.

CREATE OR REPLACE FUNCTION title_json(
  t titles, held boolean, main boolean, current integer, target integer, origin text
) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN concat(
  '{"id":', t.id, ',"name":', to_json(t.name)::text, ',"content":', to_json(t.content)::text,
  ',"standard":', to_json(t.standard)::text,
  ',"image_url":', to_json(concat(origin, '/titles/', t.id, CASE WHEN held THEN '.svg' ELSE '-grey.svg' END))::text,
  ',"is_holding":', held::text, ',"is_main":', main::text,
  ',"progress":{"current":', current, ',"target":', target, '}}'
);
COMMENT ON FUNCTION title_json(titles, boolean, boolean, integer, integer, text) IS 'A member title as JSON.';

CREATE OR REPLACE FUNCTION held_titles_json(ids bigint [], origin text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  IF cardinality(ids) = 0 THEN
    RETURN '[]';
  END IF;
  RETURN '[' || (
    SELECT string_agg(title_json(t, true, false, t.target, t.target, origin), ',' ORDER BY t.id)
    FROM titles t WHERE t.id = ANY (ids)) || ']';
END $$;
COMMENT ON FUNCTION held_titles_json(bigint [], text) IS 'Newly earned titles as a JSON array.';
