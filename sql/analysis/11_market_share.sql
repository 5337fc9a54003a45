-- Question:   Which brand leads in each district, and how concentrated is the market?
-- Parameters: region  name, full name or code of a region; blank for the whole country
--             level   level of the regions: sido, sigungu or dong (default sigungu)
-- Columns:    region_code       code of the region
--             region            its full name
--             brand             main brand; (none) for shops without one
--             shops             open shops of the brand in the region
--             share_pct         its share of the shops, percent
--             review_share_pct  its share of the reviews, percent; null when the region has none
--             hhi               Herfindahl-Hirschman index of the region by shops, 0 to 10000; above 2500 is highly
--                               concentrated
--             rank              1 is the brand with most shops
--             geom              the region, WGS 84; null when no boundary is loaded
-- Method:     Counts and window functions; the index is the sum of the squared shares in percent (Hirschman 1964;
--             threshold of the US merger guidelines of 2010).
-- QGIS:       Filter rank = 1 and categorise by brand for a map of market leaders.
\set ON_ERROR_STOP on
\if :{?region} \else
\set region ''
\endif
\if :{?level} \else
\set level sigungu
\endif

WITH wanted AS MATERIALIZED (
  SELECT r.region_id, one_of('level', :'level', ARRAY['sido', 'sigungu', 'dong']) AS level
  FROM find_region(:'region') AS r
),
shop AS MATERIALIZED (
  SELECT
    CASE w.level WHEN 'sido' THEN s.sido_id WHEN 'sigungu' THEN s.sigungu_id ELSE s.dong_id END AS region_id,
    coalesce(s.main_brand, '(none)') AS brand,
    s.review_cnt
  FROM wanted AS w
  CROSS JOIN v_shop_open AS s
  WHERE CASE WHEN w.region_id IS NULL THEN true ELSE w.region_id IN (s.sido_id, s.sigungu_id, s.dong_id) END
),
tally AS (
  SELECT region_id, brand, count(*) AS shops, sum(review_cnt) AS reviews
  FROM shop
  WHERE region_id IS NOT NULL
  GROUP BY region_id, brand
),
share AS (
  SELECT
    *,
    100.0 * shops / sum(shops) OVER of_region AS share_pct,
    100.0 * reviews / nullif(sum(reviews) OVER of_region, 0) AS review_share_pct
  FROM tally
  WINDOW of_region AS (PARTITION BY region_id)
)
SELECT
  r.code AS region_code,
  r.full_name AS region,
  s.brand,
  s.shops,
  s.share_pct::double precision AS share_pct,
  s.review_share_pct::double precision AS review_share_pct,
  (sum(s.share_pct ^ 2) OVER (PARTITION BY s.region_id))::double precision AS hhi,
  rank() OVER (PARTITION BY s.region_id ORDER BY s.shops DESC) AS rank,
  r.geom
FROM share AS s
INNER JOIN v_region AS r ON r.id = s.region_id
ORDER BY r.code, rank, s.brand;
