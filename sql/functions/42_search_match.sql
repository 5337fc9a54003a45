-- Words that are in no dictionary, as a tsquery on the index on names and addresses.

-- The last letters of a word may be incomplete: 인생넼 may become 인생네컷, and 고 may become 과.
CREATE OR REPLACE FUNCTION typed_prefixes(letters text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(
    SELECT letters
    UNION
    SELECT left(letters, -1) || chr(c) FROM unnest(CASE right(letters, 1)
      WHEN U&'\1169' THEN ARRAY[4458, 4459, 4460] WHEN U&'\116e' THEN ARRAY[4463, 4464, 4465]
      WHEN U&'\1173' THEN ARRAY[4468] WHEN U&'\11a8' THEN ARRAY[4522] WHEN U&'\11ab' THEN ARRAY[4524, 4525]
      WHEN U&'\11af' THEN ARRAY[4528, 4529, 4530, 4531, 4532, 4533, 4534] WHEN U&'\11b8' THEN ARRAY[4537] END) AS c
    UNION
    SELECT left(letters, -1) || f.stays || f.moves
    FROM (SELECT ascii(right(letters, 1)) - 4519 AS n) AS p
    CROSS JOIN LATERAL (SELECT
      btrim(substr(U&'  \11a8 \11ab\11ab  \11af\11af\11af\11af\11af\11af\11af  \11b8         ', p.n, 1)) AS stays,
      normalize(substr('ㄱㄲㅅㄴㅈㅎㄷㄹㄱㅁㅂㅅㅌㅍㅎㅁㅂㅅㅅㅆㅇㅈㅊㅋㅌㅍㅎ', p.n, 1), NFKC) AS moves) AS f
    WHERE p.n BETWEEN 1 AND 27 AND length(letters) > 2
  );
END $$;
COMMENT ON FUNCTION typed_prefixes(text) IS 'The letters typed so far, and the forms that they may become as typing goes on.';

CREATE OR REPLACE FUNCTION every_typed_prefix(words text []) RETURNS text []
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(SELECT t FROM unnest(words) AS w CROSS JOIN unnest(typed_prefixes(w)) AS t);
END $$;
COMMENT ON FUNCTION every_typed_prefix(text []) IS 'The typed_prefixes of all words.';

CREATE OR REPLACE FUNCTION quoted_word(word text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN '''' || replace(replace(left(word, 24), '\', '\\'), '''', '''''') || '''';
COMMENT ON FUNCTION quoted_word(text) IS 'The word quoted for tsquery, whatever its characters.';

CREATE OR REPLACE FUNCTION begins_with_any(words text []) RETURNS tsquery
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (SELECT string_agg(quoted_word(w) || ':*', '|') FROM unnest(words) w)::tsquery;
END $$;
COMMENT ON FUNCTION begins_with_any(text []) IS 'The tsquery for shops with a word that begins with one of these.';

CREATE OR REPLACE FUNCTION are_any(words text []) RETURNS tsquery
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (SELECT string_agg(quoted_word(w), '|') FROM unnest(words) w)::tsquery;
END $$;
COMMENT ON FUNCTION are_any(text []) IS 'The tsquery for shops with one of these words.';

CREATE OR REPLACE FUNCTION in_any(mark text, ids bigint []) RETURNS tsquery
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (SELECT string_agg(quoted_word(chr(1) || mark || i), '|') FROM unnest(ids) i)::tsquery;
END $$;
COMMENT ON FUNCTION in_any(text, bigint []) IS 'The tsquery for shops of brands (b) or regions (r); null when none are given.';

-- A word may also be a prefix of a brand's alias: photois, 라이프포.
CREATE OR REPLACE FUNCTION brands_called(word text) RETURNS bigint []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN CASE WHEN length(word) > 2 THEN ARRAY(
    SELECT DISTINCT f FROM unnest(typed_prefixes(word)) AS w
    INNER JOIN brand_aliases AS a ON jamo(a.alias) COLLATE "C" >= w AND jamo(a.alias) COLLATE "C" < w || U&'\+10ffff'
    CROSS JOIN unnest(brand_family(a.brand_id)) AS f
  ) END;
END $$;
COMMENT ON FUNCTION brands_called(text) IS 'Brands with an alias that begins with the letters.';

CREATE OR REPLACE FUNCTION rest_query(word text) RETURNS tsquery
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (
    SELECT coalesce(begins_with_any(t.words) || in_any('b', array_agg(DISTINCT f)), begins_with_any(t.words))
    FROM (SELECT typed_prefixes(word) AS words) AS t
    LEFT JOIN unnest(brands_called(word)) AS f ON true
    GROUP BY t.words
  );
END $$;
COMMENT ON FUNCTION rest_query(text) IS 'The tsquery for shops with the letters in name, address or an alias of the brand.';

CREATE OR REPLACE FUNCTION all_of(queries tsquery []) RETURNS tsquery
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  every tsquery;
  one tsquery;
BEGIN
  FOREACH one IN ARRAY coalesce(queries, '{}') LOOP
    every := CASE WHEN every IS NULL THEN one WHEN one IS NULL THEN every ELSE every && one END;
  END LOOP;
  RETURN every;
END $$;
COMMENT ON FUNCTION all_of(tsquery []) IS 'The conjunction of the queries; nulls are skipped.';

CREATE OR REPLACE FUNCTION like_pattern(letters text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN replace(replace(replace(letters, '\', '\\'), '%', '\%'), '_', '\_') || '%';
COMMENT ON FUNCTION like_pattern(text) IS 'The LIKE pattern of texts that begin with the letters, whatever the characters.';

CREATE OR REPLACE FUNCTION search_tier(name_jamo text, full_names text [], beginnings text []) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN full_names IS NULL THEN 3
  WHEN name_jamo = ANY (full_names) THEN 1
  WHEN name_jamo LIKE ANY (beginnings) THEN 2
  ELSE 3
END;
COMMENT ON FUNCTION search_tier(text, text [], text [])
IS '1 the name equals the keyword, 2 the name begins with it (LIKE patterns), 3 the name contains all words.';

CREATE OR REPLACE FUNCTION branch_names(names text []) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(
    SELECT n FROM unnest(names) AS n
    UNION
    SELECT n || normalize('점', NFD) FROM unnest(names) AS n
    UNION
    SELECT regexp_replace(n, normalize('점', NFD) || '$', '') FROM unnest(names) AS n
  );
END $$;
COMMENT ON FUNCTION branch_names(text []) IS 'The names with and without the 점 of a branch.';
