-- Codes of regions at their sources. The statistics office and the ministry use different codes, and the same code may name
-- different districts: a code means something only together with its source.
CREATE TABLE region_codes (
  source text NOT NULL,
  level text NOT NULL,
  code text NOT NULL,
  region_id bigint NOT NULL,
  CONSTRAINT region_codes_pkey PRIMARY KEY (source, level, code),
  CONSTRAINT region_codes_region_fkey FOREIGN KEY (region_id) REFERENCES regions (id) ON DELETE CASCADE,
  CONSTRAINT region_codes_level_known CHECK (level IN ('sido', 'sigungu', 'dong')),
  CONSTRAINT region_codes_code_not_blank CHECK (NOT is_blank(code))
);
CREATE INDEX region_codes_region_id_idx ON region_codes (region_id);
COMMENT ON TABLE region_codes IS 'Codes by which sources of boundaries name regions';
COMMENT ON COLUMN region_codes.source IS 'Source of the code';
COMMENT ON COLUMN region_codes.level IS 'sido, sigungu or dong';
COMMENT ON COLUMN region_codes.code IS 'Code at that source';
COMMENT ON COLUMN region_codes.region_id IS 'Region that is meant';
