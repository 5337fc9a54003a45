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
COMMENT ON FUNCTION region_rank(text, text, text) IS 'How well a name that follows from its row tells a region.';

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
      OR EXISTS (SELECT FROM region_aliases AS o WHERE alias_terms(o.alias) @> ARRAY[e.key])));
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
