-- squawk-ignore-file require-concurrent-index-creation, require-concurrent-index-deletion, renaming-object
-- Built within the transaction: there are a few thousand stations, and blocking their writes for a second hurts nobody.
--
-- Lists of stations write 입구 as イック, travel guides also as イプク (ホンデイプク): both find the station.

CREATE OR REPLACE FUNCTION kana_spellings(name text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  written text;
  kana text[] := ARRAY[]::text[];
BEGIN
  FOREACH written IN ARRAY public.names_in_words(name) LOOP
    kana := kana || public.kana_letters(written, true) || public.kana_letters(written, false);
    IF written ~ '.입구$' THEN
      kana := kana || (public.kana_letters(left(written, -2), true) || 'イプク');
    END IF;
  END LOOP;
  RETURN kana;
END $$;

-- Only stations and their other names end so.
CREATE INDEX stations_new_spellings_idx ON stations USING gin (station_spellings(name, name_en)) WITH (fastupdate = off);
CREATE INDEX station_aliases_new_spellings_idx ON station_aliases USING gin (brand_spellings(alias)) WITH (fastupdate = off);
DROP INDEX stations_spellings_idx;
DROP INDEX station_aliases_spellings_idx;
ALTER INDEX stations_new_spellings_idx RENAME TO stations_spellings_idx;
ALTER INDEX station_aliases_new_spellings_idx RENAME TO station_aliases_spellings_idx;
