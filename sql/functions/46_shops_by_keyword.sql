-- Keyword search: interpretations of the keyword from the strictest to the loosest; the first with a result wins.

-- Complete rows are read only for the shops of the page, or for all results if the order depends on their columns.
CREATE OR REPLACE FUNCTION search_json(
  ids bigint [], tiers integer [], distances double precision [], origin text, member bigint, sort text,
  explain boolean, page_size integer, page_offset integer, lang text
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (
    SELECT '[' || coalesce(string_agg(
      CASE WHEN explain THEN concat(left(q.json, -1), ',"why":{"place":', q.place, ',"tier":', q.tier, ',"match":"',
        (ARRAY['exact name', 'prefix', 'all words', 'typo'])[q.tier], '"}}') ELSE q.json END, ',' ORDER BY q.place
    ), '') || ']'
    FROM (
      SELECT r.place, r.tier, shop_json(
        CASE WHEN lang IS NULL THEN r.card ELSE r.card ||
          (SELECT d FROM display_of(r.id, r.display_source, lang) AS d) END,
        r.counts, b.card, b.image_path, origin, metres(r.distance_m),
        member IS NOT NULL AND EXISTS (SELECT FROM favorites AS f WHERE f.member_id = member AND f.shop_id = r.id)) AS json
      FROM (
        SELECT p.id, p.tier, p.distance_m, p.place, s.brand_id, s.card, s.counts,
          CASE WHEN lang IS NOT NULL THEN display_source(s) END AS display_source
        FROM (
          SELECT t.*, row_number() OVER (
            ORDER BY CASE sort WHEN 'distance' THEN t.tier ELSE sort_key(o, sort) END, distance_rank(t.distance_m), t.id) AS place
          FROM unnest(ids, tiers, distances) AS t (id, tier, distance_m)
          LEFT JOIN shops AS o ON o.id = t.id AND sort <> 'distance'
          ORDER BY place LIMIT page_size OFFSET page_offset
        ) AS p
        INNER JOIN shops AS s ON s.id = p.id
      ) AS r
      LEFT JOIN brands AS b ON b.id = r.brand_id
    ) AS q
  );
END $$;
COMMENT ON FUNCTION search_json IS 'The shops as JSON; sort is distance (relevance first), rating, reviews or favorites.';

-- 이천터미널 is in 이천, and not misspelt 인천터미널.
CREATE OR REPLACE FUNCTION goes_on_from_a_place(word text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  place constant text := substring(word, '^(..+)' || words_after_places());
BEGIN
  RETURN CASE WHEN place IS NULL THEN false ELSE EXISTS (
    SELECT FROM search_names(ARRAY[normalize(place, NFD)]) AS n WHERE n.kind = 'region' AND n.rank = 0 OR n.kind = 'station') END;
END $$;
COMMENT ON FUNCTION goes_on_from_a_place(text) IS 'Whether a word is the name of a region or a station with a word for a place.';

-- `words` are those of the keyword, or what the pass replaces them with.
CREATE OR REPLACE FUNCTION search_reading(pass text, keyword text, unknown text [], OUT words text [])
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  piece text;
BEGIN
  words := keyword_words(keyword);
  IF starts_with(pass, 'punctuation') THEN
    words := keyword_words(signs_as_blanks(keyword));
  END IF;
  IF pass LIKE '%branch' THEN
    words := ARRAY(SELECT regexp_replace(w, '(..)점$', '\1') FROM unnest(words) w);
  ELSIF pass = 'keyboard' OR pass = 'keyboard without shift' AND normalize(keyword, NFKC) ~ '[A-Z]' THEN
    words := ARRAY(
      SELECT coalesce(CASE WHEN w ~ '^[A-Za-z]{2,}$' AND NOT EXISTS (SELECT FROM search_names(ARRAY[lower(w)]))
        THEN typed_on_latin_keyboard(CASE pass WHEN 'keyboard' THEN w ELSE lower(w) END) END, name_key(w))
      FROM regexp_split_to_table(normalize(keyword, NFKC), '[[:space:]]+') WITH ORDINALITY t (w, i)
      WHERE NOT is_blank(w) ORDER BY i LIMIT 50);
  ELSIF pass = 'small words' THEN
    -- Taken out of the unknown words, because small words would be cut from inside such a name.
    FOREACH piece IN ARRAY ARRAY(SELECT u FROM unnest(unknown) AS u WHERE name_in_kana(u) IS NOT NULL) LOOP
      keyword := replace(keyword, piece, ' ' || piece || ' ');
      unknown := array_remove(unknown, piece);
    END LOOP;
    words := regions_of_stations(small_words_reading(keyword, unknown), unknown);
  ELSIF pass = 'typo' THEN
    words := ARRAY(
      SELECT c FROM unnest(corrected_across_spaces(words, unknown)) WITH ORDINALITY t (w, i)
      CROSS JOIN LATERAL unnest(CASE WHEN without_small_words(ARRAY[w]) = '{}' THEN '{}' WHEN goes_on_from_a_place(w) THEN ARRAY[w]
        -- also what a brand's name leaves over: 포토이즘벅스 is 포토이즘박스
        WHEN EXISTS (SELECT FROM unnest(unknown) AS x WHERE right(w, length(x)) = x) THEN corrected_word(w) ELSE ARRAY[w] END) c ORDER BY i);
  ELSIF pass = 'apart' THEN
    words := ARRAY(
      SELECT c FROM unnest(words) WITH ORDINALITY t (w, i)
      CROSS JOIN LATERAL unnest(CASE WHEN w = ANY (unknown) THEN without_small_words(word_apart(w)) ELSE ARRAY[w] END) c ORDER BY i);
    -- a word beside others may be left out instead
    IF cardinality(words) = 1 THEN
      words := without_small_words(station_apart(words[1]));
    END IF;
  END IF;
END $$;
COMMENT ON FUNCTION search_reading(text, text, text []) IS 'The words of a keyword as a pass reads them.';

-- The middle dot of kana separates words within one name, so it is removed. The beginning of a name is one unknown word; a second one may
-- be unknown for another reason. With more than two unknown words, the keyword is a sentence, and none is completed.
CREATE OR REPLACE FUNCTION search_completed(keyword text, small_words text [], rest text [], OUT words text [], OUT spelled jsonb)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  unknown text[] := rest;
  typed text[];
  joined text;
  place integer;
BEGIN
  IF strpos(keyword, '・') > 0 THEN
    small_words := without_small_words(keyword_words(signs_as_blanks(replace(keyword, '・', ''))));
    unknown := unknown_words(small_words);
  END IF;
  typed := ARRAY(
    SELECT w FROM unnest(small_words) WITH ORDINALITY AS t (w, i)
    WHERE w !~ '^(station|stn|sta|subway|역)$' OR w <> ALL (unknown) ORDER BY i);
  unknown := ARRAY(SELECT u FROM unnest(unknown) AS u WHERE u !~ '^(station|stn|sta|subway|역)$');
  -- kyungsung univ is the beginning of one name, although univ alone would be that of another
  place := array_position(typed, unknown[1]);
  joined := unknown[1] || ' ' || unknown[2];
  IF cardinality(unknown) = 2 AND typed[place + 1] = unknown[2] AND joined ~ '^[a-z ]+$' AND (completed_word(joined, true)).name IS NOT NULL THEN
    typed := typed[:place - 1] || joined || typed[place + 2:];
    unknown := ARRAY[joined];
  END IF;
  IF cardinality(unknown) <= 2 AND length(keyword) <= 40 THEN
    SELECT CASE WHEN c.read_as <> typed THEN c.read_as END, c.spelled INTO words, spelled FROM completed_words(typed, unknown) AS c;
  END IF;
END $$;
COMMENT ON FUNCTION search_completed(text, text [], text [])
IS 'The words of a keyword, with up to two unknown ones replaced by names that begin with them, and the spelling of these; null if there are none.';

-- Starting parallel workers takes longer than any of its queries, and planning is a considerable part of each.
CREATE OR REPLACE FUNCTION shops_by_keyword(
  keyword text, user_lon double precision, user_lat double precision, filters shop_filters,
  sort text, origin text, at_most integer, page_size integer, page_offset integer,
  member bigint DEFAULT NULL, session bigint DEFAULT NULL, explain boolean DEFAULT false,
  lang text DEFAULT NULL
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET max_parallel_workers_per_gather = 0 SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  f record;
  body text;
BEGIN
  IF session IS NOT NULL AND NOT session_is_live(session, member) THEN
    RETURN NULL;
  END IF;
  SELECT * INTO f FROM search_shops(
    keyword, point_at(user_lon, user_lat), filters, at_most, CASE sort WHEN 'distance' THEN least(page_offset + page_size, at_most) END);
  body := search_json(f.ids[:at_most], f.tiers[:at_most], f.distances[:at_most], origin, member, sort,
    explain, page_size, page_offset, lang);
  IF explain THEN
    body := concat('{"understood":', understood_json(f.understood), ',"pass":"', f.pass, '","ignored":', coalesce(to_json(f.ignored)::text, '[]'),
      ',"shops":', body, '}');
  END IF;
  RETURN list_text(least(f.total, at_most), f.total > at_most OR NOT f.complete, body, f.ignored);
END $$;
COMMENT ON FUNCTION shops_by_keyword IS 'Shops that a keyword means: by tier, distance from the user, id, as list_text; null when the session is not live.';

CREATE OR REPLACE FUNCTION search_find_either(
  viewer geography, u keyword_reading, other_regions bigint [], other_stations bigint [],
  sample text [], filters shop_filters, at_most integer,
  OUT ids bigint [], OUT tiers integer [], OUT distances double precision [], OUT total integer, OUT complete boolean, OUT matched boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  one record;
  other record;
BEGIN
  one := search_find(viewer, u, '{}', sample, filters, at_most, at_most);
  u.regions := other_regions;
  u.stations := other_stations;
  other := search_find(viewer, u, '{}', sample, filters, at_most, at_most);
  WITH found AS (
    SELECT e.id, min(e.tier) AS tier, min(e.distance_m) AS distance_m
    FROM (
      SELECT * FROM unnest(one.ids, one.tiers, one.distances) UNION ALL SELECT * FROM unnest(other.ids, other.tiers, other.distances)
    ) AS e (id, tier, distance_m)
    GROUP BY e.id ORDER BY 2, distance_rank(min(e.distance_m)), 1 LIMIT at_most + 1
  )
  SELECT array_agg(f.id ORDER BY f.tier, distance_rank(f.distance_m), f.id), array_agg(f.tier ORDER BY f.tier, distance_rank(f.distance_m), f.id),
    array_agg(f.distance_m ORDER BY f.tier, distance_rank(f.distance_m), f.id), count(*)
  INTO ids, tiers, distances, total FROM found AS f;
  ids := coalesce(ids, '{}');
  complete := one.complete AND other.complete;
  matched := one.matched OR other.matched;
END $$;
COMMENT ON FUNCTION search_find_either
IS 'What search_find returns for a reading, together with the other regions and stations: the at_most + 1 best shops.';

CREATE OR REPLACE FUNCTION search_started(keyword text) RETURNS search_state
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  s search_state;
  photo text[];
  others text[];
BEGIN
  s.keyword := keyword;
  -- 홍대 앞 is 홍대, but 앞 is also part of names: 경남대앞점
  s.plain_words := coalesce(nullif(array_remove(keyword_words(keyword), '앞'), '{}'), keyword_words(keyword));
  s.plain := search_understand(s.plain_words, NULL);
  s.unknown := composed((s.plain).rest);
  s.characters := 0;
  s.size := length(keyword);
  -- a sentence has more readings than a name with typing errors, and fewer of them find shops
  s.most_characters := CASE WHEN cardinality((s.plain).rest) > 3 OR jsonb_array_length((s.plain).understood) > 5 THEN 90 ELSE 150 END;
  -- gangnam photo, 성수 네컷: no beginning of Photoism is meant, nor only brands with 네컷. プリ, short for プリクラ, is also a 면.
  photo := ARRAY(SELECT w FROM unnest(s.plain_words) AS w WHERE w = ANY (photo_words()) AND (w = ANY (s.unknown) OR w = 'プリ'));
  IF photo <> '{}' AND NOT s.plain_words <@ photo_words() THEN
    others := ARRAY(SELECT w FROM unnest(s.plain_words) WITH ORDINALITY AS t (w, i) WHERE w <> ALL (photo) ORDER BY i);
    s.plain := search_understand(others, NULL, spans_in_words((s.plain).spans, s.plain_words, others));
    s.plain_words := others;
    s.unknown := composed((s.plain).rest) || photo;
  END IF;
  s.words_read := ARRAY[s.plain_words::text, '{}'];
  s.looked_up := '{}';
  s.nowhere := '{}';
  s.is_corrected := false;
  RETURN s;
END $$;
COMMENT ON FUNCTION search_started(text) IS 'A keyword as typed, before the first pass.';

-- The cost of a reading grows with its length. The budget is counted in characters, not in time, so that results do not depend on the
-- load. Passes that read little are exempt; spelling, hanja and known names only up to 45 characters: an address in Latin letters is
-- long, but few of its words are looked up. With many unknown words, typing errors are not corrected: all other words would have to be
-- right, and a long sentence is no misspelt name.
CREATE OR REPLACE FUNCTION is_worth_reading(s search_state, pass text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  IF s.characters + s.size > s.most_characters AND (
    pass NOT IN ('small words', 'spelling', 'hanja', 'either place', 'known words', 'known names')
    OR pass IN ('spelling', 'hanja', 'known names') AND (s.size > 45 OR array_to_string(s.small_words, ' ') ~ '[^ ]{25}')) THEN
    RETURN false;
  END IF;
  RETURN CASE
    WHEN starts_with(pass, 'typo') AND (cardinality((s.plain).rest) > 4 OR s.small_words = '{}') THEN false
    -- no shop name contains two brands
    WHEN pass IN ('literal', 'typo in a name') AND (
      SELECT count(*) > 1 FROM jsonb_array_elements((s.plain).understood) AS x WHERE x ->> 'kind' = 'brand') THEN false
    WHEN pass = 'typo in a name' THEN NOT s.is_corrected AND NOT EXISTS (SELECT FROM unnest(s.unknown) AS w WHERE goes_on_from_a_place(w))
    WHEN pass = 'hanja' THEN cardinality((s.small).rest) <= 4
    ELSE true END;
END $$;
COMMENT ON FUNCTION is_worth_reading(search_state, text) IS 'Whether a pass is within the budget of the keyword and may find shops, given the unknown words.';

CREATE OR REPLACE FUNCTION with_words_looked_up(s search_state, words text []) RETURNS search_state
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  s.sample := coalesce(s.sample, search_sample());
  s.nowhere := s.nowhere || words_nowhere(ARRAY(SELECT w FROM unnest(words) AS w WHERE w <> ALL (s.looked_up)), s.sample);
  s.looked_up := s.looked_up || words;
  RETURN s;
END $$;
COMMENT ON FUNCTION with_words_looked_up(search_state, text []) IS 'The state after it was looked up which of the words no shop has.';

-- 인사동, which addresses have, is not 신사동.
CREATE OR REPLACE FUNCTION perhaps_misspelt(s search_state, words text []) RETURNS text []
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(
    SELECT w FROM unnest(words) WITH ORDINALITY AS t (w, i)
    WHERE w <> ALL (s.looked_up) OR w = ANY (s.nowhere) OR normalize(w, NFC) !~ '^[가-힣]{2,}동$' ORDER BY i);
END $$;
COMMENT ON FUNCTION perhaps_misspelt(search_state, text []) IS 'The words without neighbourhoods (동) that shops have.';

CREATE OR REPLACE FUNCTION read_as_typed(s search_state, pass text) RETURNS search_state
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  CASE pass
    -- a preference changes the reading only if a name of the other kind was recognised
    WHEN 'region' THEN
      IF (s.plain).stations IS NOT NULL THEN
        s.reading := search_understand(s.plain_words, 'region', (s.plain).spans);
      END IF;
    WHEN 'station' THEN
      IF (s.plain).regions IS NOT NULL OR (s.plain).impossible THEN
        s.reading := search_understand(s.plain_words, 'station', (s.plain).spans);
      END IF;
    WHEN 'literal' THEN
      IF NOT names_a_district(s.plain_words, s.plain) THEN
        s.reading := search_literally(s.plain_words);
      END IF;
    ELSE
      s.reading := s.plain;
  END CASE;
  RETURN s;
END $$;
COMMENT ON FUNCTION read_as_typed(search_state, text) IS 'Passes that leave the words as they were typed.';

CREATE OR REPLACE FUNCTION read_without_small_words(s search_state) RETURNS search_state
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  is_read boolean;
BEGIN
  -- city is part of Digital Media City
  s.small_words := CASE
    WHEN (s.plain).rest = '{}' AND NOT (s.plain).impossible AND num_nonnulls((s.plain).regions, (s.plain).stations) < 2 THEN s.plain_words
    ELSE search_reading('small words', s.keyword, s.unknown) END;
  s.small := CASE
    WHEN s.small_words = s.plain_words THEN s.plain
    ELSE search_understand(s.small_words, NULL, spans_in_words((s.plain).spans, s.plain_words, s.small_words)) END;
  s.size := greatest(s.size / 2, least(s.size, length(array_to_string(s.small_words, ' '))));
  -- Words around a place make a name with a typing error long, but add no readings.
  IF cardinality((s.small).rest) <= 2 AND jsonb_array_length((s.small).understood) <= 5 THEN
    s.most_characters := 200;
  END IF;
  is_read := s.small_words::text = ANY (s.words_read) AND NOT (s.small_words = '{}' AND asks_for_any_shop(s.keyword));
  IF is_read OR s.characters + s.size > s.most_characters AND (s.small).rest <> '{}' THEN
    RETURN s;
  END IF;
  s.words_read := s.words_read || s.small_words::text;
  s.reading := s.small;
  s.korean_words := CASE WHEN (s.small).impossible AND NOT is_foreign(array_to_string(s.small_words, '')) THEN s.small_words END;
  IF s.small_words = '{}' THEN
    -- the whole country: search_scans()
    s.reading.regions := '{}';
  END IF;
  RETURN s;
END $$;
COMMENT ON FUNCTION read_without_small_words(search_state) IS 'The pass without what people write around names.';

CREATE OR REPLACE FUNCTION read_at_stations(s search_state, pass text) RETURNS search_state
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  IF pass = 'small words at stations' AND s.small_words <> s.plain_words AND (s.small).rest = '{}' THEN
    -- 운정신도시 is farther than 1 km from 운정역
    s.reading := CASE
      WHEN (s.small).regions IS NOT NULL THEN search_understand(s.small_words, 'station', (s.small).spans)
      WHEN (s.small).stations IS NOT NULL THEN search_understand(s.small_words, 'region', (s.small).spans) END;
  ELSIF pass = 'spelling at stations' AND (s.spelled).regions IS NOT NULL THEN
    s.reading := search_understand(s.spelled_words, 'station', (s.spelled).spans);
  ELSIF pass = 'known names at stations' AND (s.known_places).regions IS NOT NULL THEN
    s.reading := search_understand(s.known_words, 'station', (s.known_places).spans);
    s.reading.ignored := (s.known_places).ignored;
  END IF;
  RETURN s;
END $$;
COMMENT ON FUNCTION read_at_stations(search_state, text) IS 'Passes that take a station in place of a region which an earlier pass read, or a region in place of a station.';

CREATE OR REPLACE FUNCTION read_literally(s search_state) RETURNS search_state
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  -- 거제중앙로 is a road, not 거제 and 중앙로
  IF s.korean_words IS NOT NULL AND NOT names_a_district(s.small_words, s.small) THEN
    s.reading := search_literally(s.korean_words);
    s.korean_words := NULL;
  END IF;
  RETURN s;
END $$;
COMMENT ON FUNCTION read_literally(search_state) IS 'Passes that look for the Korean words of the pass before in names and addresses.';

CREATE OR REPLACE FUNCTION read_respelled(s search_state, pass text) RETURNS search_state
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  last text[] := s.small_words[cardinality(s.small_words):];
  unknown text[] := CASE
    WHEN pass = 'spelling' AND (s.small).impossible THEN s.small_words
    -- Busa is a 동, but also begins Busan
    WHEN pass = 'incomplete' AND (s.small).rest = '{}' AND last[1] ~ '^[a-z]{4,}$' THEN last
    ELSE composed((s.small).rest) || CASE pass WHEN 'spelling' THEN doubtful_names((s.small).understood, (s.small).rest = '{}') END END;
  words text[];
  spelled jsonb;
BEGIN
  SELECT r.* INTO words, spelled FROM search_respelled(pass, s.keyword, s.small_words, (s.small).understood, (s.small).spans, unknown) AS r;
  IF words IS NULL OR words::text = ANY (s.words_read) THEN
    RETURN s;
  END IF;
  s.words_read := s.words_read || words::text;
  s.reading := search_understand(words, NULL);
  s.korean_words := CASE
    WHEN pass <> 'incomplete' AND NOT EXISTS (SELECT FROM unnest((s.reading).rest) AS r WHERE r !~ '^[0-9-]+$') THEN names_in_addresses((s.reading).understood) END;
  IF pass = 'spelling' OR pass = 'hanja' AND (s.spelled_words IS NULL OR NOT is_foreign(array_to_string(words, ''))) THEN
    s.spelled_words := words;
    s.spelled := s.reading;
    s.typed_words := spelled;
  END IF;
  s.reading.understood := (
    SELECT jsonb_agg(x || coalesce(spelled -> (x ->> 'text'), '{}') ORDER BY o)
    FROM jsonb_array_elements((s.reading).understood) WITH ORDINALITY AS t (x, o));
  RETURN s;
END $$;
COMMENT ON FUNCTION read_respelled(search_state, text) IS 'Passes that replace unknown words: by ear, as Koreans read them, or by names that begin so.';

CREATE OR REPLACE FUNCTION read_around_names(s search_state, pass text) RETURNS search_state
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  u keyword_reading := coalesce(s.spelled, s.small);
BEGIN
  IF u.brands IS NULL OR u.stations IS NOT NULL OR u.impossible THEN
    RETURN s;
  END IF;
  s := with_words_looked_up(s, u.rest);
  -- what no shop has may be misspelt, and only a brand, Hongdae 4cut, has the hong of photoism hong
  IF pass = 'around names' AND u.rest && s.nowhere OR EXISTS (
    SELECT FROM unnest(u.rest) AS r WHERE r ~ '^[a-z]{3,}$' AND r <> ALL (s.nowhere) AND NOT is_in_shop_names(r)) THEN
    RETURN s;
  END IF;
  u := reading_without(u, ARRAY(SELECT r FROM unnest(composed(u.rest)) AS r WHERE normalize(r, NFD) = ANY (s.nowhere)));
  IF cardinality(u.rest) > 1 THEN
    u := reading_without(u, ARRAY(SELECT r FROM unnest(composed(u.rest)) AS r WHERE r ~ ('^' || words_after_places())));
  END IF;
  IF EXISTS (SELECT FROM unnest(composed(u.rest)) AS r WHERE r ~ '[^0-9-]{2}') THEN
    s.reading := u;
  END IF;
  RETURN s;
END $$;
COMMENT ON FUNCTION read_around_names(search_state, text) IS 'Passes that look for a brand around the shops that have the other words.';

CREATE OR REPLACE FUNCTION read_beside_the_region(s search_state) RETURNS search_state
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  u keyword_reading := coalesce(s.spelled, s.small);
BEGIN
  IF u.regions IS NOT NULL AND u.stations IS NULL AND u.rest <@ s.looked_up AND NOT u.rest && s.nowhere
    AND EXISTS (SELECT FROM unnest(composed(u.rest)) AS r WHERE r !~ ('^' || words_after_places()))
    AND (SELECT min(c.shops) < 3 FROM search_counted(u.rest, s.sample) AS c) THEN
    s.reading := u;
  END IF;
  RETURN s;
END $$;
COMMENT ON FUNCTION read_beside_the_region(search_state) IS 'The pass that looks for words that few shops have, though none in the region.';

CREATE OR REPLACE FUNCTION read_halves(s search_state) RETURNS search_state
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  whole text := (composed((s.small).rest))[1];
  halves text[];
BEGIN
  IF cardinality((s.small).rest) <> 1 OR (s.small).regions IS NOT NULL OR (s.small).stations IS NOT NULL THEN
    RETURN s;
  END IF;
  s.sample := coalesce(s.sample, search_sample());
  halves := halves_apart(whole, s.sample);
  IF cardinality(halves) > 1 THEN
    s.reading := CASE WHEN (s.small).brands IS NULL THEN search_literally(array_remove(s.small_words, whole) || halves) ELSE reading_with(s.small, halves) END;
  END IF;
  RETURN s;
END $$;
COMMENT ON FUNCTION read_halves(search_state) IS 'The pass that reads the only unknown word as two.';

CREATE OR REPLACE FUNCTION read_joined(s search_state) RETURNS search_state
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  u keyword_reading := coalesce(s.spelled, s.small);
  separate text[] := CASE WHEN s.spelled_words IS NULL THEN s.small_words ELSE korean_names(u.understood) END;
  joined text[];
BEGIN
  s.sample := coalesce(s.sample, search_sample());
  joined := words_joined(separate, composed(u.rest), s.sample);
  IF NOT joined @> separate THEN
    s.reading := search_understand(joined, NULL);
  END IF;
  RETURN s;
END $$;
COMMENT ON FUNCTION read_joined(search_state) IS 'The pass that reads an unknown word and its neighbour as one.';

CREATE OR REPLACE FUNCTION read_known_names(s search_state) RETURNS search_state
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  u keyword_reading := search_known_names(s.small_words, s.small);
  is_somewhere boolean := EXISTS (
    SELECT FROM unnest((coalesce(s.spelled, s.small)).rest) AS r WHERE r = ANY (s.looked_up) AND r <> ALL (s.nowhere));
BEGIN
  IF s.spelled_words IS NOT NULL THEN
    u := fuller_reading(u, search_known_names(s.spelled_words, s.spelled, s.typed_words));
  END IF;
  -- A brand has no shop at 에버랜드: those of the whole country are not meant.
  IF u IS NULL OR is_somewhere AND num_nonnulls(u.regions, u.stations) = 0 THEN
    RETURN s;
  END IF;
  s.known_words := words_understood(u.understood);
  s.known_places := u;
  s.reading := u;
  RETURN s;
END $$;
COMMENT ON FUNCTION read_known_names(search_state) IS 'The pass without words that nothing matches.';

CREATE OR REPLACE FUNCTION read_other_words(s search_state, pass text) RETURNS search_state
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  words text[] := CASE pass WHEN 'apart' THEN search_reading(pass, array_to_string(s.small_words, ' '), composed((s.small).rest))
    WHEN 'typo' THEN search_reading(pass, s.keyword, composed(perhaps_misspelt(s, ARRAY(SELECT normalize(u, NFD) FROM unnest(s.unknown) AS u))))
    ELSE search_reading(pass, s.keyword, s.unknown) END;
BEGIN
  IF words::text <> ALL (s.words_read) THEN
    s.words_read := s.words_read || words::text;
    s.is_corrected := s.is_corrected OR pass = 'typo';
    s.reading := search_understand(words, NULL);
    -- a misspelt brand beside a place of which only shops have the name
    IF pass = 'typo' AND (s.reading).brands IS NOT NULL AND (s.reading).rest <> '{}'
      AND (s.small).brands IS NULL AND s.spelled_words IS NULL THEN
      s.small_words := words;
      s.small := s.reading;
    END IF;
  END IF;
  RETURN s;
END $$;
COMMENT ON FUNCTION read_other_words(search_state, text) IS 'Passes that cut, join or correct the words of the keyword.';

CREATE OR REPLACE FUNCTION search_read(s search_state, pass text) RETURNS search_state
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  s.reading := NULL;
  CASE
    WHEN pass IN ('understood', 'region', 'station', 'literal', 'typo in a name') THEN
      s := read_as_typed(s, pass);
    WHEN pass = 'small words' THEN
      s := read_without_small_words(s);
    WHEN pass LIKE '% at stations' THEN
      s := read_at_stations(s, pass);
    WHEN pass LIKE '% literally' THEN
      s := read_literally(s);
    WHEN pass IN ('spelling', 'hanja', 'incomplete') THEN
      s := read_respelled(s, pass);
    WHEN starts_with(pass, 'around') THEN
      s := read_around_names(s, pass);
    WHEN pass = 'beside the region' THEN
      s := read_beside_the_region(s);
    WHEN pass = 'halves' THEN
      s := read_halves(s);
    WHEN pass = 'joined' THEN
      s := read_joined(s);
    WHEN pass = 'either place' THEN
      s.reading := CASE WHEN (s.small).impossible THEN search_either_region(s.small_words, s.small) END;
    WHEN pass = 'known words' THEN
      s.reading := CASE WHEN s.spelled_words IS NULL THEN search_known_words(s.small_words, s.small, s.small_words, NULL, s.sample)
        ELSE search_known_words(s.spelled_words, s.spelled, s.small_words, s.typed_words, s.sample) END;
    WHEN pass = 'known names' THEN
      s := read_known_names(s);
    ELSE
      s := read_other_words(s, pass);
  END CASE;
  RETURN s;
END $$;
COMMENT ON FUNCTION search_read(search_state, text) IS 'The state after a pass, with its reading of the keyword; null if the pass reads nothing new.';

-- A typing error makes all results one tier: where words give them several, all are needed.
CREATE OR REPLACE FUNCTION search_find_reading(
  viewer geography, pass text, u keyword_reading, misspelt text [], sample text [], filters shop_filters, at_most integer, needed integer,
  OUT ids bigint [], OUT tiers integer [], OUT distances double precision [], OUT total integer, OUT complete boolean, OUT matched boolean,
  OUT understood jsonb
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  other record;
BEGIN
  understood := u.understood;
  IF starts_with(pass, 'around') THEN
    SELECT f.* INTO ids, tiers, distances, total, complete, matched FROM search_around_names(viewer, u, sample, filters, at_most, needed) AS f;
    RETURN;
  ELSIF pass = 'beside the region' THEN
    SELECT f.* INTO ids, tiers, distances, total, complete, matched FROM search_beside_regions(viewer, u, sample, filters, needed) AS f;
    RETURN;
  END IF;
  IF pass IN ('understood', 'small words', 'spelling', 'hanja', 'incomplete', 'known names') THEN
    other := search_other_meaning(u);
  END IF;
  IF other IS NULL THEN
    SELECT f.* INTO ids, tiers, distances, total, complete, matched
    FROM search_find(viewer, u, misspelt, sample, filters, at_most,
      CASE WHEN starts_with(pass, 'typo') AND u.branch || u.rest <> '{}' THEN at_most ELSE needed END) AS f;
  ELSE
    SELECT f.* INTO ids, tiers, distances, total, complete, matched
    FROM search_find_either(viewer, u, other.other_regions, other.other_stations, sample, filters, at_most) AS f;
    understood := understood || other.other_understood;
  END IF;
  IF starts_with(pass, 'typo') THEN
    tiers := array_fill(4, ARRAY[cardinality(ids)]);
  END IF;
END $$;
COMMENT ON FUNCTION search_find_reading
IS 'What search_find returns for the reading of a pass, in its other meaning too, and what the keyword was then understood as.';

CREATE OR REPLACE FUNCTION search_passes() RETURNS text []
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY['understood', 'region', 'station', 'branch', 'punctuation', 'punctuation and branch', 'literal',
  'small words', 'small words at stations', 'spelling', 'spelling at stations', 'spelling literally', 'around names',
  'keyboard', 'keyboard without shift', 'incomplete', 'typo', 'hanja', 'hanja literally', 'typo in a name', 'apart', 'halves', 'joined',
  'either place', 'known words', 'around known names', 'beside the region', 'known names', 'known names at stations'];
COMMENT ON FUNCTION search_passes() IS 'How a keyword is interpreted, from the strictest to the loosest pass.';

-- The first pass with a result wins, even if the filters leave nothing of it.
CREATE OR REPLACE FUNCTION search_shops(
  keyword text, viewer geography, filters shop_filters, at_most integer, needed integer DEFAULT NULL,
  OUT ids bigint [], OUT tiers integer [], OUT distances double precision [], OUT total integer, OUT complete boolean,
  OUT pass text, OUT understood jsonb, OUT ignored text []
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  s search_state := search_started(keyword);
  u keyword_reading;
  reading text;
  done text[] := ARRAY[]::text[];
  misspelt text[];
  f record;
BEGIN
  FOREACH pass IN ARRAY search_passes() LOOP
    CONTINUE WHEN NOT is_worth_reading(s, pass);
    s := search_read(s, pass);
    u := s.reading;
    CONTINUE WHEN u IS NULL;
    understood := coalesce(understood, u.understood);
    -- around the names of shops, the same words find others
    reading := (substring(pass, '^(?:around|beside)'), u.brands, u.regions, u.stations, u.rest)::text;
    IF pass NOT LIKE ALL ('{%region%,%station%,punctuation}') OR reading <> ALL (done) THEN
      s.characters := s.characters + s.size;
    END IF;
    -- Where 춘천 서면 has no shop, those around the stations 춘천 and 서면 (부산) are not meant.
    CONTINUE WHEN pass LIKE '%station%' AND (
      SELECT count(*) > 1 FROM jsonb_array_elements(u.understood) x WHERE x ->> 'kind' = 'station');
    misspelt := CASE WHEN starts_with(pass, 'typo') AND length(array_to_string(u.rest, '')) <= 24 THEN perhaps_misspelt(s, u.rest) ELSE '{}' END;
    CONTINUE WHEN u.impossible OR CASE pass WHEN 'typo in a name' THEN misspelt = '{}' ELSE reading = ANY (done) END;
    done := done || reading;
    IF u.rest <> '{}' THEN
      s.sample := coalesce(s.sample, search_sample());
    END IF;
    -- Readings have words in common. After the first one without a result, words that no shop has are looked up: readings that keep such a
    -- word cannot have a result and are skipped.
    IF cardinality(done) > 1 AND misspelt = '{}' AND u.rest <> '{}' THEN
      s := with_words_looked_up(s, u.rest);
      complete := true;
      CONTINUE WHEN u.rest && s.nowhere;
    END IF;
    SELECT * INTO f FROM search_find_reading(viewer, pass, u, misspelt, s.sample, filters, at_most, coalesce(needed, at_most));
    complete := f.complete;
    EXIT WHEN f.ids = '{}' AND NOT (filters IS NULL) AND f.matched;
    IF f.ids <> '{}' THEN
      ids := f.ids;
      tiers := f.tiers;
      distances := f.distances;
      total := f.total;
      understood := f.understood;
      ignored := u.ignored;
      RETURN;
    END IF;
  END LOOP;
  ids := '{}';
  total := 0;
  pass := 'none';
END $$;
COMMENT ON FUNCTION search_shops IS 'The needed + 1 best shops of a keyword (by default at_most + 1), their number, counted up to at_most + 1, which pass found them, how it was understood, and the words left out because nothing matches them.';

CREATE OR REPLACE FUNCTION search_respelled(
  pass text, keyword text, small_words text [], understood jsonb, spans jsonb, unknown text [], OUT words text [], OUT spelled jsonb
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  CASE pass
    WHEN 'incomplete' THEN
      SELECT c.* INTO words, spelled FROM search_completed(keyword, small_words, unknown) AS c;
    WHEN 'hanja' THEN
      SELECT h.* INTO words, spelled FROM words_in_korean(small_words, unknown, understood, spans) AS h;
    ELSE
      SELECT CASE WHEN s.spelled <> '{}' THEN s.read_as END, s.spelled INTO words, spelled FROM shop_words_spelled(small_words, unknown, false) AS s;
  END CASE;
END $$;
COMMENT ON FUNCTION search_respelled(text, text, text [], jsonb, jsonb, text [])
IS 'The words with unknown ones as those of shop names that sound so, in Korean reading, or as the names that begin so, and how those are spelled; null where there are none.';

-- bukchon is heard as 북천면, which has no shop, but 북촌 is meant. The 동 동성로 has no shop either, but names and addresses have it.
-- A name that is written so stays one unless a word of shop names is written so too: sinchon is not 신천.
CREATE OR REPLACE FUNCTION doubtful_names(understood jsonb, are_all boolean) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(
    SELECT n.typed FROM (SELECT x ->> 'text', x ->> 'matched' FROM jsonb_array_elements(understood) AS t (x)) AS n (typed, matched)
    WHERE spelled_letters(n.matched) <> spelled_letters(n.typed) OR are_all AND n.matched IS NOT NULL AND EXISTS (
      SELECT FROM run_spelled(string_to_array(n.typed, ' '), ARRAY[n.typed], false) AS w
      WHERE spelled_letters(w.spelling) = spelled_letters(n.typed)));
END $$;
COMMENT ON FUNCTION doubtful_names(jsonb, boolean)
IS 'The foreign names of a keyword without results that may be words of shop names instead: those that only sound like the name and, if asked for all, those that shop names have letter for letter.';

-- 사당 can mean 사당역, but 강남 alone would be all of 강남구.
CREATE OR REPLACE FUNCTION names_in_addresses(understood jsonb) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  is_only_place boolean := (SELECT count(*) = 1 FROM jsonb_array_elements(understood) AS x WHERE x ->> 'kind' IN ('region', 'station'));
BEGIN
  RETURN ARRAY(
    SELECT CASE WHEN is_only_place AND EXISTS (SELECT FROM search_names(ARRAY[normalize(b.bare, NFD)]) AS n WHERE n.kind = 'region' AND n.rank = 0) THEN k.name ELSE b.bare END
    FROM unnest(korean_names(understood)) WITH ORDINALITY AS k (name, o)
    CROSS JOIN LATERAL regexp_replace(k.name, '(..)역$', '\1') AS b (bare) ORDER BY k.o);
END $$;
COMMENT ON FUNCTION names_in_addresses(jsonb) IS 'The words of a reading in Korean, stations without 역, unless one is the only place and a district is called so.';

-- 안동 인생네컷 is not in 도안동, but 거제중앙로 may be a road.
CREATE OR REPLACE FUNCTION names_a_district(words text [], reading keyword_reading) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN reading.rest = '{}' AND reading.stations IS NULL AND NOT reading.impossible AND cardinality(words) > 1 AND EXISTS (
    SELECT FROM regions AS r INNER JOIN jsonb_array_elements(reading.understood) AS x ON x -> 'ids' @> to_jsonb(r.id)
    WHERE r.id = ANY (reading.regions) AND r.level <> 'dong' AND x ->> 'kind' = 'region' AND x ->> 'text' = ANY (words));
END $$;
COMMENT ON FUNCTION names_a_district(text [], keyword_reading) IS 'Whether of several words, which are all names of brands and regions, one is that of a province, a city or a district.';

CREATE OR REPLACE FUNCTION search_literally(words text []) RETURNS keyword_reading
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  u keyword_reading;
BEGIN
  u.branch := '{}';
  u.rest := ARRAY(SELECT normalize(w, NFD) FROM unnest(words) AS w);
  u.names := ARRAY[normalize(array_to_string(words, ''), NFD)];
  u.impossible := cardinality(words) = 0;
  u.understood := (SELECT coalesce(jsonb_agg(jsonb_build_object('text', w, 'kind', 'rest', 'ids', '[]'::jsonb)), '[]') FROM unnest(words) AS w);
  RETURN u;
END $$;
COMMENT ON FUNCTION search_literally(text []) IS 'The keyword as words that name or address must all contain, whatever else they may mean.';

-- The normaliser writes letters that stand alone as conjoining jamo, which few fonts show as they were typed.
CREATE OR REPLACE FUNCTION letters_as_typed(letters text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN translate(
  letters,
  (SELECT string_agg(chr(c), '' ORDER BY c) FROM generate_series(4352, 4546) AS c
  WHERE c <= 4370 OR c BETWEEN 4449 AND 4469 OR c >= 4520),
  'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ' || 'ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ'
  || 'ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ'
);
COMMENT ON FUNCTION letters_as_typed(text) IS 'The text with letters that stand alone as keyboards write them: ㅇㅅㄴㅋ.';

-- Many names are stored in traditional characters alone, by which simplified ones are found.
CREATE OR REPLACE FUNCTION written_in(typed text, matched text, lang text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
  WHEN lang IN ('zh-Hans', 'zh-Hant') AND han_folded(typed) <> typed THEN 'zh-Hant'
  WHEN lang = 'zh-Hant' AND han_folded(matched) <> matched THEN 'zh-Hans'
  ELSE lang
END;
COMMENT ON FUNCTION written_in(text, text, text)
IS 'The language of a name in Chinese characters as it was typed; that of the name where both are written alike.';

CREATE OR REPLACE FUNCTION understood_json(understood jsonb) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT coalesce(jsonb_agg(x || jsonb_build_object('text', letters_as_typed(x ->> 'text'), 'names', coalesce((
    SELECT jsonb_agg(DISTINCT n.name) FROM (
      SELECT r.name FROM regions AS r WHERE x ->> 'kind' = 'region' AND x -> 'ids' @> to_jsonb(r.id)
      UNION ALL
      SELECT b.name FROM brands AS b WHERE x ->> 'kind' = 'brand' AND x -> 'ids' @> to_jsonb(b.id)
      UNION ALL
      SELECT s.name || '역' FROM stations AS s WHERE x ->> 'kind' = 'station' AND x -> 'ids' @> to_jsonb(s.id)
    ) AS n), '[]')) || CASE WHEN x ? 'lang' THEN jsonb_build_object(
      'lang', written_in(coalesce(without_station_word(x ->> 'text'), x ->> 'text'), x ->> 'matched', x ->> 'lang'))
    ELSE '{}' END), '[]')::text
  FROM jsonb_array_elements(understood) AS x;
END;
COMMENT ON FUNCTION understood_json(jsonb) IS 'The reading of a keyword with the names of what was recognised.';
