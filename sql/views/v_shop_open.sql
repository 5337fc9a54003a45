-- Shops that are open or temporarily closed. The same columns as v_shop.
CREATE OR REPLACE VIEW v_shop_open AS
SELECT *
FROM v_shop
WHERE status <> 'CLOSED';
COMMENT ON VIEW v_shop_open IS 'Shops that are not permanently closed, with brand, region and review statistics';
COMMENT ON COLUMN v_shop_open.id IS 'Shop identifier';
COMMENT ON COLUMN v_shop_open.place_name IS 'Name of the shop';
COMMENT ON COLUMN v_shop_open.brand_id IS 'Brand identifier; null if unknown';
COMMENT ON COLUMN v_shop_open.brand IS 'Name of the brand; null if unknown';
COMMENT ON COLUMN v_shop_open.main_brand IS 'Name of the parent brand, otherwise of the brand itself';
COMMENT ON COLUMN v_shop_open.status IS 'OPEN, TEMP_CLOSED or CLOSED';
COMMENT ON COLUMN v_shop_open.opened_on IS 'Day of opening; null when unknown';
COMMENT ON COLUMN v_shop_open.closed_on IS 'Day of closing; null when open or unknown';
COMMENT ON COLUMN v_shop_open.road_address IS 'Road-name address; empty when unknown';
COMMENT ON COLUMN v_shop_open.lot_address IS 'Lot-number address; empty when unknown';
COMMENT ON COLUMN v_shop_open.sido_id IS 'Identifier of the 시도; null when unknown';
COMMENT ON COLUMN v_shop_open.sigungu_id IS 'Identifier of the 시군구; null when unknown';
COMMENT ON COLUMN v_shop_open.dong_id IS 'Identifier of the 읍면동; null when unknown';
COMMENT ON COLUMN v_shop_open.sido IS 'Name of the 시도';
COMMENT ON COLUMN v_shop_open.sigungu IS 'Name of the 시군구';
COMMENT ON COLUMN v_shop_open.dong IS 'Name of the 읍면동';
COMMENT ON COLUMN v_shop_open.review_cnt IS 'Number of visible reviews';
COMMENT ON COLUMN v_shop_open.star_rating_sum IS 'Sum of their star ratings';
COMMENT ON COLUMN v_shop_open.star_rating_avg IS 'Average star rating, 1 to 5; null without reviews';
COMMENT ON COLUMN v_shop_open.favorite_cnt IS 'Number of members with the shop as a favorite';
COMMENT ON COLUMN v_shop_open.star_1 IS 'Reviews with 1 star';
COMMENT ON COLUMN v_shop_open.star_2 IS 'Reviews with 2 stars';
COMMENT ON COLUMN v_shop_open.star_3 IS 'Reviews with 3 stars';
COMMENT ON COLUMN v_shop_open.star_4 IS 'Reviews with 4 stars';
COMMENT ON COLUMN v_shop_open.star_5 IS 'Reviews with 5 stars';
COMMENT ON COLUMN v_shop_open.purity_good IS 'Reviews with cleanliness GOOD';
COMMENT ON COLUMN v_shop_open.purity_bad IS 'Reviews with cleanliness BAD';
COMMENT ON COLUMN v_shop_open.retouch_good IS 'Reviews with retouching GOOD';
COMMENT ON COLUMN v_shop_open.retouch_bad IS 'Reviews with retouching BAD';
COMMENT ON COLUMN v_shop_open.item_good IS 'Reviews with props GOOD';
COMMENT ON COLUMN v_shop_open.item_bad IS 'Reviews with props BAD';
COMMENT ON COLUMN v_shop_open.shop_titles IS 'Titles of the shop';
COMMENT ON COLUMN v_shop_open.merged_into_id IS 'Shop that this duplicate was merged into; null otherwise';
COMMENT ON COLUMN v_shop_open.source IS 'Source of the row';
COMMENT ON COLUMN v_shop_open.source_id IS 'Key of the row in its source';
COMMENT ON COLUMN v_shop_open.verified_on IS 'Day on which the source last confirmed the shop';
COMMENT ON COLUMN v_shop_open.created_at IS 'When the row was created';
COMMENT ON COLUMN v_shop_open.modified_at IS 'When the shop''s details last changed';
COMMENT ON COLUMN v_shop_open.geog IS 'Position as geography: distances in metres, with an index';
COMMENT ON COLUMN v_shop_open.geom IS 'Position, WGS 84 degrees';
