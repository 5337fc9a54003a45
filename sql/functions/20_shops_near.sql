-- Where shops are. Inlinable: no SET, schema-qualified, so that the planner sees the index condition.

CREATE OR REPLACE FUNCTION point_at(lon double precision, lat double precision) RETURNS geography
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN public.ST_SetSRID(public.ST_MakePoint(lon, lat), 4326)::public.geography;
COMMENT ON FUNCTION point_at(double precision, double precision) IS 'Point from longitude and latitude in degrees.';

-- Equal distances in different directions may differ by nanometres of rounding.
CREATE OR REPLACE FUNCTION distance_rank(distance_m double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN round(distance_m * 1e5);
COMMENT ON FUNCTION distance_rank(double precision) IS 'Sort key of searches: the distance in hundredths of a millimetre.';

-- Bodies are text: a parsed one keeps the columns of its day, and fails as soon as shops gets another.
CREATE OR REPLACE FUNCTION shops_near(center geography, radius_m double precision) RETURNS SETOF shops
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
  SELECT s.* FROM public.shops AS s
  WHERE public.ST_DWithin(s.geog, center, radius_m) AND s.status <> 'CLOSED'
$$;
COMMENT ON FUNCTION shops_near(geography, double precision)
IS 'Shops that are not closed within a radius in metres, inclusive, by the geodesic on the spheroid.';

CREATE OR REPLACE FUNCTION shops_near(lon double precision, lat double precision, radius_m double precision)
RETURNS SETOF shops
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
  SELECT s.* FROM public.shops AS s
  WHERE public.ST_DWithin(s.geog, public.ST_SetSRID(public.ST_MakePoint(lon, lat), 4326)::public.geography, radius_m)
    AND s.status <> 'CLOSED'
$$;
COMMENT ON FUNCTION shops_near(double precision, double precision, double precision)
IS 'Shops that are not closed within a radius in metres of a longitude and latitude, inclusive, on the spheroid.';

CREATE OR REPLACE FUNCTION shops_in_box(
  west double precision, south double precision, east double precision, north double precision
) RETURNS SETOF shops
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
  SELECT s.* FROM public.shops AS s
  WHERE s.status <> 'CLOSED' AND (
    (west <= east AND s.geog::public.geometry(POINT, 4326) && public.ST_MakeEnvelope(west, south, east, north, 4326))
    OR (west > east AND (
      s.geog::public.geometry(POINT, 4326) && public.ST_MakeEnvelope(west, south, 180, north, 4326)
      OR s.geog::public.geometry(POINT, 4326) && public.ST_MakeEnvelope(-180, south, east, north, 4326)
    ))
  )
$$;
COMMENT ON FUNCTION shops_in_box(double precision, double precision, double precision, double precision)
IS 'Shops that are not closed within a box in degrees, edges included; west above east crosses the 180th meridian.';

CREATE OR REPLACE FUNCTION is_in_box(geog geography, box double precision []) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ST_Y(geog::geometry) BETWEEN box[2] AND box[4]
AND CASE WHEN box[1] <= box[3] THEN ST_X(geog::geometry) BETWEEN box[1] AND box[3]
  ELSE ST_X(geog::geometry) >= box[1] OR ST_X(geog::geometry) <= box[3] END;
COMMENT ON FUNCTION is_in_box(geography, double precision [])
IS 'True for a point within [west, south, east, north] in degrees, edges included; west above east crosses the 180th meridian.';

-- A degree along a meridian or a parallel is nowhere longer than 111,695 m, times the cosine of the latitude on a parallel.
-- Every point of the box is reached along the meridian of the centre and then along a parallel. Where that is less than a
-- quarter of the way around the smallest sphere of curvature (9,985 km), the farthest point is a corner: the distance grows
-- with the difference in longitude, and along the eastern edge, a geodesic, it is convex.
CREATE OR REPLACE FUNCTION circle_around(box double precision [], OUT center geography, OUT radius_m double precision)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  half_width double precision := (box[3] - box[1] + CASE WHEN box[1] > box[3] THEN 360 ELSE 0 END) / 2;
  half_height double precision := (box[4] - box[2]) / 2;
  middle_lon double precision := box[1] + half_width;
  least_lat double precision := CASE WHEN box[2] > 0 THEN box[2] WHEN box[4] < 0 THEN box[4] ELSE 0 END;
BEGIN
  center := point_at(CASE WHEN middle_lon > 180 THEN middle_lon - 360 ELSE middle_lon END, box[2] + half_height);
  radius_m := least(111695 * (half_height + half_width * cosd(least_lat)) + 1, 20040000);
  IF radius_m < 9985000 THEN
    radius_m := greatest(ST_Distance(center, point_at(box[3], box[2])), ST_Distance(center, point_at(box[3], box[4]))) + 1;
  END IF;
END $$;
COMMENT ON FUNCTION circle_around(double precision [])
IS 'A circle that holds the box [west, south, east, north] in degrees; west above east crosses the 180th meridian.';
