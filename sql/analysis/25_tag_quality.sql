-- Question:   Where do shops have good votes for cleanliness, retouching and props?
-- Parameters: region     name, full name or code of a region; blank for the whole country
--             brand      name or alias of a brand, sub-brands included; blank for all
--             edge_m     edge of a hexagon, metres (default 2000)
--             min_votes  minimum number of votes for a share (default 5)
--             srid       projected CRS in metres; 5179 suits the whole of Korea (default 5179)
-- Columns:    hex_i         column of the hexagon in the grid of this edge
--             hex_j         row
--             shops         open shops with a vote
--             votes         votes GOOD or BAD for any of the three facets
--             purity_good   share of GOOD among the votes for cleanliness, 0 to 1; null below min_votes
--             retouch_good  the same for retouching
--             item_good     the same for props
--             geom          hexagon, WGS 84
-- Method:     GOOD divided by GOOD plus BAD, summed over the shops of a hexagon. Hexagons without votes are omitted.
-- QGIS:       Polygon layer, one style per share, red to green around 0.5.
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
\if :{?min_votes} \else
\set min_votes 5
\endif
\if :{?srid} \else
\set srid 5179
\endif

WITH wanted AS MATERIALIZED (
  SELECT
    r.region_id,
    find_brand(:'brand') AS brand_ids,
    positive('edge_m', :'edge_m') AS edge_m,
    positive('min_votes', :'min_votes') AS min_votes
  FROM find_region(:'region') AS r
),
shop AS MATERIALIZED (
  SELECT
    s.purity_good, s.purity_good + s.purity_bad AS purity,
    s.retouch_good, s.retouch_good + s.retouch_bad AS retouch,
    s.item_good, s.item_good + s.item_bad AS item,
    ST_Transform(s.geom, metric_plane('srid', :'srid')) AS p,
    w.edge_m
  FROM wanted AS w
  CROSS JOIN v_shop_open AS s
  WHERE
    CASE WHEN w.region_id IS NULL THEN true ELSE w.region_id IN (s.sido_id, s.sigungu_id, s.dong_id) END
    AND CASE WHEN w.brand_ids IS NULL THEN true ELSE s.brand_id = ANY (w.brand_ids) END
),
held AS MATERIALIZED (
  SELECT
    h.i, h.j, count(*) AS shops,
    sum(s.purity_good) AS purity_good, sum(s.purity) AS purity,
    sum(s.retouch_good) AS retouch_good, sum(s.retouch) AS retouch,
    sum(s.item_good) AS item_good, sum(s.item) AS item
  FROM shop AS s
  CROSS JOIN LATERAL (
    SELECT g.i, g.j
    FROM ST_HexagonGrid(s.edge_m, s.p) AS g
    ORDER BY ST_Distance(ST_Centroid(g.geom), s.p), g.i, g.j
    LIMIT 1
  ) AS h
  WHERE s.purity + s.retouch + s.item > 0
  GROUP BY h.i, h.j
)
SELECT
  h.i AS hex_i,
  h.j AS hex_j,
  h.shops,
  h.purity + h.retouch + h.item AS votes,
  CASE WHEN h.purity >= w.min_votes THEN h.purity_good / h.purity::double precision END AS purity_good,
  CASE WHEN h.retouch >= w.min_votes THEN h.retouch_good / h.retouch::double precision END AS retouch_good,
  CASE WHEN h.item >= w.min_votes THEN h.item_good / h.item::double precision END AS item_good,
  ST_Transform(
    ST_Hexagon(w.edge_m, h.i, h.j, ST_SetSRID(ST_MakePoint(0, 0), metric_plane('srid', :'srid'))), 4326
  )::geometry(POLYGON, 4326) AS geom
FROM held AS h
CROSS JOIN wanted AS w
ORDER BY h.i, h.j;
