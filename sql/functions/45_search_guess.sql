-- Corrects words without results: a wrong keyboard layout (typed_on_latin_keyboard), or one wrong letter (corrected_word for names
-- of the dictionaries, typo_query for those of shops). Names in foreign scripts: may_be_misspelt in 44_search_spellings.sql.

-- Keys of the two-set (두벌식) keyboard; shifted ones are upper case.
CREATE OR REPLACE FUNCTION typed_on_latin_keyboard(word text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  keys text := CASE WHEN word = upper(word) THEN lower(word) ELSE word END;
  letters text;
  pair text[];
BEGIN
  keys := translate(keys, 'ABCDFGHIJKLMNSUVXYZ', 'abcdfghijklmnsuvxyz');
  letters := translate(keys, 'rRseEfaqQtTdwWczxvgkoiOjpuPhynbml', 'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎㅏㅐㅑㅒㅓㅔㅕㅖㅗㅛㅜㅠㅡㅣ');
  FOREACH pair SLICE 1 IN ARRAY ARRAY[['ㅗㅏ','ㅘ'],['ㅗㅐ','ㅙ'],['ㅗㅣ','ㅚ'],['ㅜㅓ','ㅝ'],['ㅜㅔ','ㅞ'],['ㅜㅣ','ㅟ'],['ㅡㅣ','ㅢ']] LOOP
    letters := replace(letters, pair[1], pair[2]);
  END LOOP;
  IF letters !~ '^([ㄱ-ㅎ][ㅏ-ㅣ][ㄱ-ㅎ]{0,2})+[ㄱ-ㅎ]?$' THEN
    RETURN NULL;
  END IF;
  -- a consonant before a vowel begins a syllable, others end one; two at the end of a syllable may be one letter
  FOREACH pair SLICE 1 IN ARRAY ARRAY[['ㄱㅅ','ㄳ'],['ㄴㅈ','ㄵ'],['ㄴㅎ','ㄶ'],['ㄹㄱ','ㄺ'],['ㄹㅁ','ㄻ'],['ㄹㅂ','ㄼ'],['ㄹㅅ','ㄽ'],
    ['ㄹㅌ','ㄾ'],['ㄹㅍ','ㄿ'],['ㄹㅎ','ㅀ'],['ㅂㅅ','ㅄ']] LOOP
    letters := regexp_replace(letters, pair[1] || '(?![ㅏ-ㅣ])', pair[2], 'g');
  END LOOP;
  letters := regexp_replace(letters, '([ㅏ-ㅣ])([ㄱ-ㅎ])(?![ㅏ-ㅣ])', '\1<\2>', 'g');
  RETURN normalize(jamo_written(letters), NFC);
END $$;
COMMENT ON FUNCTION typed_on_latin_keyboard(text)
IS 'The Hangul typed with these keys on a two-set keyboard (rkdska is 강남); null if they form no syllables.';

CREATE OR REPLACE FUNCTION jamo_written(letters text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  finals text := 'ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ';
  final text;
BEGIN
  FOREACH final IN ARRAY string_to_array(finals, NULL) LOOP
    letters := replace(letters, '<' || final || '>', chr(4519 + strpos(finals, final)));
  END LOOP;
  RETURN normalize(translate(letters, '<>', ''), NFKD);
END $$;
COMMENT ON FUNCTION jamo_written(text) IS 'Letters as conjoining jamo; a letter in <> ends its syllable.';

CREATE OR REPLACE FUNCTION letters_between(least_code integer, greatest_code integer) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(SELECT chr(c) FROM generate_series(least_code, greatest_code) AS c);
END $$;
COMMENT ON FUNCTION letters_between(integer, integer) IS 'The letters with these code points.';

-- All variants of a word with one wrong, missing or additional letter, where a letter is a jamo, a syllable or a sign.
CREATE OR REPLACE FUNCTION one_letter_off(letters text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  finals text[] := letters_between(4520, 4546);
  latin text[] := CASE WHEN letters ~ '^[a-z0-9]+$' THEN letters_between(97, 122) END;
  words text[] := ARRAY(SELECT c || letters FROM unnest(latin) c);
  head text;
  letter text;
  tail text;
BEGIN
  FOR i IN 1..length(letters) LOOP
    head := left(letters, i - 1);
    letter := substr(letters, i, 1);
    tail := substr(letters, i + 1);
    words := words || (head || tail) || ARRAY(
      SELECT head || c || tail FROM unnest(CASE
        WHEN letter BETWEEN U&'\1100' AND U&'\1112' THEN letters_between(4352, 4370)
        WHEN letter BETWEEN U&'\1161' AND U&'\1175' THEN letters_between(4449, 4469)
        WHEN letter BETWEEN U&'\11a8' AND U&'\11c2' THEN finals
        WHEN letter BETWEEN 'a' AND 'z' THEN letters_between(97, 122)
        WHEN letter BETWEEN '0' AND '9' THEN letters_between(48, 57) END) AS c
      WHERE c <> letter
      UNION ALL
      SELECT head || letter || c || tail FROM unnest(latin) AS c
      UNION ALL
      SELECT head || letter || c || tail FROM unnest(finals) AS c
      WHERE letter BETWEEN U&'\1161' AND U&'\1175' AND left(tail, 1) NOT BETWEEN U&'\11a8' AND U&'\11c2');
    IF latin IS NOT NULL AND tail <> '' THEN
      words := words || (head || left(tail, 1) || letter || substr(tail, 2));
    END IF;
  END LOOP;
  IF length(normalize(letters, NFC)) > 4 THEN
    words := words || one_syllable_less(letters);
  END IF;
  RETURN ARRAY(SELECT DISTINCT w FROM unnest(words) w);
END $$;
COMMENT ON FUNCTION one_letter_off(text) IS 'The words one letter away: replaced, left out, put in, in Latin also exchanged.';

CREATE OR REPLACE FUNCTION is_long_enough_for_typos(letters text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN length(letters) BETWEEN 4 AND 40 AND length(normalize(letters, NFC)) > 1;
COMMENT ON FUNCTION is_long_enough_for_typos(text) IS 'Whether a word is long enough to correct; shorter ones are one letter away from too many names.';

-- A name is similar to a word if both are equal without one letter or syllable, or one equals the other without one.
CREATE OR REPLACE FUNCTION near_terms(word text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(
    SELECT 'less ' || word
    UNION
    SELECT prefix || l FROM unnest(one_letter_less(word) || one_syllable_less(word)) AS l CROSS JOIN unnest(ARRAY['', 'less ']) AS prefix
  );
END $$;
COMMENT ON FUNCTION near_terms(text) IS 'The search terms of names from which a word is a letter or a syllable off.';

-- Equivalent to being in one_letter_off(word), but checked by the difference between the two.
CREATE OR REPLACE FUNCTION is_a_letter_off(word text, name text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  same integer := 0;
  extra text;
  lacking text;
BEGIN
  WHILE same < length(word) AND left(word, same + 1) = left(name, same + 1) LOOP
    same := same + 1;
  END LOOP;
  extra := substr(word, same + 1);
  lacking := substr(name, same + 1);
  WHILE extra <> '' AND right(extra, 1) = right(lacking, 1) LOOP
    extra := left(extra, -1);
    lacking := left(lacking, -1);
  END LOOP;
  RETURN extra || lacking ~ '^([\u1100-\u1112]{2}|[\u1161-\u1175]{2}|[\u11a8-\u11c2]{2}|[a-z]{2}|[0-9]{2})$' AND length(extra) = 1
    OR length(extra) = 1 AND lacking = ''
    OR extra = '' AND (lacking ~ '^[\u11a8-\u11c2]$' OR lacking ~ '^[a-z]$' AND word ~ '^[a-z0-9]+$')
    -- a syllable of which a letter is missing: 셀픽ㅡ, 셀픽ㅅ
    OR extra = '' AND lacking ~ '^[\u1100-\u1175]$' AND normalize(word, NFC) ~ '[\u1100-\u1175]'
    OR length(extra) = 2 AND lacking = reverse(extra) AND word ~ '^[a-z0-9]+$'
    OR length(normalize(word, NFC)) > 4 AND name = ANY (one_syllable_less(word));
END $$;
COMMENT ON FUNCTION is_a_letter_off(text, text) IS 'Whether the word is the name with one wrong, missing or extra letter.';

CREATE OR REPLACE FUNCTION is_a_syllable_off(word text, name text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE length(name) - length(word)
  WHEN 1 THEN length(word) >= 3 AND word = ANY (one_letter_less(name))
  WHEN 0 THEN length(word) >= 4 AND EXISTS (
    SELECT FROM generate_series(1, length(word)) AS i
    WHERE left(word, i - 1) = left(name, i - 1) AND substr(word, i + 1) = substr(name, i + 1)
      -- 서부터미널 is not 남부터미널
      AND substr(word, i, 1) || substr(name, i, 1) !~ '^[동서남북]{2}$')
  ELSE false
END;
COMMENT ON FUNCTION is_a_syllable_off(text, text) IS 'True when the name has one syllable more than the word, or another one (인네컷, 인성네컷).';

CREATE OR REPLACE FUNCTION folded_vowels(letters text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN translate(letters, U&'\1163\1164\1167\1168\116d\1172\1166', U&'\1161\1162\1165\1162\1169\116e\1162');
COMMENT ON FUNCTION folded_vowels(text) IS 'The letters with ㅑ as ㅏ, ㅛ as ㅗ and so on: what slips in typing first.';

-- The names probably meant: by kind in alphabetical order (brand, entrance, region, station), names of the same length before others.
CREATE OR REPLACE FUNCTION probable_names(words text [])
RETURNS TABLE (word text, name text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  entrance constant text := normalize('입구', NFD);
BEGIN
  RETURN QUERY
  WITH looked_up AS MATERIALIZED (
    SELECT DISTINCT w, t FROM unnest(words) AS w CROSS JOIN unnest(near_terms(w)) AS t WHERE is_long_enough_for_typos(w)
  ), near AS MATERIALIZED (
    SELECT l.w, 'brand' AS kind, k AS key, jamo(b.name) AS full_name, 0 AS rank
    FROM looked_up AS l INNER JOIN brands AS b ON brand_terms(b.name) @> ARRAY[l.t] CROSS JOIN unnest(brand_keys(b.name)) AS k
    UNION
    SELECT l.w, 'brand', jamo(a.alias), jamo(a.alias), 0
    FROM looked_up AS l INNER JOIN brand_aliases AS a ON alias_terms(a.alias) @> ARRAY[l.t]
    UNION
    SELECT l.w, 'region', k, jamo(r.name), region_rank(r.level, r.name_en, k)
    FROM looked_up AS l INNER JOIN regions AS r ON region_terms(r.name, r.name_en, r.level) @> ARRAY[l.t]
    CROSS JOIN unnest(region_keys(r.name, r.name_en, r.level)) AS k
    UNION
    SELECT l.w, 'region', jamo(a.alias), NULL, 0
    FROM looked_up AS l INNER JOIN region_aliases AS a ON alias_terms(a.alias) @> ARRAY[l.t]
    UNION
    SELECT l.w, 'station', k, jamo(s.name), 0
    FROM looked_up AS l INNER JOIN stations AS s ON station_terms(s.name, s.name_en) @> ARRAY[l.t]
    CROSS JOIN unnest(station_keys(s.name, s.name_en)) AS k
    UNION
    -- 홍데 is 홍대입구
    SELECT l.w, 'entrance', jamo(s.name), jamo(s.name), 1
    FROM looked_up AS l INNER JOIN stations AS s ON station_terms(s.name, s.name_en) @> ARRAY[l.t || entrance]
    WHERE l.w ~ '^[\u1100-\u11ff]+$' AND length(normalize(l.w, NFC)) BETWEEN 2 AND 4 AND right(jamo(s.name), length(entrance)) = entrance
  ), probable AS (
    SELECT n.w, n.key, n.kind, n.rank, 0 AS off FROM near AS n
    WHERE length(n.key) > 3 AND is_a_letter_off(n.w || CASE n.kind WHEN 'entrance' THEN entrance ELSE '' END, n.key)
      AND (n.kind <> 'entrance' OR length(normalize(n.w || entrance, NFC)) <= length(normalize(n.key, NFC)))
      -- 경상대 is a university, 충청로 a street
      AND NOT (n.kind = 'region' AND normalize(n.w, NFC) ~ '(대|로)$' AND normalize(n.key, NFC) ~ '도$')
    UNION ALL
    SELECT n.w, n.key, n.kind, 0, 1 FROM near AS n
    WHERE n.key = n.full_name AND n.kind <> 'entrance' AND is_a_syllable_off(normalize(n.w, NFC), normalize(n.key, NFC))
  )
  SELECT DISTINCT ON (p.w) p.w, p.key FROM (
    SELECT p.w, p.key, p.kind, p.rank, p.off FROM probable AS p
    -- a short word begins as the name does: 인네 is not 인제, 신쵼 is 신촌
    WHERE p.kind <> 'region' OR length(normalize(p.w, NFC)) > 2 OR jamo_initials(p.w) = jamo_initials(p.key)
    UNION ALL
    SELECT f.key, jamo(coalesce(nullif(f.korean, ''), f.spelling || CASE
        WHEN f.kind <> 'station' OR f.rank > 0 THEN '' WHEN f.spelling ~ '[\u3041-\u9fff]' THEN '駅' ELSE 'station' END)), f.kind, f.rank, 2
    FROM names_spelled(ARRAY(SELECT w FROM unnest(words) AS w WHERE is_foreign(w)), true) AS f
  ) AS p
  ORDER BY p.w, p.off, folded_vowels(p.w) <> folded_vowels(p.key), p.kind, p.rank, abs(length(p.key) - length(p.w)), p.key;
END $$;
COMMENT ON FUNCTION probable_names(text [])
IS 'For each misspelt word, the letters of the dictionary name that was probably meant, if there is a similar one.';

-- A word may consist of a name and a misspelt name without a space: 강남구인셍네컷.
CREATE OR REPLACE FUNCTION corrected_word(word text) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  name text := (SELECT p.name FROM probable_names(ARRAY[normalize(word, NFD)]) AS p);
BEGIN
  IF name IS NOT NULL THEN
    RETURN ARRAY[normalize(name, NFC)];
  END IF;
  -- gangnam staion: the name before it is known
  IF length(word) > 5 AND is_a_letter_off(word, 'station') THEN
    RETURN ARRAY['station'];
  END IF;
  RETURN coalesce((
    WITH splits AS MATERIALIZED (
      SELECT i, normalize(left(word, i), NFD) AS head, normalize(substr(word, i + 1), NFD) AS tail
      FROM generate_series(2, least(length(word) - 2, 20)) AS i
    ), names AS MATERIALIZED (
      SELECT ARRAY(SELECT n.key FROM search_names(ARRAY(SELECT head FROM splits UNION SELECT tail FROM splits)) AS n) AS keys
    ), doubtful AS MATERIALIZED (
      SELECT s.i, 1 AS side, s.head AS part, s.tail AS other FROM splits AS s CROSS JOIN names AS n WHERE s.tail = ANY (n.keys)
      UNION ALL
      SELECT s.i, 2, s.tail, s.head FROM splits AS s CROSS JOIN names AS n WHERE s.head = ANY (n.keys)
    )
    SELECT CASE d.side WHEN 1 THEN ARRAY[normalize(p.name, NFC), normalize(d.other, NFC)]
      ELSE ARRAY[normalize(d.other, NFC), normalize(p.name, NFC)] END
    FROM doubtful AS d
    INNER JOIN probable_names(ARRAY(SELECT part FROM doubtful WHERE length(normalize(part, NFC)) >= 3)) AS p ON p.word = d.part
    ORDER BY d.i, d.side LIMIT 1
  ), ARRAY[word]);
END $$;
COMMENT ON FUNCTION corrected_word(text) IS 'The word with its misspelt name corrected; the word itself if no name is similar.';

-- A misspelt name may be written with spaces: 인생 내컷. Only from four syllables on, because two short words often make the name of
-- something else.
CREATE OR REPLACE FUNCTION corrected_across_spaces(words text [], unknown text []) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN coalesce((
    WITH joined AS MATERIALIZED (
      SELECT i, j, normalize(array_to_string(words[i:j], ''), NFD) AS word
      FROM generate_series(1, cardinality(words) - 1) AS i
      CROSS JOIN LATERAL generate_series(i + 1, least(i + 2, cardinality(words))) AS j
      WHERE words[i:j] <@ unknown AND length(array_to_string(words[i:j], '')) >= 4
        -- photoizm 광안리 is no photoism
        AND (array_to_string(words[i:j], '') !~ '[가-힣]' OR array_to_string(words[i:j], '') !~ '[a-z]')
        AND length(coalesce(without_station_word(array_to_string(words[i:j], '')), array_to_string(words[i:j], ''))) <= 25
    )
    SELECT words[:j.i - 1] || normalize(p.name, NFC) || words[j.j + 1:]
    FROM joined AS j INNER JOIN probable_names(ARRAY(SELECT word FROM joined)) AS p ON p.word = j.word
    ORDER BY j.i, j.j DESC LIMIT 1
  ), words);
END $$;
COMMENT ON FUNCTION corrected_across_spaces(text [], text [])
IS 'The words, with the first two or three unknown ones that together are a misspelt name corrected.';

-- The name in that of a street is no region (강남대로).
CREATE OR REPLACE FUNCTION names_before(word text, least_left integer)
RETURNS TABLE (name text, kind text, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT normalize(n.key, NFC), n.kind, n.rank
  FROM search_names(ARRAY(SELECT normalize(left(word, l), NFD) FROM generate_series(2, least(length(word) - least_left, 24)) AS l
      WHERE substr(word, l + 1) !~ '^(대|대학|중앙)?(로(?!데오?$)|길)')) AS n;
END $$;
COMMENT ON FUNCTION names_before(text, integer)
IS 'The names of the dictionaries that a word begins with, if at least so many syllables are left over.';

-- A word may begin with regions and stations, and a street's name with its number: 강남구사진관, 테헤란로152. 공항 in 공항철도 is no
-- station without 역, and one syllable that is left over is more often a particle (강남에) than a word.
CREATE OR REPLACE FUNCTION word_apart(word text) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  apart text[] := ARRAY[]::text[];
  name text;
BEGIN
  FOR i IN 1..3 LOOP
    SELECT max(n.name COLLATE "C") INTO name FROM names_before(word, 2) AS n WHERE n.kind <> 'brand' AND n.rank = 0;
    EXIT WHEN name IS NULL;
    apart := apart || name;
    word := substr(word, length(name) + 1);
  END LOOP;
  RETURN apart || regexp_split_to_array(word, '(?<=.[로길])(?=[0-9])');
END $$;
COMMENT ON FUNCTION word_apart(text) IS 'The regions and stations that a word begins with, and what is left over.';

-- Three syllables must be left over: 공항 in 공항철도 is no station.
CREATE OR REPLACE FUNCTION station_apart(word text) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  name constant text := (SELECT max(n.name COLLATE "C") FROM names_before(word, 3) AS n WHERE n.kind = 'station');
BEGIN
  RETURN CASE WHEN name IS NULL THEN ARRAY[word] ELSE ARRAY[name, substr(word, length(name) + 1)] END;
END $$;
COMMENT ON FUNCTION station_apart(text) IS 'The station that a word begins with, also without 역, and what is left over (잠실롯데월드몰), or the word.';

-- Words that form the name of a place with that of a station or region. Other words without a blank before them are not ignored.
CREATE OR REPLACE FUNCTION words_after_places() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '(?:전통|중앙|한옥|먹자|벽화)?(?:시장|지구|신도시|마을|공원|호수|골목|거리|상가|상권|광장|[사삼오]거리|로터리|교차로|성당|구청|시청|군청|터미널|공항|타워|백화점|아울렛|아웃렛|마트'
  || '|야구장|축구장|경기장|체육관|해수욕장|해변|유원지|캠퍼스|[정후북중동서남]문|영화관|사진관|데이트|여행)$';
COMMENT ON FUNCTION words_after_places() IS 'Words for places that follow a name in Hangul, as a regular expression.';

CREATE OR REPLACE FUNCTION names_apart(word text, spans jsonb) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  is_cjk constant boolean := word ~ '[\u3041-\u30ff\u3400-\u9fff]';
  suffix constant text := '^([a-z0-9]+$|' || words_after_places() || ')';
  ends jsonb;
  apart text[] := ARRAY[]::text[];
  unknown text := '';
  i integer := 1;
  past integer;
BEGIN
  IF length(word) > 24 OR NOT is_cjk AND word !~ ('..([a-z0-9]|[길몰]|' || words_after_places() || ')$') OR word ~ '[\u3400-\u9fff]路$' OR word ~ ('^' || words_after_places()) THEN
    RETURN ARRAY[word];
  END IF;
  ends := (SELECT jsonb_object_agg(s.first, s.past) FROM (
    SELECT s.first, max(s.past) AS past
    FROM jsonb_to_recordset(spans) AS s (first integer, past integer, kind text, ids bigint [], ranks integer [])
    WHERE s.past - s.first > 1 AND s.past <= length(word) + 1 AND (s.kind <> 'region' OR CASE WHEN is_cjk THEN s.ranks && '{0,1}'
      -- 부산시민공원 is not all of 부산
      ELSE NOT EXISTS (SELECT FROM regions AS r WHERE r.id = ANY (s.ids) AND r.level = 'sido') END)
      AND substr(word, s.past - 1) !~ '^[\u3041-\u30ff]{2}' GROUP BY s.first) AS s);
  WHILE i <= length(word) LOOP
    past := CASE WHEN is_cjk OR i = 1 OR substr(word, i) !~ suffix THEN (ends ->> i::text)::integer END;
    -- 新江南 is not 江南, nor ネカット カット
    IF past IS NULL OR unknown <> '' AND (
      NOT is_cjk OR unknown ~ '[\u3041-\u30ff]$' OR length(unknown) = 1 AND apart = '{}' AND unknown !~ '[在去离離到请請從从找]') THEN
      unknown := unknown || substr(word, i, 1);
      i := i + 1;
    ELSE
      apart := apart || CASE WHEN unknown <> '' THEN ARRAY[unknown] END || substr(word, i, past - i);
      unknown := '';
      i := past;
    END IF;
  END LOOP;
  IF is_cjk OR unknown ~ suffix THEN
    RETURN apart || CASE WHEN unknown <> '' THEN ARRAY[unknown] END;
  END IF;
  -- 북촌 in 북촌한옥마을 is in no dictionary, but a word of shop names; 카페거리 is one word
  RETURN coalesce(
    CASE WHEN NOT EXISTS (SELECT FROM place_words() AS p WHERE p.korean = word) THEN coalesce(regexp_match(word, '^(..+?)(' || words_after_places() || ')'), regexp_match(word, '^(...+)([길몰])$')) END,
    ARRAY[word]);
END $$;
COMMENT ON FUNCTION names_apart(text, jsonb)
IS 'The names in a word and what is between them: those at its beginning where it goes on with words for a place (망원시장), or any in Chinese characters and kana; else the word. The spans, those of search_understand, count from its first letter.';

-- The names with the best rank of their ids; 0 if one of them is a full name.
CREATE OR REPLACE FUNCTION places_named(words text [], understood jsonb, spans jsonb)
RETURNS TABLE (place bigint, typed text, kind text, rank integer, ids bigint [])
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
#variable_conflict use_column
DECLARE
  whole constant text := array_to_string(words, '');
BEGIN
  RETURN QUERY
  SELECT x.place, x.named ->> 'text', x.named ->> 'kind', b.rank, b.ids
  FROM jsonb_array_elements(understood) WITH ORDINALITY AS x (named, place)
  CROSS JOIN LATERAL (
    SELECT h FROM jsonb_array_elements(spans) AS h
    WHERE h -> 'kind' = x.named -> 'kind' AND substr(whole, (h ->> 'first')::integer, (h ->> 'past')::integer - (h ->> 'first')::integer) = x.named ->> 'text' LIMIT 1
  ) AS s
  CROSS JOIN LATERAL (
    SELECT r.rank, array_agg(r.id ORDER BY r.id) AS ids
    FROM (
      SELECT i.id::bigint, r.rank::integer FROM jsonb_array_elements_text(s.h -> 'ids') WITH ORDINALITY AS i (id, o)
      INNER JOIN jsonb_array_elements_text(s.h -> 'ranks') WITH ORDINALITY AS r (rank, o) USING (o)
    ) AS r GROUP BY r.rank ORDER BY r.rank LIMIT 1
  ) AS b
  WHERE x.named ->> 'kind' IN ('region', 'station');
END $$;
COMMENT ON FUNCTION places_named(text [], jsonb, jsonb) IS 'The regions and stations of a keyword, in order; rank and ids of the best meaning of each.';

-- 강남 서초 송파 are three, but 서울 해운대구 is a mistake.
CREATE OR REPLACE FUNCTION search_either_region(words text [], small keyword_reading) RETURNS keyword_reading
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  small.regions := (
    SELECT CASE WHEN count(DISTINCT r.level) = 1 AND count(DISTINCT p.place) > 1 THEN array_agg(DISTINCT r.id) END
    FROM places_named(words, small.understood, small.spans) AS p
    LEFT JOIN LATERAL unnest(CASE p.kind WHEN 'region' THEN p.ids END) AS i (id) ON true
    LEFT JOIN regions AS r ON r.id = i.id AND p.rank = 0
    HAVING bool_and(r.level IS NOT NULL));
  small.impossible := small.regions IS NULL;
  RETURN small;
END $$;
COMMENT ON FUNCTION search_either_region(text [], keyword_reading)
IS 'The reading of a keyword that names several regions of one level as any of them; impossible if it names others.';

CREATE OR REPLACE FUNCTION are_apart(reading keyword_reading) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN reading.impossible OR num_nulls(reading.regions, reading.stations) = 0 AND NOT EXISTS (
    SELECT FROM regions AS r INNER JOIN stations AS s ON r.boundary IS NULL OR ST_Intersects(r.boundary, ST_Buffer(s.geog, 1000)::geometry)
    WHERE r.id = ANY (reading.regions) AND s.id = ANY (reading.stations));
END $$;
COMMENT ON FUNCTION are_apart(keyword_reading)
IS 'True if no place is in all regions named and within 1,000 metres of a station named; a region without a boundary may be anywhere.';

CREATE OR REPLACE FUNCTION is_in_shop_names(word text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
DECLARE
  letters constant text := normalize(word, NFD);
BEGIN
  RETURN EXISTS (
    SELECT FROM shops AS s
    WHERE shop_words(s) @@ begins_with_any(ARRAY[letters])
      AND s.name_jamo LIKE '%' || like_pattern(letters) AND s.status <> 'CLOSED');
END $$;
COMMENT ON FUNCTION is_in_shop_names(text) IS 'Whether the name of a shop contains the word.';

-- If the named places are far apart, the less certain one is ignored: 석촌호수 is at 석촌역, not in 호수동, and 수원 화성남문 is in 수원's
-- 남문동, not in 화성. A name that is a word of its own is never ignored (강남 서면), nor, of only two places, one with its full name
-- (서울해운대구): such keywords are mistakes of the visitor, without results.
CREATE OR REPLACE FUNCTION known_names(words text [], reading keyword_reading, OUT read_as text [], OUT ignored text [])
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  unknown constant text[] := composed(reading.rest);
  found text[];
  odd record;
BEGIN
  ignored := '{}';
  read_as := ARRAY(
    SELECT p FROM (SELECT w, i, sum(length(w)) OVER (ORDER BY i) - length(w) AS before FROM unnest(words) WITH ORDINALITY AS t (w, i)) AS t
    CROSS JOIN LATERAL unnest(
      CASE WHEN contains_any(w, unknown) THEN names_apart(w, spans_after(reading.spans, before::integer)) ELSE ARRAY[w] END)
    WITH ORDINALITY AS p (p, j) ORDER BY i, j);
  found := ARRAY(SELECT w FROM unnest(read_as) WITH ORDINALITY AS t (w, i) WHERE w !~ ('^([길몰]$|' || words_after_places() || ')') ORDER BY i);
  -- 국제시장 does not mean shops with 국제 in their address, and a sentence of short words names no place
  IF found <> read_as AND cardinality(found) BETWEEN 1 AND 3 AND length(array_to_string(found, '')) >= 2 * cardinality(found) AND (
    unknown_words(found) <> found OR NOT EXISTS (SELECT FROM unnest(found) AS w WHERE NOT is_in_shop_names(w))) THEN
    ignored := ARRAY(SELECT w FROM unnest(read_as) AS w WHERE w <> ALL (found));
    read_as := found;
  ELSIF found <> read_as AND array_to_string(words, '') !~ '[\u3041-\u9fff]' THEN
    read_as := words;
  END IF;
  IF unknown = '{}' AND are_apart(reading) THEN
    FOR odd IN
      SELECT p.place, p.typed, p.rank, count(*) OVER () AS places FROM places_named(words, reading.understood, reading.spans) AS p
      ORDER BY p.rank DESC, p.place DESC
    LOOP
      EXIT WHEN odd.places > 4;
      -- 동대문 DDP: if one name is the beginning of the other's station (동대문역사문화공원), it adds no information and may be ignored
      CONTINUE WHEN (odd.typed = ANY (words) OR odd.rank = 0 AND odd.places < 3) AND NOT EXISTS (
        SELECT FROM stations AS s WHERE s.id = ANY (reading.stations) AND s.name LIKE odd.typed || '_%');
      found := ARRAY(
        SELECT x ->> 'text' FROM jsonb_array_elements(reading.understood) WITH ORDINALITY AS t (x, o) WHERE o <> odd.place ORDER BY o);
      IF NOT are_apart(search_understand(found, NULL, spans_in_words(reading.spans, words, found))) THEN
        ignored := ARRAY[odd.typed];
        read_as := found;
        EXIT;
      END IF;
    END LOOP;
  END IF;
END $$;
COMMENT ON FUNCTION known_names(text [], keyword_reading)
IS 'The words with names separated from unknown parts, and, if the named places are far apart, without the least certain one, which is ignored.';

CREATE OR REPLACE FUNCTION as_typed(words text [], spelled jsonb) RETURNS text []
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(SELECT coalesce(spelled -> w ->> 'text', w) FROM unnest(words) AS w);
COMMENT ON FUNCTION as_typed(text [], jsonb) IS 'Words, some of them spelled in Korean, as the visitor typed them.';

-- Words for places after words of shop names are left out (북촌한옥마을), and unknown ones beside words that are spelled as names
-- (photo booth with props in everland) or, in Korean, if no shop has them (광안리 서면극장).
CREATE OR REPLACE FUNCTION search_known_words(
  words text [], u keyword_reading, small_words text [], spelled jsonb, sample text []
) RETURNS keyword_reading
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  rest constant text[] := composed(u.rest);
  surely text[] := ARRAY(
    SELECT w FROM jsonb_each(spelled) AS s CROSS JOIN string_to_table(s.key, ' ') AS w WHERE s.value ->> 'lang' <> 'ko-Latn');
  house_numbers text[] := ARRAY(SELECT r FROM unnest(rest) AS r WHERE r ~ '^[0-9]+(-[0-9]+)?$');
  unknown text[];
  k record;
BEGIN
  -- 강남대로 287, where no shop has that number
  IF house_numbers <> '{}' AND EXISTS (SELECT FROM unnest(rest) AS r WHERE r ~ '..[로길]$') THEN
    RETURN reading_without(u, house_numbers);
  END IF;
  IF surely = '{}' AND EXISTS (SELECT FROM place_words() AS p WHERE p.korean = ANY (rest)) THEN
    unknown := composed(words_nowhere(u.rest, coalesce(sample, search_sample())));
    surely := ARRAY(SELECT r FROM unnest(rest) AS r WHERE r <> ALL (unknown));
  ELSE
    unknown := ARRAY(SELECT r FROM unnest(rest) AS r WHERE r <> ALL (surely));
  END IF;
  IF unknown <> '{}' AND rest && surely AND unknown <@ small_words THEN
    RETURN reading_without(u, unknown);
  END IF;
  -- Dongpirang village and 東皮郎壁畫村 are 동피랑
  unknown := ARRAY(SELECT r FROM unnest(rest) AS r WHERE english_units() ? r OR r ~ ('^' || words_after_places()));
  IF rest <@ unknown THEN
    unknown := '{}';
  END IF;
  IF spelled <> '{}' AND unknown <> '{}' AND rest && ARRAY(SELECT w FROM jsonb_object_keys(spelled) AS w) THEN
    u := reading_without(u, unknown);
    u.ignored := as_typed(u.ignored, spelled);
    RETURN u;
  END IF;
  k := known_names(words, u);
  IF k.ignored = '{}' THEN
    RETURN NULL;
  END IF;
  u := search_understand(k.read_as, NULL, spans_in_words(u.spans, words, k.read_as));
  u.ignored := as_typed(k.ignored, spelled);
  RETURN CASE WHEN u.rest <> '{}' THEN u END;
END $$;
COMMENT ON FUNCTION search_known_words(text [], keyword_reading, text [], jsonb, text [])
IS 'The reading of words, some spelled in Korean, without those that are no part of names; null if that changes nothing or leaves no word of shop names.';

-- The rest of a word that contains a name is not ignored: 신강남 is not 강남.
CREATE OR REPLACE FUNCTION search_known_names(small_words text [], small keyword_reading, spelled jsonb DEFAULT NULL)
RETURNS keyword_reading
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  u keyword_reading := small;
  k record := known_names(small_words, small);
  stations text[];
  known text[];
BEGIN
  IF k.read_as <> small_words THEN
    u := search_understand(k.read_as, NULL, spans_in_words(small.spans, small_words, k.read_as));
  END IF;
  -- 江陵中央市場 is not near a station 中央 of another city
  IF small.stations IS NULL AND NOT u.impossible AND are_apart(u) THEN
    stations := ARRAY(SELECT x ->> 'text' FROM jsonb_array_elements(u.understood) AS x WHERE x ->> 'kind' = 'station');
    k.read_as := ARRAY(SELECT w FROM unnest(k.read_as) WITH ORDINALITY AS t (w, i) WHERE w <> ALL (stations) ORDER BY i);
    k.ignored := k.ignored || stations;
    u := search_understand(k.read_as, NULL);
  END IF;
  IF num_nonnulls(u.brands, u.regions, u.stations) > 0 THEN
    IF NOT composed(u.rest) <@ k.read_as THEN
      RETURN NULL;
    END IF;
    u := reading_without(u, composed(u.rest));
  END IF;
  known := words_understood(u.understood);
  u.spans := coalesce(spans_in_words(u.spans, k.read_as, known), (search_understand(known, NULL)).spans);
  u.ignored := as_typed(k.ignored || u.ignored, spelled);
  RETURN CASE WHEN u.ignored <> '{}' THEN u END;
END $$;
COMMENT ON FUNCTION search_known_names(text [], keyword_reading, jsonb)
IS 'The reading of a keyword without words that nothing matches, as they were typed if words are spelled in Korean; null if there are none.';

CREATE OR REPLACE FUNCTION fuller_reading(one keyword_reading, other keyword_reading) RETURNS keyword_reading
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN CASE
    WHEN num_nonnulls(other.regions, other.stations) > 0 AND (
      num_nonnulls(one.regions, one.stations) = 0
      OR length(array_to_string(other.ignored, '')) < length(array_to_string(one.ignored, '')) AND NOT are_apart(other)) THEN other
    ELSE one END;
END $$;
COMMENT ON FUNCTION fuller_reading(keyword_reading, keyword_reading)
IS 'Of two readings of a keyword the one with a place that ignores less of it, unless its places are apart; in case of doubt the first.';

-- 남산타워 is 남산서울타워, and 속초중앙시장 in 속초. A half of one syllable is in too many names.
CREATE OR REPLACE FUNCTION halves_apart(word text, sample text []) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  halves text[];
BEGIN
  IF word !~ '^[가-힣]{4,8}$' THEN
    RETURN ARRAY[word];
  END IF;
  FOR i IN 2..length(word) - 2 LOOP
    halves := ARRAY[left(word, i), substr(word, i + 1)];
    IF words_nowhere(ARRAY[normalize(halves[1], NFD), normalize(halves[2], NFD)], sample) = '{}' THEN
      RETURN halves;
    END IF;
  END LOOP;
  RETURN ARRAY[word];
END $$;
COMMENT ON FUNCTION halves_apart(text, text []) IS 'The word in Hangul as its first two halves that names or addresses of shops have, or the word.';

-- 전주 객사 is 전주객사점, and 코엑스 몰 코엑스몰점.
CREATE OR REPLACE FUNCTION words_joined(words text [], unknown text [], sample text []) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  joined text[] := ARRAY[]::text[];
  word text;
  both_words text;
BEGIN
  FOREACH word IN ARRAY words LOOP
    both_words := joined[cardinality(joined)] || word;
    IF (word = ANY (unknown) OR joined[cardinality(joined)] = ANY (unknown)) AND both_words ~ '^[가-힣]{2,}[0-9]*[가-힣]{1,8}$' AND length(both_words) BETWEEN 3 AND 12
      AND words_nowhere(ARRAY[normalize(both_words, NFD)], sample) = '{}' THEN
      joined[cardinality(joined)] := both_words;
    ELSE
      joined := joined || word;
    END IF;
  END LOOP;
  RETURN joined;
END $$;
COMMENT ON FUNCTION words_joined(text [], text [], text [])
IS 'The words, with an unknown one joined to its neighbour where names or addresses of shops have both as one.';

-- A wrong letter leaves the first or the second half of a word as it is. Where tens of thousands of shops have one of the
-- halves, gathering those that have the word a letter off would take too long.
CREATE OR REPLACE FUNCTION typo_query(word text, sample text []) RETURNS tsquery
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  half integer := length(word) / 2;
BEGIN
  IF is_long_enough_for_typos(word) AND (length(word) > 5 AND length(normalize(word, NFC)) > 2 OR word ~ '^[a-z0-9]+$')
    AND NOT search_is_in_most(ARRAY[left(word, half), substr(word, half + 1)], sample) THEN
    RETURN rest_query(word) || begins_with_any(one_letter_off(word));
  END IF;
  RETURN rest_query(word);
END $$;
COMMENT ON FUNCTION typo_query(text, text []) IS 'The query for shops with the word or one a letter away from it.';

-- Without arguments, so that PostgreSQL evaluates it once a session for each statement that contains it: few should.
CREATE OR REPLACE FUNCTION place_word_keys() RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT jsonb_object_agg(k.letters, k.meaning)
  FROM (
    SELECT DISTINCT ON (spelled_letters(s.spelling)) spelled_letters(s.spelling) AS letters,
      jsonb_build_object('word', lower(ltrim(w.korean, '-')), 'spelling', s.spelling, 'lang', l.lang) AS meaning
    FROM place_words() WITH ORDINALITY AS w (korean, en, ja, zh, place)
    CROSS JOIN LATERAL (VALUES ('en', w.en), ('ja', w.ja), ('zh-Hant', w.zh)) AS l (lang, spellings)
    CROSS JOIN LATERAL string_to_table(
      concat(l.spellings, '|' || nullif(replace(l.spellings, 'National University', 'University'), l.spellings)), '|') AS s (spelling)
    ORDER BY spelled_letters(s.spelling), w.place
  ) AS k;
END;
COMMENT ON FUNCTION place_word_keys() IS 'The word, spelling and language of place_words() by the letters of the spelling.';

CREATE OR REPLACE FUNCTION place_word(letters text) RETURNS jsonb
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN place_word_keys() -> letters;
END $$;
COMMENT ON FUNCTION place_word(text) IS 'The word of place_words() with a spelling of these letters, that spelling and its language; null if there is none.';

CREATE OR REPLACE FUNCTION place_word_pattern() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT concat('(?:', string_agg(k, '|' ORDER BY length(k) DESC), ')(?:大?路|驿|站)?')
  FROM jsonb_object_keys(place_word_keys()) AS k WHERE k ~ '[\u3041-\u9fff]';
END;
COMMENT ON FUNCTION place_word_pattern() IS 'The regular expression of place_words(), and of roads and stations called so, in kana and Chinese characters.';

-- 樂天世界塔, スターフィールド河南
CREATE OR REPLACE FUNCTION place_word_apart(word text) RETURNS text []
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
  letters constant text := spelled_letters(word);
  pattern constant text := place_word_pattern();
BEGIN
  RETURN CASE WHEN place_word(letters) IS NULL AND letters ~ pattern
    THEN array_remove(regexp_split_to_array(regexp_replace(letters, pattern, ' \& ', 'g'), ' '), '') ELSE ARRAY[word] END;
END $$;
COMMENT ON FUNCTION place_word_apart(text) IS 'A word in kana or Chinese characters, with those of place_words() in it as words of their own.';

CREATE OR REPLACE FUNCTION place_words_apart(words text [], unknown text []) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(
    SELECT p FROM unnest(words) WITH ORDINALITY AS t (word, i)
    CROSS JOIN LATERAL unnest(
      CASE WHEN word ~ '[\u3041-\u9fff]' AND contains_any(word, unknown) THEN place_word_apart(word) ELSE ARRAY[word] END)
    WITH ORDINALITY AS p (p, j) ORDER BY i, j);
END $$;
COMMENT ON FUNCTION place_words_apart(text [], text []) IS 'The words, with those of place_words() in unknown kana and Chinese characters as words of their own.';

-- 統營東皮郎 is in 統營, but 江南大路 a road, and 樂天世界 a word of place_words().
CREATE OR REPLACE FUNCTION regions_apart(words text [], unknown text []) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  apart text[] := ARRAY[]::text[];
  word text;
  region text;
BEGIN
  FOREACH word IN ARRAY words LOOP
    WHILE word ~ '^[\u3041-\u9fff]{2}' AND length(word) <= 24 AND EXISTS (SELECT FROM unnest(unknown) AS u WHERE strpos(u, word) > 0 OR strpos(word, u) > 0)
      AND place_word(spelled_letters(word)) IS NULL LOOP
      SELECT max(s.key COLLATE "C") INTO region
      FROM names_spelled(ARRAY(SELECT left(word, n) FROM generate_series(2, least(length(word) - 2, 8)) AS n)) AS s
      WHERE s.kind = 'region' AND s.rank < 2 AND substr(word, length(s.key) + 1) !~ '^([0-9]|大?[路街道]$|大[学學]|通り)'
        AND NOT (s.key ~ '[ァ-ヺー]$' AND substr(word, length(s.key) + 1) ~ '^[ァ-ヺー]');
      EXIT WHEN region IS NULL;
      apart := apart || region;
      word := substr(word, length(region) + 1);
    END LOOP;
    apart := apart || word;
  END LOOP;
  RETURN apart;
END $$;
COMMENT ON FUNCTION regions_apart(text [], text []) IS 'The words, with the regions that unknown ones in Chinese characters or kana begin with as words of their own.';

-- Olympic-ro is a road, 올림픽로, and PNU station 부산대역, but Expo station is in no dictionary of the metro.
CREATE OR REPLACE FUNCTION place_word_spelled(typed text, begun boolean, OUT word text, OUT spelling text, OUT lang text)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  letters constant text := CASE WHEN typed !~ '[ㄱ-ㅣ가-힣]' THEN spelled_letters(typed) END;
  of_unit constant text[] := regexp_match(letters, '^(.{2,}?)(daero|ro|gil|大路|路|station|驿|站)$');
  units constant jsonb :=
    '{"daero": "대로", "ro": "로", "gil": "길", "大路": "대로", "路": "로", "station": "역", "驿": "역", "站": "역"}'::jsonb;
  meaning constant jsonb := coalesce(place_word(letters), place_word(of_unit[1]));
BEGIN
  IF meaning IS NOT NULL THEN
    lang := meaning ->> 'lang';
    word := meaning ->> 'word';
    spelling := meaning ->> 'spelling';
    IF place_word(letters) IS NULL THEN
      word := word || CASE WHEN units ->> of_unit[2] <> '역' OR EXISTS (SELECT FROM search_names(ARRAY[normalize(word || '역', NFD)]))
        THEN units ->> of_unit[2] ELSE '' END;
      spelling := typed;
    END IF;
  END IF;
  IF word IS NULL AND begun AND length(letters) >= (CASE WHEN letters ~ '^[a-z0-9]*$' THEN 3 ELSE 1 END) THEN
    SELECT k.meaning ->> 'word', k.meaning ->> 'spelling', k.meaning ->> 'lang' INTO word, spelling, lang
    FROM jsonb_each(place_word_keys()) AS k (key, meaning)
    WHERE starts_with(k.key, letters) ORDER BY length(k.key), k.key LIMIT 1;
  END IF;
END $$;
COMMENT ON FUNCTION place_word_spelled(text, boolean) IS 'The word of place_words() with this spelling or, if begun, one that begins so; null if there is none.';

-- Latin spellings of words that only names of shops or their lot addresses have, not those of brands, which tens of thousands of
-- shops may have: the words of some shops that sound so, as far as they sound so. Of several the nearest spelling is meant, and of
-- those what most of the shops have. `begun`: the last letters may be missing. What is written sha may be 샤, by the rule sya. Kana
-- are only looked up complete.
CREATE OR REPLACE FUNCTION shop_word_spelled(typed text, begun boolean, OUT word text, OUT spelling text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_seqscan = off SET work_mem = '32MB' AS $$
DECLARE
  is_kana constant boolean := NOT begun AND typed ~ '^[\u3041-\u30ff]{3,12}$';
  letters constant text := CASE WHEN is_kana THEN katakana(typed) ELSE spelled_letters(typed) END;
  heard constant text := CASE WHEN begun THEN without_half_sound(letters) ELSE letters END;
  sounds constant text[] := CASE WHEN is_kana THEN sounds_of_kana(typed)
    ELSE ARRAY[sound_key(heard), CASE WHEN typed ~* 'sh[aou]' THEN sound_key(regexp_replace(typed, 'sh(?=[aou])', 'sy', 'gi')) END] END;
BEGIN
  IF NOT is_kana AND (letters !~ '^[a-z0-9]*[a-z][a-z0-9]*$' OR length(letters) < 4) OR coalesce(length(sounds[1]), 0) NOT BETWEEN 3 AND 30
    OR EXISTS (SELECT FROM brands b WHERE name_sounds(b.name) @@ begins_with_any(sounds[:1])) THEN
    RETURN;
  END IF;
  WITH sounding AS MATERIALIZED (
    SELECT s.place_name, s.lot_address FROM shops AS s
    WHERE shop_sounds(s.place_name, s.lot_address) @@ begins_with_any(array_remove(sounds, NULL)) AND s.status <> 'CLOSED' LIMIT 50
  ), words AS MATERIALIZED (
    SELECT w, count(*) AS shops FROM sounding AS s CROSS JOIN unnest(sounding_words(s.place_name) || neighbourhood_of(s.lot_address)) AS w
    WHERE w IS NOT NULL GROUP BY w
  ), pieces AS MATERIALIZED (
    -- a syllable has one to six Latin letters
    SELECT left(w.w, n) AS piece, sum(w.shops) AS shops
    FROM words AS w CROSS JOIN LATERAL generate_series(
      CASE WHEN begun THEN length(w.w) ELSE length(letters) / 6 END, least(length(w.w), CASE WHEN begun OR is_kana THEN 20 ELSE length(letters) + 2 END)) AS n
    WHERE n > 0 GROUP BY 1
  ), beginnings AS (
    SELECT p.piece, p.shops, CASE WHEN is_kana THEN in_kana(p.piece) ELSE x.spelling END AS spelling
    FROM pieces AS p CROSS JOIN LATERAL (VALUES (true), (false)) AS c (sound_changes)
    CROSS JOIN LATERAL latin_letters(normalize(p.piece, NFD), c.sound_changes) AS x (spelling)
    WHERE CASE WHEN begun THEN starts_with(sound_key(x.spelling), sounds[1]) OR starts_with(sound_key(x.spelling), sounds[2])
      ELSE (is_kana OR length(x.spelling) BETWEEN length(letters) - 4 AND length(letters) + 6) AND sound_key(x.spelling) = ANY (sounds) END
  ), near AS (
    SELECT b.piece, b.spelling, sum(b.shops) AS shops,
      -- ブクチョン is 북촌, although ポ is as far from ブ as プ
      CASE WHEN is_kana THEN edit_distance(kana_folded(letters), kana_folded(b.spelling))
        ELSE edit_distance(letters, spelled_letters(CASE WHEN begun THEN left(b.spelling, length(letters)) ELSE b.spelling END)) END AS off,
      CASE WHEN is_kana THEN edit_distance(letters, b.spelling) END AS off_unfolded
    FROM beginnings AS b GROUP BY b.piece, b.spelling
  )
  SELECT n.piece, n.spelling INTO word, spelling FROM near AS n
  WHERE n.off <= greatest(2, 0.6 * length(letters))
  ORDER BY n.off, n.off_unfolded, n.shops DESC, n.piece, n.spelling LIMIT 1;
END $$;
COMMENT ON FUNCTION shop_word_spelled(text, boolean)
IS 'The word of shop names or 동 of lot addresses for a spelling in Latin letters or kana, and how we write it; null if none sounds like it.';

-- A road is only looked for where its unit is typed, unless the last letters may be missing. Roads have no names in Chinese
-- characters here, but many are called after a station or region that has: 江南大路.
CREATE OR REPLACE FUNCTION road_sounds(typed text, begun boolean) RETURNS text []
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
  letters constant text := spelled_letters(typed);
  sound constant text := sound_key(CASE WHEN begun THEN without_half_sound(letters) ELSE letters END);
  han constant text[] := regexp_match(typed, '^([\u3400-\u9fff]{2,6}?)(大?)路' || CASE WHEN begun THEN '?$' ELSE '$' END);
BEGIN
  RETURN CASE
    WHEN letters ~ '^[a-z0-9]*[a-z][a-z0-9]*$' AND length(sound) BETWEEN 4 AND 40 AND (begun OR letters ~ '(ro|lo|no|gil|kil)$') THEN ARRAY[sound]
    WHEN typed ~ '^[0-9\u3041-\u30ff大路番街 ]{3,24}$' AND typed ~ '[\u3041-\u30ff]{2}' AND (begun OR typed ~ '(路|[ロろ]|[キギきぎ][ルる])$')
      THEN sounds_of_kana(replace(replace(replace(replace(typed, '大路', 'テロ'), '路', 'ロ'), '番', 'ポン'), '街', 'カ'))
    WHEN han IS NOT NULL THEN ARRAY(
      SELECT DISTINCT road_sound(p.name || CASE han[2] WHEN '' THEN '로' ELSE '대로' END)
      FROM names_spelled(ARRAY[han[1]]) AS n CROSS JOIN LATERAL (
        SELECT s.name FROM stations AS s WHERE n.kind = 'station' AND s.id = n.id
        UNION ALL
        SELECT regexp_replace(r.name, '(?<=..)(특별시|광역시|특별자치시|시|군|구|동)$', '') FROM regions AS r WHERE n.kind = 'region' AND r.id = n.id
      ) AS p)
    ELSE '{}' END;
END $$;
COMMENT ON FUNCTION road_sounds(text, boolean)
IS 'The keys in shops_roads_idx that Latin letters, kana or Chinese characters may mean; if `begun`, those that begin so.';

-- The roads of fifty shops that sound so. Of several roads the nearest spelling is meant, and of those the shortest.
CREATE OR REPLACE FUNCTION road_spelled(typed text, begun boolean, OUT word text, OUT spelling text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
DECLARE
  sounds constant text[] := road_sounds(typed, begun);
  is_cjk constant boolean := typed ~ '[\u3041-\u9fff]';
  letters constant text := CASE WHEN is_cjk THEN katakana(typed) ELSE spelled_letters(typed) END;
BEGIN
  WITH sounding AS MATERIALIZED (
    SELECT DISTINCT q.road FROM (
      SELECT s.road FROM unnest(sounds) AS x (sound) CROSS JOIN LATERAL (
        SELECT road_of(s.road_address) AS road FROM shops AS s
        WHERE road_sound(s.road_address) COLLATE "C" BETWEEN x.sound AND CASE WHEN begun THEN x.sound || '~' ELSE x.sound END AND s.status <> 'CLOSED'
      ) AS s LIMIT 50
    ) AS q
  ), spelled AS (
    SELECT s.road, x.spelling, CASE WHEN is_cjk THEN x.spelling ELSE spelled_letters(x.spelling) END AS whole
    FROM sounding AS s CROSS JOIN LATERAL (SELECT CASE WHEN is_cjk THEN place_in(s.road, 'ja') ELSE romanized_place(s.road) END) AS x (spelling)
  )
  SELECT s.road, s.spelling INTO word, spelling FROM spelled AS s
  ORDER BY edit_distance(letters, CASE WHEN begun THEN left(s.whole, length(letters)) ELSE s.whole END), length(s.road), s.road LIMIT 1;
END $$;
COMMENT ON FUNCTION road_spelled(text, boolean)
IS 'The road of an address for a spelling in Latin letters, kana or Chinese characters, and how English or Japanese addresses write it; null if there is none.';

CREATE OR REPLACE FUNCTION place_units() RETURNS text []
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{gil,ro,daero,ga,dong,gu,geori,golmok,yeok}'::text [];
COMMENT ON FUNCTION place_units() IS 'Last words of names of roads, regions and stations in Latin letters.';

CREATE OR REPLACE FUNCTION english_units() RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{"university": "dae", "univ": "dae", "street": "geori", "village": "maeul", "alley": "golmok",
  "beach": "haesuyokjang", "market": "sijang", "lake": "hosu", "park": "gongwon", "square": "gwangjang", "plaza": "gwangjang", "station": "yeok", "mall": "mol", "resort": "", "complex": ""}'::jsonb;
COMMENT ON FUNCTION english_units() IS 'Last words of English names of places, and their Korean equivalents in Latin letters.';

-- Adjacent unknown words may be one: jongno gwigeumsok. The unit of a road or a region belongs to the word before it, even if it is
-- a name (길동): garosu-gil. A road may be called after a known place, gangnam-daero and カンナム大路, of which only 大路 is unknown, and
-- a branch too: seogwipo olle for 서귀포올레시장점.
CREATE OR REPLACE FUNCTION run_spelled(run text [], unknown text [], begun boolean, OUT word text, OUT spelling text, OUT lang text)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  units constant text[] := place_units();
  typed constant text := array_to_string(run, ' ');
  is_unknown constant boolean := typed !~ '[가-힣]' AND run[2:] <@ (unknown || units) AND run[1] <> ALL (units)
    AND (run[1] = ANY (unknown) OR run[2] = ANY (unknown) AND cardinality(unknown) <= 2);
  last constant text := run[cardinality(run)];
  ends_unknown constant boolean := EXISTS (SELECT FROM unnest(unknown) AS u WHERE last = u OR last ~ '[\u3041-\u9fff]' AND right(last, length(u)) = u);
BEGIN
  IF run && unknown OR cardinality(run) > 1 THEN
    SELECT * INTO word, spelling, lang FROM place_word_spelled(typed, false);
  END IF;
  IF word IS NULL AND is_unknown THEN
    SELECT * INTO word, spelling FROM shop_word_spelled(typed, false);
  END IF;
  IF word IS NULL AND cardinality(run) = 2 AND run && unknown AND run[1] ~ '^[a-z]{3,}$' AND english_units() ? run[2]
    AND (run[1] = ANY (unknown) OR place_word(run[2]) IS NULL) THEN
    SELECT * INTO word, spelling FROM shop_word_spelled(concat(run[1], english_units() ->> run[2]), false);
  END IF;
  IF word IS NULL AND (ends_unknown OR last = ANY (units)) THEN
    SELECT * INTO word, spelling FROM road_spelled(typed, false);
  END IF;
  -- 咸德 beside 海水浴場
  IF word IS NULL AND typed ~ '^[\u3400-\u9fff]{2,8}([0-9]+[길가])?$' AND run && unknown THEN
    word := han_in_korean(typed);
    IF word IS NOT NULL AND shops_have(normalize(word, NFD)) THEN
      spelling := word;
      lang := 'ko-Hani';
    ELSE
      word := NULL;
    END IF;
  END IF;
  IF word IS NULL AND begun AND run && unknown THEN
    SELECT * INTO word, spelling, lang FROM place_word_spelled(typed, true);
  END IF;
  IF word IS NULL AND begun AND is_unknown THEN
    SELECT * INTO word, spelling FROM shop_word_spelled(typed, true);
  END IF;
  IF word IS NULL AND begun AND ends_unknown THEN
    SELECT * INTO word, spelling FROM road_spelled(typed, true);
  END IF;
  lang := coalesce(lang, CASE WHEN word !~ '[가-힣]' THEN 'en' WHEN spelling ~ '[\u3041-\u30ff]' THEN 'ja' ELSE 'ko-Latn' END);
END $$;
COMMENT ON FUNCTION run_spelled(text [], text [], boolean)
IS 'The word of shop names, or else the road, that consecutive foreign words spell or, if begun, may become, its spelling and the language of that; null if there is none.';

-- jeonju hanok village: hanok village is a place, jeonju hanok begins a name; sejong naseong is cut off from dong
CREATE OR REPLACE FUNCTION cuts_a_place_word(words text [], first integer, last integer) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN coalesce(last > first AND words[last + 1] = ANY (place_units()), false) OR EXISTS (
    SELECT FROM generate_series(first + 1, last) AS i CROSS JOIN generate_series(last + 1, least(i + 3, cardinality(words))) AS j
    WHERE place_word(spelled_letters(array_to_string(words[i:j], ' '))) IS NOT NULL);
END $$;
COMMENT ON FUNCTION cuts_a_place_word(text [], integer, integer) IS 'Whether a run of words ends before its unit or within one of place_words() of at most four words.';

-- The longest run is tried first.
CREATE OR REPLACE FUNCTION shop_words_spelled(
  words text [], unknown text [], begun boolean, OUT read_as text [], OUT spelled jsonb
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  i integer := 1;
  size integer;
  run text[];
  w record;
BEGIN
  spelled := '{}';
  IF NOT is_foreign(array_to_string(words, '')) OR (SELECT count(*) FROM unnest(unknown) AS u WHERE u !~ '^[0-9-]+$') > 6 THEN
    read_as := words;
    RETURN;
  END IF;
  FOR i IN 1..cardinality(words) LOOP
    CONTINUE WHEN NOT contains_any(words[i], unknown);
    run := ARRAY[name_in_kana(words[i])];
    CONTINUE WHEN run[1] IS NULL;
    spelled := spelled || jsonb_build_object(run[1], jsonb_build_object('text', words[i], 'lang', 'ja', 'matched', run[1]));
    words[i] := run[1];
  END LOOP;
  IF array_to_string(unknown, '') ~ '[\u3041-\u9fff]' THEN
    run := place_words_apart(regions_apart(words, unknown), unknown);
    IF run <> words THEN
      unknown := unknown || unknown_words(ARRAY(SELECT r FROM unnest(run) AS r WHERE r <> ALL (words)));
      words := run;
    END IF;
  END IF;
  read_as := '{}';
  WHILE i <= cardinality(words) LOOP
    size := least(4, cardinality(words) - i + 1);
    WHILE size > 0 LOOP
      run := words[i:i + size - 1];
      IF array_to_string(run, '') !~ '[가-힣]' AND is_foreign(array_to_string(run, ' ')) THEN
        SELECT * INTO w FROM run_spelled(run, unknown, begun AND i + size > cardinality(words));
        EXIT WHEN w.word IS NOT NULL AND NOT cuts_a_place_word(words, i, i + size - 1);
      END IF;
      size := size - 1;
    END LOOP;
    IF size > 0 THEN
      spelled := spelled || jsonb_build_object(w.word, jsonb_build_object(
        'text', array_to_string(run, ' '), 'lang', w.lang, 'matched', w.spelling));
      read_as := read_as || string_to_array(w.word, ' ');
    ELSE
      read_as := read_as || words[i];
    END IF;
    i := i + greatest(size, 1);
  END LOOP;
END $$;
COMMENT ON FUNCTION shop_words_spelled(text [], text [], boolean)
IS 'The words, with unknown ones replaced by words of shop names or by roads that are spelled so; and for each of these, the typed text and its spelling.';

-- The shortest name that goes on from what is typed: to the letter, or from six Latin letters on by sound. Names in Hangul are returned for Latin letters and kana too,
-- with 역 where only a station is called so.
CREATE OR REPLACE FUNCTION completed_korean(typed text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
DECLARE
  letters constant text := normalize(typed, NFD);
  forms constant text[] := typed_prefixes(letters);
BEGIN
  IF length(letters) < 4 OR letters !~ '^[\u1100-\u115f][\u1161-\u1175]' THEN
    RETURN NULL;
  END IF;
  RETURN (
    WITH begun AS MATERIALIZED (SELECT DISTINCT b.kind, b.id FROM names_beginning(forms) AS b LIMIT 100)
    SELECT normalize(k.key, NFC) FROM (
      SELECT name_precedence('brand', '') AS precedence, k FROM begun AS n INNER JOIN brands AS b ON n.kind = 'brand' AND b.id = n.id CROSS JOIN unnest(brand_keys(b.name)) AS k
      UNION ALL
      SELECT name_precedence('brand', ''), jamo(a.alias) FROM begun AS n INNER JOIN brand_aliases AS a ON n.kind = 'brand' AND a.brand_id = n.id
      UNION ALL
      SELECT name_precedence('region', r.level), k
      FROM begun AS n INNER JOIN regions AS r ON n.kind = 'region' AND r.id = n.id CROSS JOIN unnest(region_name_keys(r.name, r.level)) AS k
      UNION ALL
      SELECT name_precedence('station', ''), k FROM begun AS n INNER JOIN stations AS s ON n.kind = 'station' AND s.id = n.id CROSS JOIN unnest(station_keys(s.name, '')) AS k
    ) AS k (precedence, key)
    WHERE EXISTS (SELECT FROM unnest(forms) AS f WHERE starts_with(k.key, f))
    ORDER BY length(k.key), k.precedence, k.key LIMIT 1);
END $$;
COMMENT ON FUNCTION completed_korean(text) IS 'The name in Hangul of the dictionaries that begins with the letters of a word; null where none does.';

CREATE OR REPLACE FUNCTION completed_spelling(typed text, OUT name text, OUT lang text, OUT spelling text)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  letters constant text := spelled_letters(typed);
  is_latin constant boolean := letters ~ '^[a-z0-9]*$';
  sound constant text := spelling_key(CASE WHEN is_latin THEN without_half_sound(letters) ELSE letters END);
BEGIN
  IF length(letters) < (CASE WHEN is_latin THEN 4 ELSE 2 END) THEN
    RETURN;
  END IF;
  WITH begun AS MATERIALIZED (
    -- itaew has no vowel to spare: its w is half a sound, its ae is not
    SELECT DISTINCT r.kind, r.names, r.name_level, r.lang, length(r.term) AS size
    FROM rows_spelled(ARRAY['begins ' || left(sound, 12), 'begins ' || left(spelling_key(regexp_replace(letters, '[wyc]+$', '')), 12)]) AS r ORDER BY size DESC LIMIT 100
  ), named AS MATERIALIZED (
    SELECT b.kind, b.name_level, b.lang, n FROM begun AS b CROSS JOIN unnest(array_remove(b.names, '')) AS n
    ORDER BY b.size DESC, length(normalize(n, NFD)), n LIMIT 30
  ), spelled AS (
    SELECT b.kind, b.name_level, b.lang, b.n, s FROM named AS b
    CROSS JOIN LATERAL unnest(CASE
      WHEN b.n !~ '[가-힣]' OR is_foreign(b.n) THEN spellings(ARRAY[b.n])
      WHEN is_latin THEN ARRAY[latin_letters(normalize(b.n, NFD), true), latin_letters(normalize(b.n, NFD), false)]
      ELSE kana_spellings(b.n) END) AS s
  )
  SELECT CASE WHEN q.n ~ '[가-힣]' THEN q.n || CASE q.kind WHEN 'station' THEN '역' ELSE '' END ELSE q.s END,
    CASE WHEN q.lang <> '' THEN q.lang WHEN q.n !~ '[가-힣]' THEN 'en' WHEN is_latin THEN 'ko-Latn' ELSE 'ja' END, q.s
  INTO name, lang, spelling
  FROM (SELECT p.*, spelled_letters(p.s) AS whole FROM spelled AS p) AS q
  -- Busa in itself is a 동
  WHERE starts_with(q.whole, letters) AND NOT (is_latin AND q.whole = letters)
    OR length(letters) > 5 AND starts_with(spelling_key(q.s), sound) AND length(q.whole) >= length(letters)
  ORDER BY NOT starts_with(q.whole, letters), length(q.whole), name_precedence(q.kind, q.name_level), q.s LIMIT 1;
END $$;
COMMENT ON FUNCTION completed_spelling(text)
IS 'The dictionary name with a spelling that begins as typed, its language and that spelling; null if there is none.';

CREATE OR REPLACE FUNCTION completed_word(word text, is_beside_others boolean, OUT name text, OUT lang text, OUT spelling text)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  place record;
BEGIN
  IF is_foreign(word) THEN
    SELECT s.* INTO name, lang, spelling FROM completed_spelling(word) AS s;
    -- hong is rather Hongdae than Hongje, but seou not Seoul Forest
    IF word ~ '^[a-z ]{3,}$' AND (length(word) > 3 OR is_beside_others) THEN
      SELECT * INTO place FROM place_word_spelled(word, true);
      IF name IS NULL OR length(place.spelling) <= length(spelling) + 1 AND NOT starts_with(lower(place.spelling), lower(spelling)) THEN
        name := coalesce(place.word, name);
        lang := coalesce(place.lang, lang);
        spelling := coalesce(place.spelling, spelling);
      END IF;
    END IF;
  ELSE
    name := completed_korean(word);
    lang := CASE WHEN name IS NOT NULL THEN 'ko' END;
  END IF;
END $$;
COMMENT ON FUNCTION completed_word(text, boolean)
IS 'The shortest name that begins as a word does, with the language and the spelling that go on from it; nulls where none does. Of a word beside others three Latin letters suffice.';

-- What is unknown may be the end of a word after a name: the whole word is tried first. Kana and Chinese characters have no blanks
-- between words, so that what is typed of one name may be two others: プチョンシチョ is プチョン and シチョ.
CREATE OR REPLACE FUNCTION completed_words(words text [], unknown text [], OUT read_as text [], OUT spelled jsonb)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  word text;
  ending text;
  separate text[];
  f record;
BEGIN
  read_as := '{}';
  spelled := '{}';
  FOREACH word IN ARRAY words LOOP
    SELECT u INTO ending FROM unnest(unknown) AS u WHERE right(word, length(u)) = u LIMIT 1;
    IF ending IS NULL AND (word !~ '^[\u3041-\u9fff]{3,}$' OR EXISTS (SELECT FROM names_spelled(ARRAY[word]))) THEN
      read_as := read_as || word;
      CONTINUE;
    END IF;
    SELECT * INTO f FROM completed_word(word, cardinality(words) > 1);
    IF f.name IS NULL AND ending <> word THEN
      SELECT * INTO f FROM completed_word(ending, true);
      read_as := read_as || left(word, length(word) - length(ending));
      word := ending;
    END IF;
    IF f.name IS NULL AND word ~ '^[가-힣]{3,}[가-힣ㄱ-ㅎ]$' THEN
      -- 부산서면인생네
      separate := word_apart(word);
      f.name := completed_korean(separate[cardinality(separate)]);
      IF cardinality(separate) > 1 AND f.name IS NOT NULL THEN
        read_as := read_as || trim_array(separate, 1);
        f.lang := 'ko';
      ELSE
        f.name := NULL;
      END IF;
    END IF;
    read_as := read_as || coalesce(name_key(f.name), word);
    IF f.lang <> 'ko' THEN
      spelled := spelled || jsonb_build_object(
        name_key(f.name), jsonb_build_object('text', word, 'lang', f.lang, 'matched', f.spelling));
    END IF;
  END LOOP;
END $$;
COMMENT ON FUNCTION completed_words(text [], text [])
IS 'The words, with unknown ones replaced by the shortest names with this prefix; and for each of these, the typed text if it is in foreign letters.';
