-- squawk-ignore-file require-concurrent-index-creation
-- Built within the transaction: there are a few hundred brands.
--
-- Whether a sound begins the name of a brand, whose shops are too many to be found by it.
CREATE INDEX IF NOT EXISTS brands_sounds_idx ON brands USING gin (name_sounds(name)) WITH (fastupdate = off);
