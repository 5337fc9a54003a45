-- The small town of the worked examples in docs/analysts.md. For a database of its own:
--   createdb town && DATABASE_URL=postgresql:///town geoshops db upgrade && psql town -f sql/examples/town.sql
BEGIN;
INSERT INTO regions (id, level, parent_id, name, name_en, code, center, boundary) VALUES
  (1, 'sido', NULL, '서울특별시', 'Seoul', '11', ST_MakePoint(127.04, 37.50),
    ST_Multi(ST_MakeEnvelope(127.00, 37.48, 127.08, 37.52, 4326))),
  (2, 'sigungu', 1, '강남구', 'Gangnam-gu', '11230', ST_MakePoint(127.06, 37.50),
    ST_Multi(ST_MakeEnvelope(127.04, 37.48, 127.08, 37.52, 4326))),
  (3, 'sigungu', 1, '서초구', 'Seocho-gu', '11220', ST_MakePoint(127.02, 37.50),
    ST_Multi(ST_MakeEnvelope(127.00, 37.48, 127.04, 37.52, 4326)));
INSERT INTO region_parts (region_id, level, part)
SELECT id, level, (ST_Dump(boundary)).geom FROM regions ORDER BY id;
INSERT INTO region_aliases (region_id, alias) VALUES (1, '서울');
INSERT INTO stations (id, name, line, geog) VALUES
  (1, '강남', '2호선', ST_MakePoint(127.0276, 37.4979)), (2, '역삼', '2호선', ST_MakePoint(127.0365, 37.5006)),
  (3, '선릉', '2호선', ST_MakePoint(127.0490, 37.5045));
INSERT INTO brands (id, name, is_representative, parent_id) VALUES
  (1, '인생네컷', true, NULL), (2, '하루필름', true, NULL), (3, '포토이즘', true, NULL), (4, '포토이즘박스', false, 3);
INSERT INTO brand_aliases (brand_id, alias) VALUES (3, 'Photoism');
INSERT INTO shops (id, brand_id, place_name, geog, road_address, sido_id, sigungu_id, status, opened_on, closed_on) VALUES
  (1, 1, '인생네컷 강남역점', ST_MakePoint(127.0280, 37.4985), '서울특별시 서초구 강남대로 1', 1, 3, 'OPEN', '2024-01-10', NULL),
  (2, 1, '인생네컷 강남대로점', ST_MakePoint(127.0290, 37.4990), '서울특별시 서초구 강남대로 2', 1, 3, 'OPEN', '2024-02-05', NULL),
  (3, 2, '하루필름 강남점', ST_MakePoint(127.0284, 37.4980), '서울특별시 서초구 강남대로 3', 1, 3, 'OPEN', '2024-02-20', NULL),
  (4, 3, '포토이즘 강남점', ST_MakePoint(127.0288, 37.4983), '서울특별시 서초구 강남대로 4', 1, 3, 'OPEN', '2024-03-01', NULL),
  (5, 4, '포토이즘박스 역삼점', ST_MakePoint(127.0370, 37.5010), '서울특별시 서초구 테헤란로 1', 1, 3, 'OPEN', '2024-03-15', NULL),
  (6, 1, '인생네컷 선릉점', ST_MakePoint(127.0495, 37.5050), '서울특별시 강남구 테헤란로 2', 1, 2, 'OPEN', '2024-04-01', NULL),
  (7, 2, '하루필름 선릉점', ST_MakePoint(127.0500, 37.5040), '서울특별시 강남구 테헤란로 3', 1, 2, 'CLOSED', '2024-01-20', '2024-04-10'),
  (8, 1, '인생네컷 강남 역점', ST_MakePoint(127.0281, 37.4985), '서울특별시 서초구 강남대로 1', 1, 3, 'OPEN', NULL, NULL),
  (9, 3, '포토이즘 길잃은점', ST_MakePoint(127.0600, 37.4900), '서울특별시 서초구 반포대로 5', 1, 2, 'OPEN', '2024-04-20', NULL);
INSERT INTO members (id, nickname, nickname_key) VALUES (1, '하나', '하나'), (2, '두리', '두리');
INSERT INTO reviews (shop_id, member_id, star_rating, content, purity, created_at, modified_at)
SELECT
  r.shop_id, 1 + n % 2, r.star, '예시 리뷰', CASE WHEN n % 4 = 0 THEN 'BAD' ELSE 'GOOD' END,
  timestamptz '2024-05-06 18:00+09' + n * interval '3 days', timestamptz '2024-05-06 18:00+09' + n * interval '3 days'
FROM (VALUES (1, 5, 6), (2, 5, 1), (3, 2, 4), (4, 4, 3), (6, 3, 2)) AS r (shop_id, star, times)
CROSS JOIN generate_series(1, r.times) AS n;
SELECT count_review(r, 1) FROM reviews AS r;
SELECT refresh_brand_counts();
COMMIT;
