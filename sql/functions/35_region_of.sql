-- The region of an address or a position.

-- PL/pgSQL, so that the key is computed once; an inlined function would compute it for every region.
CREATE OR REPLACE FUNCTION region_named(wanted_level text, wanted_parent bigint, wanted text) RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  key text := name_key(wanted);
  ids bigint[];
BEGIN
  ids := ARRAY(
    SELECT r.id FROM regions r
    WHERE r.name_key = key AND r.level = wanted_level AND (wanted_parent IS NULL OR r.parent_id = wanted_parent)
    LIMIT 2);
  IF cardinality(ids) = 0 THEN
    ids := ARRAY(
      SELECT DISTINCT r.id FROM region_aliases a JOIN regions r ON r.id = a.region_id
      WHERE a.alias_key = key AND r.level = wanted_level AND (wanted_parent IS NULL OR r.parent_id = wanted_parent)
      LIMIT 2);
  END IF;
  RETURN CASE WHEN cardinality(ids) = 1 THEN ids[1] END;
END $$;
COMMENT ON FUNCTION region_named(text, bigint, text)
IS 'The region of a level with this name or alias, within a parent unless that is null; null if there is none or more than one.';

-- The name of a district may contain a blank (수원시 영통구), so the first word may be only part of it.
CREATE OR REPLACE FUNCTION region_words() RETURNS TABLE (key text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT r.name_key FROM regions AS r WHERE r.level = 'sido'
  UNION
  SELECT left(r.name_key, n) FROM regions AS r CROSS JOIN generate_series(1, length(r.name_key)) AS n WHERE r.level = 'sigungu'
  UNION
  SELECT a.alias_key FROM region_aliases AS a;
END;
COMMENT ON FUNCTION region_words() IS 'First words (name_key) of addresses that may name a region.';

-- Separate numbers do not name a region: 서울 강남구 역삼동 825-1 and 서울 강남구 역삼동 31 are in the same region.
CREATE OR REPLACE FUNCTION address_outline(address text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(address, '(?<![^[:space:](),-])[0-9]+', '0', 'g');
COMMENT ON FUNCTION address_outline(text)
IS 'The address without its numbers. Addresses with the same outline are in the same regions if addresses_have_outlines().';

CREATE OR REPLACE FUNCTION addresses_have_outlines() RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT NOT EXISTS (
    SELECT FROM regions AS r LEFT JOIN region_aliases AS a ON a.region_id = r.id
    CROSS JOIN LATERAL (VALUES (r.name_key), (a.alias_key)) AS n (key)
    WHERE n.key ~ '(^|[(),-])[0-9]' OR (r.level = 'sigungu' AND n.key ~ '[0-9]')
  );
END;
COMMENT ON FUNCTION addresses_have_outlines() IS 'Whether no region has a name that could be a separate number in an address.';

CREATE OR REPLACE FUNCTION region_of_address(
  address text, OUT sido_id bigint, OUT sigungu_id bigint, OUT dong_id bigint
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  words text[] := regexp_split_to_array(btrim(regexp_replace(address, '[(),[:space:]]+', ' ', 'g')), ' ');
  place integer := 1;
BEGIN
  sido_id := region_named('sido', NULL, words[1]);
  IF sido_id IS NOT NULL THEN
    place := 2;
  END IF;
  -- 수원시 영통구 is one region, with or without a blank
  sigungu_id := region_named('sigungu', sido_id, words[place] || words[place + 1]);
  IF sigungu_id IS NOT NULL THEN
    place := place + 2;
  ELSE
    sigungu_id := region_named('sigungu', sido_id, words[place]);
    IF sigungu_id IS NOT NULL THEN
      place := place + 1;
    ELSIF sido_id IS NOT NULL AND coalesce(words[place], '') !~ '[시군구]$' THEN
      -- 세종특별자치시 has no districts, so an address need not name its only one
      SELECT CASE WHEN count(*) = 1 THEN min(r.id) END INTO sigungu_id FROM regions r WHERE r.parent_id = sido_id;
    END IF;
  END IF;
  IF sigungu_id IS NULL THEN
    RETURN;
  END IF;
  SELECT r.parent_id INTO sido_id FROM regions r WHERE r.id = sigungu_id;
  IF EXISTS (SELECT FROM regions r WHERE r.parent_id = sigungu_id) THEN
    SELECT q.id INTO dong_id
    FROM (
      SELECT region_named('dong', sigungu_id, w.word) AS id, w.n
      FROM unnest(words[place:place + 8]) WITH ORDINALITY AS w (word, n)
    ) q
    WHERE q.id IS NOT NULL
    ORDER BY q.n LIMIT 1;
  END IF;
END $$;
COMMENT ON FUNCTION region_of_address(text)
IS 'The regions named by the words of an address, including old and short names; null for levels that it does not name.';

CREATE OR REPLACE FUNCTION region_of_point(
  point geometry, OUT sido_id bigint, OUT sigungu_id bigint, OUT dong_id bigint
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  SELECT min(p.region_id) FILTER (WHERE p.level = 'dong'),
    min(p.region_id) FILTER (WHERE p.level = 'sigungu'), min(p.region_id) FILTER (WHERE p.level = 'sido')
  INTO dong_id, sigungu_id, sido_id
  FROM region_parts p WHERE ST_Intersects(p.part, point);
  -- the deepest level decides: levels may come from different files
  IF dong_id IS NOT NULL THEN
    SELECT r.parent_id INTO sigungu_id FROM regions r WHERE r.id = dong_id;
  END IF;
  IF sigungu_id IS NOT NULL THEN
    SELECT r.parent_id INTO sido_id FROM regions r WHERE r.id = sigungu_id;
  END IF;
END $$;
COMMENT ON FUNCTION region_of_point(geometry) IS 'The regions whose boundaries contain a point; null if no boundary is loaded.';

-- Returns a table, so that it is inlined into queries for many shops.
CREATE OR REPLACE FUNCTION regions_agreed(
  p_sido_id bigint, p_sigungu_id bigint, p_dong_id bigint, a_sido_id bigint, a_sigungu_id bigint, a_dong_id bigint
) RETURNS TABLE (sido_id bigint, sigungu_id bigint, dong_id bigint)
LANGUAGE sql IMMUTABLE ROWS 1 PARALLEL SAFE AS $$
  SELECT
    coalesce(p_sido_id, a_sido_id),
    coalesce(p_sigungu_id, CASE WHEN a_sido_id = coalesce(p_sido_id, a_sido_id) THEN a_sigungu_id END),
    coalesce(p_dong_id, CASE WHEN a_sigungu_id = coalesce(p_sigungu_id, a_sigungu_id) AND a_sido_id = coalesce(p_sido_id, a_sido_id) THEN a_dong_id END)
$$;
COMMENT ON FUNCTION regions_agreed(bigint, bigint, bigint, bigint, bigint, bigint)
IS 'The regions of a point (p), completed on lower levels by those of an address (a) that do not contradict them.';

CREATE OR REPLACE FUNCTION region_of(
  address text, geog geography, OUT sido_id bigint, OUT sigungu_id bigint, OUT dong_id bigint
)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT f.*
  FROM public.region_of_point(geog::public.geometry) p, public.region_of_address(address) a,
    public.regions_agreed(p.sido_id, p.sigungu_id, p.dong_id, a.sido_id, a.sigungu_id, a.dong_id) f
$$;
COMMENT ON FUNCTION region_of(text, geography)
IS 'The regions of a shop: by boundary if one is loaded, else by the words of the address.';
