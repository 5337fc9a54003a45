-- squawk-ignore-file require-concurrent-index-creation, require-concurrent-index-deletion
-- The indexes below are built within the transaction: the dictionaries have a few thousand rows.
--
-- What the keyword search looks up of regions, stations and brands: one array of terms a row, one index a table. A key is
-- looked up by itself, and every look-up reads the whole list of pending entries, so these indexes keep none.

CREATE FUNCTION one_letter_less(letters text) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(
  SELECT DISTINCT left(letters, i - 1) || substr(letters, i + 1) FROM generate_series(1, length(letters)) AS i
);
COMMENT ON FUNCTION one_letter_less(text) IS 'The words that are left when one letter goes.';

CREATE FUNCTION one_syllable_less(letters text) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(SELECT normalize(w, NFD) FROM unnest(one_letter_less(normalize(letters, NFC))) AS w);
COMMENT ON FUNCTION one_syllable_less(text) IS 'The words that are left when one syllable goes.';

-- A name begins with two syllables or three Latin letters of its own; shorter ones are their own beginning.
CREATE FUNCTION name_start(letters text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
  WHEN letters ~ '^[a-z0-9]{3}' THEN left(letters, 3)
  ELSE normalize(left(normalize(left(letters, 8), NFC), 2), NFD)
END;
COMMENT ON FUNCTION name_start(text) IS 'The first two syllables or three Latin letters.';

-- A blank sets these terms apart from keys, which have none. Their cost keeps the planner from computing them for a row
-- where it can look them up.
CREATE FUNCTION search_terms(keys text [], full_name text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000 AS $$
BEGIN
  RETURN ARRAY(
    SELECT k FROM unnest(keys) k
    UNION
    SELECT 'begins ' || public.name_start(k) FROM unnest(keys) k
    UNION
    SELECT 'less ' || l FROM unnest(keys) k CROSS JOIN unnest(public.one_letter_less(k)) l WHERE length(k) BETWEEN 4 AND 41
    UNION
    SELECT 'less ' || l FROM unnest(public.one_syllable_less(full_name)) l WHERE length(normalize(l, NFC)) >= 3
  );
END $$;
COMMENT ON FUNCTION search_terms(text [], text)
IS 'Names as letters, what they begin with, and what is left of them when a letter goes, of the full name also a syllable.';

CREATE FUNCTION initials_of_name(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substring(jamo_initials(jamo(name)), '^[\u1100-\u115f]{2,}$');
COMMENT ON FUNCTION initials_of_name(text) IS 'Initials of a name in Hangul of at least two syllables; null for others.';

CREATE FUNCTION brand_keys(name text) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN array_remove(ARRAY[jamo(name), initials_of_name(name)], NULL);
COMMENT ON FUNCTION brand_keys(text) IS 'Letters and initials of a brand.';

CREATE FUNCTION region_keys(name text, name_en text, level text) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN array_remove(
  region_name_keys(name, level) || ARRAY[CASE WHEN name_en <> '' THEN jamo(name_en) END, initials_of_name(name)], NULL
);
COMMENT ON FUNCTION region_keys(text, text, text) IS 'Letters of all names of a region that its row holds, and the initials of its full name.';

CREATE FUNCTION station_keys(name text, name_en text) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN array_remove(ARRAY[jamo(name), jamo(name || '역'), CASE WHEN name_en <> '' THEN jamo(name_en) END], NULL);
COMMENT ON FUNCTION station_keys(text, text) IS 'Letters of the names of a station, with and without 역.';

CREATE FUNCTION brand_terms(name text) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10000
RETURN search_terms(brand_keys(name), jamo(name));
COMMENT ON FUNCTION brand_terms(text) IS 'Search terms of a brand.';

CREATE FUNCTION alias_terms(alias text) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10000
RETURN search_terms(ARRAY[jamo(alias)], jamo(alias));
COMMENT ON FUNCTION alias_terms(text) IS 'Search terms of an alias.';

CREATE FUNCTION region_terms(name text, name_en text, level text) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10000
RETURN search_terms(region_keys(name, name_en, level), jamo(name));
COMMENT ON FUNCTION region_terms(text, text, text) IS 'Search terms of a region.';

CREATE FUNCTION station_terms(name text, name_en text) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10000
RETURN search_terms(station_keys(name, name_en), jamo(name));
COMMENT ON FUNCTION station_terms(text, text) IS 'Search terms of a station.';

DROP INDEX regions_keys_idx;
CREATE INDEX brands_terms_idx ON brands USING gin (brand_terms(name)) WITH (fastupdate = off);
CREATE INDEX brand_aliases_terms_idx ON brand_aliases USING gin (alias_terms(alias)) WITH (fastupdate = off);
CREATE INDEX regions_terms_idx ON regions USING gin (region_terms(name, name_en, level)) WITH (fastupdate = off);
CREATE INDEX region_aliases_terms_idx ON region_aliases USING gin (alias_terms(alias)) WITH (fastupdate = off);
CREATE INDEX stations_terms_idx ON stations USING gin (station_terms(name, name_en)) WITH (fastupdate = off);

-- One keyword asks shops_words_idx for several hundred beginnings at most.
DO $$
BEGIN
  IF to_regclass('shops_words_idx') IS NOT NULL THEN
    ALTER INDEX shops_words_idx SET (fastupdate = off);
    PERFORM gin_clean_pending_list('shops_words_idx');
  END IF;
END $$;
