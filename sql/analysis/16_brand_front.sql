-- Question:   How far has each brand spread from its first shop in each month?
-- Parameters: region  name, full name or code of a region; blank for the whole country
--             brand   name or alias of a brand, sub-brands included; blank for all
-- Columns:    brand         main brand
--             month         first day of the month
--             opened        shops opened in the month
--             n             shops opened until its end, including closed ones
--             max_dist_km   distance of the farthest of them from the first shop, km
--             mean_dist_km  their mean distance from the first shop, including the first, km
--             geom          mean position of the shops opened until then, WGS 84
-- Method:     The first shop is the one that opened first, on ties the one with the lower identifier. Running maximum
--             and mean of distances on the spheroid. Shops without an opening day are excluded. Months without openings
--             have no row.
-- QGIS:       Point layer with the temporal controller on month, which shows the centre moving.
\set ON_ERROR_STOP on
\if :{?region} \else
\set region ''
\endif
\if :{?brand} \else
\set brand ''
\endif

WITH wanted AS MATERIALIZED (
  SELECT r.region_id, find_brand(:'brand') AS brand_ids
  FROM find_region(:'region') AS r
),
shop AS MATERIALIZED (
  SELECT s.id, s.main_brand AS brand, s.opened_on, s.geog, s.geom
  FROM wanted AS w
  CROSS JOIN v_shop AS s
  WHERE
    CASE WHEN w.region_id IS NULL THEN true ELSE w.region_id IN (s.sido_id, s.sigungu_id, s.dong_id) END
    AND CASE WHEN w.brand_ids IS NULL THEN true ELSE s.brand_id = ANY (w.brand_ids) END
    AND s.main_brand IS NOT NULL AND s.opened_on IS NOT NULL AND s.merged_into_id IS NULL
),
origin AS MATERIALIZED (
  SELECT DISTINCT ON (brand) brand, geog FROM shop ORDER BY brand, opened_on, id
),
month AS MATERIALIZED (
  SELECT
    s.brand,
    date_trunc('month', s.opened_on)::date AS month,
    count(*) AS opened,
    max(ST_Distance(s.geog, o.geog)) / 1000 AS max_km,
    sum(ST_Distance(s.geog, o.geog)) / 1000 AS sum_km,
    sum(ST_X(s.geom)) AS sum_x,
    sum(ST_Y(s.geom)) AS sum_y
  FROM shop AS s
  INNER JOIN origin AS o ON o.brand = s.brand
  GROUP BY s.brand, date_trunc('month', s.opened_on)
)
SELECT
  brand,
  month,
  opened,
  (sum(opened) OVER so_far)::bigint AS n,
  max(max_km) OVER so_far AS max_dist_km,
  sum(sum_km) OVER so_far / (sum(opened) OVER so_far)::double precision AS mean_dist_km,
  ST_SetSRID(ST_MakePoint(
    sum(sum_x) OVER so_far / (sum(opened) OVER so_far)::double precision,
    sum(sum_y) OVER so_far / (sum(opened) OVER so_far)::double precision
  ), 4326)::geometry(POINT, 4326) AS geom
FROM month
WINDOW so_far AS (PARTITION BY brand ORDER BY month)
ORDER BY brand, month;
