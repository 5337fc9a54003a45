-- What the keyword search looks up of brands, regions and stations: one array of terms per row, one index per table. A key is
-- looked up by itself, and every look-up would read the whole list of pending entries, so these indexes have none (fastupdate).

-- Other terms than keys contain a blank, which keys never do. The cost of the functions keeps the planner from computing terms of a
-- row where it can look them up.
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
