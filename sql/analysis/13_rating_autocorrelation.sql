-- Question:   Are ratings of neighbouring shops similar, globally and locally?
-- Parameters: region       name, full name or code of a region; blank for the whole country
--             brand        name or alias of a brand, sub-brands included; blank for all
--             radius_m     maximum distance between neighbours, metres (default 300)
--             min_reviews  minimum number of reviews of a shop (default 1)
--             srid         projected CRS in metres; 5179 suits the whole of Korea (default 5179)
-- Columns:    shop_id       shop
--             avg_rating    its average rating, 1 to 5
--             n_neighbours  neighbours with enough reviews
--             local_i       local Moran's I; null without neighbours or where undefined
--             quadrant      HH, LL, HL or LH: the shop's rating, then its neighbours', above (H) or below (L) the
--                           mean; null as local_i
--             local_z       standard deviations of local_i from its expectation under permutation of the other ratings;
--                           null where undefined
--             local_p       two-sided p-value of local_z by normal approximation, inaccurate below about five neighbours
--             class         the quadrant where local_p is below 0.05, otherwise ns; null as local_z
--             n             shops with enough reviews (like all following columns the same in every row)
--             w_sum         sum of the weights
--             morans_i      global Moran's I; null where undefined
--             expected_i    its expectation without autocorrelation
--             z             standard deviations from it, under randomisation
--             geom          the shop, WGS 84
-- Method:     Moran's I and LISA (Cliff and Ord 1981; Anselin 1995, Geographical Analysis 27) with row-standardised
--             weights of all shops within the radius; shops without enough reviews are excluded. Undefined (null) when
--             all values are equal. The test of LISA is analytic, with the moments of conditional randomisation
--             (Sokal, Oden and Thomson 1998, Geographical Analysis 30), to which a permutation test converges. With one
--             test per shop, 5 % are below 0.05 by chance.
-- QGIS:       Point layer, categorised by class.
\set ON_ERROR_STOP on
\set QUIET on
\if :{?region} \else
\set region ''
\endif
\if :{?brand} \else
\set brand ''
\endif
\if :{?radius_m} \else
\set radius_m 300
\endif
\if :{?min_reviews} \else
\set min_reviews 1
\endif
\if :{?srid} \else
\set srid 5179
\endif
-- The planner misestimates the rows of functions and would choose a nested loop over all pairs.
SET enable_nestloop = off;

WITH wanted AS MATERIALIZED (
  SELECT
    r.region_id,
    find_brand(:'brand') AS brand_ids,
    positive('radius_m', :'radius_m') AS radius_m,
    positive('min_reviews', :'min_reviews') AS min_reviews
  FROM find_region(:'region') AS r
),
shop AS MATERIALIZED (
  SELECT s.id, s.star_rating_avg AS value, s.geom, ST_Transform(s.geom, metric_plane('srid', :'srid')) AS p, w.radius_m
  FROM wanted AS w
  CROSS JOIN v_shop_open AS s
  WHERE
    CASE WHEN w.region_id IS NULL THEN true ELSE w.region_id IN (s.sido_id, s.sigungu_id, s.dong_id) END
    AND CASE WHEN w.brand_ids IS NULL THEN true ELSE s.brand_id = ANY (w.brand_ids) END
    AND s.review_cnt >= w.min_reviews
),
world AS MATERIALIZED (
  SELECT count(*)::double precision AS n, avg(value) AS mean, min(value) = max(value) AS is_constant FROM shop
),
square AS MATERIALIZED (
  SELECT
    s.id, s.value, s.value - o.mean AS d, s.radius_m, ST_X(s.p) AS x, ST_Y(s.p) AS y,
    floor(ST_X(s.p) / s.radius_m)::integer AS i, floor(ST_Y(s.p) / s.radius_m)::integer AS j
  FROM shop AS s
  CROSS JOIN world AS o
),
around AS MATERIALIZED (
  -- Neighbours are in the same grid square or in one of the eight around it.
  SELECT s.*, s.i + di AS to_i, s.j + dj AS to_j
  FROM square AS s
  CROSS JOIN generate_series(-1, 1) AS di
  CROSS JOIN generate_series(-1, 1) AS dj
),
pair AS MATERIALIZED (
  SELECT a.id, b.id AS other, b.d
  FROM around AS a
  INNER JOIN square AS b ON b.i = a.to_i AND b.j = a.to_j AND b.id <> a.id
  WHERE (a.x - b.x) ^ 2 + (a.y - b.y) ^ 2 <= a.radius_m ^ 2
),
near AS MATERIALIZED (
  SELECT id, count(*)::double precision AS k, avg(d) AS lag FROM pair GROUP BY id
),
-- With w_ij = 1/k_i: S1 = half the sum of (w_ij + w_ji)², S2 = sum of (row sum + column sum)².
mutual AS MATERIALIZED (
  SELECT p.other AS id, sum(1 / a.k) AS column_sum, sum((1 / a.k + 1 / b.k) ^ 2) AS squares
  FROM pair AS p
  INNER JOIN near AS a ON a.id = p.id
  INNER JOIN near AS b ON b.id = p.other
  GROUP BY p.other
),
weights AS MATERIALIZED (
  SELECT count(*)::double precision AS s0, sum(squares) / 2 AS s1, sum((1 + column_sum) ^ 2) AS s2 FROM mutual
),
moment AS MATERIALIZED (
  SELECT
    o.n,
    o.is_constant,
    sum(q.d ^ 2) AS m2,
    o.n * sum(q.d ^ 4) / nullif(sum(q.d ^ 2), 0) ^ 2 AS kurtosis,
    sum(q.d * e.lag) AS cross_product
  FROM square AS q
  CROSS JOIN world AS o
  LEFT JOIN near AS e ON e.id = q.id
  GROUP BY o.n, o.is_constant
),
global AS MATERIALIZED (
  SELECT
    m.n,
    m.is_constant,
    m.m2,
    w.s0,
    CASE WHEN NOT m.is_constant AND w.s0 > 0 THEN m.n / w.s0 * m.cross_product / m.m2 END AS i,
    -1 / nullif(m.n - 1, 0) AS expected,
    CASE WHEN NOT m.is_constant AND w.s0 > 0 AND m.n > 3 THEN (
      m.n * ((m.n ^ 2 - 3 * m.n + 3) * w.s1 - m.n * w.s2 + 3 * w.s0 ^ 2)
      - m.kurtosis * ((m.n ^ 2 - m.n) * w.s1 - 2 * m.n * w.s2 + 6 * w.s0 ^ 2)
    ) / ((m.n - 1) * (m.n - 2) * (m.n - 3) * w.s0 ^ 2) - 1 / (m.n - 1) ^ 2 END AS variance
  FROM moment AS m
  CROSS JOIN weights AS w
),
-- Conditional on its own value, a shop's k neighbours are drawn from the n - 1 others without replacement.
local AS MATERIALIZED (
  SELECT
    q.id,
    e.k,
    (g.n - 1) * q.d * e.lag / g.m2 AS i,
    CASE WHEN q.d > 0 THEN 'H' ELSE 'L' END || CASE WHEN e.lag > 0 THEN 'H' ELSE 'L' END AS quadrant,
    nullif(sign(q.d), 0) * (e.lag + q.d / (g.n - 1)) / nullif(sqrt(greatest(
      (g.m2 - g.n * q.d ^ 2 / (g.n - 1)) / nullif(g.n - 2, 0) * (1 / e.k - 1 / (g.n - 1)), 0
    )), 0) AS z
  FROM square AS q
  INNER JOIN near AS e ON e.id = q.id
  INNER JOIN global AS g ON NOT g.is_constant
)
SELECT
  s.id AS shop_id,
  s.value AS avg_rating,
  coalesce(e.k, 0)::bigint AS n_neighbours,
  l.i AS local_i,
  l.quadrant,
  l.z AS local_z,
  normal_two_sided_p(l.z) AS local_p,
  CASE WHEN normal_two_sided_p(l.z) < 0.05 THEN l.quadrant WHEN l.z IS NOT NULL THEN 'ns' END AS class,
  g.n::bigint AS n,
  g.s0 AS w_sum,
  g.i AS morans_i,
  g.expected AS expected_i,
  (g.i - g.expected) / nullif(sqrt(greatest(g.variance, 0)), 0) AS z,
  s.geom
FROM shop AS s
CROSS JOIN global AS g
LEFT JOIN near AS e ON e.id = s.id
LEFT JOIN local AS l ON l.id = s.id
ORDER BY s.id;
