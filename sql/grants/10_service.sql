-- Privileges of the service's role: read all tables, write members' data and counters.
-- Without the role (an operator's own database) the service runs as the owner, and nothing is granted.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'geoshops_app') THEN
    RAISE NOTICE 'role geoshops_app does not exist: the schema''s owner serves';
    RETURN;
  END IF;
  GRANT USAGE ON SCHEMA public TO geoshops_app;
  REVOKE ALL ON ALL TABLES IN SCHEMA public FROM geoshops_app;
  GRANT SELECT ON brands, brand_aliases, default_brands, regions, region_aliases, region_parts, region_outlines, stations, station_aliases, shops,
    shop_stats, shop_displays, members, member_identities, pending_unlinks, sessions, idempotency_keys, reviews, favorites,
    titles, member_titles, reports, crowded_tiles, tile_cells, schema_history TO geoshops_app;
  GRANT INSERT, UPDATE, DELETE ON shop_stats, members, member_identities, pending_unlinks, sessions,
    idempotency_keys, reviews, favorites, member_titles TO geoshops_app;
  GRANT INSERT, UPDATE (member_id, content) ON reports TO geoshops_app;
  GRANT UPDATE (review_cnt, star_rating_sum, favorite_cnt) ON shops TO geoshops_app;
END $$;
