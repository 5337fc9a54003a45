-- The basemap without land: borders and names of regions, and stations, as vector tiles. A tile contains the names of all
-- languages, so that caches need only one copy.

CREATE OR REPLACE FUNCTION basemap_level(z integer) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN z < 8 THEN 'sido' WHEN z < 13 THEN 'sigungu' ELSE 'dong' END;
COMMENT ON FUNCTION basemap_level(integer) IS 'Level of the regions that have names at a zoom level.';

CREATE OR REPLACE FUNCTION basemap_detail(z integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN z < 8 THEN 1 WHEN z < 10 THEN 2 END;
COMMENT ON FUNCTION basemap_detail(integer)
IS 'The detail of region_outlines for a zoom level; null for the full boundary.';

-- Boundaries are clipped before the transformation, which would otherwise process every vertex of a province. From zoom
-- level 8 on, provinces and districts are both areas; provinces come last, so that they are drawn on top.
CREATE OR REPLACE FUNCTION basemap_tile(z integer, x integer, y integer) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
WITH tile AS (
  SELECT ST_TileEnvelope(z, x, y) AS bounds, ST_Transform(ST_TileEnvelope(z, x, y, margin => 0.02), 4326) AS wide
),
areas AS (
  SELECT
    r.level,
    ST_AsMVTGeom(
      ST_Transform(ST_ClipByBox2D(coalesce(o.outline, r.boundary), t.wide::box2d), 3857), t.bounds, 4096, 64
    ) AS geom
  FROM regions AS r
  CROSS JOIN tile AS t
  LEFT JOIN region_outlines AS o ON o.region_id = r.id AND o.detail = basemap_detail(z)
  WHERE r.boundary && t.wide AND (r.level = 'sido' OR (z >= 8 AND r.level = 'sigungu'))
  ORDER BY r.level DESC, r.id
),
names AS (
  SELECT r.level, r.name, r.name_en, coalesce(region_in(r.id, 'ja'), place_in(r.name, 'ja')) AS name_ja,
    region_in(r.id, 'zh-Hans') AS name_zh_hans, region_in(r.id, 'zh-Hant') AS name_zh_hant,
    ST_AsMVTGeom(ST_Transform(r.center::geometry, 3857), t.bounds, 4096, 0) AS geom
  FROM regions AS r, tile AS t
  WHERE r.level = basemap_level(z) AND r.center && t.wide::geography
),
stops AS (
  SELECT min(s.id) AS id, s.name, min(s.name_en) AS name_en,
    coalesce(min(station_foreign_in(s.id, 'ja')), word_in(s.name, 'ja')) AS name_ja,
    min(station_foreign_in(s.id, 'zh-Hans')) AS name_zh_hans, min(station_foreign_in(s.id, 'zh-Hant')) AS name_zh_hant,
    string_agg(DISTINCT s.line, ', ' ORDER BY s.line) AS lines,
    ST_AsMVTGeom(ST_Transform(ST_Centroid(ST_Collect(s.geog::geometry)), 3857), t.bounds, 4096, 0) AS geom
  FROM stations AS s, tile AS t
  WHERE z >= 12 AND s.geog && t.wide::geography
  GROUP BY s.name, t.bounds
)
SELECT coalesce((SELECT ST_AsMVT(a, 'areas') FROM areas AS a WHERE a.geom IS NOT NULL), '')
  || coalesce((SELECT ST_AsMVT(n, 'names') FROM names AS n WHERE n.geom IS NOT NULL), '')
  || coalesce((SELECT ST_AsMVT(p, 'stations') FROM stops AS p WHERE p.geom IS NOT NULL), '');
END;
COMMENT ON FUNCTION basemap_tile(integer, integer, integer)
IS 'Vector tile with the layers areas, names and stations; empty without data.';
