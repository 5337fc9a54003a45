-- squawk-ignore-file require-concurrent-index-creation, require-concurrent-index-deletion, renaming-object
-- Built within the transaction: the dictionaries have a few thousand rows, and blocking their writes for seconds hurts nobody.
--
-- Katakana is made of syllables: Latin letters do not say where one ends (안국 and 앙욱 are both angguk). Names are also found as
-- they are written, without sound changes, by their numbers in words, and by 4cut for 네컷.

-- As lists of stations write names: plain consonants are voiced within a word after a vowel or ㄴㄹㅁㅇ, 어 and 오 are both オ, 우
-- and 으 both ウ, final ㄱ, ㄹ, ㅁ, ㅂ are ク, ル, ム, プ. Sounds change as in the official romanisation; besides, what closes a
-- syllable joins ㅎ (북한산 プカンサン), ㄱ and ㅂ become ッ where the next consonant continues them (경복궁 キョンボックン), and ㅁ is ン
-- before ㅁ and ㅂ (남부 ナンブ).
CREATE FUNCTION kana_letters(value text, sound_changes boolean) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  -- a, i, u, e, o of ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ, then of the voiced ㄱㄷㅂㅈ; 디 and 티, 두 and 투 have no sign of their own
  kana constant text[] := '{{カ,キ,ク,ケ,コ},{カ,キ,ク,ケ,コ},{ナ,ニ,ヌ,ネ,ノ},{タ,ティ,トゥ,テ,ト},{タ,ティ,トゥ,テ,ト},{ラ,リ,ル,レ,ロ},{マ,ミ,ム,メ,モ},
    {パ,ピ,プ,ペ,ポ},{パ,ピ,プ,ペ,ポ},{サ,シ,ス,セ,ソ},{サ,シ,ス,セ,ソ},{ア,イ,ウ,エ,オ},{チャ,チ,チュ,チェ,チョ},{チャ,チ,チュ,チェ,チョ},
    {チャ,チ,チュ,チェ,チョ},{カ,キ,ク,ケ,コ},{タ,ティ,トゥ,テ,ト},{パ,ピ,プ,ペ,ポ},{ハ,ヒ,フ,ヘ,ホ},
    {ガ,ギ,グ,ゲ,ゴ},{ダ,ディ,ドゥ,デ,ド},{バ,ビ,ブ,ベ,ボ},{ジャ,ジ,ジュ,ジェ,ジョ}}'::text[];
  -- for each of the 21 vowels: which of the five, what follows it, which of the five after ㅈㅊ, and the sign without a consonant
  columns constant integer[] := '{1,4,2,4,5,4,2,4,5,3,3,3,2,3,3,3,3,2,3,2,2}'::integer[];
  glides constant text[] := '{"","",ャ,"","","",ョ,"","",ァ,ェ,ェ,ョ,"",ォ,ェ,ィ,ュ,"","",""}'::text[];
  after_ch constant integer[] := '{1,4,1,4,5,4,5,4,5,3,3,3,5,3,3,3,3,3,3,2,2}'::integer[];
  alone constant text[] := '{ア,エ,ヤ,イェ,オ,エ,ヨ,イェ,オ,ワ,ウェ,ウェ,ヨ,ウ,ウォ,ウェ,ウィ,ユ,ウ,イ,イ}'::text[];
  -- ㄱㄲㄳ ㄴㄵㄶ ㄷ ㄹㄺㄻㄼㄽㄾㄿㅀ ㅁ ㅂㅄ ㅅㅆ ㅇ ㅈㅊㅋㅌㅍㅎ: at the end of a word; what stays before a vowel, - for nothing, and the
  -- initial that moves over
  closing constant text := 'kkknnntlkmlllplmppttgttktpt';
  staying constant text := '--k-n---llllll---p--g------';
  moving constant integer[] := '{0,1,9,2,12,2,3,5,0,6,7,9,16,17,5,6,7,9,9,10,11,12,14,15,16,17,11}'::integer[];
  codas constant text := 'クップルムンン';
  spoken constant jsonb := '{"신문로": "신문노", "학여울": "항녀울", "알약": "알략"}'::jsonb;
  sign text;
  code integer;
  initial integer;
  vowel integer;
  coda text;
  final integer := 0;
  -- true after a syllable of the same word
  within boolean := false;
  written text := '';
BEGIN
  IF sound_changes AND spoken ? value THEN
    RETURN public.kana_letters(spoken ->> value, true);
  ELSIF value ~ '.입구$' THEN
    RETURN public.kana_letters(left(value, -2), sound_changes) || 'イック';
  END IF;
  FOREACH sign IN ARRAY string_to_array(normalize(value, NFC), NULL) || ''::text LOOP
    code := CASE WHEN sign = '' THEN -1 ELSE ascii(sign) - 44032 END;
    coda := CASE WHEN final > 0 THEN substr(closing, final, 1) ELSE '-' END;
    IF code NOT BETWEEN 0 AND 11171 THEN
      written := written || translate(coda, 'ktplmng-', codas) || CASE WHEN sign ~ '[[:alnum:]]' THEN lower(sign) ELSE '' END;
      final := 0;
      within := sign ~ '[0-9]';
      CONTINUE;
    END IF;
    initial := code / 588;
    vowel := code % 588 / 28;
    IF sound_changes AND final > 0 THEN
      IF initial = 11 THEN
        coda := substr(staying, final, 1);
        initial := CASE WHEN vowel = 20 AND final = 7 THEN 12 WHEN vowel = 20 AND final IN (13, 25) THEN 14 ELSE moving[final] END;
      ELSIF final IN (6, 15, 27) AND initial IN (0, 3, 12) THEN
        coda := CASE final WHEN 6 THEN 'n' WHEN 15 THEN 'l' ELSE '-' END;
        initial := CASE initial WHEN 0 THEN 15 WHEN 3 THEN 16 ELSE 14 END;
      ELSIF final = 27 AND initial = 9 THEN
        coda := '-';
      ELSIF initial IN (2, 5, 6) THEN
        coda := CASE WHEN coda = 'k' THEN 'g' WHEN coda = 't' THEN 'n' WHEN coda = 'n' AND initial = 5 THEN 'l'
          WHEN coda IN ('p', 'm') THEN CASE initial WHEN 6 THEN 'n' ELSE 'm' END ELSE coda END;
        initial := CASE WHEN initial = 6 THEN 6 WHEN coda = 'l' THEN 5 ELSE 2 END;
      ELSIF initial = 18 AND coda IN ('k', 't', 'p') THEN
        initial := CASE coda WHEN 'k' THEN 15 WHEN 't' THEN 16 ELSE 17 END;
        coda := '-';
      ELSIF coda = 'm' AND initial IN (7, 8, 17) THEN
        coda := 'n';
      ELSIF coda IN ('k', 'p') AND initial IN (0, 1, 15) OR coda = 'k' AND initial IN (9, 10) OR coda = 'p' AND initial IN (7, 8, 17) THEN
        coda := 't';
      END IF;
    END IF;
    written := written || translate(coda, 'ktplmng-', codas);
    IF within AND coda IN ('-', 'n', 'l', 'm', 'g') THEN
      initial := CASE initial WHEN 0 THEN 19 WHEN 3 THEN 20 WHEN 7 THEN 21 WHEN 12 THEN 22 ELSE initial END;
    END IF;
    written := written || CASE
      WHEN initial = 11 THEN CASE WHEN vowel = 19 AND written = '' THEN 'ウィ' ELSE alone[vowel + 1] END
      WHEN initial IN (12, 13, 14, 22) AND vowel IN (2, 6, 12, 17) THEN kana[initial + 1][after_ch[vowel + 1]]
      WHEN initial IN (3, 4, 16, 20) AND glides[vowel + 1] = 'ェ' THEN kana[initial + 1][5] || 'ェ'
      ELSE kana[initial + 1][columns[vowel + 1]] || glides[vowel + 1] END;
    within := true;
    final := code % 28;
  END LOOP;
  RETURN written;
END $$;
COMMENT ON FUNCTION kana_letters(text, boolean)
IS 'Korean in katakana by sound, as lists of stations write it (강남 is カンナム), or letter by letter; digits and Latin letters stay.';

CREATE OR REPLACE FUNCTION in_kana(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN kana_letters(value, true);

-- クィ is what 귀 is written as by the rule, キ what is heard. The number of characters stays, so that places in a keyword do.
CREATE FUNCTION cjk_evened(value text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digit text[];
BEGIN
  IF value ~ '[クグくぐ][ィぃ]' THEN
    value := regexp_replace(value, '[クグくぐ][ィぃ]', 'キー', 'g');
  END IF;
  IF value ~ '[一二三四五六七八九](街|カット|格)' THEN
    FOREACH digit SLICE 1 IN ARRAY '{{一,1},{二,2},{三,3},{四,4},{五,5},{六,6},{七,7},{八,8},{九,9}}'::text[] LOOP
      value := regexp_replace(value, digit[1] || '(?=街|カット|格)', digit[2], 'g');
    END LOOP;
  END IF;
  RETURN value;
END $$;
COMMENT ON FUNCTION cjk_evened(text) IS 'The text with numbers before 街 and カット as digits (鍾路三街) and クィ as キ with a long sign.';

-- 네컷, four cuts and 4cuts are one word.
CREATE FUNCTION latin_evened(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN value ~* 'cut' THEN regexp_replace(value, '(?:four|4|ne)[[:space:]-]*cuts?(?![a-z])', '4cut', 'gi') ELSE value END;
COMMENT ON FUNCTION latin_evened(text) IS 'The text with four cuts, 4cuts and necut as 4cut.';

CREATE OR REPLACE FUNCTION spelling_key(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
  WHEN normalize(value, NFKC) ~ '[\u3041-\u30ff\u3400-\u9fff]'
    THEN '=' || kana_folded(han_folded(cjk_evened(regexp_replace(lower(normalize(value, NFKC)), '[][:space:]()·・.''-]+', '', 'g'))))
  ELSE '~' || sound_key(latin_evened(value))
END;

-- 을지로3가 is 을지로삼가.
CREATE FUNCTION names_in_words(name text) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN name ~ '^[^0-9]+[1-9]가' THEN ARRAY[name, translate(name, '123456789', '일이삼사오육칠팔구')] ELSE ARRAY[name] END;
COMMENT ON FUNCTION names_in_words(text) IS 'A name in Hangul, and how its numbers are read where they stand before 가.';

CREATE FUNCTION latin_spellings(name text) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(
  SELECT romanized(n, c.sound_changes) FROM unnest(names_in_words(name)) AS n CROSS JOIN (VALUES (true), (false)) AS c (sound_changes)
) || CASE WHEN name ~ '.네컷$' THEN ARRAY[romanized(left(name, -2)) || '4cut'] END;
COMMENT ON FUNCTION latin_spellings(text) IS 'A name in Hangul in Latin letters: by both romanisations, and with 4cut for 네컷.';

CREATE FUNCTION kana_spellings(name text) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(
  SELECT kana_letters(n, c.sound_changes) FROM unnest(names_in_words(name)) AS n CROSS JOIN (VALUES (true), (false)) AS c (sound_changes)
);
COMMENT ON FUNCTION kana_spellings(text) IS 'A name in Hangul in katakana: by sound, and letter by letter.';

CREATE OR REPLACE FUNCTION spellings(names text []) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(
  SELECT DISTINCT s FROM unnest(names) AS n
  CROSS JOIN LATERAL unnest(CASE
    WHEN n ~ '[가-힣]' AND NOT is_foreign(n) THEN latin_spellings(n) || kana_spellings(n)
    ELSE ARRAY[n, substring(n, '^(.*[\u3041-\u9fff].+?)(特別市|特别市|广域市|廣域市|広域市|特別自治市|特别自治市|特別自治道|特别自治道|[市郡區区道洞邑面])$'),
      substring(n, '^(.+)入口$'), substring(n, '^([^ ]+)-(?:do|si|gun|gu|eup|myeon|dong|ri|ga)$')]
  END) AS s WHERE s <> ''
);

-- Searches read the old indexes while the new ones are built; both change with the functions.
CREATE INDEX brands_new_spellings_idx ON brands USING gin (brand_spellings(name)) WITH (fastupdate = off);
CREATE INDEX brand_aliases_new_spellings_idx ON brand_aliases USING gin (brand_spellings(alias)) WITH (fastupdate = off);
CREATE INDEX regions_new_spellings_idx ON regions USING gin (region_spellings(name, name_en, level)) WITH (fastupdate = off);
CREATE INDEX region_aliases_new_spellings_idx ON region_aliases USING gin (brand_spellings(alias)) WITH (fastupdate = off);
CREATE INDEX stations_new_spellings_idx ON stations USING gin (station_spellings(name, name_en)) WITH (fastupdate = off);
CREATE INDEX station_aliases_new_spellings_idx ON station_aliases USING gin (brand_spellings(alias)) WITH (fastupdate = off);
DROP INDEX brands_spellings_idx;
DROP INDEX brand_aliases_spellings_idx;
DROP INDEX regions_spellings_idx;
DROP INDEX region_aliases_spellings_idx;
DROP INDEX stations_spellings_idx;
DROP INDEX station_aliases_spellings_idx;
ALTER INDEX brands_new_spellings_idx RENAME TO brands_spellings_idx;
ALTER INDEX brand_aliases_new_spellings_idx RENAME TO brand_aliases_spellings_idx;
ALTER INDEX regions_new_spellings_idx RENAME TO regions_spellings_idx;
ALTER INDEX region_aliases_new_spellings_idx RENAME TO region_aliases_spellings_idx;
ALTER INDEX stations_new_spellings_idx RENAME TO stations_spellings_idx;
ALTER INDEX station_aliases_new_spellings_idx RENAME TO station_aliases_spellings_idx;
