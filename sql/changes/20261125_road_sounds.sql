-- The roads of addresses are also found in Latin letters, as the addresses are displayed. shops_roads_idx (sql/indexes/search.sql)
-- contains their sounds.

CREATE FUNCTION road_of(address text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substring(address, '([^[:space:],]+[로길](?: ?[0-9]+[번가나다라]?길)?)(?:[[:space:],]|$)');
COMMENT ON FUNCTION road_of(text) IS 'The road of an address: 강남대로 of 서울특별시 강남구 강남대로 287; null if there is none.';

-- The official romanisation has no sound change between a name and its unit, so a blank separates them.
CREATE FUNCTION road_sound(address text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN left(public.sound_key(public.latin_letters(
    normalize(regexp_replace(public.road_of(address), '(대로|로|길)(?=[0-9 ]|$)', ' \1', 'g'), NFD), true)), 40);
END $$;
COMMENT ON FUNCTION road_sound(text) IS 'The sound_key of the road of an address in the official romanisation; null if there is none.';
