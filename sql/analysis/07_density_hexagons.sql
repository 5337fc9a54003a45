-- Question:   How dense are shops in each hexagon of a grid?
-- Parameters: region  name, full name or code of a region; blank for the whole country
--             brand   name or alias of a brand, sub-brands included; blank for all
--             edge_m  edge of a hexagon, metres (default 2000)
--             srid    projected CRS in metres; 5179 suits the whole of Korea (default 5179)
-- Columns:    hex_i       column of the hexagon in the grid of this edge
--             hex_j       row
--             shops       open shops inside; 0 where there are none
--             reviews     reviews of those shops
--             avg_rating  average of those reviews, 1 to 5; null without reviews
--             per_km2     shops per km²
--             geom        hexagon, WGS 84
-- Method:     The grid is fixed to the origin of the CRS, so that hexagons are the same in every run. A shop belongs to
--             the hexagon with the nearest centre, so a shop on an edge counts once. All hexagons that touch the region
--             are returned, also empty ones, and those of its shops outside the boundary.
-- QGIS:       Polygon layer, graduated by per_km2 with 0 as a separate class.
\set ON_ERROR_STOP on
\if :{?region} \else
\set region ''
\endif
\if :{?brand} \else
\set brand ''
\endif
\if :{?edge_m} \else
\set edge_m 2000
\endif
\if :{?srid} \else
\set srid 5179
\endif

WITH wanted AS MATERIALIZED (
  SELECT
    a.region_id,
    ST_Transform(a.geom, metric_plane('srid', :'srid')) AS area,
    find_brand(:'brand') AS brand_ids,
    positive('edge_m', :'edge_m') AS edge_m
  FROM study_area(:'region') AS a
),
shop AS MATERIALIZED (
  SELECT s.id, s.review_cnt, s.star_rating_sum, ST_Transform(s.geom, metric_plane('srid', :'srid')) AS p, w.edge_m
  FROM wanted AS w
  CROSS JOIN v_shop_open AS s
  WHERE
    CASE WHEN w.region_id IS NULL THEN true ELSE w.region_id IN (s.sido_id, s.sigungu_id, s.dong_id) END
    AND CASE WHEN w.brand_ids IS NULL THEN true ELSE s.brand_id = ANY (w.brand_ids) END
),
held AS MATERIALIZED (
  SELECT h.i, h.j, count(*) AS shops, sum(s.review_cnt) AS reviews, sum(s.star_rating_sum) AS stars
  FROM shop AS s
  CROSS JOIN LATERAL (
    SELECT g.i, g.j
    FROM ST_HexagonGrid(s.edge_m, s.p) AS g
    ORDER BY ST_Distance(ST_Centroid(g.geom), s.p), g.i, g.j
    LIMIT 1
  ) AS h
  GROUP BY h.i, h.j
),
piece AS MATERIALIZED (
  -- Hexagons are tested against small pieces, because a country's boundary has tens of thousands of vertices.
  SELECT w.edge_m, ST_Subdivide(w.area, 128) AS geom FROM wanted AS w
),
grid AS (
  SELECT h.i, h.j
  FROM piece AS p
  CROSS JOIN LATERAL ST_HexagonGrid(p.edge_m, p.geom) AS h
  WHERE ST_Intersects(p.geom, h.geom)
  UNION
  SELECT i, j FROM held
)
SELECT
  g.i AS hex_i,
  g.j AS hex_j,
  coalesce(h.shops, 0) AS shops,
  coalesce(h.reviews, 0) AS reviews,
  h.stars / nullif(h.reviews, 0)::double precision AS avg_rating,
  coalesce(h.shops, 0) * 1e6 / ST_Area(x.geom) AS per_km2,
  ST_Transform(x.geom, 4326)::geometry(POLYGON, 4326) AS geom
FROM grid AS g
CROSS JOIN wanted AS w
CROSS JOIN LATERAL (
  SELECT ST_Hexagon(w.edge_m, g.i, g.j, ST_SetSRID(ST_MakePoint(0, 0), metric_plane('srid', :'srid'))) AS geom
) AS x
LEFT JOIN held AS h ON h.i = g.i AND h.j = g.j
ORDER BY g.i, g.j;
