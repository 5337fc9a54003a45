-- Finds the brand in a shop's name.

CREATE OR REPLACE FUNCTION brand_names() RETURNS TABLE (brand_id bigint, key text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT b.id, b.name_key FROM brands AS b
  UNION ALL
  SELECT a.brand_id, a.alias_key FROM brand_aliases AS a;
END;
COMMENT ON FUNCTION brand_names() IS 'Names and aliases of all brands, normalised for comparison.';

-- One alternative per name; blanks are allowed between letters: 인생 네컷 matches 인생네컷.
CREATE OR REPLACE FUNCTION brand_pattern() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT '(?:^|[^[:alnum:]])(' || string_agg(
    (
      SELECT string_agg(CASE WHEN c.letter ~ '[[:alnum:]]' THEN c.letter ELSE '\' || c.letter END, '[[:space:]]*' ORDER BY c.n)
      FROM regexp_split_to_table(n.key, '') WITH ORDINALITY AS c (letter, n)
    ), '|' ORDER BY n.key) || ')'
  FROM brand_names() AS n;
END;
COMMENT ON FUNCTION brand_pattern() IS 'Regular expression that finds any brand name at the beginning of a word; null without brands.';

CREATE OR REPLACE FUNCTION is_place_begin(words text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  key text := name_key(words);
  begins text[] := ARRAY(SELECT left(key, n) FROM generate_series(2, least(length(key), 12)) n);
  with_suffix text[] := ARRAY(SELECT b || s FROM unnest(begins) b, unnest('{구,동,시,군}'::text[]) s);
BEGIN
  RETURN EXISTS (SELECT FROM stations s WHERE s.name_key = ANY (begins))
    OR EXISTS (SELECT FROM regions r WHERE r.name_key = ANY (begins || with_suffix))
    OR EXISTS (SELECT FROM region_aliases a WHERE a.alias_key = ANY (begins));
END $$;
COMMENT ON FUNCTION is_place_begin(text) IS 'Whether the text begins with the name of a region or a station.';

CREATE OR REPLACE FUNCTION brand_keys() RETURNS text []
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT array_agg(n.key ORDER BY length(n.key) DESC, n.key) FROM brand_names() AS n;
END;
COMMENT ON FUNCTION brand_keys() IS 'The keys of all brand names, the longest first; null without brands.';

-- Most names begin with the brand. Comparing their first words with the keys is cheaper than matching the pattern.
CREATE OR REPLACE FUNCTION brand_words(place_name text, pattern text, keys text []) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  name text := lower(normalize(place_name, NFKC));
  word text;
  joined text := '';
  longest integer := length(keys[1]);
  found text;
BEGIN
  IF name !~ '[^[:alnum:] ]' THEN
    FOREACH word IN ARRAY string_to_array(name, ' ') LOOP
      joined := joined || word;
      EXIT WHEN length(joined) > longest;
      IF joined = ANY (keys) THEN
        found := joined;
      END IF;
    END LOOP;
  END IF;
  RETURN CASE WHEN found IS NOT NULL THEN found
    WHEN name ~ pattern THEN coalesce(substring(name FROM pattern || '(?![[:alnum:]])'), '') END;
END $$;
COMMENT ON FUNCTION brand_words(text, text, text [])
IS 'The words of a shop''s name that are a brand; an empty string if a word only begins with one, null if none does. Pass brand_pattern() and brand_keys().';

CREATE OR REPLACE FUNCTION brand_of(place_name text, pattern text DEFAULT brand_pattern(), keys text [] DEFAULT brand_keys())
RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  name text := lower(normalize(place_name, NFKC));
  words text := brand_words(place_name, pattern, keys);
  found bigint := brand_named(words);
BEGIN
  IF found IS NULL AND words IS NOT NULL THEN
    -- 인생네컷강남점: text that follows the brand without a blank must be a branch, that is, a number or a place
    SELECT n.brand_id INTO found
    FROM regexp_split_to_table(name, '[^[:alnum:]]+') w (word)
    JOIN brand_names() n ON starts_with(w.word, n.key) AND w.word <> n.key
    WHERE substr(w.word, length(n.key) + 1) ~ '^[0-9]+호?점$'
      OR w.word LIKE '%점' AND is_place_begin(substr(w.word, length(n.key) + 1))
    ORDER BY length(n.key) DESC, n.brand_id LIMIT 1;
  END IF;
  RETURN found;
END $$;
COMMENT ON FUNCTION brand_of(text, text, text [])
IS 'The brand whose name or alias is contained in a shop''s name, the longest first: as whole words or directly before the branch, never as the start of another word.';
