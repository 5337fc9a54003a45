-- Meeting point: the shops closest to several people, by the longest of their distances or by the sum.

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
COMMENT ON FUNCTION ways_m(geography, geography []) IS 'The distance between each person and a place, on the spheroid.';

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
COMMENT ON FUNCTION effort_m(geography, geography [], boolean) IS 'The longest distance between a person and a place, or the sum of all distances, in metres.';

-- A person at the place has no direction; the slope of 0 is one of those that the distance has there.
CREATE OR REPLACE FUNCTION tangent_at(
  place geography, people geography [], by_sum boolean,
  OUT effort_m double precision, OUT longest_m double precision, OUT east double precision, OUT north double precision,
  OUT east_east double precision, OUT east_north double precision, OUT north_north double precision
)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  person geography;
  farthest geography;
  way_m double precision;
  azimuth double precision;
BEGIN
  effort_m := 0;
  longest_m := 0;
  east := 0;
  north := 0;
  east_east := 0;
  east_north := 0;
  north_north := 0;
  FOREACH person IN ARRAY people LOOP
    way_m := ST_Distance(place, person);
    IF way_m > longest_m THEN
      longest_m := way_m;
      farthest := person;
    END IF;
    IF by_sum THEN
      effort_m := effort_m + way_m;
      azimuth := ST_Azimuth(place, person);
      east := east - coalesce(sin(azimuth), 0);
      north := north - coalesce(cos(azimuth), 0);
      east_east := east_east + coalesce(cos(azimuth) ^ 2 / nullif(way_m, 0), 0);
      east_north := east_north - coalesce(sin(azimuth) * cos(azimuth) / nullif(way_m, 0), 0);
      north_north := north_north + coalesce(sin(azimuth) ^ 2 / nullif(way_m, 0), 0);
    END IF;
  END LOOP;
  IF NOT by_sum AND farthest IS NOT NULL THEN
    effort_m := longest_m;
    azimuth := ST_Azimuth(place, farthest);
    east := -sin(azimuth);
    north := -cos(azimuth);
  END IF;
END $$;
COMMENT ON FUNCTION tangent_at(geography, geography [], boolean)
IS 'The effort of a place, its longest distance, by how many metres the effort increases per metre to the east and to the north and, of a sum on a plane, the derivatives of these per metre.';

-- A descent with decreasing steps; for a sum then Newton's method, because along the way between two groups it decreases slowly. The
-- search is exact from any centre, but examines the fewest shops from a centre near the best place.
CREATE OR REPLACE FUNCTION middle_of(people geography [], by_sum boolean) RETURNS geography
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  place geography := people[1];
  best geography := place;
  least_m double precision := effort_m(place, people, by_sum);
  step_m double precision := least(least_m / 2, 5000000);
  t record;
  determinant double precision;
  east_m double precision;
  north_m double precision;
BEGIN
  LOOP
    t := tangent_at(place, people, by_sum);
    IF t.effort_m < least_m THEN
      least_m := t.effort_m;
      best := place;
    END IF;
    EXIT WHEN step_m < greatest(10, least_m / 3000) OR t.east ^ 2 + t.north ^ 2 < 1e-12;
    place := ST_Project(place, step_m, atan2(-t.east, -t.north));
    step_m := step_m * 0.9;
  END LOOP;
  FOR i IN 1..20 LOOP
    t := tangent_at(best, people, true);
    determinant := t.east_east * t.north_north - t.east_north ^ 2;
    EXIT WHEN NOT by_sum OR determinant <= 1e-6 * t.east_east * t.north_north;
    east_m := (t.east_north * t.north - t.north_north * t.east) / determinant;
    north_m := (t.east_north * t.east - t.east_east * t.north) / determinant;
    step_m := least(100000, sqrt(east_m ^ 2 + north_m ^ 2));
    LOOP
      EXIT WHEN step_m < 1;
      place := ST_Project(best, step_m, atan2(east_m, north_m));
      EXIT WHEN effort_m(place, people, true) < t.effort_m;
      step_m := step_m / 4;
    END LOOP;
    EXIT WHEN step_m < 1;
    best := place;
  END LOOP;
  RETURN best;
END $$;
COMMENT ON FUNCTION middle_of(geography [], boolean) IS 'A place with approximately the least effort.';

-- Where each distance is convex, the sum is at least its tangent plane.
CREATE OR REPLACE FUNCTION least_effort_m(place geography, radius_m double precision, people geography [], by_sum boolean)
RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  t record;
BEGIN
  IF NOT by_sum THEN
    RETURN effort_m(place, people, false) - radius_m;
  END IF;
  t := tangent_at(place, people, true);
  RETURN t.effort_m - radius_m * CASE WHEN t.longest_m + radius_m < convex_within_m() THEN sqrt(t.east ^ 2 + t.north ^ 2) ELSE cardinality(people) END;
END $$;
COMMENT ON FUNCTION least_effort_m(geography, double precision, geography [], boolean)
IS 'A lower bound of effort_m for all places within radius_m.';

CREATE OR REPLACE FUNCTION quarters_of(box geometry) RETURNS geometry []
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  x CONSTANT double precision := (ST_XMin(box) + ST_XMax(box)) / 2;
  y CONSTANT double precision := (ST_YMin(box) + ST_YMax(box)) / 2;
  srid CONSTANT integer := ST_SRID(box);
BEGIN
  RETURN ARRAY[
    ST_MakeEnvelope(ST_XMin(box), ST_YMin(box), x, y, srid), ST_MakeEnvelope(x, ST_YMin(box), ST_XMax(box), y, srid),
    ST_MakeEnvelope(ST_XMin(box), y, x, ST_YMax(box), srid), ST_MakeEnvelope(x, y, ST_XMax(box), ST_YMax(box), srid)];
END $$;
COMMENT ON FUNCTION quarters_of(geometry) IS 'The box of a geometry, divided into four at the middle of its sides.';

-- If enough of the shops nearest to the middle pass, they give an upper bound of the effort of the best ones: their own effort if
-- that takes few distances to compute, else one derived from their distance. Nearest means in degrees, because the index supports
-- that order; any shops would give a valid bound. Without enable_sort = off, the planner would sort all shops, because a generic plan
-- does not know the limit.
CREATE OR REPLACE FUNCTION bound_around(
  middle geography, people geography [], by_sum boolean, brand_ids bigint [], filters shop_filters, needed integer,
  OUT reach_m double precision, OUT bound_m double precision
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
DECLARE
  is_exact CONSTANT boolean := by_sum AND needed * cardinality(people) <= 2000;
  bounds_m double precision[];
BEGIN
  SELECT max(n.way_m), array_agg(CASE WHEN is_exact THEN effort_m(n.geog, people, by_sum) ELSE n.way_m END) FILTER (WHERE n.passes)
  INTO reach_m, bounds_m
  FROM (
    SELECT s.geog, ST_Distance(s.geog, middle) AS way_m,
      is_wanted(s, brand_ids, filters) AS passes
    FROM shops AS s WHERE s.status <> 'CLOSED'
    ORDER BY s.geog::geometry(POINT, 4326) <-> middle::geometry LIMIT greatest(200, needed * 3 / 2)
  ) AS n;
  SELECT n.m INTO bound_m FROM unnest(bounds_m) AS n (m) ORDER BY n.m OFFSET needed - 1 LIMIT 1;
  IF NOT is_exact THEN
    -- the effort increases by at most 1 m per metre, the sum by 1 m per metre and person
    bound_m := effort_m(middle, people, by_sum) + bound_m * CASE WHEN by_sum THEN cardinality(people) ELSE 1 END;
  END IF;
  bound_m := coalesce(bound_m, double precision 'infinity');
END $$;
COMMENT ON FUNCTION bound_around IS 'The distance of the farthest of the shops nearest to a place, and an upper bound of the effort of the `needed` best shops that pass: infinite if fewer of the nearest pass.';

CREATE OR REPLACE FUNCTION keep_best(
  INOUT ids bigint [], INOUT efforts_m double precision [], bound_m double precision, needed integer
)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  SELECT array_agg(k.id ORDER BY k.effort_m, k.id), array_agg(k.effort_m ORDER BY k.effort_m, k.id) INTO ids, efforts_m
  FROM (
    SELECT u.id, min(u.effort_m) AS effort_m FROM unnest(ids, efforts_m) AS u (id, effort_m) WHERE u.effort_m <= bound_m
    GROUP BY u.id ORDER BY min(u.effort_m), u.id LIMIT needed
  ) AS k;
END $$;
COMMENT ON FUNCTION keep_best(bigint [], double precision [], double precision, integer)
IS 'The `needed` shops with the least effort within a bound, without duplicates, ordered by effort.';

-- If half of the people are at one place and half at another, all places on the geodesic between them have about the same sum.
-- Pair the people, one from each place: least_m is the sum of the distances between the two of each pair. If the sum for a shop
-- exceeds least_m by a surplus, the distances of no pair exceed the distance between the two by more than that surplus.
CREATE OR REPLACE FUNCTION opposite_people(
  people geography [], OUT one geography, OUT other geography, OUT least_m double precision
)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  half CONSTANT integer := cardinality(people) / 2;
  sorted CONSTANT geography[] := ARRAY(
    SELECT p.at FROM unnest(people) WITH ORDINALITY AS p (at, n) ORDER BY ST_Distance(p.at, people[1]), p.n);
BEGIN
  one := sorted[1];
  other := sorted[half + 1];
  IF cardinality(people) = 2 * half AND ST_Distance(one, other) / 1000 >= (
    SELECT max(greatest(ST_Distance(one, sorted[n]), ST_Distance(other, sorted[n + half]))) FROM generate_series(1, half) AS n
  ) THEN
    least_m := (SELECT sum(ST_Distance(sorted[n], sorted[n + half])) FROM generate_series(1, half) AS n);
  END IF;
END $$;
COMMENT ON FUNCTION opposite_people(geography [])
IS 'If half of the people are at one place and half at another, within a 300th of the distance between the places: one person of each half, and a lower bound of the sum of distances to any place; else null.';

-- Exact if it finds `needed` shops. A shop whose sum exceeds least_m by a surplus is within sqrt(2.2 x surplus + 2 surplus²) of
-- the geodesic between the two people, where x is the distance of the nearer person; on a plane, it is within
-- sqrt((x + surplus)² - x²). Distances on the spheroid are at least those on a sphere of its greatest curvature (6,356 km), for
-- which the factor is below 2.2 for distances of up to 5000 km and a surplus of up to a tenth of the distance.
-- The index is searched with the boxes of segments of the geodesic. The sums of shops near the segment's chord, which is up to
-- c²/8R below the surface, are compared, which lowers the surplus. A segment with more than `few` shops is divided into four.
-- The first surplus is slightly more than that of a good place (guess_m). The number of shops is proportional to its square root,
-- which gives the next surplus. If the strip becomes wide, best_by_sum() is more efficient.
CREATE OR REPLACE FUNCTION best_between(
  people geography [], guess_m double precision, brand_ids bigint [], filters shop_filters, needed integer, most_examined integer,
  OUT ids bigint [], OUT efforts_m double precision [], OUT truncated boolean, OUT examined bigint
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_memoize = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
DECLARE
  o record := opposite_people(people);
  way_m CONSTANT double precision := ST_Distance(o.one, o.other);
  azimuth CONSTANT double precision := ST_Azimuth(o.one, o.other);
  surplus_m double precision := guess_m - o.least_m + way_m / 10000000;
  step_m double precision;
  starts double precision[];
  few integer;
  more bigint;
BEGIN
  truncated := false;
  examined := 0;
  WHILE way_m BETWEEN 100 AND 5000000 AND surplus_m <= way_m / 30000 AND coalesce(cardinality(ids), 0) < needed AND NOT truncated LOOP
    step_m := way_m / 32;
    starts := ARRAY(SELECT n * step_m FROM generate_series(0, 31) AS n);
    WHILE starts <> '{}' AND NOT truncated LOOP
      few := CASE WHEN step_m < greatest(20, sqrt(way_m * surplus_m)) THEN most_examined ELSE 64 END;
      WITH segment AS MATERIALIZED (
        SELECT g.start_m, g.near_m + step_m * step_m / 50000000 AS near_m, boxes_along(g.line, step_m, g.near_m) AS boxes,
          ST_MakeLine(spot_at(ST_StartPoint(g.line)::geography), spot_at(ST_EndPoint(g.line)::geography)) AS chord
        FROM (
          SELECT p.start_m, sqrt(2.2 * least(p.start_m + step_m, way_m - p.start_m, way_m / 2) * surplus_m + 2 * surplus_m ^ 2) + 0.01 AS near_m,
            ST_MakeLine(ST_Project(o.one, p.start_m, azimuth)::geometry, ST_Project(o.one, p.start_m + step_m, azimuth)::geometry) AS line
          FROM unnest(starts) AS p (start_m)
          OFFSET 0
        ) AS g
        OFFSET 0
      ),
      found AS MATERIALIZED (
        SELECT b.start_m, n.id, n.effort_m
        FROM (SELECT g.start_m, g.near_m, g.chord, unnest(g.boxes) AS box FROM segment AS g OFFSET 0) AS b
        CROSS JOIN LATERAL (
          SELECT s.id, CASE WHEN ST_3DDistance(s.spot, b.chord) <= b.near_m AND is_wanted(s, brand_ids, filters)
            THEN effort_m(s.geog, people, true) END AS effort_m
          FROM shops AS s WHERE s.geog::geometry(POINT, 4326) && b.box AND s.status <> 'CLOSED' LIMIT few + 1
        ) AS n
        LIMIT most_examined - examined + 1
      )
      SELECT ids || array_agg(f.id) FILTER (WHERE f.effort_m IS NOT NULL),
        efforts_m || array_agg(f.effort_m) FILTER (WHERE f.effort_m IS NOT NULL), count(*),
        ARRAY(SELECT c.start_m FROM found AS c GROUP BY c.start_m HAVING count(*) > few)
      INTO ids, efforts_m, more, starts
      FROM found AS f;
      SELECT k.* INTO ids, efforts_m FROM keep_best(ids, efforts_m, o.least_m + surplus_m, needed) AS k;
      surplus_m := least(surplus_m, efforts_m[needed] - o.least_m + 0.001);
      examined := examined + more;
      truncated := examined > most_examined;
      step_m := step_m / 4;
      starts := ARRAY(SELECT u.start_m + n * step_m FROM unnest(starts) AS u (start_m) CROSS JOIN generate_series(0, 3) AS n);
    END LOOP;
    surplus_m := surplus_m * greatest(4, least(64, 1.5 * (needed / cardinality(ids)::double precision) ^ 2));
  END LOOP;
END $$;
COMMENT ON FUNCTION best_between IS 'The `needed` shops that pass with the least sum of distances to people of whom half are at one place and half at another: exact if it finds that many, else only those near the geodesic between the places; incomplete if more than most_examined shops would be examined (truncated).';

-- Where distances are convex (see least_effort_m), the tangent plane at any place bounds the sum from below. The places with a sum of
-- at most a bound are on one side of the line where this plane reaches the bound. The line is closest to them if the tangent is taken
-- near their border, which is found by bisection, to a share (closeness) of its distance from the middle.
-- The line is drawn through the two points of it that are reach_m from its foot, as a geodesic, which is straight in the gnomonic
-- plane. Within d metres, it deviates by at most d²(|off_m| / 4e13 + 2.8e-10) metres from the line of the tangent plane (parallel lines
-- converge on a sphere) and from a straight one (a geodesic of the ellipsoid is not exactly in a plane through the Earth's centre).
CREATE OR REPLACE FUNCTION area_cut(
  area geometry, people geography [], middle geography, bound_m double precision, frame double precision [],
  reach_m double precision, azimuth double precision, closeness double precision, OUT rest geometry, OUT border_m double precision
)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  wide CONSTANT double precision := 8 * tan(reach_m / 6335000);
  inside_m double precision := 0;
  half_m double precision;
  place geography;
  t record;
  bearing double precision;
  off_m double precision;
  one geometry;
  other geometry;
BEGIN
  rest := area;
  border_m := reach_m;
  WHILE border_m > 1 AND inside_m < closeness * border_m LOOP
    half_m := (inside_m + border_m) / 2;
    IF effort_m(ST_Project(middle, half_m, azimuth), people, true) > bound_m THEN
      border_m := half_m;
    ELSE
      inside_m := half_m;
    END IF;
  END LOOP;
  place := ST_Project(middle, border_m, azimuth);
  t := tangent_at(place, people, true);
  IF reach_m < 1 OR t.east ^ 2 + t.north ^ 2 < 1e-12 THEN
    border_m := reach_m;
    RETURN;
  END IF;
  bearing := atan2(t.east, t.north);
  off_m := (bound_m - t.effort_m) / sqrt(t.east ^ 2 + t.north ^ 2);
  off_m := least(2 * reach_m, off_m + 1 + (reach_m + border_m) ^ 2 * (abs(off_m) / 4e13 + 2.8e-10));
  one := gnomonic(spot_at(ST_Project(place, sqrt(off_m ^ 2 + reach_m ^ 2), bearing - atan2(reach_m, off_m))), frame);
  other := gnomonic(spot_at(ST_Project(place, sqrt(off_m ^ 2 + reach_m ^ 2), bearing + atan2(reach_m, off_m))), frame);
  rest := ST_Intersection(area, ST_Translate(
      ST_Rotate(ST_MakeEnvelope(-wide, -wide, wide, 0), pi() / 2 - ST_Azimuth(one, other)), ST_X(one), ST_Y(one)));
END $$;
COMMENT ON FUNCTION area_cut IS 'What a tangent line leaves of an area within reach_m of the middle that contains all places whose sum of distances is at most bound_m, and the distance from the middle, in the direction of the azimuth, of the place whose tangent it is.';

-- First towards the farthest corner of the area until that is near the border; then across, as the area may be long and thin.
CREATE OR REPLACE FUNCTION area_of_sum(
  people geography [], middle geography, bound_m double precision, frame double precision [], half_m double precision,
  closeness double precision
) RETURNS geometry
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  half CONSTANT double precision := 1.01 * tan(half_m / 6335000);
  area geometry := ST_MakeEnvelope(-half, -half, half, half);
  corner geography;
  corner_m double precision;
  azimuth double precision;
  border_m double precision;
BEGIN
  FOR n IN 1..24 LOOP
    corner := from_gnomonic((SELECT d.geom FROM ST_DumpPoints(area) AS d ORDER BY ST_X(d.geom) ^ 2 + ST_Y(d.geom) ^ 2 DESC LIMIT 1), frame);
    corner_m := ST_Distance(middle, corner);
    azimuth := ST_Azimuth(middle, corner);
    SELECT c.rest, c.border_m INTO area, border_m FROM area_cut(area, people, middle, bound_m, frame, corner_m, azimuth, closeness) AS c;
    EXIT WHEN border_m > closeness * corner_m;
  END LOOP;
  area := (area_cut(area, people, middle, bound_m, frame, corner_m, azimuth + pi() / 2, closeness)).rest;
  area := (area_cut(area, people, middle, bound_m, frame, corner_m, azimuth - pi() / 2, closeness)).rest;
  FOR corner IN SELECT from_gnomonic(d.geom, frame) FROM ST_DumpPoints(area) AS d LOOP
    area := (area_cut(area, people, middle, bound_m, frame, corner_m, ST_Azimuth(middle, corner), closeness)).rest;
  END LOOP;
  RETURN area;
END $$;
COMMENT ON FUNCTION area_of_sum IS 'A convex polygon in the plane of a frame around the middle that contains all places whose sum of distances is at most bound_m, given that they are within half_m (at most 1000 km) of the middle.';

-- The box of a long, thin area contains mostly other places. Where the middle of its sides is near the border, a quarter is tiny.
CREATE OR REPLACE FUNCTION cells_of_area(area geometry) RETURNS geometry []
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  cells geometry[] := ARRAY[area];
  large double precision;
BEGIN
  WHILE cardinality(cells) BETWEEN 1 AND 47 LOOP
    large := (SELECT max(ST_Area(ST_Envelope(c.cell))) / 4 FROM unnest(cells) AS c (cell));
    cells := ARRAY(
      SELECT p.part
      FROM unnest(cells) AS c (cell)
      CROSS JOIN ST_Envelope(c.cell) AS e (box)
      CROSS JOIN LATERAL unnest(CASE WHEN ST_Area(e.box) >= large THEN quarters_of(e.box) ELSE ARRAY[e.box] END) AS q (box)
      CROSS JOIN ST_ClipByBox2D(c.cell, q.box) AS p (part)
      WHERE NOT ST_IsEmpty(p.part)
    );
  END LOOP;
  RETURN cells;
END $$;
COMMENT ON FUNCTION cells_of_area(geometry) IS 'A convex polygon in at least 48 parts.';

-- Computes the sums of a sample of the shops in the area, first of those in the cells with the least sum at their centre. The best of the
-- sample give a tighter bound and so a smaller area, until the sample is all shops of the area. The area of the first sample may be larger
-- than needed, which takes less to compute.
CREATE OR REPLACE FUNCTION best_by_sum(
  people geography [], middle geography, bound_m double precision,
  brand_ids bigint [], filters shop_filters, needed integer, most_examined integer,
  OUT ids bigint [], OUT efforts_m double precision [], OUT examined bigint
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_memoize = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
DECLARE
  sample bigint := greatest(400, 4 * needed);
  closeness double precision := 0.7;
  center geography := middle;
  half_m double precision;
  t record;
  frame double precision[];
  area geometry;
  more integer;
BEGIN
  examined := 0;
  LOOP
    ids := NULL;
    t := tangent_at(center, people, true);
    half_m := (bound_m + t.effort_m) / cardinality(people) + 1;
    EXIT WHEN examined > most_examined OR half_m > 1000000 OR t.longest_m + 3 * half_m > convex_within_m();
    frame := (SELECT gnomonic_frame(ST_X(c.spot), ST_Y(c.spot), ST_Z(c.spot)) FROM spot_at(center) AS c (spot));
    area := area_of_sum(people, center, bound_m, frame, half_m, closeness);
    sample := least(sample, most_examined - examined);
    SELECT array_agg(f.id) FILTER (WHERE f.effort_m IS NOT NULL), array_agg(f.effort_m) FILTER (WHERE f.effort_m IS NOT NULL), count(*)
    INTO ids, efforts_m, more
    FROM (
      SELECT s.id, CASE WHEN ST_Intersects(c.cell, gnomonic(s.spot, frame)) AND is_wanted(s, brand_ids, filters)
        THEN effort_m(s.geog, people, true) END AS effort_m
      FROM (
        SELECT u.cell FROM unnest(cells_of_area(area)) AS u (cell)
        ORDER BY effort_m(from_gnomonic(ST_Centroid(u.cell), frame), people, true)
      ) AS c
      CROSS JOIN LATERAL unnest(boxes_around(c.cell, frame)) AS b (box)
      INNER JOIN shops AS s ON s.geog::geometry(POINT, 4326) && b.box AND s.status <> 'CLOSED'
      LIMIT sample + 1
    ) AS f;
    examined := examined + more;
    SELECT k.* INTO ids, efforts_m FROM keep_best(ids, efforts_m, bound_m, needed) AS k;
    EXIT WHEN more <= sample;
    bound_m := least(bound_m, efforts_m[needed]);
    -- around a better place, the same bound has a smaller surplus
    IF efforts_m[1] < t.effort_m THEN
      center := (SELECT s.geog FROM shops AS s WHERE s.id = ids[1]);
    END IF;
    sample := 4 * sample;
    closeness := 0.96;
  END LOOP;
END $$;
COMMENT ON FUNCTION best_by_sum IS 'The `needed` shops that pass with the least sum of distances, given that so many have at most bound_m: exact; null if more than most_examined shops would be examined, or if people are too far apart.';

-- Exact, by branch and bound. The longest distance changes by at most a metre per metre (triangle inequality of geodesic
-- distances), and the sum by at most a metre per metre and person.
-- 1. bound_around() gives an upper bound of the effort, and so of the distance between the middle and the best shops.
-- 2. A box in degrees is discarded if least_effort_m() of the circle around it exceeds the bound. The first boxes contain every
--    place within the bound. A box with few shops is searched, which lowers the bound for the others; one with more is divided
--    into four. The box around the middle is divided without counting while it is much larger than the circle of nearest shops.
-- 3. Boxes are processed by their least effort, rounded to a thousandth of that of the middle, and smaller boxes first: if all
--    places are equally good, the search must finish in some boxes before it divides all of them. The longer the search takes,
--    the more boxes are processed at once and the more shops may be in one.
-- 4. No distance is shorter than its chord, which excludes most shops.
CREATE OR REPLACE FUNCTION best_around(
  people geography [], by_sum boolean, middle geography, reach_m double precision, bound_m double precision,
  brand_ids bigint [], filters shop_filters, needed integer, most_examined integer,
  OUT ids bigint [], OUT efforts_m double precision [], OUT truncated boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_memoize = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
DECLARE
  spots CONSTANT geometry := ST_Collect(ARRAY(SELECT spot_at(p) FROM unnest(people) AS p));
  middle_m CONSTANT double precision := effort_m(middle, people, by_sum);
  grain_m CONSTANT double precision := greatest(1, middle_m / 1000);
  slope CONSTANT integer := CASE WHEN by_sum THEN cardinality(people) ELSE 1 END;
  boxes geometry[] := ARRAY[ST_MakeEnvelope(-180, -90, 180, 90, 4326)];
  bounds_m double precision[];
  rounds integer := 0;
  taken integer;
  few integer;
  crowded geometry[];
  small geometry[];
  examined bigint := 0;
  more bigint;
BEGIN
  truncated := false;
  IF bound_m < 'infinity' THEN
    boxes := boxes_of_circle(middle, (bound_m + middle_m) / slope + 1);
  END IF;
  bounds_m := array_fill(0::double precision, ARRAY[cardinality(boxes)]);
  WHILE boxes IS NOT NULL AND NOT truncated LOOP
    rounds := rounds + 1;
    taken := least(8 + rounds / 2, cardinality(boxes));
    few := 16 + needed / 4 + 5 * rounds;
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
      SELECT ids || array_agg(f.id) FILTER (WHERE f.effort_m IS NOT NULL),
        efforts_m || array_agg(f.effort_m) FILTER (WHERE f.effort_m IS NOT NULL), count(*)
      INTO ids, efforts_m, more
      FROM (
        SELECT s.id, CASE WHEN (by_sum OR ST_3DMaxDistance(s.spot, spots) <= bound_m + 0.001) AND is_wanted(s, brand_ids, filters)
          THEN effort_m(s.geog, people, by_sum) END AS effort_m
        FROM unnest(small) AS b (box)
        INNER JOIN shops AS s ON s.geog::geometry(POINT, 4326) && b.box AND s.status <> 'CLOSED'
        LIMIT most_examined - examined + 1
      ) AS f;
      SELECT k.* INTO ids, efforts_m FROM keep_best(ids, efforts_m, bound_m, needed) AS k;
      bound_m := least(bound_m, efforts_m[needed]);
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
COMMENT ON FUNCTION best_around IS 'The `needed` shops that pass with the least effort; middle, reach_m and bound_m are those of bound_around(). Exact unless truncated.';

-- A shop outside the strip between two places costs a small part of the work of others. For two people, most shops are outside,
-- so twice as many may be examined.
CREATE OR REPLACE FUNCTION best_to_meet(
  people geography [], by_sum boolean, brand_ids bigint [], filters shop_filters, needed integer, most_examined integer,
  OUT ids bigint [], OUT efforts_m double precision [], OUT truncated boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  middle CONSTANT geography := middle_of(people, by_sum);
  shares CONSTANT integer := CASE cardinality(people) WHEN 2 THEN 2 ELSE 1 END;
  examined bigint := 0;
  more bigint;
  b record;
BEGIN
  truncated := false;
  IF by_sum AND cardinality(people) % 2 = 0 THEN
    SELECT t.* INTO ids, efforts_m, truncated, examined
    FROM best_between(people, effort_m(middle, people, by_sum), brand_ids, filters, needed, most_examined * shares) AS t;
  END IF;
  IF coalesce(cardinality(ids), 0) < needed AND NOT truncated THEN
    b := bound_around(middle, people, by_sum, brand_ids, filters, needed);
    IF by_sum AND b.bound_m < 'infinity' THEN
      SELECT t.* INTO ids, efforts_m, more FROM best_by_sum(people, middle, b.bound_m, brand_ids, filters, needed, most_examined) AS t;
      examined := examined + more;
    END IF;
    IF coalesce(cardinality(ids), 0) < needed THEN
      SELECT t.* INTO ids, efforts_m, truncated
      FROM best_around(people, by_sum, middle, b.reach_m, b.bound_m, brand_ids, filters, needed, greatest(0, most_examined - examined / shares)::integer) AS t;
    END IF;
  END IF;
END $$;
COMMENT ON FUNCTION best_to_meet IS 'The `needed` shops that pass with the least effort: ids and metres. Exact unless truncated, because more than most_examined shops would be examined.';

-- No distance is shorter than its chord: a shop whose longest chord exceeds the longest distance to the `needed` shops with the
-- shortest chords cannot be among the best.
CREATE OR REPLACE FUNCTION best_of(
  candidates bigint [], people geography [], by_sum boolean, needed integer, OUT ids bigint [], OUT efforts_m double precision []
)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  spots CONSTANT geometry := ST_Collect(ARRAY(SELECT spot_at(p) FROM unnest(people) AS p));
BEGIN
  WITH candidate AS MATERIALIZED (
    SELECT s.id, s.geog, CASE WHEN by_sum THEN 0 ELSE ST_3DMaxDistance(s.spot, spots) END AS chord_m
    FROM shops AS s WHERE s.id = ANY (candidates)
  ),
  bound AS MATERIALIZED (
    SELECT max(effort_m(n.geog, people, by_sum)) + 0.001 AS m
    FROM (SELECT c.geog FROM candidate AS c WHERE NOT by_sum ORDER BY c.chord_m, c.id LIMIT needed) AS n
  )
  SELECT k.ids, k.efforts_m INTO ids, efforts_m
  FROM (
    SELECT array_agg(c.id) AS ids, array_agg(effort_m(c.geog, people, by_sum)) AS efforts_m
    FROM candidate AS c CROSS JOIN bound AS b WHERE b.m IS NULL OR c.chord_m <= b.m
  ) AS q
  CROSS JOIN LATERAL keep_best(q.ids, q.efforts_m, double precision 'infinity', needed) AS k;
END $$;
COMMENT ON FUNCTION best_of(bigint [], geography [], boolean, integer) IS 'The `needed` shops among these with the least effort: ids and metres.';

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
IS 'Meeting points: the shops that are not closed and have the least longest distance, or the least sum of distances, with the distance of each person, in metres on the spheroid.';
REVOKE ALL ON FUNCTION shops_meet(geography [], integer, boolean) FROM public;

-- In the order of an index, so that the count is equal on every page. The row after most_examined ends the count.
CREATE OR REPLACE FUNCTION count_passing(
  brand_ids bigint [], filters shop_filters, at_most integer, most_examined integer, OUT total integer, OUT truncated boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  SELECT count(*) FILTER (WHERE t.n <= most_examined), coalesce(bool_or(t.n > most_examined), false) INTO total, truncated
  FROM (
    SELECT q.n
    FROM (
      SELECT row_number() OVER () AS n, e.passes
      FROM (
        (SELECT shop_passes(s, filters) AS passes
         FROM shops AS s WHERE brand_ids IS NULL AND s.status <> 'CLOSED' ORDER BY s.id)
        UNION ALL
        SELECT shop_passes(s, filters)
        FROM shops AS s WHERE s.brand_id = ANY (brand_ids) AND s.status <> 'CLOSED'
      ) AS e
      LIMIT most_examined + 1
    ) AS q
    WHERE q.passes OR q.n > most_examined
    LIMIT at_most + 1
  ) AS t;
END $$;
COMMENT ON FUNCTION count_passing(bigint [], shop_filters, integer, integer)
IS 'The number of shops that pass, up to at_most + 1; if there are more than most_examined shops, only of the first most_examined (truncated).';

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
  needed integer := CASE sort WHEN 'distance' THEN least(page_offset + page_size, at_most) ELSE at_most END;
  few bigint[];
  b record;
  c record;
  total integer;
  truncated boolean := false;
BEGIN
  IF session IS NOT NULL AND NOT session_is_live(session, member) THEN
    RETURN NULL;
  END IF;
  few := shops_of_few(wanted, filters);
  IF few IS NOT NULL THEN
    b := best_of(few, people, by_sum, needed);
    total := cardinality(few);
  ELSE
    -- each shop costs one distance per person
    b := best_to_meet(people, by_sum, wanted, filters, needed, most_examined * 3 / greatest(3, cardinality(people)));
    truncated := b.truncated;
    total := coalesce(cardinality(b.ids), 0);
    IF total = needed OR truncated THEN
      c := count_passing(wanted, filters, at_most, most_examined);
      total := greatest(total, c.total);
      truncated := truncated OR c.truncated;
    END IF;
  END IF;
  RETURN list_text(least(total, at_most), total > at_most OR truncated, shops_json(
    b.ids, b.efforts_m,
    ARRAY(
      SELECT ',"distances_m":[' || (SELECT string_agg(metres(w.m)::text, ',' ORDER BY w.n) FROM unnest(ways_m(s.geog, people)) WITH ORDINALITY AS w (m, n)) || ']'
      FROM unnest(b.ids) WITH ORDINALITY AS t (id, place) INNER JOIN shops AS s ON s.id = t.id ORDER BY t.place
    ),
    NULL, point_at(user_lon, user_lat), origin, member, sort, page_size, page_offset, lang));
END $$;
COMMENT ON FUNCTION list_shops_meet IS 'Shops of the brands (null: the representative ones, or all) that pass the filters with the least effort, at most at_most, as list_text with distances_m; ordered by effort, rating, reviews or favorites. Null if the session is not live.';
