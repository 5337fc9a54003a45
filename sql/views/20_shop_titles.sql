-- Shop titles. refresh_shop_titles() stores them in shops.shop_titles.
--   핫플레이스   new favorites of the last 30 days in the top decile of shops that had any, and at least 3
--   청결한 지점, 보정 맛집, 소품 부자   purity, retouch, item: at least 3 votes in reviews of the last 90 days,
--               and the Wilson lower bound of the share of GOOD is at least 0.5
--   뜨는 지점    at least 5 reviews in the last 30 days, and at least twice those of the 30 days before
-- Closed shops and hidden reviews do not count.

CREATE OR REPLACE FUNCTION shop_titles_at(moment timestamptz) RETURNS TABLE (shop_id bigint, shop_titles text [])
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  WITH new_favorites AS (
    SELECT f.shop_id, count(*) AS favorite_cnt FROM favorites AS f
    WHERE f.created_at > moment - interval '30 days' AND f.created_at <= moment
    GROUP BY f.shop_id
  ),
  top_decile AS (
    SELECT percentile_disc(0.9) WITHIN GROUP (ORDER BY n.favorite_cnt) AS favorite_cnt FROM new_favorites AS n
  ),
  votes AS (
    SELECT
      r.shop_id,
      (count(*) FILTER (WHERE r.purity = 'GOOD'))::integer AS purity_good,
      (count(*) FILTER (WHERE r.purity <> 'UNSELECTED'))::integer AS purity_cnt,
      (count(*) FILTER (WHERE r.retouch = 'GOOD'))::integer AS retouch_good,
      (count(*) FILTER (WHERE r.retouch <> 'UNSELECTED'))::integer AS retouch_cnt,
      (count(*) FILTER (WHERE r.item = 'GOOD'))::integer AS item_good,
      (count(*) FILTER (WHERE r.item <> 'UNSELECTED'))::integer AS item_cnt,
      count(*) FILTER (WHERE r.created_at > moment - interval '30 days') AS recent_cnt,
      count(*) FILTER (
        WHERE r.created_at > moment - interval '60 days' AND r.created_at <= moment - interval '30 days'
      ) AS before_cnt
    FROM reviews AS r
    WHERE r.created_at > moment - interval '90 days' AND r.created_at <= moment AND r.hidden_at IS NULL
    GROUP BY r.shop_id
  ),
  earned AS (
    SELECT n.shop_id, 1 AS place, '핫플레이스' AS title
    FROM new_favorites AS n CROSS JOIN top_decile AS d
    WHERE n.favorite_cnt >= greatest(3, d.favorite_cnt)
    UNION ALL
    SELECT v.shop_id, t.place, t.title
    FROM votes AS v
    CROSS JOIN LATERAL (VALUES
      (2, '청결한 지점', v.purity_cnt >= 3 AND wilson_low(v.purity_good, v.purity_cnt) >= 0.5),
      (3, '보정 맛집', v.retouch_cnt >= 3 AND wilson_low(v.retouch_good, v.retouch_cnt) >= 0.5),
      (4, '소품 부자', v.item_cnt >= 3 AND wilson_low(v.item_good, v.item_cnt) >= 0.5),
      (5, '뜨는 지점', v.recent_cnt >= 5 AND v.recent_cnt >= 2 * v.before_cnt)
    ) AS t (place, title, is_earned)
    WHERE t.is_earned
  )
  SELECT s.id, coalesce(array_agg(e.title ORDER BY e.place) FILTER (WHERE e.title IS NOT NULL), '{}')
  FROM shops AS s
  LEFT JOIN earned AS e ON e.shop_id = s.id AND s.status <> 'CLOSED'
  GROUP BY s.id;
END;
COMMENT ON FUNCTION shop_titles_at(timestamptz) IS 'Titles of every shop at a moment.';

-- Locks shops in the order of their ids, as members' commands do, so that they cannot deadlock.
CREATE OR REPLACE FUNCTION refresh_shop_titles(moment timestamptz) RETURNS integer
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  changed integer;
BEGIN
  WITH news AS MATERIALIZED (
    SELECT t.shop_id, t.shop_titles
    FROM shop_titles_at(moment) t JOIN shops s ON s.id = t.shop_id
    WHERE s.shop_titles <> t.shop_titles
  ),
  locked AS MATERIALIZED (
    SELECT s.id FROM shops s WHERE s.id IN (SELECT n.shop_id FROM news n) ORDER BY s.id FOR NO KEY UPDATE
  )
  UPDATE shops s SET shop_titles = n.shop_titles
  FROM news n JOIN locked l ON l.id = n.shop_id
  WHERE s.id = n.shop_id;
  GET DIAGNOSTICS changed = ROW_COUNT;
  RETURN changed;
END $$;
COMMENT ON FUNCTION refresh_shop_titles(timestamptz)
IS 'Refreshes shops.shop_titles from shop_titles_at; updates only rows that differ and returns their number.';
