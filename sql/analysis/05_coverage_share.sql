-- Question:   What share of each region and its population does each brand reach?
-- Parameters: region    name, full name or code of a region; blank for the whole country
--             brand     name or alias of a brand, sub-brands included; blank for all
--             radius_m  reach of a shop, metres (default 2000)
--             level     level of the regions: sido, sigungu or dong (default sido)
--             srid      projected CRS in metres; 5179 suits the whole of Korea (default 5179)
-- Columns:    region_code  code of the region
--             region       its name
--             brand        main brand; (all) for all shops together
--             radius_m     reach of a shop, metres
--             shops        open shops in the region
--             covered_pct  share of the region's area within reach, percent
--             pop_covered  people within reach; null when no population is loaded
--             geom         the covered part of the region, WGS 84; null when there is none
-- Method:     Union of circles by brand, including shops outside the region, intersected with the pieces of the region;
--             area of the intersection divided by area of the region. Population is distributed evenly over its cell.
--             A region without a boundary is omitted with a warning; without any boundary the script fails with
--             instructions to load them.
-- QGIS:       Join by region_code to v_region for a choropleth of covered_pct, one brand at a time.
\set ON_ERROR_STOP on
\if :{?region} \else
\set region ''
\endif
\if :{?brand} \else
\set brand ''
\endif
\if :{?radius_m} \else
\set radius_m 2000
\endif
\if :{?level} \else
\set level sido
\endif
\if :{?srid} \else
\set srid 5179
\endif

WITH wanted AS MATERIALIZED (
  SELECT
    r.region_id,
    find_brand(:'brand') AS brand_ids,
    positive('radius_m', :'radius_m') AS radius_m,
    one_of('level', :'level', ARRAY['sido', 'sigungu', 'dong']) AS level
  FROM find_region(:'region') AS r
  WHERE need_boundaries(ARRAY[one_of('level', :'level', ARRAY['sido', 'sigungu', 'dong'])], r.region_id)
),
-- An outer join, so that the check in wanted runs even if no region has a boundary.
bounded AS MATERIALIZED (
  SELECT r.id, r.code, r.name, r.level, ST_Transform(r.geom, metric_plane('srid', :'srid')) AS geom, w.radius_m
  FROM wanted AS w
  LEFT JOIN v_region AS r
    ON r.level = w.level
    AND r.geom IS NOT NULL
    AND (
      w.region_id IS NULL
      OR w.region_id IN (r.id, r.parent_id)
      OR r.parent_id IN (SELECT c.id FROM v_region AS c WHERE c.parent_id = w.region_id)
    )
),
area AS MATERIALIZED (
  SELECT * FROM bounded WHERE id IS NOT NULL
),
shop AS MATERIALIZED (
  SELECT s.main_brand, s.sido_id, s.sigungu_id, s.dong_id, ST_Transform(s.geom, metric_plane('srid', :'srid')) AS p
  FROM wanted AS w
  CROSS JOIN v_shop_open AS s
  WHERE CASE WHEN w.brand_ids IS NULL THEN true ELSE s.brand_id = ANY (w.brand_ids) END
),
brand_cover AS MATERIALIZED (
  SELECT s.main_brand AS brand, ST_Union(ST_Buffer(s.p, w.radius_m, 16)) AS geom
  FROM shop AS s
  CROSS JOIN wanted AS w
  GROUP BY s.main_brand
),
cover AS MATERIALIZED (
  SELECT c.brand, ST_Subdivide(c.geom, 256) AS geom
  FROM (
    SELECT brand, geom FROM brand_cover WHERE brand IS NOT NULL
    UNION ALL
    SELECT '(all)', ST_Union(geom) FROM brand_cover
  ) AS c
),
piece AS MATERIALIZED (
  SELECT a.id, ST_Subdivide(a.geom, 256) AS geom FROM area AS a
),
reached AS MATERIALIZED (
  SELECT p.id, c.brand, ST_Intersection(p.geom, c.geom) AS geom
  FROM piece AS p
  INNER JOIN cover AS c ON ST_Intersects(p.geom, c.geom)
),
share AS MATERIALIZED (
  SELECT id, brand, sum(ST_Area(geom)) AS covered_m2, ST_Union(ST_CollectionExtract(geom, 3)) AS geom
  FROM reached
  GROUP BY id, brand
),
tally AS (
  SELECT a.id, coalesce(s.main_brand, '(all)') AS brand, count(*) AS shops
  FROM area AS a
  INNER JOIN shop AS s ON a.id = CASE a.level WHEN 'sido' THEN s.sido_id WHEN 'sigungu' THEN s.sigungu_id ELSE s.dong_id END
  GROUP BY GROUPING SETS ((a.id, s.main_brand), (a.id))
  HAVING GROUPING(s.main_brand) = 1 OR s.main_brand IS NOT NULL
),
people AS (
  SELECT r.id, r.brand, sum(v.population * ST_Area(ST_Intersection(v.cell, r.geom)) / ST_Area(v.cell)) AS people
  FROM reached AS r
  INNER JOIN (
    SELECT population, ST_Transform(geom, metric_plane('srid', :'srid')) AS cell FROM v_population
  ) AS v ON ST_Intersects(v.cell, r.geom)
  GROUP BY r.id, r.brand
),
brand AS (
  SELECT DISTINCT brand FROM cover
),
population AS MATERIALIZED (
  SELECT has_population('pop_covered') AS is_loaded
)
SELECT
  a.code AS region_code,
  a.name AS region,
  b.brand,
  a.radius_m,
  coalesce(t.shops, 0) AS shops,
  100 * coalesce(s.covered_m2, 0) / ST_Area(a.geom) AS covered_pct,
  CASE WHEN n.is_loaded THEN coalesce(p.people, 0) END AS pop_covered,
  ST_Multi(ST_Transform(s.geom, 4326))::geometry(MULTIPOLYGON, 4326) AS geom
FROM area AS a
CROSS JOIN brand AS b
CROSS JOIN population AS n
LEFT JOIN share AS s ON s.id = a.id AND s.brand = b.brand
LEFT JOIN tally AS t ON t.id = a.id AND t.brand = b.brand
LEFT JOIN people AS p ON p.id = a.id AND p.brand = b.brand
ORDER BY a.code, b.brand;
