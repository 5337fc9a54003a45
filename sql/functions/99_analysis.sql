-- Functions shared by the analysis scripts: parameter checks, name lookups, a distribution. They only read views, with the
-- privileges of the caller.

CREATE OR REPLACE FUNCTION positive(parameter text, value text) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  number double precision;
BEGIN
  IF value !~ '^[0-9]{0,12}([.][0-9]{1,9})?$' OR value IN ('', '.') THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
      MESSAGE = format('parameter %s must be a number above 0, not %L', parameter, value);
  END IF;
  number := value::double precision;
  IF number <= 0 THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
      MESSAGE = format('parameter %s must be above 0', parameter);
  END IF;
  -- below a centimetre, grid numbers overflow; above 2000 km, no plane projection is accurate
  IF parameter ~ '_m$' AND number NOT BETWEEN 0.01 AND 2000000 THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
      MESSAGE = format('parameter %s must be metres from 0.01 to 2000000, not %L', parameter, value);
  END IF;
  RETURN number;
END
$$;
COMMENT ON FUNCTION positive(text, text)
IS 'The value of a parameter as a number above 0; metres (names ending in _m) are limited to the extent of a plane projection; errors name the parameter';

-- Immutable, as ST_Transform is: spatial_ref_sys does not change during a query.
CREATE OR REPLACE FUNCTION metric_plane(parameter text, value text) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  -- excludes Web Mercator (the one with @null), whose metres are a quarter too long in Korea and twice too long in Oslo
  IF value ~ '^[0-9]{1,6}$' AND EXISTS (
    SELECT FROM spatial_ref_sys AS p
    WHERE p.srid = value::integer AND p.proj4text ~ '[+]units=m\M' AND p.proj4text !~ '[+]proj=geocent|nadgrids=@null'
  ) THEN
    RETURN value::integer;
  END IF;
  RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
    MESSAGE = format('parameter %s must be the EPSG number of a plane in metres, not %L', parameter, value),
    HINT = '5179 suits all of Korea, 32601 to 32660 are the northern UTM zones.';
END
$$;
COMMENT ON FUNCTION metric_plane(text, text)
IS 'The number of a projected reference system in metres: not in degrees or feet, and not Web Mercator; errors name the parameter';

CREATE OR REPLACE FUNCTION one_of(parameter text, value text, allowed text []) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  IF value = ANY (allowed) THEN
    RETURN value;
  END IF;
  RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
    MESSAGE = format('parameter %s must be one of %s, not %L', parameter, array_to_string(allowed, ', '), value);
END
$$;
COMMENT ON FUNCTION one_of(text, text, text []) IS 'The value of a parameter with a list of allowed values, which errors name';

CREATE OR REPLACE FUNCTION month_of(parameter text, value text) RETURNS date
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  -- to_date parses -1 as a year BC, from which a series of months would be practically endless
  IF value ~ '^(19|20)[0-9]{2}-(0[1-9]|1[0-2])$' THEN
    RETURN (value || '-01')::date;
  END IF;
  RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
    MESSAGE = format('parameter %s must be a month of 1900 to 2099 as YYYY-MM, not %L', parameter, value);
END
$$;
COMMENT ON FUNCTION month_of(text, text) IS 'The first day of the month in a parameter; errors name the parameter';

CREATE OR REPLACE FUNCTION find_brand(wanted text) RETURNS bigint []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  found bigint [];
BEGIN
  IF is_blank(wanted) THEN
    RETURN NULL;
  END IF;
  SELECT array_agg(b.id) INTO found
  FROM v_brand AS m
  INNER JOIN v_brand AS b ON m.id IN (b.id, b.parent_id)
  WHERE name_key(wanted) = name_key(m.brand)
    OR name_key(wanted) IN (SELECT name_key(a) FROM unnest(m.aliases) AS a);
  IF found IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'no_data_found',
      MESSAGE = format('unknown brand %L', wanted), HINT = 'SELECT brand, aliases FROM v_brand lists them.';
  END IF;
  RETURN found;
END
$$;
COMMENT ON FUNCTION find_brand(text)
IS 'Identifiers of the brand with this name or alias and of its sub-brands; null (all shops) for a blank name';

CREATE OR REPLACE FUNCTION find_region(wanted text, OUT region_id bigint, OUT region_code text, OUT region text)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  named text [];
BEGIN
  IF is_blank(wanted) THEN
    RETURN;
  END IF;
  -- If regions of several levels share a name, the largest one is meant.
  WITH hit AS (
    SELECT r.id, r.code, r.full_name,
      rank() OVER (ORDER BY array_position(ARRAY['sido', 'sigungu', 'dong'], r.level)) AS place
    FROM v_region AS r
    WHERE r.code = btrim(wanted)
      OR name_key(wanted) IN (name_key(r.name), name_key(r.full_name), name_key(r.name_en))
      OR name_key(wanted) IN (SELECT name_key(a) FROM unnest(r.aliases) AS a)
  )
  SELECT min(h.id), min(h.code), min(h.full_name), array_agg(h.full_name ORDER BY h.full_name)
  INTO region_id, region_code, region, named
  FROM hit AS h
  WHERE h.place = 1;
  IF region_id IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'no_data_found',
      MESSAGE = format('unknown region %L', wanted), HINT = 'SELECT full_name, code FROM v_region lists them.';
  ELSIF cardinality(named) > 1 THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
      MESSAGE = format('%s regions have the name %L', cardinality(named), wanted),
      HINT = 'Use the full name or the code: ' || array_to_string(named, ', ');
  END IF;
END
$$;
COMMENT ON FUNCTION find_region(text)
IS 'The region with this name, full name, alias or code; nulls (the whole country) for a blank name';

-- SQLSTATEs of missing data, for the notes of charts: GS001 boundaries, GS002 a hull in place of a boundary, GS003
-- population.
CREATE OR REPLACE FUNCTION need_boundaries(levels text [], wanted bigint) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  known bigint;
  bounded bigint;
  load_them text := 'Load those of Korean districts with `.venv/bin/geoshops import boundaries`, others with'
    ' `.venv/bin/geoshops import regions FILE`.';
BEGIN
  SELECT count(*), count(r.geom) INTO known, bounded
  FROM v_region AS r
  LEFT JOIN v_region AS p ON p.id = r.parent_id
  WHERE r.level = ANY (levels) AND (wanted IS NULL OR wanted IN (r.id, r.parent_id, p.parent_id));
  IF bounded = 0 THEN
    RAISE EXCEPTION USING ERRCODE = 'GS001',
      MESSAGE = format('no boundary of level %s is loaded in this region', array_to_string(levels, ' or ')), HINT = load_them;
  ELSIF bounded < known THEN
    RAISE WARNING USING ERRCODE = 'GS001',
      MESSAGE = format('%s of %s regions have no boundary and are excluded', known - bounded, known), HINT = load_them;
  END IF;
  RETURN true;
END
$$;
COMMENT ON FUNCTION need_boundaries(text [], bigint)
IS 'Always true; raises an error if no region of these levels within the region (null: anywhere) has a boundary, and a warning if some have none';

CREATE OR REPLACE FUNCTION has_population(missing text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  IF EXISTS (SELECT FROM v_population) THEN
    RETURN true;
  END IF;
  RAISE WARNING USING ERRCODE = 'GS003',
    MESSAGE = format('no population is loaded: %s is null', missing),
    HINT = 'Load population by cell or area with `.venv/bin/geoshops import population FILE --source NAME`.';
  RETURN false;
END
$$;
COMMENT ON FUNCTION has_population(text) IS 'Whether population is loaded; a warning names the column that is null without it';

CREATE OR REPLACE FUNCTION study_area(
  wanted text, OUT region_id bigint, OUT region_code text, OUT region text, OUT is_boundary boolean, OUT geom geometry
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  SELECT f.* INTO region_id, region_code, region FROM find_region(wanted) AS f;
  SELECT ST_Union(r.geom) INTO geom
  FROM v_region AS r
  WHERE CASE WHEN study_area.region_id IS NULL THEN r.level = 'sido' ELSE r.id = study_area.region_id END;
  is_boundary := geom IS NOT NULL;
  IF NOT is_boundary THEN
    SELECT ST_Buffer(ST_ConvexHull(ST_Collect(s.geom))::geography, 1000)::geometry INTO geom
    FROM v_shop_open AS s
    WHERE study_area.region_id IS NULL OR study_area.region_id IN (s.sido_id, s.sigungu_id, s.dong_id);
    RAISE WARNING USING ERRCODE = 'GS002',
      MESSAGE = format('no boundary of %s is loaded: the hull of its shops plus 1 km is used instead', coalesce(region, 'the country')),
      HINT = 'Load those of Korean districts with `.venv/bin/geoshops import boundaries`, others with'
      ' `.venv/bin/geoshops import regions FILE`.';
  END IF;
END
$$;
COMMENT ON FUNCTION study_area(text)
IS 'find_region with its boundary in degrees; if none is loaded, the hull of its shops plus 1 km, with is_boundary false and a warning';

CREATE OR REPLACE FUNCTION normal_two_sided_p(z double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (
  SELECT t * exp(
    -x * x - 1.26551223 + t * (1.00002368 + t * (0.37409196 + t * (0.09678418 + t * (-0.18628806 + t * (
      0.27886807 + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277))))))))
  )
  FROM (SELECT least(abs(z), 50) / sqrt(2::double precision)) AS a (x), LATERAL (SELECT 1 / (1 + x / 2)) AS b (t)
);
COMMENT ON FUNCTION normal_two_sided_p(double precision)
IS 'Probability of a standard normal value at least as far from 0; erfc by Press et al., Numerical Recipes 6.2, within 1.2e-7 of its value';

-- The index orders by distance on the sphere, which exceeds the distance on the spheroid by at most 0.6 %. Usually its first
-- four shops are enough to determine the nearest one; otherwise all shops within that distance are compared.
CREATE OR REPLACE FUNCTION nearest_shop(place geography, brand_ids bigint []) RETURNS TABLE (id bigint, distance_m double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT n.id, n.distance_m
  FROM (
    SELECT
      (array_agg(q.id ORDER BY q.distance_m, q.id))[1] AS id,
      min(q.distance_m) AS distance_m,
      count(*) < 4 OR max(q.sphere_m) * 0.994 > min(q.distance_m) AS is_certain
    FROM (
      SELECT s.id, ST_Distance(s.geog, place) AS distance_m, s.geog <-> place AS sphere_m
      FROM v_shop_open AS s
      WHERE CASE WHEN brand_ids IS NULL THEN true ELSE s.brand_id = ANY (brand_ids) END
      ORDER BY s.geog <-> place
      LIMIT 4
    ) AS q
  ) AS f
  CROSS JOIN LATERAL (
    SELECT f.id, f.distance_m
    WHERE f.is_certain AND f.id IS NOT NULL
    UNION ALL (
      SELECT s.id, ST_Distance(s.geog, place) AS distance_m
      FROM v_shop_open AS s
      WHERE CASE WHEN brand_ids IS NULL THEN true ELSE s.brand_id = ANY (brand_ids) END
        AND NOT f.is_certain AND ST_DWithin(s.geog, place, f.distance_m + 0.001)
      ORDER BY distance_m, s.id
      LIMIT 1
    )
  ) AS n;
END
$$;
COMMENT ON FUNCTION nearest_shop(geography, bigint [])
IS 'The open shop of the brands (null: of any) that is nearest on the spheroid, and its distance in metres; no row if there is none';

-- The index orders by distance on the sphere. The nearest shop on the spheroid is at most as far away as the first of those.
CREATE OR REPLACE FUNCTION nearest_rival(place geography, own_brand text) RETURNS TABLE (id bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT n.id
  FROM (
    SELECT ST_Distance(o.geog, place) + 0.001 AS reach_m
    FROM v_shop_open AS o
    WHERE o.main_brand IS DISTINCT FROM own_brand
    ORDER BY o.geog <-> place
    LIMIT 1
  ) AS f
  CROSS JOIN LATERAL (
    SELECT o.id
    FROM v_shop_open AS o
    WHERE o.main_brand IS DISTINCT FROM own_brand AND ST_DWithin(o.geog, place, f.reach_m)
    ORDER BY ST_Distance(o.geog, place), o.id
    LIMIT 1
  ) AS n;
END
$$;
COMMENT ON FUNCTION nearest_rival(geography, text)
IS 'The open shop of another main brand that is nearest on the spheroid; no row if there is none';
