-- squawk-ignore-file require-concurrent-index-deletion
-- Dropped within the transaction: sql/indexes/search.sql builds it again, and until then only foreign spellings miss it.
--
-- Lot addresses name the 법정동 (인사동), boundaries are those of 행정동: the sounds of a shop include its neighbourhood's.

CREATE FUNCTION neighbourhood_of(lot_address text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substring(lot_address, '(?:^|[[:space:]])([가-힣]+(?:동|리|로[0-9]가))(?:[0-9]가)?(?:[[:space:]]|$)');
COMMENT ON FUNCTION neighbourhood_of(text)
IS 'The 동 or 리 of a lot address: 성수동 of 서울 성동구 성수동2가 273-10; null if there is none.';

CREATE FUNCTION shop_sounds(place_name text, lot_address text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN public.name_sounds(place_name) || coalesce(public.name_sounds(public.neighbourhood_of(lot_address)), '');
END $$;
COMMENT ON FUNCTION shop_sounds(text, text) IS 'The sounds of the words of a shop''s name and of the 동 or 리 of its lot address.';

DROP INDEX IF EXISTS shops_sounds_idx;
