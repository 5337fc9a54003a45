-- Shops by position. The functions must stay inlinable (no SET, schema-qualified), so that the planner can use the index.

CREATE OR REPLACE FUNCTION point_at(lon double precision, lat double precision) RETURNS geography
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN public.ST_SetSRID(public.ST_MakePoint(lon, lat), 4326)::public.geography;
COMMENT ON FUNCTION point_at(double precision, double precision) IS 'Point from longitude and latitude in degrees.';

-- Rounds distances, because equal distances in different directions may differ by nanometres.
CREATE OR REPLACE FUNCTION distance_rank(distance_m double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN round(distance_m * 1e5);
COMMENT ON FUNCTION distance_rank(double precision) IS 'Sort key of searches: the distance in hundredths of a millimetre.';

CREATE OR REPLACE FUNCTION sort_key(s shops, sort text) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE sort
  WHEN 'rating' THEN -(s).star_rating_sum / nullif((s).review_cnt, 0)::float8
  WHEN 'reviews' THEN -(s).review_cnt
  WHEN 'favorites' THEN -(s).favorite_cnt
  ELSE 0
END;
COMMENT ON FUNCTION sort_key(shops, text)
IS 'First sort key of searches: the least comes first; null, for a shop without ratings, last; 0 for all shops by distance.';

-- Text bodies: a parsed body fixes the row type and fails when shops gets a column.
CREATE OR REPLACE FUNCTION shops_near(center geography, radius_m double precision) RETURNS SETOF shops
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
  SELECT s.* FROM public.shops AS s
  WHERE public.ST_DWithin(s.geog, center, radius_m) AND s.status <> 'CLOSED'
$$;
COMMENT ON FUNCTION shops_near(geography, double precision)
IS 'Shops that are not closed within a radius in metres (inclusive) on the spheroid.';

CREATE OR REPLACE FUNCTION is_in_box(geog geography, box double precision []) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ST_Y(geog::geometry) BETWEEN box[2] AND box[4]
AND CASE WHEN box[1] <= box[3] THEN ST_X(geog::geometry) BETWEEN box[1] AND box[3]
  ELSE ST_X(geog::geometry) >= box[1] OR ST_X(geog::geometry) <= box[3] END;
COMMENT ON FUNCTION is_in_box(geography, double precision [])
IS 'Whether a point is within [west, south, east, north] in degrees, including the edges; if west > east, the box crosses the 180th meridian.';

-- The operator && uses the index, but compares boxes in single precision, which are up to two metres too large.
CREATE OR REPLACE FUNCTION shops_in_box(
  west double precision, south double precision, east double precision, north double precision
) RETURNS SETOF shops
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
  SELECT s.* FROM public.shops AS s
  WHERE s.status <> 'CLOSED' AND public.is_in_box(s.geog, ARRAY[west, south, east, north]) AND (
    (west <= east AND s.geog::public.geometry(POINT, 4326) && public.ST_MakeEnvelope(west, south, east, north, 4326))
    OR (west > east AND (
      s.geog::public.geometry(POINT, 4326) && public.ST_MakeEnvelope(west, south, 180, north, 4326)
      OR s.geog::public.geometry(POINT, 4326) && public.ST_MakeEnvelope(-180, south, east, north, 4326)
    ))
  )
$$;
COMMENT ON FUNCTION shops_in_box(double precision, double precision, double precision, double precision)
IS 'Shops that are not closed within a box in degrees, including its edges; if west > east, it crosses the 180th meridian.';

CREATE OR REPLACE FUNCTION convex_within_m() RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 9985000;
COMMENT ON FUNCTION convex_within_m()
IS 'Up to this many metres, the distance from a point is convex along a geodesic: a quarter of the circumference of the smallest sphere of curvature of the spheroid.';

-- A degree along a meridian has at most 111,695 m, and along a parallel that many times the cosine of the latitude. So every
-- point of the box can be reached along the meridian of the centre and then a parallel, which bounds its distance. If the distance
-- is convex up to that bound, the farthest point is a corner: the distance grows with the difference in longitude, and it is convex
-- along the eastern edge, a geodesic.
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
  IF radius_m < convex_within_m() THEN
    radius_m := greatest(ST_Distance(center, point_at(box[3], box[2])), ST_Distance(center, point_at(box[3], box[4]))) + 1;
  END IF;
END $$;
COMMENT ON FUNCTION circle_around(double precision [])
IS 'A circle that contains the box [west, south, east, north] in degrees; if west > east, the box crosses the 180th meridian.';
