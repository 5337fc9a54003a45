-- Question:   Which shops' ratings are reliably high?
-- Parameters: region         name, full name or code of a region; blank for the whole country
--             brand          name or alias of a brand, sub-brands included; blank for all
--             prior_reviews  weight of the prior: number of average reviews added to every shop (default 10)
--             z              quantile of the normal distribution: 1.959964 for 95 % (default 1.959964)
-- Columns:    shop_id     shop
--             place_name  its name
--             brand       its brand; null when none is known
--             n           reviews
--             avg         average rating, 1 to 5; null without reviews
--             bayes_avg   average shrunk towards the mean of all selected shops; that mean without reviews
--             wilson_low  lower bound of the share of 4 and 5 stars, 0 to 1; null without reviews
--             rank        1 is the highest bayes_avg; null without reviews
--             geom        the shop, WGS 84
-- Method:     Bayesian mean (prior_reviews × mean + sum of stars) / (prior_reviews + n); lower bound of the Wilson
--             score interval (Wilson 1927, JASA 22).
-- QGIS:       Point layer, colour by bayes_avg, size by n.
\set ON_ERROR_STOP on
\if :{?region} \else
\set region ''
\endif
\if :{?brand} \else
\set brand ''
\endif
\if :{?prior_reviews} \else
\set prior_reviews 10
\endif
\if :{?z} \else
\set z 1.959964
\endif

WITH wanted AS MATERIALIZED (
  SELECT
    r.region_id,
    find_brand(:'brand') AS brand_ids,
    positive('prior_reviews', :'prior_reviews') AS prior,
    positive('z', :'z') AS z
  FROM find_region(:'region') AS r
),
shop AS MATERIALIZED (
  SELECT
    s.id,
    s.place_name,
    s.brand,
    s.review_cnt::double precision AS n,
    s.star_rating_sum,
    s.star_rating_avg,
    (s.star_4 + s.star_5) / nullif(s.review_cnt, 0)::double precision AS good,
    w.prior,
    w.z,
    s.geom
  FROM wanted AS w
  CROSS JOIN v_shop_open AS s
  WHERE
    CASE WHEN w.region_id IS NULL THEN true ELSE w.region_id IN (s.sido_id, s.sigungu_id, s.dong_id) END
    AND CASE WHEN w.brand_ids IS NULL THEN true ELSE s.brand_id = ANY (w.brand_ids) END
),
world AS MATERIALIZED (
  SELECT sum(star_rating_sum) / nullif(sum(n), 0) AS mean FROM shop
)
SELECT
  s.id AS shop_id,
  s.place_name,
  s.brand,
  s.n::bigint AS n,
  s.star_rating_avg AS avg,
  (s.prior * o.mean + s.star_rating_sum) / (s.prior + s.n) AS bayes_avg,
  (s.good + s.z ^ 2 / (2 * nullif(s.n, 0)) - s.z * sqrt(
    (s.good * (1 - s.good) + s.z ^ 2 / (4 * nullif(s.n, 0))) / nullif(s.n, 0)
  )) / (1 + s.z ^ 2 / nullif(s.n, 0)) AS wilson_low,
  CASE WHEN s.n > 0 THEN rank() OVER (
    PARTITION BY s.n > 0 ORDER BY (s.prior * o.mean + s.star_rating_sum) / (s.prior + s.n) DESC
  ) END AS rank,
  s.geom
FROM shop AS s
CROSS JOIN world AS o
ORDER BY rank NULLS LAST, s.id;
