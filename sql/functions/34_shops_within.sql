-- Search in an area: shops within a polygon or multipolygon whose edges are geodesics.

-- If the brands have few shops, reading all of them is faster than reading the shops of all brands in the area. brands.shop_cnt
-- avoids reading thousands of shops to find out; it need not be exact. Closed shops count, because they are read, too.
CREATE OR REPLACE FUNCTION shops_of_few(brand_ids bigint [], filters shop_filters, most integer DEFAULT 3000) RETURNS bigint []
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  ids bigint[];
  is_few boolean;
BEGIN
  IF brand_ids IS NULL OR (SELECT sum(b.shop_cnt) FROM brands AS b WHERE b.id = ANY (brand_ids)) > most THEN
    RETURN NULL;
  END IF;
  SELECT coalesce(array_agg(q.id) FILTER (WHERE q.passes), '{}'), count(*) <= most INTO ids, is_few
  FROM (
    SELECT s.id, s.status <> 'CLOSED' AND shop_passes(s, filters) AS passes
    FROM shops AS s WHERE s.brand_id = ANY (brand_ids) LIMIT most + 1
  ) AS q;
  RETURN CASE WHEN is_few THEN ids END;
END $$;
COMMENT ON FUNCTION shops_of_few(bigint [], shop_filters, integer)
IS 'The shops of these brands that are not closed and pass; null if brand_ids is null (all brands), or if they have more than `most` shops.';

-- Lists of the searches by shape. Fields of only one search are passed as text. Building displays that are not stored costs more
-- than the search itself, so after the first 200 shops, Korean displays are used instead.
CREATE OR REPLACE FUNCTION shops_json(
  ids bigint [], ranks double precision [], extras text [], center geography, viewer geography, origin text, member bigint,
  sort text, page_size integer, page_offset integer, lang text
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
BEGIN
  RETURN (
    SELECT '[' || coalesce(string_agg(
      CASE WHEN q.extra IS NULL THEN q.json ELSE left(q.json, -1) || q.extra || '}' END, ',' ORDER BY q.place), '') || ']'
    FROM (
      SELECT r.place, r.extra, shop_json(
        CASE WHEN lang IS NULL THEN r.card ELSE r.card || (
          SELECT d FROM display_of(r.id, r.display_source, lang, CASE WHEN r.place <= page_offset + 200 THEN lang ELSE 'ko' END) AS d) END,
        r.counts, b.card, b.image_path, origin, r.m,
        member IS NOT NULL AND EXISTS (SELECT FROM favorites AS f WHERE f.member_id = member AND f.shop_id = r.id)) AS json
      FROM (
        SELECT o.*, metres(
          CASE WHEN viewer IS NULL THEN NULL WHEN o.way_m IS NULL THEN ST_Distance(o.geog, viewer) ELSE o.way_m END) AS m
        FROM (
          SELECT p.*, row_number() OVER (ORDER BY p.sort_key, coalesce(p.rank, distance_rank(p.way_m)), p.id) AS place
          FROM (
            SELECT t.id, t.rank, t.extra, s.geog, s.brand_id, s.card, s.counts,
              CASE WHEN lang IS NOT NULL THEN display_source(s) END AS display_source,
              CASE WHEN t.rank IS NULL THEN ST_Distance(s.geog, coalesce(viewer, center)) END AS way_m,
              sort_key(s, sort) AS sort_key
            FROM unnest(ids, ranks, extras) AS t (id, rank, extra) INNER JOIN shops AS s ON s.id = t.id
            OFFSET 0
          ) AS p
          ORDER BY place LIMIT page_size OFFSET page_offset
        ) AS o
        OFFSET 0
      ) AS r
      LEFT JOIN brands AS b ON b.id = r.brand_id
    ) AS q
  );
END $$;
COMMENT ON FUNCTION shops_json IS 'A page of these shops as JSON, each with its extra fields; by rank, or by rating, reviews or favorites (best first), then rank, then id. The rank is the distance from the viewer, or from the centre, unless given; without a viewer distances are unknown. With lang each has its display.';

-- Two intervals overlap if each begins before the end of the other. With all ends sorted together, the number of lower ends before an
-- upper end is its position, less its position among the upper ends. These numbers, summed over the upper ends, count every interval
-- with itself once, every pair once, and overlapping pairs once more.
CREATE OR REPLACE FUNCTION overlapping_pairs(lows double precision [], highs double precision []) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(sum(e.place) FILTER (WHERE e.is_high), 0) - cardinality(lows)::numeric * (cardinality(lows) + 1)
  FROM (
    SELECT q.is_high, row_number() OVER (ORDER BY q.at, q.is_high) AS place
    FROM (SELECT unnest(lows) AS at, false AS is_high UNION ALL SELECT unnest(highs), true) AS q
  ) AS e
$$;
COMMENT ON FUNCTION overlapping_pairs(double precision [], double precision [])
IS 'The number of pairs of intervals that overlap or touch.';

-- The validity of an area is checked with the pairs of edges, and of rings, whose boxes overlap.
CREATE OR REPLACE FUNCTION is_intricate(whole geometry, most_pairs double precision DEFAULT 4000000) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  west double precision[];
  east double precision[];
  south double precision[];
  north double precision[];
BEGIN
  IF ST_NPoints(whole)::double precision ^ 2 / 2 <= most_pairs THEN
    RETURN false;
  END IF;
  SELECT array_agg(ST_XMin(e.geom)), array_agg(ST_XMax(e.geom)), array_agg(ST_YMin(e.geom)), array_agg(ST_YMax(e.geom))
  INTO west, east, south, north
  FROM ST_DumpSegments(whole) AS e;
  RETURN overlapping_pairs(west, east) > most_pairs AND overlapping_pairs(south, north) > most_pairs;
END $$;
COMMENT ON FUNCTION is_intricate(geometry, double precision)
IS 'Whether more than most_pairs pairs of edges overlap in x, and also more in y.';

-- Too large is an area with a corner more than 2500 km from its centre or with a perimeter of more than 40,000 km.
-- Subdivides the area, because the index is searched with boxes, and the box of a long, thin area contains mostly other shops. An
-- area with very many corners is not subdivided, because a cut through a jagged edge creates a part for every tooth.
CREATE OR REPLACE FUNCTION parts_of_area(
  area geography, OUT frame double precision [], OUT whole geometry, OUT parts geometry [],
  OUT problem text, OUT problem_at double precision []
)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  shape geometry := ST_Multi(ST_Force2D(area::geometry));
  spots geometry := ST_Transform(ST_Force3DZ(shape), 4978);
  spot geometry;
BEGIN
  frame := gnomonic_frame(ST_XMin(spots) + ST_XMax(spots), ST_YMin(spots) + ST_YMax(spots), ST_ZMin(spots) + ST_ZMax(spots));
  -- a geodesic of 2500 km has a chord of 2484 km; lengths on the sphere are fast to compute and deviate by less than 0.6 %
  IF ST_3DMaxDistance(spot_at(from_gnomonic(ST_MakePoint(0, 0), frame)), ST_Points(spots)) > 2484300
    OR (ST_Perimeter(area, false) > 39700000 AND ST_Perimeter(area) > 40000000) THEN
    problem := 'too large';
    RETURN;
  END IF;
  SELECT ST_Collect(q.polygon) INTO whole
  FROM (
    SELECT ST_MakePolygon((array_agg(r.line) FILTER (WHERE r.ring[2] = 1))[1],
      coalesce(array_agg(r.line ORDER BY r.ring[2]) FILTER (WHERE r.ring[2] > 1), '{}')) AS polygon
    FROM (
      SELECT c.ring, ST_MakeLine(gnomonic(c.spot, frame) ORDER BY c.number) AS line
      FROM geodesic_corners(shape, 2000) AS c
      GROUP BY c.ring
    ) AS r
    GROUP BY r.ring[1]
  ) AS q;
  IF is_intricate(whole) THEN
    problem := 'too intricate';
    RETURN;
  END IF;
  SELECT v.reason, from_gnomonic(v.location, frame)::geometry INTO problem, spot
  FROM ST_IsValidDetail(whole) AS v WHERE NOT v.valid;
  IF problem IS NOT NULL THEN
    problem_at := ARRAY[ST_X(spot), ST_Y(spot)];
    RETURN;
  END IF;
  parts := CASE
    WHEN ST_NPoints(whole) BETWEEN 17 AND 2000 THEN ARRAY(SELECT ST_Subdivide(whole, greatest(10, ST_NPoints(whole) / 40)))
    ELSE ARRAY(SELECT (ST_Dump(whole)).geom) END;
END $$;
COMMENT ON FUNCTION parts_of_area(geography)
IS 'An area in the gnomonic plane around its centre, whole and in parts; or its problem, and the position [lon, lat] of the problem. The interior is the smaller side of each ring.';

-- ST_Intersects would process an area of many corners for each shop; an overlay processes it once for all. It returns the points
-- unchanged.
CREATE OR REPLACE FUNCTION shops_inside(ids bigint [], whole geometry, frame double precision []) RETURNS bigint []
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
  WITH candidate AS MATERIALIZED (
    SELECT s.id, gnomonic(s.spot, frame) AS flat FROM shops AS s WHERE s.id = ANY (ids)
  )
  SELECT array_agg(c.id)
  FROM ST_Dump(ST_Intersection((SELECT ST_Collect(a.flat) FROM candidate AS a), whole)) AS d
  INNER JOIN candidate AS c ON c.flat = d.geom
$$;
COMMENT ON FUNCTION shops_inside(bigint [], geometry, double precision []) IS 'Those of the shops that lie in an area of a frame''s plane.';

-- The boxes of an area may contain more than most_examined shops. If the brands have few shops, all of these are compared. If they
-- have many, the result joins the shops found so far and those nearest to the centre: the first alone would lie on one side of a
-- large area, and the second alone would miss the shops in a ring.
CREATE OR REPLACE FUNCTION shops_of_area(
  whole geometry, parts geometry [], frame double precision [], brand_ids bigint [], filters shop_filters, most_examined integer,
  OUT ids bigint [], OUT truncated boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  jagged boolean := ST_NPoints(whole) > 2000;
  most integer := CASE WHEN jagged THEN most_examined / 3 ELSE most_examined END;
  center CONSTANT geography := from_gnomonic(ST_Centroid(whole), frame);
  few bigint[];
  nearest bigint[];
BEGIN
  SELECT array_agg(DISTINCT c.id) FILTER (WHERE c.belongs), coalesce(count(*) > most, false) INTO ids, truncated
  FROM (
    SELECT s.id, (jagged OR ST_Intersects(parts[p.n], gnomonic(s.spot, frame))) AND is_wanted(s, brand_ids, filters) AS belongs
    FROM (SELECT g.n, unnest(boxes_around(parts[g.n], frame)) AS box FROM generate_subscripts(parts, 1) AS g (n) OFFSET 0) AS p
    INNER JOIN shops AS s ON s.geog::geometry(POINT, 4326) && p.box AND s.status <> 'CLOSED'
    LIMIT most + 1
  ) AS c;
  IF truncated THEN
    few := shops_of_few(brand_ids, filters);
  END IF;
  IF few IS NOT NULL THEN
    ids := shops_inside(few, whole, frame);
    truncated := false;
    RETURN;
  ELSIF truncated THEN
    nearest := ARRAY(
      SELECT c.id
      FROM (
        SELECT s.id, is_wanted(s, brand_ids, filters) AS belongs
        FROM shops AS s WHERE s.status <> 'CLOSED' ORDER BY s.geog <-> center LIMIT most / 2
      ) AS c
      WHERE c.belongs);
    ids := ids || CASE WHEN jagged THEN nearest ELSE shops_inside(nearest, whole, frame) END;
    ids := ARRAY(SELECT DISTINCT i.id FROM unnest(ids) AS i (id));
  END IF;
  IF jagged THEN
    ids := shops_inside(ids, whole, frame);
  END IF;
END $$;
COMMENT ON FUNCTION shops_of_area IS 'Shops that pass within an area that parts_of_area() returned; some of them when more than most_examined (null: any number) had to be looked at (truncated).';

CREATE OR REPLACE FUNCTION nearest_of(ids bigint [], center geography, at_most integer) RETURNS bigint []
LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
BEGIN
  RETURN ARRAY(
    SELECT s.id FROM unnest(ids) AS i (id) INNER JOIN shops AS s ON s.id = i.id
    ORDER BY distance_rank(ST_Distance(s.geog, center)), s.id LIMIT at_most);
END $$;
COMMENT ON FUNCTION nearest_of(bigint [], geography, integer) IS 'The at_most shops of these that are nearest to a point, the nearest first.';

CREATE OR REPLACE FUNCTION list_shops_within(
  area geography, user_lon double precision, user_lat double precision, brand_ids bigint [], all_brands boolean,
  filters shop_filters, sort text, origin text, at_most integer, page_size integer, page_offset integer,
  lang text DEFAULT NULL, member bigint DEFAULT NULL, session bigint DEFAULT NULL, most_examined integer DEFAULT 15000,
  OUT body text, OUT problem text, OUT problem_at double precision []
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  a record;
  o record;
  center geography;
  ids bigint[];
  cut boolean;
BEGIN
  IF session IS NOT NULL AND NOT session_is_live(session, member) THEN
    RETURN;
  END IF;
  a := parts_of_area(area);
  problem := a.problem;
  problem_at := a.problem_at;
  IF problem IS NOT NULL THEN
    RETURN;
  END IF;
  o := shops_of_area(a.whole, a.parts, a.frame, wanted_brands(brand_ids, all_brands), filters, most_examined);
  ids := o.ids;
  cut := o.truncated OR cardinality(ids) > at_most;
  center := from_gnomonic(ST_Centroid(a.whole), a.frame);
  IF cut THEN
    ids := nearest_of(ids, center, at_most);
  END IF;
  body := list_text(coalesce(cardinality(ids), 0), cut, shops_json(
    ids, NULL, NULL, center, point_at(user_lon, user_lat), origin, member, sort, page_size, page_offset, lang));
END $$;
COMMENT ON FUNCTION list_shops_within IS 'Shops of the brands (null: the representative ones, or all) within an area that pass the filters, as list_text; of more than at_most those nearest to its centre. By distance from the user, or without one from the centre; or by rating, reviews or favorites. What is wrong with the area, and where, when it is invalid; all null when the session is not live.';

-- Analysts cannot read the table, so the function runs as its owner (SECURITY DEFINER), returns only ids, and has a search_path in
-- which only the owner can create objects.
CREATE OR REPLACE FUNCTION shops_within(area geography) RETURNS TABLE (shop_id bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  a record;
BEGIN
  SELECT * INTO a FROM parts_of_area(area);
  IF a.problem IS NOT NULL THEN
    RAISE EXCEPTION 'area is invalid: %', concat_ws(' at ', a.problem, a.problem_at);
  END IF;
  RETURN QUERY
  SELECT i.id FROM shops_of_area(a.whole, a.parts, a.frame, NULL, NULL, NULL) AS o
  CROSS JOIN LATERAL unnest(o.ids) AS i (id)
  ORDER BY i.id;
END $$;
COMMENT ON FUNCTION shops_within(geography)
IS 'Ids of the shops that are not closed within an area, including its edges, which are geodesics on the spheroid; raises an error if the area crosses itself.';
REVOKE ALL ON FUNCTION shops_within(geography) FROM public;
