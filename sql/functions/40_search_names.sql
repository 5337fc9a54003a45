-- The dictionaries of the search: regions, stations and brands under all their names, straight from their tables.

CREATE OR REPLACE FUNCTION is_initials(letters text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN letters ~ '^[\u1100-\u115f]{2,}$';
COMMENT ON FUNCTION is_initials(text) IS 'True for two or more initial consonants and nothing else (ㅇㅅㄴㅋ).';

-- rank 0 is a name in full or in its usual short form, 1 a station without 역 and a 읍, 면 or 리 (서면), 2 a 읍면동 without
-- its ending.
CREATE OR REPLACE FUNCTION search_names(keys text [])
RETURNS TABLE (key text, kind text, id bigint, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT k, 'brand', b.id, 0 FROM unnest(keys) AS k INNER JOIN brands AS b ON jamo(b.name) COLLATE "C" = k
  UNION ALL
  SELECT k, 'brand', a.brand_id, 0 FROM unnest(keys) AS k INNER JOIN brand_aliases AS a ON jamo(a.alias) COLLATE "C" = k
  UNION ALL
  SELECT k, 'brand', b.id, 0 FROM unnest(keys) AS k
  INNER JOIN brands AS b ON jamo_initials(jamo(b.name)) COLLATE "C" = k WHERE is_initials(k)
  UNION ALL
  SELECT k, 'region', r.id,
    CASE WHEN r.level <> 'dong' OR normalize(k, NFC) ~ '.(동|가)$' THEN 0
      WHEN normalize(k, NFC) ~ '.(읍|면|리)$' THEN 1 ELSE 2 END
  FROM regions AS r CROSS JOIN LATERAL unnest(region_name_keys(r.name, r.level)) AS k
  WHERE region_name_keys(r.name, r.level) && keys AND k = ANY (keys)
  UNION ALL
  SELECT k, 'region', r.id, CASE WHEN r.level = 'dong' AND a.kind = 'short' THEN 2 ELSE 0 END
  FROM unnest(keys) AS k INNER JOIN region_aliases AS a ON jamo(a.alias) COLLATE "C" = k
  INNER JOIN regions AS r ON r.id = a.region_id
  UNION ALL
  SELECT k, 'region', r.id, 0 FROM unnest(keys) AS k
  INNER JOIN regions AS r ON jamo(r.name_en) COLLATE "C" = k WHERE r.name_en <> ''
  UNION ALL
  SELECT k, 'region', r.id, CASE WHEN r.level = 'dong' THEN 2 ELSE 0 END FROM unnest(keys) AS k
  INNER JOIN regions AS r ON jamo_initials(jamo(r.name)) COLLATE "C" = k WHERE is_initials(k)
  UNION ALL
  SELECT k, 'station', s.id, CASE WHEN k = jamo(s.name) THEN 1 ELSE 0 END FROM unnest(keys) AS k
  INNER JOIN stations AS s ON jamo(s.name) COLLATE "C" IN (k, regexp_replace(k, normalize('(.)역$', NFD), '\1'))
  UNION ALL
  SELECT k, 'station', s.id, 1 FROM unnest(keys) AS k
  INNER JOIN stations AS s ON jamo(s.name_en) COLLATE "C" = k WHERE s.name_en <> '';
END $$;
COMMENT ON FUNCTION search_names(text []) IS 'Brands, regions and stations of which a name has exactly the letters of a key.';
