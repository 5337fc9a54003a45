-- The index on the globe. The map's radius search works by the one on degrees, this one serves circles at a pole and across
-- the 180th meridian, filters, and what asks by metres. The schema makes it with the table, but it stands here too, because a
-- large first load leaves it out until after its commit (see search.sql).
CREATE INDEX IF NOT EXISTS shops_geog_idx ON shops USING gist (geog);
