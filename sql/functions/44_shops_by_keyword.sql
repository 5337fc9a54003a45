-- Keyword search: readings of the keyword from the strictest to the loosest; the first that finds shops answers.

CREATE OR REPLACE FUNCTION search_json(
  ids bigint [], tiers integer [], distances double precision [], origin text, member bigint, sort text,
  explain boolean, page_size integer, page_offset integer
) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT '[' || coalesce(string_agg(
    CASE WHEN explain THEN concat(left(q.json, -1), ',"why":{"place":', q.place, ',"tier":', q.tier, ',"match":"',
      (ARRAY['exact name', 'prefix', 'all words', 'typo'])[q.tier], '"}}') ELSE q.json END, ',' ORDER BY q.place
  ), '') || ']'
  FROM (
    SELECT r.place, r.tier, shop_json(s.card, b.card, b.image_path, origin, metres(r.distance_m),
      s.review_cnt, s.star_rating_sum, s.favorite_cnt,
      member IS NOT NULL AND EXISTS (SELECT FROM favorites AS f WHERE f.member_id = member AND f.shop_id = s.id)) AS json
    FROM (
      SELECT t.id, t.tier, t.distance_m, row_number() OVER (ORDER BY
        CASE sort
          WHEN 'rating' THEN -o.star_rating_sum / nullif(o.review_cnt, 0)::float8
          WHEN 'reviews' THEN -o.review_cnt
          WHEN 'favorites' THEN -o.favorite_cnt
          ELSE t.tier
        END, t.distance_m, t.id) AS place
      FROM unnest(ids, tiers, distances) AS t (id, tier, distance_m) INNER JOIN shops AS o ON o.id = t.id
      ORDER BY place LIMIT page_size OFFSET page_offset
    ) AS r
    INNER JOIN shops AS s ON s.id = r.id
    LEFT JOIN brands AS b ON b.id = s.brand_id
  ) AS q;
END;
COMMENT ON FUNCTION search_json IS 'The found shops as JSON; sort is distance (relevance first), rating, reviews or favorites.';

-- Readings in their order. `words` are those of the keyword, or what they are taken for.
CREATE OR REPLACE FUNCTION search_readings(keyword text)
RETURNS TABLE (pass text, words text [], stations_first boolean, is_literal boolean, is_typo boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  typed text[] := keyword_words(keyword);
BEGIN
  RETURN QUERY VALUES
    ('understood', typed, false, false, false), ('station', typed, true, false, false),
    ('branch', ARRAY(SELECT regexp_replace(w, '(..)점$', '\1') FROM unnest(typed) w), false, false, false),
    ('literal', typed, false, true, false);
END $$;
COMMENT ON FUNCTION search_readings(text) IS 'Ways to read a keyword, the strictest first.';

CREATE OR REPLACE FUNCTION shops_by_keyword(
  keyword text, user_lon double precision, user_lat double precision, box double precision [],
  min_rating double precision, open_minute integer,
  clean double precision, retouch double precision, props double precision,
  sort text, origin text, at_most integer, page_size integer, page_offset integer,
  member bigint DEFAULT NULL, session bigint DEFAULT NULL, explain boolean DEFAULT false,
  OUT body text, OUT total integer, OUT truncated boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  viewer geography := point_at(user_lon, user_lat);
  reading record;
  u record;
  f record;
  done text[] := '{}';
  pass text := 'none';
BEGIN
  IF session IS NOT NULL AND NOT session_is_live(session, member) THEN
    RETURN;
  END IF;
  FOR reading IN SELECT * FROM search_readings(keyword) LOOP
    SELECT * INTO u FROM search_understand(reading.words, reading.stations_first);
    IF reading.is_literal THEN
      u.brands := NULL; u.regions := NULL; u.stations := NULL; u.branch := '{}'; u.impossible := false;
      u.rest := ARRAY(SELECT normalize(w, NFD) FROM unnest(reading.words) w);
      u.names := ARRAY[array_to_string(u.rest, '')];
    END IF;
    CONTINUE WHEN u.impossible OR (u.brands, u.regions, u.stations, u.rest)::text = ANY (done);
    done := done || (u.brands, u.regions, u.stations, u.rest)::text;
    SELECT * INTO f FROM search_find(viewer, u.brands, u.regions, u.stations, u.branch, u.rest,
      all_of(ARRAY(SELECT rest_query(w) FROM unnest(u.rest) w)), u.names,
      box, min_rating, open_minute, clean, retouch, props, at_most);
    pass := reading.pass;
    EXIT WHEN f.ids <> '{}';
    pass := 'none';
  END LOOP;
  truncated := cardinality(f.ids) > at_most;
  total := least(cardinality(f.ids), at_most);
  body := search_json(f.ids[:at_most], f.tiers[:at_most], f.distances[:at_most], origin, member, sort,
    explain, page_size, page_offset);
  IF explain THEN
    body := concat('{"understood":', search_told(u.understood), ',"pass":"', pass, '","shops":', body, '}');
  END IF;
END $$;
COMMENT ON FUNCTION shops_by_keyword IS 'Shops that a keyword means: by tier, distance from the user, id, as JSON; body is null when the session is not alive.';

CREATE OR REPLACE FUNCTION search_told(understood jsonb) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT coalesce(jsonb_agg(x || jsonb_build_object('names', coalesce((
    SELECT jsonb_agg(DISTINCT n.name) FROM (
      SELECT r.name FROM regions AS r WHERE x ->> 'kind' = 'region' AND x -> 'ids' @> to_jsonb(r.id)
      UNION ALL
      SELECT b.name FROM brands AS b WHERE x ->> 'kind' = 'brand' AND x -> 'ids' @> to_jsonb(b.id)
      UNION ALL
      SELECT s.name || '역' FROM stations AS s WHERE x ->> 'kind' = 'station' AND x -> 'ids' @> to_jsonb(s.id)
    ) AS n), '[]'))), '[]')::text
  FROM jsonb_array_elements(understood) AS x;
END;
COMMENT ON FUNCTION search_told(jsonb) IS 'The reading of a keyword with the names of what was recognised.';
