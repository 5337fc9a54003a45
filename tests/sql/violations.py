"""Two rows for every table, and for every named constraint a statement that violates only this one."""

from __future__ import annotations

BASE = """
INSERT INTO brands (id, name) VALUES (1, '인생네컷'), (2, '하루필름');
INSERT INTO brand_aliases (id, brand_id, alias) VALUES (1, 1, 'Life4Cuts'), (2, 2, 'Haru Film');
INSERT INTO regions (id, level, name, code, boundary) VALUES
  (1, 'sido', '서울특별시', '11', ST_Multi(ST_MakeEnvelope(126, 37, 128, 38, 4326))), (2, 'sido', '부산광역시', '21', NULL);
INSERT INTO regions (id, level, name, code, parent_id) VALUES (3, 'sigungu', '중구', '1114', 1), (4, 'sigungu', '종로구', '1111', 1);
INSERT INTO region_aliases (id, region_id, alias) VALUES (1, 1, '서울'), (2, 1, '서울시');
INSERT INTO region_codes (source, level, code, region_id) VALUES ('test', 'sido', '1', 1), ('test', 'sido', '2', 2);
INSERT INTO region_parts (id, region_id, level, part) VALUES
  (1, 1, 'sido', ST_MakeEnvelope(126, 37, 127, 38, 4326)), (2, 1, 'sido', ST_MakeEnvelope(127, 37, 128, 38, 4326));
INSERT INTO region_outlines (region_id, detail, outline) VALUES
  (1, 1, ST_Multi(ST_MakeEnvelope(126, 37, 128, 38, 4326))), (2, 1, ST_Multi(ST_MakeEnvelope(128, 35, 129, 36, 4326)));
INSERT INTO stations (id, name, geog, source, source_id) VALUES
  (1, '강남', ST_MakePoint(127, 37), 'test', 'a'), (2, '역삼', ST_MakePoint(127, 37), 'test', 'b');
INSERT INTO station_aliases (id, station_id, alias) VALUES (1, 1, '江南'), (2, 1, 'カンナム');
INSERT INTO shops (id, brand_id, place_name, geog, source, source_id, sido_id, sigungu_id, dong_id) VALUES
  (1, 1, '가', ST_MakePoint(127, 37), 'test', 'a', 1, 3, 3), (2, 1, '나', ST_MakePoint(127, 37), 'test', 'b', 1, 3, 3);
INSERT INTO shops (id, place_name, geog, status, merged_into_id) VALUES (3, '다', ST_MakePoint(127, 37), 'CLOSED', 1);
INSERT INTO shop_stats (shop_id, star_1) VALUES (1, 3), (2, 3);
INSERT INTO shop_displays (shop_id, made_of, ko, en, ja, zh_hans, zh_hant) VALUES (1, 0, '', '', '', '', ''), (2, 0, '', '', '', '', '');
INSERT INTO audit_log (id, actor, action, subject, reason) VALUES (1, 'a', 'set', 'shop', 'b'), (2, 'a', 'set', 'shop', 'b');
INSERT INTO members (id, nickname, nickname_key) VALUES (1, '하나', '하나'), (2, '둘이', '둘이');
INSERT INTO member_identities (issuer, subject, member_id, provider) VALUES ('i', 'a', 1, 'oidc'), ('i', 'b', 2, 'oidc');
INSERT INTO pending_unlinks (id, provider, issuer, subject) VALUES (1, 'oidc', 'i', 'a'), (2, 'oidc', 'i', 'b');
INSERT INTO sessions (id, member_id, expires_at, refresh_hash) VALUES
  (1, 1, now() + interval '1 day', sha256('a')), (2, 1, now() + interval '1 day', sha256('b'));
INSERT INTO idempotency_keys (member_id, key, request_hash, outcome, body) VALUES (1, 'a', '', 'created', ''), (1, 'b', '', 'created', '');
INSERT INTO reviews (id, shop_id, member_id, star_rating, content, created_at, modified_at) VALUES
  (1, 1, 1, 5, '좋아요', now(), now()), (2, 1, 1, 5, '좋아요', now(), now());
INSERT INTO reports (id, member_id, review_id, shop_id, reason, created_at) VALUES
  (1, 1, 1, NULL, 'SPAM', now()), (2, 2, 1, NULL, 'SPAM', now()), (3, 1, NULL, 1, 'CLOSED', now()), (4, 2, NULL, 1, 'CLOSED', now());
INSERT INTO favorites (id, member_id, shop_id, created_at) VALUES (1, 1, 1, now()), (2, 1, 2, now());
INSERT INTO population_cells (id, source_id, population, cell) VALUES
  (1, 'a', 1, ST_Multi(ST_MakeEnvelope(126, 37, 127, 38, 4326))), (2, 'b', 1, ST_Multi(ST_MakeEnvelope(127, 37, 128, 38, 4326)));
INSERT INTO reviewer_salt (id, salt) VALUES (1, sha256('a')), (2, sha256('b'));
INSERT INTO member_titles (member_id, title_id, awarded_at, is_main) VALUES (1, 1, now(), true), (1, 2, now(), false);
INSERT INTO crowded_tiles (zoom, x, y, refreshed_at) VALUES (1, 0, 0, now()), (1, 1, 0, now());
INSERT INTO tile_cells (
  selection, zoom, x, y, cell, place_x, place_y, expansion_zoom, shop_cnt, review_cnt, star_rating_sum
) VALUES (0, 1, 0, 0, 0, 0, 0, 2, 2, 0, 0), (0, 2, 0, 0, 0, 0, 0, 2, 2, 0, 0);
"""

CHECKS = {
    "brands_badge_color_is_hex": "UPDATE brands SET badge_color = 'red'",
    "brands_name_not_blank": "UPDATE brands SET name = E' \\u3000' WHERE id = 1",
    "brands_shop_cnt_not_negative": "UPDATE brands SET shop_cnt = -1",
    "brands_parent_is_another": "UPDATE brands SET parent_id = id",
    "brand_aliases_lang_is_a_tag": "UPDATE brand_aliases SET lang = 'english' WHERE id = 1",
    "brand_aliases_alias_not_blank": "UPDATE brand_aliases SET alias = '' WHERE id = 1",
    "regions_boundary_in_range": "UPDATE regions SET boundary = ST_Multi(ST_MakeEnvelope(170, 0, 190, 1, 4326)) WHERE id = 1",
    "regions_boundary_not_empty": "UPDATE regions SET boundary = ST_GeomFromText('MULTIPOLYGON EMPTY', 4326) WHERE id = 1",
    "regions_boundary_valid": (
        "UPDATE regions SET boundary = ST_GeomFromText('MULTIPOLYGON(((0 0, 1 1, 1 0, 0 1, 0 0)))', 4326) WHERE id = 1"
    ),
    "regions_code_not_blank": "UPDATE regions SET code = ' ' WHERE id = 1",
    "regions_level_known": "UPDATE regions SET level = 'county' WHERE id = 3",
    "regions_name_not_blank": "UPDATE regions SET name = '' WHERE id = 1",
    "regions_parent_by_level": "UPDATE regions SET parent_id = 2 WHERE id = 1",
    "region_aliases_lang_is_a_tag": "UPDATE region_aliases SET lang = 'english' WHERE id = 1",
    "station_aliases_lang_is_a_tag": "UPDATE station_aliases SET lang = 'english' WHERE id = 1",
    "station_aliases_alias_not_blank": "UPDATE station_aliases SET alias = '' WHERE id = 1",
    "region_aliases_alias_not_blank": "UPDATE region_aliases SET alias = '' WHERE id = 1",
    "region_aliases_kind_known": "UPDATE region_aliases SET kind = 'nick'",
    "region_codes_code_not_blank": "UPDATE region_codes SET code = '' WHERE code = '1'",
    "region_codes_level_known": "UPDATE region_codes SET level = 'county'",
    "region_parts_level_known": "UPDATE region_parts SET level = 'county'",
    "region_outlines_detail_known": "UPDATE region_outlines SET detail = 3",
    "stations_name_not_blank": "UPDATE stations SET name = ' '",
    "stations_name_without_suffix": "UPDATE stations SET name = '강남역'",
    "stations_position_in_range": "UPDATE stations SET geog = ST_MakePoint('NaN', 37)",
    "shops_closed_by_known": "UPDATE shops SET status = 'CLOSED', closed_by = 'me'",
    "shops_closed_by_only_when_closed": "UPDATE shops SET closed_by = 'IMPORT' WHERE id = 1",
    "shops_closed_on_after_opened_on": "UPDATE shops SET status = 'CLOSED', opened_on = '2026-01-02', closed_on = '2026-01-01'",
    "shops_closed_on_only_when_closed": "UPDATE shops SET closed_on = '2026-01-01'",
    "shops_favorite_cnt_not_negative": "UPDATE shops SET favorite_cnt = -1",
    "shops_merged_into_another": "UPDATE shops SET status = 'CLOSED', merged_into_id = id",
    "shops_merged_is_closed": "UPDATE shops SET merged_into_id = 2 WHERE id = 1",
    "shops_opening_hours_valid": 'UPDATE shops SET opening_hours = \'[{"day": 8, "open": "10:00", "close": "20:00"}]\'',
    "shops_overrides_is_object": "UPDATE shops SET overrides = '[]'",
    "shops_place_name_at_most_200": "UPDATE shops SET place_name = repeat('가', 201)",
    "shops_place_name_not_blank": "UPDATE shops SET place_name = E'\\u200b'",
    "shops_position_in_range": "UPDATE shops SET geog = ST_MakePoint('NaN', 37)",
    "shops_review_cnt_not_negative": "UPDATE shops SET review_cnt = -1, star_rating_sum = -3",
    "shops_star_rating_sum_fits_review_cnt": "UPDATE shops SET review_cnt = 1, star_rating_sum = 6",
    "shops_status_known": "UPDATE shops SET status = 'open'",
    "shop_stats_stars_not_negative": "UPDATE shop_stats SET star_2 = -1",
    "shop_stats_votes_fit_stars": "UPDATE shop_stats SET item_good = 2, item_bad = 2",
    "shop_stats_votes_not_negative": "UPDATE shop_stats SET purity_bad = -1",
    "audit_log_action_not_blank": "UPDATE audit_log SET action = ''",
    "audit_log_reason_not_blank": "UPDATE audit_log SET reason = ' '",
    "members_nickname_2_to_20": "UPDATE members SET nickname = '가' WHERE id = 1",
    "members_nickname_not_blank": "UPDATE members SET nickname = '   ' WHERE id = 1",
    "members_nickname_until_withdrawn": "UPDATE members SET withdrawn_at = now() WHERE id = 1",
    "members_nickname_with_key": "UPDATE members SET nickname_key = NULL WHERE id = 1",
    "member_identities_issuer_not_blank": "UPDATE member_identities SET issuer = '' WHERE member_id = 1",
    "member_identities_subject_at_most_255": "UPDATE member_identities SET subject = repeat('a', 256) WHERE member_id = 1",
    "member_identities_subject_not_blank": "UPDATE member_identities SET subject = '' WHERE member_id = 1",
    "pending_unlinks_attempts_not_negative": "UPDATE pending_unlinks SET attempts = -1",
    "sessions_expires_after_creation": "UPDATE sessions SET expires_at = created_at",
    "sessions_previous_refresh_hash_is_sha256": "UPDATE sessions SET previous_refresh_hash = 'a', rotated_at = now()",
    "sessions_previous_with_rotation": "UPDATE sessions SET rotated_at = now()",
    "sessions_refresh_hash_is_sha256": "UPDATE sessions SET refresh_hash = 'a'",
    "idempotency_keys_key_1_to_255": "UPDATE idempotency_keys SET key = '' WHERE key = 'a'",
    "reviews_content_at_most_4000": "UPDATE reviews SET content = repeat('가', 4001)",
    "reviews_content_not_blank": "UPDATE reviews SET content = E'\\n\\u3000'",
    "reviews_item_known": "UPDATE reviews SET item = 'good'",
    "reviews_modified_not_before_created": "UPDATE reviews SET modified_at = created_at - interval '1 second'",
    "reviews_purity_known": "UPDATE reviews SET purity = ''",
    "reviews_retouch_known": "UPDATE reviews SET retouch = 'OK'",
    "reviews_star_rating_between_1_and_5": "UPDATE reviews SET star_rating = 6",
    "reports_content_at_most_1000": "UPDATE reports SET content = repeat('가', 1001)",
    "reports_of_review_or_shop": "UPDATE reports SET shop_id = 1, review_id = 1",
    "reports_outcome_known": "UPDATE reports SET outcome = 'MAYBE', closed_at = now()",
    "reports_outcome_when_closed": "UPDATE reports SET closed_at = now()",
    "reports_reason_known": "UPDATE reports SET reason = 'BORED'",
    "population_cells_cell_not_empty": "UPDATE population_cells SET cell = ST_GeomFromText('MULTIPOLYGON EMPTY', 4326)",
    "population_cells_cell_valid": (
        "UPDATE population_cells SET cell = ST_GeomFromText('MULTIPOLYGON(((0 0, 1 1, 1 0, 0 1, 0 0)))', 4326)"
    ),
    "population_cells_population_not_negative": "UPDATE population_cells SET population = 'NaN'",
    "reviewer_salt_at_least_16_bytes": "UPDATE reviewer_salt SET salt = ''",
    "crowded_tiles_zoom_below_15": "UPDATE crowded_tiles SET zoom = 15",
    "tile_cells_place_in_cell": "UPDATE tile_cells SET place_x = 200",
    "tile_cells_shop_id_when_single": "UPDATE tile_cells SET shop_id = 1",
    "titles_color_is_hex": "UPDATE titles SET color = 'red'",
    "titles_earned_by_known": "UPDATE titles SET earned_by = 'luck'",
    "titles_emblem_is_path": "UPDATE titles SET emblem = '<script>'",
    "titles_target_positive": "UPDATE titles SET target = 0",
}

UNIQUES = {
    "brands_name_key_unique": "UPDATE brands SET name = ' 인생 네컷 ' WHERE id = 2",
    "brand_aliases_alias_key_unique": "UPDATE brand_aliases SET alias = 'LIFE4CUTS' WHERE id = 2",
    "station_aliases_station_alias_unique": "UPDATE station_aliases SET alias = '江 南' WHERE id = 2",
    "region_aliases_region_alias_unique": "UPDATE region_aliases SET alias = '서 울' WHERE id = 2",
    "regions_sido_name_unique": "UPDATE regions SET name = '서울 특별시' WHERE id = 2",
    "regions_parent_name_unique": "UPDATE regions SET name = '중구' WHERE id = 4",
    "regions_level_code_unique": "UPDATE regions SET code = '1114' WHERE id = 4",
    "stations_source_id_unique": "UPDATE stations SET source_id = 'a' WHERE id = 2",
    "shops_source_id_unique": "UPDATE shops SET source_id = 'a' WHERE id = 2",
    "population_cells_source_id_unique": "UPDATE population_cells SET source_id = 'a' WHERE id = 2",
    "members_nickname_key_unique": "UPDATE members SET nickname_key = '하나' WHERE id = 2",
    "member_identities_member_unique": "UPDATE member_identities SET member_id = 1 WHERE member_id = 2",
    "favorites_member_shop_unique": "UPDATE favorites SET shop_id = 1 WHERE id = 2",
    "reports_open_review_unique": "UPDATE reports SET member_id = 1 WHERE id = 2",
    "reports_open_shop_unique": "UPDATE reports SET member_id = 1 WHERE id = 4",
    "titles_name_unique": "UPDATE titles SET name = (SELECT name FROM titles WHERE id = 1) WHERE id = 2",
    "member_titles_one_main": "UPDATE member_titles SET is_main = true WHERE title_id = 2",
}
