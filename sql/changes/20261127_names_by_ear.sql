-- squawk-ignore-file require-concurrent-reindex
-- Reindexed within the transaction: the dictionaries have a few thousand rows.
--
-- Addresses call 성수1가1동 and its neighbours 성수동, but nobody calls 종로1·2·3·4가동 종로동. Japanese also write what they hear: ㅎ
-- is weak after ㄴ, ㄹ and ㅁ (ノニョン for 논현), and of two ル or two n they may leave one out (ピルム for 필름, アニョン for 안녕). 컷 is
-- also カット.

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
        regexp_replace(name, '^(..+?)제?[0-9·.,]*(동|읍|면|가|리)$', '\1'),
        regexp_replace(name, '^(.+[^로])[0-9·]+가[0-9]*동$', '\1동'),
        regexp_replace(name, '^(.+[^로])[0-9·]+가[0-9]*동$', '\1')]
      ELSE '{}' END) AS n WHERE NOT public.is_blank(n)
  );
END $$;

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

CREATE OR REPLACE FUNCTION kana_spellings(name text) RETURNS text []
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

-- Of Gil-dong only the whole is a name.
CREATE OR REPLACE FUNCTION spellings(names text []) RETURNS text []
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

REINDEX INDEX regions_terms_idx;
REINDEX INDEX brands_spellings_idx;
REINDEX INDEX brand_aliases_spellings_idx;
REINDEX INDEX regions_spellings_idx;
REINDEX INDEX region_aliases_spellings_idx;
REINDEX INDEX stations_spellings_idx;
REINDEX INDEX station_aliases_spellings_idx;
