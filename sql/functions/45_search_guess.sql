-- What a word that finds nothing may have been meant for: another keyboard, or one letter gone wrong.

-- Keys of the two-set keyboard, shifted ones in capitals.
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
  -- a consonant before a vowel begins a syllable, another ends one; two at the end of a syllable may be one letter
  FOREACH pair SLICE 1 IN ARRAY ARRAY[['ㄱㅅ','ㄳ'],['ㄴㅈ','ㄵ'],['ㄴㅎ','ㄶ'],['ㄹㄱ','ㄺ'],['ㄹㅁ','ㄻ'],['ㄹㅂ','ㄼ'],['ㄹㅅ','ㄽ'],
    ['ㄹㅌ','ㄾ'],['ㄹㅍ','ㄿ'],['ㄹㅎ','ㅀ'],['ㅂㅅ','ㅄ']] LOOP
    letters := regexp_replace(letters, pair[1] || '(?![ㅏ-ㅣ])', pair[2], 'g');
  END LOOP;
  letters := regexp_replace(letters, '([ㅏ-ㅣ])([ㄱ-ㅎ])(?![ㅏ-ㅣ])', '\1<\2>', 'g');
  RETURN normalize(jamo_written(letters), NFC);
END $$;
COMMENT ON FUNCTION typed_on_latin_keyboard(text)
IS 'The Hangul that these keys write on a two-set keyboard (rkdska is 강남); null when they write no syllables.';

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

-- Everything that one wrong, missing or extra letter makes of a word; a letter is a jamo, a syllable or a sign.
CREATE OR REPLACE FUNCTION one_letter_off(letters text) RETURNS text []
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(
  SELECT left(letters, i - 1) || chr(c) || substr(letters, i + 1)
  FROM generate_series(1, length(letters)) AS i
  CROSS JOIN LATERAL (SELECT ascii(substr(letters, i, 1)) AS was) AS a
  CROSS JOIN LATERAL generate_series(
    CASE WHEN was BETWEEN 4352 AND 4370 THEN 4352 WHEN was BETWEEN 4449 AND 4469 THEN 4449
      WHEN was BETWEEN 4520 AND 4546 THEN 4520 WHEN was BETWEEN 97 AND 122 THEN 97 WHEN was BETWEEN 48 AND 57 THEN 48 END,
    CASE WHEN was BETWEEN 4352 AND 4370 THEN 4370 WHEN was BETWEEN 4449 AND 4469 THEN 4469
      WHEN was BETWEEN 4520 AND 4546 THEN 4546 WHEN was BETWEEN 97 AND 122 THEN 122 WHEN was BETWEEN 48 AND 57 THEN 57 END
  ) AS c WHERE c <> was
  UNION
  SELECT left(letters, i - 1) || substr(letters, i + 1) FROM generate_series(1, length(letters)) AS i
  UNION
  SELECT left(letters, i) || chr(c) || substr(letters, i + 1)
  FROM generate_series(1, length(letters)) AS i CROSS JOIN generate_series(4520, 4546) AS c
  WHERE ascii(substr(letters, i, 1)) BETWEEN 4449 AND 4469
    AND ascii(substr(letters, i + 1, 1)) NOT BETWEEN 4520 AND 4546
  UNION
  SELECT left(letters, i) || chr(c) || substr(letters, i + 1)
  FROM generate_series(0, length(letters)) AS i CROSS JOIN generate_series(97, 122) AS c WHERE letters ~ '^[a-z0-9]+$'
  UNION
  SELECT left(letters, i - 1) || substr(letters, i + 1, 1) || substr(letters, i, 1) || substr(letters, i + 2)
  FROM generate_series(1, length(letters) - 1) AS i WHERE letters ~ '^[a-z0-9]+$'
  UNION
  SELECT normalize(left(w, i - 1) || substr(w, i + 1), NFD)
  FROM normalize(letters, NFC) AS w CROSS JOIN generate_series(1, length(w)) AS i WHERE length(w) > 3
);
COMMENT ON FUNCTION one_letter_off(text) IS 'The words one letter away: replaced, left out, put in, in Latin also exchanged.';

CREATE OR REPLACE FUNCTION is_long_enough_for_typos(letters text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN length(letters) BETWEEN 4 AND 40 AND length(normalize(letters, NFC)) > 1;
COMMENT ON FUNCTION is_long_enough_for_typos(text) IS 'Shorter words are one letter away from everything.';

-- Names of at least four syllables of which one is missing or wrong: 인네컷, 인성네컷.
CREATE OR REPLACE FUNCTION names_a_syllable_off(word text) RETURNS SETOF text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH patterns AS (
    SELECT array_agg(p) AS any_of FROM (
      SELECT left(like_pattern(left(word, i)), -1) || '_' || left(like_pattern(substr(word, i + 1)), -1) AS p
      FROM generate_series(0, length(word)) AS i WHERE length(word) >= 3
      UNION ALL
      SELECT left(like_pattern(left(word, i - 1)), -1) || '_' || left(like_pattern(substr(word, i + 1)), -1)
      FROM generate_series(1, length(word)) AS i WHERE length(word) >= 4
    ) AS q
  )
  SELECT b.name_key FROM brands AS b CROSS JOIN patterns AS p WHERE b.name_key LIKE ANY (p.any_of)
  UNION ALL
  SELECT a.alias_key FROM brand_aliases AS a CROSS JOIN patterns AS p WHERE a.alias_key LIKE ANY (p.any_of)
  UNION ALL
  SELECT r.name_key FROM regions AS r CROSS JOIN patterns AS p WHERE r.name_key LIKE ANY (p.any_of)
  UNION ALL
  SELECT s.name_key FROM stations AS s CROSS JOIN patterns AS p WHERE s.name_key LIKE ANY (p.any_of);
END $$;
COMMENT ON FUNCTION names_a_syllable_off(text) IS 'Names of the dictionaries that have one syllable more than the word, or another one.';

-- The name that was probably meant: brands before regions before stations, names of the same length before others.
CREATE OR REPLACE FUNCTION probable_name(letters text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (
    SELECT q.key FROM (
      SELECT n.key, n.kind, n.rank, 0 AS off FROM search_names(one_letter_off(letters)) AS n
      WHERE is_long_enough_for_typos(letters) AND length(n.key) > 3
        -- 경상대 is a university, 충청로 a street
        AND NOT (n.kind = 'region' AND normalize(letters, NFC) ~ '(대|로)$' AND normalize(n.key, NFC) ~ '도$')
      UNION ALL
      SELECT jamo(s), CASE WHEN EXISTS (SELECT FROM brands AS b WHERE b.name_key = s) THEN 'brand' ELSE 'region' END, 0, 1
      FROM names_a_syllable_off(normalize(letters, NFC)) AS s
    ) AS q
    ORDER BY q.off, q.kind, q.rank, abs(length(q.key) - length(letters)), q.key LIMIT 1
  );
END $$;
COMMENT ON FUNCTION probable_name(text) IS 'The letters of the one name of the dictionaries that a misspelt word was probably meant for; null when none.';

-- A word may be a name and a misspelt one without a space: 강남구인셍네컷.
CREATE OR REPLACE FUNCTION corrected_word(word text) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  name text := probable_name(normalize(word, NFD));
  i integer;
  parts text[];
BEGIN
  IF name IS NOT NULL THEN
    RETURN ARRAY[normalize(name, NFC)];
  END IF;
  FOR i IN 2..least(length(word) - 2, 20) LOOP
    parts := ARRAY[left(word, i), substr(word, i + 1)];
    FOR side IN 1..2 LOOP
      CONTINUE WHEN length(parts[side]) < 3
        OR NOT EXISTS (SELECT FROM search_names(ARRAY[normalize(parts[3 - side], NFD)]));
      name := probable_name(normalize(parts[side], NFD));
      IF name IS NOT NULL THEN
        parts[side] := normalize(name, NFC);
        RETURN parts;
      END IF;
    END LOOP;
  END LOOP;
  RETURN ARRAY[word];
END $$;
COMMENT ON FUNCTION corrected_word(text) IS 'The word with its misspelt name put right, itself when none is near.';

-- A misspelt name may be written with spaces: 인생 내컷. Of four syllables on, for two short words make a name of something
-- too easily; a long keyword is no misspelt name, and each question costs some milliseconds.
CREATE OR REPLACE FUNCTION corrected_across_spaces(words text [], unknown text []) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  name text;
  joined text;
BEGIN
  IF cardinality(unknown) BETWEEN 2 AND 4 THEN
    FOR i IN 1..cardinality(words) - 1 LOOP
      FOR j IN REVERSE least(i + 2, cardinality(words))..i + 1 LOOP
        joined := array_to_string(words[i:j], '');
        CONTINUE WHEN NOT words[i:j] <@ unknown OR length(joined) NOT BETWEEN 4 AND 25;
        name := probable_name(normalize(joined, NFD));
        IF name IS NOT NULL THEN
          RETURN words[:i - 1] || normalize(name, NFC) || words[j + 1:];
        END IF;
      END LOOP;
    END LOOP;
  END IF;
  RETURN words;
END $$;
COMMENT ON FUNCTION corrected_across_spaces(text [], text [])
IS 'The words with the first two or three unknown ones that are together a misspelt name put right.';

-- A word may begin with regions and stations, and a street's name with its number: 강남구사진관, 테헤란로152. What a street is
-- called after is no region (강남대로), 공항 in 공항철도 no station without 역, and one syllable that is left over is more often
-- a particle (강남에) than a word.
CREATE OR REPLACE FUNCTION word_apart(word text) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  apart text[] := '{}';
  name text;
BEGIN
  FOR i IN 1..3 LOOP
    SELECT max(normalize(n.key, NFC) COLLATE "C") INTO name
    FROM search_names(ARRAY(SELECT normalize(left(word, l), NFD) FROM generate_series(2, least(length(word) - 2, 24)) l
        WHERE substr(word, l + 1) !~ '^(대|대학|중앙)?[로길]')) n
    WHERE n.kind <> 'brand' AND n.rank = 0;
    EXIT WHEN name IS NULL;
    apart := apart || name;
    word := substr(word, length(name) + 1);
  END LOOP;
  RETURN apart || regexp_split_to_array(word, '(?<=.[로길])(?=[0-9])');
END $$;
COMMENT ON FUNCTION word_apart(text) IS 'The regions and stations that a word begins with, and what is left over.';

CREATE OR REPLACE FUNCTION typo_query(word text) RETURNS tsquery
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE
  WHEN is_long_enough_for_typos(word) AND (length(word) > 5 OR word ~ '^[a-z0-9]+$')
    THEN rest_query(word) || begins_with_any(one_letter_off(word))
  ELSE rest_query(word)
END;
COMMENT ON FUNCTION typo_query(text) IS 'The question for shops with the word or one a letter away from it.';
