-- Question:   How can the shops of a region be divided into k compact territories?
-- Parameters: region        name, full name or code of a region; blank for the whole country
--             brand         name or alias of a brand, sub-brands included; blank for all
--             k             number of territories (default 10)
--             max_radius_m  maximum radius of a territory, metres; may increase the number of territories; blank for none
--             srid          projected CRS in metres; 5179 suits the whole of Korea (default 5179)
-- Columns:    territory  number of the territory, from west to east
--             shops      shops in it
--             reviews    reviews of its shops
--             radius_m   distance from its centre to the farthest shop, metres
--             geom       convex hull of its shops with a buffer of 20 m, WGS 84
-- Method:     ST_ClusterKMeans on positions; with fewer shops than k every shop is a territory.
-- QGIS:       Polygon layer, categorised by territory.
\set ON_ERROR_STOP on
\if :{?region} \else
\set region ''
\endif
\if :{?brand} \else
\set brand ''
\endif
\if :{?k} \else
\set k 10
\endif
\if :{?max_radius_m} \else
\set max_radius_m ''
\endif
\if :{?srid} \else
\set srid 5179
\endif

WITH wanted AS MATERIALIZED (
  SELECT r.region_id, find_brand(:'brand') AS brand_ids
  FROM find_region(:'region') AS r
),
shop AS MATERIALIZED (
  SELECT s.id, s.review_cnt, ST_Transform(s.geom, metric_plane('srid', :'srid')) AS p
  FROM wanted AS w
  CROSS JOIN v_shop_open AS s
  WHERE
    CASE WHEN w.region_id IS NULL THEN true ELSE w.region_id IN (s.sido_id, s.sigungu_id, s.dong_id) END
    AND CASE WHEN w.brand_ids IS NULL THEN true ELSE s.brand_id = ANY (w.brand_ids) END
),
setting AS MATERIALIZED (
  SELECT
    least(positive('k', :'k'), greatest((SELECT count(DISTINCT p) FROM shop), 1))::integer AS k,
    CASE WHEN :'max_radius_m' = '' THEN NULL ELSE positive('max_radius_m', :'max_radius_m') END AS max_radius_m
),
member AS (
  SELECT
    review_cnt,
    p,
    CASE
      WHEN (SELECT max_radius_m FROM setting) IS NULL THEN ST_ClusterKMeans(p, (SELECT k FROM setting)) OVER ()
      ELSE ST_ClusterKMeans(p, (SELECT k FROM setting), (SELECT max_radius_m FROM setting)) OVER ()
    END AS cluster
  FROM shop
),
territory AS (
  SELECT count(*) AS shops, sum(review_cnt) AS reviews, ST_Collect(p) AS points
  FROM member
  GROUP BY cluster
)
SELECT
  row_number() OVER (ORDER BY ST_X(ST_Centroid(points)), ST_Y(ST_Centroid(points))) AS territory,
  shops,
  reviews,
  ST_MaxDistance(ST_Centroid(points), points) AS radius_m,
  ST_Transform(ST_Buffer(ST_ConvexHull(points), 20), 4326)::geometry(POLYGON, 4326) AS geom
FROM territory
ORDER BY territory;
