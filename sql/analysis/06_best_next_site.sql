-- Question:   Which places in a region are farthest from any shop?
-- Parameters: region        name, full name or code of a region; blank for the whole country
--             brand         name or alias of a brand, sub-brands included; blank for all
--             edge_m        edge of the hexagons whose centres are candidates, metres (default 2000)
--             separation_m  minimum distance between two places, metres (default 10000)
--             max_sites     number of places (default 20)
--             srid          projected CRS in metres; 5179 suits the whole of Korea (default 5179)
-- Columns:    rank         1 is the farthest
--             lng          longitude, degrees
--             lat          latitude, degrees
--             distance_m   distance to the nearest shop on the spheroid, metres
--             nearest_id   that shop
--             region_code  code of the smallest loaded region that contains the place
--             region       its full name
--             geom         the place, WGS 84
-- Method:     Centres of a hexagonal grid inside the region, each with its nearest shop from the spatial index (K
--             nearest neighbours). A place is kept if no place within separation_m is farther from a shop.
-- QGIS:       Point layer, size by distance_m, label with rank.
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
\if :{?separation_m} \else
\set separation_m 10000
\endif
\if :{?max_sites} \else
\set max_sites 20
\endif
\if :{?srid} \else
\set srid 5179
\endif

WITH wanted AS MATERIALIZED (
  SELECT
    a.geom AS area,
    ST_Transform(a.geom, metric_plane('srid', :'srid')) AS plane,
    find_brand(:'brand') AS brand_ids,
    positive('edge_m', :'edge_m') AS edge_m,
    positive('separation_m', :'separation_m') AS separation_m
  FROM study_area(:'region') AS a
),
piece AS MATERIALIZED (
  -- Places are tested against small pieces, because a country's boundary has tens of thousands of vertices.
  SELECT w.edge_m, w.separation_m, w.brand_ids, ST_Subdivide(w.plane, 128) AS geom FROM wanted AS w
),
place AS MATERIALIZED (
  -- A place on the edge of two pieces occurs twice.
  SELECT DISTINCT ON (h.i, h.j)
    h.i,
    h.j,
    p.separation_m,
    p.brand_ids,
    ST_Centroid(h.geom) AS p,
    ST_Transform(ST_Centroid(h.geom), 4326) AS geom
  FROM piece AS p
  CROSS JOIN LATERAL ST_HexagonGrid(p.edge_m, p.geom) AS h
  WHERE ST_Intersects(p.geom, ST_Centroid(h.geom))
  ORDER BY h.i, h.j
),
distance AS MATERIALIZED (
  SELECT c.i, c.j, c.separation_m, c.p, c.geom, n.id AS nearest_id, n.distance_m
  FROM place AS c
  CROSS JOIN LATERAL nearest_shop(c.geom::geography, c.brand_ids) AS n
),
square AS MATERIALIZED (
  SELECT *, floor(ST_X(p) / separation_m)::integer AS x, floor(ST_Y(p) / separation_m)::integer AS y
  FROM distance
),
peak AS MATERIALIZED (
  -- The farthest place within separation_m is also the farthest of its grid square.
  SELECT a.*
  FROM (
    SELECT DISTINCT ON (x, y) * FROM square ORDER BY x, y, distance_m DESC, i, j
  ) AS a
  WHERE NOT EXISTS (
    SELECT
    FROM square AS b
    WHERE b.x BETWEEN a.x - 1 AND a.x + 1 AND b.y BETWEEN a.y - 1 AND a.y + 1
      AND (b.distance_m, -b.i, -b.j) > (a.distance_m, -a.i, -a.j)
      AND ST_DWithin(a.p, b.p, a.separation_m)
  )
  ORDER BY a.distance_m DESC, a.i, a.j
  LIMIT positive('max_sites', :'max_sites')::bigint
)
SELECT
  row_number() OVER (ORDER BY p.distance_m DESC, p.i, p.j) AS rank,
  ST_X(p.geom) AS lng,
  ST_Y(p.geom) AS lat,
  p.distance_m,
  p.nearest_id,
  r.code AS region_code,
  r.full_name AS region,
  p.geom::geometry(POINT, 4326) AS geom
FROM peak AS p
LEFT JOIN LATERAL (
  SELECT t.region_id
  FROM v_region_part AS t
  WHERE ST_Intersects(t.geom, p.geom)
  ORDER BY array_position(ARRAY['dong', 'sigungu', 'sido'], t.level), t.region_id
  LIMIT 1
) AS t ON true
LEFT JOIN v_region AS r ON r.id = t.region_id
ORDER BY rank;
