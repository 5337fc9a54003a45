-- Population by cell; empty until imported.
CREATE OR REPLACE VIEW v_population AS
SELECT
  id,
  source,
  source_id,
  population,
  population / nullif(ST_Area(cell::geography) / 1e6, 0) AS people_per_km2,
  cell AS geom
FROM population_cells;
COMMENT ON VIEW v_population IS 'Population by grid cell or small area; empty until imported';
COMMENT ON COLUMN v_population.id IS 'Cell identifier';
COMMENT ON COLUMN v_population.source IS 'Source of the row';
COMMENT ON COLUMN v_population.source_id IS 'Key of the cell in its source';
COMMENT ON COLUMN v_population.population IS 'People living in the cell';
COMMENT ON COLUMN v_population.people_per_km2 IS 'People per km² of the cell';
COMMENT ON COLUMN v_population.geom IS 'Outline of the cell, WGS 84 degrees';
