-- What every member has of every title: the one truth of awarding, of the progress shown and of the repair
-- command. Each rule is one expression under its title's id; CASE works out only the rules that are asked for.
-- Hidden reviews do not count. Rule 8 measures between the corners of the convex hull of the reviewed shops,
-- plain and across the 180th meridian: the farthest two are always corners.

CREATE OR REPLACE FUNCTION farthest_m(places geometry) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  WITH corners AS MATERIALIZED (
    SELECT c.geom::geography AS geog FROM ST_DumpPoints(ST_ConvexHull(places)) AS c
    UNION
    SELECT ST_ShiftLongitude(c.geom)::geography AS geog
    FROM ST_DumpPoints(ST_ConvexHull(ST_ShiftLongitude(places))) AS c
  )
  SELECT max(ST_Distance(a.geog, b.geog)) FROM corners AS a CROSS JOIN corners AS b;
END;
COMMENT ON FUNCTION farthest_m(geometry) IS 'Metres between the two farthest points of a set in degrees, on the spheroid.';

CREATE OR REPLACE FUNCTION title_progress_in(zone text)
RETURNS TABLE (member_id bigint, title_id bigint, current integer, target integer)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT
    m.id,
    t.id,
    least(t.target, coalesce(CASE t.id
      WHEN 1 THEN 1
      WHEN 2 THEN (
        SELECT count(*) FROM (
          SELECT FROM reviews AS r WHERE r.member_id = m.id AND r.hidden_at IS NULL LIMIT t.target
        ) AS q)
      WHEN 3 THEN (
        SELECT count(*) FROM (
          SELECT FROM reviews AS r WHERE r.member_id = m.id AND r.hidden_at IS NULL LIMIT t.target
        ) AS q)
      WHEN 4 THEN (
        SELECT count(*) FROM (SELECT FROM favorites AS f WHERE f.member_id = m.id LIMIT t.target) AS q)
      WHEN 5 THEN (
        SELECT count(*) FROM (SELECT FROM favorites AS f WHERE f.member_id = m.id LIMIT t.target) AS q)
      WHEN 6 THEN (
        SELECT count(DISTINCT s.sigungu_id)
        FROM reviews AS r INNER JOIN shops AS s ON s.id = r.shop_id
        WHERE r.member_id = m.id AND r.hidden_at IS NULL)
      WHEN 7 THEN (
        SELECT count(DISTINCT s.sido_id)
        FROM reviews AS r INNER JOIN shops AS s ON s.id = r.shop_id
        WHERE r.member_id = m.id AND r.hidden_at IS NULL)
      WHEN 8 THEN (
        SELECT floor(farthest_m(ST_Collect(s.geog::geometry)) / 1000)
        FROM shops AS s
        WHERE s.id IN (SELECT r.shop_id FROM reviews AS r WHERE r.member_id = m.id AND r.hidden_at IS NULL))
      WHEN 9 THEN (
        SELECT count(*)
        FROM brands AS b
        WHERE b.is_representative AND brand_family(b.id) && ARRAY(
          SELECT DISTINCT s.brand_id
          FROM reviews AS r INNER JOIN shops AS s ON s.id = r.shop_id
          WHERE r.member_id = m.id AND r.hidden_at IS NULL AND s.brand_id IS NOT NULL))
      WHEN 10 THEN (
        SELECT count(*) FROM (
          SELECT FROM reviews AS r
          WHERE r.member_id = m.id AND r.hidden_at IS NULL
            AND r.purity <> 'UNSELECTED' AND r.retouch <> 'UNSELECTED' AND r.item <> 'UNSELECTED'
          LIMIT t.target
        ) AS q)
      WHEN 11 THEN (
        SELECT count(*) FROM (
          SELECT FROM (
            SELECT DISTINCT r.shop_id FROM reviews AS r WHERE r.member_id = m.id AND r.hidden_at IS NULL
          ) AS mine
          WHERE m.id = (
            SELECT r.member_id FROM reviews AS r
            WHERE r.shop_id = mine.shop_id AND r.hidden_at IS NULL
            ORDER BY r.created_at, r.id LIMIT 1)
          LIMIT t.target
        ) AS q)
      WHEN 12 THEN (
        SELECT max(q.days) FROM (
          SELECT count(DISTINCT (r.created_at AT TIME ZONE zone)::date) AS days
          FROM reviews AS r WHERE r.member_id = m.id AND r.hidden_at IS NULL
          GROUP BY r.shop_id
        ) AS q)
      WHEN 13 THEN (
        SELECT count(*) FROM (
          SELECT FROM reviews AS r
          WHERE r.member_id = m.id AND r.hidden_at IS NULL
            AND extract(HOUR FROM r.created_at AT TIME ZONE zone) < 5
          LIMIT t.target
        ) AS q)
      -- every shop still missing needs one more review at least
      WHEN 14 THEN (
        SELECT least(count(*), count(DISTINCT r.shop_id) + 10)
        FROM reviews AS r WHERE r.member_id = m.id AND r.hidden_at IS NULL)
    END, 0))::integer,
    t.target
  FROM members AS m
  CROSS JOIN LATERAL (
    SELECT
      c.id,
      CASE c.id
        WHEN 9 THEN greatest(1, (SELECT count(*) FROM brands AS b WHERE b.is_representative))::integer
        ELSE c.target
      END AS target
    FROM titles AS c
  ) AS t
  WHERE m.withdrawn_at IS NULL;
END;
COMMENT ON FUNCTION title_progress_in(text)
IS 'Progress of every member towards every title, days and hours in a time zone; current never exceeds target.';

CREATE OR REPLACE VIEW title_progress AS
SELECT p.member_id, p.title_id, p.current, p.target FROM title_progress_in('Asia/Seoul') AS p;
COMMENT ON VIEW title_progress IS 'title_progress_in for Asia/Seoul; ask for single members or titles, the whole is large';
