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
BEGIN
  IF abs(lat) + height < 89.9 THEN
    width := degrees(radius_m / (6378137 * cosd(abs(lat) + height)));
  END IF;
  IF width >= 180 THEN
    RETURN ARRAY[ST_MakeEnvelope(-180, lat - height, 180, lat + height, 4326)];
  ELSIF abs(lon) + width <= 180 THEN
    RETURN ARRAY[ST_MakeEnvelope(lon - width, lat - height, lon + width, lat + height, 4326)];
  END IF;
  lon := abs(lon);
  RETURN ARRAY(
    SELECT ST_MakeEnvelope(least(e.a * side, e.b * side), lat - height, greatest(e.a * side, e.b * side), lat + height, 4326)
    FROM (VALUES (lon - width, 180), (-180, lon + width - 360)) AS e (a, b)
    CROSS JOIN (SELECT sign(ST_X(center::geometry)) AS side) AS s);
END $$;
COMMENT ON FUNCTION boxes_of_circle(geography, double precision)
IS 'A box in degrees that holds the circle, or two when it crosses the 180th meridian.';

-- Exact, by branch and bound. The longest way changes by at most a metre per metre, which is the triangle inequality of
-- geodesic distances, and the sum by a metre per person.
-- 1. Any `needed` shops bound the effort of the best ones. The best of those nearest to the middle give a good bound; more
--    than are needed, because away from the middle the longest way grows slowly in some direction. They are taken by
--    degrees, because that order is exact in the index from any distance.
-- 2. The plane around the middle (azimuthal equidistant) is cut into squares. Its map to the spheroid lengthens nothing, as
--    the curvature is positive everywhere: no place of a square is farther from its centre than half its diagonal. A
--    square is dropped when least_effort_m() exceeds the bound or when it holds no shop. No place beyond the first square is
--    within the bound. Squares are cut until they hold few shops.
-- 3. The squares with the least bound are searched first; what is found lowers the bound for the rest. No way is shorter
--    than its chord, by which most shops are left out.
CREATE OR REPLACE FUNCTION best_to_meet(
  people geography [], by_sum boolean, brand_ids bigint [], filters shop_filters, needed integer, most_examined integer,
  OUT ids bigint [], OUT efforts_m double precision [], OUT truncated boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_memoize = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
DECLARE
  -- no place is farther away, and ST_Project takes no more
  farthest_m CONSTANT double precision := 20015000;
  few CONSTANT integer := 300;
  spots CONSTANT geometry := ST_Collect(ARRAY(SELECT spot_at(p) FROM unnest(people) AS p));
  middle geography := middle_of(people, by_sum);
  middle_lon double precision := ST_X(middle::geometry);
  middle_lat double precision := ST_Y(middle::geometry);
  bound_m double precision;
  reach_m double precision;
  half_m double precision;
  easts double precision[] := ARRAY[0]::double precision[];
  norths double precision[] := ARRAY[0]::double precision[];
  places geography[];
  radii_m double precision[];
  least_m double precision[];
  first integer := 1;
  last integer := 8;
  examined bigint := 0;
  more bigint;
BEGIN
  SELECT array_agg(e.id ORDER BY e.effort, e.id), array_agg(e.effort ORDER BY e.effort, e.id), max(e.effort), max(e.reach_m)
  INTO ids, efforts_m, bound_m, reach_m
  FROM (
    SELECT u.id, u.effort, max(ST_Distance(u.geog, middle)) OVER () AS reach_m
    FROM (
      SELECT DISTINCT ON (n.id) n.id, n.geog, effort_m(n.geog, people, by_sum) AS effort
      FROM (
        SELECT middle_lon AS lon
        UNION ALL
        SELECT middle_lon - 360 * sign(middle_lon) WHERE abs(middle_lon) > 150
      ) AS c
      CROSS JOIN LATERAL (
        SELECT t.id, t.geog
        FROM (
          SELECT s.id, s.geog, (brand_ids IS NULL OR s.brand_id = ANY (brand_ids)) AND (filters IS NULL OR shop_passes(s, filters)) AS passes
          FROM shops AS s WHERE s.status <> 'CLOSED'
          ORDER BY s.geog::geometry(POINT, 4326) <-> ST_SetSRID(ST_MakePoint(c.lon, middle_lat), 4326) LIMIT most_examined
        ) AS t
        WHERE t.passes
        LIMIT needed + 200
      ) AS n
    ) AS u
    ORDER BY u.effort, u.id LIMIT needed
  ) AS e;
  truncated := false;
  IF coalesce(cardinality(ids), 0) < needed OR needed = 0 THEN
    truncated := (SELECT count(*) FROM (SELECT FROM shops LIMIT most_examined + 1) AS s) > most_examined;
    RETURN;
  END IF;
  half_m := least(farthest_m, (bound_m + effort_m(middle, people, by_sum)) / CASE WHEN by_sum THEN cardinality(people) ELSE 1 END + 1);
  LOOP
    SELECT array_agg(q.east ORDER BY q.least_m), array_agg(q.north ORDER BY q.least_m), array_agg(q.place ORDER BY q.least_m),
      array_agg(q.radius_m ORDER BY q.least_m), array_agg(q.least_m ORDER BY q.least_m)
    INTO easts, norths, places, radii_m, least_m
    FROM (
      SELECT p.*, least_effort_m(p.place, p.radius_m, people, by_sum) AS least_m
      FROM (
        SELECT d.*, half_m * sqrt(2) + greatest(0, d.distance_m - farthest_m) AS radius_m,
          ST_Project(middle, least(d.distance_m, farthest_m), atan2(d.east, d.north)) AS place
        FROM (
          SELECT c.east, c.north, sqrt(c.east ^ 2 + c.north ^ 2) AS distance_m FROM unnest(easts, norths) AS c (east, north) OFFSET 0
        ) AS d
        WHERE d.distance_m - half_m * sqrt(2) <= farthest_m
        OFFSET 0
      ) AS p
      OFFSET 0
    ) AS q
    WHERE q.least_m <= bound_m + 0.001
      AND EXISTS (
        SELECT FROM unnest(boxes_of_circle(q.place, q.radius_m)) AS b (box)
        CROSS JOIN LATERAL (SELECT FROM shops AS s WHERE s.geog::geometry(POINT, 4326) && b.box) AS s);
    EXIT WHEN places IS NULL OR half_m <= 10 OR cardinality(places) > few;
    EXIT WHEN half_m < 4 * reach_m AND few > (
      SELECT count(*)
      FROM (
        SELECT FROM unnest(places, radii_m) AS c (place, radius_m)
        CROSS JOIN LATERAL unnest(boxes_of_circle(c.place, c.radius_m)) AS b (box)
        INNER JOIN shops AS s ON s.geog::geometry(POINT, 4326) && b.box
        LIMIT few
      ) AS f);
    half_m := half_m / 2;
    SELECT array_agg(c.east + half_m * t.x), array_agg(c.north + half_m * t.y) INTO easts, norths
    FROM unnest(easts, norths) AS c (east, north) CROSS JOIN (VALUES (-1, -1), (-1, 1), (1, -1), (1, 1)) AS t (x, y);
  END LOOP;
  WHILE first <= cardinality(places) AND least_m[first] <= bound_m + 0.001 AND NOT truncated LOOP
    WITH near AS MATERIALIZED (
      SELECT s.id, CASE WHEN (brand_ids IS NULL OR s.brand_id = ANY (brand_ids))
        AND (by_sum OR ST_3DMaxDistance(s.spot, spots) <= bound_m) AND (filters IS NULL OR shop_passes(s, filters)) THEN s.geog END AS geog
      FROM unnest(places[first:last], radii_m[first:last]) AS c (place, radius_m)
      CROSS JOIN LATERAL unnest(boxes_of_circle(c.place, c.radius_m + 0.001)) AS b (box)
      INNER JOIN shops AS s ON s.geog::geometry(POINT, 4326) && b.box AND s.status <> 'CLOSED'
      LIMIT most_examined - examined + 1
    )
    SELECT array_agg(f.id ORDER BY f.effort, f.id), array_agg(f.effort ORDER BY f.effort, f.id), max(f.effort), (SELECT count(*) FROM near)
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
    first := last + 1;
    last := last * 2;
  END LOOP;
END $$;
COMMENT ON FUNCTION best_to_meet IS 'The `needed` shops that pass and to which people have the least effort: ids and metres, exact unless truncated, which happens when more than most_examined shops had to be looked at.';

CREATE OR REPLACE FUNCTION shops_meet(people geography [], at_most integer DEFAULT 20, by_sum boolean DEFAULT false)
RETURNS TABLE (shop_id bigint, effort_m double precision, distances_m double precision [])
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT t.id, t.effort_m, ways_m(s.geog, people)
  FROM best_to_meet(people, by_sum, NULL, NULL, at_most, 1000000) AS b
  CROSS JOIN LATERAL unnest(b.ids, b.efforts_m) WITH ORDINALITY AS t (id, effort_m, place)
  INNER JOIN shops AS s ON s.id = t.id
  ORDER BY t.place
$$;
COMMENT ON FUNCTION shops_meet(geography [], integer, boolean)
IS 'Where people meet: the shops that are not closed with the shortest longest way of all, or with the least sum of ways, with the way of each person, in metres on the spheroid.';

CREATE OR REPLACE FUNCTION list_shops_meet(
  lons double precision [], lats double precision [], by_sum boolean, user_lon double precision, user_lat double precision,
  brand_ids bigint [], all_brands boolean, filters shop_filters, sort text, origin text,
  at_most integer, page_size integer, page_offset integer, lang text DEFAULT NULL,
  member bigint DEFAULT NULL, session bigint DEFAULT NULL, most_examined integer DEFAULT 20000
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
