-- Where shops are. Inlinable: no SET, schema-qualified, so that the planner sees the index condition.

CREATE OR REPLACE FUNCTION point_at(lon double precision, lat double precision) RETURNS geography
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN public.ST_SetSRID(public.ST_MakePoint(lon, lat), 4326)::public.geography;
COMMENT ON FUNCTION point_at(double precision, double precision) IS 'Point from longitude and latitude in degrees.';

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
