-- Question:   What is within walking distance of each shop?
-- Parameters: region             name, full name or code of a region; blank for the whole country
--             brand              name or alias of a brand, sub-brands included; blank for all
--             minutes            walking time, minutes (default 10)
--             metres_per_minute  walking speed (default 80)
--             detour             ratio of street distance to straight-line distance (default 1.3)
--             srid               projected CRS in metres; 5179 suits the whole of Korea (default 5179)
-- Columns:    shop_id       shop
--             minutes       walking time, minutes
--             radius_m      straight-line reach, metres: minutes times speed over detour
--             area_km2      area of the circle, km²
--             shops_inside  other open shops within it
--             pop_inside    population within it, distributed evenly over its cells; null when no population is loaded
--             geom          circle of 64 corners, WGS 84
-- Method:     An approximation without a street network; 80 m per minute and a detour of 1.3 are customary values.
--             With a network in pgRouting, pgr_drivingDistance returns the true shape. The most expensive script:
--             restrict it by region, brand or minutes.
-- QGIS:       Polygon layer, 80 % transparent, below the shops.
\set ON_ERROR_STOP on
\set QUIET on
\if :{?region} \else
\set region ''
\endif
\if :{?brand} \else
\set brand ''
\endif
\if :{?minutes} \else
\set minutes 10
\endif
\if :{?metres_per_minute} \else
\set metres_per_minute 80
\endif
\if :{?detour} \else
\set detour 1.3
\endif
\if :{?srid} \else
\set srid 5179
\endif
-- The planner misestimates the rows of functions and would choose a nested loop over all pairs.
SET enable_nestloop = off;

WITH wanted AS MATERIALIZED (
  SELECT
    r.region_id,
    find_brand(:'brand') AS brand_ids,
    positive('minutes', :'minutes') AS minutes,
    positive('minutes * metres_per_minute / detour = radius_m', round((
      positive('minutes', :'minutes') * positive('metres_per_minute', :'metres_per_minute')
      / positive('detour', :'detour')
    )::numeric, 9)::text) AS radius_m
  FROM find_region(:'region') AS r
),
shop AS MATERIALIZED (
  SELECT
    s.id,
    w.minutes,
    w.radius_m,
    ST_Transform(s.geom, metric_plane('srid', :'srid')) AS p,
    CASE WHEN w.region_id IS NULL THEN true ELSE w.region_id IN (s.sido_id, s.sigungu_id, s.dong_id) END
    AND CASE WHEN w.brand_ids IS NULL THEN true ELSE s.brand_id = ANY (w.brand_ids) END AS is_wanted
  FROM wanted AS w
  CROSS JOIN v_shop_open AS s
),
square AS MATERIALIZED (
  SELECT
    id, is_wanted, radius_m, ST_X(p) AS x, ST_Y(p) AS y,
    floor(ST_X(p) / radius_m)::integer AS i, floor(ST_Y(p) / radius_m)::integer AS j
  FROM shop
),
around AS MATERIALIZED (
  -- Neighbours are in the same grid square or in one of the eight around it.
  SELECT s.*, s.i + di AS to_i, s.j + dj AS to_j
  FROM square AS s
  CROSS JOIN generate_series(-1, 1) AS di
  CROSS JOIN generate_series(-1, 1) AS dj
  WHERE s.is_wanted
),
inside AS MATERIALIZED (
  SELECT a.id, count(*) AS shops
  FROM around AS a
  INNER JOIN square AS b ON b.i = a.to_i AND b.j = a.to_j AND b.id <> a.id
  WHERE (a.x - b.x) ^ 2 + (a.y - b.y) ^ 2 <= a.radius_m ^ 2
  GROUP BY a.id
),
circle AS MATERIALIZED (
  SELECT id, minutes, radius_m, ST_Buffer(p, radius_m, 16) AS geom FROM shop WHERE is_wanted
),
people AS MATERIALIZED (
  SELECT c.id, sum(v.population * ST_Area(ST_Intersection(v.cell, c.geom)) / ST_Area(v.cell)) AS people
  FROM circle AS c
  INNER JOIN (
    SELECT population, ST_Transform(geom, metric_plane('srid', :'srid')) AS cell FROM v_population
  ) AS v ON ST_Intersects(v.cell, c.geom)
  GROUP BY c.id
),
population AS MATERIALIZED (
  SELECT has_population('pop_inside') AS is_loaded
)
SELECT
  c.id AS shop_id,
  c.minutes,
  c.radius_m,
  pi() * c.radius_m ^ 2 / 1e6 AS area_km2,
  coalesce(n.shops, 0) AS shops_inside,
  CASE WHEN v.is_loaded THEN coalesce(p.people, 0) END AS pop_inside,
  ST_Transform(c.geom, 4326)::geometry(POLYGON, 4326) AS geom
FROM circle AS c
CROSS JOIN population AS v
LEFT JOIN inside AS n ON n.id = c.id
LEFT JOIN people AS p ON p.id = c.id
ORDER BY c.id;
