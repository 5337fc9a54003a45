-- Chords through the ellipsoid, by which the keyword search finds the nearest shops with an index.

CREATE OR REPLACE FUNCTION spot_at(place geography) RETURNS geometry
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN public.ST_Transform(public.ST_Force3DZ(place::public.geometry), 4978);
COMMENT ON FUNCTION spot_at(geography) IS 'The position in metres from the centre of the Earth.';

-- Between two points on the ellipsoid, the geodesic is at least as long as the chord. It is at most as long as the arc over
-- that chord of a circle with the ellipsoid's smallest radius of curvature, b²/a, because no geodesic has a larger curvature
-- (Schur's comparison theorem).
CREATE OR REPLACE FUNCTION chord_within(radius_m double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 2 * 6335439.327 * sin(radius_m / (2 * 6335439.327)) - 0.001;
COMMENT ON FUNCTION chord_within(double precision)
IS 'The length in metres up to which every chord belongs to a geodesic of at most radius_m, for radii up to 10,000,000 m; less a millimetre for rounding.';

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
IS 'ST_DWithin of a shop''s position, computed only if the chord is inconclusive; surely_m is chord_within(radius_m).';
