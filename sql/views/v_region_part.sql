-- Boundaries subdivided into indexed pieces of at most 256 vertices, for fast point-in-region tests and clipping.
CREATE OR REPLACE VIEW v_region_part AS
SELECT
  t.id,
  t.region_id,
  t.level,
  r.name AS region,
  coalesce(r.code, r.id::text) AS region_code,
  t.part AS geom
FROM region_parts AS t
INNER JOIN regions AS r ON r.id = t.region_id;
COMMENT ON VIEW v_region_part IS 'Boundaries of regions, subdivided into small pieces that do not overlap';
COMMENT ON COLUMN v_region_part.id IS 'Piece identifier';
COMMENT ON COLUMN v_region_part.region_id IS 'Region that the piece belongs to';
COMMENT ON COLUMN v_region_part.level IS 'Level of that region: sido, sigungu or dong';
COMMENT ON COLUMN v_region_part.region IS 'Name of that region';
COMMENT ON COLUMN v_region_part.region_code IS 'Code of that region, as in v_region';
COMMENT ON COLUMN v_region_part.geom IS 'Piece of the boundary, WGS 84 degrees; indexed';
