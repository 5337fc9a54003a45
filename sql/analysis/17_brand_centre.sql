-- Question:   Where is each brand's centre, and how widely are its shops spread?
-- Parameters: region  name, full name or code of a region; blank for the whole country
--             brand   name or alias of a brand, sub-brands included; blank for all
--             srid    projected CRS in metres; 5179 suits the whole of Korea (default 5179)
-- Columns:    brand        main brand
--             n            open shops
--             mean_lng     longitude of the mean position, degrees
--             mean_lat     latitude of the mean position, degrees
--             median_lng   longitude of the geometric median, degrees
--             median_lat   latitude of the geometric median, degrees
--             std_dist_km  standard distance, km
--             geom         mean position, WGS 84
-- Method:     Mean of the positions in a projected CRS; geometric median (least sum of distances, Weiszfeld) as
--             ST_GeometricMedian; standard distance = root of the mean squared distance from the mean (Bachi 1963).
-- QGIS:       Point layer; a circle of std_dist_km by the geometry generator buffer().
\set ON_ERROR_STOP on
\if :{?region} \else
\set region ''
\endif
\if :{?brand} \else
\set brand ''
\endif
\if :{?srid} \else
\set srid 5179
\endif

WITH wanted AS MATERIALIZED (
  SELECT r.region_id, find_brand(:'brand') AS brand_ids
  FROM find_region(:'region') AS r
),
shop AS MATERIALIZED (
  SELECT s.main_brand AS brand, ST_Transform(s.geom, metric_plane('srid', :'srid')) AS p
  FROM wanted AS w
  CROSS JOIN v_shop_open AS s
  WHERE
    CASE WHEN w.region_id IS NULL THEN true ELSE w.region_id IN (s.sido_id, s.sigungu_id, s.dong_id) END
    AND CASE WHEN w.brand_ids IS NULL THEN true ELSE s.brand_id = ANY (w.brand_ids) END
    AND s.main_brand IS NOT NULL
),
brand AS (
  SELECT
    brand,
    count(*) AS n,
    ST_Transform(ST_Centroid(ST_Collect(p)), 4326) AS mean,
    ST_Transform(ST_GeometricMedian(ST_Collect(p)), 4326) AS median,
    sqrt(var_pop(ST_X(p)) + var_pop(ST_Y(p))) / 1000 AS std_dist_km
  FROM shop
  GROUP BY brand
)
SELECT
  brand,
  n,
  ST_X(mean) AS mean_lng,
  ST_Y(mean) AS mean_lat,
  ST_X(median) AS median_lng,
  ST_Y(median) AS median_lat,
  std_dist_km,
  mean::geometry(POINT, 4326) AS geom
FROM brand
ORDER BY brand;
