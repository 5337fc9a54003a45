-- Question:   Which shops of the same brand are close together, and how close are they typically?
-- Parameters: region     name, full name or code of a region; blank for the whole country
--             brand      name or alias of a brand, sub-brands included; blank for all
--             radius_m   metres up to which two shops count as a pair (default 1000)
--             max_pairs  maximum number of pairs returned, the closest first; brand_ columns include all pairs
--                        (default 100000)
--             srid       projected CRS in metres; 5179 suits the whole of Korea (default 5179)
-- Columns:    brand           main brand
--             shop_id         shop with the lower identifier
--             sister_id       shop of the same main brand
--             distance_m      distance in the plane, metres
--             brand_pairs     pairs of the brand within the radius
--             brand_p10_m     10th percentile of its pairs' distances, metres
--             brand_median_m  median of its pairs' distances, metres
--             geom            line between the two, WGS 84
-- Method:     Spatial self-join of the shops in the region on a grid of the size of the radius, where pairs are in the
--             same or adjacent squares; percentile_cont by brand.
-- QGIS:       Line layer, graduated by distance_m; brand_median_m labels the brand.
\set ON_ERROR_STOP on
\if :{?region} \else
\set region ''
\endif
\if :{?brand} \else
\set brand ''
\endif
\if :{?radius_m} \else
\set radius_m 1000
\endif
\if :{?max_pairs} \else
\set max_pairs 100000
\endif
\if :{?srid} \else
\set srid 5179
\endif

WITH wanted AS MATERIALIZED (
  SELECT
    r.region_id,
    find_brand(:'brand') AS brand_ids,
    positive('radius_m', :'radius_m') AS radius_m
  FROM find_region(:'region') AS r
),
shop AS MATERIALIZED (
  SELECT s.id, s.main_brand, s.geom, ST_Transform(s.geom, metric_plane('srid', :'srid')) AS p, w.radius_m
  FROM wanted AS w
  CROSS JOIN v_shop_open AS s
  WHERE
    CASE WHEN w.region_id IS NULL THEN true ELSE w.region_id IN (s.sido_id, s.sigungu_id, s.dong_id) END
    AND CASE WHEN w.brand_ids IS NULL THEN true ELSE s.brand_id = ANY (w.brand_ids) END
    AND s.main_brand IS NOT NULL
),
square AS MATERIALIZED (
  SELECT
    id, main_brand, radius_m, ST_X(p) AS x, ST_Y(p) AS y,
    floor(ST_X(p) / radius_m)::integer AS i, floor(ST_Y(p) / radius_m)::integer AS j
  FROM shop
),
around AS MATERIALIZED (
  -- Neighbours are in the same grid square or in one of the eight around it.
  SELECT s.*, s.i + di AS to_i, s.j + dj AS to_j
  FROM square AS s
  CROSS JOIN generate_series(-1, 1) AS di
  CROSS JOIN generate_series(-1, 1) AS dj
),
pair AS MATERIALIZED (
  SELECT
    a.main_brand AS brand,
    a.id AS shop_id,
    b.id AS sister_id,
    sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2) AS distance_m
  FROM around AS a
  INNER JOIN square AS b ON b.main_brand = a.main_brand AND b.i = a.to_i AND b.j = a.to_j AND b.id > a.id
  WHERE (a.x - b.x) ^ 2 + (a.y - b.y) ^ 2 <= a.radius_m ^ 2
),
spacing AS MATERIALIZED (
  SELECT
    brand,
    count(*) AS brand_pairs,
    percentile_cont(ARRAY[0.1, 0.5]) WITHIN GROUP (ORDER BY distance_m) AS percentiles_m
  FROM pair
  GROUP BY brand
),
closest AS MATERIALIZED (
  SELECT * FROM pair ORDER BY distance_m, shop_id, sister_id LIMIT positive('max_pairs', :'max_pairs')::bigint
)
SELECT
  c.brand,
  c.shop_id,
  c.sister_id,
  c.distance_m,
  s.brand_pairs,
  s.percentiles_m[1] AS brand_p10_m,
  s.percentiles_m[2] AS brand_median_m,
  ST_MakeLine(a.geom, b.geom)::geometry(LINESTRING, 4326) AS geom
FROM closest AS c
INNER JOIN spacing AS s ON s.brand = c.brand
INNER JOIN shop AS a ON a.id = c.shop_id
INNER JOIN shop AS b ON b.id = c.sister_id
ORDER BY c.brand, c.distance_m, c.shop_id, c.sister_id;
