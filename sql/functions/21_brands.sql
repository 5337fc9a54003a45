-- Brands for the searches. A sub-brand cannot have sub-brands (geoshops brands rejects them).

CREATE OR REPLACE FUNCTION brand_family(brand bigint) RETURNS bigint []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (SELECT array_agg(b.id ORDER BY b.id) FROM brands AS b WHERE brand IN (b.id, b.parent_id));
END $$;
COMMENT ON FUNCTION brand_family(bigint) IS 'The brand and all its sub-brands.';

CREATE OR REPLACE FUNCTION brand_named(wanted text) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT b.id FROM brands AS b WHERE b.name_key = name_key(wanted)
  UNION ALL
  SELECT a.brand_id FROM brand_aliases AS a WHERE a.alias_key = name_key(wanted)
  LIMIT 1;
END;
COMMENT ON FUNCTION brand_named(text) IS 'The brand with this name or alias; null if there is none.';

CREATE OR REPLACE VIEW default_brands AS
SELECT b.id
FROM brands AS b LEFT JOIN brands AS p ON p.id = b.parent_id
WHERE b.is_representative OR p.is_representative;
COMMENT ON VIEW default_brands IS 'The representative brands and their sub-brands, which map searches without a brand use';
COMMENT ON COLUMN default_brands.id IS 'Brand identifier';
