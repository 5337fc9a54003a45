-- Names and addresses of shops in other languages, ready for responses: made in the background, because a romanised
-- name costs more than the rest of a shop's row.
CREATE TABLE shop_displays (
  shop_id bigint NOT NULL,
  made_of bigint NOT NULL,
  ko text NOT NULL,
  en text NOT NULL,
  ja text NOT NULL,
  zh_hans text NOT NULL,
  zh_hant text NOT NULL,
  CONSTRAINT shop_displays_pkey PRIMARY KEY (shop_id),
  CONSTRAINT shop_displays_shop_fkey FOREIGN KEY (shop_id) REFERENCES shops (id) ON DELETE CASCADE
);
COMMENT ON TABLE shop_displays IS 'Display texts of shops by language as JSON, made by `geoshops shops displays`; a missing or outdated one is made per request';
COMMENT ON COLUMN shop_displays.shop_id IS 'Shop';
COMMENT ON COLUMN shop_displays.made_of IS 'display_source of the shop when the texts were made';
COMMENT ON COLUMN shop_displays.ko IS 'Korean, as display_json';
COMMENT ON COLUMN shop_displays.en IS 'English, as display_json';
COMMENT ON COLUMN shop_displays.ja IS 'Japanese, as display_json';
COMMENT ON COLUMN shop_displays.zh_hans IS 'Simplified Chinese, as display_json';
COMMENT ON COLUMN shop_displays.zh_hant IS 'Traditional Chinese, as display_json';
