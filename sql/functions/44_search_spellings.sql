-- Names in foreign scripts: finds the dictionary names of a spelling, also with a typing error.

CREATE OR REPLACE FUNCTION edit_distance(a text, b text) RETURNS integer
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  others constant text[] := string_to_array(b, NULL);
  row_above integer[] := ARRAY(SELECT generate_series(0, length(b)));
  costs integer[];
  letter text;
  above_left integer;
  here integer;
BEGIN
  IF a = b OR b = '' THEN
    RETURN length(a) * (a <> b)::int;
  END IF;
  FOREACH letter IN ARRAY coalesce(string_to_array(a, NULL), '{}') LOOP
    here := row_above[1] + 1;
    costs := ARRAY[here];
    FOR j IN 1..cardinality(others) LOOP
      above_left := row_above[j];
      here := least(here + 1, row_above[j + 1] + 1, above_left + (others[j] <> letter)::int);
      costs := costs || here;
    END LOOP;
    row_above := costs;
  END LOOP;
  RETURN here;
END $$;
COMMENT ON FUNCTION edit_distance(text, text) IS 'Letters to replace, add or take away to make one text the other (Levenshtein 1966).';

CREATE OR REPLACE FUNCTION without_marks(value text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN CASE
    WHEN value ~ '[\u00c0-\u024f\u0300-\u036f\u1e00-\u1eff]'
      THEN normalize(regexp_replace(normalize(value, NFKD), '[\u0300-\u036f]+', '', 'g'), NFKC)
    ELSE normalize(value, NFKC)
  END;
END $$;
COMMENT ON FUNCTION without_marks(text) IS 'The text without accents and breves: Sŏul is Soul.';

CREATE OR REPLACE FUNCTION spelled_letters(value text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF value ~ '^[\u30a1-\u30fc]*$' THEN
    RETURN kana_folded(cjk_evened(value));
  END IF;
  RETURN regexp_replace(
    replace(replace(replace(replace(CASE
      WHEN value ~ '^[ -~]*$' THEN lower(latin_evened(value))
      ELSE kana_folded(han_folded(cjk_evened(lower(latin_evened(without_marks(value)))))) END,
      'university', 'univ'), 'national', 'natl'), 'oo', 'u'), 'sh', 's'),
    '[^a-z0-9\u3041-\u9fff]|(?<=univ)e(?:r(?:s(?:it?)?)?)?$', '', 'g');
END $$;
COMMENT ON FUNCTION spelled_letters(text) IS 'The letters by which the spelling of a name is compared with what was typed.';

CREATE OR REPLACE FUNCTION without_half_sound(letters text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(letters, '(?<=[a-z]{3})[aeiouwyc]+$', '');
COMMENT ON FUNCTION without_half_sound(text)
IS 'Latin letters of an incomplete word without vowels or a c at the end, which may be half of a sound: mye, myeo and myeong.';

CREATE OR REPLACE FUNCTION katakana(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN translate(
  normalize(value, NFKC),
  'ぁあぃいぅうぇえぉおかがきぎくぐけげこごさざしじすずせぜそぞただちぢっつづてでとどなにぬねのはばぱひびぴふぶぷへべぺほぼぽまみむめもゃやゅゆょよらりるれろゎわゐゑをんゔ ・',
  'ァアィイゥウェエォオカガキギクグケゲコゴサザシジスズセゼソゾタダチヂッツヅテデトドナニヌネノハバパヒビピフブプヘベペホボポマミムメモャヤュユョヨラリルレロヮワヰヱヲンヴ'
);
COMMENT ON FUNCTION katakana(text) IS 'Hiragana and half-width kana as katakana, without blanks and middle dots, voiced and small ones as they are.';

-- The reverse of in_kana(). Katakana writes a final consonant with a vowel that may also be one (ク is k or ku), n, ng and m as ン, and
-- 게 and 계 as ケ. Its e is written ae, so that sound_key() makes no eu of it and a vowel after it.
CREATE OR REPLACE FUNCTION sounds_of_kana(kana text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  written constant text := 'アカガサザタダナハバパマヤラワイキギシジチヂニヒビピミリヰウクグスズツヅヌフブプムユルエケゲセゼテデネヘベペメレヱオコゴソゾトドノホボポモヨロヲ';
  consonants constant text := '-kgsjtdnhbpmylw-kgsjjjnhbpml--kgsjjjnhbpmyl-kgsjtdnhbpml--kgsjtdnhbpmyl-';
  vowels constant text := 'aaaaaaaaaaaaaaaiiiiiiiiiiiiiiuuuuuuuuuuuuuueeeeeeeeeeeeeeooooooooooooooo';
  spellings text[] := ARRAY[''];
  letter text;
  small text;
  consonant text;
  vowel text;
  glide text;
  sounds text[];
BEGIN
  FOR letter, small IN SELECT m[1], m[2] FROM regexp_matches(katakana(kana), '(.)([ャュョ]?[ァィゥェォヮ]?)', 'g') AS m LOOP
    consonant := replace(translate(letter, written, consonants), '-', '');
    vowel := translate(letter, written, vowels);
    glide := CASE
      WHEN small IN ('', 'ゥ') OR consonant = 'j' AND length(small) = 1 THEN ''
      WHEN length(small) = 2 OR vowel <> 'i' AND small ~ '[ァ-ォヮ]' THEN 'w' ELSE 'y' END;
    vowel := replace(translate(coalesce(nullif(right(small, 1), ''), vowel), 'ァィゥェォャュョヮ', 'aiueoauoa'), 'e', 'ae');
    sounds := CASE
      WHEN letter !~ '[ァ-ヺ]' THEN ARRAY[replace(letter, 'ー', '')]
      WHEN letter = 'ッ' THEN ARRAY['', 'k', 't', 'p']
      WHEN letter = 'ン' THEN ARRAY['n', 'ng', 'm']
      WHEN letter ~ '[クムプル]' AND small = '' THEN ARRAY[consonant, consonant || vowel]
      WHEN letter ~ '[ケゲヘレ]' AND small = '' THEN ARRAY[consonant || vowel, consonant || 'y' || vowel]
      ELSE ARRAY[consonant || glide || vowel] END;
    spellings := ARRAY(SELECT s || x FROM unnest(spellings) AS s CROSS JOIN unnest(sounds) AS x);
    IF cardinality(spellings) > 300 THEN
      RETURN ARRAY[]::text[];
    END IF;
  END LOOP;
  RETURN ARRAY(SELECT DISTINCT sound_key(s) FROM unnest(spellings) AS s);
END $$;
COMMENT ON FUNCTION sounds_of_kana(text)
IS 'The sound keys of the Korean words that are written so in katakana, other letters as they are; empty if there are more than 300.';

-- A name with a word for station means only the station: 江南駅, gangnam station.
CREATE OR REPLACE FUNCTION without_station_word(spelling text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substring(
  normalize(spelling, NFKC),
  '^(.*[^[:space:]-].)[[:space:]-]*(?:subwaystation|metrostation|station|stn\.?|sta\.|yeok|[駅驛驿站])$'
);
COMMENT ON FUNCTION without_station_word(text) IS 'The name before station, stn, 駅 or 站; null where none of them ends it.';

-- 首爾市 is 首爾 where the list has no unit.
CREATE OR REPLACE FUNCTION without_region_word(spelling text, OUT name text, OUT unit text)
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF spelling ~ '[\u3041-\u9fff].+[市道区區郡洞島岛]$' THEN
    name := regexp_replace(left(spelling, -1), '([特广廣広][別别域])(自治)?$', '');
    unit := han_folded(right(spelling, 1));
  END IF;
END $$;
COMMENT ON FUNCTION without_region_word(text) IS 'The name before 特別市, 市, 区 and the like, and the unit: 市, 道, 区, 郡, 洞 or 岛; nulls where none of them ends it.';

CREATE OR REPLACE FUNCTION has_unit(name_level text, unit text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE unit
  WHEN '市' THEN name_level LIKE ANY ('{%sido,%sigungu}')
  WHEN '岛' THEN name_level LIKE ANY ('{%sido,%sigungu}')
  WHEN '道' THEN name_level LIKE '%sido'
  WHEN '洞' THEN name_level LIKE '%dong' AND name_level <> 'rural dong'
  ELSE name_level LIKE '%sigungu'
END;
COMMENT ON FUNCTION has_unit(text, text) IS 'True when regions of a level may be called a 市, 道, 区, 郡, 洞 or 岛 (濟州島).';

-- The rows of the dictionaries that have one of the terms, with their names. Rows of the same station share their names.
CREATE OR REPLACE FUNCTION rows_spelled(terms text [])
RETURNS TABLE (term text, kind text, id bigint, names text [], name_level text, lang text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT t, 'brand', b.id, ARRAY[b.name], '', '' FROM unnest(terms) AS t INNER JOIN brands AS b ON brand_spellings(b.name) @> ARRAY[t]
  UNION ALL
  SELECT t, 'brand', a.brand_id, ARRAY[a.alias], '', a.lang
  FROM unnest(terms) AS t INNER JOIN brand_aliases AS a ON brand_spellings(a.alias) @> ARRAY[t]
  UNION ALL
  SELECT t, 'region', r.id, ARRAY(SELECT normalize(k, NFC) FROM unnest(region_name_keys(r.name, r.level)) AS k) || r.name_en,
    CASE WHEN r.level = 'dong' AND r.name ~ '(읍|면|리)$' THEN 'rural dong' ELSE r.level END, ''
  FROM unnest(terms) AS t INNER JOIN regions AS r ON region_spellings(r.name, r.name_en, r.level) @> ARRAY[t]
  UNION ALL
  SELECT t, 'region', a.region_id, ARRAY[a.alias], CASE WHEN a.kind = 'short' THEN 'short ' ELSE '' END || r.level, a.lang
  FROM unnest(terms) AS t CROSS JOIN LATERAL (SELECT * FROM region_aliases WHERE brand_spellings(alias) @> ARRAY[t] OFFSET 0) AS a
  INNER JOIN regions AS r ON r.id = a.region_id
  UNION ALL
  SELECT t, 'station', s.id, station_names(s.name) || s.name_en, '', ''
  FROM unnest(terms) AS t INNER JOIN stations AS s ON station_spellings(s.name, s.name_en) @> ARRAY[t]
  UNION ALL
  SELECT t, 'station', a.station_id, ARRAY[a.alias], '', a.lang
  FROM unnest(terms) AS t INNER JOIN station_aliases AS a ON brand_spellings(a.alias) @> ARRAY[t];
END $$;
COMMENT ON FUNCTION rows_spelled(text []) IS 'Brands, regions and stations with a spelling that has one of the terms.';

CREATE OR REPLACE FUNCTION is_swapped(a text, b text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN length(a) = length(b) AND EXISTS (
    SELECT FROM generate_series(2, length(a) - 1) AS i
    WHERE left(a, i - 1) || substr(a, i + 1, 1) || substr(a, i, 1) || substr(a, i + 2) = b
  );
END $$;
COMMENT ON FUNCTION is_swapped(text, text) IS 'True when two neighbouring letters after the first exchanged places.';

-- A key of kana or Chinese characters has few but distinctive letters: in a name of three, only an additional one is an error.
CREATE OR REPLACE FUNCTION may_be_misspelt(typed_key text, name_key text, typed text, name text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN CASE
    WHEN left(name_key, 1) = '~' THEN
      edit_distance(typed_key, name_key) <= 1 OR is_swapped(typed_key, name_key) OR edit_distance(typed, name) <= 1 OR is_swapped(typed, name)
    WHEN length(name_key) >= 5 OR length(name_key) = 4 AND length(typed_key) = 5 THEN edit_distance(typed_key, name_key) <= 1
    ELSE false
  END;
END $$;
COMMENT ON FUNCTION may_be_misspelt(text, text, text, text) IS 'True when the key that was typed, or in Latin its letters, are one letter off those of a name.';

-- A wrong Latin letter may change the sound key in several places (gwacheosi, teominoel). So the keys of the word without a letter, or
-- with two letters exchanged, are looked up as well.
CREATE OR REPLACE FUNCTION near_spellings(sound text, letters text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(
    SELECT 'less ' || sound
    UNION
    SELECT prefix || l FROM unnest(one_letter_less(sound)) AS l CROSS JOIN unnest(ARRAY['', 'less ']) AS prefix
    WHERE left(l, 1) = left(sound, 1)
    UNION
    SELECT prefix || spelling_key(left(letters, i - 1) || v || substr(letters, i + 2)) FROM generate_series(2, length(letters)) AS i
    CROSS JOIN LATERAL (VALUES (substr(letters, i + 1, 1)), (reverse(substr(letters, i, 2)))) AS variants (v)
    CROSS JOIN unnest(ARRAY['', 'less ']) AS prefix
    WHERE left(sound, 1) = '~'
  );
END $$;
COMMENT ON FUNCTION near_spellings(text, text) IS 'The terms of spellings from which a key, or Latin letters, are a letter off; the key''s mark stays.';

CREATE OR REPLACE FUNCTION spellings_in(script text, name text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN CASE
    WHEN name ~ '[가-힣]' AND NOT is_foreign(name) THEN
      CASE script WHEN '=' THEN kana_spellings(name) ELSE latin_spellings(name) END
    WHEN (normalize(name, NFKC) ~ '[\u3041-\u30ff\u3400-\u9fff]') = (script = '=') THEN spellings(ARRAY[name])
  END;
END $$;
COMMENT ON FUNCTION spellings_in(text, text)
IS 'The spellings of a name whose key begins with this sign: = for kana and Chinese characters, ~ for Latin letters; null if there are none.';

-- Of names with the same sound the nearest spelling is meant, and up to four letters, with station up to three, it must be the
-- spelling itself. Where no spelling is typed to the letter, provinces come before districts, stations and brands before 동. Of kana
-- that sound alike those written nearest are meant, for folding makes one of ム and ン, ポ and ホ; so are Chinese characters with an
-- error.
CREATE OR REPLACE FUNCTION names_spelled(typed text [], misspelt boolean DEFAULT false)
RETURNS TABLE (key text, kind text, id bigint, rank integer, korean text, lang text, spelling text)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
#variable_conflict use_column
BEGIN
  IF typed IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY
  WITH forms AS MATERIALIZED (
    SELECT k AS key, f.word, f.unit, f.unit IS NOT DISTINCT FROM '站' AS is_station, spelling_key(f.word) AS sound, spelled_letters(f.word) AS letters
    FROM unnest(typed) AS k
    CROSS JOIN LATERAL (
      SELECT k, NULL UNION ALL SELECT without_station_word(k), '站' UNION ALL SELECT w.name, w.unit FROM without_region_word(k) AS w WHERE NOT misspelt
    ) AS f (word, unit)
    WHERE f.word IS NOT NULL AND is_foreign(f.word) AND length(f.word) BETWEEN 2 AND 60
  ), terms AS MATERIALIZED (
    SELECT f.*, t FROM forms AS f
    CROSS JOIN LATERAL unnest(CASE WHEN NOT misspelt THEN ARRAY[f.sound] WHEN length(f.sound) BETWEEN
      CASE left(f.sound, 1) WHEN '=' THEN 4 ELSE 6 END AND 30 THEN near_spellings(f.sound, f.letters) END) AS t
  ), found AS MATERIALIZED (
    SELECT DISTINCT t.key, t.word, t.letters, t.sound, t.unit, t.is_station, r.kind, r.id, r.names, r.name_level, r.lang
    FROM rows_spelled(ARRAY(SELECT DISTINCT t FROM terms)) AS r INNER JOIN terms AS t ON t.t = r.term
    WHERE t.unit IS NULL OR r.kind = 'station' OR r.kind = 'region' AND NOT t.is_station AND has_unit(r.name_level, t.unit)
  ), sounds AS MATERIALIZED (
    SELECT q.*, spelled_letters(q.spelling) AS letters FROM (
      SELECT p.*, spelling_key(p.spelling) AS sound FROM (
        SELECT DISTINCT d.names, d.script, n.name, s.spelling
        FROM (SELECT DISTINCT names, left(sound, 1) AS script FROM found) AS d
        CROSS JOIN unnest(d.names) AS n (name) CROSS JOIN unnest(spellings_in(d.script, n.name)) AS s (spelling)
      ) AS p OFFSET 0
    ) AS q WHERE misspelt OR q.sound = ANY (ARRAY(SELECT f.sound FROM forms AS f))
  ), near AS MATERIALIZED (
    SELECT DISTINCT f.key, f.kind, f.id, f.unit, f.is_station, f.name_level, f.lang, s.name, s.spelling, s.letters, length(f.letters) AS size,
      CASE WHEN f.letters = s.letters THEN 0 ELSE greatest(edit_distance(f.letters, s.letters), 1) END AS off,
      -- 江南區 comes before 江南 with a unit
      CASE WHEN f.unit IS NULL OR f.is_station THEN 0 ELSE 1 END + CASE
        WHEN f.word ~ '[\u3041-\u30ff\uff66-\uff9d]' THEN edit_distance(katakana(f.word), katakana(s.spelling))
        WHEN misspelt AND left(f.sound, 1) = '=' THEN edit_distance(f.word, s.spelling) ELSE 0 END AS off_unfolded
    FROM found AS f INNER JOIN sounds AS s ON s.names = f.names AND s.script = left(f.sound, 1)
    WHERE CASE WHEN f.letters = s.letters THEN true WHEN length(f.letters) < CASE WHEN f.is_station THEN 3 ELSE 4 END AND left(f.sound, 1) = '~' THEN false
      WHEN misspelt THEN may_be_misspelt(f.sound, s.sound, f.letters, s.letters) ELSE s.sound = f.sound END
  ), nearest AS (
    SELECT n.*, first_value((n.off, n.off_unfolded, n.letters)) OVER (PARTITION BY n.key ORDER BY n.off, n.off_unfolded, name_precedence(n.kind, n.name_level), n.letters) AS best
    FROM near AS n WHERE n.off <= greatest(2, 0.6 * n.size)
  ), meant AS MATERIALIZED (
    SELECT n.*, CASE WHEN n.lang <> '' THEN n.lang WHEN n.name ~ '[가-힣]' AND n.spelling ~ '[\u30a0-\u30ff]' THEN 'ja'
      WHEN n.name ~ '[가-힣]' THEN 'ko-Latn' WHEN n.name ~ '^[ -~]*$' THEN 'en' ELSE '' END AS name_lang
    FROM nearest AS n WHERE (n.off, n.off_unfolded, n.letters) = n.best
  ), in_korean AS MATERIALIZED (
    SELECT m.key, m.name_lang, m.spelling, jamo(s.name || translate(coalesce(m.unit, ''), '市区郡洞道', '시구군동도')) AS korean_key, 2 AS worst_rank
    FROM meant AS m INNER JOIN stations AS s ON s.id = m.id
    WHERE m.kind = 'station' AND NOT m.is_station AND NOT misspelt AND m.spelling ~ '^[\u3400-\u9fff]+$'
    UNION ALL
    SELECT m.key, m.name_lang, m.spelling, jamo(regexp_replace(name_in_korean('region', m.id), '동$', '')), 0
    FROM meant AS m
    WHERE m.kind = 'region' AND m.unit IS NULL AND NOT misspelt AND m.name_level = 'dong' AND m.name = m.spelling || '洞'
    UNION ALL
    SELECT d.key, CASE WHEN d.key ~ '區' THEN 'zh-Hant' WHEN d.key ~ '東' THEN 'ja' ELSE 'zh-Hans' END, d.key, jamo(translate(left(han_folded(d.key), 1), '中东西南北', '중동서남북') || '구'), 0
    FROM unnest(typed) AS d (key) WHERE NOT misspelt AND han_folded(d.key) ~ '^[中东西南北]区$'
  )
  SELECT m.key, m.kind, m.id,
    CASE m.kind WHEN 'brand' THEN 0 WHEN 'station' THEN (NOT m.is_station)::int ELSE CASE
      WHEN m.name ~ '[가-힣]' THEN region_rank(CASE WHEN m.name_level LIKE '% dong' THEN 'dong' ELSE split_part(m.name_level, 'short ', 1) END, '', jamo(m.name))
      WHEN m.name_level LIKE '%dong' AND m.spelling <> m.name THEN 2 ELSE 0 END END,
    CASE WHEN m.name ~ '[가-힣]' THEN m.name ELSE '' END || CASE WHEN m.is_station AND m.name ~ '[가-힣]' THEN '역' ELSE '' END,
    m.name_lang, m.spelling
  FROM meant AS m WHERE m.unit IS NULL OR m.is_station OR m.kind = 'region'
  UNION ALL
  -- Few regions have names in Chinese characters. So the characters of a station also mean the region with its Korean name, unless
  -- that region has other characters, and so do those of a 동 (盆唐) and the five that every city calls its districts by (中区).
  SELECT DISTINCT k.key, 'region', n.id, n.rank, '', k.name_lang, k.spelling
  FROM (SELECT array_agg(DISTINCT korean_key) AS keys FROM in_korean) AS i CROSS JOIN LATERAL search_names(i.keys) AS n
  INNER JOIN in_korean AS k ON k.korean_key = n.key
  WHERE i.keys IS NOT NULL AND n.kind = 'region' AND n.rank <= k.worst_rank AND (
    SELECT coalesce(bool_or(starts_with(spelling_key(a.alias), spelling_key(k.spelling))), true)
    FROM region_aliases AS a INNER JOIN regions AS r ON r.id = a.region_id
    -- 城南市 is listed for 분당구, too
    WHERE a.region_id = n.id AND a.kind = 'foreign' AND a.alias ~ '^[\u3400-\u9fff]{2}' AND NOT (a.alias !~ '[区區]$' AND r.name ~ ' .+구$'));
END $$;
COMMENT ON FUNCTION names_spelled(text [], boolean)
IS 'Brands, regions and stations of spellings, with the name in Hangul (empty if a foreign name matched), language and spelling; misspelt: one letter differs, by sound.';

CREATE OR REPLACE FUNCTION begun_spellings(terms text []) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
BEGIN
  RETURN ARRAY(
    SELECT t FROM unnest(terms) AS t
    WHERE EXISTS (SELECT FROM brands AS b WHERE brand_spellings(b.name) @> ARRAY[t])
      OR EXISTS (SELECT FROM brand_aliases AS a WHERE brand_spellings(a.alias) @> ARRAY[t])
      OR EXISTS (SELECT FROM regions AS r WHERE region_spellings(r.name, r.name_en, r.level) @> ARRAY[t])
      OR EXISTS (SELECT FROM region_aliases AS a WHERE brand_spellings(a.alias) @> ARRAY[t])
      OR EXISTS (SELECT FROM stations AS s WHERE station_spellings(s.name, s.name_en) @> ARRAY[t])
      OR EXISTS (SELECT FROM station_aliases AS a WHERE brand_spellings(a.alias) @> ARRAY[t])
  );
END $$;
COMMENT ON FUNCTION begun_spellings(text []) IS 'Those of the terms that a spelling in the dictionaries has.';

-- The typed part of a name: its sound without the vowels at the end, which may be incomplete (mye, myeo), and the typed part of the
-- word for station.
CREATE OR REPLACE FUNCTION names_begun(typed text) RETURNS TABLE (kind text, id bigint, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
#variable_conflict use_column
DECLARE
  letters text := spelled_letters(typed);
  script text := left(spelling_key(letters), 1);
  without_station text := coalesce(
    substring(letters, '^(.{3,}?)(?:s|st|sta|stat|stati|statio|station|stn)$'), substring(letters, '^(.{2,})[驿站]$'));
BEGIN
  RETURN QUERY
  WITH forms AS (
    SELECT DISTINCT 'begins ' || left(spelling_key(f.form), 12) AS term, f.only_stations
    FROM (VALUES
      -- unlike without_half_sound(), with a c at the end: else munc would mean 문래
      (letters, false), (regexp_replace(letters, '(?<=[a-z]{3})[aeiouwy]+$', ''), false), (without_station, true)
    ) AS f (form, only_stations)
    WHERE f.form IS NOT NULL AND is_foreign(f.form)
  ), found AS MATERIALIZED (
    -- of the many 동, those beyond the limit are left out before a station or a district
    SELECT DISTINCT r.kind, r.id, r.names, f.only_stations, r.name_level LIKE '%dong' AS is_dong
    FROM rows_spelled(ARRAY(SELECT term FROM forms)) AS r INNER JOIN forms AS f ON f.term = r.term
    WHERE r.kind = 'station' OR NOT f.only_stations ORDER BY is_dong LIMIT 100
  ), spelled AS MATERIALIZED (
    SELECT d.names, ARRAY(
        SELECT spelled_letters(x.s) FROM (SELECT DISTINCT s FROM unnest(d.names) AS n (name) CROSS JOIN unnest(spellings_in(script, n.name)) AS s) AS x
      ) AS spellings
    FROM (SELECT DISTINCT names FROM found) AS d
  )
  SELECT f.kind, f.id, CASE
      WHEN (CASE WHEN f.only_stations THEN without_station ELSE letters END) = ANY (s.spellings) THEN 0
      WHEN EXISTS (SELECT FROM unnest(s.spellings) AS x WHERE starts_with(x, letters)) THEN 1
      ELSE 2 END
  FROM found AS f INNER JOIN spelled AS s ON s.names = f.names;
END $$;
COMMENT ON FUNCTION names_begun(text)
IS 'Brands, regions and stations with a spelling that begins as typed: rank 0 is the whole name, 1 an exact prefix, 2 a prefix by sound.';

-- Koreans write 路, 通り, 街 and キル as 로 or 길, so what is before it is looked for. 新論峴 is 신논현 as 論峴 is 논현: of the forms, a known one.
CREATE OR REPLACE FUNCTION han_in_korean(word text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  loaned constant text := (
    SELECT string_agg(coalesce(place_word(spelled_letters(p)) ->> 'word', p), '' ORDER BY o)
    FROM unnest(place_words_apart(ARRAY[word], ARRAY[word])) WITH ORDINALITY AS t (p, o));
  han constant text := regexp_replace(regexp_replace(regexp_replace(loaned, '[站駅驛驿]', '역', 'g'), '(..)(?:通り?|[キギ]ル|(?<![0-9一二三四五六七八九])街)$', '\1路'), '湖$', '호수');
  reading constant text := regexp_replace(hangul_of_han(han), '(?<=..)대학$', '대');
  forms constant text[] := ARRAY[initial_sounds_changed(reading, false), initial_sounds_changed(reading, true)];
  road constant text := substring(forms[1] FROM '^(..+)로$');
BEGIN
  -- one character is a particle or a part of another word: 我, 機
  IF reading ~ '[\u3041-\u30ff\u3400-\u9fff]' OR length(word) < 2 THEN
    RETURN NULL;
  END IF;
  RETURN coalesce(
    -- 池 is 못 or 지
    CASE WHEN han ~ '池$' AND unknown_words(ARRAY[left(forms[1], -1) || '못']) = '{}' THEN left(forms[1], -1) || '못' END,
    CASE WHEN forms[1] <> forms[2] OR road IS NOT NULL
      THEN (SELECT f FROM unnest(forms) WITH ORDINALITY AS t (f, o) WHERE unknown_words(ARRAY[f]) = '{}' ORDER BY o LIMIT 1) END,
    CASE WHEN han ~ '路$' AND unknown_words(ARRAY[road]) <> '{}' THEN road END,
    CASE WHEN han ~ '路$' THEN (SELECT road || u FROM unnest('{로,길}'::text[]) AS u WHERE shops_have(normalize(road || u, NFD)) LIMIT 1) END,
    forms[1]);
END $$;
COMMENT ON FUNCTION han_in_korean(text) IS 'A word in Chinese characters as Koreans read it (狎鷗亭 압구정); null if a character has no known reading.';

-- 松坡ナル is 송파나루: one half is written in Chinese characters, the other as it sounds, in kana. 前 may be 앞, which some stations have
-- in their names (外大前 is 외대앞) and others do not (釜山大前 is 부산대), so names are looked for with and without it.
CREATE OR REPLACE FUNCTION name_in_kana(word text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  bare constant text := coalesce(without_station_word(word), word);
  form text;
BEGIN
  IF length(word) > 16 OR bare !~ '[\u3400-\u9fff]' OR bare !~ '[\u3041-\u30ff]|大前$' THEN
    RETURN NULL;
  END IF;
  FOR form IN
    SELECT string_agg(CASE WHEN p.part[1] ~ '[\u3400-\u9fff]' THEN in_kana(initial_sounds_changed(hangul_of_han(p.part[1]), false)) ELSE p.part[1] END, '' ORDER BY p.o)
    FROM (VALUES (1, regexp_replace(bare, '前$', 'アプ')), (2, regexp_replace(bare, '前$', ''))) AS f (rank, written)
    CROSS JOIN LATERAL regexp_matches(f.written, '[\u3400-\u9fff]+|[^\u3400-\u9fff]+', 'g') WITH ORDINALITY AS p (part, o)
    GROUP BY f.rank ORDER BY f.rank
  LOOP
    IF form !~ '[\u3400-\u9fff]' AND EXISTS (SELECT FROM names_spelled(ARRAY[form])) THEN
      RETURN form || CASE WHEN bare <> word THEN '駅' ELSE '' END;
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION name_in_kana(text) IS 'A name in both Chinese characters and kana, or one that ends in 大前, in katakana; null if no name of the dictionaries sounds like it.';

CREATE OR REPLACE FUNCTION name_in_korean(kind text, row_id bigint) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN CASE kind
    WHEN 'region' THEN (
      SELECT regexp_replace(regexp_replace(r.name, '^.* ', ''), CASE r.level WHEN 'dong' THEN '[0-9·.,]+(?=(동|가)$)' ELSE '(?<=..)(특별시|광역시|특별자치시|특별자치도|[도시군구])$' END, '')
      FROM regions AS r WHERE r.id = row_id)
    WHEN 'station' THEN (SELECT s.name FROM stations AS s WHERE s.id = row_id)
    WHEN 'brand' THEN (SELECT b.name FROM brands AS b WHERE b.id = row_id) END;
END $$;
COMMENT ON FUNCTION name_in_korean(text, bigint) IS 'The Korean name of a row of a dictionary, of a region without the one above it, its number and, as addresses shorten it, the kind of a province, city or district.';

-- If a name means all districts of a city, the result is the name of the city; if only some (masan), the name that these share.
CREATE OR REPLACE FUNCTION korean_names(understood jsonb) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(
    SELECT name_key(CASE
      WHEN NOT x ? 'matched' THEN x ->> 'text'
      WHEN x ->> 'kind' = 'region' AND jsonb_array_length(x -> 'ids') > 1 THEN coalesce(
        (SELECT a.alias FROM region_aliases AS a WHERE x -> 'ids' @> to_jsonb(a.region_id) AND a.alias ~ '^[가-힣]+$'
          GROUP BY a.alias HAVING count(*) = jsonb_array_length(x -> 'ids') ORDER BY 1 LIMIT 1),
        (SELECT coalesce(substring(min(r.name), '^(.+)시 '), name_in_korean('region', min(r.id))) FROM regions AS r WHERE x -> 'ids' @> to_jsonb(r.id)))
      ELSE concat(name_in_korean(x ->> 'kind', (x -> 'ids' ->> 0)::bigint),
        CASE WHEN x ->> 'kind' = 'station' AND without_station_word(x ->> 'text') IS NOT NULL THEN '역' END) END)
    FROM jsonb_array_elements(understood) WITH ORDINALITY AS t (x, o) ORDER BY o);
END $$;
COMMENT ON FUNCTION korean_names(jsonb) IS 'The words of a reading, with foreign names in Korean.';

-- 慶州皇理團路 is 경주 황리단길. Of 麻浦区西桥洞 only 西桥洞 is unknown, unless shops have all of it as one word. Longer words than names are
-- sentences, whose readings cost much and find nothing.
CREATE OR REPLACE FUNCTION han_word_in_korean(word text, spans jsonb)
RETURNS TABLE (part text, typed text)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  whole constant text := CASE WHEN length(word) <= 16 THEN han_in_korean(word) END;
  parts constant text[] := names_apart(word, spans);
BEGIN
  IF cardinality(parts) = 1 OR shops_have(normalize(whole, NFD)) THEN
    RETURN QUERY SELECT p, word FROM unnest(CASE WHEN whole ~ '^[가-힣]{5,}$' THEN word_apart(whole) ELSE ARRAY[coalesce(whole, word)] END) AS p;
  ELSE
    RETURN QUERY
    SELECT CASE WHEN length(p.name) > 16 OR EXISTS (
        SELECT FROM jsonb_to_recordset(spans) AS s (first integer, past integer) WHERE s.past = p.past AND s.past - s.first = length(p.name)) THEN p.name
      ELSE coalesce(han_in_korean(p.name), p.name) END, p.name
    FROM (SELECT n, o, 1 + sum(length(n)) OVER (ORDER BY o) FROM unnest(parts) WITH ORDINALITY AS t (n, o)) AS p (name, o, past) ORDER BY p.o;
  END IF;
END $$;
COMMENT ON FUNCTION han_word_in_korean(text, jsonb)
IS 'A word with Chinese characters as words that Koreans read, with names of the dictionaries as they are, and how each was typed. The spans, those of search_understand, count from its first letter.';

-- If everything is a name, shops may have their Korean names in name and address: 春川 明洞 is no station of 서울.
CREATE OR REPLACE FUNCTION words_in_korean(
  words text [], unknown text [], understood jsonb, spans jsonb, OUT read_as text [], OUT spelled jsonb
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM unnest(unknown) AS u WHERE u !~ '^[0-9-]+$') THEN
    read_as := korean_names(understood);
  ELSE
    SELECT without_small_words(array_agg(p.part ORDER BY w.o, p.o)),
      jsonb_object_agg(p.part, jsonb_build_object('text', p.typed, 'lang', 'ko-Hani', 'matched', p.part)) FILTER (WHERE p.part <> p.typed)
    INTO read_as, spelled
    FROM (SELECT t.word, t.o, sum(length(t.word)) OVER (ORDER BY t.o) - length(t.word) AS place FROM unnest(words) WITH ORDINALITY AS t (word, o)) AS w
    CROSS JOIN LATERAL (
      SELECT w.word, w.word, 1 WHERE w.word !~ '[\u3400-\u9fff]' OR NOT contains_any(w.word, unknown)
      UNION ALL
      SELECT k.part, k.typed, k.o FROM han_word_in_korean(w.word, spans_after(spans, w.place::integer)) WITH ORDINALITY AS k (part, typed, o)
      WHERE w.word ~ '[\u3400-\u9fff]' AND contains_any(w.word, unknown)
    ) AS p (part, typed, o);
  END IF;
  IF read_as = words THEN
    read_as := NULL;
  END IF;
END $$;
COMMENT ON FUNCTION words_in_korean(text [], text [], jsonb, jsonb)
IS 'The words with unknown ones in Chinese characters as Koreans read them, or the Korean names of all; null if there are none.';
