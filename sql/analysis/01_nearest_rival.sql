-- Question:   Where is each shop's nearest shop of another brand?
-- Parameters: region  name, full name or code of a region; blank for the whole country
--             brand   name or alias of a brand, sub-brands included; blank for all
--             near_m  radius of the fast search on a grid, metres; rivals beyond it are found through the index.
--                     Affects the run time, not the result (default 300)
--             srid    projected CRS in metres; 5179 suits the whole of Korea (default 5179)
-- Columns:    shop_id        shop
--             brand          its brand
--             nearest_id     nearest open shop of another main brand; null when there is none
--             nearest_brand  brand of that shop
--             distance_m     distance on the spheroid, metres
--             geom           line from the shop to its rival, WGS 84
-- Method:     Shops are assigned to a grid of near_m; a rival within near_m is in the same or an adjacent square, so an
--             equality join finds it. The spatial index finds the others (K nearest neighbours, <->). Rivals outside
--             the region count. A shop without a brand is a rival of every brand.
-- QGIS:       Add as a line layer, colour by distance_m; short lines show where brands compete.
\set ON_ERROR_STOP on
\if :{?region} \else
\set region ''
\endif
\if :{?brand} \else
\set brand ''
\endif
\if :{?near_m} \else
\set near_m 300
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
  SELECT
    s.id,
    s.brand,
    s.main_brand,
    s.geog,
    s.geom,
    ST_Transform(s.geom, metric_plane('srid', :'srid')) AS p,
    w.near_m,
    CASE WHEN w.region_id IS NULL THEN true ELSE w.region_id IN (s.sido_id, s.sigungu_id, s.dong_id) END
    AND CASE WHEN w.brand_ids IS NULL THEN true ELSE s.brand_id = ANY (w.brand_ids) END AS is_wanted
  FROM wanted AS w
  CROSS JOIN v_shop_open AS s
),
square AS MATERIALIZED (
  SELECT
    id, main_brand, is_wanted, near_m,
    ST_X(p) AS x, ST_Y(p) AS y, floor(ST_X(p) / near_m)::integer AS i, floor(ST_Y(p) / near_m)::integer AS j
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
near AS MATERIALIZED (
  SELECT DISTINCT ON (a.id) a.id, b.id AS nearest_id
  FROM around AS a
  INNER JOIN square AS b ON b.i = a.to_i AND b.j = a.to_j AND b.main_brand IS DISTINCT FROM a.main_brand
  WHERE (a.x - b.x) ^ 2 + (a.y - b.y) ^ 2 <= a.near_m ^ 2
  ORDER BY a.id, (a.x - b.x) ^ 2 + (a.y - b.y) ^ 2, b.id
),
far AS MATERIALIZED (
  SELECT a.id, n.id AS nearest_id
  FROM shop AS a
  CROSS JOIN LATERAL nearest_rival(a.geog, a.main_brand) AS n
  WHERE a.is_wanted AND NOT EXISTS (SELECT FROM near WHERE near.id = a.id)
)
SELECT
  a.id AS shop_id,
  a.brand,
  b.id AS nearest_id,
  b.brand AS nearest_brand,
  ST_Distance(a.geog, b.geog) AS distance_m,
  ST_MakeLine(a.geom, b.geom)::geometry(LINESTRING, 4326) AS geom
FROM shop AS a
LEFT JOIN (SELECT * FROM near UNION ALL SELECT * FROM far) AS n ON n.id = a.id
LEFT JOIN shop AS b ON b.id = n.nearest_id
WHERE a.is_wanted
ORDER BY a.id;
