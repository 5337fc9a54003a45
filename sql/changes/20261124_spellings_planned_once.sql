-- The functions that a search calls for every spelling it compares, in PL/pgSQL and with the same results, so that the indexes over
-- them stay. PostgreSQL reads and plans a function in SQL again for each query that calls it, unless it can replace the call by the
-- body: not where that contains a query, nor where STRICT is stated and a CASE hides which nulls are passed on.

CREATE OR REPLACE FUNCTION one_letter_less(letters text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(SELECT DISTINCT left(letters, i - 1) || substr(letters, i + 1) FROM generate_series(1, length(letters)) AS i);
END $$;

CREATE OR REPLACE FUNCTION one_syllable_less(letters text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(SELECT normalize(w, NFD) FROM unnest(public.one_letter_less(normalize(letters, NFC))) AS w);
END $$;

CREATE OR REPLACE FUNCTION name_start(letters text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN CASE
    WHEN letters ~ '^[a-z0-9]{3}' THEN left(letters, 3)
    ELSE normalize(left(normalize(left(letters, 8), NFC), 2), NFD) END;
END $$;

CREATE OR REPLACE FUNCTION region_name_keys(name text, level text) RETURNS text []
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
        regexp_replace(name, '^(..+?)제?[0-9·.,]*(동|읍|면|가|리)$', '\1')]
      ELSE '{}' END) AS n WHERE NOT public.is_blank(n)
  );
END $$;

CREATE OR REPLACE FUNCTION latin_evened(value text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN CASE WHEN value ~* 'cut' THEN regexp_replace(value, '(?:four|4|ne)[[:space:]-]*cuts?(?![a-z])', '4cut', 'gi') ELSE value END;
END $$;

CREATE OR REPLACE FUNCTION spelling_key(value text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  letters constant text := normalize(value, NFKC);
BEGIN
  IF letters ~ '[\u3041-\u30ff\u3400-\u9fff]' THEN
    RETURN '=' || public.kana_folded(public.han_folded(public.cjk_evened(regexp_replace(lower(letters), '[][:space:]()·・.''-]+', '', 'g'))));
  END IF;
  RETURN '~' || public.sound_key(public.latin_evened(value));
END $$;

CREATE OR REPLACE FUNCTION names_in_words(name text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN CASE WHEN name ~ '^[^0-9]+[1-9]가' THEN ARRAY[name, translate(name, '123456789', '일이삼사오육칠팔구')] ELSE ARRAY[name] END;
END $$;

CREATE OR REPLACE FUNCTION latin_spellings(name text) RETURNS text []
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

CREATE OR REPLACE FUNCTION kana_spellings(name text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  written text;
  kana text[] := ARRAY[]::text[];
BEGIN
  FOREACH written IN ARRAY public.names_in_words(name) LOOP
    kana := kana || public.kana_letters(written, true) || public.kana_letters(written, false);
  END LOOP;
  RETURN kana;
END $$;

CREATE OR REPLACE FUNCTION spellings(names text []) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(
    SELECT DISTINCT s FROM unnest(names) AS n
    CROSS JOIN LATERAL unnest(CASE
      WHEN n ~ '[가-힣]' AND NOT public.is_foreign(n) THEN public.latin_spellings(n) || public.kana_spellings(n)
      ELSE ARRAY[n, substring(n, '^(.*[\u3041-\u9fff].+?)(特別市|特别市|广域市|廣域市|広域市|特別自治市|特别自治市|特別自治道|特别自治道|[市郡區区道洞邑面])$'),
        substring(n, '^(.+)入口$'), substring(n, '^([^ ]+)-(?:do|si|gun|gu|eup|myeon|dong|ri|ga)$')]
    END) AS s WHERE s <> ''
  );
END $$;
