-- Question:   Which districts have similar shops?
-- Parameters: region     name, full name or code of a region; blank for the whole country
--             level      level of the regions: sido, sigungu or dong (default sigungu)
--             twins      number of twins per region (default 3)
--             min_shops  minimum number of shops of a region (default 3)
-- Columns:    region_code  code of the region
--             region       its full name
--             rank         1 is the most similar twin
--             twin_code    code of the twin
--             twin         its full name
--             similarity   1 / (1 + distance of the features), 0 to 1; 1 means identical features
--             shops        shops of the region
--             twin_shops   shops of the twin
--             geom         line between the centres of the two regions, WGS 84; null where unknown
-- Method:     Euclidean distance of six features as z-scores over the regions with enough shops: shops per km²
--             (logarithm), reviews per shop, favorites per shop, average rating, number of brands, share of the leading
--             brand. An unknown or constant feature counts as average. Twins may be outside the selected region.
-- QGIS:       Line layer: filter rank = 1.
\set ON_ERROR_STOP on
\if :{?region} \else
\set region ''
\endif
\if :{?level} \else
\set level sigungu
\endif
\if :{?twins} \else
\set twins 3
\endif
\if :{?min_shops} \else
\set min_shops 3
\endif

WITH wanted AS MATERIALIZED (
  SELECT
    r.region_id,
    one_of('level', :'level', ARRAY['sido', 'sigungu', 'dong']) AS level,
    positive('min_shops', :'min_shops') AS min_shops
  FROM find_region(:'region') AS r
),
brand_tally AS MATERIALIZED (
  SELECT
    CASE w.level WHEN 'sido' THEN s.sido_id WHEN 'sigungu' THEN s.sigungu_id ELSE s.dong_id END AS id,
    s.main_brand,
    count(*)::double precision AS shops,
    sum(s.review_cnt) AS reviews,
    sum(s.star_rating_sum) AS stars,
    sum(s.favorite_cnt) AS favorites,
    bool_or(coalesce(w.region_id IN (s.sido_id, s.sigungu_id, s.dong_id), w.region_id IS NULL)) AS is_wanted
  FROM v_shop_open AS s
  CROSS JOIN wanted AS w
  GROUP BY 1, 2
),
feature AS MATERIALIZED (
  SELECT
    t.id,
    sum(t.shops) AS shops,
    bool_or(t.is_wanted) AS is_wanted,
    ln(sum(t.shops) / nullif(max(r.area_km2), 0)) AS density,
    sum(t.reviews) / sum(t.shops) AS reviews,
    sum(t.favorites) / sum(t.shops) AS favorites,
    sum(t.stars)::double precision / nullif(sum(t.reviews), 0) AS rating,
    count(t.main_brand)::double precision AS brands,
    max(t.shops) FILTER (WHERE t.main_brand IS NOT NULL) / sum(t.shops) AS leader
  FROM brand_tally AS t
  INNER JOIN v_region AS r ON r.id = t.id
  CROSS JOIN wanted AS w
  GROUP BY t.id, w.min_shops
  HAVING sum(t.shops) >= w.min_shops
),
score AS MATERIALIZED (
  SELECT
    id,
    shops,
    is_wanted,
    coalesce((density - avg(density) OVER ()) / nullif(stddev_pop(density) OVER (), 0), 0) AS density,
    coalesce((reviews - avg(reviews) OVER ()) / nullif(stddev_pop(reviews) OVER (), 0), 0) AS reviews,
    coalesce((favorites - avg(favorites) OVER ()) / nullif(stddev_pop(favorites) OVER (), 0), 0) AS favorites,
    coalesce((rating - avg(rating) OVER ()) / nullif(stddev_pop(rating) OVER (), 0), 0) AS rating,
    coalesce((brands - avg(brands) OVER ()) / nullif(stddev_pop(brands) OVER (), 0), 0) AS brands,
    coalesce((leader - avg(leader) OVER ()) / nullif(stddev_pop(leader) OVER (), 0), 0) AS leader
  FROM feature
),
twin AS MATERIALIZED (
  SELECT
    a.id,
    b.id AS twin_id,
    a.shops::bigint AS shops,
    b.shops::bigint AS twin_shops,
    d.distance,
    row_number() OVER (PARTITION BY a.id ORDER BY d.distance, b.id) AS rank
  FROM score AS a
  INNER JOIN score AS b ON b.id <> a.id
  CROSS JOIN LATERAL (
    SELECT sqrt(
      (a.density - b.density) ^ 2 + (a.reviews - b.reviews) ^ 2 + (a.favorites - b.favorites) ^ 2
      + (a.rating - b.rating) ^ 2 + (a.brands - b.brands) ^ 2 + (a.leader - b.leader) ^ 2
    ) AS distance
  ) AS d
  WHERE a.is_wanted
)
SELECT
  r.code AS region_code,
  r.full_name AS region,
  t.rank,
  o.code AS twin_code,
  o.full_name AS twin,
  1 / (1 + t.distance) AS similarity,
  t.shops,
  t.twin_shops,
  ST_SetSRID(ST_MakeLine(
    ST_MakePoint(r.center_longitude, r.center_latitude), ST_MakePoint(o.center_longitude, o.center_latitude)
  ), 4326)::geometry(LINESTRING, 4326) AS geom
FROM twin AS t
INNER JOIN v_region AS r ON r.id = t.id
INNER JOIN v_region AS o ON o.id = t.twin_id
WHERE t.rank <= positive('twins', :'twins')
ORDER BY r.code, t.rank;
