-- Question:   Which parts of a region are out of reach of every shop?
-- Parameters: region    name, full name or code of a region; blank for the whole country
--             brand     name or alias of a brand, sub-brands included; blank for all
--             radius_m  reach of a shop, metres (default 2000)
--             min_km2   minimum area of a gap, km² (default 0.1)
--             srid      projected CRS in metres; 5179 suits the whole of Korea (default 5179)
-- Columns:    gap_id       number of the gap, the largest first
--             region_code  code of the requested region; null for the whole country
--             area_km2     area of the gap, km²
--             max_dist_m   distance from the centre of the gap's largest inscribed circle to the nearest shop, metres
--             is_boundary  false when no boundary is loaded and the hull of the shops is used instead
--             geom         the gap, WGS 84
-- Method:     The region minus the union of circles (64 corners) around shops, including shops outside the region that
--             reach into it. Shops in the same grid square of a twentieth of the radius are merged, which moves the
--             edge of the covered area by less than a thousandth of the radius.
-- QGIS:       Polygon layer without outline; label with max_dist_m.
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
\if :{?min_km2} \else
\set min_km2 0.1
\endif
\if :{?srid} \else
\set srid 5179
\endif

WITH wanted AS MATERIALIZED (
  SELECT
    a.region_code,
    a.is_boundary,
    ST_Transform(a.geom, metric_plane('srid', :'srid')) AS area,
    find_brand(:'brand') AS brand_ids,
    positive('radius_m', :'radius_m') AS radius_m
  FROM study_area(:'region') AS a
),
shop AS MATERIALIZED (
  SELECT ST_Transform(s.geom, metric_plane('srid', :'srid')) AS p
  FROM wanted AS w
  CROSS JOIN v_shop_open AS s
  WHERE CASE WHEN w.brand_ids IS NULL THEN true ELSE s.brand_id = ANY (w.brand_ids) END
),
-- Merging shops within a twentieth of the radius covers the area between them and moves the edge by less than a
-- thousandth of the radius, which is less than the error of a circle of 64 corners.
crowd AS MATERIALIZED (
  SELECT ST_ConvexHull(ST_Collect(s.p)) AS geom, w.radius_m
  FROM wanted AS w
  INNER JOIN shop AS s ON s.p && ST_Expand(w.area, w.radius_m)
  GROUP BY w.radius_m, floor(ST_X(s.p) / (w.radius_m / 20)), floor(ST_Y(s.p) / (w.radius_m / 20))
),
covered AS MATERIALIZED (
  SELECT ST_Union(ST_Buffer(geom, radius_m, 16)) AS geom FROM crowd
),
gap AS MATERIALIZED (
  SELECT
    w.region_code,
    w.is_boundary,
    (ST_Dump(
      CASE WHEN c.geom IS NULL THEN w.area ELSE ST_Difference(w.area, c.geom) END
    )).geom AS geom
  FROM wanted AS w
  CROSS JOIN covered AS c
),
middle AS MATERIALIZED (
  SELECT *, ST_Transform((ST_MaximumInscribedCircle(geom)).center, 4326)::geography AS center
  FROM gap
  WHERE ST_Dimension(geom) = 2 AND ST_Area(geom) / 1e6 >= positive('min_km2', :'min_km2')
)
SELECT
  row_number() OVER (ORDER BY ST_Area(m.geom) DESC, m.geom) AS gap_id,
  m.region_code,
  ST_Area(m.geom) / 1e6 AS area_km2,
  n.distance_m AS max_dist_m,
  m.is_boundary,
  ST_Transform(m.geom, 4326)::geometry(POLYGON, 4326) AS geom
FROM middle AS m
CROSS JOIN wanted AS w
LEFT JOIN LATERAL nearest_shop(m.center, w.brand_ids) AS n ON true
ORDER BY gap_id;
