-- How Korean names are spelled in Latin letters, kana and Chinese characters. Keys of the sound or of the characters are compared;
-- every row of a dictionary has its keys in one index.

-- Spellings by ear: g and k, d and t, b and p, j and ch, l and r, s and sh, ae and e, eo, o, u, oo and eu, doubled letters.
CREATE FUNCTION sound_key(latin text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  s text := lower(latin);
BEGIN
  IF s ~ '[^ -~]' THEN
    s := regexp_replace(normalize(s, NFKD), '[^ -~]', '', 'g');
  END IF;
  s := replace(replace(regexp_replace(s, '[^a-z0-9]', '', 'g'), 'university', 'univ'), 'national', 'natl');
  s := replace(replace(replace(replace(s, 'tch', 'ch'), 'sh', 's'), 'ch', 'j'), 'ck', 'k');
  s := replace(replace(replace(s, 'kh', 'k'), 'ph', 'p'), 'th', 't');
  s := replace(replace(replace(replace(replace(s, 'yeo', 'Y'), 'you', 'Y'), 'yoo', 'Y'), 'yu', 'Y'), 'yo', 'Y');
  s := replace(replace(replace(replace(replace(s, 'yae', 'yE'), 'wae', 'wE'), 'eui', 'I'), 'ui', 'I'), 'wi', 'I');
  s := replace(replace(replace(replace(replace(s, 'oe', 'wE'), 'ae', 'E'), 'weo', 'O'), 'wo', 'O'), 'eo', 'O');
  s := replace(replace(replace(replace(replace(s, 'eu', 'O'), 'oo', 'O'), 'ou', 'O'), 'ai', 'E'), 'ea', 'E');
  s := replace(replace(replace(replace(s, 'ei', 'E'), 'ee', 'I'), 'yi', 'I'), 'oi', 'wE');
  RETURN regexp_replace(translate(s, 'eouiygqcbvfdzrx', 'EOOIIkkkppptjls'), '(.)\1+', '\1', 'g');
END $$;
COMMENT ON FUNCTION sound_key(text) IS 'What is left of a name in Latin letters when spellings by ear are folded: busan and pusan are both pOsan.';

-- A mark sets the keys of a script apart: ~ Latin, = kana and Chinese characters.
CREATE FUNCTION spelling_key(value text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  letters constant text := normalize(value, NFKC);
BEGIN
  IF letters ~ '[\u3041-\u30ff\u3400-\u9fff]' THEN
    RETURN '=' || public.kana_folded(public.han_folded(public.cjk_evened(regexp_replace(lower(letters), '[][:space:]()·・.''-]+', '', 'g'))));
  END IF;
  RETURN '~' || public.sound_key(public.latin_evened(value));
END $$;
COMMENT ON FUNCTION spelling_key(text) IS 'The key of a name in a foreign script, under which its spellings are found.';

-- 을지로3가 is 을지로삼가.
CREATE FUNCTION names_in_words(name text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN CASE WHEN name ~ '^[^0-9]+[1-9]가' THEN ARRAY[name, translate(name, '123456789', '일이삼사오육칠팔구')] ELSE ARRAY[name] END;
END $$;
COMMENT ON FUNCTION names_in_words(text) IS 'A name in Hangul, and how its numbers are read where they stand before 가.';

CREATE FUNCTION latin_spellings(name text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  written text;
  latin text[] := ARRAY[]::text[];
BEGIN
  FOREACH written IN ARRAY public.names_in_words(name) LOOP
    latin := latin || public.romanized(written, true) || public.romanized(written, false);
  END LOOP;
  IF name ~ '.네컷$' THEN
    latin := latin || (public.romanized(left(name, -2)) || '4cut');
  END IF;
  RETURN latin;
END $$;
COMMENT ON FUNCTION latin_spellings(text) IS 'A name in Hangul in Latin letters: by both romanisations, and with 4cut for 네컷.';

-- Japanese write ㅎ after ㄴ, ㄹ and ㅁ as they hear it, weakly: ノニョン for 논현.
CREATE FUNCTION with_weak_h(name text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  letters text := normalize(name, NFD);
BEGIN
  letters := replace(letters, U&'\11AB\1112', U&'\1102');
  letters := replace(letters, U&'\11AF\1112', U&'\1105');
  RETURN normalize(replace(letters, U&'\11B7\1112', U&'\1106'), NFC);
END $$;
COMMENT ON FUNCTION with_weak_h(text) IS 'The name without ㅎ after ㄴ, ㄹ and ㅁ, which are spoken in its place: 노년 for 논현.';

-- Lists of stations write 입구 as イック, travel guides also as イプク (ホンデイプク). Of two ル or two n one may be left out (ピルム for
-- 필름, アニョン for 안녕). 컷 is also カット.
CREATE FUNCTION kana_spellings(name text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  written text;
  kana text[] := ARRAY[]::text[];
  doubled constant text := 'ル(?=ル)|ン(?=[ナニヌネノ])';
BEGIN
  FOREACH written IN ARRAY public.names_in_words(name) LOOP
    kana := kana || public.kana_letters(written, true) || public.kana_letters(written, false);
    IF written ~ '.입구$' THEN
      kana := kana || (public.kana_letters(left(written, -2), true) || 'イプク');
    END IF;
    IF written ~ '.네컷$' THEN
      kana := kana || (public.kana_letters(left(written, -1), true) || 'カット') || (public.kana_letters(left(written, -2), true) || '4カット');
    END IF;
    IF public.with_weak_h(written) <> written THEN
      kana := kana || public.kana_letters(public.with_weak_h(written), true);
    END IF;
  END LOOP;
  RETURN kana || ARRAY(SELECT DISTINCT regexp_replace(k, doubled, '', 'g') FROM unnest(kana) AS k WHERE k ~ doubled);
END $$;
COMMENT ON FUNCTION kana_spellings(text) IS 'A name in Hangul in katakana: by sound, and letter by letter.';

-- Of a name in Hangul both romanisations and katakana; of others the name, in Chinese characters also without its unit.
-- A Latin name loses its unit only if five letters remain: Gil-dong stays whole.
CREATE FUNCTION spellings(names text []) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(
    SELECT DISTINCT s FROM unnest(names) AS n
    CROSS JOIN LATERAL unnest(CASE
      WHEN n ~ '[가-힣]' AND NOT public.is_foreign(n) THEN public.latin_spellings(n) || public.kana_spellings(n)
      ELSE ARRAY[n, substring(n, '^(.*[\u3041-\u9fff].+?)(特別市|特别市|广域市|廣域市|広域市|特別自治市|特别自治市|特別自治道|特别自治道|[市郡區区道洞邑面])$'),
        substring(n, '^(.+)入口$'), substring(n, '^([^ ]{5,})-(?:do|si|gun|gu|eup|myeon|dong|ri|ga)$')]
    END) AS s WHERE s <> ''
  );
END $$;
COMMENT ON FUNCTION spellings(text []) IS 'How names are spelled in Latin letters, kana and Chinese characters.';

-- Names of four kana or Chinese characters are also found with one of them wrong or missing.
CREATE FUNCTION spelling_terms(names text []) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $$
BEGIN
  RETURN ARRAY(
    WITH keys AS MATERIALIZED (SELECT DISTINCT public.spelling_key(s) AS k FROM unnest(public.spellings(names)) AS s WHERE public.spelling_key(s) <> '~')
    SELECT k FROM keys
    UNION
    SELECT 'begins ' || left(k, n) FROM keys CROSS JOIN LATERAL generate_series(CASE left(k, 1) WHEN '~' THEN 4 ELSE 2 END, least(length(k), 12)) AS n
    UNION
    SELECT 'less ' || l FROM keys CROSS JOIN LATERAL unnest(public.one_letter_less(k)) AS l
    WHERE length(k) BETWEEN CASE left(k, 1) WHEN '~' THEN 6 ELSE 5 END AND 41 AND left(l, 1) = left(k, 1)
  );
END $$;
COMMENT ON FUNCTION spelling_terms(text [])
IS 'Keys of the spellings of names, what they begin with, and what is left of them without one letter.';

-- 홍대입구 is 홍대, 서울대입구 서울대.
CREATE FUNCTION station_names(name text) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN array_remove(ARRAY[name, substring(name, '^(..+)입구$')], NULL);
COMMENT ON FUNCTION station_names(text) IS 'The names under which a station is known, without 역.';

-- Names of a region that follow from its own: 강남 of 강남구, 서울 and 서울시 of 서울특별시, 수원, 영통구 and 영통 of 수원시 영통구,
-- 역삼동 of 역삼1동. Addresses call 성수1가1동 and its neighbours 성수동, but nobody calls 종로1·2·3·4가동 종로동. region_aliases has
-- official, old and English names that do not follow from it.
CREATE FUNCTION region_name_keys(name text, level text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(
    SELECT DISTINCT public.jamo(n) FROM unnest(name || CASE level
      WHEN 'sido' THEN ARRAY[
        regexp_replace(name, '(특별|광역|특별자치)시$', '시'),
        regexp_replace(name, '특별자치도$', '도'),
        regexp_replace(name, '(특별시|광역시|특별자치시|특별자치도|도)$', ''),
        regexp_replace(name, '^(.).(남|북)도$', '\1\2')]
      WHEN 'sigungu' THEN ARRAY[
        regexp_replace(name, '^(..+)(시|군|구)$', '\1'),
        substring(name, '^(..+?시) ?.+구$'),
        substring(name, '^(..+?)시 ?.+구$'),
        substring(name, '^..+?시 ?(.+구)$'),
        substring(name, '^..+?시 ?(..+)구$')]
      WHEN 'dong' THEN ARRAY[
        regexp_replace(name, '제?[0-9·.,]+(동|가)$', '\1'),
        regexp_replace(name, '^(..+?)제?[0-9·.,]*(동|읍|면|가|리)$', '\1'),
        regexp_replace(name, '^(.+[^로])[0-9·]+가[0-9]*동$', '\1동'),
        regexp_replace(name, '^(.+[^로])[0-9·]+가[0-9]*동$', '\1')]
      ELSE '{}' END) AS n WHERE NOT public.is_blank(n)
  );
END $$;
COMMENT ON FUNCTION region_name_keys(text, text) IS 'Letters of all names under which a region is known from its own name.';

CREATE FUNCTION brand_spellings(name text) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10000
RETURN spelling_terms(ARRAY[name]);
COMMENT ON FUNCTION brand_spellings(text) IS 'Terms by which spellings of a brand, or an alias, are found.';

CREATE FUNCTION region_spellings(name text, name_en text, level text) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10000
RETURN spelling_terms(ARRAY(SELECT normalize(k, NFC) FROM unnest(region_name_keys(name, level)) AS k) || name_en);
COMMENT ON FUNCTION region_spellings(text, text, text) IS 'Terms by which spellings of a region are found.';

CREATE FUNCTION station_spellings(name text, name_en text) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10000
RETURN spelling_terms(station_names(name) || name_en);
COMMENT ON FUNCTION station_spellings(text, text) IS 'Terms by which spellings of a station are found.';
