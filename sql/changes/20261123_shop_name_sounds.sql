-- Words of shop names by their sound in Latin letters, so that garosugil finds 가로수길점. Immutable, because an index stands on
-- them; in PL/pgSQL with stated schemas, so that a restore, which runs without a search path, can compute it.

-- What sound_key makes of the result is what it makes of romanized(): for an index over every shop that is too slow.
CREATE FUNCTION latin_letters(letters text, sound_changes boolean) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  s text := letters;
BEGIN
  -- two consonants at the end of a syllable are rare, and their sound depends on the next
  IF s ~ '[\u11aa\u11ac\u11ad\u11b0-\u11b6\u11b9]' THEN
    RETURN lower(public.romanized(letters, sound_changes));
  END IF;
  IF sound_changes THEN
    IF s ~ '[\u11ae\u11ba\u11bb\u11bd\u11be\u11c0\u11c2][\u1100\u1103\u1109\u110b\u110c]' THEN
      s := regexp_replace(s, '\u11c2(?=[\u1100\u1103\u1109\u110b\u110c])', '', 'g');
      s := replace(replace(s, U&'\11ae\110b\1175', U&'\110c\1175'), U&'\11c0\110b\1175', U&'\110e\1175');
      s := replace(replace(replace(replace(s, U&'\11ba\110b', U&'\1109'), U&'\11bb\110b', U&'\1109'), U&'\11bd\110b', U&'\110c'),
        U&'\11be\110b', U&'\110e');
    END IF;
    IF s ~ '[\u11a8-\u11c2][\u1102\u1105\u1106]' THEN
      s := regexp_replace(s, '\u11ab\u1105|\u11af[\u1102\u1105]', U&'\11af\1105', 'g');
      s := regexp_replace(s, '([\u11a8-\u11ae\u11b7-\u11c2])\u1105', U&'\\1\1102', 'g');
      s := regexp_replace(s, '[\u11a8\u11a9\u11bf](?=[\u1102\u1106])', U&'\11bc', 'g');
      s := regexp_replace(s, '[\u11b8\u11c1](?=[\u1102\u1106])', U&'\11b7', 'g');
      s := regexp_replace(s, '[\u11ae\u11ba\u11bb\u11bd\u11be\u11c0\u11c2](?=[\u1102\u1106])', U&'\11ab', 'g');
    END IF;
  END IF;
  s := translate(
    s,
    U&'\1100\1101\1102\1103\1104\1105\1106\1107\1108\1109\110a\110c\110d\110f\1110\1111\1112\1161\1166\1169\116e\1175'
    || U&'\11a8\11a9\11ab\11ae\11af\11b7\11b8\11ba\11bb\11bd\11be\11bf\11c0\11c1\11c2\110b',
    'gkndtrmbpssjjktphaeouikkntlmpttttktpt'
  );
  s := replace(replace(replace(replace(s, U&'\110e', 'ch'), U&'\1162', 'ae'), U&'\1163', 'ya'), U&'\1164', 'yae');
  s := replace(replace(replace(replace(s, U&'\1165', 'eo'), U&'\1167', 'yeo'), U&'\1168', 'ye'), U&'\116a', 'wa');
  s := replace(replace(replace(replace(s, U&'\116b', 'wae'), U&'\116c', 'oe'), U&'\116d', 'yo'), U&'\116f', 'wo');
  s := replace(replace(replace(replace(s, U&'\1170', 'we'), U&'\1171', 'wi'), U&'\1172', 'yu'), U&'\1173', 'eu');
  RETURN replace(replace(s, U&'\1174', 'ui'), U&'\11bc', 'ng');
END $$;
COMMENT ON FUNCTION latin_letters(text, boolean)
IS 'Letters of jamo() as Latin ones that have the sound_key of their romanisation, with sound changes or letter by letter.';

-- A name of one word, 인생네컷강남점, may go on with its branch after any syllable.
CREATE FUNCTION sounding_words(place_name text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  words text[] := array_remove(CASE
    WHEN place_name ~ '^[ a-zA-Z0-9가-힣]*$' THEN string_to_array(lower(place_name), ' ')
    ELSE regexp_split_to_array(lower(normalize(place_name, NFKC)), '[^[:alnum:]]+') END, '');
BEGIN
  RETURN words || CASE WHEN cardinality(words) = 1 AND length(words[1]) > 4 THEN ARRAY(
    SELECT substr(words[1], i) FROM generate_series(3, least(length(words[1]) - 1, 20)) AS i) END;
END $$;
COMMENT ON FUNCTION sounding_words(text) IS 'The words of a shop''s name that are found by their sound.';

CREATE FUNCTION name_sounds(place_name text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  letters constant text := normalize(left(array_to_string(public.sounding_words(place_name), ' '), 200), NFD);
  written constant text[] := string_to_array(public.latin_letters(letters, false), ' ');
  -- a sound changes only where a consonant meets the next syllable
  heard constant text[] := CASE
    WHEN letters ~ '[\u11a8-\u11c2][\u1102\u1105\u1106]|[\u11aa-\u11ae\u11b0-\u11b6\u11b9-\u11bb\u11bd\u11be\u11c0\u11c2][\u1100-\u1112]'
      THEN string_to_array(public.latin_letters(letters, true), ' ') ELSE written END;
  sounds text[] := ARRAY[]::text[];
BEGIN
  FOR i IN 1..coalesce(cardinality(heard), 0) LOOP
    sounds := sounds || left(public.sound_key(heard[i]), 30);
    IF heard[i] <> written[i] THEN
      sounds := sounds || left(public.sound_key(written[i]), 30);
    END IF;
  END LOOP;
  RETURN array_to_tsvector(array_remove(sounds, ''));
END $$;
COMMENT ON FUNCTION name_sounds(text) IS 'The sounds of the words of a shop''s name.';
