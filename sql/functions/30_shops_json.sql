-- One piece of SQL writes a shop for every list: the stored card and counters, the brand's card, the distance, the flag.
-- Joined by || rather than concat, which writes each of its arguments out before it copies it: 0.8 against 1.05 us a
-- shop. The short parts come first, so that the card is copied once.

CREATE OR REPLACE FUNCTION shop_json(
  card text, counts text, brand_card text, brand_image text, origin text, m integer, favorite boolean
) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN card
|| CASE WHEN brand_card IS NULL THEN '"brand":{"brand_name":"","file_path":""}'
  ELSE brand_card || (origin || brand_image || '"}') END
|| (
  ',"distance":"' || coalesce(public.distance_text(m), '')
  || '","distance_m":' || coalesce(m::text, 'null')
  || CASE WHEN counts = '' THEN ',"star_rating_avg":0.0,"review_cnt":0,"favorite_cnt":0' ELSE counts END
  || CASE WHEN favorite THEN ',"favorite":true}' ELSE ',"favorite":false}' END
);
COMMENT ON FUNCTION shop_json(text, text, text, text, text, integer, boolean)
IS 'A shop summary in JSON; m is the distance from the user in whole metres, null when unknown.';

-- In plpgsql, which keeps its plan: 3 us a call against 21.
CREATE OR REPLACE FUNCTION session_is_live(session bigint, member bigint) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM sessions s
    WHERE s.id = session AND s.member_id = member AND s.ended_at IS NULL AND s.expires_at > now());
END $$;
COMMENT ON FUNCTION session_is_live(bigint, bigint) IS 'True while the member''s session is neither ended nor expired.';

-- The map's call. The box goes to the index on degrees, which is half as large as the one on the globe and fits the
-- circle closer (0.31 against 0.44 ms for 65 shops of a million). Chords tell who is within and how far away in 200
-- instead of 275 us; where they do not, beyond 10 km and next to half a metre, the geodesic is asked.
-- No plan knows how many shops the box holds: one is guessed, and the brands would be read again for each (45 of 345 us).
-- IN reads a member's favorites once; EXISTS looks for each shop, 70 instead of 3 to 25 us for 100 shops and up to 50
-- favorites. Of 500 both take 100, of 3000 IN takes 350 and EXISTS 120.
CREATE OR REPLACE FUNCTION shops_around(
  map_lon double precision, map_lat double precision, user_lon double precision, user_lat double precision,
  radius_m double precision, brand_ids bigint [], origin text, at_most integer,
  member bigint DEFAULT NULL, session bigint DEFAULT NULL
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET plan_cache_mode = force_generic_plan SET enable_nestloop = off AS $$
DECLARE
  center geography := point_at(map_lon, map_lat);
  viewer geography := point_at(user_lon, user_lat);
  center_spot geometry := spot_at(center);
  viewer_spot geometry := spot_at(viewer);
  viewer_z double precision := ST_Z(viewer_spot);
  bend double precision := bend_at(viewer_spot);
  surely_m double precision := chord_within(radius_m);
  all_close boolean := ST_3DDistance(center_spot, viewer_spot) + radius_m < 10000;
  box geometry := box_around(map_lon, map_lat, radius_m);
  nearest bigint[];
  body text;
  total integer;
  truncated boolean;
BEGIN
  IF session IS NOT NULL AND NOT session_is_live(session, member) THEN
    RETURN NULL;
  END IF;
  IF box IS NOT NULL THEN
    SELECT '[' || coalesce(string_agg(
        shop_json(q.card, q.counts, q.brand_card, q.image_path, origin, q.m,
          member IS NOT NULL AND q.id IN (SELECT f.shop_id FROM favorites f WHERE f.member_id = member)),
        ','), '') || ']',
      count(*)
    INTO body, total
    FROM (
      SELECT r.*, b.card AS brand_card, b.image_path,
        CASE
          WHEN abs(r.distance_m - floor(r.distance_m) - 0.5) < 1e-6 THEN metres(ST_Distance(r.geog, viewer))
          ELSE metres(r.distance_m)
        END AS m
      FROM (
        SELECT c.*, coalesce(arc_m(c.chord_m, c.rise_m, bend), ST_Distance(c.geog, viewer)) AS distance_m
        FROM (
          SELECT s.id, s.brand_id, s.card, s.counts, s.geog,
            CASE WHEN all_close THEN ST_3DDistance(s.spot, viewer_spot) END AS chord_m,
            ST_Z(s.spot) - viewer_z AS rise_m
          FROM shops s
          WHERE s.geog::geometry(POINT, 4326) && box AND s.status <> 'CLOSED'
            AND is_within(s.geog, s.spot, center, center_spot, radius_m, surely_m)
            -- asked for inside the statement: as a function call before it, the list cost 0.13 of 0.46 ms
            AND s.brand_id = ANY (coalesce(brand_ids, ARRAY(SELECT d.id FROM default_brands d)))
          LIMIT at_most + 1
        ) c
        OFFSET 0  -- as a value the distance is reckoned once
      ) r
      JOIN brands b ON b.id = r.brand_id
      ORDER BY distance_rank(r.distance_m), r.id  -- before the JSON is written: its text would be copied by the sort
    ) q;
  END IF;
  truncated := total > at_most;
  IF box IS NULL OR truncated THEN
    nearest := nearest_shops(
      center, radius_m, coalesce(brand_ids, ARRAY(SELECT d.id FROM default_brands d)), at_most + 1);
    truncated := cardinality(nearest) > at_most;
    nearest := nearest[:at_most];
    total := cardinality(nearest);
    body := shops_json(nearest, viewer, origin, member, 'distance', at_most, 0);
  END IF;
  RETURN list_text(total, truncated, body);
END $$;
COMMENT ON FUNCTION shops_around(
  double precision, double precision, double precision, double precision, double precision,
  bigint [], text, integer, bigint, bigint
) IS 'Shops of the brands (null: the representative ones) within radius_m of the map centre, by distance from the user, as list_text; null when the session is not alive.';

-- Any shops bound how far the nearest ones can be: those nearest in degrees are found in half the time of those nearest
-- on the sphere, and the circle as far as the farthest of them holds few more (a quarter more in Korea). One millimetre
-- more, because ST_DWithin and ST_Distance may differ in the last bit. The index on the globe is asked only for circles
-- without a box: a large first load builds it after its commit, and the map's call must not wait for it.
CREATE OR REPLACE FUNCTION nearest_shops(
  center geography, radius_m double precision, brand_ids bigint [], at_most integer
) RETURNS bigint []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  reach_m double precision;
  box geometry;
BEGIN
  SELECT least(max(ST_Distance(q.geog, center)) + 0.001, radius_m) INTO reach_m
  FROM (
    SELECT s.geog FROM shops s
    WHERE s.status <> 'CLOSED' AND s.brand_id = ANY (brand_ids)
    ORDER BY s.geog::geometry(POINT, 4326) <-> center::geometry LIMIT at_most
  ) q;
  box := box_around(ST_X(center::geometry), ST_Y(center::geometry), reach_m);
  IF box IS NULL THEN
    RETURN ARRAY(
      SELECT s.id FROM shops s
      WHERE ST_DWithin(s.geog, center, reach_m) AND s.status <> 'CLOSED' AND s.brand_id = ANY (brand_ids)
      ORDER BY ST_Distance(s.geog, center), s.id LIMIT at_most
    );
  END IF;
  RETURN ARRAY(
    SELECT s.id FROM shops s
    WHERE s.geog::geometry(POINT, 4326) && box AND ST_DWithin(s.geog, center, reach_m) IS TRUE
      AND s.status <> 'CLOSED' AND s.brand_id = ANY (brand_ids)
    ORDER BY ST_Distance(s.geog, center), s.id LIMIT at_most
  );
END $$;
COMMENT ON FUNCTION nearest_shops(geography, double precision, bigint [], integer)
IS 'The shops of the brands nearest to a point by the spheroid, found nearest-first by the index.';

-- Any set of shops as JSON in the wanted order.
CREATE OR REPLACE FUNCTION shops_json(
  ids bigint [], viewer geography, origin text, member bigint, sort text, page_size integer, page_offset integer
) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT '[' || coalesce(string_agg(
      public.shop_json(q.card, q.counts, b.card, b.image_path, origin, q.m,
        member IS NOT NULL AND EXISTS (
          SELECT FROM public.favorites f WHERE f.member_id = member AND f.shop_id = q.id)),
      ',' ORDER BY q.place), '') || ']'
  FROM (
    SELECT r.*, public.metres(r.distance_m) AS m, row_number() OVER (
      ORDER BY r.sort_key, public.distance_rank(r.distance_m), r.id) AS place
    FROM (
      SELECT s.id, s.brand_id, s.card, s.counts,
        public.ST_Distance(s.geog, viewer) AS distance_m,
        CASE sort
          WHEN 'rating' THEN -s.star_rating_sum / nullif(s.review_cnt, 0)::float8
          WHEN 'reviews' THEN -s.review_cnt
          WHEN 'favorites' THEN -s.favorite_cnt
          ELSE 0
        END AS sort_key
      FROM public.shops s WHERE s.id = ANY (ids)
    ) r
    ORDER BY place LIMIT page_size OFFSET page_offset
  ) q
  LEFT JOIN public.brands b ON b.id = q.brand_id
$$;
COMMENT ON FUNCTION shops_json(bigint [], geography, text, bigint, text, integer, integer)
IS 'The shops as JSON; sort is distance, rating, reviews or favorites (best first), then distance, then id.';
