-- Edges of areas and routes. An edge is the geodesic on the spheroid between its ends. Functions that compute with planes
-- through the centre of the Earth, or with chords, get short pieces of it. Such a plane intersects the spheroid at most 0.07 mm
-- beside a geodesic of 1 km; the deviation grows with the square of the length.

-- A degree has at most 111,700 m, so edges that are short in degrees, as most are, need no computation of geodesics.
CREATE OR REPLACE FUNCTION geodesic_corners(shape geometry, piece_m double precision)
RETURNS TABLE (ring integer [], number bigint, at geometry, spot geometry)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  IF ST_NPoints(ST_Segmentize(shape, piece_m / 111700)) = ST_NPoints(shape) THEN
    RETURN QUERY
    SELECT trim_array(d.path, 1), d.number, d.at, d.spot
    FROM ROWS FROM (
      ST_DumpPoints(shape), ST_DumpPoints(ST_Transform(ST_Force3DZ(ST_Force2D(shape)), 4978))
    ) WITH ORDINALITY AS d (path, at, spot_path, spot, number);
    RETURN;
  END IF;
  RETURN QUERY
  SELECT c.ring, row_number() OVER (ORDER BY c.corner, c.piece), c.at, spot_at(c.at::geography)
  FROM (
    SELECT e.ring, e.corner, k.piece,
      CASE WHEN k.piece = 0 THEN e.at ELSE ST_Project(e.at, e.edge_m * k.piece / e.pieces, ST_Azimuth(e.at, e.next)) END::geometry AS at
    FROM (
      SELECT d.*, greatest(1, ceil(d.edge_m / piece_m))::integer AS pieces
      FROM (
        SELECT v.*, coalesce(ST_Distance(v.at, v.next), 0) AS edge_m
        FROM (
          SELECT p.*, lead(p.at) OVER (PARTITION BY p.ring ORDER BY p.corner) AS next
          FROM (
            SELECT trim_array(g.path, 1) AS ring, g.corner, g.at::geography AS at
            FROM ST_DumpPoints(shape) WITH ORDINALITY AS g (path, at, corner)
            OFFSET 0
          ) AS p
        ) AS v
      ) AS d
    ) AS e
    CROSS JOIN LATERAL generate_series(0, e.pieces - 1) AS k (piece)
    OFFSET 0
  ) AS c;
END $$;
COMMENT ON FUNCTION geodesic_corners(geometry, double precision)
IS 'The corners of a shape in degrees, with additional points on its edges so that no piece is longer than piece_m: in degrees, and in metres from the centre of the Earth.';

-- The gnomonic projection maps every plane through the centre to a straight line, also at the 180th meridian and the poles.
CREATE OR REPLACE FUNCTION gnomonic_frame(x double precision, y double precision, z double precision)
RETURNS double precision []
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  lon double precision := atan2(y, x);
  lat double precision := atan2(z, sqrt(x ^ 2 + y ^ 2));
BEGIN
  RETURN ARRAY[-sin(lon), cos(lon), -sin(lat) * cos(lon), -sin(lat) * sin(lon), cos(lat),
    cos(lat) * cos(lon), cos(lat) * sin(lon), sin(lat)];
END $$;
COMMENT ON FUNCTION gnomonic_frame(double precision, double precision, double precision)
IS 'The frame of a gnomonic projection in the direction (x, y, z): the unit vectors to the east (without z), to the north and up.';

-- Must be inlined, because it is computed for each shop. Positions 90 degrees away, which boxes at a pole may contain, are
-- mapped far outside instead of to the wrong side.
CREATE OR REPLACE FUNCTION gnomonic(spot geometry, frame double precision []) RETURNS geometry
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN public.ST_MakePoint(
  (public.ST_X(spot) * frame[1] + public.ST_Y(spot) * frame[2])
  / greatest(1, public.ST_X(spot) * frame[6] + public.ST_Y(spot) * frame[7] + public.ST_Z(spot) * frame[8]),
  (public.ST_X(spot) * frame[3] + public.ST_Y(spot) * frame[4] + public.ST_Z(spot) * frame[5])
  / greatest(1, public.ST_X(spot) * frame[6] + public.ST_Y(spot) * frame[7] + public.ST_Z(spot) * frame[8])
);
COMMENT ON FUNCTION gnomonic(geometry, double precision [])
IS 'Projects a position in metres from the centre of the Earth to the plane of a frame, whose centre is at most 91 degrees away.';

CREATE OR REPLACE FUNCTION geodetic_latitude(along double precision, across double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN atan2d(along, 0.99330562000985889 * across);
COMMENT ON FUNCTION geodetic_latitude(double precision, double precision)
IS 'Latitude in degrees on the WGS 84 spheroid of a direction from the centre of the Earth, given along and across the axis: atan(along / (1 - e²) / across).';

CREATE OR REPLACE FUNCTION from_gnomonic(flat geometry, frame double precision []) RETURNS geography
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  x double precision := frame[6] + ST_X(flat) * frame[1] + ST_Y(flat) * frame[3];
  y double precision := frame[7] + ST_X(flat) * frame[2] + ST_Y(flat) * frame[4];
  z double precision := frame[8] + ST_Y(flat) * frame[5];
BEGIN
  RETURN point_at(atan2d(y, x), geodetic_latitude(z, sqrt(x ^ 2 + y ^ 2)));
END $$;
COMMENT ON FUNCTION from_gnomonic(geometry, double precision []) IS 'The position that gnomonic() maps to this point.';

-- If the ends of a great-circle arc have latitudes of at most phi, the sine of its highest latitude is at most
-- sin(phi) / cos(half its length), by the right-angled triangle of the pole, the highest point and an end. Longitudes are
-- extreme at corners, unless the rectangle contains the pole or is beyond it, and so has all longitudes. The box is 6 mm wider,
-- to allow for rounding.
CREATE OR REPLACE FUNCTION boxes_around(part geometry, frame double precision []) RETURNS geometry []
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  xs double precision[] := ARRAY[ST_XMin(part) - 1e-9, ST_XMax(part) + 1e-9];
  ys double precision[] := ARRAY[ST_YMin(part) - 1e-9, ST_YMax(part) + 1e-9];
  pole double precision := frame[5] / nullif(frame[8], 0);
  -- edges are longer in the plane
  rise double precision := cos(greatest(xs[2] - xs[1], ys[2] - ys[1]) / 2);
  lon double precision := atan2d(frame[7], frame[6]);
  x double precision;
  y double precision;
  sine double precision;
  west double precision := 180;
  east double precision := -180;
  lowest double precision := 1;
  highest double precision := -1;
BEGIN
  FOREACH x IN ARRAY xs LOOP
    FOREACH y IN ARRAY ys LOOP
      west := least(west, atan2d(x, frame[5] - y * frame[8]));
      east := greatest(east, atan2d(x, frame[5] - y * frame[8]));
      sine := (frame[8] + y * frame[5]) / sqrt(1 + x ^ 2 + y ^ 2);
      lowest := least(lowest, sine);
      highest := greatest(highest, sine);
    END LOOP;
  END LOOP;
  lowest := greatest(-1, least(lowest, lowest / rise));
  highest := least(1, greatest(highest, highest / rise));
  IF xs[1] <= 0 AND xs[2] >= 0 AND (pole > 0 AND ys[2] >= pole OR pole < 0 AND ys[1] <= pole) THEN
    west := -180;
    east := 180;
    lon := 0;
    lowest := CASE WHEN pole > 0 THEN lowest ELSE -1 END;
    highest := CASE WHEN pole > 0 THEN 1 ELSE highest END;
  END IF;
  lowest := geodetic_latitude(lowest, sqrt(1 - lowest ^ 2)) - 1e-7;
  highest := geodetic_latitude(highest, sqrt(1 - highest ^ 2)) + 1e-7;
  west := lon + west - 1e-7;
  east := lon + east + 1e-7;
  RETURN CASE
    WHEN east - west >= 360 THEN ARRAY[ST_MakeEnvelope(-180, lowest, 180, highest, 4326)]
    WHEN west < -180 THEN ARRAY[
      ST_MakeEnvelope(west + 360, lowest, 180, highest, 4326), ST_MakeEnvelope(-180, lowest, east, highest, 4326)]
    WHEN east > 180 THEN ARRAY[
      ST_MakeEnvelope(west, lowest, 180, highest, 4326), ST_MakeEnvelope(-180, lowest, east - 360, highest, 4326)]
    ELSE ARRAY[ST_MakeEnvelope(west, lowest, east, highest, 4326)]
  END;
END $$;
COMMENT ON FUNCTION boxes_around(geometry, double precision [])
IS 'A box in degrees that contains all positions in the rectangle around a part of a frame''s plane, or two boxes if it crosses the 180th meridian.';

-- A degree of latitude has at least 110,574 m, which bounds the latitudes of all points within radius_m. A radian of longitude
-- has at least 6,378,137 m times the cosine of the highest of these latitudes.
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
IS 'A box in degrees that contains the circle, or two boxes if it crosses the 180th meridian.';

-- A geodesic of c metres deviates towards the pole from a straight line in degrees by c² tan(latitude) / 8R, and its longitudes
-- are between those of its ends. Inlined if the arguments are columns or cheap.
CREATE OR REPLACE FUNCTION boxes_along(line geometry, length_m double precision, reach_m double precision) RETURNS geometry []
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN greatest(ST_YMax(line), -ST_YMin(line)) < 80 AND ST_XMax(line) < 179 AND ST_XMin(line) > -179
    AND ST_XMax(line) - ST_XMin(line) < 180 AND reach_m + length_m * length_m / 4000000 < 15000
    THEN ARRAY[ST_Expand(
      ST_Envelope(line),
      (reach_m + length_m * length_m / 4000000) / 111000 / cosd(greatest(ST_YMax(line), -ST_YMin(line)) + 0.2),
      (reach_m + length_m * length_m / 4000000) / 110574)]
  ELSE boxes_of_circle(ST_StartPoint(line)::geography, length_m + reach_m)
END;
COMMENT ON FUNCTION boxes_along(geometry, double precision, double precision)
IS 'A box in degrees that contains every position within reach_m of a line of geodesics, given its corners in degrees and its length; two boxes if it crosses the 180th meridian.';
