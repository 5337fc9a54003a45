-- Question:   Where do shops form clusters?
-- Parameters: region     name, full name or code of a region; blank for the whole country
--             brand      name or alias of a brand, sub-brands included; blank for all
--             eps_m      maximum distance between neighbours, metres (default 150)
--             min_shops  minimum number of shops of a cluster (default 5)
--             srid       projected CRS in metres; 5179 suits the whole of Korea (default 5179)
-- Columns:    cluster_id  number of the cluster, the largest first
--             shops       shops in it
--             brands      main brands in it
--             reviews     reviews of its shops
--             avg_rating  average of those reviews, 1 to 5; null without reviews
--             radius_m    distance from its centre to the farthest shop, metres
--             geom        hull of the cluster with a buffer of 20 m, WGS 84
-- Method:     DBSCAN (Ester, Kriegel, Sander, Xu 1996) as ST_ClusterDBSCAN; min_shops includes the shop itself. Shops
--             outside clusters are omitted.
-- QGIS:       Polygon layer under the shops; label with shops.
\set ON_ERROR_STOP on
\if :{?region} \else
\set region ''
\endif
\if :{?brand} \else
\set brand ''
\endif
\if :{?eps_m} \else
\set eps_m 150
\endif
\if :{?min_shops} \else
\set min_shops 5
\endif
\if :{?srid} \else
\set srid 5179
\endif

WITH wanted AS MATERIALIZED (
  SELECT r.region_id, find_brand(:'brand') AS brand_ids
  FROM find_region(:'region') AS r
),
shop AS MATERIALIZED (
  SELECT s.main_brand, s.review_cnt, s.star_rating_sum, ST_Transform(s.geom, metric_plane('srid', :'srid')) AS p
  FROM wanted AS w
  CROSS JOIN v_shop_open AS s
  WHERE
    CASE WHEN w.region_id IS NULL THEN true ELSE w.region_id IN (s.sido_id, s.sigungu_id, s.dong_id) END
    AND CASE WHEN w.brand_ids IS NULL THEN true ELSE s.brand_id = ANY (w.brand_ids) END
),
member AS (
  SELECT
    *,
    ST_ClusterDBSCAN(p, positive('eps_m', :'eps_m'), least(positive('min_shops', :'min_shops'), 1e9)::integer) OVER () AS cluster
  FROM shop
),
cluster AS (
  SELECT
    count(*) AS shops,
    count(DISTINCT main_brand) AS brands,
    sum(review_cnt) AS reviews,
    sum(star_rating_sum) AS stars,
    ST_Collect(p) AS points
  FROM member
  WHERE cluster IS NOT NULL
  GROUP BY cluster
)
SELECT
  row_number() OVER (ORDER BY shops DESC, points) AS cluster_id,
  shops,
  brands,
  reviews,
  stars / nullif(reviews, 0)::double precision AS avg_rating,
  ST_MaxDistance(ST_Centroid(points), points) AS radius_m,
  ST_Transform(ST_Buffer(ST_ConcaveHull(points, 0.5), 20), 4326)::geometry(POLYGON, 4326) AS geom
FROM cluster
ORDER BY cluster_id;
