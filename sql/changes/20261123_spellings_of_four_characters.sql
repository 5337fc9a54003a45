-- squawk-ignore-file require-concurrent-reindex
-- Reindexed within the transaction: the dictionaries have a few thousand rows.
--
-- Names of four kana or Chinese characters are also found with one of them wrong or missing.
CREATE OR REPLACE FUNCTION spelling_terms(names text []) RETURNS text []
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $$
BEGIN
  RETURN ARRAY(
    WITH keys AS MATERIALIZED (SELECT DISTINCT public.spelling_key(s) AS k FROM unnest(public.spellings(names)) AS s WHERE public.spelling_key(s) <> '~')
    SELECT k FROM keys
    UNION
    SELECT 'begins ' || left(k, n) FROM keys CROSS JOIN LATERAL generate_series(CASE left(k, 1) WHEN '~' THEN 4 ELSE 2 END, least(length(k), 12)) AS n
    UNION
    SELECT 'less ' || l FROM keys CROSS JOIN LATERAL unnest(public.one_letter_less(k)) AS l
    WHERE length(k) BETWEEN CASE left(k, 1) WHEN '~' THEN 6 ELSE 5 END AND 41 AND left(l, 1) = left(k, 1)
  );
END $$;
REINDEX INDEX brands_spellings_idx;
REINDEX INDEX brand_aliases_spellings_idx;
REINDEX INDEX regions_spellings_idx;
REINDEX INDEX region_aliases_spellings_idx;
REINDEX INDEX stations_spellings_idx;
REINDEX INDEX station_aliases_spellings_idx;
