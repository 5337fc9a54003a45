-- Edges of areas and routes. An edge is the geodesic between its ends, on the spheroid. Functions that compute with great
-- circles or chords are given short pieces of it: a great circle on geodetic latitudes leaves a geodesic of 1 km by
-- 0.07 mm at most, and by the square of the length otherwise.

CREATE OR REPLACE FUNCTION geodesic_pieces(shape geometry, piece_m double precision)
RETURNS TABLE (ring integer [], number integer, piece integer, at geography, along_m double precision, length_m double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT e.ring, e.number, k.piece,
    CASE WHEN k.piece = 0 THEN e.at ELSE ST_Project(e.at, e.edge_m * k.piece / e.pieces, ST_Azimuth(e.at, e.next)) END,
    e.end_m - e.edge_m + e.edge_m * k.piece / e.pieces, e.edge_m / e.pieces
  FROM (
    SELECT d.*, greatest(1, ceil(d.edge_m / piece_m))::integer AS pieces,
      sum(d.edge_m) OVER (PARTITION BY d.ring ORDER BY d.number) AS end_m
    FROM (
      SELECT v.*, coalesce(ST_Distance(v.at, v.next), 0) AS edge_m
      FROM (
        SELECT p.*, lead(p.at) OVER (PARTITION BY p.ring ORDER BY p.number) AS next
        FROM (
          SELECT trim_array(g.path, 1) AS ring, g.path[cardinality(g.path)] AS number, g.geom::geography AS at FROM ST_DumpPoints(shape) AS g
          OFFSET 0
        ) AS p
      ) AS v
    ) AS d
  ) AS e
  CROSS JOIN LATERAL generate_series(0, e.pieces - 1) AS k (piece)
$$;
COMMENT ON FUNCTION geodesic_pieces(geometry, double precision)
IS 'The edges of lines and rings cut into pieces of at most piece_m: where each begins, how far along its line or ring, and its length; a last point has a length of 0.';

-- The gnomonic projection of a sphere shows every great circle as a straight line, at the 180th meridian and the poles too.
-- In PL/pgSQL, because an SQL function would compute each coordinate several times.
CREATE OR REPLACE FUNCTION gnomonic(place geography, lon double precision, lat double precision) RETURNS geometry
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  north double precision := ST_Y(place::geometry);
  east double precision := ST_X(place::geometry) - lon;
  level double precision := cosd(north) * cosd(east);
  depth double precision := sind(lat) * sind(north) + cosd(lat) * level;
BEGIN
  RETURN ST_MakePoint(cosd(north) * sind(east) / depth, (cosd(lat) * sind(north) - sind(lat) * level) / depth);
END $$;
COMMENT ON FUNCTION gnomonic(geography, double precision, double precision)
IS 'A position in the plane that touches the unit sphere at lon and lat; only for positions less than 90 degrees from there.';

CREATE OR REPLACE FUNCTION from_gnomonic(flat geometry, lon double precision, lat double precision) RETURNS geography
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  x double precision := ST_X(flat);
  y double precision := ST_Y(flat);
  depth double precision := cosd(lat) - y * sind(lat);
  east double precision := lon + atan2d(x, depth);
BEGIN
  RETURN point_at(
    CASE WHEN east > 180 THEN east - 360 WHEN east < -180 THEN east + 360 ELSE east END,
    atan2d(sind(lat) + y * cosd(lat), sqrt(x ^ 2 + depth ^ 2)));
END $$;
COMMENT ON FUNCTION from_gnomonic(geometry, double precision, double precision) IS 'The position that gnomonic() shows at this point.';
