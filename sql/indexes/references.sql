-- Indexes on a shop's references, for filters by brand and 시군구, merged shops, and deletion of brands and regions. The radius
-- search does not need them, so a large first load builds them after its commit (see search.sql).
CREATE INDEX IF NOT EXISTS shops_brand_id_idx ON shops (brand_id);
CREATE INDEX IF NOT EXISTS shops_sigungu_id_idx ON shops (sigungu_id);
CREATE INDEX IF NOT EXISTS shops_merged_into_id_idx ON shops (merged_into_id) WHERE merged_into_id IS NOT NULL;
