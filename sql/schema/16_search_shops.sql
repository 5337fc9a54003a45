-- Columns and indexes for the search of shops, regions, stations and brands. Generated columns and indexes on expressions
-- need no code that updates them.

ALTER TABLE shops ADD COLUMN name_jamo text NOT NULL GENERATED ALWAYS AS (jamo(place_name)) STORED;
COMMENT ON COLUMN shops.name_jamo IS 'Letters of the name (jamo)';

-- sql/indexes has the indexes of shops for the search.
CREATE INDEX brands_jamo_idx ON brands (jamo(name) COLLATE "C");
CREATE INDEX brands_initials_idx ON brands (jamo_initials(jamo(name)) COLLATE "C");
CREATE INDEX brand_aliases_jamo_idx ON brand_aliases (jamo(alias) COLLATE "C");
CREATE INDEX brand_aliases_initials_idx ON brand_aliases (jamo_initials(jamo(alias)) COLLATE "C");
CREATE INDEX regions_keys_idx ON regions USING gin (region_name_keys(name, level));
CREATE INDEX regions_jamo_idx ON regions (jamo(name) COLLATE "C");
CREATE INDEX regions_initials_idx ON regions (jamo_initials(jamo(name)) COLLATE "C");
CREATE INDEX regions_jamo_en_idx ON regions (jamo(name_en) COLLATE "C") WHERE name_en <> '';
CREATE INDEX region_aliases_jamo_idx ON region_aliases (jamo(alias) COLLATE "C");
CREATE INDEX region_aliases_initials_idx ON region_aliases (jamo_initials(jamo(alias)) COLLATE "C");
CREATE INDEX stations_jamo_idx ON stations (jamo(name) COLLATE "C");
CREATE INDEX stations_initials_idx ON stations (jamo_initials(jamo(name)) COLLATE "C");
CREATE INDEX stations_jamo_en_idx ON stations (jamo(name_en) COLLATE "C") WHERE name_en <> '';
