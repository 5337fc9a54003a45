-- Current favorites by the day on which they were added; removed favorites are not included.
CREATE OR REPLACE VIEW v_favorite_daily AS
SELECT
  d.shop_id * 100000 + (d.day - date '2000-01-01') AS id,
  d.shop_id,
  d.day,
  d.favorites,
  s.geog::geometry(POINT, 4326) AS geom
FROM (
  SELECT shop_id, (created_at AT TIME ZONE 'Asia/Seoul')::date AS day, count(*)::integer AS favorites
  FROM favorites
  GROUP BY 1, 2
) AS d
INNER JOIN shops AS s ON s.id = d.shop_id;
COMMENT ON VIEW v_favorite_daily IS 'Current favorites by shop and the day on which they were added';
COMMENT ON COLUMN v_favorite_daily.id IS 'Identifier of the row';
COMMENT ON COLUMN v_favorite_daily.shop_id IS 'Favorite shop';
COMMENT ON COLUMN v_favorite_daily.day IS 'Day in Korea (Asia/Seoul) on which they were added';
COMMENT ON COLUMN v_favorite_daily.favorites IS 'Number of favorites added that day and not removed since';
COMMENT ON COLUMN v_favorite_daily.geom IS 'Position of the shop, WGS 84 degrees';
