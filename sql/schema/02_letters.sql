-- Names as letters, the same for indexes and queries of the keyword search. A text becomes the letters of its syllables (NFD), so
-- that a half-typed name is a prefix of the name, even if it ends within a syllable.
--
-- Many functions of this and the next files are in PL/pgSQL though an expression would do: PostgreSQL reads and plans a function
-- in SQL again for each query that calls it, unless it can replace the call by the body. It cannot where the body contains a
-- query, nor where STRICT is stated and a CASE hides which nulls are passed on.

-- An inlined body would compute name_key several times. Names in ASCII, or in ASCII and whole syllables, need only lower
-- case and no blanks, which is much faster than the general rule.
CREATE FUNCTION jamo(value text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  letters text;
BEGIN
  IF value ~ '^[ -~]*$' THEN
    RETURN lower(replace(value, ' ', '') COLLATE "C");
  END IF;
  IF value ~ '^[ -~가-힣]*$' THEN
    RETURN normalize(lower(translate(value, ' ', '')), NFD);
  END IF;
  letters := normalize(public.name_key(value), NFD);
  RETURN CASE WHEN letters ~ '[\u0300-\u036f]' THEN regexp_replace(letters, '[\u0300-\u036f]', '', 'g') ELSE letters END;
END $$;
COMMENT ON FUNCTION jamo(text)
IS 'The text as letters: name_key, syllables taken apart into conjoining jamo, accents dropped.';

CREATE FUNCTION jamo_initials(letters text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(letters, '[\u1161-\u11ff]+', '', 'g');
COMMENT ON FUNCTION jamo_initials(text) IS 'Letters of jamo() with only the initial consonant of each syllable.';

CREATE FUNCTION initials_of_name(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substring(jamo_initials(jamo(name)), '^[\u1100-\u115f]{2,}$');
COMMENT ON FUNCTION initials_of_name(text) IS 'Initials of a name in Hangul of at least two syllables; null for others.';

-- Every position at which a search may begin within a name: at each syllable, letter or digit.
CREATE FUNCTION name_tails(letters text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  whole text := normalize(letters, NFC);
  initials text := public.jamo_initials(letters);
  tails text[] := '{}';
BEGIN
  FOR i IN 1..length(whole) LOOP
    tails := tails || left(normalize(substr(whole, i), NFD), 24) || substr(initials, i, 24);
  END LOOP;
  RETURN tails;
END $$;
COMMENT ON FUNCTION name_tails(text)
IS 'The letters from each syllable on, and the initials from each on, at most 24: a prefix of one is a piece of the name.';

-- How a name begins: two syllables or three Latin letters; of a shorter name, all of it. Eight letters contain two syllables.
CREATE FUNCTION name_start(letters text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN CASE
    WHEN letters ~ '^[a-z0-9]{3}' THEN left(letters, 3)
    ELSE normalize(left(normalize(left(letters, 8), NFC), 2), NFD) END;
END $$;
COMMENT ON FUNCTION name_start(text) IS 'The first two syllables or three Latin letters.';

CREATE FUNCTION one_letter_less(letters text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(SELECT DISTINCT left(letters, i - 1) || substr(letters, i + 1) FROM generate_series(1, length(letters)) AS i);
END $$;
COMMENT ON FUNCTION one_letter_less(text) IS 'The words that are left when one letter goes.';

CREATE FUNCTION one_syllable_less(letters text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(SELECT normalize(w, NFD) FROM unnest(public.one_letter_less(normalize(letters, NFC))) AS w);
END $$;
COMMENT ON FUNCTION one_syllable_less(text) IS 'The words that are left when one syllable goes.';
