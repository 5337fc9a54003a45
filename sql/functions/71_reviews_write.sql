-- Commands on reviews. Each is one transaction: the row, the shop's counters and histogram, the titles earned.

CREATE OR REPLACE FUNCTION count_votes(
  shop bigint, star_rating integer, purity text, retouch text, item text, step integer
) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  UPDATE shop_stats t SET
    star_1 = t.star_1 + step * (count_votes.star_rating = 1)::integer,
    star_2 = t.star_2 + step * (count_votes.star_rating = 2)::integer,
    star_3 = t.star_3 + step * (count_votes.star_rating = 3)::integer,
    star_4 = t.star_4 + step * (count_votes.star_rating = 4)::integer,
    star_5 = t.star_5 + step * (count_votes.star_rating = 5)::integer,
    purity_good = t.purity_good + step * (purity = 'GOOD')::integer,
    purity_bad = t.purity_bad + step * (purity = 'BAD')::integer,
    retouch_good = t.retouch_good + step * (retouch = 'GOOD')::integer,
    retouch_bad = t.retouch_bad + step * (retouch = 'BAD')::integer,
    item_good = t.item_good + step * (item = 'GOOD')::integer,
    item_bad = t.item_bad + step * (item = 'BAD')::integer
  WHERE t.shop_id = shop;
  RETURN FOUND;
END $$;
COMMENT ON FUNCTION count_votes(bigint, integer, text, text, text, integer)
IS 'Adds or takes away one review in the shop''s histogram and votes; false when the shop has no row of statistics yet.';

CREATE OR REPLACE FUNCTION count_review(
  shop bigint, star_rating integer, purity text, retouch text, item text, step integer
) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  UPDATE shops s SET
    review_cnt = s.review_cnt + step, star_rating_sum = s.star_rating_sum + step * count_review.star_rating
  WHERE s.id = shop;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF NOT count_votes(shop, star_rating, purity, retouch, item, step) THEN
    -- the shop is locked, so nobody else inserts the row
    INSERT INTO shop_stats (shop_id) VALUES (shop);
    PERFORM count_votes(shop, star_rating, purity, retouch, item, step);
  END IF;
  RETURN true;
END $$;
COMMENT ON FUNCTION count_review(bigint, integer, text, text, text, integer)
IS 'Adds (step 1) or takes away (step -1) one review in the shop''s counters; locks the shop; false when there is none.';

CREATE OR REPLACE FUNCTION written_review_json(review bigint, awarded bigint [], origin text, zone text) RETURNS text
LANGUAGE sql STABLE
RETURN concat(left(review_json(review, zone), -1), ',"awarded_titles":', held_titles_json(awarded, origin), '}');
COMMENT ON FUNCTION written_review_json(bigint, bigint [], text, text)
IS 'A written review: the review and the titles it earned, as JSON.';

-- A shop without reviews is locked at once, so that exactly one review is its first. Any other shop is locked last,
-- because the lock is held until the commit has reached the disk: only that is serialised on a shop with many
-- reviewers. Nobody can wait for the new row, so the order of locks holds.
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
BEGIN
  IF NOT begin_command(member, session) THEN
    outcome := 'session_ended';
    RETURN;
  END IF;
  IF key IS NOT NULL THEN
    SELECT * INTO outcome, body, item_id FROM stored_result(member, key, request_hash);
    replayed := outcome IS NOT NULL;
    IF replayed THEN
      RETURN;
    END IF;
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
    IF NOT count_review(shop, star_rating, purity, retouch, item, 1) THEN
      outcome := 'shop_missing';
      RETURN;
    END IF;
  END IF;
  -- the request may be older than a review committed meanwhile; it is dated after that one, so that a shop's first
  -- review stays the first
  SELECT greatest(moment, min(r.created_at) + interval '1 microsecond') INTO moment
  FROM reviews r WHERE r.shop_id = shop AND r.hidden_at IS NULL;
  INSERT INTO reviews (shop_id, member_id, star_rating, content, purity, retouch, item, created_at, modified_at)
  VALUES (shop, member, create_review.star_rating, create_review.content, create_review.purity,
    create_review.retouch, create_review.item, moment, moment)
  RETURNING id INTO item_id;
  outcome := 'created';
  body := written_review_json(item_id, award_titles(member, activity, moment, zone), origin, zone);
  IF key IS NOT NULL THEN
    INSERT INTO idempotency_keys (member_id, key, request_hash, outcome, body, item_id, created_at)
    VALUES (member, create_review.key, create_review.request_hash, create_review.outcome, create_review.body, create_review.item_id, moment);
  END IF;
  IF before_cnt > 0 THEN
    IF NOT count_review(shop, star_rating, purity, retouch, item, 1) THEN
      RAISE EXCEPTION 'shop % has gone', shop USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;
END $$;
COMMENT ON FUNCTION create_review
IS 'A member reviews a shop: created (item_id is the review), session_ended, key_reused, shop_missing or too_many_reviews; replayed for the stored result of an earlier request.';

CREATE OR REPLACE FUNCTION own_review(member bigint, review bigint, OUT failure text, OUT current reviews)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  shop bigint;
  author bigint;
BEGIN
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
  -- while the shop's lock was awaited, the review may have gone, or its shop may have been merged into another
  IF EXISTS (SELECT FROM reviews r WHERE r.id = review AND r.hidden_at IS NULL) THEN
    RAISE EXCEPTION 'review % moved to another shop', review USING ERRCODE = 'serialization_failure';
  END IF;
  failure := 'review_missing';
END $$;
COMMENT ON FUNCTION own_review(bigint, bigint)
IS 'Locks the shop and the review and returns the review; failure is review_missing, or not_author when somebody else wrote it. A serialization failure when the review moves meanwhile: retry.';

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
BEGIN
  IF NOT begin_command(member, session) THEN
    outcome := 'session_ended';
    RETURN;
  END IF;
  SELECT * INTO mine FROM own_review(member, review);
  outcome := mine.failure;
  IF outcome IS NOT NULL THEN
    RETURN;
  END IF;
  old := mine.current;
  IF (old.star_rating, old.purity, old.retouch, old.item)
    IS DISTINCT FROM (change_review.star_rating, change_review.purity, change_review.retouch, change_review.item)
  THEN
    PERFORM count_review(old.shop_id, old.star_rating, old.purity, old.retouch, old.item, -1);
    PERFORM count_review(old.shop_id, star_rating, purity, retouch, item, 1);
  END IF;
  UPDATE reviews r SET
    star_rating = change_review.star_rating, content = change_review.content, purity = change_review.purity,
    retouch = change_review.retouch, item = change_review.item, modified_at = greatest(moment, r.created_at)
  WHERE r.id = review;
  outcome := 'changed';
  body := written_review_json(review, award_titles(member, 'repeated review', moment, zone), origin, zone);
END $$;
COMMENT ON FUNCTION change_review
IS 'A member replaces a review of their own: changed, session_ended, review_missing or not_author.';

CREATE OR REPLACE FUNCTION delete_review(
  member bigint, session bigint, review bigint,
  OUT outcome text, OUT body text
)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  mine record;
  old reviews;
BEGIN
  IF NOT begin_command(member, session) THEN
    outcome := 'session_ended';
    RETURN;
  END IF;
  SELECT * INTO mine FROM own_review(member, review);
  outcome := mine.failure;
  IF outcome IS NOT NULL THEN
    RETURN;
  END IF;
  old := mine.current;
  PERFORM count_review(old.shop_id, old.star_rating, old.purity, old.retouch, old.item, -1);
  -- by a foreign key as well, until sql/scale/keys.sql takes that away
  DELETE FROM reports p WHERE p.review_id = review;
  DELETE FROM reviews r WHERE r.id = review;
  outcome := 'deleted';
  body := '{"id":' || review || '}';
END $$;
COMMENT ON FUNCTION delete_review
IS 'A member deletes a review of their own: deleted, session_ended, review_missing or not_author.';
