-- Progress of every member towards every title; the only definition of the rules, used to award titles, to show
-- progress and by the repair command. Each rule is an expression under its title's id; CASE evaluates only the
-- selected rules. Hidden reviews do not count. Reviewed shops are collected in an array, so that reviews are always
-- read by the member's index and shops by their key, whatever the planner estimates.

-- The two farthest points of a set are vertices of its convex hull. The shifted hull handles sets across the 180th
-- meridian.
CREATE OR REPLACE FUNCTION farthest_m(places geometry) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  IF ST_NPoints(places) < 2 THEN
    RETURN 0;
  END IF;
  RETURN (
    WITH corners AS MATERIALIZED (
      SELECT h.geom::geography AS geog, row_number() OVER () AS place
      FROM (
        SELECT c.geom FROM ST_DumpPoints(ST_ConvexHull(places)) c
        UNION
        SELECT ST_ShiftLongitude(c.geom) FROM ST_DumpPoints(ST_ConvexHull(ST_ShiftLongitude(places))) c
      ) h
    )
    SELECT coalesce(max(ST_Distance(a.geog, b.geog)), 0) FROM corners a JOIN corners b ON a.place < b.place);
END $$;
COMMENT ON FUNCTION farthest_m(geometry) IS 'Metres between the two farthest points of a set in degrees, on the spheroid.';

CREATE OR REPLACE FUNCTION rests_on_shops(title bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN title IN (6, 7, 8, 9, 11);
COMMENT ON FUNCTION rests_on_shops(bigint)
IS 'True for titles whose rule depends only on the set of reviewed shops, so that repeated reviews of a shop do not count.';

CREATE OR REPLACE FUNCTION title_progress_in(zone text)
RETURNS TABLE (member_id bigint, title_id bigint, current integer, target integer)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT
    m.id,
    t.id,
    coalesce(CASE t.id
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
        SELECT least(t.target, count(DISTINCT s.sigungu_id)) FROM shops AS s
        WHERE s.id = ANY (ARRAY(
          SELECT DISTINCT r.shop_id FROM reviews AS r WHERE r.member_id = m.id AND r.hidden_at IS NULL)))
      WHEN 7 THEN (
        SELECT least(t.target, count(DISTINCT s.sido_id)) FROM shops AS s
        WHERE s.id = ANY (ARRAY(
          SELECT DISTINCT r.shop_id FROM reviews AS r WHERE r.member_id = m.id AND r.hidden_at IS NULL)))
      WHEN 8 THEN (
        SELECT least(t.target, coalesce(floor(farthest_m(ST_Collect(s.geog::geometry)) / 1000), 0)::bigint) FROM shops AS s
        WHERE s.id = ANY (ARRAY(
          SELECT DISTINCT r.shop_id FROM reviews AS r WHERE r.member_id = m.id AND r.hidden_at IS NULL)))
      WHEN 9 THEN (
        -- a shop counts for its brand and all parent brands
        WITH RECURSIVE seen AS (
          SELECT b.id, b.parent_id, b.is_representative FROM brands AS b
          WHERE b.id = ANY (ARRAY(
            SELECT s.brand_id FROM shops AS s
            WHERE s.id = ANY (ARRAY(
              SELECT DISTINCT r.shop_id FROM reviews AS r WHERE r.member_id = m.id AND r.hidden_at IS NULL))))
          UNION
          SELECT p.id, p.parent_id, p.is_representative FROM brands AS p INNER JOIN seen AS n ON n.parent_id = p.id
        )
        SELECT count(*) FILTER (WHERE n.is_representative) FROM seen AS n)
      WHEN 10 THEN (
        SELECT count(*) FROM (
          SELECT FROM reviews AS r
          WHERE r.member_id = m.id AND r.hidden_at IS NULL
            AND r.purity <> 'UNSELECTED' AND r.retouch <> 'UNSELECTED' AND r.item <> 'UNSELECTED'
          LIMIT t.target
        ) AS q)
      WHEN 11 THEN (
        SELECT count(*) FROM (
          SELECT FROM unnest(ARRAY(
            SELECT DISTINCT r.shop_id FROM reviews AS r WHERE r.member_id = m.id AND r.hidden_at IS NULL
          )) AS mine (shop_id)
          WHERE m.id = (
            SELECT r.member_id FROM reviews AS r
            WHERE r.shop_id = mine.shop_id AND r.hidden_at IS NULL
            ORDER BY r.created_at, r.id LIMIT 1)
          LIMIT t.target
        ) AS q)
      WHEN 12 THEN (
        SELECT least(t.target, coalesce(max(q.days), 0)) FROM (
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
      -- each missing shop requires at least one more review
      WHEN 14 THEN (
        SELECT least(t.target, count(*), count(DISTINCT r.shop_id) + 10)
        FROM reviews AS r WHERE r.member_id = m.id AND r.hidden_at IS NULL)
    END, 0)::integer,
    CASE t.id
      WHEN 9 THEN greatest(1, (SELECT count(*) FROM brands AS b WHERE b.is_representative))::integer
      ELSE t.target
    END
  FROM members AS m CROSS JOIN titles AS t
  WHERE m.withdrawn_at IS NULL;
END;
COMMENT ON FUNCTION title_progress_in(text)
IS 'Progress of every member towards every title, days and hours in a time zone; current never exceeds target; filter by member or title, because the whole result is large.';
