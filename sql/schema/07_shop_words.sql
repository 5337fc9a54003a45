-- Words and sounds of shops, from their names and addresses. The indexes of sql/indexes/search.sql call these functions.

CREATE FUNCTION address_words(address text) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN array_remove(string_to_array(
  translate(left(normalize(lower(normalize(address, NFKC)), NFD), 600), ',()', '   '), ' '
), '');
COMMENT ON FUNCTION address_words(text) IS 'Words of an address as letters; 600 letters are looked at.';

-- \2 marks the beginning of a name, \1b a brand, \1r a region.
CREATE FUNCTION search_words(
  name_jamo text, road_address text, lot_address text,
  brand_id bigint, sido_id bigint, sigungu_id bigint, dong_id bigint
) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN array_to_tsvector(array_remove(
  name_tails(name_jamo) || address_words(road_address || ' ' || lot_address) || ARRAY[
    U&'\0002' || left(name_jamo, 23), U&'\0001b' || brand_id::text, U&'\0001r' || sido_id::text,
    U&'\0001r' || sigungu_id::text, U&'\0001r' || dong_id::text
  ], NULL));
COMMENT ON FUNCTION search_words(text, text, text, bigint, bigint, bigint, bigint)
IS 'What a shop is found by: its name and pieces of it, their initials, words of its addresses, its brand and regions.';

-- By the sounds of the words of a name, garosugil finds 가로수길점. In a name of one word, 인생네컷강남점, the
-- branch may begin at any syllable.
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

-- The roads of addresses are also found in Latin letters, as the addresses are displayed.
CREATE FUNCTION road_of(address text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substring(address, '([^[:space:],]+[로길](?: ?[0-9]+[번가나다라]?길)?)(?:[[:space:],]|$)');
COMMENT ON FUNCTION road_of(text) IS 'The road of an address: 강남대로 of 서울특별시 강남구 강남대로 287; null if there is none.';

-- The official romanisation has no sound change between a name and its unit, so a blank separates them.
CREATE FUNCTION road_sound(address text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN left(public.sound_key(public.latin_letters(
    normalize(regexp_replace(public.road_of(address), '(대로|로|길)(?=[0-9 ]|$)', ' \1', 'g'), NFD), true)), 40);
END $$;
COMMENT ON FUNCTION road_sound(text) IS 'The sound_key of the road of an address in the official romanisation; null if there is none.';

-- Regions of level dong are 행정동, but lot addresses name the 법정동 (인사동), whose sound is therefore one of the shop's.

CREATE FUNCTION neighbourhood_of(lot_address text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substring(lot_address, '(?:^|[[:space:]])([가-힣]+(?:동|리|로[0-9]가))(?:[0-9]가)?(?:[[:space:]]|$)');
COMMENT ON FUNCTION neighbourhood_of(text)
IS 'The 동 or 리 of a lot address: 성수동 of 서울 성동구 성수동2가 273-10; null if there is none.';

CREATE FUNCTION shop_sounds(place_name text, lot_address text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN public.name_sounds(place_name) || coalesce(public.name_sounds(public.neighbourhood_of(lot_address)), '');
END $$;
COMMENT ON FUNCTION shop_sounds(text, text) IS 'The sounds of the words of a shop''s name and of the 동 or 리 of its lot address.';
