-- Question:   Where are clusters of significantly high or low ratings?
-- Parameters: region       name, full name or code of a region; blank for the whole country
--             brand        name or alias of a brand, sub-brands included; blank for all
--             edge_m       edge of a hexagon, metres (default 500)
--             radius_m     maximum distance between the centres of neighbours, metres (default 1000)
--             min_reviews  minimum number of reviews of a hexagon (default 3)
--             srid         projected CRS in metres; 5179 suits the whole of Korea (default 5179)
-- Columns:    hex_i         column of the hexagon in the grid of this edge
--             hex_j         row
--             reviews       reviews in it
--             avg_rating    their average, 1 to 5
--             n_neighbours  neighbours with enough reviews, including the hexagon itself
--             gi_z          Getis-Ord Gi*, standard deviations; null where it is undefined
--             p_value       two-sided p-value
--             class         hot99, hot95, hot90, cold99, cold95, cold90 or ns (not significant); null where undefined
--             geom          hexagon, WGS 84
-- Method:     Gi* with binary weights including the hexagon itself (Ord and Getis 1995, Geographical Analysis 27).
--             Hexagons without enough reviews are excluded. Undefined (null) when all values are equal or all hexagons
--             are neighbours of each other. No correction for multiple testing.
-- QGIS:       Polygon layer, categorised by class: reds for hot, blues for cold, grey for ns.
\set ON_ERROR_STOP on
\set QUIET on
\if :{?region} \else
\set region ''
\endif
\if :{?brand} \else
\set brand ''
\endif
\if :{?edge_m} \else
\set edge_m 500
\endif
\if :{?radius_m} \else
\set radius_m 1000
\endif
\if :{?min_reviews} \else
\set min_reviews 3
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
    positive('edge_m', :'edge_m') AS edge_m,
    positive('radius_m', :'radius_m') AS radius_m,
    positive('min_reviews', :'min_reviews') AS min_reviews
  FROM find_region(:'region') AS r
),
shop AS MATERIALIZED (
  SELECT s.review_cnt, s.star_rating_sum, ST_Transform(s.geom, metric_plane('srid', :'srid')) AS p, w.edge_m
  FROM wanted AS w
  CROSS JOIN v_shop_open AS s
  WHERE
    CASE WHEN w.region_id IS NULL THEN true ELSE w.region_id IN (s.sido_id, s.sigungu_id, s.dong_id) END
    AND CASE WHEN w.brand_ids IS NULL THEN true ELSE s.brand_id = ANY (w.brand_ids) END
    AND s.review_cnt > 0
),
held AS MATERIALIZED (
  SELECT h.i, h.j, sum(s.review_cnt) AS reviews, sum(s.star_rating_sum)::double precision / sum(s.review_cnt) AS value
  FROM shop AS s
  CROSS JOIN LATERAL (
    SELECT g.i, g.j
    FROM ST_HexagonGrid(s.edge_m, s.p) AS g
    ORDER BY ST_Distance(ST_Centroid(g.geom), s.p), g.i, g.j
    LIMIT 1
  ) AS h
  GROUP BY h.i, h.j
),
cell AS MATERIALIZED (
  SELECT
    h.i, h.j, h.reviews, h.value, w.radius_m, x.geom,
    ST_X(x.center) AS x, ST_Y(x.center) AS y,
    floor(ST_X(x.center) / w.radius_m)::integer AS a, floor(ST_Y(x.center) / w.radius_m)::integer AS b
  FROM held AS h
  CROSS JOIN wanted AS w
  CROSS JOIN LATERAL (
    SELECT g.geom, ST_Centroid(g.geom) AS center
    FROM ST_Hexagon(w.edge_m, h.i, h.j, ST_SetSRID(ST_MakePoint(0, 0), metric_plane('srid', :'srid'))) AS g (geom)
  ) AS x
  WHERE h.reviews >= w.min_reviews
),
world AS MATERIALIZED (
  SELECT
    count(*)::double precision AS n,
    avg(value) AS mean,
    nullif(stddev_pop(value), 0) AS sd,
    min(value) = max(value) AS is_constant
  FROM cell
),
around AS MATERIALIZED (
  -- Neighbours are in the same grid square or in one of the eight around it.
  SELECT c.*, c.a + da AS to_a, c.b + db AS to_b
  FROM cell AS c
  CROSS JOIN generate_series(-1, 1) AS da
  CROSS JOIN generate_series(-1, 1) AS db
),
near AS MATERIALIZED (
  SELECT c.i, c.j, count(*)::double precision AS w, sum(d.value) AS total
  FROM around AS c
  INNER JOIN cell AS d ON d.a = c.to_a AND d.b = c.to_b
  -- A tolerance of a millimetre includes centres exactly at the radius in spite of rounding.
  WHERE (c.x - d.x) ^ 2 + (c.y - d.y) ^ 2 <= (c.radius_m + 0.001) ^ 2
  GROUP BY c.i, c.j
),
score AS MATERIALIZED (
  SELECT
    c.*,
    n.w,
    CASE WHEN NOT o.is_constant THEN
      (n.total - o.mean * n.w) / (o.sd * sqrt(nullif((o.n * n.w - n.w ^ 2) / nullif(o.n - 1, 0), 0)))
    END AS z
  FROM cell AS c
  INNER JOIN near AS n ON n.i = c.i AND n.j = c.j
  CROSS JOIN world AS o
)
SELECT
  i AS hex_i,
  j AS hex_j,
  reviews,
  value AS avg_rating,
  w::bigint AS n_neighbours,
  z AS gi_z,
  normal_two_sided_p(z) AS p_value,
  CASE
    WHEN z IS NULL THEN NULL
    WHEN abs(z) < 1.644854 THEN 'ns'
    ELSE
      CASE WHEN z > 0 THEN 'hot' ELSE 'cold' END
      || CASE WHEN abs(z) >= 2.575829 THEN '99' WHEN abs(z) >= 1.959964 THEN '95' ELSE '90' END
  END AS class,
  ST_Transform(geom, 4326)::geometry(POLYGON, 4326) AS geom
FROM score
ORDER BY i, j;
