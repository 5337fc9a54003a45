-- Question:   Which part of a region is nearest to each shop?
-- Parameters: region  name, full name or code of a region; blank for the whole country
--             brand   name or alias of a brand, sub-brands included; blank for all
--             srid    projected CRS in metres; 5179 suits the whole of Korea (default 5179)
-- Columns:    shop_id      shop; the lowest identifier if several share a position
--             shops        shops at that position
--             area_km2     area of its part of the region on the spheroid, km²
--             region_code  code of the requested region, otherwise of the sido; null without boundaries
--             is_boundary  false when no boundary is loaded and the hull of the shops is used instead
--             geom         that part, WGS 84
-- Method:     Voronoi polygons of all shops of the country, intersected with the pieces of the region, so that shops
--             outside the region get their parts too and the areas add up to the region's area.
-- QGIS:       Polygon layer with outlines only; join shop_id to v_shop for names.
\set ON_ERROR_STOP on
\if :{?region} \else
\set region ''
\endif
\if :{?brand} \else
\set brand ''
\endif
\if :{?srid} \else
\set srid 5179
\endif

WITH wanted AS MATERIALIZED (
  SELECT
    a.region_id,
    a.region_code,
    a.is_boundary,
    a.geom AS area,
    ST_Expand(ST_Envelope(ST_Transform(a.geom, metric_plane('srid', :'srid'))), 1000) AS frame,
    find_brand(:'brand') AS brand_ids
  FROM study_area(:'region') AS a
),
shop AS MATERIALIZED (
  SELECT min(s.id) AS id, count(*) AS shops, s.geom, ST_Transform(s.geom, metric_plane('srid', :'srid')) AS p
  FROM wanted AS w
  CROSS JOIN v_shop_open AS s
  WHERE CASE WHEN w.brand_ids IS NULL THEN true ELSE s.brand_id = ANY (w.brand_ids) END
  GROUP BY s.geom
),
around AS MATERIALIZED (
  -- A shop farther from the frame than its diagonal is nearest to no place in it. Such shops are excluded, because on
  -- the other side of the Earth the projection is undefined.
  SELECT ST_Expand(w.frame, ST_Length(ST_BoundingDiagonal(w.frame))) AS geom
  FROM wanted AS w
  WHERE EXISTS (SELECT FROM shop AS s WHERE s.p && w.frame)
),
neighbour AS MATERIALIZED (
  SELECT s.* FROM shop AS s LEFT JOIN around AS a ON true WHERE a.geom IS NULL OR s.p && a.geom
),
cell AS MATERIALIZED (
  -- ST_VoronoiPolygons returns nothing for a single point, whose cell is the whole frame.
  SELECT c.path AS cell, c.geom AS plane, ST_Transform(c.geom, 4326) AS geom
  FROM (SELECT ST_Collect(p) AS points FROM neighbour) AS d
  CROSS JOIN wanted AS w
  CROSS JOIN LATERAL ST_Dump(
    CASE
      WHEN ST_NumGeometries(d.points) = 1 THEN ST_Envelope(ST_Collect(w.frame, d.points))
      ELSE ST_VoronoiPolygons(d.points, 0, w.frame)
    END
  ) AS c
),
owned AS MATERIALIZED (
  SELECT DISTINCT ON (c.cell) s.id, s.shops, c.geom
  FROM cell AS c
  INNER JOIN v_shop_open AS v ON v.geog && c.geom::geography
  INNER JOIN neighbour AS s ON s.id = v.id
  WHERE ST_Intersects(c.plane, s.p)
  ORDER BY c.cell, s.id
),
touching AS MATERIALIZED (
  -- Ordered by piece, so that PostGIS prepares each piece's geometry once for all its cells.
  SELECT o.id, o.shops, o.geom, t.id AS piece_id
  FROM owned AS o
  INNER JOIN v_region_part AS t ON t.geom && o.geom
  CROSS JOIN wanted AS w
  WHERE w.is_boundary AND CASE WHEN w.region_id IS NULL THEN t.level = 'sido' ELSE t.region_id = w.region_id END
  ORDER BY t.id
),
part AS MATERIALIZED (
  SELECT
    o.id, o.shops, t.region_code,
    CASE
      WHEN ST_Covers(t.geom, o.geom) THEN o.geom
      WHEN ST_Intersects(t.geom, o.geom) THEN ST_Intersection(o.geom, t.geom)
    END AS geom
  FROM touching AS o
  INNER JOIN v_region_part AS t ON t.id = o.piece_id
  UNION ALL
  SELECT o.id, o.shops, w.region_code, ST_Intersection(o.geom, w.area)
  FROM owned AS o
  INNER JOIN wanted AS w ON NOT w.is_boundary AND ST_Intersects(w.area, o.geom)
),
territory AS (
  SELECT
    id,
    shops,
    region_code,
    ST_Multi(ST_CollectionExtract(CASE WHEN count(*) = 1 THEN (array_agg(geom))[1] ELSE ST_Union(geom) END, 3)) AS geom
  FROM part
  WHERE ST_Dimension(geom) = 2
  GROUP BY id, shops, region_code
)
SELECT
  t.id AS shop_id,
  t.shops,
  ST_Area(t.geom::geography) / 1e6 AS area_km2,
  t.region_code,
  w.is_boundary,
  t.geom::geometry(MULTIPOLYGON, 4326) AS geom
FROM territory AS t
CROSS JOIN wanted AS w
ORDER BY t.id, t.region_code;
