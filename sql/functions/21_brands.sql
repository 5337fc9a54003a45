-- Brands as the searches need them.

CREATE OR REPLACE FUNCTION brand_family(brand bigint) RETURNS bigint []
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  WITH RECURSIVE family AS (
    SELECT b.id FROM brands AS b WHERE b.id = brand
    UNION
    SELECT c.id FROM brands AS c INNER JOIN family AS f ON c.parent_id = f.id
  )
  SELECT array_agg(f.id ORDER BY f.id) FROM family AS f;
END;
COMMENT ON FUNCTION brand_family(bigint) IS 'The brand and all its sub-brands.';

CREATE OR REPLACE FUNCTION brand_named(wanted text) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT b.id FROM brands AS b WHERE b.name_key = name_key(wanted)
  UNION ALL
  SELECT a.brand_id FROM brand_aliases AS a WHERE a.alias_key = name_key(wanted)
  LIMIT 1;
END;
COMMENT ON FUNCTION brand_named(text) IS 'The brand that a name or an alias means; null when none.';

CREATE OR REPLACE FUNCTION representative_brands() RETURNS bigint []
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  WITH RECURSIVE family AS (
    SELECT b.id FROM brands AS b WHERE b.is_representative
    UNION
    SELECT c.id FROM brands AS c INNER JOIN family AS f ON c.parent_id = f.id
  )
  SELECT coalesce(array_agg(f.id ORDER BY f.id), '{}') FROM family AS f;
END;
COMMENT ON FUNCTION representative_brands() IS 'The representative brands and all their sub-brands.';
