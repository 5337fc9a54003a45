-- Favorites: the list and two commands, both idempotent.

-- Uses a generic plan, because planning the join reads the lowest live id, which is slow if that row has many dead versions.
CREATE OR REPLACE FUNCTION favorite_json(favorite bigint, viewer geography, origin text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN (
    SELECT concat('{"id":', f.id, ',"shop":', shop_json(
        s.card, s.counts, b.card, b.image_path, origin, q.m, true), '}')
    FROM favorites f
    JOIN shops s ON s.id = f.shop_id
    LEFT JOIN brands b ON b.id = s.brand_id
    CROSS JOIN LATERAL (
      SELECT metres(ST_Distance(s.geog, viewer)) AS m
      OFFSET 0  -- keeps m a value: shop_json uses it several times and is not inlined with an expression
    ) q
    WHERE f.id = favorite);
END $$;
COMMENT ON FUNCTION favorite_json(bigint, geography, text)
IS 'A favorite with its shop as JSON; the distance is empty if viewer is null.';

CREATE OR REPLACE FUNCTION favorites_json(
  member bigint, session bigint, user_lon double precision, user_lat double precision, origin text,
  at_most integer, page_size integer, page_offset integer, lang text DEFAULT NULL
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  viewer geography := point_at(user_lon, user_lat);
  total integer;
  body text;
BEGIN
  IF NOT session_is_live(session, member) THEN
    RETURN NULL;
  END IF;
  SELECT count(*) INTO total FROM (SELECT FROM favorites f WHERE f.member_id = member LIMIT at_most + 1) q;
  SELECT '[' || coalesce(string_agg(
      concat('{"id":', q.id, ',"shop":', shop_json(
        q.card, q.counts, b.card, b.image_path, origin, q.m, true), '}'),
      ',' ORDER BY q.created_at DESC, q.id DESC), '') || ']'
  INTO body
  FROM (
    SELECT r.id, r.created_at, metres(ST_Distance(s.geog, viewer)) AS m,
      s.brand_id, s.counts,
      CASE WHEN lang IS NULL THEN s.card ELSE s.card ||
        (SELECT d FROM display_of(s.id, display_source(s), lang) AS d) END AS card
    FROM (
      SELECT f.id, f.shop_id, f.created_at FROM favorites f WHERE f.member_id = member
      ORDER BY f.created_at DESC, f.id DESC LIMIT page_size OFFSET page_offset
    ) r
    JOIN shops s ON s.id = r.shop_id
    OFFSET 0  -- keeps m a value: shop_json uses it several times and is not inlined with an expression
  ) q
  LEFT JOIN brands b ON b.id = q.brand_id;
  RETURN list_text(least(total, at_most), total > at_most, body);
END $$;
COMMENT ON FUNCTION favorites_json(bigint, bigint, double precision, double precision, text, integer, integer, integer, text)
IS 'Favorites of a member, most recently added first, as list_text; with lang, each shop has its display; null if the session is not live.';

CREATE OR REPLACE FUNCTION add_favorite(
  member bigint, session bigint, shop bigint, user_lon double precision, user_lat double precision,
  moment timestamptz, zone text, origin text, key text, request_hash bytea,
  OUT outcome text, OUT body text, OUT item_id bigint, OUT replayed boolean
)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  held bigint;
  awarded bigint[] := ARRAY[]::bigint[];
BEGIN
  SELECT * INTO outcome, body, item_id, replayed FROM begin_creation(member, session, key, request_hash);
  IF outcome IS NOT NULL THEN
    RETURN;
  END IF;
  shop := begin_command_on(shop);
  SELECT f.id INTO held FROM favorites f WHERE f.member_id = member AND f.shop_id = shop;
  outcome := CASE WHEN held IS NULL THEN 'created' ELSE 'existing' END;
  item_id := shop;
  IF held IS NULL THEN
    IF NOT EXISTS (SELECT FROM shops s WHERE s.id = shop) THEN
      outcome := 'shop_missing';
      RETURN;
    END IF;
    INSERT INTO favorites (member_id, shop_id, created_at) VALUES (member, shop, moment) RETURNING id INTO held;
    awarded := award_titles(member, 'favorite', moment, zone);
    UPDATE shops s SET favorite_cnt = s.favorite_cnt + 1 WHERE s.id = shop;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'shop % no longer exists', shop USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;
  body := concat(left(favorite_json(held, point_at(user_lon, user_lat), origin), -1),
    ',"awarded_titles":', held_titles_json(awarded, origin), '}');
  PERFORM store_result(member, key, request_hash, outcome, body, item_id, moment);
END $$;
COMMENT ON FUNCTION add_favorite
IS 'Adds a favorite: created, existing, session_ended, key_reused or shop_missing; item_id is the shop; replayed is true for the stored result of an earlier request.';

CREATE OR REPLACE FUNCTION remove_favorite(
  member bigint, session bigint, shop bigint,
  OUT outcome text, OUT body text
)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  left_cnt integer;
BEGIN
  IF NOT begin_command(member, session) THEN
    outcome := 'session_ended';
    RETURN;
  END IF;
  shop := begin_command_on(shop);
  UPDATE shops s SET favorite_cnt = s.favorite_cnt - 1
  WHERE s.id = shop AND EXISTS (SELECT FROM favorites f WHERE f.member_id = member AND f.shop_id = shop)
  RETURNING s.favorite_cnt INTO left_cnt;
  IF FOUND THEN
    DELETE FROM favorites f WHERE f.member_id = member AND f.shop_id = shop;
  ELSE
    SELECT s.favorite_cnt INTO left_cnt FROM shops s WHERE s.id = shop;
    IF NOT FOUND THEN
      outcome := 'shop_missing';
      RETURN;
    END IF;
  END IF;
  outcome := 'deleted';
  body := concat('{"shop_id":', shop, ',"favorite":false,"favorite_cnt":', left_cnt, '}');
END $$;
COMMENT ON FUNCTION remove_favorite
IS 'Removes a favorite if it exists: deleted, session_ended or shop_missing.';
