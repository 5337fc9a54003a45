-- Where shops are. Inlinable: no SET, schema-qualified, so that the planner sees the index condition.

CREATE OR REPLACE FUNCTION point_at(lon double precision, lat double precision) RETURNS geography
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN public.ST_SetSRID(public.ST_MakePoint(lon, lat), 4326)::public.geography;
COMMENT ON FUNCTION point_at(double precision, double precision) IS 'Point from longitude and latitude in degrees.';

CREATE OR REPLACE FUNCTION spot_at(place geography) RETURNS geometry
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN public.ST_Transform(public.ST_Force3DZ(place::public.geometry), 4978);
COMMENT ON FUNCTION spot_at(geography) IS 'The position in metres from the centre of the Earth.';

-- Between two places at sea level the geodesic is never shorter than the chord through the ellipsoid, and never longer than
-- an arc with that chord of the circle with the ellipsoid's smallest radius of curvature, b²/a (Schur's comparison
-- theorem: a geodesic is nowhere bent more). The chord takes 0.1 us, ST_DWithin 0.6 and ST_Distance 1.2.
CREATE OR REPLACE FUNCTION chord_within(radius_m double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 2 * 6335439.327 * sin(radius_m / (2 * 6335439.327)) - 0.001;
COMMENT ON FUNCTION chord_within(double precision)
IS 'Chords of at most so many metres belong to geodesics of at most radius_m, up to 10,000,000 m; a millimetre is left for rounding.';

CREATE OR REPLACE FUNCTION is_within(
  geog geography, spot geometry, center geography, center_spot geometry, radius_m double precision, surely_m double precision
) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN public.ST_3DDistance(spot, center_spot) <= surely_m THEN true
  WHEN public.ST_3DDistance(spot, center_spot) > radius_m + 0.001 THEN false
  ELSE public.ST_DWithin(geog, center, radius_m)
END;
COMMENT ON FUNCTION is_within(geography, geometry, geography, geometry, double precision, double precision)
IS 'ST_DWithin of a shop''s position, asked only where the chord does not tell; surely_m is chord_within(radius_m).';

-- An arc of normal curvature k over the chord c is c + k² c³ / 24 + … long. From p to p + d on x²/a² + y²/a² + z²/b² = 1
-- k c² is d'Ad / |Ap| with A = diag(1/a², 1/a², 1/b²) (do Carmo 1976, Differential Geometry of Curves and Surfaces, 3-3).
-- Up to 10 km off ST_Distance by less than 15 nm; that itself is rounded to 10 nm. The least values keep PostgreSQL from
-- refusing squares that are too small for it; they change nothing that can be measured.
CREATE OR REPLACE FUNCTION bend_at(spot geometry) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 1 / (24 * (
  greatest(abs(public.ST_X(spot)), 1) ^ 2 + greatest(abs(public.ST_Y(spot)), 1) ^ 2
  + 1.0067394967422764 ^ 2 * greatest(abs(public.ST_Z(spot)), 1) ^ 2
));
COMMENT ON FUNCTION bend_at(geometry) IS 'How the ellipsoid bends around a place, for arc_m; 1 per square metre.';

CREATE OR REPLACE FUNCTION arc_m(chord_m double precision, rise_m double precision, bend double precision)
RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN chord_m < 1 THEN chord_m
  ELSE chord_m + (chord_m ^ 2 + 0.0067394967422764 * greatest(abs(rise_m), 1e-6) ^ 2) ^ 2 * bend / chord_m END;
COMMENT ON FUNCTION arc_m(double precision, double precision, double precision)
IS 'Metres along the spheroid for a chord of at most 10 km; rise_m is the chord along the axis of the Earth, bend that of an end.';

-- Places at one distance on different sides of the user differ by nanometres of rounding: then the identifier decides.
CREATE OR REPLACE FUNCTION distance_rank(distance_m double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN round(distance_m * 1e5);
COMMENT ON FUNCTION distance_rank(double precision) IS 'What radius searches are ordered by: the distance in hundredths of a millimetre.';

-- On the spheroid a degree of latitude is nowhere shorter than 110574 m, and a degree of longitude nowhere shorter
-- than 111319 m times the cosine of the latitude; a path of radius_m stays below the latitude lat + high.
CREATE OR REPLACE FUNCTION box_around(lon double precision, lat double precision, radius_m double precision) RETURNS geometry
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  high double precision := radius_m / 110574;
  wide double precision;
BEGIN
  IF abs(lat) + high > 89 THEN
    RETURN NULL;
  END IF;
  wide := radius_m / (111319 * cosd(abs(lat) + high));
  IF abs(lon) + wide > 180 THEN
    RETURN NULL;
  END IF;
  RETURN ST_MakeEnvelope(lon - wide, lat - high, lon + wide, lat + high, 4326);
END $$;
COMMENT ON FUNCTION box_around(double precision, double precision, double precision)
IS 'A box in degrees that holds every place within radius_m metres; null where it would reach a pole or cross the 180th meridian.';

CREATE OR REPLACE FUNCTION shops_near(center geography, radius_m double precision) RETURNS SETOF shops
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT s.* FROM public.shops AS s
  WHERE public.ST_DWithin(s.geog, center, radius_m) AND s.status <> 'CLOSED';
END;
COMMENT ON FUNCTION shops_near(geography, double precision)
IS 'Shops that are not closed within a radius in metres, inclusive, by the geodesic on the spheroid.';

CREATE OR REPLACE FUNCTION shops_near(lon double precision, lat double precision, radius_m double precision)
RETURNS SETOF shops
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT s.* FROM public.shops AS s
  WHERE public.ST_DWithin(s.geog, public.ST_SetSRID(public.ST_MakePoint(lon, lat), 4326)::public.geography, radius_m)
    AND s.status <> 'CLOSED';
END;
COMMENT ON FUNCTION shops_near(double precision, double precision, double precision)
IS 'Shops that are not closed within a radius in metres of a longitude and latitude, inclusive, on the spheroid.';

CREATE OR REPLACE FUNCTION shops_in_box(
  west double precision, south double precision, east double precision, north double precision
) RETURNS SETOF shops
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT s.* FROM public.shops AS s
  WHERE s.status <> 'CLOSED' AND (
    (west <= east AND s.geog::public.geometry(POINT, 4326) && public.ST_MakeEnvelope(west, south, east, north, 4326))
    OR (west > east AND (
      s.geog::public.geometry(POINT, 4326) && public.ST_MakeEnvelope(west, south, 180, north, 4326)
      OR s.geog::public.geometry(POINT, 4326) && public.ST_MakeEnvelope(-180, south, east, north, 4326)
    ))
  );
END;
COMMENT ON FUNCTION shops_in_box(double precision, double precision, double precision, double precision)
IS 'Shops that are not closed within a box in degrees, edges included; west above east crosses the 180th meridian.';
