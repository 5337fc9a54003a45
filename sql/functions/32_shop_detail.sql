-- The details of a shop, and the list of brands.

-- STABLE as json_build_object is: PostgreSQL inlines no IMMUTABLE function that calls a STABLE one, and would plan its body
-- in every call.
CREATE OR REPLACE FUNCTION facet_json(good integer, bad integer, reviews integer) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE
RETURN json_build_object(
  'good', coalesce(good, 0), 'bad', coalesce(bad, 0), 'unselected', reviews - coalesce(good, 0) - coalesce(bad, 0),
  'good_ratio', CASE WHEN good + bad > 0 THEN round(good::numeric / (good + bad), 3) END
);
COMMENT ON FUNCTION facet_json(integer, integer, integer) IS 'Votes on one facet, with the share of GOOD among GOOD and BAD votes.';

CREATE OR REPLACE FUNCTION nickname_in(m members, lang text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(m.nickname, CASE lang WHEN 'en' THEN 'Former member' WHEN 'ja' THEN '退会した会員' WHEN 'zh-Hans' THEN '已注销的会员'
  WHEN 'zh-Hant' THEN '已註銷的會員' ELSE '탈퇴한 회원' END);
COMMENT ON FUNCTION nickname_in(members, text) IS 'The nickname to show; for a withdrawn member, a placeholder in the language, Korean by default.';

CREATE OR REPLACE FUNCTION is_open_now(s shops, zone text) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE
  WHEN (s).status <> 'OPEN' THEN false
  WHEN (s).opening_hours <> '[]' THEN (s).open_minutes @> public.minute_of_week(now(), zone)
END;
COMMENT ON FUNCTION is_open_now(shops, text) IS 'Whether the shop is open now in a time zone; null if its opening hours are unknown.';

-- PL/pgSQL, because it caches the plan.
CREATE OR REPLACE FUNCTION recent_reviews_json(shop bigint, zone text, at_most integer, lang text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (
    SELECT '[' || coalesce(string_agg(
      concat('{"review_info":', review_info_json(r, zone),
        ',"member_info":{"id":', m.id, ',"nickname":', to_json(nickname_in(m, lang))::text, '}}'),
      ',' ORDER BY r.created_at DESC, r.id DESC), '') || ']'
    FROM (
      SELECT v.id, v.member_id FROM reviews v WHERE v.shop_id = shop AND v.hidden_at IS NULL
      ORDER BY v.created_at DESC, v.id DESC LIMIT at_most
    ) q
    JOIN reviews r ON r.id = q.id
    JOIN members m ON m.id = q.member_id);
END $$;
COMMENT ON FUNCTION recent_reviews_json(bigint, text, integer, text) IS 'The newest visible reviews of a shop with their authors.';

CREATE OR REPLACE FUNCTION shop_detail(
  shop bigint, user_lon double precision, user_lat double precision, origin text, zone text,
  member bigint DEFAULT NULL, session bigint DEFAULT NULL, lang text DEFAULT NULL
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  body text;
BEGIN
  IF session IS NOT NULL AND NOT session_is_live(session, member) THEN
    RETURN NULL;
  END IF;
  SELECT concat(
      left(shop_json(q.card, s.counts, b.card, b.image_path, origin, q.m,
        member IS NOT NULL AND EXISTS (SELECT FROM favorites f WHERE f.member_id = member AND f.shop_id = s.id)), -1),
      ',"region":', json_build_object(
        'sido', coalesce(r1.name, ''), 'sigungu', coalesce(r2.name, ''), 'dong', coalesce(r3.name, '')),
      ',"phone":', to_json(s.phone), ',"homepage":', to_json(s.homepage),
      ',"opened_on":', coalesce(to_json(s.opened_on)::text, 'null'),
      ',"closed_on":', coalesce(to_json(s.closed_on)::text, 'null'),
      CASE WHEN s.merged_into_id IS NOT NULL THEN ',"merged_into_id":' || s.merged_into_id END,
      ',"opening_hours":', s.opening_hours::text,
      ',"open_now":', coalesce(is_open_now(s, zone)::text, 'null'),
      ',"rating_counts":', json_build_object('1', coalesce(t.star_1, 0), '2', coalesce(t.star_2, 0),
        '3', coalesce(t.star_3, 0), '4', coalesce(t.star_4, 0), '5', coalesce(t.star_5, 0)),
      ',"tag_stats":', json_build_object(
        'purity', facet_json(t.purity_good, t.purity_bad, s.review_cnt),
        'retouch', facet_json(t.retouch_good, t.retouch_bad, s.review_cnt),
        'item', facet_json(t.item_good, t.item_bad, s.review_cnt)),
      ',"recent_reviews":', recent_reviews_json(s.id, zone, 3, lang), '}')
  INTO body
  FROM shops s
  LEFT JOIN brands b ON b.id = s.brand_id
  LEFT JOIN regions r1 ON r1.id = s.sido_id
  LEFT JOIN regions r2 ON r2.id = s.sigungu_id
  LEFT JOIN regions r3 ON r3.id = s.dong_id
  LEFT JOIN shop_stats t ON t.shop_id = s.id
  CROSS JOIN LATERAL (
    SELECT metres(ST_Distance(s.geog, point_at(user_lon, user_lat))) AS m,
      CASE WHEN lang IS NULL THEN s.card ELSE s.card ||
        (SELECT d FROM display_of(s.id, display_source(s), lang) AS d) END AS card
    OFFSET 0  -- keeps m a value: shop_json uses it several times and is not inlined with an expression
  ) q
  WHERE s.id = shop;
  RETURN coalesce(body, '');
END $$;
COMMENT ON FUNCTION shop_detail IS 'All details of a shop as JSON; an empty string if the shop does not exist, null if the session is not live.';

CREATE OR REPLACE FUNCTION brands_json(origin text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT coalesce(json_agg(json_build_object(
    'id', b.id, 'brand_name', b.name, 'file_path', origin || b.image_path,
    'is_representative', b.is_representative, 'parent_id', b.parent_id,
    'shop_cnt', b.shop_cnt
  ) ORDER BY b.is_representative DESC, b.id), '[]')::text
  FROM brands AS b;
END;
COMMENT ON FUNCTION brands_json(text) IS 'Every brand with the number of its shops that are not closed, as JSON.';
