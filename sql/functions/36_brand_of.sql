-- Which brand a shop's name means.

CREATE OR REPLACE FUNCTION brand_names() RETURNS TABLE (brand_id bigint, key text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT b.id, b.name_key FROM brands AS b
  UNION ALL
  SELECT a.brand_id, a.alias_key FROM brand_aliases AS a;
END;
COMMENT ON FUNCTION brand_names() IS 'Names and aliases of all brands under the form in which names are compared.';

-- One alternative a name, blanks allowed between letters: 인생 네컷 is 인생네컷.
CREATE OR REPLACE FUNCTION brand_pattern() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT '(?:^|[^[:alnum:]])(' || string_agg(
    (
      SELECT string_agg(
        CASE
          WHEN c.letter ~ '[[:alnum:]]' THEN c.letter
          ELSE '[' || CASE WHEN c.letter IN ('^', '\', ']', '[') THEN '\' ELSE '' END || c.letter || ']'
        END, '[[:space:]]*' ORDER BY c.n)
      FROM regexp_split_to_table(n.key, '') WITH ORDINALITY AS c (letter, n)
    ), '|' ORDER BY n.key) || ')'
  FROM brand_names() AS n;
END;
COMMENT ON FUNCTION brand_pattern() IS 'Regular expression that finds any brand name at the beginning of a word; null without brands.';

CREATE OR REPLACE FUNCTION is_place_begin(words text) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT EXISTS (SELECT FROM stations AS s WHERE s.name_key = ANY (beginnings.keys))
    OR EXISTS (SELECT FROM regions AS r WHERE r.name_key = ANY (beginnings.keys))
    OR EXISTS (SELECT FROM region_aliases AS a WHERE a.alias_key = ANY (beginnings.keys))
    OR EXISTS (SELECT FROM regions AS r WHERE r.name_key = ANY (beginnings.with_suffix))
  FROM (
    SELECT
      array_agg(left(name_key(words), n)) AS keys,
      array_agg(left(name_key(words), n) || suffix.text) AS with_suffix
    FROM generate_series(2, least(length(name_key(words)), 12)) AS n
    CROSS JOIN (VALUES ('구'), ('동'), ('시'), ('군')) AS suffix (text)
  ) AS beginnings;
END;
COMMENT ON FUNCTION is_place_begin(text) IS 'True when the text begins with the name of a region or a station.';

CREATE OR REPLACE FUNCTION brand_of(place_name text) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  WITH folded AS (
    SELECT lower(normalize(place_name, NFKC)) AS name, brand_pattern() AS pattern
  ),
  whole AS (
    SELECT n.brand_id FROM folded AS f
    INNER JOIN brand_names() AS n ON n.key = name_key(substring(f.name FROM f.pattern || '(?![[:alnum:]])'))
  ),
  -- 인생네컷강남점: what follows without a blank must be a branch, and that a place or a number
  branch AS (
    SELECT n.brand_id
    FROM folded AS f
    CROSS JOIN regexp_split_to_table(f.name, '[^[:alnum:]]+') AS w (word)
    INNER JOIN brand_names() AS n ON starts_with(w.word, n.key) AND w.word <> n.key
    WHERE f.name ~ f.pattern
      AND (substr(w.word, length(n.key) + 1) ~ '^[0-9]+호?점$'
        OR w.word LIKE '%점' AND is_place_begin(substr(w.word, length(n.key) + 1)))
    ORDER BY length(n.key) DESC, n.brand_id LIMIT 1
  )
  SELECT coalesce((SELECT w.brand_id FROM whole AS w LIMIT 1), (SELECT b.brand_id FROM branch AS b));
END;
COMMENT ON FUNCTION brand_of(text)
IS 'The brand whose longest name or alias stands in a shop''s name as whole words or right before its branch; never a mere beginning.';
