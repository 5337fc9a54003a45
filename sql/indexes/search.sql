-- Indexes on shops that only the keyword search needs. A large first load omits the indexes of this folder, so that the
-- radius search is available early, and builds them after its commit. Missing ones are also built by the next import and
-- `geoshops db upgrade`. The most expensive index is built first. It has no list of pending entries (fastupdate), because
-- every lookup of a word would read that list.
CREATE INDEX IF NOT EXISTS shops_words_idx ON shops
USING gin (search_words(name_jamo, road_address, lot_address, brand_id, sido_id, sigungu_id, dong_id)) WITH (fastupdate = off)
WHERE status <> 'CLOSED';

CREATE INDEX IF NOT EXISTS shops_sounds_idx ON shops USING gin (shop_sounds(place_name, lot_address)) WITH (fastupdate = off)
WHERE status <> 'CLOSED';

CREATE INDEX IF NOT EXISTS shops_roads_idx ON shops (road_sound(road_address) COLLATE "C") WHERE status <> 'CLOSED';

-- Nearest first within a brand, a 시도 or a 시군구. Ordering by chords through the ellipsoid deviates from the order by
-- geodesics by a few millionths. The operator of geography orders by a sphere and deviates by half a percent.
CREATE INDEX IF NOT EXISTS shops_brand_spot_idx ON shops USING gist (brand_id, sido_id, spot gist_geometry_ops_nd)
WHERE status <> 'CLOSED';
CREATE INDEX IF NOT EXISTS shops_region_spot_idx ON shops USING gist (sido_id, sigungu_id, spot gist_geometry_ops_nd)
WHERE status <> 'CLOSED';
