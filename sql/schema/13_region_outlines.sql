-- Simplified boundaries for the map's lower zoom levels. Only geoshops/operations/boundaries.py writes them. The table can be
-- emptied at any time: the map then reads the boundaries themselves.
CREATE TABLE region_outlines (
  region_id bigint NOT NULL,
  detail smallint NOT NULL,
  outline geometry (MULTIPOLYGON, 4326) NOT NULL,
  CONSTRAINT region_outlines_pkey PRIMARY KEY (region_id, detail),
  CONSTRAINT region_outlines_region_fkey FOREIGN KEY (region_id) REFERENCES regions (id) ON DELETE CASCADE,
  CONSTRAINT region_outlines_detail_known CHECK (detail IN (1, 2))
);
COMMENT ON TABLE region_outlines IS 'Boundaries simplified for tiles; neighbours share their borders';
COMMENT ON COLUMN region_outlines.region_id IS 'Region that is outlined';
COMMENT ON COLUMN region_outlines.detail IS 'basemap_detail() of the zoom levels that show it: 1 below 8, 2 for 8 and 9';
COMMENT ON COLUMN region_outlines.outline IS 'Simplified boundary';
