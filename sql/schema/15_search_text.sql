-- Normalisation of texts for the keyword search, the same for indexes and queries. A text becomes the letters of its syllables
-- (NFD), so that a half-typed name is a prefix of the name, even if it ends within a syllable.

-- PL/pgSQL, because an inlined body would compute the key of the name several times. Names in ASCII, or in ASCII and whole
-- syllables, need only lower case and no blanks, which is much faster than the general rule.
CREATE FUNCTION jamo(value text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  letters text;
BEGIN
  IF value ~ '^[ -~]*$' THEN
    RETURN lower(replace(value, ' ', '') COLLATE "C");
  END IF;
  IF value ~ '^[ -~가-힣]*$' THEN
    RETURN normalize(lower(translate(value, ' ', '')), NFD);
  END IF;
  letters := normalize(public.name_key(value), NFD);
  RETURN CASE WHEN letters ~ '[\u0300-\u036f]' THEN regexp_replace(letters, '[\u0300-\u036f]', '', 'g') ELSE letters END;
END $$;
COMMENT ON FUNCTION jamo(text)
IS 'The text as letters: name_key, syllables taken apart into conjoining jamo, accents dropped.';

CREATE FUNCTION jamo_initials(letters text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(letters, '[\u1161-\u11ff]+', '', 'g');
COMMENT ON FUNCTION jamo_initials(text) IS 'Letters of jamo() with only the initial consonant of each syllable.';

-- Every position at which a search may begin within a name: at each syllable, letter or digit.
CREATE FUNCTION name_tails(letters text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  whole text := normalize(letters, NFC);
  initials text := public.jamo_initials(letters);
  tails text[] := '{}';
BEGIN
  FOR i IN 1..length(whole) LOOP
    tails := tails || left(normalize(substr(whole, i), NFD), 24) || substr(initials, i, 24);
  END LOOP;
  RETURN tails;
END $$;
COMMENT ON FUNCTION name_tails(text)
IS 'The letters from each syllable on, and the initials from each on, at most 24: a prefix of one is a piece of the name.';

CREATE FUNCTION address_words(address text) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN array_remove(string_to_array(
  translate(left(normalize(lower(normalize(address, NFKC)), NFD), 600), ',()', '   '), ' '
), '');
COMMENT ON FUNCTION address_words(text) IS 'Words of an address as letters; 600 letters are looked at.';

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

-- Names of a region that follow from its own: 강남 of 강남구, 서울 and 서울시 of 서울특별시, 수원, 영통구 and 영통 of
-- 수원시 영통구, 역삼동 of 역삼1동. region_aliases has official, old and English names that do not follow from it.
CREATE FUNCTION region_name_keys(name text, level text) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(
  SELECT DISTINCT jamo(n) FROM unnest(ARRAY[
    name,
    CASE WHEN level = 'sido' THEN regexp_replace(name, '(특별|광역|특별자치)시$', '시') END,
    CASE WHEN level = 'sido' THEN regexp_replace(name, '특별자치도$', '도') END,
    CASE WHEN level = 'sido' THEN regexp_replace(name, '(특별시|광역시|특별자치시|특별자치도|도)$', '') END,
    CASE WHEN level = 'sido' THEN regexp_replace(name, '^(.).(남|북)도$', '\1\2') END,
    CASE WHEN level = 'sigungu' THEN regexp_replace(name, '^(..+)(시|군|구)$', '\1') END,
    CASE WHEN level = 'sigungu' THEN substring(name, '^(..+?시) ?.+구$') END,
    CASE WHEN level = 'sigungu' THEN substring(name, '^(..+?)시 ?.+구$') END,
    CASE WHEN level = 'sigungu' THEN substring(name, '^..+?시 ?(.+구)$') END,
    CASE WHEN level = 'sigungu' THEN substring(name, '^..+?시 ?(..+)구$') END,
    CASE WHEN level = 'dong' THEN regexp_replace(name, '제?[0-9·.,]+(동|가)$', '\1') END,
    CASE WHEN level = 'dong' THEN regexp_replace(name, '^(..+?)제?[0-9·.,]*(동|읍|면|가|리)$', '\1') END
  ]) AS n WHERE NOT is_blank(n)
);
COMMENT ON FUNCTION region_name_keys(text, text) IS 'Letters of all names under which a region is known from its own name.';
