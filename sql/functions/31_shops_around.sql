-- The radius search of the map: filtered, sorted and paged.

-- Separate, because a subquery would prevent inlining of shop_passes; the generic plan survives callers' settings. The query
-- only fetches the row: PL/pgSQL evaluates an expression without a table without the executor. A shop without votes has a
-- share of 0.
CREATE OR REPLACE FUNCTION votes_pass(shop bigint, filters shop_filters) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  votes record;
BEGIN
  SELECT t.purity_good, t.purity_bad, t.retouch_good, t.retouch_bad, t.item_good, t.item_bad INTO votes
  FROM shop_stats AS t WHERE t.shop_id = shop;
  RETURN (filters.clean IS NULL OR wilson_low(votes.purity_good, votes.purity_good + votes.purity_bad) >= filters.clean)
    AND (filters.retouch IS NULL OR wilson_low(votes.retouch_good, votes.retouch_good + votes.retouch_bad) >= filters.retouch)
    AND (filters.props IS NULL OR wilson_low(votes.item_good, votes.item_good + votes.item_bad) >= filters.props);
END $$;
COMMENT ON FUNCTION votes_pass(bigint, shop_filters)
IS 'Whether the shop''s votes pass the filters; shares are Wilson lower bounds of GOOD votes.';

-- Compares the average, not the sum: 110 stars in 25 reviews are 4.4, but 25 * 4.4 > 110 in floating point.
CREATE OR REPLACE FUNCTION shop_passes(s shops, filters shop_filters) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN filters IS NULL OR (
  ((filters).box IS NULL OR is_in_box((s).geog, (filters).box))
  AND (
    (filters).min_rating IS NULL
    OR coalesce((s).star_rating_sum / nullif((s).review_cnt, 0)::float8, 0) >= (filters).min_rating
  )
  AND ((filters).open_minute IS NULL OR (s).status = 'OPEN' AND (s).open_minutes @> (filters).open_minute)
  AND (num_nonnulls((filters).clean, (filters).retouch, (filters).props) = 0 OR votes_pass((s).id, filters))
);
COMMENT ON FUNCTION shop_passes(shops, shop_filters) IS 'Whether the shop passes every filter; true without filters.';

CREATE OR REPLACE FUNCTION wanted_brands(brand_ids bigint [], all_brands boolean) RETURNS bigint []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN CASE WHEN brand_ids IS NOT NULL OR all_brands THEN brand_ids ELSE ARRAY(SELECT d.id FROM default_brands AS d) END;
END $$;
COMMENT ON FUNCTION wanted_brands(bigint [], boolean)
IS 'Brands of a search: the given ones with their sub-brands, else the representative ones; null for all brands.';

CREATE OR REPLACE FUNCTION is_wanted(s shops, brand_ids bigint [], filters shop_filters) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (brand_ids IS NULL OR (s).brand_id = ANY (brand_ids)) AND shop_passes(s, filters);
COMMENT ON FUNCTION is_wanted(shops, bigint [], shop_filters)
IS 'Whether the shop belongs to one of the brands (null: any) and passes the filters.';

-- The index orders by distance on a sphere. The largest spheroidal distance among its first at_most shops is an upper bound
-- for the at_most nearest, so the shops within that bound are sorted by distance on the spheroid. A millimetre is added,
-- because ST_DWithin and ST_Distance may differ in the last bit.
CREATE OR REPLACE FUNCTION last_nearest(
  center geography, radius_m double precision, brand_ids bigint [], filters shop_filters, at_most integer,
  OUT distance_m double precision, OUT id bigint
)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET plan_cache_mode = force_custom_plan SET enable_seqscan = off AS $$
DECLARE
  reach_m double precision;
BEGIN
  SELECT least(max(ST_Distance(q.geog, center)) + 0.001, radius_m) INTO reach_m
  FROM (
    SELECT s.geog FROM shops AS s
    WHERE s.status <> 'CLOSED' AND is_wanted(s, brand_ids, filters)
    ORDER BY s.geog <-> center LIMIT at_most
  ) AS q;
  SELECT ST_Distance(s.geog, center), s.id INTO distance_m, last_nearest.id
  FROM shops_near(center, reach_m) AS s
  WHERE is_wanted(s, brand_ids, filters)
  ORDER BY distance_rank(ST_Distance(s.geog, center)), s.id OFFSET at_most - 1 LIMIT 1;
END $$;
COMMENT ON FUNCTION last_nearest
IS 'Distance on the spheroid and id of the last of the at_most nearest shops that pass, in the order of searches.';

-- The planner cannot estimate the number of shops in a circle, so the plan must not depend on it: shops come from an index,
-- and brands are joined by a hash join. A search that finds more than at_most shops runs again for the nearest of them.
-- The condition of is_wanted() is written out, because PL/pgSQL keeps an array variable expanded, and would flatten the wanted
-- brands for every row; the query reads the default ones once.
CREATE OR REPLACE FUNCTION shops_around(
  map_lon double precision, map_lat double precision, user_lon double precision, user_lat double precision,
  radius_m double precision, brand_ids bigint [], origin text, at_most integer,
  member bigint DEFAULT NULL, session bigint DEFAULT NULL, all_brands boolean DEFAULT false,
  filters shop_filters DEFAULT NULL, sort text DEFAULT 'distance',
  page_size integer DEFAULT 1000, page_offset integer DEFAULT 0, lang text DEFAULT NULL
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET plan_cache_mode = force_generic_plan SET enable_nestloop = off SET enable_seqscan = off AS $$
DECLARE
  center geography := point_at(map_lon, map_lat);
  viewer geography := point_at(user_lon, user_lat);
  every_brand boolean := all_brands AND brand_ids IS NULL;
  circle_center geography := center;
  reach_m double precision := radius_m;
  last_m double precision;
  last_id bigint;
  body text;
  total integer;
BEGIN
  IF session IS NOT NULL AND NOT session_is_live(session, member) THEN
    RETURN NULL;
  END IF;
  IF radius_m IS NULL THEN
    SELECT c.center, c.radius_m INTO circle_center, reach_m FROM circle_around(filters.box) AS c;
  END IF;
  LOOP
    SELECT count(*), '[' || coalesce(string_agg(
        shop_json(CASE WHEN lang IS NULL THEN q.card ELSE q.card ||
            (SELECT d FROM display_of(q.id, q.display_source, lang) AS d) END,
          q.counts, q.brand_card, q.image_path, origin, q.m,
          member IS NOT NULL AND q.id IN (SELECT f.shop_id FROM favorites AS f WHERE f.member_id = member)),
        ',') FILTER (WHERE q.place > page_offset AND q.place <= page_offset + page_size), '') || ']'
    INTO total, body
    FROM (
      SELECT r.*, metres(r.distance_m) AS m, b.card AS brand_card, b.image_path,
        row_number() OVER (ORDER BY r.sort_key, distance_rank(r.distance_m), r.id) AS place
      FROM (
        SELECT s.id, s.brand_id, s.card, s.counts, ST_Distance(s.geog, viewer) AS distance_m,
          CASE WHEN lang IS NOT NULL THEN display_source(s) END AS display_source,
          sort_key(s, sort) AS sort_key
        FROM shops_near(circle_center, reach_m) AS s
        WHERE (every_brand OR s.brand_id = ANY (coalesce(brand_ids, ARRAY(SELECT d.id FROM default_brands AS d))))
          AND shop_passes(s, filters)
          AND (last_id IS NULL OR (distance_rank(ST_Distance(s.geog, center)), s.id) <= (distance_rank(last_m), last_id))
        LIMIT at_most + 1
      ) AS r
      LEFT JOIN brands AS b ON b.id = r.brand_id
    ) AS q;
    EXIT WHEN total <= at_most;
    SELECT n.distance_m, n.id INTO last_m, last_id
    FROM last_nearest(center, radius_m, wanted_brands(brand_ids, all_brands), filters, at_most) AS n;
    circle_center := center;
    reach_m := least(last_m + 0.001, radius_m);
  END LOOP;
  RETURN list_text(total, last_id IS NOT NULL, body);
END $$;
COMMENT ON FUNCTION shops_around IS 'Shops of the brands (null: the representative ones, or all) within radius_m of the map centre that pass the filters, as list_text; without radius_m, those in the box of the filters. If there are more than at_most, those nearest to the centre. Sorted by distance from the user, rating, reviews or favorites (best first), then distance, then id. With lang, each shop has its display. Null if the session is not live.';
