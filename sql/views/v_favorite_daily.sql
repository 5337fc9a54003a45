-- Favorites held today, by the day on which they were added. Favorites given up since are not in it.
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
COMMENT ON VIEW v_favorite_daily IS 'Favorites held, by shop and the day on which they were added';
COMMENT ON COLUMN v_favorite_daily.id IS 'Identifier of shop and day';
COMMENT ON COLUMN v_favorite_daily.shop_id IS 'Shop held as a favorite';
COMMENT ON COLUMN v_favorite_daily.day IS 'Day in Korea (Asia/Seoul) on which they were added';
COMMENT ON COLUMN v_favorite_daily.favorites IS 'Favorites added that day and still held';
COMMENT ON COLUMN v_favorite_daily.geom IS 'Position of the shop, WGS 84 degrees';
