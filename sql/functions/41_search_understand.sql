-- Interprets a keyword: its words as brands, regions, stations and others.

-- The positions of dictionary names in a keyword without its spaces. Across a space, a name matches only whole words, and two
-- regions take precedence over a station with both names: 경기 광주 is the city, 경기광주 the station. Names are looked up only at
-- positions where a name of a dictionary begins.
CREATE OR REPLACE FUNCTION search_spans(whole text, word_starts boolean [])
RETURNS TABLE (
  first integer, past integer, kind text, ids bigint [], ranks integer [], korean text, lang text, spelling text
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH beginnings AS MATERIALIZED (
    SELECT i, ARRAY(
      SELECT DISTINCT 'begins ' || name_start(normalize(substr(whole, i, n), NFD)) FROM generate_series(1, 3) AS n
    ) AS terms
    FROM generate_series(1, length(whole)) AS i
  ), known AS MATERIALIZED (
    SELECT known_terms(ARRAY(SELECT DISTINCT t FROM beginnings AS b CROSS JOIN unnest(b.terms) AS t)) AS terms
  ), spans AS MATERIALIZED (
    SELECT b.i, b.i + n AS j, normalize(substr(whole, b.i, n), NFD) AS key
    FROM beginnings AS b INNER JOIN known AS k ON b.terms && k.terms OR substr(whole, b.i, 2) = ANY (nickname_beginnings()) CROSS JOIN generate_series(1, 24) AS n
    WHERE b.i + n <= length(whole) + 1
      AND (n > 1 OR (word_starts[b.i] AND word_starts[b.i + 1]))
      AND (true <> ALL (word_starts[b.i + 1:b.i + n - 1]) OR (word_starts[b.i] AND word_starts[b.i + n]))
  ), foreign_spans AS MATERIALIZED (
    SELECT f.first AS i, f.past AS j, f.key FROM latin_spans(whole, word_starts) AS f
    UNION
    SELECT f.first, f.past, f.key FROM cjk_spans(whole, word_starts) AS f
  ), hits AS (
    SELECT s.i, s.j, h.kind, array_agg(h.id ORDER BY h.id) AS ids, array_agg(h.rank ORDER BY h.id) AS ranks,
      min(h.korean) AS korean, min(h.lang) AS lang, min(h.spelling) AS spelling
    FROM (
      SELECT n.key, n.kind, n.id, min(n.rank) AS rank, max(n.korean) AS korean, max(n.lang) AS lang, max(n.spelling) AS spelling
      FROM (
        SELECT m.*, NULL AS korean, NULL AS lang, NULL AS spelling FROM search_names((SELECT array_agg(DISTINCT key) FROM spans)) AS m
        UNION ALL
        SELECT m.* FROM names_spelled((SELECT array_agg(DISTINCT key) FROM foreign_spans)) AS m
      ) AS n GROUP BY n.key, n.kind, n.id
    ) AS h
    INNER JOIN (SELECT i, j, key FROM spans UNION SELECT i, j, key FROM foreign_spans) AS s ON s.key = h.key
    GROUP BY s.i, s.j, h.kind
  )
  SELECT h.i, h.j, h.kind, h.ids, h.ranks, h.korean, h.lang, h.spelling FROM hits AS h
  WHERE h.kind <> 'station' OR h.ranks @> '{0}' OR NOT EXISTS (
    SELECT FROM hits AS a INNER JOIN hits AS b ON b.i = a.j
    WHERE a.i = h.i AND b.j = h.j AND word_starts[b.i]
      AND a.kind = 'region' AND a.ranks @> '{0}' AND b.kind = 'region' AND b.ranks @> '{0}');
END $$;
COMMENT ON FUNCTION search_spans(text, boolean [])
IS 'Names of the dictionaries within a keyword: from the character first up to, but without, the character past.';

-- A name in Latin letters begins and ends where a word begins or the script changes: it is at most five such parts of the first
-- sixteen, or reaches to the end of the keyword, within forty characters.
CREATE OR REPLACE FUNCTION latin_spans(whole text, word_starts boolean [])
RETURNS TABLE (first integer, past integer, key text)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
#variable_conflict use_column
BEGIN
  IF whole !~ '[a-zA-Z\u00c0-\u024f\u1e00-\u1eff]' THEN
    RETURN;
  END IF;
  RETURN QUERY
  WITH signs AS MATERIALIZED (
    SELECT i, substr(whole, i, 1) !~ '[가-힣ㄱ-ㅣ\u3041-\u30ff\u3400-\u9fff]' AS is_latin FROM generate_series(1, length(whole)) AS i
  ), edges AS MATERIALIZED (
    SELECT s.i, s.is_latin, row_number() OVER (ORDER BY s.i) AS o, false AS is_end FROM signs AS s LEFT JOIN signs AS p ON p.i = s.i - 1
    WHERE word_starts[s.i] OR s.is_latin <> p.is_latin
    UNION ALL
    SELECT length(whole) + 1, false, NULL, true
  ), pairs AS (
    SELECT a.i, b.i AS j, substr(whole, a.i, b.i - a.i) AS key
    FROM edges AS a INNER JOIN edges AS b ON b.i > a.i + 1 AND b.i <= a.i + 40 AND (b.o <= a.o + 5 OR b.is_end)
    LEFT JOIN edges AS n ON n.o = a.o + 1
    -- a preposition begins no name: de Myeongdong
    WHERE a.is_latin AND a.o <= 16 AND NOT (coalesce(n.i < b.i, false) AND substr(whole, a.i, n.i - a.i) IN ('de', 'du', 'des', 'di', 'à'))
  ), beginnings AS MATERIALIZED (
    SELECT p.*, 'begins ' || left(spelling_key(coalesce(without_station_word(p.key), p.key)), 12) AS term
    FROM pairs AS p WHERE is_foreign(p.key) AND p.key !~ '[가-힣ㄱ-ㅣ\u3041-\u30ff\u3400-\u9fff]' AND p.key <> ALL (latin_small_words())
  ), known AS MATERIALIZED (
    SELECT begun_spellings(ARRAY(SELECT DISTINCT b.term FROM beginnings AS b)) AS terms
  )
  SELECT b.i, b.j, b.key FROM beginnings AS b CROSS JOIN known AS k
  WHERE b.term = ANY (k.terms) OR b.term ~ '^begins ~..?$';
END $$;
COMMENT ON FUNCTION latin_spans(text, boolean []) IS 'The parts of a keyword that may be names in Latin letters.';

-- Chinese characters and kana have no blanks between words, so a name may begin at each of the first forty characters, and extends
-- as long as a name has this prefix. The word for station or the unit of a region may follow it.
CREATE OR REPLACE FUNCTION cjk_spans(whole text, word_starts boolean [])
RETURNS TABLE (first integer, past integer, key text)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
#variable_conflict use_column
DECLARE
  folded text[];
  alive integer[] := ARRAY(
    SELECT i FROM generate_series(1, length(whole)) AS i WHERE substr(whole, i, 1) ~ '[\u3041-\u30ff\u3400-\u9fff]' ORDER BY i LIMIT 40);
  known text[];
BEGIN
  IF alive = '{}' THEN
    RETURN;
  END IF;
  folded := ARRAY(
    SELECT CASE WHEN c ~ '[가-힣ㄱ-ㅣ]' THEN '|' ELSE kana_folded(han_folded(c)) END
    FROM unnest(string_to_array(cjk_evened(whole), NULL)) WITH ORDINALITY AS t (c, i) ORDER BY i);
  FOR n IN 1..24 LOOP
    EXIT WHEN alive = '{}';
    IF n < 12 THEN
      known := begun_spellings(ARRAY(
        SELECT DISTINCT 'begins =' || array_to_string(folded[i:i + n - 1], '') FROM unnest(alive) AS i WHERE i + n - 1 <= cardinality(folded)));
      -- 中区 needs no name in the dictionaries
      alive := ARRAY(SELECT i FROM unnest(alive) AS i WHERE i + n - 1 <= cardinality(folded) AND (
        'begins =' || array_to_string(folded[i:i + n - 1], '') = ANY (known) OR n = 1 AND folded[i] IN ('中', '东', '西', '南', '北') AND folded[i + 1] = '区'));
    END IF;
    RETURN QUERY
    SELECT i, i + l, substr(whole, i, l) FROM unnest(alive) AS i
    CROSS JOIN LATERAL unnest(ARRAY[n] || CASE WHEN folded[i + n] IN ('驿', '站', '市', '道', '区', '郡', '洞', '岛', '特', '广') THEN
      n + length(substring(array_to_string(folded[i + n:i + n + 4], ''), '^(?:驿|站|特别自治[市道]|特别市|广域市|[市道区郡洞岛])')) END) AS e (l)
    WHERE l > 1 AND i + l - 1 <= cardinality(folded)
      -- イテウォンで is no name, but 今日のフィルム is one, and へ looks like ヘ
      AND translate(substr(whole, i, l), 'のへべぺ', '') !~ '[\u30a1-\u30fa][\u3041-\u3096]|[\u3041-\u3096][\u30a1-\u30fa]'
      AND (true <> ALL (word_starts[i + 1:i + l - 1]) OR (word_starts[i] AND word_starts[i + l]));
  END LOOP;
END $$;
COMMENT ON FUNCTION cjk_spans(text, boolean []) IS 'The parts of a keyword that may be names in Chinese characters and kana.';

-- The segmentation with the lowest cost, from left to right: fewest unknown words, then fewest and longest names. Within a word, the
-- rest after a brand may be anything, but the rest after a region or station must be a name: 신강남 is not 강남.
CREATE OR REPLACE FUNCTION search_pieces(
  word_starts boolean [], hit_first integer [], hit_past integer [], hit_is_brand boolean []
) RETURNS TABLE (first integer, past integer, is_name boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  n integer := cardinality(word_starts) - 1;
  -- cost and state of reaching a character: 0 at a word's start or after a brand, 1 after another name, 2 after unknown characters
  cost float8[] := array_fill(NULL::float8, ARRAY[3 * (n + 1)]);
  came_from integer[] := array_fill(NULL::integer, ARRAY[3 * (n + 1)]);
  named boolean[] := array_fill(false, ARRAY[3 * (n + 1)]);
  here integer;
  there integer;
  price float8;
  step record;
BEGIN
  cost[1] := 0;
  FOR step IN SELECT s.*, state FROM search_steps(word_starts, hit_first, hit_past, hit_is_brand) s
    CROSS JOIN generate_series(0, 2) state ORDER BY s.first, state, s.past
  LOOP
    here := 3 * (step.first - 1) + step.state + 1;
    CONTINUE WHEN cost[here] IS NULL OR (step.state = 1 AND NOT step.is_hit) OR (step.state = 2 AND NOT step.is_brand);
    price := cost[here] + CASE WHEN step.is_hit THEN 10 - 0.01 * (step.past - step.first) ^ 2
      ELSE 100 + 4 * (step.past - step.first) END;
    there := 3 * (step.past - 1) + 1 + CASE
      WHEN word_starts[step.past] OR step.is_brand THEN 0 WHEN step.is_hit THEN 1 ELSE 2 END;
    CONTINUE WHEN cost[there] <= price;
    cost[there] := price;
    came_from[there] := here;
    named[there] := step.is_hit;
  END LOOP;
  there := 3 * n + 1;
  WHILE came_from[there] IS NOT NULL LOOP
    first := (came_from[there] - 1) / 3 + 1;
    past := (there - 1) / 3 + 1;
    is_name := named[there];
    RETURN NEXT;
    there := came_from[there];
  END LOOP;
END $$;
COMMENT ON FUNCTION search_pieces(boolean [], integer [], integer [], boolean [])
IS 'The keyword cut into names of the dictionaries and unknown words.';

CREATE OR REPLACE FUNCTION search_steps(
  word_starts boolean [], hit_first integer [], hit_past integer [], hit_is_brand boolean []
) RETURNS TABLE (first integer, past integer, is_hit boolean, is_brand boolean)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT h.first, h.past, true, bool_or(h.is_brand)
  FROM unnest(hit_first, hit_past, hit_is_brand) AS h (first, past, is_brand) GROUP BY h.first, h.past
  UNION ALL
  SELECT i, j, false, false
  FROM generate_series(1, cardinality(word_starts) - 1) AS i
  CROSS JOIN LATERAL (
    SELECT min(e) AS word_end FROM generate_series(i + 1, cardinality(word_starts)) AS e WHERE word_starts[e]
  ) AS w
  CROSS JOIN LATERAL generate_series(i + 1, w.word_end) AS j
  WHERE (word_starts[i] OR EXISTS (SELECT FROM unnest(hit_past, hit_is_brand) AS h (p, b) WHERE h.b AND h.p = i))
    AND (word_starts[j] OR EXISTS (SELECT FROM unnest(hit_first, hit_is_brand) AS h (f, b) WHERE h.b AND h.f = j));
END $$;
COMMENT ON FUNCTION search_steps(boolean [], integer [], integer [], boolean [])
IS 'Every name found, and every run of unknown characters between the ends of words and brands.';

-- Of several region names, those that contain each other: 서울 강남구 is 강남구, 중구 alone is every 중구.
CREATE OR REPLACE FUNCTION regions_within_each_other(pieces integer [], ids bigint [], ranks integer [])
RETURNS bigint []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  IF pieces IS NULL THEN
    RETURN NULL;
  END IF;
  RETURN (
    WITH RECURSIVE named AS (
      SELECT * FROM unnest(pieces, ids, ranks) AS t (piece, id, rank)
    ), up AS (
      SELECT DISTINCT n.id, n.id AS above FROM named AS n WHERE (SELECT count(DISTINCT m.piece) > 1 FROM named AS m)
      UNION
      SELECT u.id, r.parent_id FROM up AS u INNER JOIN regions AS r ON r.id = u.above WHERE r.parent_id IS NOT NULL
    ), fitting AS (
      SELECT n.id, min(n.rank) AS rank FROM named AS n
      WHERE NOT EXISTS (
        SELECT FROM unnest(pieces) AS p
        WHERE p <> n.piece AND NOT EXISTS (
          SELECT FROM up AS u INNER JOIN named AS m ON m.id = u.above WHERE u.id = n.id AND m.piece = p))
      GROUP BY n.id
    ), best AS (
      SELECT f.id FROM fitting AS f WHERE f.rank = (SELECT min(g.rank) FROM fitting AS g)
      UNION
      SELECT r.id FROM best AS b INNER JOIN regions AS r ON r.parent_id = b.id AND r.level = 'sigungu'
      INNER JOIN regions AS p ON p.id = b.id AND p.level = 'sigungu'
    )
    SELECT array_agg(b.id ORDER BY b.id) FROM best AS b
  );
END $$;
COMMENT ON FUNCTION regions_within_each_other(integer [], bigint [], integer [])
IS 'Regions named by every piece, directly or by a parent region; the best ranked; null if there are none.';

CREATE OR REPLACE FUNCTION keyword_words(keyword text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(
    SELECT left(name_key(w), 100) FROM regexp_split_to_table(normalize(keyword, NFKC), '[[:space:]]+') WITH ORDINALITY AS t (w, i)
    WHERE NOT is_blank(w) ORDER BY i LIMIT 50);
END $$;
COMMENT ON FUNCTION keyword_words(text) IS 'The words of a keyword as name_key writes them; at most 50 of at most 100 characters.';

-- 송도 센트럴파크 is the station in 송도동, and not that or 송도역.
CREATE OR REPLACE FUNCTION is_station_of_region(pieces jsonb) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM jsonb_array_elements(pieces) AS a CROSS JOIN jsonb_array_elements(pieces) AS b
    CROSS JOIN LATERAL jsonb_array_elements_text(a -> 'found' -> 'region' -> 'ids') AS region_id
    CROSS JOIN LATERAL jsonb_array_elements_text(b -> 'found' -> 'station' -> 'ids') AS station_id
    INNER JOIN regions AS r ON r.id = region_id::bigint INNER JOIN stations AS s ON s.id = station_id::bigint
    WHERE a ->> 'means' = 'station' AND b ->> 'means' = 'station' AND NOT b -> 'found' ? 'region'
      AND NOT a -> 'found' -> 'station' -> 'ids' @> to_jsonb(s.id) AND ST_Covers(r.boundary, s.geog::geometry));
END $$;
COMMENT ON FUNCTION is_station_of_region(jsonb) IS 'Whether of two stations that a keyword names one lies in the region with the name of the other.';

-- A foreign name may be that of several regions, of which the best ranked is meant.
CREATE OR REPLACE FUNCTION piece_in_korean(piece jsonb) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  IF piece ->> 'means' <> 'region' OR piece ->> 'text' ~ '[가-힣]' THEN
    RETURN piece ->> 'korean';
  END IF;
  RETURN (
    SELECT name_in_korean('region', i.id::bigint)
    FROM jsonb_array_elements_text(piece -> 'found' -> 'region' -> 'ids') WITH ORDINALITY AS i (id, o)
    INNER JOIN jsonb_array_elements_text(piece -> 'found' -> 'region' -> 'ranks') WITH ORDINALITY AS r (rank, o) USING (o)
    ORDER BY r.rank::integer, o LIMIT 1);
END $$;
COMMENT ON FUNCTION piece_in_korean(jsonb) IS 'The name of a piece of a keyword, in Korean if it is a region.';

-- 江南 is 강남, and 弘大 홍대, as branches of 홍대입구 are called.
CREATE OR REPLACE FUNCTION station_in_korean(meaning jsonb) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  name constant text := name_in_korean('station', (meaning -> 'ids' ->> 0)::bigint);
  heard constant text := hangul_of_han(coalesce(without_station_word(meaning ->> 'spelling'), meaning ->> 'spelling'));
BEGIN
  RETURN CASE WHEN meaning ->> 'spelling' IS NOT NULL THEN CASE WHEN starts_with(name, heard) THEN heard ELSE name END END;
END $$;
COMMENT ON FUNCTION station_in_korean(jsonb)
IS 'The Korean name of a station that search_spans found by a foreign one, or the part of it that Chinese characters stand for; null if a Korean name was found.';

CREATE OR REPLACE FUNCTION search_understand(words text [], preferred text, known_spans jsonb DEFAULT NULL)
RETURNS keyword_reading
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  u keyword_reading;
  whole text := left(array_to_string(words, ''), 100);
  starts boolean[];
  pieces jsonb;
BEGIN
  SELECT array_agg(i = 1 OR i > length(whole) OR i IN (
      SELECT 1 + sum(length(w)) OVER (ORDER BY o) FROM unnest(words) WITH ORDINALITY t (w, o)) ORDER BY i)
  INTO starts FROM generate_series(1, length(whole) + 1) i;
  u.spans := coalesce(known_spans, (SELECT jsonb_agg(s) FROM search_spans(whole, starts) s), '[]');
  SELECT jsonb_agg(jsonb_build_object(
      'at', p.first, 'text', substr(whole, p.first, p.past - p.first),
      'korean', coalesce(
        nullif(m.found -> search_meaning(m.found, preferred) ->> 'korean', ''),
        CASE search_meaning(m.found, preferred) WHEN 'station' THEN station_in_korean(m.found -> 'station') END,
        substr(whole, p.first, p.past - p.first)),
      'means', search_meaning(m.found, preferred),
      'found', m.found) ORDER BY p.first)
  INTO pieces
  FROM (
    SELECT array_agg((h ->> 'first')::int) AS f, array_agg((h ->> 'past')::int) AS p,
      array_agg(h ->> 'kind' = 'brand') AS b
    FROM jsonb_array_elements(u.spans) h) a
  CROSS JOIN LATERAL search_pieces(starts, a.f, a.p, a.b) p
  LEFT JOIN LATERAL (
    SELECT jsonb_object_agg(h ->> 'kind', h) AS found FROM jsonb_array_elements(u.spans) h
    WHERE p.is_name AND (h ->> 'first')::int = p.first AND (h ->> 'past')::int = p.past
  ) m ON true;
  SELECT r.* INTO u.brands, u.regions, u.stations, u.branch, u.rest, u.impossible FROM search_resolve(pieces) r;
  IF preferred IS NULL AND (SELECT count(*) > 1 FROM jsonb_array_elements(pieces) x WHERE x ->> 'means' = 'station')
    AND is_station_of_region(pieces) THEN
    RETURN search_understand(words, 'region', u.spans);
  END IF;
  SELECT array_agg(DISTINCT n) INTO u.names FROM (
    SELECT normalize(whole, NFD) AS n WHERE u.rest <> '{}' OR u.branch <> '{}'
    UNION ALL
    SELECT jamo(b.name) || (SELECT string_agg(normalize(piece_in_korean(x), NFD), '' ORDER BY (x ->> 'at')::int)
      FROM jsonb_array_elements(pieces) x WHERE x ->> 'means' <> 'brand')
    FROM brands b WHERE b.id = ANY (u.brands) AND (u.rest <> '{}' OR u.branch <> '{}' OR u.regions IS NOT NULL)) q WHERE n <> '';
  SELECT coalesce(jsonb_agg(jsonb_build_object('text', x -> 'text', 'kind', x -> 'means', 'ids',
      coalesce(CASE x ->> 'means' WHEN 'region' THEN (
          SELECT jsonb_agg(i) FROM jsonb_array_elements(x -> 'found' -> 'region' -> 'ids') i
          WHERE i::bigint = ANY (u.regions) OR NOT EXISTS (
            SELECT FROM jsonb_array_elements(x -> 'found' -> 'region' -> 'ids') j WHERE j::bigint = ANY (u.regions)))
        ELSE x -> 'found' -> (x ->> 'means') -> 'ids' END, '[]'))
      || CASE WHEN x -> 'found' -> (x ->> 'means') ->> 'spelling' IS NULL THEN '{}'::jsonb ELSE jsonb_build_object(
        'lang', x -> 'found' -> (x ->> 'means') -> 'lang', 'matched', x -> 'found' -> (x ->> 'means') -> 'spelling') END ORDER BY (x ->> 'at')::int), '[]')
  INTO u.understood FROM jsonb_array_elements(pieces) x;
  RETURN u;
END $$;
COMMENT ON FUNCTION search_understand(text [], text, jsonb)
IS 'Interprets the words of a keyword; preferred is region or station for names that are both, null for the usual meaning.';

-- Rank 0 is a full name (region_rank).
CREATE OR REPLACE FUNCTION search_meaning(found jsonb, preferred text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN found IS NULL THEN 'rest'
  WHEN found ? 'brand' THEN 'brand'
  WHEN NOT found ? 'region' THEN 'station'
  WHEN NOT found ? 'station' THEN 'region'
  WHEN preferred IS NOT NULL THEN preferred
  WHEN found -> 'station' -> 'ranks' @> '0' OR NOT found -> 'region' -> 'ranks' @> '0' THEN 'station'
  ELSE 'region'
END;
COMMENT ON FUNCTION search_meaning(jsonb, text)
IS 'Selects the meaning of a name: brand, region or station; 강남 is the 구, 강남역, 신촌 and 서면 are stations.';

-- A station has a row for each of its lines. Lists of foreign names cover only some of these rows.
CREATE OR REPLACE FUNCTION station_lines(stations bigint []) RETURNS bigint []
LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
DECLARE
  names text[] := ARRAY(SELECT DISTINCT jamo(s.name) FROM stations AS s WHERE s.id = ANY (station_lines.stations));
BEGIN
  RETURN ARRAY(
    SELECT o.id FROM (SELECT t.* FROM unnest(names) AS n INNER JOIN stations AS t ON station_terms(t.name, t.name_en) @> ARRAY[n] OFFSET 0) AS o
    WHERE EXISTS (SELECT FROM stations AS s WHERE s.id = ANY (station_lines.stations) AND s.name = o.name AND ST_DWithin(o.geog, s.geog, 1000))
    ORDER BY 1);
END $$;
COMMENT ON FUNCTION station_lines(bigint []) IS 'The stations with all rows of their names within 1 km.';

CREATE OR REPLACE FUNCTION search_resolve(
  pieces jsonb,
  OUT brands bigint [], OUT regions bigint [], OUT stations bigint [], OUT branch text [], OUT rest text [],
  OUT impossible boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  on_line bigint[];
  word text;
BEGIN
  SELECT array_agg(DISTINCT f ORDER BY f) INTO brands
  FROM jsonb_array_elements(pieces) x CROSS JOIN jsonb_array_elements_text(x -> 'found' -> 'brand' -> 'ids') i
  CROSS JOIN unnest(brand_family(i::bigint)) f WHERE x ->> 'means' = 'brand';

  SELECT regions_within_each_other(array_agg((x ->> 'at')::int), array_agg(i.id::bigint), array_agg(r.rank::int)),
    count(*) > 0
  INTO regions, impossible
  FROM jsonb_array_elements(pieces) x
  CROSS JOIN jsonb_array_elements_text(x -> 'found' -> 'region' -> 'ids') WITH ORDINALITY i (id, o)
  INNER JOIN LATERAL jsonb_array_elements_text(x -> 'found' -> 'region' -> 'ranks') WITH ORDINALITY r (rank, o) USING (o)
  WHERE x ->> 'means' = 'region';
  impossible := impossible AND regions IS NULL;

  SELECT array_agg(DISTINCT i::bigint ORDER BY i::bigint) INTO stations
  FROM jsonb_array_elements(pieces) x CROSS JOIN jsonb_array_elements_text(x -> 'found' -> 'station' -> 'ids') i
  WHERE x ->> 'means' = 'station';
  IF EXISTS (SELECT FROM jsonb_array_elements(pieces) x WHERE x ->> 'means' = 'station' AND x -> 'found' -> 'station' ->> 'spelling' IS NOT NULL) THEN
    stations := station_lines(stations);
  END IF;
  branch := ARRAY(
    SELECT normalize(x ->> 'korean', NFD) FROM jsonb_array_elements(pieces) x
    WHERE x ->> 'means' = 'station' AND brands IS NOT NULL ORDER BY (x ->> 'at')::int);
  rest := ARRAY(
    SELECT normalize(x ->> 'text', NFD) FROM jsonb_array_elements(pieces) x
    WHERE x ->> 'means' = 'rest' ORDER BY (x ->> 'at')::int);

  -- 강남역 2호선: a line only selects among the stations
  FOREACH word IN ARRAY CASE WHEN stations IS NULL THEN '{}' ELSE rest END LOOP
    on_line := ARRAY(SELECT s.id FROM stations s
      WHERE s.id = ANY (search_resolve.stations) AND length(word) > 1 AND strpos(jamo(s.line), word) > 0);
    CONTINUE WHEN on_line = '{}';
    stations := on_line;
    rest := array_remove(rest, word);
  END LOOP;
END $$;
COMMENT ON FUNCTION search_resolve(jsonb) IS 'The pieces of a keyword as ids and words.';

CREATE OR REPLACE FUNCTION spans_after(spans jsonb, place integer) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (
  SELECT coalesce(jsonb_agg(s || jsonb_build_object('first', (s ->> 'first')::int - place, 'past', (s ->> 'past')::int - place)), '[]')
  FROM jsonb_array_elements(spans) AS s WHERE (s ->> 'first')::int > place);
COMMENT ON FUNCTION spans_after(jsonb, integer) IS 'The spans of search_understand that begin after a position of the keyword, with positions counted from there.';

-- search_understand looks for names only in the first forty characters and sixteen words. If words of a longer keyword are left out,
-- later ones move into that range, so its spans would be incomplete.
CREATE OR REPLACE FUNCTION spans_in_words(spans jsonb, whole_words text [], words text []) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
#variable_conflict use_column
DECLARE
  whole constant text := left(array_to_string(whole_words, ''), 100);
  looked_for text;
  start integer;
  reached integer := 1;
  word_starts integer[] := ARRAY[]::integer[];
BEGIN
  IF cardinality(whole_words) > 12 OR whole ~ '([\u3041-\u9fff][^\u3041-\u9fff]*){40}' THEN
    RETURN NULL;
  END IF;
  FOREACH looked_for IN ARRAY words LOOP
    SELECT min(w.first) INTO start FROM (
      SELECT t.word, 1 + sum(length(t.word)) OVER (ORDER BY t.o) - length(t.word) FROM unnest(whole_words) WITH ORDINALITY AS t (word, o)) AS w (word, first)
    WHERE w.word = looked_for AND w.first >= reached;
    -- a part of a word; a name in Latin letters begins and ends with a word: hongdaephotobooth has none
    IF start IS NULL AND looked_for !~ '[a-z]' THEN
      start := reached - 1 + nullif(strpos(substr(whole, reached), looked_for), 0);
    END IF;
    IF start IS NULL OR start > length(whole) THEN
      RETURN NULL;
    END IF;
    word_starts := word_starts || start;
    reached := start + length(looked_for);
  END LOOP;
  RETURN (
    WITH parts AS (
      SELECT a.first, a.first + length(w.word) AS past, a.first - 1 - (sum(length(w.word)) OVER (ORDER BY w.o) - length(w.word))::integer AS left_out
      FROM unnest(words) WITH ORDINALITY AS w (word, o) INNER JOIN unnest(word_starts) WITH ORDINALITY AS a (first, o) USING (o)
    )
    SELECT coalesce(jsonb_agg(n.span || jsonb_build_object('first', n.first - h.left_out, 'past', n.past - h.left_out)), '[]')
    FROM (SELECT s, (s ->> 'first')::integer, (s ->> 'past')::integer FROM jsonb_array_elements(spans) AS s) AS n (span, first, past)
    INNER JOIN parts AS h ON n.first >= h.first AND n.first < h.past
    INNER JOIN parts AS t ON n.past > t.first AND n.past <= t.past
    WHERE h.first = t.first OR h.left_out = t.left_out AND n.first = h.first AND n.past = t.past);
END $$;
COMMENT ON FUNCTION spans_in_words(jsonb, text [], text [])
IS 'The spans that search_understand returned for whole_words, restricted to `words`, what is left of them: names within one of these or of several complete ones, with positions counted in `words`. Null if `words` are not parts of whole_words in the same order, or if whole_words are too long to have been searched completely.';

CREATE OR REPLACE FUNCTION reading_without(reading keyword_reading, unknown text []) RETURNS keyword_reading
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  word text;
BEGIN
  reading.understood := (
    SELECT coalesce(jsonb_agg(x ORDER BY o), '[]') FROM jsonb_array_elements(reading.understood) WITH ORDINALITY t (x, o)
    WHERE x ->> 'text' <> ALL (unknown));
  reading.names := CASE WHEN reading.branch <> '{}' THEN reading.names END;
  FOREACH word IN ARRAY unknown LOOP
    reading.rest := array_remove(reading.rest, normalize(word, NFD));
    reading.names := ARRAY(SELECT replace(n, normalize(word, NFD), '') FROM unnest(reading.names) n);
  END LOOP;
  reading.ignored := coalesce(reading.ignored, '{}') || unknown;
  RETURN reading;
END $$;
COMMENT ON FUNCTION reading_without(keyword_reading, text []) IS 'The reading of a keyword without some of its unknown words.';

CREATE OR REPLACE FUNCTION reading_with(reading keyword_reading, rest text []) RETURNS keyword_reading
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  reading.rest := ARRAY(SELECT normalize(w, NFD) FROM unnest(rest) WITH ORDINALITY AS t (w, o) ORDER BY o);
  reading.names := NULL;
  reading.understood := (
    SELECT jsonb_agg(x) FROM jsonb_array_elements(reading.understood) AS x WHERE x ->> 'kind' <> 'rest')
    || (SELECT jsonb_agg(jsonb_build_object('text', w, 'kind', 'rest', 'ids', '[]'::jsonb)) FROM unnest(rest) AS w);
  RETURN reading;
END $$;
COMMENT ON FUNCTION reading_with(keyword_reading, text []) IS 'The reading of a keyword with other words in place of its unknown ones.';

-- The normaliser decomposes syllables; people and names do not.
CREATE OR REPLACE FUNCTION composed(words text []) RETURNS text []
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(SELECT normalize(w, NFC) FROM unnest(words) WITH ORDINALITY AS t (w, i) ORDER BY i);
END $$;
COMMENT ON FUNCTION composed(text []) IS 'The words with whole syllables in place of their letters.';

CREATE OR REPLACE FUNCTION words_understood(understood jsonb) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(SELECT x ->> 'text' FROM jsonb_array_elements(understood) WITH ORDINALITY AS t (x, o) ORDER BY o);
END $$;
COMMENT ON FUNCTION words_understood(jsonb) IS 'The names and words of a reading, each as one word.';

CREATE OR REPLACE FUNCTION contains_any(word text, parts text []) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM unnest(parts) AS p WHERE strpos(word, p) > 0);
END $$;
COMMENT ON FUNCTION contains_any(text, text []) IS 'Whether a word contains one of the parts.';

CREATE OR REPLACE FUNCTION unknown_words(words text []) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN composed((search_understand(words, NULL)).rest);
END $$;
COMMENT ON FUNCTION unknown_words(text []) IS 'The words that are no name of the dictionaries, as they were written.';

CREATE OR REPLACE FUNCTION station_distances(regions bigint [], stations bigint [])
RETURNS TABLE (region bigint, station bigint, distance_m double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN QUERY
  SELECT r.id, s.id, ST_Distance(ST_ClosestPoint(r.boundary, s.geog::geometry)::geography, s.geog)
  FROM regions AS r CROSS JOIN stations AS s
  WHERE r.id = ANY (station_distances.regions) AND s.id = ANY (station_distances.stations) AND r.boundary IS NOT NULL;
END $$;
COMMENT ON FUNCTION station_distances(bigint [], bigint [])
IS 'The distance in metres of each station from each region with a boundary, to the corner or edge that is nearest in degrees; 0 within.';

CREATE OR REPLACE FUNCTION have_a_name_in_common(regions bigint [], stations bigint []) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM regions AS r INNER JOIN stations AS s
      ON jamo(s.name) = ANY (region_name_keys(r.name, r.level)) OR EXISTS (SELECT FROM region_aliases AS a WHERE a.region_id = r.id AND jamo(a.alias) = jamo(s.name))
    WHERE r.id = ANY (have_a_name_in_common.regions) AND s.id = ANY (have_a_name_in_common.stations));
END $$;
COMMENT ON FUNCTION have_a_name_in_common(bigint [], bigint []) IS 'Whether a region is called as a station in Korean.';

-- 송도 is 송도역 and, 4 km from it, 송도동; 동대문 is 동대문구 and 동대문역 outside of it. A region and a station that are far apart have the
-- same name by chance. Both are meant nevertheless if only the foreign spelling is the same: ハプチョン is 합정역 and 합천군.
CREATE OR REPLACE FUNCTION search_other_meaning(
  u keyword_reading, OUT other_regions bigint [], OUT other_stations bigint [], OUT other_understood jsonb
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  words constant text[] := words_understood(u.understood);
  o keyword_reading;
  meant jsonb;
BEGIN
  IF NOT EXISTS (
    SELECT FROM jsonb_array_elements(u.spans) AS a INNER JOIN jsonb_array_elements(u.spans) AS b
      ON a -> 'first' = b -> 'first' AND a -> 'past' = b -> 'past' AND a ->> 'kind' = 'region' AND b ->> 'kind' = 'station') THEN
    RETURN;
  END IF;
  o := search_understand(words, CASE WHEN u.stations IS NULL THEN 'station' ELSE 'region' END, u.spans);
  meant := (
    SELECT jsonb_agg(x) FROM jsonb_array_elements(o.understood) AS x
    WHERE NOT EXISTS (SELECT FROM jsonb_array_elements(u.understood) AS k WHERE k -> 'kind' = x -> 'kind' AND k -> 'text' = x -> 'text'));
  -- 서울 명동 are two regions, not two stations, and 수원 행궁동 is not 수원역
  IF jsonb_array_length(meant) <> 1 OR u.stations IS NULL AND NOT EXISTS (
    SELECT FROM jsonb_array_elements(u.understood) AS k
    WHERE k -> 'text' = meant -> 0 -> 'text' AND k -> 'ids' @> to_jsonb(u.regions)) THEN
    RETURN;
  END IF;
  IF u.stations IS NOT NULL AND o.stations IS NULL THEN
    other_regions := (
      SELECT CASE WHEN min(d.distance_m) > 100 THEN array_agg(d.region) FILTER (WHERE d.distance_m < 10000) END
      FROM station_distances(o.regions, u.stations) AS d WHERE NOT EXISTS (
        SELECT FROM regions AS r WHERE r.id = ANY (o.regions) AND (r.level <> 'dong' OR r.name ~ '(읍|면|리)$')));
  ELSIF u.stations IS NULL AND o.stations IS NOT NULL THEN
    other_stations := (
      SELECT CASE WHEN NOT have_a_name_in_common(u.regions, o.stations) THEN o.stations
        WHEN min(d.distance_m) > 100 THEN array_agg(DISTINCT d.station) FILTER (WHERE d.distance_m < 10000) END
      FROM station_distances(u.regions, o.stations) AS d);
    other_regions := CASE WHEN other_stations IS NOT NULL THEN o.regions END;
  END IF;
  other_understood := CASE WHEN num_nonnulls(other_regions, other_stations) > 0 THEN meant END;
END $$;
COMMENT ON FUNCTION search_other_meaning(keyword_reading)
IS 'The 동 or stations between 100 m and 10 km from the stations or regions with the same name, and stations with another name in Korean; nulls if there are none.';
