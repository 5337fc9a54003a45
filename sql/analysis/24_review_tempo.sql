-- Question:   In which weeks and at which hours are reviews written?
-- Parameters: region    name, full name or code of a region; blank for the whole country
--             brand     name or alias of a brand, sub-brands included; blank for all
--             timezone  time zone of weeks, days and hours (default Asia/Seoul)
-- Columns:    part        week: one row per week; hour: one row per weekday and hour
--             week        Monday of the week; null in part hour
--             dow         weekday, 1 is Monday; null in part week
--             hour        hour of the day, 0 to 23; null in part week
--             reviews     reviews written then
--             moving_avg  mean of the week and the three before it; null in part hour and before the fourth week
--             avg_rating  their average rating, 1 to 5; null without reviews
-- Method:     date_trunc and date_part in the local time zone; weeks and hours without reviews have 0 (generate_series,
--             left join).
-- QGIS:       No geometry.
\set ON_ERROR_STOP on
\if :{?region} \else
\set region ''
\endif
\if :{?brand} \else
\set brand ''
\endif
\if :{?timezone} \else
\set timezone 'Asia/Seoul'
\endif

WITH wanted AS MATERIALIZED (
  SELECT r.region_id, find_brand(:'brand') AS brand_ids
  FROM find_region(:'region') AS r
),
shop AS MATERIALIZED (
  SELECT s.id
  FROM wanted AS w
  CROSS JOIN v_shop AS s
  WHERE
    CASE WHEN w.region_id IS NULL THEN true ELSE w.region_id IN (s.sido_id, s.sigungu_id, s.dong_id) END
    AND CASE WHEN w.brand_ids IS NULL THEN true ELSE s.brand_id = ANY (w.brand_ids) END
),
local AS MATERIALIZED (
  SELECT
    date_trunc('hour', v.created_at AT TIME ZONE :'timezone') AS time,
    count(*) AS reviews,
    sum(v.star_rating) AS stars
  FROM v_review AS v
  INNER JOIN shop AS s ON s.id = v.shop_id
  GROUP BY 1
),
weekly AS (
  SELECT date_trunc('week', time) AS week, sum(reviews) AS reviews, sum(stars) AS stars FROM local GROUP BY 1
),
hourly AS (
  SELECT date_part('isodow', time) AS dow, date_part('hour', time) AS hour, sum(reviews) AS reviews, sum(stars) AS stars
  FROM local
  GROUP BY 1, 2
),
calendar AS (
  SELECT generate_series(min(week), max(week), interval '1 week') AS week FROM weekly
)
SELECT
  'week' AS part,
  c.week::date AS week,
  NULL::integer AS dow,
  NULL::integer AS hour,
  coalesce(w.reviews, 0)::bigint AS reviews,
  CASE WHEN count(*) OVER last_four = 4 THEN (avg(coalesce(w.reviews, 0)) OVER last_four)::double precision END
  AS moving_avg,
  w.stars / w.reviews::double precision AS avg_rating
FROM calendar AS c
LEFT JOIN weekly AS w ON w.week = c.week
WINDOW last_four AS (ORDER BY c.week ROWS 3 PRECEDING)
UNION ALL
SELECT 'hour', NULL, d, h, coalesce(o.reviews, 0)::bigint, NULL, o.stars / o.reviews::double precision
FROM generate_series(1, 7) AS d
CROSS JOIN generate_series(0, 23) AS h
LEFT JOIN hourly AS o ON o.dow = d AND o.hour = h
ORDER BY part DESC, week, dow, hour;
