-- Question:   Which shops may be duplicates?
-- Parameters: region          name, full name or code of a region; blank for the whole country
--             radius_m        maximum distance of two shops, metres (default 50)
--             min_similarity  minimum similarity of the names of shops of different brands, 0 to 1 (default 0.3)
--             srid            projected CRS in metres; 5179 suits the whole of Korea (default 5179)
-- Columns:    shop_a      shop with the lower identifier
--             shop_b      the other shop
--             name_a      name of the first
--             name_b      name of the second
--             distance_m  distance on the spheroid, metres
--             name_sim    similarity of the names by trigrams, 0 to 1
--             same_brand  true if both have the same main brand
--             verdict     duplicate (same brand and similarity at least 0.8), likely (same brand and 0.5, or any
--                         brand and 0.8), otherwise look
--             geom        line between the two, WGS 84
-- Method:     Open shops within the radius (grid of that size), pg_trgm similarity of the names without blanks.
--             Candidates have the same brand or similar names and need a manual check.
-- QGIS:       Line layer labelled with verdict, zoomed to each row in turn.
\set ON_ERROR_STOP on
\set QUIET on
\if :{?region} \else
\set region ''
\endif
\if :{?radius_m} \else
\set radius_m 50
\endif
\if :{?min_similarity} \else
\set min_similarity 0.3
\endif
\if :{?srid} \else
\set srid 5179
\endif
-- The planner misestimates the rows of functions and would choose a nested loop over all pairs.
SET enable_nestloop = off;

WITH wanted AS MATERIALIZED (
  SELECT
    r.region_id,
    positive('radius_m', :'radius_m') AS radius_m,
    positive('min_similarity', :'min_similarity') AS min_similarity
  FROM find_region(:'region') AS r
),
shop AS MATERIALIZED (
  SELECT
    s.id, s.place_name, s.main_brand, s.geog, s.geom,
    ST_Transform(s.geom, metric_plane('srid', :'srid')) AS p,
    w.radius_m * 1.01 AS reach_m
  FROM wanted AS w
  CROSS JOIN v_shop_open AS s
  WHERE CASE WHEN w.region_id IS NULL THEN true ELSE w.region_id IN (s.sido_id, s.sigungu_id, s.dong_id) END
),
square AS MATERIALIZED (
  SELECT *, floor(ST_X(p) / reach_m)::integer AS i, floor(ST_Y(p) / reach_m)::integer AS j
  FROM shop
),
around AS MATERIALIZED (
  SELECT s.*, s.i + di AS to_i, s.j + dj AS to_j
  FROM square AS s
  CROSS JOIN generate_series(-1, 1) AS di
  CROSS JOIN generate_series(-1, 1) AS dj
),
pair AS MATERIALIZED (
  SELECT
    a.id AS shop_a,
    b.id AS shop_b,
    a.place_name AS name_a,
    b.place_name AS name_b,
    ST_Distance(a.geog, b.geog) AS distance_m,
    similarity(name_key(a.place_name), name_key(b.place_name))::double precision AS name_sim,
    coalesce(a.main_brand = b.main_brand, false) AS same_brand,
    ST_MakeLine(a.geom, b.geom)::geometry(LINESTRING, 4326) AS geom
  FROM around AS a
  INNER JOIN square AS b ON b.i = a.to_i AND b.j = a.to_j AND b.id > a.id
  WHERE ST_Distance(a.p, b.p) <= a.reach_m
)
SELECT
  p.shop_a,
  p.shop_b,
  p.name_a,
  p.name_b,
  p.distance_m,
  p.name_sim,
  p.same_brand,
  CASE
    WHEN p.same_brand AND p.name_sim >= 0.8 THEN 'duplicate'
    WHEN (p.same_brand AND p.name_sim >= 0.5) OR p.name_sim >= 0.8 THEN 'likely'
    ELSE 'look'
  END AS verdict,
  p.geom
FROM pair AS p
CROSS JOIN wanted AS w
WHERE p.distance_m <= w.radius_m AND (p.same_brand OR p.name_sim >= w.min_similarity)
ORDER BY p.name_sim DESC, p.distance_m, p.shop_a, p.shop_b;
