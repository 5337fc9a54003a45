-- One row per region. The geometry is null if no boundary is loaded.
CREATE OR REPLACE VIEW v_region AS
SELECT
  r.id,
  r.level,
  r.name,
  concat_ws(' ', g.name, p.name, r.name) AS full_name,
  r.name_en,
  ARRAY(SELECT a.alias FROM region_aliases AS a WHERE a.region_id = r.id ORDER BY a.alias) AS aliases,
  coalesce(r.code, r.id::text) AS code,
  r.parent_id,
  coalesce(g.name, p.name, r.name) AS sido,
  ST_Area(r.boundary::geography) / 1e6 AS area_km2,
  ST_X(r.center::geometry) AS center_longitude,
  ST_Y(r.center::geometry) AS center_latitude,
  r.source,
  r.boundary AS geom
FROM regions AS r
LEFT JOIN regions AS p ON p.id = r.parent_id
LEFT JOIN regions AS g ON g.id = p.parent_id;
COMMENT ON VIEW v_region IS 'Administrative regions: 시도, 시군구, 읍면동';
COMMENT ON COLUMN v_region.id IS 'Region identifier';
COMMENT ON COLUMN v_region.level IS 'sido (시도), sigungu (시군구) or dong (읍면동)';
COMMENT ON COLUMN v_region.name IS 'Official name without parents (강남구)';
COMMENT ON COLUMN v_region.full_name IS 'Name with parents (서울특별시 강남구)';
COMMENT ON COLUMN v_region.name_en IS 'English name; empty when unknown';
COMMENT ON COLUMN v_region.aliases IS 'Short, old and English names';
COMMENT ON COLUMN v_region.code IS 'Code of the region in its source; the identifier if it has none';
COMMENT ON COLUMN v_region.parent_id IS 'Region one level up; null for sido';
COMMENT ON COLUMN v_region.sido IS 'Name of the sido that contains the region (its own for a sido)';
COMMENT ON COLUMN v_region.area_km2 IS 'Area on the spheroid, km²; null without a boundary';
COMMENT ON COLUMN v_region.center_longitude IS 'Longitude of a central point, degrees';
COMMENT ON COLUMN v_region.center_latitude IS 'Latitude of a central point, degrees';
COMMENT ON COLUMN v_region.source IS 'Source of the row';
COMMENT ON COLUMN v_region.geom IS 'Boundary, WGS 84 degrees; null when not loaded';
