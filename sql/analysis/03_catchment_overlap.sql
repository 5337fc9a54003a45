-- Question:   How much do the catchments of shops of the same brand overlap?
-- Parameters: region     name, full name or code of a region; blank for the whole country
--             brand      name or alias of a brand, sub-brands included; blank for all
--             radius_m   radius of a catchment, metres (default 500)
--             max_pairs  maximum number of pairs returned, the largest overlaps first (default 10000)
--             srid       projected CRS in metres; 5179 suits the whole of Korea (default 5179)
-- Columns:    brand          main brand
--             shop_a         shop with the lower identifier
--             shop_b         shop of the same main brand
--             distance_m     distance between the two, metres
--             overlap_m2     area of the overlap, m²
--             overlap_pct_a  share of the first catchment, percent
--             overlap_pct_b  share of the second catchment, percent
--             pairs_total    number of overlapping pairs without the limit max_pairs
--             geom           the overlap, WGS 84
-- Method:     Circles as polygons of 128 corners in a projected CRS (their area is 0.04 % below a circle's),
--             ST_Intersection, ST_Area. Circles of one radius overlap the more the closer they are, so the closest
--             pairs are the largest overlaps.
-- QGIS:       Polygon layer above the shops, one colour, 80 % transparent: dark areas belong to many catchments.
\set ON_ERROR_STOP on
\if :{?region} \else
\set region ''
\endif
\if :{?brand} \else
\set brand ''
\endif
\if :{?radius_m} \else
\set radius_m 500
\endif
\if :{?max_pairs} \else
\set max_pairs 10000
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
  SELECT s.id, s.main_brand, ST_Transform(s.geom, metric_plane('srid', :'srid')) AS p, w.radius_m
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
    floor(ST_X(p) / (2 * radius_m))::integer AS i, floor(ST_Y(p) / (2 * radius_m))::integer AS j
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
    a.id AS shop_a,
    b.id AS shop_b,
    sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2) AS distance_m,
    a.radius_m,
    count(*) OVER () AS pairs_total
  FROM around AS a
  INNER JOIN square AS b ON b.main_brand = a.main_brand AND b.i = a.to_i AND b.j = a.to_j AND b.id > a.id
  WHERE (a.x - b.x) ^ 2 + (a.y - b.y) ^ 2 < 4 * a.radius_m ^ 2
  ORDER BY distance_m, a.id, b.id
  LIMIT positive('max_pairs', :'max_pairs')::bigint
),
overlap AS MATERIALIZED (
  SELECT
    p.*,
    ST_Area(ST_Buffer(a.p, p.radius_m, 32)) AS catchment_m2,
    ST_Intersection(ST_Buffer(a.p, p.radius_m, 32), ST_Buffer(b.p, p.radius_m, 32)) AS shared
  FROM pair AS p
  INNER JOIN shop AS a ON a.id = p.shop_a
  INNER JOIN shop AS b ON b.id = p.shop_b
)
SELECT
  brand,
  shop_a,
  shop_b,
  distance_m,
  ST_Area(shared) AS overlap_m2,
  100 * ST_Area(shared) / catchment_m2 AS overlap_pct_a,
  100 * ST_Area(shared) / catchment_m2 AS overlap_pct_b,
  pairs_total,
  ST_Multi(ST_CollectionExtract(ST_Transform(shared, 4326), 3))::geometry(MULTIPOLYGON, 4326) AS geom
FROM overlap
ORDER BY distance_m, shop_a, shop_b;
