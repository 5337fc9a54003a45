-- One meaning of a keyword, which the functions of the search pass on as one value.

CREATE TYPE keyword_reading AS (
  brands bigint [],
  regions bigint [],
  stations bigint [],
  branch text [],
  rest text [],
  names text [],
  impossible boolean,
  understood jsonb,
  spans jsonb,
  ignored text []
);
COMMENT ON TYPE keyword_reading IS 'What the words of a keyword mean';
COMMENT ON COLUMN keyword_reading.brands IS 'Brands with their sub-brands, null if none is named';
COMMENT ON COLUMN keyword_reading.regions IS 'Regions, null if none is named';
COMMENT ON COLUMN keyword_reading.stations IS 'Stations, null if none is named';
COMMENT ON COLUMN keyword_reading.branch IS 'Names of the stations if a brand is also named, as letters (NFD)';
COMMENT ON COLUMN keyword_reading.rest IS 'Unknown words, as letters (NFD)';
COMMENT ON COLUMN keyword_reading.names IS 'Shop names that the keyword may be, as letters (NFD)';
COMMENT ON COLUMN keyword_reading.impossible IS 'Whether the regions do not contain each other';
COMMENT ON COLUMN keyword_reading.understood IS 'Objects of text, kind (brand, region, station or rest) and ids, for a foreign name also lang and matched';
COMMENT ON COLUMN keyword_reading.spans IS 'Names of the dictionaries found, for another reading of the same words';
COMMENT ON COLUMN keyword_reading.ignored IS 'Words left out as nothing has them';
