-- Possible duplicates of shops. They are only listed; an operator decides whether to merge them.

CREATE OR REPLACE FUNCTION duplicate_shops(
  of_shops bigint [] DEFAULT NULL, within_m double precision DEFAULT 50, least_similarity real DEFAULT 0.4
) RETURNS TABLE (
  shop_id bigint, place_name text, other_id bigint, other_name text, distance_m double precision, similarity real
)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT DISTINCT ON (least(a.id, b.id), greatest(a.id, b.id))
    least(a.id, b.id), CASE WHEN a.id < b.id THEN a.place_name ELSE b.place_name END,
    greatest(a.id, b.id), CASE WHEN a.id < b.id THEN b.place_name ELSE a.place_name END,
    ST_Distance(a.geog, b.geog), similarity(name_key(a.place_name), name_key(b.place_name))
  FROM shops a
  JOIN shops b ON ST_DWithin(a.geog, b.geog, within_m) AND b.id <> a.id
  WHERE (of_shops IS NULL AND a.id < b.id OR a.id = ANY (of_shops))
    AND a.status <> 'CLOSED' AND b.status <> 'CLOSED'
    AND a.brand_id IS NOT DISTINCT FROM b.brand_id
    AND similarity(name_key(a.place_name), name_key(b.place_name)) >= least_similarity
    AND NOT EXISTS (
      SELECT FROM audit_log l
      WHERE l.subject = 'shop' AND l.action = 'keep-apart' AND l.subject_id = least(a.id, b.id)
        AND (l.detail ->> 'other')::bigint = greatest(a.id, b.id))
  ORDER BY least(a.id, b.id), greatest(a.id, b.id)
$$;
COMMENT ON FUNCTION duplicate_shops(bigint [], double precision, real)
IS 'Pairs of nearby shops with the same brand and similar names (trigrams), except those that an operator keeps apart; only of these shops, or of all if null.';
