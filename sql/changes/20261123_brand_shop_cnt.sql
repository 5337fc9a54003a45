-- Counting a brand's shops for GET /brands reads every shop, so the number is kept with the brand. A separate file
-- counts them: here it would block every search by the lock that a new column takes.
ALTER TABLE brands
ADD COLUMN shop_cnt integer NOT NULL DEFAULT 0
CONSTRAINT brands_shop_cnt_not_negative CHECK (shop_cnt >= 0);
COMMENT ON COLUMN brands.shop_cnt IS 'Number of its shops that are not closed, sub-brands not included (refresh_brand_counts)';
