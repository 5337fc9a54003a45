-- Waits for imports and corrections that began before the column existed.
LOCK TABLE brands IN SHARE UPDATE EXCLUSIVE MODE;
UPDATE brands AS b SET shop_cnt = c.shop_cnt
FROM (
  SELECT s.brand_id, count(*) AS shop_cnt FROM shops AS s WHERE s.status <> 'CLOSED' GROUP BY s.brand_id
) AS c
WHERE b.id = c.brand_id;
