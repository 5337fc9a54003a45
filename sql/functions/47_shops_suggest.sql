-- Suggestions for every keystroke: regions, stations, brands, shops.

-- The position of the letters in a label, in characters; null if the label does not contain them. Its spaces are ignored.
CREATE OR REPLACE FUNCTION label_range(label text, letters text) RETURNS integer []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  signs text[] := string_to_array(label, NULL);
  as_letters text := '';
  ends integer[] := ARRAY[]::integer[];
  form text;
  start integer;
BEGIN
  -- Most labels do not contain the letters, and few have characters that normalise to several.
  IF label ~ '^[ -~가-힣]*$' THEN
    form := normalize(lower(translate(label, ' ', '')), NFD);
    IF strpos(CASE WHEN is_initials(letters) THEN jamo_initials(form) ELSE form END, letters) = 0 THEN
      RETURN NULL;
    END IF;
  END IF;
  FOR i IN 1..coalesce(cardinality(signs), 0) LOOP
    form := CASE WHEN signs[i] ~ '\s' THEN '' ELSE normalize(lower(normalize(signs[i], NFKC)), NFD) END;
    as_letters := as_letters || CASE WHEN is_initials(letters) THEN jamo_initials(form) ELSE form END;
    ends := ends || length(as_letters);
  END LOOP;
  start := strpos(as_letters, letters);
  RETURN CASE WHEN start > 0 THEN ARRAY[
    (SELECT count(*) FROM unnest(ends) e WHERE e < start),
    (SELECT count(*) + 1 FROM unnest(ends) e WHERE e < start + length(letters) - 1)] END;
END $$;
COMMENT ON FUNCTION label_range(text, text) IS 'The characters [from, to) of a label that the letters cover.';

-- The first `skipped` characters, the parent regions in a region's label, are ignored, because its own name was typed.
CREATE OR REPLACE FUNCTION label_matches(label text, skipped integer, words text []) RETURNS json
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN coalesce((
    SELECT json_agg(ARRAY[q.r[1] + skipped, q.r[2] + skipped] ORDER BY q.r) FROM (
      SELECT DISTINCT (SELECT f.r FROM unnest(typed_prefixes(w)) t CROSS JOIN label_range(own, t) AS f (r)
        WHERE f.r IS NOT NULL ORDER BY length(t) DESC LIMIT 1) AS r
      FROM unnest(words) w CROSS JOIN substr(label, skipped + 1) own) AS q
    WHERE q.r IS NOT NULL), '[]');
END $$;
COMMENT ON FUNCTION label_matches(text, integer, text []) IS 'The ranges of a label that the words cover.';

CREATE OR REPLACE FUNCTION region_label(region bigint) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (
    WITH RECURSIVE up AS (
      SELECT r.name, r.parent_id, 0 AS height FROM regions r WHERE r.id = region
      UNION ALL
      SELECT r.name, r.parent_id, u.height + 1 FROM up u INNER JOIN regions r ON r.id = u.parent_id
    )
    SELECT string_agg(u.name, ' ' ORDER BY u.height DESC) FROM up u);
END $$;
COMMENT ON FUNCTION region_label(bigint) IS 'The region with its parents: 서울특별시 강남구.';

-- The typed part of 역 after a station's name does not belong to the name: 강남ㅇ, 강남여, 강남역.
CREATE OR REPLACE FUNCTION without_station_sign(letters text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(letters, '(.)\u110b(\u1167\u11a8?)?$', '\1');
COMMENT ON FUNCTION without_station_sign(text) IS 'The letters without 역, or a prefix of it, at their end.';

-- 망원1동 and 망원2동 are 망원동, with which no name of theirs begins.
CREATE OR REPLACE FUNCTION begun_dong(letters text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substring(letters, U&'^([\1100-\11FF]{4,})\1103\1169?$') || normalize('동', NFD);
COMMENT ON FUNCTION begun_dong(text) IS 'The letters with 동 complete at their end (망원도); null if they do not end with a part of it.';

-- Names that begin with the letters, or whose initials do. rank 0: the whole name, 1: a prefix. Uses a generic plan, because planning
-- its many queries at each keystroke is expensive.
CREATE OR REPLACE FUNCTION names_beginning(forms text [])
RETURNS TABLE (kind text, id bigint, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT q.kind, q.id, min(q.rank) FROM (
    SELECT 'brand' AS kind, b.id, (jamo(b.name) <> f)::int AS rank FROM unnest(forms) f
    INNER JOIN brands b ON jamo(b.name) COLLATE "C" >= f AND jamo(b.name) COLLATE "C" < f || U&'\+10ffff'
    UNION ALL
    SELECT 'brand', a.brand_id, (jamo(a.alias) <> f)::int FROM unnest(forms) f
    INNER JOIN brand_aliases a ON jamo(a.alias) COLLATE "C" >= f AND jamo(a.alias) COLLATE "C" < f || U&'\+10ffff'
    UNION ALL
    SELECT 'brand', b.id, 1 FROM unnest(forms) f INNER JOIN brands b
      ON jamo_initials(jamo(b.name)) COLLATE "C" >= f AND jamo_initials(jamo(b.name)) COLLATE "C" < f || U&'\+10ffff'
    WHERE is_initials(f)
    UNION ALL
    SELECT 'region', r.id, 1 FROM unnest(forms) f
    INNER JOIN regions r ON jamo(r.name) COLLATE "C" >= f AND jamo(r.name) COLLATE "C" < f || U&'\+10ffff'
    UNION ALL
    SELECT 'region', r.id, CASE WHEN r.level = 'dong' AND jamo(r.name) <> ALL (forms) THEN 1 ELSE 0 END FROM unnest(forms) f
    INNER JOIN regions r ON region_terms(r.name, r.name_en, r.level) @> ARRAY[f] WHERE f = ANY (region_name_keys(r.name, r.level))
    UNION ALL
    SELECT 'region', r.id, 1 FROM unnest(forms) f CROSS JOIN LATERAL begun_dong(f) AS b (dong)
    INNER JOIN regions r ON region_terms(r.name, r.name_en, r.level) @> ARRAY[b.dong] WHERE b.dong = ANY (region_name_keys(r.name, r.level))
    UNION ALL
    SELECT 'region', a.region_id, (jamo(a.alias) <> f)::int FROM unnest(forms) f
    INNER JOIN region_aliases a ON jamo(a.alias) COLLATE "C" >= f AND jamo(a.alias) COLLATE "C" < f || U&'\+10ffff'
    UNION ALL
    SELECT 'region', r.id, 1 FROM unnest(forms) f INNER JOIN regions r
      ON jamo_initials(jamo(r.name)) COLLATE "C" >= f AND jamo_initials(jamo(r.name)) COLLATE "C" < f || U&'\+10ffff'
    WHERE is_initials(f)
    UNION ALL
    SELECT 'region', r.id, 1 FROM unnest(forms) f
    INNER JOIN regions r ON jamo(r.name_en) COLLATE "C" >= f AND jamo(r.name_en) COLLATE "C" < f || U&'\+10ffff'
    WHERE r.name_en <> ''
    UNION ALL
    SELECT 'station', s.id, (f <> ALL (ARRAY[jamo(s.name), jamo(s.name || '역'), jamo(regexp_replace(s.name, '입구$', ''))]))::int FROM unnest(forms) f
    INNER JOIN stations s ON jamo(s.name) COLLATE "C" >= without_station_sign(f)
      AND jamo(s.name) COLLATE "C" < without_station_sign(f) || U&'\+10ffff'
    WHERE jamo(s.name || '역') LIKE like_pattern(f)
    UNION ALL
    SELECT 'station', s.id, (n.nickname <> f)::int FROM unnest(forms) f
    INNER JOIN jsonb_each_text(nickname_letters()) n (nickname, station) ON n.nickname = f OR length(f) > 4 AND starts_with(n.nickname, f)
    INNER JOIN stations s ON station_terms(s.name, s.name_en) @> ARRAY[n.station] AND jamo(s.name) = n.station
    UNION ALL
    SELECT 'station', s.id, 1 FROM unnest(forms) f INNER JOIN stations s
      ON jamo_initials(jamo(s.name)) COLLATE "C" >= without_station_sign(f)
      AND jamo_initials(jamo(s.name)) COLLATE "C" < without_station_sign(f) || U&'\+10ffff'
    WHERE is_initials(f) AND jamo_initials(jamo(s.name || '역')) LIKE like_pattern(f)
    UNION ALL
    SELECT 'station', s.id, 1 FROM unnest(forms) f
    INNER JOIN stations s ON jamo(s.name_en) COLLATE "C" >= f AND jamo(s.name_en) COLLATE "C" < f || U&'\+10ffff'
    WHERE s.name_en <> ''
    UNION ALL
    SELECT b.* FROM unnest(forms[1:1]) f CROSS JOIN LATERAL names_begun(normalize(f, NFC)) b
    -- spellings are compared without Hangul
    WHERE is_foreign(f) AND f !~ '[\u1100-\u11ff]' AND (length(f) > 1 OR f ~ '[\u3400-\u9fff]')
  ) q GROUP BY q.kind, q.id;
END $$;
COMMENT ON FUNCTION names_beginning(text []) IS 'Brands, regions and stations with a name that begins with one of the letter sequences.';

-- The best names as suggestions: whole names first, then larger regions, then nearer ones. The rows of a station are one suggestion.
-- After other words, only regions within those: 서울 ㄱ suggests 강남구, 관악구.
CREATE OR REPLACE FUNCTION suggested_names(forms text [], within bigint [], viewer geography)
RETURNS TABLE (kind text, id bigint, label text, rank integer, size integer, place geography)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH named AS MATERIALIZED (SELECT * FROM names_beginning(forms))
  (SELECT n.kind, n.id, b.name, n.rank, 0, NULL::geography
    FROM named n INNER JOIN brands b ON b.id = n.id WHERE n.kind = 'brand' AND within IS NULL
    ORDER BY n.rank, b.is_representative DESC, b.id LIMIT 3)
  UNION ALL
  (SELECT n.kind, n.id, region_label(n.id), n.rank, array_position(ARRAY['sido', 'sigungu', 'dong'], r.level), r.center
    FROM named n INNER JOIN regions r ON r.id = n.id
    WHERE n.kind = 'region' AND (within IS NULL OR r.parent_id = ANY (within))
    ORDER BY n.rank, array_position(ARRAY['sido', 'sigungu', 'dong'], r.level), ST_Distance(r.center, viewer), n.id LIMIT 4)
  UNION ALL
  (SELECT 'station', s.id, s.name || '역', s.rank, 2, s.geog FROM (
      SELECT DISTINCT ON (t.name, round(ST_X(t.geog::geometry)::numeric, 1), round(ST_Y(t.geog::geometry)::numeric, 1)) t.*, n.rank
      FROM named n INNER JOIN stations t ON t.id = n.id WHERE n.kind = 'station' AND within IS NULL
      ORDER BY t.name, round(ST_X(t.geog::geometry)::numeric, 1), round(ST_Y(t.geog::geometry)::numeric, 1), t.id) s
    ORDER BY s.rank, ST_Distance(s.geog, viewer), s.id LIMIT 3);
END $$;
COMMENT ON FUNCTION suggested_names(text [], bigint [], geography) IS 'The best brands, regions and stations for the letters typed.';

-- If few shops of a district belong to the brand, a nearest-first scan would read all shops of the district.
CREATE OR REPLACE FUNCTION shops_of_rare_brands(brands bigint [], regions bigint [])
RETURNS TABLE (id bigint, name_jamo text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
DECLARE
  query tsquery := all_of(ARRAY[in_any('b', brands), in_any('r', regions)]);
BEGIN
  RETURN QUERY
  SELECT s.id, s.name_jamo FROM shops s
  WHERE shop_words(s) @@ query
    AND s.status <> 'CLOSED'
  LIMIT 600;
END $$;
COMMENT ON FUNCTION shops_of_rare_brands(bigint [], bigint []) IS 'At most six hundred shops of the brands in the regions, by the index on words.';

-- Suggested shops: nearby ones with the words in the name; only if no dictionary name has this prefix, some with the words anywhere.
-- Unlike a search, it need not find the best shops of the country, but must be fast for one letter.
CREATE OR REPLACE FUNCTION suggested_shops(
  viewer geography, u keyword_reading, anywhere boolean, INOUT sample text [], OUT ids bigint [], OUT tiers integer []
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  q record;
  forms text[] := ARRAY(SELECT '%' || like_pattern(t) FROM unnest(typed_prefixes(u.rest[cardinality(u.rest)])) t);
  others text[] := ARRAY(SELECT '%' || like_pattern(w) FROM unnest(trim_array(u.rest, least(1, cardinality(u.rest)))) w);
  full_names text[] := full_names_of(u);
  beginnings text[] := beginnings_of(u);
  wanted integer := CASE WHEN u.rest = '{}' AND u.stations IS NULL THEN 15 ELSE 5 END;
  are_rare boolean;
  found bigint[];
BEGIN
  IF u.rest = '{}' OR u.stations IS NOT NULL
    OR EXISTS (SELECT FROM regions r WHERE r.id = ANY (u.regions) AND r.level = 'dong') THEN
    -- How many shops are read follows from how many are wanted. Of those of a 동, the nearest are suggested; of those with the words, any.
    sample := CASE WHEN u.rest <> '{}' THEN coalesce(sample, search_sample()) ELSE sample END;
    SELECT f.ids[:5], f.tiers[:5] INTO ids, tiers FROM search_find(viewer, u, '{}', sample, NULL, wanted, wanted) f;
    RETURN;
  END IF;
  are_rare := EXISTS (SELECT FROM regions r WHERE r.id = ANY (u.regions) AND r.level = 'sigungu')
    AND NOT brands_are_common(spot_at(viewer), u.brands, u.regions);
  found := ARRAY(
    SELECT w.id FROM (
      SELECT r.id, r.name_jamo FROM shops_of_rare_brands(u.brands, u.regions) r WHERE are_rare
      UNION ALL
      SELECT c.id, c.name_jamo FROM search_scan(spot_at(viewer), u.brands, u.regions,
        (SELECT greatest(400 / greatest(count(*), 1), 60) FROM search_scans(u.brands, u.regions))::integer) c
      WHERE NOT are_rare
    ) w
    WHERE CASE WHEN is_initials(u.rest[cardinality(u.rest)]) THEN jamo_initials(w.name_jamo) ELSE w.name_jamo END LIKE ANY (forms)
      AND w.name_jamo LIKE ALL (others));
  IF anywhere AND cardinality(found) < 5 THEN
    sample := coalesce(sample, search_sample());
    SELECT * INTO q FROM search_queries(u.rest, sample, '{}');
    found := found || ARRAY(
      SELECT c.id FROM (
        SELECT s.* FROM shops s
        WHERE NOT q.too_common
          AND shop_words(s) @@ all_of(ARRAY[in_any('b', u.brands), in_any('r', u.regions), q.rarest])
          AND s.status <> 'CLOSED' LIMIT 500) c
      WHERE q.others IS NULL OR search_holds(c.name_jamo, c.road_address, c.lot_address, c.brand_id, q.other_hints, q.others));
  END IF;
  SELECT array_agg(best.id), array_agg(best.tier) INTO ids, tiers FROM (
    SELECT s.id, search_tier(s.name_jamo, full_names, beginnings) AS tier
    FROM shops s WHERE s.id = ANY (found) ORDER BY tier, distance_rank(ST_Distance(s.geog, viewer)), s.id LIMIT 5) best;
END $$;
COMMENT ON FUNCTION suggested_shops IS 'At most five shops that match the words, and the sample of search_sample() if it was needed or given.';

CREATE OR REPLACE FUNCTION spans_before(spans jsonb, place integer) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(s), '[]') FROM jsonb_array_elements(spans) AS s WHERE (s ->> 'past')::int <= place);
END $$;
COMMENT ON FUNCTION spans_before(jsonb, integer) IS 'The spans of search_understand that end before a position of the keyword.';

-- The known names at the beginning of a keyword may be followed by the beginning of another: 明洞 phot, photoism myeongd. `spans` are
-- those of search_understand for the same words, and `before` is its reading of all but the last. The longest beginning comes first:
-- 明洞 Photoism Bo is of Photoism Box, not of a place that begins with Bo.
CREATE OR REPLACE FUNCTION shops_of_begun_names(
  typed text [], viewer geography, spans jsonb, before keyword_reading, OUT ids bigint [], OUT tiers integer []
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  number integer;
  head_past integer;
  known keyword_reading;
  begun record;
BEGIN
  FOR number, head_past IN
    WITH RECURSIVE known_pasts AS (
      SELECT 1 AS past
      UNION
      SELECT (s ->> 'past')::int FROM known_pasts AS k INNER JOIN jsonb_array_elements(spans) AS s ON (s ->> 'first')::int = k.past
    )
    SELECT w.i, w.past FROM (
      SELECT o::int AS i, (1 + sum(length(t)) OVER (ORDER BY o))::int AS past FROM unnest(trim_array(typed, 1)) WITH ORDINALITY AS u (t, o)
    ) AS w INNER JOIN known_pasts AS k ON k.past = w.past ORDER BY w.i LIMIT 3
  LOOP
    SELECT array_agg(DISTINCT f) AS brands, array_agg(DISTINCT b.id) FILTER (WHERE b.kind = 'region') AS regions,
      array_agg(DISTINCT b.id) FILTER (WHERE b.kind = 'station') AS stations
    INTO begun
    FROM (
      SELECT n.* FROM names_beginning(typed_prefixes(normalize(array_to_string(typed[number + 1:], ''), NFD))) AS n
      LEFT JOIN regions AS r ON n.kind = 'region' AND r.id = n.id
      -- Busan comes before the many 동 that begin with Bu
      ORDER BY n.rank, name_precedence(n.kind, r.level) LIMIT 25
    ) AS b LEFT JOIN LATERAL unnest(brand_family(b.id)) AS f ON b.kind = 'brand';
    CONTINUE WHEN begun IS NULL;
    known := CASE WHEN number = cardinality(typed) - 1 THEN before ELSE search_understand(typed[:number], NULL, spans_before(spans, head_past)) END;
    IF known.regions IS NOT NULL THEN
      begun.regions := (
        SELECT array_agg(r.id) FROM regions AS r LEFT JOIN regions AS p ON p.id = r.parent_id
        WHERE r.id = ANY (begun.regions) AND (r.parent_id = ANY (known.regions) OR p.parent_id = ANY (known.regions)));
    END IF;
    SELECT array_agg(q.id ORDER BY q.distance_m), array_agg(3) INTO ids, tiers FROM (
      SELECT s.id, min(s.distance_m) AS distance_m FROM (
        SELECT begun.brands, known.regions, known.stations WHERE begun.brands IS NOT NULL AND known.brands IS NULL
        UNION ALL
        -- districts alone are scanned; with a 동 among them, the index on words would be searched for all
        SELECT known.brands, array_agg(r.id), known.stations FROM regions AS r WHERE r.id = ANY (begun.regions) GROUP BY r.level = 'dong'
        UNION ALL
        SELECT known.brands, known.regions, begun.stations WHERE begun.stations IS NOT NULL AND known.stations IS NULL
      ) AS v (brands, regions, stations)
      CROSS JOIN LATERAL search_find(viewer, reading_of(v.brands, v.regions, v.stations), '{}', NULL, NULL, 5, 5) AS f
      CROSS JOIN LATERAL unnest(f.ids, f.distances) AS s (id, distance_m)
      GROUP BY s.id ORDER BY 2 LIMIT 5
    ) AS q;
    EXIT WHEN ids IS NOT NULL;
  END LOOP;
END $$;
COMMENT ON FUNCTION shops_of_begun_names(text [], geography, jsonb, keyword_reading)
IS 'The nearest five shops of known names and a name that begins as the words behind them; nulls if there are none.';

CREATE OR REPLACE FUNCTION suggestion(kind text, id bigint, label text, matches json, place geography) RETURNS json
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN json_build_object(
    'kind', kind, 'id', id, 'label', label, 'matches', matches,
    'longitude', trim_scale(round(ST_X(place::geometry)::numeric, 7))::text,
    'latitude', trim_scale(round(ST_Y(place::geometry)::numeric, 7))::text);
END $$;
COMMENT ON FUNCTION suggestion(text, bigint, text, json, geography) IS 'A suggestion; matches are [[from, to]] in characters of the label.';

CREATE OR REPLACE FUNCTION shops_suggested(shop_ids bigint []) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (
  SELECT json_agg(suggestion('shop', s.id, s.place_name, '[]', s.geog) ORDER BY t.o)
  FROM unnest(shop_ids) WITH ORDINALITY AS t (id, o) INNER JOIN shops AS s ON s.id = t.id
);
COMMENT ON FUNCTION shops_suggested(bigint []) IS 'The shops as suggestions, in this order; null if there are none.';

-- 홍대인생 is 홍대 and the beginning of 인생네컷. Unlike a search, a suggestion may take what is left over for a beginning.
CREATE OR REPLACE FUNCTION brand_apart(word text) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  place text;
BEGIN
  FOR place IN SELECT DISTINCT n.name FROM names_before(word, 2) AS n WHERE n.kind <> 'brand' AND word ~ '^[가-힣]{4,12}[ㄱ-ㅎ]?$' ORDER BY 1 DESC LOOP
    IF EXISTS (SELECT FROM names_beginning(typed_prefixes(normalize(substr(word, length(place) + 1), NFD))) AS b WHERE b.kind = 'brand') THEN
      RETURN ARRAY[place, substr(word, length(place) + 1)];
    END IF;
  END LOOP;
  RETURN ARRAY[word];
END $$;
COMMENT ON FUNCTION brand_apart(text) IS 'A word in Hangul as a region or station and the beginning of a brand behind it, or the word.';

-- A word that is only begun may be three characters long without spaces around it, as in Japanese and Chinese. In Hangul, where it
-- may be a word for a kind of place, the place before it is meant: 노형오거, 산본로데, 송도해수욕.
CREATE OR REPLACE FUNCTION words_cut(word text) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  IF word ~ '[\u3041-\u9fff]' THEN
    RETURN ARRAY(SELECT left(word, -missing) FROM generate_series(1, least(length(word) - 2, 3)) AS missing);
  END IF;
  RETURN left(word, -1) || ARRAY(
    SELECT n.name FROM names_before(word, 2) AS n
    WHERE n.kind <> 'brand' AND word ~ '^[가-힣]{4,8}$' AND substr(word, length(n.name) + 1) ~ '^.{2,4}(?<!역)$' ORDER BY n.name COLLATE "C" DESC LIMIT 1);
END $$;
COMMENT ON FUNCTION words_cut(text) IS 'A word without what may only be begun at its end, the longest first.';

-- 구로디지탈단 begins 구로디지털단지점.
CREATE OR REPLACE FUNCTION misspelt_shops(word text, viewer geography, sample text []) RETURNS bigint []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  rest constant text[] := ARRAY[normalize(word, NFD)];
BEGIN
  RETURN (
    SELECT f.ids[:5] FROM search_find(viewer, reading_of(rest => rest), rest, coalesce(sample, search_sample()), NULL, 5, 5) AS f WHERE word ~ '^[가-힣]{3,8}$');
END $$;
COMMENT ON FUNCTION misspelt_shops(text, geography, text []) IS 'At most five shops with a word in Hangul, of which one letter differs, in their name; null if it is too short or too long.';

CREATE OR REPLACE FUNCTION suggest_started(keyword text) RETURNS search_state
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  s search_state;
BEGIN
  s.keyword := keyword;
  s.plain_words := keyword_words(keyword);
  s.plain := search_understand(s.plain_words, NULL);
  s.unknown := composed((s.plain).rest);
  s.small := s.plain;
  s.spelled_words := s.plain_words;
  s.spelled := s.plain;
  s.words_read := ARRAY[s.plain_words::text];
  s.size := length(keyword);
  s.characters := s.size;
  RETURN s;
END $$;
COMMENT ON FUNCTION suggest_started(text) IS 'A keyword as typed, before the first pass of its suggestions.';

-- All passes together read up to 50 characters, but spellings look up few words.
CREATE OR REPLACE FUNCTION is_worth_suggesting(s search_state, pass text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (
    s.size > 25 AND pass <> 'typed' AND (pass NOT IN ('spelling', 'before') OR s.size > 45 OR cardinality(s.plain_words) = 1)
    OR s.characters + s.size > 50 AND pass NOT IN ('spelling', 'known names', 'typed', 'before', 'last')
    OR pass IN ('hanja', 'known names') AND cardinality(s.unknown) > 2 OR pass = 'known names' AND s.unknown = '{}'
    -- in a foreign script, the pass for spelling removes signs too
    OR pass = 'punctuation' AND is_foreign(s.keyword)
    OR pass IN ('before', 'last') AND (cardinality(s.small_words) > 5 OR s.unknown = '{}')
    OR starts_with(pass, 'typo') AND (cardinality(s.plain_words) > 1 OR s.size > 12 OR cardinality(s.unknown) <> 1)
  ) IS NOT TRUE;
END $$;
COMMENT ON FUNCTION is_worth_suggesting(search_state, text)
IS 'Whether a pass of suggestions is within the budget of the keyword and may find something, given the unknown words.';

CREATE OR REPLACE FUNCTION suggest_spelled(s search_state) RETURNS search_state
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  s.small_words := search_reading('small words', s.keyword, s.unknown);
  IF cardinality(s.small_words) > 6 THEN
    RETURN s;
  END IF;
  IF s.small_words <> s.plain_words THEN
    s.small := search_understand(s.small_words, NULL, spans_in_words((s.plain).spans, s.plain_words, s.small_words));
  END IF;
  SELECT r.read_as INTO s.spelled_words FROM shop_words_spelled(s.small_words,
    CASE WHEN s.small_words = s.plain_words AND (s.plain).impossible THEN s.plain_words ELSE composed((s.small).rest) END, true) r;
  IF s.spelled_words <> s.plain_words THEN
    s.spelled := search_understand(s.spelled_words, NULL, spans_in_words((s.plain).spans, s.plain_words, s.spelled_words));
  END IF;
  s.pass_words := s.spelled_words;
  s.reading := s.spelled;
  RETURN s;
END $$;
COMMENT ON FUNCTION suggest_spelled(search_state) IS 'The pass that replaces foreign words by Korean ones, without the words that people write around names.';

-- Of one or two names beside what may become a word that a search leaves out, the names are suggested: 圣水洞拍, mangwon marke. At last,
-- what is before the last word, then this word alone: 광안리 인생네, Fotoautomat myeongd.
CREATE OR REPLACE FUNCTION suggest_read(s search_state, pass text) RETURNS search_state
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  known keyword_reading;
BEGIN
  s.pass_words := NULL;
  s.reading := NULL;
  CASE pass
    WHEN 'spelling' THEN
      s := suggest_spelled(s);
    WHEN 'hanja' THEN
      -- small words that are only cut apart (釜山서면포토그) would lose the name that is begun
      IF (s.small).rest = '{}' OR array_to_string(s.small_words, '') <> array_to_string(s.plain_words, '') THEN
        SELECT h.read_as INTO s.pass_words FROM words_in_korean(s.small_words, composed((s.small).rest), (s.small).understood, (s.small).spans) h;
      ELSE
        SELECT h.read_as INTO s.pass_words FROM words_in_korean(s.plain_words, s.unknown, (s.plain).understood, (s.plain).spans) h;
      END IF;
    WHEN 'known names' THEN
      known := search_known_names(s.plain_words, s.plain);
      IF known.rest = '{}' AND NOT known.impossible AND jsonb_array_length(known.understood) <= 2 THEN
        s.pass_words := words_understood(known.understood);
        s.reading := search_understand(s.pass_words, NULL, known.spans);
      END IF;
    WHEN 'before' THEN
      -- nor a house number: 25 Yeonmujang-gil, Seongdong
      s.pass_words := ARRAY(
        SELECT w FROM unnest(trim_array(s.spelled_words, 1)) WITH ORDINALITY AS t (w, i) WHERE w !~ '^[0-9-]+$' ORDER BY i);
    WHEN 'last' THEN
      -- unless it is all
      s.pass_words := s.spelled_words[greatest(cardinality(s.spelled_words), 2):];
    ELSE
      s.pass_words := search_reading(pass, s.keyword, s.unknown);
      IF pass = 'apart' AND s.pass_words = s.plain_words AND cardinality(s.pass_words) = 1 THEN
        s.pass_words := brand_apart(s.pass_words[1]);
      END IF;
  END CASE;
  RETURN s;
END $$;
COMMENT ON FUNCTION suggest_read(search_state, text)
IS 'The state after a pass of suggestions, with the words that it reads, null if none, and their reading, null if it is not known yet.';

CREATE OR REPLACE FUNCTION suggest_cut(viewer geography, s search_state, OUT words text [], OUT sample text [], OUT body json)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  shorter text;
BEGIN
  sample := s.sample;
  IF s.size NOT BETWEEN 3 AND 12 OR cardinality(s.plain_words) <> 1 THEN
    RETURN;
  END IF;
  FOREACH shorter IN ARRAY words_cut(s.plain_words[1]) LOOP
    words := ARRAY[shorter];
    SELECT g.* INTO sample, body FROM suggestions(words, viewer, search_understand(words, NULL), false, sample) AS g;
    EXIT WHEN body IS NOT NULL;
    s.words_read := s.words_read || words::text;
    SELECT r.read_as INTO words FROM shop_words_spelled(words, words, true) AS r;
    EXIT WHEN words::text <> ALL (s.words_read);
    words := NULL;
  END LOOP;
END $$;
COMMENT ON FUNCTION suggest_cut(geography, search_state)
IS 'Suggestions for the only word without what may be begun at its end; if there are none, the word in Korean that is to be read next.';

-- Starting parallel workers takes longer than any of its queries, and planning is a considerable part of each.
CREATE OR REPLACE FUNCTION shops_suggest(
  keyword text, user_lon double precision, user_lat double precision, lang text DEFAULT NULL
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET max_parallel_workers_per_gather = 0 SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  viewer geography := point_at(user_lon, user_lat);
  s search_state := suggest_started(keyword);
  -- 괴산 sounds like coex
  is_place_word boolean := EXISTS (SELECT FROM unnest(s.unknown) AS u WHERE place_word(spelled_letters(u)) IS NOT NULL);
  pass text;
  body json;
BEGIN
  IF NOT is_place_word THEN
    SELECT g.* INTO s.sample, body FROM suggestions(s.plain_words, viewer, s.plain, true, s.sample) g;
  END IF;
  FOREACH pass IN ARRAY ARRAY['punctuation', 'spelling', 'hanja', 'keyboard', 'keyboard without shift', 'apart', 'known names', 'typed', 'typo',
    'typo in a name', 'before', 'last'] LOOP
    EXIT WHEN body IS NOT NULL;
    CONTINUE WHEN NOT is_worth_suggesting(s, pass);
    s.pass_words := NULL;
    IF pass = 'typed' AND is_place_word THEN
      SELECT g.* INTO s.sample, body FROM suggestions(s.plain_words, viewer, s.plain, true, s.sample) g;
    ELSIF pass = 'typo in a name' THEN
      body := shops_suggested(misspelt_shops(s.plain_words[1], viewer, s.sample));
    ELSIF pass = 'before' AND cardinality(s.spelled_words) <= 1 THEN
      s.reading := NULL;
      SELECT c.words, c.sample, c.body INTO s.pass_words, s.sample, body FROM suggest_cut(viewer, s) AS c;
    ELSIF pass <> 'typed' THEN
      s := suggest_read(s, pass);
    END IF;
    IF pass = 'spelling' AND s.small_words = '{}' AND asks_for_any_shop(keyword) THEN
      body := shops_suggested(ARRAY(SELECT w.id FROM search_scan(spot_at(viewer), NULL, '{}', 5, budget => 5) AS w));
    END IF;
    CONTINUE WHEN body IS NOT NULL OR coalesce(s.pass_words, '{}') = '{}' OR s.pass_words::text = ANY (s.words_read);
    s.words_read := s.words_read || s.pass_words::text;
    s.characters := s.characters + s.size;
    IF s.reading IS NULL THEN
      s.reading := search_understand(s.pass_words, NULL, CASE WHEN pass IN ('before', 'last') THEN spans_in_words((s.spelled).spans, s.spelled_words, s.pass_words)
        ELSE spans_in_words((s.plain).spans, s.plain_words, s.pass_words) END);
    END IF;
    SELECT g.* INTO s.sample, body FROM suggestions(s.pass_words, viewer, s.reading, false, s.sample) g;
  END LOOP;
  IF lang IS NOT NULL THEN
    body := suggestions_in(body, lang);
  END IF;
  RETURN coalesce(body::text, '[]');
END $$;
COMMENT ON FUNCTION shops_suggest
IS 'Suggestions as JSON: kind, id, label, matches [[from, to]] in characters of the label, longitude, latitude, with lang also display.';

CREATE OR REPLACE FUNCTION suggestions(
  typed text [], viewer geography, u keyword_reading, is_as_typed boolean, INOUT sample text [], OUT body json
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  words text[] := ARRAY(SELECT normalize(w, NFD) FROM unnest(typed) w);
  whole text := array_to_string(words, '');
  separate text[];
  before keyword_reading;
  above bigint[];
  begins_name boolean;
  continues_names boolean;
  ends_foreign boolean;
  ids bigint[];
  tiers integer[];
BEGIN
  IF cardinality(typed) = 0 THEN
    RETURN;
  END IF;
  -- 대구 동성: what would be a place elsewhere begins another word
  IF u.impossible AND cardinality(typed) > 1 THEN
    u := search_understand(trim_array(typed, 1), NULL, spans_in_words(u.spans, typed, trim_array(typed, 1)));
    u.rest := u.rest || words[cardinality(words)];
  END IF;
  -- 서울강남 is interpreted as 서울 강남: the last word is searched within the others
  IF cardinality(typed) = 1 AND jsonb_array_length(u.understood) > 1
    AND NOT EXISTS (SELECT FROM jsonb_array_elements(u.understood) x WHERE x ->> 'kind' <> 'region') THEN
    separate := words_understood(u.understood);
    SELECT s.* INTO sample, body FROM suggestions(
      separate, viewer, search_understand(separate, NULL, spans_in_words(u.spans, typed, separate)), false, sample) s;
    RETURN;
  END IF;
  IF cardinality(typed) > 1 THEN
    before := search_understand(trim_array(typed, 1), NULL, spans_before(u.spans, length(array_to_string(trim_array(typed, 1), '')) + 1));
    above := CASE WHEN before.rest = '{}' AND before.brands IS NULL AND before.stations IS NULL THEN before.regions END;
  END IF;
  -- some name begins with any letter or syllable; several words must not only sound like one: Photoism Busa is not Photoism Box
  begins_name := cardinality(typed) = 1 AND length(whole) <= 3 OR EXISTS (
    SELECT FROM names_beginning(typed_prefixes(whole)) AS n WHERE n.rank < 2 OR cardinality(typed) = 1);
  -- Only for the words as typed: corrected ones would cost as much again. In foreign letters the last word is
  -- more likely the beginning of a place than a word of a shop's name.
  continues_names := is_as_typed AND NOT begins_name;
  ends_foreign := is_foreign(typed[cardinality(typed)]);
  IF continues_names AND ends_foreign THEN
    SELECT b.ids, b.tiers INTO ids, tiers FROM shops_of_begun_names(typed, viewer, u.spans, before) b;
  END IF;
  IF ids IS NULL THEN
    SELECT s.* INTO sample, ids, tiers FROM suggested_shops(viewer, u,
      length(words[cardinality(words)]) > 3 AND NOT begins_name, sample) s;
  END IF;
  IF coalesce(ids, '{}') = '{}' AND continues_names AND NOT ends_foreign THEN
    SELECT b.ids, b.tiers INTO ids, tiers FROM shops_of_begun_names(typed, viewer, u.spans, before) b;
  END IF;
  body := (
    SELECT json_agg(suggestion(s.kind, s.id, s.label, label_matches(s.label, coalesce(length(s.label) - length(r.name), 0),
      CASE WHEN s.kind = 'shop' THEN words ELSE ARRAY[s.looked_for] END), s.place) ORDER BY s.rank, s.size, s.o)
    FROM (
      SELECT n.kind, n.id, n.label, n.rank, n.size, n.place, n.o, whole AS looked_for
      FROM suggested_names(typed_prefixes(whole), NULL, viewer) WITH ORDINALITY n (kind, id, label, rank, size, place, o)
      WHERE begins_name
      UNION ALL
      SELECT n.kind, n.id, n.label, n.rank, n.size, n.place, n.o, words[cardinality(words)]
      FROM suggested_names(typed_prefixes(words[cardinality(words)]), above, viewer)
        WITH ORDINALITY n (kind, id, label, rank, size, place, o) WHERE above IS NOT NULL
      UNION ALL
      SELECT 'shop', p.id, p.place_name, CASE WHEN t.tier = 1 THEN 0 ELSE 1 END, 4, p.geog, t.o, NULL
      FROM unnest(ids, tiers) WITH ORDINALITY t (id, tier, o) INNER JOIN shops p ON p.id = t.id
    ) s LEFT JOIN regions r ON s.kind = 'region' AND r.id = s.id);
END $$;
COMMENT ON FUNCTION suggestions(text [], geography, keyword_reading, boolean, text [])
IS 'Names that begin with the words, which are read so, and the five best shops; null if there are none. The sample, that of search_sample(), is null until it is needed.';
