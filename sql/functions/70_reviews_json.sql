-- Reviews as the contract writes them, and their lists. Hidden reviews do not appear. In PL/pgSQL, because
-- an SQL function that reads tables is planned at every call; to_json and not json_string, which cannot be inlined.

CREATE OR REPLACE FUNCTION review_json(review bigint, zone text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (
    SELECT concat(
      '{"review_info":', review_info_json(r, zone),
      ',"member_info":{"id":', m.id, ',"nickname":', to_json(nickname_of(m))::text,
      '},"shop_info":{"id":', s.id, ',"brand":', to_json(coalesce(b.name, ''))::text,
      ',"place_name":', to_json(s.place_name)::text, '}}')
    FROM reviews r
    JOIN members m ON m.id = r.member_id
    JOIN shops s ON s.id = r.shop_id
    LEFT JOIN brands b ON b.id = s.brand_id
    WHERE r.id = review AND r.hidden_at IS NULL);
END $$;
COMMENT ON FUNCTION review_json(bigint, text) IS 'One visible review with author and shop as JSON; null when there is none.';

CREATE OR REPLACE FUNCTION shop_reviews_json(
  shop bigint, sort text, zone text, at_most integer, page_size integer, page_offset integer
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  total integer;
  body text;
  by_stars integer := CASE sort WHEN 'highest' THEN -1 WHEN 'lowest' THEN 1 END;
  ids bigint[];
BEGIN
  SELECT s.review_cnt INTO total FROM shops s WHERE s.id = shop;
  IF total IS NULL THEN
    RETURN NULL;
  END IF;
  IF by_stars IS NULL THEN
    ids := ARRAY(
      SELECT r.id FROM reviews r WHERE r.shop_id = shop AND r.hidden_at IS NULL
      ORDER BY r.created_at DESC, r.id DESC LIMIT page_size OFFSET page_offset);
  ELSE
    ids := ARRAY(
      SELECT r.id FROM reviews r WHERE r.shop_id = shop AND r.hidden_at IS NULL
      ORDER BY r.star_rating * by_stars, r.created_at DESC, r.id DESC LIMIT page_size OFFSET page_offset);
  END IF;
  SELECT '[' || coalesce(string_agg(
      concat('{"review_info":', review_info_json(r, zone),
        ',"member_info":{"id":', m.id, ',"nickname":', to_json(nickname_of(m))::text,
        ',"main_member_title":', to_json(coalesce(t.name, ''))::text, '}}'),
      ',' ORDER BY q.place), '') || ']'
  INTO body
  FROM unnest(ids) WITH ORDINALITY AS q (id, place)
  JOIN reviews r ON r.id = q.id
  JOIN members m ON m.id = r.member_id
  LEFT JOIN member_titles h ON h.member_id = m.id AND h.is_main
  LEFT JOIN titles t ON t.id = h.title_id;
  RETURN list_text(least(total, at_most), total > at_most, body);
END $$;
COMMENT ON FUNCTION shop_reviews_json(bigint, text, text, integer, integer, integer)
IS 'Reviews of a shop with their authors as list_text; sort is newest, highest or lowest; null when there is no such shop.';

CREATE OR REPLACE FUNCTION member_reviews_json(
  member bigint, session bigint, sort text, zone text, at_most integer, page_size integer, page_offset integer
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  total integer;
  body text;
  by_stars integer := CASE sort WHEN 'highest' THEN -1 WHEN 'lowest' THEN 1 ELSE 0 END;
BEGIN
  IF NOT session_is_live(session, member) THEN
    RETURN NULL;
  END IF;
  SELECT count(*) INTO total
  FROM (SELECT FROM reviews r WHERE r.member_id = member AND r.hidden_at IS NULL LIMIT at_most + 1) q;
  SELECT '[' || coalesce(string_agg(review_json(q.id, zone), ',' ORDER BY q.place), '') || ']'
  INTO body
  FROM (
    SELECT r.id, row_number() OVER (ORDER BY r.star_rating * by_stars, r.created_at DESC, r.id DESC) AS place
    FROM reviews r WHERE r.member_id = member AND r.hidden_at IS NULL
    ORDER BY place LIMIT page_size OFFSET page_offset
  ) q;
  RETURN list_text(least(total, at_most), total > at_most, body);
END $$;
COMMENT ON FUNCTION member_reviews_json(bigint, bigint, text, text, integer, integer, integer)
IS 'Reviews by a member with their shops as list_text; null when the session is not live.';
