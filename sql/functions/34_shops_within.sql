-- Search in an area: shops within a polygon or several, whose edges are geodesics.

CREATE OR REPLACE FUNCTION wanted_brands(brand_ids bigint [], all_brands boolean) RETURNS bigint []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN CASE WHEN brand_ids IS NOT NULL OR all_brands THEN brand_ids ELSE ARRAY(SELECT d.id FROM default_brands AS d) END;
END $$;
COMMENT ON FUNCTION wanted_brands(bigint [], boolean)
IS 'Brands of a search: the given ones with their sub-brands, else the representative ones; null for all.';

-- Lists of the searches by shape. What belongs to a shop in one search alone comes as text.
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
        CASE WHEN lang IS NULL THEN r.card ELSE r.card || coalesce(
          (SELECT display_text(d, lang) FROM shop_displays d WHERE d.shop_id = r.id AND d.made_of = r.display_source),
          display_json(r.id, lang)) END, r.counts, b.card, b.image_path, origin, r.m,
        member IS NOT NULL AND EXISTS (SELECT FROM favorites AS f WHERE f.member_id = member AND f.shop_id = r.id)) AS json
      FROM (
        SELECT t.id, t.extra, s.brand_id, s.card, s.counts,
          CASE WHEN lang IS NOT NULL THEN display_source(s.place_name, s.road_address, s.lot_address, s.brand_id, s.sigungu_id)
          END AS display_source, metres(ST_Distance(s.geog, viewer)) AS m,
          row_number() OVER (ORDER BY
            CASE sort
              WHEN 'rating' THEN -s.star_rating_sum / nullif(s.review_cnt, 0)::float8
              WHEN 'reviews' THEN -s.review_cnt
              WHEN 'favorites' THEN -s.favorite_cnt
              ELSE 0
            END, coalesce(t.rank, distance_rank(ST_Distance(s.geog, coalesce(viewer, center)))), t.id) AS place
        FROM unnest(ids, ranks, extras) AS t (id, rank, extra) INNER JOIN shops AS s ON s.id = t.id
        ORDER BY place LIMIT page_size OFFSET page_offset
      ) AS r
      LEFT JOIN brands AS b ON b.id = r.brand_id
    ) AS q
  );
END $$;
COMMENT ON FUNCTION shops_json IS 'A page of these shops as JSON, each with its extra members; by rank, or by rating, reviews or favorites (best first), then rank, then id. The rank is the distance from the viewer, or from the centre, unless given; without a viewer distances are unknown. With lang each has its display.';

CREATE OR REPLACE FUNCTION box_around(part geometry, lon double precision, lat double precision) RETURNS geography
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  west double precision := ST_XMin(part) - 1e-9;
  south double precision := ST_YMin(part) - 1e-9;
  east double precision := ST_XMax(part) + 1e-9;
  north double precision := ST_YMax(part) + 1e-9;
  corner geometry := from_gnomonic(ST_MakePoint(west, south), lon, lat)::geometry;
BEGIN
  RETURN ST_MakePolygon(ST_MakeLine(ARRAY[
    corner, from_gnomonic(ST_MakePoint(west, north), lon, lat)::geometry,
    from_gnomonic(ST_MakePoint(east, north), lon, lat)::geometry,
    from_gnomonic(ST_MakePoint(east, south), lon, lat)::geometry, corner]))::geography;
END $$;
COMMENT ON FUNCTION box_around(geometry, double precision, double precision)
IS 'The rectangle around a part of the gnomonic plane, as an area of great circles; 6 mm wider, for rounding.';

-- Cut into parts, because an index is probed with boxes: the box of a long, thin area holds mostly other shops.
-- An area of very many corners is not cut: each cut through a jagged edge makes a part of every tooth.
CREATE OR REPLACE FUNCTION area_parts(
  area geography, OUT lon double precision, OUT lat double precision, OUT whole geometry, OUT parts geometry [], OUT boxes geography [],
  OUT problem text, OUT problem_at double precision []
)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  shape geometry := ST_Multi(area::geometry);
  middle double precision[];
  farthest double precision;
  spot geography;
BEGIN
  SELECT ARRAY[sum(cosd(ST_Y(d.geom)) * cosd(ST_X(d.geom))), sum(cosd(ST_Y(d.geom)) * sind(ST_X(d.geom))), sum(sind(ST_Y(d.geom)))]
  INTO middle FROM ST_DumpPoints(shape) AS d;
  lon := atan2d(middle[2], middle[1]);
  lat := atan2d(middle[3], sqrt(middle[1] ^ 2 + middle[2] ^ 2));
  SELECT min(sind(lat) * sind(ST_Y(d.geom)) + cosd(lat) * cosd(ST_Y(d.geom)) * cosd(ST_X(d.geom) - lon)) INTO farthest
  FROM ST_DumpPoints(shape) AS d;
  IF farthest < cosd(22.5) OR ST_Perimeter(area) > 40000000 THEN
    problem := 'too large';
    RETURN;
  END IF;
  SELECT ST_Collect(q.polygon) INTO whole
  FROM (
    SELECT ST_MakePolygon((array_agg(r.ring) FILTER (WHERE r.path[2] = 1))[1],
      coalesce(array_agg(r.ring ORDER BY r.path[2]) FILTER (WHERE r.path[2] > 1), '{}')) AS polygon
    FROM (
      SELECT p.ring AS path, ST_MakeLine(gnomonic(p.at, lon, lat) ORDER BY p.number, p.piece) AS ring
      FROM geodesic_pieces(shape, 2000) AS p
      GROUP BY p.ring
    ) AS r
    GROUP BY r.path[1]
  ) AS q;
  SELECT v.reason, from_gnomonic(v.location, lon, lat) INTO problem, spot
  FROM ST_IsValidDetail(whole) AS v WHERE NOT v.valid;
  IF problem IS NOT NULL THEN
    problem_at := ARRAY[ST_X(spot::geometry), ST_Y(spot::geometry)];
    RETURN;
  END IF;
  parts := CASE
    WHEN ST_NPoints(whole) BETWEEN 17 AND 2000 THEN ARRAY(SELECT ST_Subdivide(whole, greatest(10, ST_NPoints(whole) / 200)))
    ELSE ARRAY(SELECT (ST_Dump(whole)).geom) END;
  boxes := ARRAY(SELECT box_around(p.part, lon, lat) FROM unnest(parts) WITH ORDINALITY AS p (part, n) ORDER BY p.n);
END $$;
COMMENT ON FUNCTION area_parts(geography)
IS 'An area in the gnomonic plane of its middle (lon, lat), whole, in parts and with their boxes; or what is wrong with it and where [lon, lat]. The interior is the smaller side of each ring.';


-- Analysts' form; the list below reads the same parts with filters.
CREATE OR REPLACE FUNCTION shops_within(area geography) RETURNS SETOF shops
LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
DECLARE
  a record;
BEGIN
  SELECT * INTO a FROM area_parts(area);
  IF a.problem IS NOT NULL THEN
    RAISE EXCEPTION 'area is invalid: %', concat_ws(' at ', a.problem, a.problem_at);
  END IF;
  RETURN QUERY
  SELECT s.* FROM shops AS s
  WHERE s.id = ANY (ARRAY(
      SELECT n.id FROM unnest(a.parts, a.boxes) AS p (part, box) CROSS JOIN LATERAL shops_near(p.box, 0) AS n
      WHERE ST_Intersects(p.part, gnomonic(n.geog, a.lon, a.lat))));
END $$;
COMMENT ON FUNCTION shops_within(geography)
IS 'Shops that are not closed within an area, edges included, by geodesics on the spheroid; fails where the area crosses itself.';

-- Of more than at_most shops in the area the nearest to its centre are listed. The index supplies them by its own order,
-- which is that of a sphere, and all within the distance of the last one are sorted by the spheroid (as in last_nearest).
CREATE OR REPLACE FUNCTION nearest_within(
  whole geometry, lon double precision, lat double precision, center geography,
  brand_ids bigint [], filters shop_filters, at_most integer, most_examined integer, OUT ids bigint [], OUT truncated boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  box geography := box_around(whole, lon, lat);
  reach_m double precision;
BEGIN
  SELECT max(ST_Distance(q.geog, center)) + 0.001, count(*) > at_most OR coalesce(bool_or(q.number > most_examined), false)
  INTO reach_m, truncated
  FROM (
    SELECT (n.s).geog, n.number
    FROM (
      SELECT t.s, row_number() OVER () AS number
      FROM (
        SELECT s FROM shops AS s WHERE s.status <> 'CLOSED' AND s.geog && box ORDER BY s.geog <-> center LIMIT most_examined + 1
      ) AS t
    ) AS n
    WHERE n.number > most_examined OR (
      ST_Intersects(whole, gnomonic((n.s).geog, lon, lat))
      AND (brand_ids IS NULL OR (n.s).brand_id = ANY (brand_ids)) AND (filters IS NULL OR shop_passes(n.s, filters)))
    LIMIT at_most + 1
  ) AS q;
  ids := ARRAY(
    SELECT s.id FROM shops_near(center, reach_m) AS s
    WHERE s.geog && box AND ST_Intersects(whole, gnomonic(s.geog, lon, lat))
      AND (brand_ids IS NULL OR s.brand_id = ANY (brand_ids)) AND (filters IS NULL OR shop_passes(s, filters))
    ORDER BY ST_Distance(s.geog, center), s.id LIMIT at_most);
END $$;
COMMENT ON FUNCTION nearest_within IS 'The at_most shops of an area that pass and lie nearest to the centre, among the most_examined nearest of its box; truncated where there may be more.';

CREATE OR REPLACE FUNCTION list_shops_within(
  area geography, user_lon double precision, user_lat double precision, brand_ids bigint [], all_brands boolean,
  filters shop_filters, sort text, origin text, at_most integer, page_size integer, page_offset integer,
  lang text DEFAULT NULL, member bigint DEFAULT NULL, session bigint DEFAULT NULL, most_examined integer DEFAULT 20000,
  OUT body text, OUT problem text, OUT problem_at double precision []
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
DECLARE
  viewer geography := point_at(user_lon, user_lat);
  wanted bigint[] := wanted_brands(brand_ids, all_brands);
  plain boolean := filters IS NULL;
  a record;
  center geography;
  ids bigint[];
  too_many boolean;
  cut boolean := false;
BEGIN
  IF session IS NOT NULL AND NOT session_is_live(session, member) THEN
    RETURN;
  END IF;
  SELECT * INTO a FROM area_parts(area);
  problem := a.problem;
  problem_at := a.problem_at;
  IF problem IS NOT NULL THEN
    RETURN;
  END IF;
  center := from_gnomonic(ST_Centroid(a.whole), a.lon, a.lat);
  SELECT array_agg(DISTINCT q.id) FILTER (WHERE q.number <= most_examined), coalesce(bool_or(q.number > most_examined), false)
  INTO ids, too_many
  FROM (
    SELECT (c.s).id, c.number
    FROM (
      SELECT s, p.part, row_number() OVER () AS number
      FROM unnest(a.parts, a.boxes) AS p (part, box) CROSS JOIN LATERAL shops_near(p.box, 0) AS s
      LIMIT most_examined + 1
    ) AS c
    WHERE c.number > most_examined OR (
      ST_Intersects(c.part, gnomonic((c.s).geog, a.lon, a.lat))
      AND (wanted IS NULL OR (c.s).brand_id = ANY (wanted)) AND (plain OR shop_passes(c.s, filters)))
  ) AS q;
  IF too_many THEN
    SELECT n.ids, n.truncated INTO ids, cut
    FROM nearest_within(a.whole, a.lon, a.lat, center, wanted, filters, at_most, most_examined / 2) AS n;
  ELSIF cardinality(ids) > at_most THEN
    cut := true;
    ids := ARRAY(SELECT s.id FROM shops AS s WHERE s.id = ANY (ids) ORDER BY ST_Distance(s.geog, center), s.id LIMIT at_most);
  END IF;
  body := list_text(coalesce(cardinality(ids), 0), cut, shops_json(
    ids, NULL, NULL, center, viewer, origin, member, sort, page_size, page_offset, lang));
END $$;
COMMENT ON FUNCTION list_shops_within IS 'Shops of the brands (null: the representative ones, or all) within an area that pass the filters, as list_text; of more than at_most those nearest to its centre. By distance from the user, or without one from the centre; or by rating, reviews or favorites. What is wrong with the area, and where, when it is invalid; all null when the session is not live.';
