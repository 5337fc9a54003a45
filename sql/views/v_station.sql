-- One row per station and line.
CREATE OR REPLACE VIEW v_station AS
SELECT id, name AS station, name_en, line, source, geog, geog::geometry(POINT, 4326) AS geom
FROM stations;
COMMENT ON VIEW v_station IS 'Railway and subway stations, one row per station and line';
COMMENT ON COLUMN v_station.id IS 'Station identifier';
COMMENT ON COLUMN v_station.station IS 'Name without the suffix 역';
COMMENT ON COLUMN v_station.name_en IS 'English name; empty when unknown';
COMMENT ON COLUMN v_station.line IS 'Line; empty when unknown';
COMMENT ON COLUMN v_station.source IS 'Source of the row';
COMMENT ON COLUMN v_station.geog IS 'Position as geography: distances in metres, with an index';
COMMENT ON COLUMN v_station.geom IS 'Position, WGS 84 degrees';
