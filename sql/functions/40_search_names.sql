-- The dictionaries of the search: all names of regions, stations and brands, read from their tables.

CREATE OR REPLACE FUNCTION is_initials(letters text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN letters ~ '^[\u1100-\u115f]{2,}$';
COMMENT ON FUNCTION is_initials(text) IS 'True for two or more initial consonants and nothing else (ㅇㅅㄴㅋ).';

-- rank 0: the full name or its common short form; 1: a station without 역, or a 읍, 면 or 리 (서면); 2: a 읍면동 without its
-- suffix.
CREATE OR REPLACE FUNCTION region_rank(level text, name_en text, key text) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN CASE
    WHEN level <> 'dong' OR key = jamo(name_en) OR normalize(key, NFC) ~ '.(동|가)$' THEN 0
    WHEN normalize(key, NFC) ~ '.(읍|면|리)$' THEN 1
    ELSE 2 END;
END $$;
COMMENT ON FUNCTION region_rank(text, text, text) IS 'How well a name derived from a region''s own names identifies it: 0 is best, 1 a 읍, 면 or 리, 2 a 읍면동 without its suffix.';

CREATE OR REPLACE FUNCTION name_precedence(kind text, level text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN level LIKE '%sido' THEN 0
  WHEN kind = 'brand' THEN 1
  WHEN level LIKE '%sigungu' THEN 2
  WHEN kind = 'station' THEN 3
  ELSE 4 END;
COMMENT ON FUNCTION name_precedence(text, text)
IS 'Which of equally similar names is meant: a 시도, then a brand, a 시군구, a station, a 동; the level of a region may follow another word (short sido).';

-- Short names (고터), and universities near a station that has another name.
CREATE OR REPLACE FUNCTION station_nicknames() RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{
  "홍익대": "홍대입구", "건국대": "건대입구", "이화여대": "이대", "숙명여대": "숙대입구", "동국대": "동대입구", "한국외대": "외대앞", "외대": "외대앞",
  "한국외국어대": "외대앞", "연세대": "신촌", "연대": "신촌", "경희대": "회기", "중앙대": "흑석", "세종대": "어린이대공원", "고대": "고려대",
  "성대": "성균관대", "설입": "서울대입구", "홍입": "홍대입구", "건입": "건대입구", "숙입": "숙대입구", "고터": "고속터미널", "가디": "가산디지털단지",
  "구디": "구로디지털단지", "설대": "서울대입구", "설대입구": "서울대입구", "부대": "부산대", "영대": "영남대", "경성대": "경성대부경대", "부경대": "경성대부경대",
  "단국대": "죽전", "을입": "을지로입구", "힙지로": "을지로3가", "남터": "남부터미널", "어대": "어린이대공원", "구디단": "구로디지털단지",
  "가디단": "가산디지털단지", "종3": "종로3가", "을3": "을지로3가", "디엠씨": "디지털미디어시티", "dmc": "디지털미디어시티", "동역사": "동대문역사문화공원", "압로": "압구정로데오", "계대": "계명대",
  "디디피": "동대문역사문화공원", "ddp": "동대문역사문화공원", "롯월": "잠실", "송정": "광주송정", "동아대": "하단", "디큐브": "신도림", "디큐브시티": "신도림",
  "자갈치시장": "자갈치", "해운대해수욕장": "해운대", "해운대해변": "해운대", "순천향대": "신창"}'::jsonb;
COMMENT ON FUNCTION station_nicknames() IS 'Maps nicknames of stations to their names.';

-- If several regions have the name, that of the parent region precedes it: 완도군 청산면.
CREATE OR REPLACE FUNCTION sight_regions() RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{
  "강화도": ["강화군"], "교동도": ["교동면"], "영종도": ["영종동", "영종1동", "운서동"], "영흥도": ["영흥면"], "덕적도": ["덕적면"], "자월도": ["자월면"],
  "백령도": ["백령면"], "연평도": ["연평면"], "대부도": ["대부동"], "안면도": ["안면읍"], "울릉도": ["울릉군"], "거제도": ["거제시"], "남해도": ["남해군"],
  "욕지도": ["욕지면"], "한산도": ["통영시 한산면"], "돌산도": ["돌산읍"], "압해도": ["압해읍"], "흑산도": ["흑산면"], "임자도": ["임자면"], "비금도": ["비금면"],
  "도초도": ["도초면"], "안좌도": ["안좌면"], "보길도": ["보길면"], "노화도": ["노화읍"], "청산도": ["완도군 청산면"],
  "인천공항": ["운서동"], "인천국제공항": ["운서동"], "성산일출봉": ["성산읍"], "일출봉": ["성산읍"], "수원화성": ["행궁동"], "화성행궁": ["행궁동"], "서울대공원": ["과천시"], "유스퀘어": ["광천동"], "광천터미널": ["광천동"],
  "송도국제도시": ["송도1동", "송도2동", "송도3동", "송도4동", "송도5동"], "송도해수욕장": ["암남동"], "일산해수욕장": ["동구 일산동"],
  "남대문시장": ["중구 회현동"], "서촌": ["종로구 사직동", "청운효자동"], "카이스트": ["유성구 온천2동"], "한국과학기술원": ["유성구 온천2동"],
  "조선대": ["서남동"], "순천대": ["순천시 삼산동"], "안동대": ["용상동"], "목포대": ["무안군 청계면"], "군산대": ["군산시 나운3동"],
  "창원대": ["봉림동"], "내포신도시": ["홍북읍"], "남악신도시": ["삼향읍"], "인제대": ["활천동"], "울대": ["무거동"]}'::jsonb;
COMMENT ON FUNCTION sight_regions() IS 'Islands and sights with their regions.';

-- Without arguments, so that PostgreSQL evaluates it once a session where a statement contains it.
CREATE OR REPLACE FUNCTION nickname_beginnings() RETURNS text []
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT array_agg(DISTINCT left(k, 2)) FROM jsonb_object_keys(station_nicknames() || sight_regions()) AS k;
END;
COMMENT ON FUNCTION nickname_beginnings() IS 'The first two letters of station_nicknames() and sight_regions().';

CREATE OR REPLACE FUNCTION nickname_letters() RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT jsonb_object_agg(jamo(n.key), jamo(n.value)) FROM jsonb_each_text(station_nicknames()) AS n;
END;
COMMENT ON FUNCTION nickname_letters() IS 'The letters of the stations'' nicknames, and those of the names.';

-- 고려대학교 is 고려대, and 서울대학교 is 서울대입구.
CREATE OR REPLACE FUNCTION stations_called(name text) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  university constant text := regexp_replace(regexp_replace(name, '여자대학교$', '여대'), '대학교$', '대');
BEGIN
  RETURN CASE
    WHEN station_nicknames() ? university THEN ARRAY[station_nicknames() ->> university]
    WHEN university <> name THEN ARRAY[university, university || '입구'] END;
END $$;
COMMENT ON FUNCTION stations_called(text) IS 'The stations that people call by the name of a university (홍익대학교), or in short (고터); null if there are none.';

-- Applies to all lookups of terms: with the statistics of an empty dictionary, as before the first ANALYZE after a load, the planner
-- would compute the terms of every row instead of using the index.
CREATE OR REPLACE FUNCTION search_names(keys text [])
RETURNS TABLE (key text, kind text, id bigint, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT k, 'brand', b.id, 0
  FROM unnest(keys) AS k INNER JOIN brands AS b ON brand_terms(b.name) @> ARRAY[k]
  UNION ALL
  SELECT k, 'brand', a.brand_id, 0
  FROM unnest(keys) AS k INNER JOIN brand_aliases AS a ON alias_terms(a.alias) @> ARRAY[k]
  UNION ALL
  SELECT k, 'region', r.id, region_rank(r.level, r.name_en, k)
  FROM unnest(keys) AS k INNER JOIN regions AS r ON region_terms(r.name, r.name_en, r.level) @> ARRAY[k]
  -- thousands of 동 have two or three initials that are more often those of a name
  WHERE r.level <> 'dong' OR NOT is_initials(k)
  UNION ALL
  SELECT k, 'region', r.id, CASE WHEN r.level = 'dong' AND a.kind = 'short' THEN 2 ELSE 0 END
  FROM unnest(keys) AS k
  CROSS JOIN LATERAL (SELECT * FROM region_aliases WHERE alias_terms(alias) @> ARRAY[k] OFFSET 0) AS a
  INNER JOIN regions AS r ON r.id = a.region_id
  UNION ALL
  SELECT k, 'station', s.id, CASE WHEN k IN (jamo(s.name), jamo(s.name_en)) THEN 1 ELSE 0 END
  FROM unnest(keys) AS k INNER JOIN stations AS s ON station_terms(s.name, s.name_en) @> ARRAY[k]
  UNION ALL
  -- 홍대 and 홍대역 are 홍대입구; 숭실 and 숭실역 are 숭실대입구, but 서울 is not 서울대입구.
  SELECT e.key, 'station', s.id, e.rank
  FROM (
    SELECT n.key, n.name || u.ending AS entrance, n.rank, u.is_university
    FROM (
      SELECT k AS key, regexp_replace(k, normalize('역', NFD) || '$', '') AS name, (k !~ (normalize('역', NFD) || '$'))::int AS rank
      FROM unnest(keys) AS k WHERE length(normalize(k, NFC)) BETWEEN 2 AND 8 AND k ~ '^[\u1100-\u11ff]+$'
    ) AS n
    CROSS JOIN (VALUES (normalize('입구', NFD), false), (normalize('대입구', NFD), true)) AS u (ending, is_university)
    WHERE NOT u.is_university OR length(normalize(n.name, NFC)) BETWEEN 2 AND 4
  ) AS e INNER JOIN stations AS s ON station_terms(s.name, s.name_en) @> ARRAY[e.entrance]
  WHERE jamo(s.name) = e.entrance AND NOT (
    e.is_university AND (
      EXISTS (SELECT FROM stations AS o WHERE station_terms(o.name, o.name_en) @> ARRAY[e.key])
      OR EXISTS (SELECT FROM regions AS o WHERE region_terms(o.name, o.name_en, o.level) @> ARRAY[e.key])
      OR EXISTS (SELECT FROM region_aliases AS o WHERE alias_terms(o.alias) @> ARRAY[e.key])))
  UNION ALL
  SELECT c.key, 'station', s.id, c.rank
  FROM (
    SELECT k AS key, jamo(n.name) AS name, (normalize(k, NFC) !~ '역$')::int AS rank
    FROM unnest(keys) AS k CROSS JOIN LATERAL unnest(stations_called(regexp_replace(normalize(k, NFC), '역$', ''))) AS n (name)
  ) AS c INNER JOIN stations AS s ON station_terms(s.name, s.name_en) @> ARRAY[c.name] AND jamo(s.name) = c.name
  UNION ALL
  SELECT c.key, 'region', r.id, 0
  FROM (
    SELECT k AS key, regexp_replace(n.name, '^.* ', '') AS name, substring(n.name, '^(.*) ') AS above
    FROM unnest(keys) AS k CROSS JOIN LATERAL jsonb_array_elements_text(sight_regions() -> normalize(k, NFC)) AS n (name)
  ) AS c INNER JOIN regions AS r ON region_terms(r.name, r.name_en, r.level) @> ARRAY[jamo(c.name)]
  WHERE c.above IS NULL OR EXISTS (SELECT FROM regions AS p WHERE p.id = r.parent_id AND p.name = c.above);
END $$;
COMMENT ON FUNCTION search_names(text []) IS 'Brands, regions and stations of which a name has exactly the letters of a key.';

CREATE OR REPLACE FUNCTION known_terms(terms text []) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
BEGIN
  RETURN ARRAY(
    SELECT t FROM unnest(terms) AS t
    WHERE EXISTS (SELECT FROM brands AS b WHERE brand_terms(b.name) @> ARRAY[t])
      OR EXISTS (SELECT FROM brand_aliases AS a WHERE alias_terms(a.alias) @> ARRAY[t])
      OR EXISTS (SELECT FROM regions AS r WHERE region_terms(r.name, r.name_en, r.level) @> ARRAY[t])
      OR EXISTS (SELECT FROM region_aliases AS a WHERE alias_terms(a.alias) @> ARRAY[t])
      OR EXISTS (SELECT FROM stations AS s WHERE station_terms(s.name, s.name_en) @> ARRAY[t])
  );
END $$;
COMMENT ON FUNCTION known_terms(text []) IS 'Those of the terms that a row of the dictionaries has.';
