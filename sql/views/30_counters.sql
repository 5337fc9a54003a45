-- Compares the counters of shops and brands with the rows that they count, and repairs them.

CREATE OR REPLACE VIEW counted_shops AS
SELECT
  s.id AS shop_id,
  coalesce(r.review_cnt, 0) AS review_cnt,
  coalesce(r.star_rating_sum, 0) AS star_rating_sum,
  coalesce(f.favorite_cnt, 0) AS favorite_cnt,
  coalesce(r.star_1, 0) AS star_1,
  coalesce(r.star_2, 0) AS star_2,
  coalesce(r.star_3, 0) AS star_3,
  coalesce(r.star_4, 0) AS star_4,
  coalesce(r.star_5, 0) AS star_5,
  coalesce(r.purity_good, 0) AS purity_good,
  coalesce(r.purity_bad, 0) AS purity_bad,
  coalesce(r.retouch_good, 0) AS retouch_good,
  coalesce(r.retouch_bad, 0) AS retouch_bad,
  coalesce(r.item_good, 0) AS item_good,
  coalesce(r.item_bad, 0) AS item_bad
FROM shops AS s
LEFT JOIN (
  SELECT
    v.shop_id,
    count(*)::integer AS review_cnt,
    sum(v.star_rating)::integer AS star_rating_sum,
    (count(*) FILTER (WHERE v.star_rating = 1))::integer AS star_1,
    (count(*) FILTER (WHERE v.star_rating = 2))::integer AS star_2,
    (count(*) FILTER (WHERE v.star_rating = 3))::integer AS star_3,
    (count(*) FILTER (WHERE v.star_rating = 4))::integer AS star_4,
    (count(*) FILTER (WHERE v.star_rating = 5))::integer AS star_5,
    (count(*) FILTER (WHERE v.purity = 'GOOD'))::integer AS purity_good,
    (count(*) FILTER (WHERE v.purity = 'BAD'))::integer AS purity_bad,
    (count(*) FILTER (WHERE v.retouch = 'GOOD'))::integer AS retouch_good,
    (count(*) FILTER (WHERE v.retouch = 'BAD'))::integer AS retouch_bad,
    (count(*) FILTER (WHERE v.item = 'GOOD'))::integer AS item_good,
    (count(*) FILTER (WHERE v.item = 'BAD'))::integer AS item_bad
  FROM reviews AS v WHERE v.hidden_at IS NULL
  GROUP BY v.shop_id
) AS r ON r.shop_id = s.id
LEFT JOIN (
  SELECT g.shop_id, count(*)::integer AS favorite_cnt FROM favorites AS g GROUP BY g.shop_id
) AS f ON f.shop_id = s.id;
COMMENT ON VIEW counted_shops IS 'Correct values of the counters of every shop, from reviews and favorites';

CREATE OR REPLACE VIEW counter_differences AS
SELECT c.shop_id
FROM counted_shops AS c
INNER JOIN shops AS s ON s.id = c.shop_id
LEFT JOIN shop_stats AS t ON t.shop_id = c.shop_id
WHERE (s.review_cnt, s.star_rating_sum, s.favorite_cnt) <> (c.review_cnt, c.star_rating_sum, c.favorite_cnt)
  OR (
    coalesce(t.star_1, 0), coalesce(t.star_2, 0), coalesce(t.star_3, 0), coalesce(t.star_4, 0), coalesce(t.star_5, 0),
    coalesce(t.purity_good, 0), coalesce(t.purity_bad, 0), coalesce(t.retouch_good, 0), coalesce(t.retouch_bad, 0),
    coalesce(t.item_good, 0), coalesce(t.item_bad, 0)
  ) <> (
    c.star_1, c.star_2, c.star_3, c.star_4, c.star_5,
    c.purity_good, c.purity_bad, c.retouch_good, c.retouch_bad, c.item_good, c.item_bad
  );
COMMENT ON VIEW counter_differences IS 'Shops with wrong counters; empty unless rows were changed bypassing the service';

CREATE OR REPLACE FUNCTION repair_counters(shop bigint) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  c counted_shops;
BEGIN
  PERFORM FROM shops s WHERE s.id = shop FOR NO KEY UPDATE;
  SELECT * INTO c FROM counted_shops w WHERE w.shop_id = shop;
  UPDATE shops s SET
    review_cnt = c.review_cnt, star_rating_sum = c.star_rating_sum, favorite_cnt = c.favorite_cnt
  WHERE s.id = shop;
  INSERT INTO shop_stats (shop_id) VALUES (shop) ON CONFLICT DO NOTHING;
  UPDATE shop_stats t SET
    star_1 = c.star_1, star_2 = c.star_2, star_3 = c.star_3, star_4 = c.star_4, star_5 = c.star_5,
    purity_good = c.purity_good, purity_bad = c.purity_bad,
    retouch_good = c.retouch_good, retouch_bad = c.retouch_bad,
    item_good = c.item_good, item_bad = c.item_bad
  WHERE t.shop_id = shop;
  RETURN true;
END $$;
COMMENT ON FUNCTION repair_counters(bigint) IS 'Recounts a shop from its rows while holding the shop''s lock.';

CREATE OR REPLACE VIEW brand_counter_differences AS
SELECT b.id AS brand_id, b.shop_cnt, coalesce(c.shop_cnt, 0)::integer AS counted
FROM brands AS b
LEFT JOIN (
  SELECT s.brand_id, count(*) AS shop_cnt FROM shops AS s WHERE s.status <> 'CLOSED' GROUP BY s.brand_id
) AS c ON c.brand_id = b.id
WHERE b.shop_cnt <> coalesce(c.shop_cnt, 0);
COMMENT ON VIEW brand_counter_differences
IS 'Brands with a wrong number of shops; empty unless rows were changed bypassing the service''s commands';

-- Called at the end of every transaction that changes brands or statuses of shops. The lock is needed because concurrent
-- transactions would not see each other's changes.
CREATE OR REPLACE FUNCTION refresh_brand_counts() RETURNS integer
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  ids bigint [];
  counts integer [];
BEGIN
  LOCK TABLE brands IN SHARE UPDATE EXCLUSIVE MODE;
  SELECT array_agg(d.brand_id), array_agg(d.counted) INTO ids, counts FROM brand_counter_differences d;
  UPDATE brands b SET shop_cnt = n.shop_cnt FROM unnest(ids, counts) n (id, shop_cnt) WHERE b.id = n.id;
  RETURN coalesce(cardinality(ids), 0);
END $$;
COMMENT ON FUNCTION refresh_brand_counts() IS 'Recounts the shops of every brand; returns the number of changed brands.';
