-- Question:   How many shops opened and closed in each month?
-- Parameters: region      name, full name or code of a region; blank for the whole country
--             brand       name or alias of a brand, sub-brands included; blank for all
--             level       all for one series of the whole region; sido, sigungu or dong for one per subregion (default all)
--             by_brand    yes for one series per main brand, no for all brands together (default no)
--             from_month  first month, YYYY-MM; blank for the first known opening
--             to_month    last month, YYYY-MM; blank for the last known change
-- Columns:    month        first day of the month
--             region_code  code of the region; null for the whole country and for shops without a region
--             region       its full name
--             brand        main brand; (none) for shops without one, (all) unless by_brand is yes
--             opened       shops opened in the month
--             closed       shops closed in the month
--             net          opened minus closed
--             open_at_end  shops open at the end of the month
-- Method:     Running sum over all months for each region and brand with a shop (generate_series, left join). A shop
--             without an opening day counts as open from the start. Closed shops without a closing day and merged
--             duplicates are excluded.
-- QGIS:       No geometry: join region_code to v_region, and use month as the field of the temporal controller.
\set ON_ERROR_STOP on
\if :{?region} \else
\set region ''
\endif
\if :{?brand} \else
\set brand ''
\endif
\if :{?level} \else
\set level all
\endif
\if :{?by_brand} \else
\set by_brand no
\endif
\if :{?from_month} \else
\set from_month ''
\endif
\if :{?to_month} \else
\set to_month ''
\endif

WITH wanted AS MATERIALIZED (
  SELECT
    r.region_id,
    find_brand(:'brand') AS brand_ids,
    one_of('level', :'level', ARRAY['all', 'sido', 'sigungu', 'dong']) AS level,
    one_of('by_brand', :'by_brand', ARRAY['yes', 'no']) = 'yes' AS by_brand
  FROM find_region(:'region') AS r
),
shop AS MATERIALIZED (
  SELECT
    CASE w.level
      WHEN 'all' THEN w.region_id WHEN 'sido' THEN s.sido_id WHEN 'sigungu' THEN s.sigungu_id ELSE s.dong_id
    END AS region_id,
    CASE WHEN w.by_brand THEN coalesce(s.main_brand, '(none)') ELSE '(all)' END AS brand,
    date_trunc('month', s.opened_on)::date AS opened,
    date_trunc('month', s.closed_on)::date AS closed
  FROM wanted AS w
  CROSS JOIN v_shop AS s
  WHERE
    CASE WHEN w.region_id IS NULL THEN true ELSE w.region_id IN (s.sido_id, s.sigungu_id, s.dong_id) END
    AND CASE WHEN w.brand_ids IS NULL THEN true ELSE s.brand_id = ANY (w.brand_ids) END
    AND s.merged_into_id IS NULL
    AND (s.status <> 'CLOSED' OR s.closed_on IS NOT NULL)
),
span AS MATERIALIZED (
  SELECT
    CASE WHEN :'from_month' = '' THEN min(least(opened, closed)) ELSE month_of('from_month', :'from_month') END AS first,
    CASE WHEN :'to_month' = '' THEN max(greatest(opened, closed)) ELSE month_of('to_month', :'to_month') END AS last
  FROM shop
),
series AS MATERIALIZED (
  SELECT
    s.region_id,
    s.brand,
    count(*) FILTER (WHERE s.opened IS NULL OR s.opened < p.first)
    - count(*) FILTER (WHERE s.closed < p.first) AS before
  FROM shop AS s
  CROSS JOIN span AS p
  GROUP BY s.region_id, s.brand
),
change AS MATERIALIZED (
  SELECT region_id, brand, month, sum(opened) AS opened, sum(closed) AS closed
  FROM (
    SELECT region_id, brand, opened AS month, 1 AS opened, 0 AS closed FROM shop WHERE opened IS NOT NULL
    UNION ALL
    SELECT region_id, brand, closed, 0, 1 FROM shop WHERE closed IS NOT NULL
  ) AS e
  GROUP BY region_id, brand, month
),
line AS MATERIALIZED (
  SELECT s.region_id, s.brand, s.before, m.month::date AS month
  FROM series AS s
  CROSS JOIN span AS p
  CROSS JOIN LATERAL generate_series(p.first::timestamp, p.last::timestamp, interval '1 month') AS m (month)
)
SELECT
  l.month,
  r.code AS region_code,
  r.full_name AS region,
  l.brand,
  coalesce(c.opened, 0) AS opened,
  coalesce(c.closed, 0) AS closed,
  coalesce(c.opened, 0) - coalesce(c.closed, 0) AS net,
  (l.before + sum(coalesce(c.opened, 0) - coalesce(c.closed, 0)) OVER (
    PARTITION BY l.region_id, l.brand ORDER BY l.month
  ))::bigint AS open_at_end
FROM line AS l
LEFT JOIN change AS c
  ON coalesce(c.region_id, 0) = coalesce(l.region_id, 0) AND c.brand = l.brand AND c.month = l.month
LEFT JOIN v_region AS r ON r.id = l.region_id
ORDER BY l.month, r.code NULLS LAST, l.brand;
