-- Question:   Do shops near a rival have lower ratings or fewer reviews?
-- Parameters: region   name, full name or code of a region; blank for the whole country
--             brand    name or alias of a brand, sub-brands included; blank for all
--             near_m   radius of the fast search on a grid, metres; affects the run time, not the result (default 300)
--             bands_m  ascending upper bounds of the distance bands, metres (default 50,100,200,500,1000,2000)
--             srid     projected CRS in metres; 5179 suits the whole of Korea (default 5179)
-- Columns:    band_from_m           lower bound of the distance to the nearest rival, metres
--             band_to_m             upper bound, metres; null for the last band
--             shops                 shops in the band
--             avg_rating            mean of their average ratings, without shops without reviews; null if there is none
--             avg_reviews           mean number of their reviews
--             corr_rating           correlation of rating and distance over all shops (like all following columns the
--                                   same in every row); null where undefined
--             slope_rating_per_km   change of the rating per km
--             r2_rating             share of the ratings' variance that distance explains
--             corr_reviews          correlation of the number of reviews and distance
--             slope_reviews_per_km  change of the number of reviews per km
-- Method:     Nearest rival as in 01, bands by width_bucket, Pearson correlation and least squares (corr, regr_slope,
--             regr_r2). A correlation is not a cause: busy streets have many shops and many reviewers.
-- QGIS:       No geometry: join 01_nearest_rival by shop_id to see it on the map.
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
\if :{?bands_m} \else
\set bands_m '50,100,200,500,1000,2000'
\endif
\if :{?srid} \else
\set srid 5179
\endif

WITH wanted AS MATERIALIZED (
  SELECT
    r.region_id,
    find_brand(:'brand') AS brand_ids,
    positive('near_m', :'near_m') AS near_m,
    (
      SELECT array_agg(positive('bands_m', btrim(b)) ORDER BY positive('bands_m', btrim(b)))
      FROM unnest(string_to_array(:'bands_m', ',')) AS b
    ) AS bands
  FROM find_region(:'region') AS r
),
shop AS MATERIALIZED (
  SELECT
    s.id,
    s.main_brand,
    s.review_cnt,
    s.star_rating_avg,
    s.geog,
    ST_Transform(s.geom, metric_plane('srid', :'srid')) AS p,
    w.near_m,
    CASE WHEN w.region_id IS NULL THEN true ELSE w.region_id IN (s.sido_id, s.sigungu_id, s.dong_id) END
    AND CASE WHEN w.brand_ids IS NULL THEN true ELSE s.brand_id = ANY (w.brand_ids) END AS is_wanted
  FROM wanted AS w
  CROSS JOIN v_shop_open AS s
),
square AS MATERIALIZED (
  SELECT
    id, main_brand, is_wanted, near_m, ST_X(p) AS x, ST_Y(p) AS y,
    floor(ST_X(p) / near_m)::integer AS i, floor(ST_Y(p) / near_m)::integer AS j
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
),
rival AS MATERIALIZED (
  SELECT a.review_cnt, a.star_rating_avg, ST_Distance(a.geog, b.geog) AS distance_m
  FROM (SELECT * FROM near UNION ALL SELECT * FROM far) AS n
  INNER JOIN shop AS a ON a.id = n.id
  INNER JOIN shop AS b ON b.id = n.nearest_id
),
whole AS MATERIALIZED (
  SELECT
    corr(star_rating_avg, distance_m) AS corr_rating,
    regr_slope(star_rating_avg, distance_m / 1000) AS slope_rating_per_km,
    regr_r2(star_rating_avg, distance_m) AS r2_rating,
    corr(review_cnt, distance_m) AS corr_reviews,
    regr_slope(review_cnt, distance_m / 1000) AS slope_reviews_per_km
  FROM rival
),
band AS (
  SELECT
    width_bucket(r.distance_m, w.bands) AS k,
    count(*) AS shops,
    avg(r.star_rating_avg) AS avg_rating,
    avg(r.review_cnt)::double precision AS avg_reviews
  FROM rival AS r
  CROSS JOIN wanted AS w
  GROUP BY k
)
SELECT
  coalesce(w.bands[k], 0) AS band_from_m,
  w.bands[k + 1] AS band_to_m,
  coalesce(b.shops, 0) AS shops,
  b.avg_rating,
  b.avg_reviews,
  o.corr_rating,
  o.slope_rating_per_km,
  o.r2_rating,
  o.corr_reviews,
  o.slope_reviews_per_km
FROM wanted AS w
CROSS JOIN whole AS o
CROSS JOIN LATERAL generate_series(0, cardinality(w.bands)) AS k
LEFT JOIN band AS b USING (k)
ORDER BY k;
