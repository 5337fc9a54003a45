-- Which region an address or a position means.

-- In PL/pgSQL so that the key is made once: inlined it would be made for every region compared.
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
IS 'The one region of a level with this name or alias, within a parent unless that is null; null when none or several.';

CREATE OR REPLACE FUNCTION is_region_word(word text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  key text := name_key(word);
BEGIN
  RETURN EXISTS (SELECT FROM regions r WHERE r.level <> 'dong' AND (r.name_key = key OR r.level = 'sigungu' AND starts_with(r.name_key, key)))
    OR EXISTS (SELECT FROM region_aliases a WHERE a.alias_key = key);
END $$;
COMMENT ON FUNCTION is_region_word(text) IS 'True when an address that begins with this word may name a region.';

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
      -- 세종특별자치시 has no districts: where there is only one, the address need not name it
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
IS 'The regions that the words of an address name, old and short names included; null where it names none.';

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
COMMENT ON FUNCTION region_of_point(geometry) IS 'The regions whose boundaries hold a point; null where none is loaded.';

CREATE OR REPLACE FUNCTION region_of(
  address text, geog geography, OUT sido_id bigint, OUT sigungu_id bigint, OUT dong_id bigint
)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT
    coalesce(p.sido_id, a.sido_id),
    coalesce(p.sigungu_id, CASE WHEN a.sido_id = coalesce(p.sido_id, a.sido_id) THEN a.sigungu_id END),
    coalesce(p.dong_id, CASE WHEN a.sigungu_id = coalesce(p.sigungu_id, a.sigungu_id) AND a.sido_id = coalesce(p.sido_id, a.sido_id) THEN a.dong_id END)
  FROM public.region_of_point(geog::public.geometry) p, public.region_of_address(address) a
$$;
COMMENT ON FUNCTION region_of(text, geography)
IS 'The regions of a shop: by boundary where one is loaded, else by the words of the address.';
