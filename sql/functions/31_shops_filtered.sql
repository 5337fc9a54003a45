-- The map's call with filters, another order, a box or pages.

-- 110 stars of 25 reviews are 4.4, but 25 times 4.4 is more than 110 in floating point: the average is compared.
CREATE OR REPLACE FUNCTION shop_passes(
  s shops, t shop_stats, brand_ids bigint [], min_rating double precision, open_minute integer,
  clean double precision, retouch double precision, props double precision
) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (brand_ids IS NULL OR s.brand_id = ANY (brand_ids))
AND (min_rating IS NULL OR coalesce(s.star_rating_sum / nullif(s.review_cnt, 0)::float8, 0) >= min_rating)
AND (open_minute IS NULL OR s.status = 'OPEN' AND s.open_minutes @> open_minute)
AND (clean IS NULL OR wilson_low(t.purity_good, t.purity_good + t.purity_bad) >= clean)
AND (retouch IS NULL OR wilson_low(t.retouch_good, t.retouch_good + t.retouch_bad) >= retouch)
AND (props IS NULL OR wilson_low(t.item_good, t.item_good + t.item_bad) >= props);
COMMENT ON FUNCTION shop_passes(shops, shop_stats, bigint [], double precision, integer, double precision, double precision, double precision)
IS 'True when the shop passes every filter that is not null; shares are Wilson lower bounds of GOOD votes.';

CREATE OR REPLACE FUNCTION shops_around_filtered(
  map_lon double precision, map_lat double precision, user_lon double precision, user_lat double precision,
  radius_m double precision, box double precision [], brand_ids bigint [], all_brands boolean,
  min_rating double precision, open_minute integer,
  clean double precision, retouch double precision, props double precision,
  sort text, origin text, at_most integer, page_size integer, page_offset integer,
  member bigint DEFAULT NULL, session bigint DEFAULT NULL
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  center geography := point_at(map_lon, map_lat);
  wanted bigint[] := CASE WHEN all_brands THEN brand_ids ELSE coalesce(brand_ids, ARRAY(SELECT d.id FROM default_brands d)) END;
  ids bigint[];
  reach_m double precision := radius_m;
  truncated boolean;
BEGIN
  IF session IS NOT NULL AND NOT session_is_live(session, member) THEN
    RETURN NULL;
  END IF;
  IF radius_m IS NULL THEN
    ids := ARRAY(
      SELECT s.id FROM shops_in_box(box[1], box[2], box[3], box[4]) s LEFT JOIN shop_stats t ON t.shop_id = s.id
      WHERE shop_passes(s, t, wanted, min_rating, open_minute, clean, retouch, props)
      LIMIT at_most + 1);
  ELSE
    ids := ARRAY(
      SELECT s.id FROM shops_near(center, radius_m) s LEFT JOIN shop_stats t ON t.shop_id = s.id
      WHERE shop_passes(s, t, wanted, min_rating, open_minute, clean, retouch, props)
        AND (box IS NULL OR is_in_box(s.geog, box))
      LIMIT at_most + 1);
  END IF;
  truncated := cardinality(ids) > at_most;
  IF truncated THEN
    SELECT max(ST_Distance(q.geog, center)) + 0.001 INTO reach_m
    FROM (
      SELECT s.geog FROM shops s LEFT JOIN shop_stats t ON t.shop_id = s.id
      WHERE s.status <> 'CLOSED' AND shop_passes(s, t, wanted, min_rating, open_minute, clean, retouch, props)
        AND (box IS NULL OR is_in_box(s.geog, box))
      ORDER BY s.geog <-> center LIMIT at_most
    ) q;
    ids := ARRAY(
      SELECT s.id FROM shops_near(center, least(reach_m, radius_m)) s LEFT JOIN shop_stats t ON t.shop_id = s.id
      WHERE shop_passes(s, t, wanted, min_rating, open_minute, clean, retouch, props)
        AND (box IS NULL OR is_in_box(s.geog, box))
      ORDER BY ST_Distance(s.geog, center), s.id LIMIT at_most);
  END IF;
  RETURN list_text(cardinality(ids), truncated,
    shops_json(ids, point_at(user_lon, user_lat), origin, member, sort, page_size, page_offset));
END $$;
COMMENT ON FUNCTION shops_around_filtered IS 'shops_around with filters, orders, a box [west, south, east, north] and pages; without radius_m the box alone decides.';

CREATE OR REPLACE FUNCTION is_in_box(geog geography, box double precision []) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ST_Y(geog::geometry) BETWEEN box[2] AND box[4]
AND CASE WHEN box[1] <= box[3] THEN ST_X(geog::geometry) BETWEEN box[1] AND box[3]
  ELSE ST_X(geog::geometry) >= box[1] OR ST_X(geog::geometry) <= box[3] END;
COMMENT ON FUNCTION is_in_box(geography, double precision []) IS 'True for a point within [west, south, east, north] in degrees, edges included.';
