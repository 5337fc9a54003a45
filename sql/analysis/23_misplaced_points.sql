-- Question:   Which shops are outside the region of their address?
-- Parameters: region  name, full name or code of a region; blank for the whole country
-- Columns:    shop_id         shop
--             place_name      its name
--             address         its road address, otherwise its lot address
--             address_region  full name of the region in the address
--             point_region    region of the same level that contains the point; null if none does
--             offset_m        distance from the point to the region of the address, metres
--             geom            the shop, WGS 84
-- Method:     The start of the address is matched with a 시도 by name or alias, then with its longest 시군구 name, ignoring
--             white space. A shop is listed if its point is outside that region's boundary; addresses of regions
--             without a boundary are skipped.
-- QGIS:       Point layer, size by offset_m: large offsets are wrong coordinates, small ones coarse boundaries.
\set ON_ERROR_STOP on
\if :{?region} \else
\set region ''
\endif

WITH wanted AS MATERIALIZED (
  SELECT * FROM find_region(:'region')
),
shop AS MATERIALIZED (
  SELECT s.id, s.place_name, q.address, name_key(q.address) AS key, split_part(btrim(q.address), ' ', 1) AS word, s.geom
  FROM wanted AS w
  CROSS JOIN v_shop_open AS s
  CROSS JOIN LATERAL (SELECT coalesce(nullif(s.road_address, ''), s.lot_address) AS address) AS q
  WHERE CASE WHEN w.region_id IS NULL THEN true ELSE w.region_id IN (s.sido_id, s.sigungu_id, s.dong_id) END
),
region AS MATERIALIZED (
  SELECT r.id, r.level, r.parent_id, r.full_name, n.name, name_key(n.name) AS key, r.geom IS NOT NULL AS has_boundary
  FROM v_region AS r
  CROSS JOIN LATERAL (SELECT r.name AS name UNION SELECT unnest(r.aliases)) AS n
  WHERE r.level IN ('sido', 'sigungu')
),
province AS MATERIALIZED (
  SELECT s.id, min(r.id) AS sido_id, max(length(r.key)) AS length
  FROM shop AS s
  INNER JOIN region AS r ON r.level = 'sido' AND r.name = s.word
  GROUP BY s.id
),
named AS MATERIALIZED (
  SELECT DISTINCT ON (s.id) s.id, coalesce(d.id, p.sido_id) AS region_id
  FROM shop AS s
  INNER JOIN province AS p ON p.id = s.id
  LEFT JOIN region AS d
    ON d.level = 'sigungu' AND d.parent_id = p.sido_id AND d.has_boundary
    AND starts_with(substr(s.key, p.length + 1), d.key)
  ORDER BY s.id, length(d.key) DESC NULLS LAST, d.id
),
placed AS MATERIALIZED (
  SELECT
    n.id,
    n.region_id,
    r.level,
    ARRAY(
      SELECT t.region_id FROM v_region_part AS t
      WHERE t.level = r.level AND ST_Intersects(t.geom, s.geom)
    ) AS holds
  FROM named AS n
  INNER JOIN shop AS s ON s.id = n.id
  INNER JOIN (SELECT DISTINCT id, level, has_boundary FROM region) AS r ON r.id = n.region_id AND r.has_boundary
)
SELECT
  s.id AS shop_id,
  s.place_name,
  s.address,
  a.full_name AS address_region,
  b.full_name AS point_region,
  (
    SELECT min(ST_Distance(t.geom::geography, s.geom::geography)) FROM v_region_part AS t WHERE t.region_id = p.region_id
  ) AS offset_m,
  s.geom
FROM placed AS p
INNER JOIN shop AS s ON s.id = p.id
INNER JOIN v_region AS a ON a.id = p.region_id
LEFT JOIN v_region AS b ON b.id = p.holds[1]
-- A condition without columns in the outermost query is checked before any row is read, even if there are no regions.
WHERE p.region_id <> ALL (p.holds) AND need_boundaries(ARRAY['sido', 'sigungu'], NULL)
ORDER BY offset_m DESC, s.id;
