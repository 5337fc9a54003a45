-- All shops, including closed ones. Averages are null, not 0, without votes.
CREATE OR REPLACE VIEW v_shop AS
SELECT
  s.id,
  s.place_name,
  s.brand_id,
  b.name AS brand,
  coalesce(p.name, b.name) AS main_brand,
  s.status,
  s.opened_on,
  s.closed_on,
  s.road_address,
  s.lot_address,
  s.sido_id,
  s.sigungu_id,
  s.dong_id,
  r1.name AS sido,
  r2.name AS sigungu,
  r3.name AS dong,
  s.review_cnt,
  s.star_rating_sum,
  s.star_rating_sum / nullif(s.review_cnt, 0)::double precision AS star_rating_avg,
  s.favorite_cnt,
  coalesce(t.star_1, 0) AS star_1,
  coalesce(t.star_2, 0) AS star_2,
  coalesce(t.star_3, 0) AS star_3,
  coalesce(t.star_4, 0) AS star_4,
  coalesce(t.star_5, 0) AS star_5,
  coalesce(t.purity_good, 0) AS purity_good,
  coalesce(t.purity_bad, 0) AS purity_bad,
  coalesce(t.retouch_good, 0) AS retouch_good,
  coalesce(t.retouch_bad, 0) AS retouch_bad,
  coalesce(t.item_good, 0) AS item_good,
  coalesce(t.item_bad, 0) AS item_bad,
  s.shop_titles,
  s.merged_into_id,
  s.source,
  s.source_id,
  s.verified_on,
  s.created_at,
  s.modified_at,
  s.geog,
  s.geog::geometry(POINT, 4326) AS geom
FROM shops AS s
LEFT JOIN brands AS b ON b.id = s.brand_id
LEFT JOIN brands AS p ON p.id = b.parent_id
LEFT JOIN regions AS r1 ON r1.id = s.sido_id
LEFT JOIN regions AS r2 ON r2.id = s.sigungu_id
LEFT JOIN regions AS r3 ON r3.id = s.dong_id
LEFT JOIN shop_stats AS t ON t.shop_id = s.id;
COMMENT ON VIEW v_shop IS 'Shops of every status with brand, region and review statistics';
COMMENT ON COLUMN v_shop.id IS 'Shop identifier';
COMMENT ON COLUMN v_shop.place_name IS 'Name of the shop';
COMMENT ON COLUMN v_shop.brand_id IS 'Brand identifier; null if unknown';
COMMENT ON COLUMN v_shop.brand IS 'Name of the brand; null if unknown';
COMMENT ON COLUMN v_shop.main_brand IS 'Name of the parent brand, otherwise of the brand itself';
COMMENT ON COLUMN v_shop.status IS 'OPEN, TEMP_CLOSED or CLOSED';
COMMENT ON COLUMN v_shop.opened_on IS 'Day of opening; null when unknown';
COMMENT ON COLUMN v_shop.closed_on IS 'Day of closing; null when open or unknown';
COMMENT ON COLUMN v_shop.road_address IS 'Road-name address; empty when unknown';
COMMENT ON COLUMN v_shop.lot_address IS 'Lot-number address; empty when unknown';
COMMENT ON COLUMN v_shop.sido_id IS 'Identifier of the 시도; null when unknown';
COMMENT ON COLUMN v_shop.sigungu_id IS 'Identifier of the 시군구; null when unknown';
COMMENT ON COLUMN v_shop.dong_id IS 'Identifier of the 읍면동; null when unknown';
COMMENT ON COLUMN v_shop.sido IS 'Name of the 시도';
COMMENT ON COLUMN v_shop.sigungu IS 'Name of the 시군구';
COMMENT ON COLUMN v_shop.dong IS 'Name of the 읍면동';
COMMENT ON COLUMN v_shop.review_cnt IS 'Number of visible reviews';
COMMENT ON COLUMN v_shop.star_rating_sum IS 'Sum of their star ratings';
COMMENT ON COLUMN v_shop.star_rating_avg IS 'Average star rating, 1 to 5; null without reviews';
COMMENT ON COLUMN v_shop.favorite_cnt IS 'Number of members with the shop as a favorite';
COMMENT ON COLUMN v_shop.star_1 IS 'Reviews with 1 star';
COMMENT ON COLUMN v_shop.star_2 IS 'Reviews with 2 stars';
COMMENT ON COLUMN v_shop.star_3 IS 'Reviews with 3 stars';
COMMENT ON COLUMN v_shop.star_4 IS 'Reviews with 4 stars';
COMMENT ON COLUMN v_shop.star_5 IS 'Reviews with 5 stars';
COMMENT ON COLUMN v_shop.purity_good IS 'Reviews with cleanliness GOOD';
COMMENT ON COLUMN v_shop.purity_bad IS 'Reviews with cleanliness BAD';
COMMENT ON COLUMN v_shop.retouch_good IS 'Reviews with retouching GOOD';
COMMENT ON COLUMN v_shop.retouch_bad IS 'Reviews with retouching BAD';
COMMENT ON COLUMN v_shop.item_good IS 'Reviews with props GOOD';
COMMENT ON COLUMN v_shop.item_bad IS 'Reviews with props BAD';
COMMENT ON COLUMN v_shop.shop_titles IS 'Titles of the shop';
COMMENT ON COLUMN v_shop.merged_into_id IS 'Shop that this duplicate was merged into; null otherwise';
COMMENT ON COLUMN v_shop.source IS 'Source of the row';
COMMENT ON COLUMN v_shop.source_id IS 'Key of the row in its source';
COMMENT ON COLUMN v_shop.verified_on IS 'Day on which the source last confirmed the shop';
COMMENT ON COLUMN v_shop.created_at IS 'When the row was created';
COMMENT ON COLUMN v_shop.modified_at IS 'When the shop''s details last changed';
COMMENT ON COLUMN v_shop.geog IS 'Position as geography: distances in metres, with an index';
COMMENT ON COLUMN v_shop.geom IS 'Position, WGS 84 degrees';
