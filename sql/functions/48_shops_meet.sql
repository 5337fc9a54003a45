-- Meeting point: the shops to which several people have the shortest way, by the longest way of all or by their sum.

CREATE OR REPLACE FUNCTION ways_m(place geography, people geography []) RETURNS double precision []
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  person geography;
  ways double precision[] := ARRAY[]::double precision[];
BEGIN
  FOREACH person IN ARRAY people LOOP
    ways := ways || ST_Distance(place, person);
  END LOOP;
  RETURN ways;
END $$;
COMMENT ON FUNCTION ways_m(geography, geography []) IS 'The distance of every person from a place, on the spheroid.';

CREATE OR REPLACE FUNCTION effort_m(place geography, people geography [], by_sum boolean) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  person geography;
  way_m double precision;
  effort double precision := 0;
BEGIN
  FOREACH person IN ARRAY people LOOP
    way_m := ST_Distance(place, person);
    effort := CASE WHEN by_sum THEN effort + way_m ELSE greatest(effort, way_m) END;
  END LOOP;
  RETURN effort;
END $$;
COMMENT ON FUNCTION effort_m(geography, geography [], boolean) IS 'The longest way of all people to a place, or the sum of their ways, in metres.';

-- A descent with ever shorter steps, towards the farthest person or towards all. A search from any centre is exact; near
-- the best place it has few shops to look at.
CREATE OR REPLACE FUNCTION middle_of(people geography [], by_sum boolean) RETURNS geography
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  place geography := people[1];
  best geography := place;
  least_m double precision := effort_m(place, people, by_sum);
  step_m double precision := least(least_m / 2, 5000000);
  person geography;
  farthest geography;
  way_m double precision;
  effort double precision;
  east double precision;
  north double precision;
BEGIN
  LOOP
    effort := 0;
    east := 0;
    north := 0;
    FOREACH person IN ARRAY people LOOP
      way_m := ST_Distance(place, person);
      IF by_sum THEN
        effort := effort + way_m;
        east := east + coalesce(sin(ST_Azimuth(place, person)), 0);
        north := north + coalesce(cos(ST_Azimuth(place, person)), 0);
      ELSIF way_m > effort THEN
        effort := way_m;
        farthest := person;
      END IF;
    END LOOP;
    IF effort < least_m THEN
      least_m := effort;
      best := place;
    END IF;
    IF NOT by_sum AND effort > 0 THEN
      east := sin(ST_Azimuth(place, farthest));
      north := cos(ST_Azimuth(place, farthest));
    END IF;
    EXIT WHEN step_m < greatest(10, least_m / 1000) OR east ^ 2 + north ^ 2 < 1e-12;
    place := ST_Project(place, step_m, atan2(east, north));
    step_m := step_m * 0.9;
  END LOOP;
  RETURN best;
END $$;
COMMENT ON FUNCTION middle_of(geography [], boolean) IS 'A place to which people have about the least effort.';

-- Each distance is convex as far as a quarter of the way around the smallest sphere of curvature (9,985 km): there the sum
-- lies above its tangent plane, whose slope is the sum of the directions.
CREATE OR REPLACE FUNCTION least_effort_m(place geography, radius_m double precision, people geography [], by_sum boolean)
RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  person geography;
  way_m double precision;
  longest_m double precision := 0;
  sum_m double precision := 0;
  east double precision := 0;
  north double precision := 0;
BEGIN
  FOREACH person IN ARRAY people LOOP
    way_m := ST_Distance(place, person);
    longest_m := greatest(longest_m, way_m);
    IF by_sum THEN
      sum_m := sum_m + way_m;
      east := east + coalesce(sin(ST_Azimuth(place, person)), 0);
      north := north + coalesce(cos(ST_Azimuth(place, person)), 0);
    END IF;
  END LOOP;
  RETURN CASE
    WHEN NOT by_sum THEN longest_m - radius_m
    WHEN longest_m + radius_m < 9985000 THEN sum_m - sqrt(east ^ 2 + north ^ 2) * radius_m
    ELSE sum_m - cardinality(people) * radius_m
  END;
END $$;
COMMENT ON FUNCTION least_effort_m(geography, double precision, geography [], boolean)
IS 'A lower bound of effort_m of all places within radius_m.';

-- A degree of latitude has at least 110,574 m. A way of radius_m stays between these latitudes, and a radian of longitude has
-- at least 6,378,137 m times the cosine of the highest of them.
CREATE OR REPLACE FUNCTION boxes_of_circle(center geography, radius_m double precision) RETURNS geometry []
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  lon double precision := ST_X(center::geometry);
  lat double precision := ST_Y(center::geometry);
  height double precision := radius_m / 110574;
  width double precision := 360;
  south double precision := greatest(-90, lat - height);
  north double precision := least(90, lat + height);
BEGIN
  IF abs(lat) + height < 89.9 THEN
    width := degrees(radius_m / (6378137 * cosd(abs(lat) + height)));
  END IF;
  IF width >= 180 THEN
    RETURN ARRAY[ST_MakeEnvelope(-180, south, 180, north, 4326)];
  ELSIF abs(lon) + width <= 180 THEN
    RETURN ARRAY[ST_MakeEnvelope(lon - width, south, lon + width, north, 4326)];
  END IF;
  lon := abs(lon);
  RETURN ARRAY(
    SELECT ST_MakeEnvelope(least(e.a * side, e.b * side), south, greatest(e.a * side, e.b * side), north, 4326)
    FROM (VALUES (lon - width, 180), (-180, lon + width - 360)) AS e (a, b)
    CROSS JOIN (SELECT sign(ST_X(center::geometry)) AS side) AS s);
END $$;
COMMENT ON FUNCTION boxes_of_circle(geography, double precision)
IS 'A box in degrees that holds the circle, or two when it crosses the 180th meridian.';

CREATE OR REPLACE FUNCTION quarters_of(box geometry) RETURNS geometry []
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  lon double precision := (ST_XMin(box) + ST_XMax(box)) / 2;
  lat double precision := (ST_YMin(box) + ST_YMax(box)) / 2;
BEGIN
  RETURN ARRAY[
    ST_MakeEnvelope(ST_XMin(box), ST_YMin(box), lon, lat, 4326), ST_MakeEnvelope(lon, ST_YMin(box), ST_XMax(box), lat, 4326),
    ST_MakeEnvelope(ST_XMin(box), lat, lon, ST_YMax(box), 4326), ST_MakeEnvelope(lon, lat, ST_XMax(box), ST_YMax(box), 4326)];
END $$;
COMMENT ON FUNCTION quarters_of(geometry) IS 'A box cut in the middle of both sides.';

-- Exact, by branch and bound. The longest way changes by at most a metre per metre, which is the triangle inequality of
-- geodesic distances, and the sum by a metre per person.
-- 1. The shops nearest to the middle are within reach_m of it, which bounds the effort of the best ones when enough of them
--    pass. They are taken by degrees, because that order is quick in the index; any shops would do.
-- 2. A box in degrees is dropped when least_effort_m() of the circle around it exceeds the bound. The first boxes hold every
--    place within the bound. A box with few shops is searched, which lowers the bound for the others; one with more is cut in
--    four, and so is the box around the middle, uncounted, while it is much larger than the circle of the nearest shops.
-- 3. Boxes are taken by their least effort, in steps of a thousandth of that of the middle, and the smallest of a step first:
--    where all places are equally good, the search must end somewhere before it cuts everything. The longer it takes, the
--    more boxes are taken at once and the more shops may be in one.
-- 4. No way is shorter than its chord, by which most shops are left out.
CREATE OR REPLACE FUNCTION best_to_meet(
  people geography [], by_sum boolean, brand_ids bigint [], filters shop_filters, needed integer, most_examined integer,
  OUT ids bigint [], OUT efforts_m double precision [], OUT truncated boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_memoize = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
DECLARE
  spots CONSTANT geometry := ST_Collect(ARRAY(SELECT spot_at(p) FROM unnest(people) AS p));
  middle CONSTANT geography := middle_of(people, by_sum);
  middle_m CONSTANT double precision := effort_m(middle, people, by_sum);
  grain_m CONSTANT double precision := greatest(1, middle_m / 1000);
  -- the effort grows by so many metres per metre
  slope CONSTANT integer := CASE WHEN by_sum THEN cardinality(people) ELSE 1 END;
  passing bigint;
  reach_m double precision;
  bound_m double precision := double precision 'infinity';
  boxes geometry[] := ARRAY[ST_MakeEnvelope(-180, -90, 180, 90, 4326)];
  bounds_m double precision[] := ARRAY[0]::double precision[];
  rounds integer := 0;
  taken integer;
  few integer;
  crowded geometry[];
  small geometry[];
  examined bigint := 0;
  more bigint;
BEGIN
  truncated := false;
  IF needed = 0 THEN
    RETURN;
  END IF;
  SELECT count(*) FILTER (WHERE n.passes), max(ST_Distance(n.geog, middle)) INTO passing, reach_m
  FROM (
    SELECT s.geog, (brand_ids IS NULL OR s.brand_id = ANY (brand_ids)) AND (filters IS NULL OR shop_passes(s, filters)) AS passes
    FROM shops AS s WHERE s.status <> 'CLOSED'
    ORDER BY s.geog::geometry(POINT, 4326) <-> middle::geometry LIMIT 200
  ) AS n;
  IF passing >= needed THEN
    bound_m := middle_m + slope * reach_m;
    boxes := boxes_of_circle(middle, (bound_m + middle_m) / slope + 1);
    bounds_m := array_fill(0::double precision, ARRAY[cardinality(boxes)]);
  END IF;
  WHILE boxes IS NOT NULL AND NOT truncated LOOP
    rounds := rounds + 1;
    taken := least(8 + rounds / 2, cardinality(boxes));
    few := 64 + needed / 4 + 5 * rounds;
    SELECT array_agg(t.box) FILTER (WHERE t.is_crowded), array_agg(t.box ORDER BY t.n) FILTER (WHERE NOT t.is_crowded)
    INTO crowded, small
    FROM (
      SELECT u.n, u.box, c.radius_m > 10 AND (
        c.radius_m > 4 * reach_m AND u.box && middle::geometry
        OR few < (SELECT count(*) FROM (SELECT FROM shops AS s WHERE s.geog::geometry(POINT, 4326) && u.box LIMIT few + 1) AS f)
      ) AS is_crowded
      FROM unnest(boxes[1:taken]) WITH ORDINALITY AS u (box, n)
      CROSS JOIN LATERAL circle_around(ARRAY[ST_XMin(u.box), ST_YMin(u.box), ST_XMax(u.box), ST_YMax(u.box)]) AS c
      OFFSET 0
    ) AS t;
    IF small IS NOT NULL THEN
      WITH near AS MATERIALIZED (
        SELECT s.id, CASE WHEN (brand_ids IS NULL OR s.brand_id = ANY (brand_ids))
          AND (by_sum OR ST_3DMaxDistance(s.spot, spots) <= bound_m + 0.001) AND (filters IS NULL OR shop_passes(s, filters)) THEN s.geog END AS geog
        FROM unnest(small) AS b (box)
        INNER JOIN shops AS s ON s.geog::geometry(POINT, 4326) && b.box AND s.status <> 'CLOSED'
        LIMIT most_examined - examined + 1
      )
      SELECT array_agg(f.id ORDER BY f.effort, f.id), array_agg(f.effort ORDER BY f.effort, f.id),
        least(bound_m, CASE WHEN count(*) = needed THEN max(f.effort) END), (SELECT count(*) FROM near)
      INTO ids, efforts_m, bound_m, more
      FROM (
        SELECT e.id, min(e.effort) AS effort
        FROM (
          SELECT k.id, k.effort FROM unnest(ids, efforts_m) AS k (id, effort)
          UNION ALL
          SELECT n.id, effort_m(n.geog, people, by_sum) FROM near AS n WHERE n.geog IS NOT NULL
        ) AS e
        GROUP BY e.id
        ORDER BY min(e.effort), e.id LIMIT needed
      ) AS f;
      examined := examined + more;
      truncated := examined > most_examined;
    END IF;
    SELECT array_agg(q.box ORDER BY q.place), array_agg(q.least_m ORDER BY q.place) INTO boxes, bounds_m
    FROM (
      SELECT o.*, row_number() OVER (ORDER BY floor(o.least_m / grain_m), ST_YMax(o.box) - ST_YMin(o.box), o.least_m) AS place
      FROM (
        SELECT r.box, r.least_m FROM unnest(boxes[taken + 1:], bounds_m[taken + 1:]) AS r (box, least_m)
        UNION ALL
        SELECT k.box, least_effort_m(c.center, c.radius_m, people, by_sum)
        FROM unnest(crowded) AS p (box)
        CROSS JOIN LATERAL unnest(quarters_of(p.box)) AS k (box)
        CROSS JOIN LATERAL circle_around(ARRAY[ST_XMin(k.box), ST_YMin(k.box), ST_XMax(k.box), ST_YMax(k.box)]) AS c
      ) AS o
      WHERE o.least_m <= bound_m + 0.001
    ) AS q;
  END LOOP;
END $$;
COMMENT ON FUNCTION best_to_meet IS 'The `needed` shops that pass and to which people have the least effort: ids and metres, exact unless truncated, which happens when more than most_examined shops had to be looked at.';

-- As the owner of the table, which analysts may not read (see shops_within).
CREATE OR REPLACE FUNCTION shops_meet(people geography [], at_most integer DEFAULT 20, by_sum boolean DEFAULT false)
RETURNS TABLE (shop_id bigint, effort_m double precision, distances_m double precision [])
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT t.id, t.effort_m, ways_m(s.geog, people)
  FROM best_to_meet(people, by_sum, NULL, NULL, at_most, 1000000) AS b
  CROSS JOIN LATERAL unnest(b.ids, b.efforts_m) WITH ORDINALITY AS t (id, effort_m, place)
  INNER JOIN shops AS s ON s.id = t.id
  ORDER BY t.place
$$;
COMMENT ON FUNCTION shops_meet(geography [], integer, boolean)
IS 'Where people meet: the shops that are not closed with the shortest longest way of all, or with the least sum of ways, with the way of each person, in metres on the spheroid.';
REVOKE ALL ON FUNCTION shops_meet(geography [], integer, boolean) FROM public;

CREATE OR REPLACE FUNCTION list_shops_meet(
  lons double precision [], lats double precision [], by_sum boolean, user_lon double precision, user_lat double precision,
  brand_ids bigint [], all_brands boolean, filters shop_filters, sort text, origin text,
  at_most integer, page_size integer, page_offset integer, lang text DEFAULT NULL,
  member bigint DEFAULT NULL, session bigint DEFAULT NULL, most_examined integer DEFAULT 15000
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  people geography[] := ARRAY(SELECT point_at(p.lon, p.lat) FROM unnest(lons, lats) WITH ORDINALITY AS p (lon, lat, n) ORDER BY p.n);
  wanted bigint[] := wanted_brands(brand_ids, all_brands);
  b record;
  total integer;
BEGIN
  IF session IS NOT NULL AND NOT session_is_live(session, member) THEN
    RETURN NULL;
  END IF;
  SELECT count(*) INTO total
  FROM (
    SELECT
    FROM (
      SELECT (wanted IS NULL OR s.brand_id = ANY (wanted)) AND (filters IS NULL OR shop_passes(s, filters)) AS passes
      FROM shops AS s WHERE s.status <> 'CLOSED' LIMIT most_examined
    ) AS t
    WHERE t.passes
    LIMIT at_most + 1
  ) AS q;
  SELECT * INTO b FROM best_to_meet(people, by_sum, wanted, filters,
    CASE sort WHEN 'distance' THEN least(page_offset + page_size, at_most) ELSE at_most END,
    -- each shop takes a way of each person
    most_examined * 3 / greatest(3, cardinality(people)));
  total := greatest(total, coalesce(cardinality(b.ids), 0));
  RETURN list_text(least(total, at_most), total > at_most OR b.truncated, shops_json(
    b.ids, b.efforts_m,
    ARRAY(
      SELECT ',"distances_m":[' || (SELECT string_agg(metres(w.m)::text, ',' ORDER BY w.n) FROM unnest(ways_m(s.geog, people)) WITH ORDINALITY AS w (m, n)) || ']'
      FROM unnest(b.ids) WITH ORDINALITY AS t (id, place) INNER JOIN shops AS s ON s.id = t.id ORDER BY t.place
    ),
    NULL, point_at(user_lon, user_lat), origin, member, sort, page_size, page_offset, lang));
END $$;
COMMENT ON FUNCTION list_shops_meet IS 'Shops of the brands (null: the representative ones, or all) that pass the filters and to which people have the least effort, at_most in all, as list_text with distances_m; by effort, or by rating, reviews or favorites. Null when the session is not live.';
