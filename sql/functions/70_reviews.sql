-- Reviews as JSON, their lists, and their commands. Hidden reviews are not shown. The functions use PL/pgSQL, because an SQL
-- function that reads tables is planned at every call, and to_json instead of json_string, which cannot be inlined.

CREATE OR REPLACE FUNCTION review_info_json(r reviews, zone text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN concat(
  '{"id":', r.id, ',"create_date":', date_array(r.created_at, zone), ',"modify_date":', date_array(r.modified_at, zone),
  ',"star_rating":', r.star_rating, ',"content":', to_json(r.content)::text,
  ',"purity":"', r.purity, '","retouch":"', r.retouch, '","item":"', r.item, '"}'
);
COMMENT ON FUNCTION review_info_json(reviews, text) IS 'A review as JSON, the object review_info of the contract.';

CREATE OR REPLACE FUNCTION review_json(review bigint, zone text, lang text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (
    SELECT concat(
      '{"review_info":', review_info_json(r, zone),
      ',"member_info":{"id":', m.id, ',"nickname":', to_json(nickname_in(m, lang))::text,
      '},"shop_info":{', CASE WHEN lang IS NOT NULL THEN
        (SELECT d FROM display_of(s.id, display_source(s), lang) AS d) END,
      '"id":', s.id, ',"brand":', to_json(coalesce(b.name, ''))::text,
      ',"place_name":', to_json(s.place_name)::text, '}}')
    FROM reviews r
    JOIN members m ON m.id = r.member_id
    JOIN shops s ON s.id = r.shop_id
    LEFT JOIN brands b ON b.id = s.brand_id
    WHERE r.id = review AND r.hidden_at IS NULL);
END $$;
COMMENT ON FUNCTION review_json(bigint, text, text)
IS 'A visible review with author and shop as JSON; with lang, the shop has its display; null if the review does not exist.';

CREATE OR REPLACE FUNCTION star_order(sort text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE sort WHEN 'highest' THEN -1 WHEN 'lowest' THEN 1 END;
COMMENT ON FUNCTION star_order(text)
IS 'Factor of the star rating in the sort key of reviews: highest or lowest first; null for newest first.';

CREATE OR REPLACE FUNCTION shop_reviews_json(
  shop bigint, sort text, zone text, at_most integer, page_size integer, page_offset integer, lang text DEFAULT NULL
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  total integer;
  body text;
  by_stars integer := star_order(sort);
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
        ',"member_info":{"id":', m.id, ',"nickname":', to_json(nickname_in(m, lang))::text,
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
COMMENT ON FUNCTION shop_reviews_json(bigint, text, text, integer, integer, integer, text)
IS 'Reviews of a shop with their authors as list_text; sort is newest, highest or lowest; null if the shop does not exist.';

CREATE OR REPLACE FUNCTION member_reviews_json(
  member bigint, session bigint, sort text, zone text, at_most integer, page_size integer, page_offset integer,
  lang text DEFAULT NULL
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  total integer;
  body text;
  by_stars integer := star_order(sort);
BEGIN
  IF NOT session_is_live(session, member) THEN
    RETURN NULL;
  END IF;
  SELECT count(*) INTO total
  FROM (SELECT FROM reviews r WHERE r.member_id = member AND r.hidden_at IS NULL LIMIT at_most + 1) q;
  SELECT '[' || coalesce(string_agg(review_json(q.id, zone, lang), ',' ORDER BY q.place), '') || ']'
  INTO body
  FROM (
    SELECT r.id, row_number() OVER (ORDER BY r.star_rating * by_stars, r.created_at DESC, r.id DESC) AS place
    FROM reviews r WHERE r.member_id = member AND r.hidden_at IS NULL
    ORDER BY place LIMIT page_size OFFSET page_offset
  ) q;
  RETURN list_text(least(total, at_most), total > at_most, body);
END $$;
COMMENT ON FUNCTION member_reviews_json(bigint, bigint, text, text, integer, integer, integer, text)
IS 'Reviews by a member with their shops as list_text; with lang, each shop has its display; null if the session is not live.';

-- Commands. Each changes the row, the shop's counters and histogram, and the earned titles in one transaction.

CREATE OR REPLACE FUNCTION count_votes(r reviews, step integer) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  UPDATE shop_stats t SET
    star_1 = t.star_1 + step * (r.star_rating = 1)::integer,
    star_2 = t.star_2 + step * (r.star_rating = 2)::integer,
    star_3 = t.star_3 + step * (r.star_rating = 3)::integer,
    star_4 = t.star_4 + step * (r.star_rating = 4)::integer,
    star_5 = t.star_5 + step * (r.star_rating = 5)::integer,
    purity_good = t.purity_good + step * (r.purity = 'GOOD')::integer,
    purity_bad = t.purity_bad + step * (r.purity = 'BAD')::integer,
    retouch_good = t.retouch_good + step * (r.retouch = 'GOOD')::integer,
    retouch_bad = t.retouch_bad + step * (r.retouch = 'BAD')::integer,
    item_good = t.item_good + step * (r.item = 'GOOD')::integer,
    item_bad = t.item_bad + step * (r.item = 'BAD')::integer
  WHERE t.shop_id = r.shop_id;
  RETURN FOUND;
END $$;
COMMENT ON FUNCTION count_votes(reviews, integer)
IS 'Adds (step 1) or removes (step -1) one review in the shop''s histogram and votes; false if the shop has no statistics row yet.';

CREATE OR REPLACE FUNCTION count_review(r reviews, step integer) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  UPDATE shops s SET
    review_cnt = s.review_cnt + step, star_rating_sum = s.star_rating_sum + step * r.star_rating
  WHERE s.id = r.shop_id;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF NOT count_votes(r, step) THEN
    -- the shop is locked, so no other transaction inserts the row
    INSERT INTO shop_stats (shop_id) VALUES (r.shop_id);
    PERFORM count_votes(r, step);
  END IF;
  RETURN true;
END $$;
COMMENT ON FUNCTION count_review(reviews, integer)
IS 'Adds (step 1) or removes (step -1) one review in the shop''s counters and locks the shop; false if the shop does not exist.';

CREATE OR REPLACE FUNCTION written_review_json(review bigint, awarded bigint [], origin text, zone text) RETURNS text
LANGUAGE sql STABLE
RETURN concat(left(review_json(review, zone), -1), ',"awarded_titles":', held_titles_json(awarded, origin), '}');
COMMENT ON FUNCTION written_review_json(bigint, bigint [], text, text)
IS 'A created review and the titles that it earned, as JSON.';

-- A shop without reviews is locked first, so that exactly one review is its first. Any other shop is locked last, because
-- the lock is held until the commit has been flushed: on a shop with many reviewers, only the flush is serialised. No
-- transaction can wait for the new row, so this does not violate the lock order.
CREATE OR REPLACE FUNCTION create_review(
  member bigint, session bigint, shop bigint,
  star_rating integer, content text, purity text, retouch text, item text,
  moment timestamptz, zone text, origin text, most_a_shop integer, key text, request_hash bytea,
  OUT outcome text, OUT body text, OUT item_id bigint, OUT replayed boolean
)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  before_cnt integer;
  activity text := 'review';
  written reviews;
BEGIN
  SELECT * INTO outcome, body, item_id, replayed FROM begin_creation(member, session, key, request_hash);
  IF outcome IS NOT NULL THEN
    RETURN;
  END IF;
  shop := begin_command_on(shop);
  SELECT s.review_cnt INTO before_cnt FROM shops s WHERE s.id = shop;
  IF before_cnt IS NULL THEN
    outcome := 'shop_missing';
    RETURN;
  END IF;
  IF most_a_shop > 0 AND most_a_shop <= (
    SELECT count(*) FROM reviews r WHERE r.member_id = member AND r.shop_id = shop AND r.hidden_at IS NULL
  ) THEN
    outcome := 'too_many_reviews';
    RETURN;
  END IF;
  IF EXISTS (SELECT FROM reviews r WHERE r.member_id = member AND r.shop_id = shop AND r.hidden_at IS NULL) THEN
    activity := 'repeated review';
  END IF;
  IF before_cnt = 0 THEN
    PERFORM FROM shops s WHERE s.id = shop FOR NO KEY UPDATE;
  END IF;
  -- a review that was committed in the meantime may be newer than this request; this one is then dated after it, so that
  -- a shop's first review stays the first
  SELECT greatest(moment, min(r.created_at) + interval '1 microsecond') INTO moment
  FROM reviews r WHERE r.shop_id = shop AND r.hidden_at IS NULL;
  INSERT INTO reviews (shop_id, member_id, star_rating, content, purity, retouch, item, created_at, modified_at)
  VALUES (shop, member, create_review.star_rating, create_review.content, create_review.purity,
    create_review.retouch, create_review.item, moment, moment)
  RETURNING * INTO written;
  item_id := written.id;
  outcome := 'created';
  body := written_review_json(item_id, award_titles(member, activity, moment, zone), origin, zone);
  PERFORM store_result(member, key, request_hash, outcome, body, item_id, moment);
  IF NOT count_review(written, 1) THEN
    RAISE EXCEPTION 'shop % no longer exists', shop USING ERRCODE = 'serialization_failure';
  END IF;
END $$;
COMMENT ON FUNCTION create_review
IS 'Creates a review: created (item_id is the review), session_ended, key_reused, shop_missing or too_many_reviews; replayed is true for the stored result of an earlier request.';

CREATE OR REPLACE FUNCTION own_review(member bigint, session bigint, review bigint, OUT failure text, OUT current reviews)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  shop bigint;
  author bigint;
BEGIN
  IF NOT begin_command(member, session) THEN
    failure := 'session_ended';
    RETURN;
  END IF;
  SELECT r.shop_id, r.member_id INTO shop, author FROM reviews r WHERE r.id = review AND r.hidden_at IS NULL;
  IF author <> member THEN
    failure := 'not_author';
    RETURN;
  END IF;
  PERFORM FROM shops s WHERE s.id = shop FOR NO KEY UPDATE;
  SELECT r.* INTO current FROM reviews r
  WHERE r.id = review AND r.member_id = member AND r.shop_id = shop AND r.hidden_at IS NULL FOR UPDATE;
  IF current.id IS NOT NULL THEN
    RETURN;
  END IF;
  -- while waiting for the shop's lock, the review may have been deleted or its shop merged into another
  IF EXISTS (SELECT FROM reviews r WHERE r.id = review AND r.hidden_at IS NULL) THEN
    RAISE EXCEPTION 'review % moved to another shop', review USING ERRCODE = 'serialization_failure';
  END IF;
  failure := 'review_missing';
END $$;
COMMENT ON FUNCTION own_review(bigint, bigint, bigint)
IS 'Begins a command on a review: locks the shop and the review and returns the review; failure is session_ended, review_missing, or not_author for a review by another member. Raises a serialization failure, for a retry, if the review has moved to another shop.';

CREATE OR REPLACE FUNCTION change_review(
  member bigint, session bigint, review bigint,
  star_rating integer, content text, purity text, retouch text, item text,
  moment timestamptz, zone text, origin text,
  OUT outcome text, OUT body text
)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  mine record;
  old reviews;
  written reviews;
BEGIN
  SELECT * INTO mine FROM own_review(member, session, review);
  outcome := mine.failure;
  IF outcome IS NOT NULL THEN
    RETURN;
  END IF;
  old := mine.current;
  UPDATE reviews r SET
    star_rating = change_review.star_rating, content = change_review.content, purity = change_review.purity,
    retouch = change_review.retouch, item = change_review.item, modified_at = greatest(moment, r.created_at)
  WHERE r.id = review RETURNING r.* INTO written;
  IF (old.star_rating, old.purity, old.retouch, old.item)
    IS DISTINCT FROM (written.star_rating, written.purity, written.retouch, written.item)
  THEN
    PERFORM count_review(old, -1);
    PERFORM count_review(written, 1);
  END IF;
  outcome := 'changed';
  body := written_review_json(review, award_titles(member, 'repeated review', moment, zone), origin, zone);
END $$;
COMMENT ON FUNCTION change_review
IS 'Replaces a review of the member: changed, session_ended, review_missing or not_author.';

CREATE OR REPLACE FUNCTION delete_review(
  member bigint, session bigint, review bigint,
  OUT outcome text, OUT body text
)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  mine record;
  old reviews;
BEGIN
  SELECT * INTO mine FROM own_review(member, session, review);
  outcome := mine.failure;
  IF outcome IS NOT NULL THEN
    RETURN;
  END IF;
  old := mine.current;
  PERFORM count_review(old, -1);
  DELETE FROM reviews r WHERE r.id = review;
  outcome := 'deleted';
  body := '{"id":' || review || '}';
END $$;
COMMENT ON FUNCTION delete_review
IS 'Deletes a review of the member: deleted, session_ended, review_missing or not_author.';
