-- A shop as JSON, the same in every list: the stored card and counters, the brand's card, the distance, the favorite flag.
-- Uses || instead of concat, which copies each argument twice. The short parts are concatenated first, so that the card is
-- copied once.

CREATE OR REPLACE FUNCTION shop_json(
  card text, counts text, brand_card text, brand_image text, origin text, m integer, favorite boolean
) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN card
|| CASE WHEN brand_card IS NULL THEN '"brand":{"brand_name":"","file_path":""}'
  ELSE brand_card || (origin || brand_image || '"}') END
|| (
  ',"distance":"' || coalesce(public.distance_text(m), '')
  || '","distance_m":' || coalesce(m::text, 'null')
  || CASE WHEN counts = '' THEN ',"star_rating_avg":0.0,"review_cnt":0,"favorite_cnt":0' ELSE counts END
  || CASE WHEN favorite THEN ',"favorite":true}' ELSE ',"favorite":false}' END
);
COMMENT ON FUNCTION shop_json(text, text, text, text, text, integer, boolean)
IS 'A shop summary as JSON; m is the distance from the user in whole metres, null if unknown.';
