-- Question:   How far is each shop from the nearest station?
-- Parameters: region  name, full name or code of a region; blank for the whole country
--             brand   name or alias of a brand, sub-brands included; blank for all
--             near_m  radius of the fast search on a grid, metres; stations beyond it are found through the index.
--                     Affects the run time, not the result (default 1500)
--             srid    projected CRS in metres; 5179 suits the whole of Korea (default 5179)
-- Columns:    shop_id                shop
--             brand                  its brand; null when none is known
--             station                nearest station; null when none is loaded
--             line                   its line; empty when unknown
--             distance_m             distance on the spheroid, metres
--             band                   0-250, 250-500, 500-1000, 1000-2000 or 2000+, metres
--             brand_pct_within_500m  share of the brand's shops in the result within 500 m of a station, percent
--             geom                   line from the shop to the station, WGS 84; null without a station
-- Method:     As in 01_nearest_rival, near stations are found on a grid, far ones through the spatial index. Of several
--             lines at one position the first row represents the station.
-- QGIS:       Line layer, colour by band.
\set ON_ERROR_STOP on
\if :{?region} \else
\set region ''
\endif
\if :{?brand} \else
\set brand ''
\endif
\if :{?near_m} \else
\set near_m 1500
\endif
\if :{?srid} \else
\set srid 5179
\endif

WITH wanted AS MATERIALIZED (
  SELECT
    r.region_id,
    find_brand(:'brand') AS brand_ids,
    positive('near_m', :'near_m') AS near_m
  FROM find_region(:'region') AS r
),
shop AS MATERIALIZED (
  SELECT s.id, s.brand, s.main_brand, s.geog, s.geom, ST_Transform(s.geom, metric_plane('srid', :'srid')) AS p, w.near_m
  FROM wanted AS w
  CROSS JOIN v_shop_open AS s
  WHERE
    CASE WHEN w.region_id IS NULL THEN true ELSE w.region_id IN (s.sido_id, s.sigungu_id, s.dong_id) END
    AND CASE WHEN w.brand_ids IS NULL THEN true ELSE s.brand_id = ANY (w.brand_ids) END
),
square AS MATERIALIZED (
  SELECT
    id, near_m, ST_X(p) AS x, ST_Y(p) AS y,
    floor(ST_X(p) / near_m)::integer AS i, floor(ST_Y(p) / near_m)::integer AS j
  FROM shop
),
station AS MATERIALIZED (
  SELECT
    q.id, ST_X(q.p) AS x, ST_Y(q.p) AS y,
    floor(ST_X(q.p) / w.near_m)::integer + di AS i, floor(ST_Y(q.p) / w.near_m)::integer + dj AS j
  FROM (SELECT id, ST_Transform(geom, metric_plane('srid', :'srid')) AS p FROM v_station) AS q
  CROSS JOIN wanted AS w
  CROSS JOIN generate_series(-1, 1) AS di
  CROSS JOIN generate_series(-1, 1) AS dj
),
near AS MATERIALIZED (
  SELECT DISTINCT ON (a.id) a.id, t.id AS station_id
  FROM square AS a
  INNER JOIN station AS t ON t.i = a.i AND t.j = a.j
  WHERE (a.x - t.x) ^ 2 + (a.y - t.y) ^ 2 <= a.near_m ^ 2
  ORDER BY a.id, (a.x - t.x) ^ 2 + (a.y - t.y) ^ 2, t.id
),
far AS MATERIALIZED (
  SELECT a.id, n.id AS station_id
  FROM shop AS a
  CROSS JOIN LATERAL (
    -- The index orders by distance on the sphere; the nearest on the spheroid is not farther than its first result.
    SELECT ST_Distance(t.geog, a.geog) + 0.001 AS reach_m FROM v_station AS t ORDER BY t.geog <-> a.geog LIMIT 1
  ) AS f
  CROSS JOIN LATERAL (
    SELECT t.id
    FROM v_station AS t
    WHERE ST_DWithin(t.geog, a.geog, f.reach_m)
    ORDER BY ST_Distance(t.geog, a.geog), t.id
    LIMIT 1
  ) AS n
  WHERE NOT EXISTS (SELECT FROM near WHERE near.id = a.id)
),
access AS MATERIALIZED (
  SELECT
    s.id, s.brand, s.main_brand, t.station, t.line, ST_Distance(s.geog, t.geog) AS distance_m,
    ST_MakeLine(s.geom, t.geom)::geometry(LINESTRING, 4326) AS geom
  FROM shop AS s
  LEFT JOIN (SELECT * FROM near UNION ALL SELECT * FROM far) AS n ON n.id = s.id
  LEFT JOIN v_station AS t ON t.id = n.station_id
)
SELECT
  id AS shop_id,
  brand,
  station,
  line,
  distance_m,
  CASE
    WHEN distance_m < 250 THEN '0-250'
    WHEN distance_m < 500 THEN '250-500'
    WHEN distance_m < 1000 THEN '500-1000'
    WHEN distance_m < 2000 THEN '1000-2000'
    WHEN distance_m IS NOT NULL THEN '2000+'
  END AS band,
  (100.0 * count(*) FILTER (WHERE distance_m <= 500) OVER of_brand / count(*) OVER of_brand)::double precision
  AS brand_pct_within_500m,
  geom
FROM access
WINDOW of_brand AS (PARTITION BY main_brand)
ORDER BY id;
