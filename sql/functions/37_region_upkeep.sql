-- Updates after changes of regions: their common aliases, subdivided boundaries, and the regions of shops.

CREATE OR REPLACE FUNCTION add_province_aliases() RETURNS integer
LANGUAGE sql AS $$
  WITH known (place, alias, kind) AS (
    VALUES
      ('서울특별시', '서울', 'short'), ('서울특별시', '서울시', 'short'), ('서울특별시', 'Seoul', 'english'),
      ('부산광역시', '부산', 'short'), ('부산광역시', '부산시', 'short'), ('부산광역시', 'Busan', 'english'),
      ('대구광역시', '대구', 'short'), ('대구광역시', '대구시', 'short'), ('대구광역시', 'Daegu', 'english'),
      ('인천광역시', '인천', 'short'), ('인천광역시', '인천시', 'short'), ('인천광역시', 'Incheon', 'english'),
      ('광주광역시', '광주', 'short'), ('광주광역시', 'Gwangju', 'english'),
      ('대전광역시', '대전', 'short'), ('대전광역시', '대전시', 'short'), ('대전광역시', 'Daejeon', 'english'), ('대전광역시', 'Taejon', 'old'),
      ('울산광역시', '울산', 'short'), ('울산광역시', '울산시', 'short'), ('울산광역시', 'Ulsan', 'english'),
      ('세종특별자치시', '세종', 'short'), ('세종특별자치시', '세종시', 'short'), ('세종특별자치시', 'Sejong', 'english'),
      ('경기도', '경기', 'short'), ('경기도', 'Gyeonggi', 'english'),
      ('강원특별자치도', '강원', 'short'), ('강원특별자치도', '강원도', 'old'), ('강원특별자치도', 'Gangwon', 'english'),
      ('충청북도', '충북', 'short'), ('충청북도', 'Chungbuk', 'english'),
      ('충청남도', '충남', 'short'), ('충청남도', 'Chungnam', 'english'),
      ('전북특별자치도', '전북', 'short'), ('전북특별자치도', '전라북도', 'old'), ('전북특별자치도', 'Jeonbuk', 'english'),
      ('전라남도', '전남', 'short'), ('전라남도', 'Jeonnam', 'english'),
      ('경상북도', '경북', 'short'), ('경상북도', 'Gyeongbuk', 'english'),
      ('경상남도', '경남', 'short'), ('경상남도', 'Gyeongnam', 'english'),
      ('제주특별자치도', '제주', 'short'), ('제주특별자치도', '제주도', 'old'), ('제주특별자치도', 'Jeju', 'english'),
      -- collective names of several provinces
      ('서울특별시', '수도권', 'short'), ('인천광역시', '수도권', 'short'), ('경기도', '수도권', 'short'),
      ('충청북도', '충청', 'short'), ('충청남도', '충청', 'short'),
      ('충청북도', '충청도', 'old'), ('충청남도', '충청도', 'old'),
      ('전북특별자치도', '전라', 'short'), ('전라남도', '전라', 'short'),
      ('전북특별자치도', '전라도', 'old'), ('전라남도', '전라도', 'old'),
      ('광주광역시', '호남', 'short'), ('전북특별자치도', '호남', 'short'), ('전라남도', '호남', 'short'),
      ('경상북도', '경상', 'short'), ('경상남도', '경상', 'short'),
      ('경상북도', '경상도', 'old'), ('경상남도', '경상도', 'old'),
      ('부산광역시', '영남', 'short'), ('대구광역시', '영남', 'short'), ('울산광역시', '영남', 'short'),
      ('경상북도', '영남', 'short'), ('경상남도', '영남', 'short')
  ),
  added AS (
    INSERT INTO region_aliases (region_id, alias, kind, lang)
    SELECT r.id, k.alias, k.kind, CASE k.kind WHEN 'english' THEN 'en' ELSE '' END
    FROM known k JOIN regions r ON r.level = 'sido' AND r.name = k.place
    ON CONFLICT DO NOTHING RETURNING 1
  )
  SELECT count(*)::integer FROM added
$$;
COMMENT ON FUNCTION add_province_aliases() IS 'Adds short, old, English and collective names of the Korean provinces that exist; returns the number of new names.';

-- Displays use the first name of a language. Seoul has no Hanja of its own: 首爾 is the city's choice of 2005, 漢城 what it was
-- called before. Cities are also called X市, and 특별자치도 still X道.
CREATE OR REPLACE FUNCTION add_foreign_province_names() RETURNS integer
LANGUAGE sql AS $$
  WITH province (place, ja, zh_hans, zh_hant, unit) AS (
    VALUES
      ('서울특별시', 'ソウル', '首尔', '首爾', '特別市'),
      ('부산광역시', '釜山', '釜山', '釜山', '廣域市'), ('대구광역시', '大邱', '大邱', '大邱', '廣域市'),
      ('인천광역시', '仁川', '仁川', '仁川', '廣域市'), ('광주광역시', '光州', '光州', '光州', '廣域市'),
      ('대전광역시', '大田', '大田', '大田', '廣域市'), ('울산광역시', '蔚山', '蔚山', '蔚山', '廣域市'),
      ('세종특별자치시', '世宗', '世宗', '世宗', '特別自治市'),
      ('경기도', '京畿道', '京畿道', '京畿道', NULL),
      ('강원특별자치도', '江原道', '江原道', '江原道', NULL), ('강원특별자치도', '江原', '江原', '江原', '特別自治道'),
      ('충청북도', '忠清北道', '忠清北道', '忠清北道', NULL), ('충청북도', '忠北', '忠北', '忠北', NULL),
      ('충청남도', '忠清南道', '忠清南道', '忠清南道', NULL), ('충청남도', '忠南', '忠南', '忠南', NULL),
      ('전북특별자치도', '全北', '全北', '全北', '特別自治道'), ('전북특별자치도', '全羅北道', '全罗北道', '全羅北道', NULL),
      ('전라남도', '全羅南道', '全罗南道', '全羅南道', NULL), ('전라남도', '全南', '全南', '全南', NULL),
      ('경상북도', '慶尚北道', '庆尚北道', '慶尚北道', NULL), ('경상북도', '慶北', '庆北', '慶北', NULL),
      ('경상남도', '慶尚南道', '庆尚南道', '慶尚南道', NULL), ('경상남도', '慶南', '庆南', '慶南', NULL),
      ('제주특별자치도', '済州', '济州', '濟州', '特別自治道'),
      ('서울특별시', NULL, NULL, '漢城', NULL)
  ),
  english (place, name) AS (
    VALUES
      ('서울특별시', 'Seoul'), ('부산광역시', 'Busan'), ('대구광역시', 'Daegu'), ('인천광역시', 'Incheon'), ('광주광역시', 'Gwangju'),
      ('대전광역시', 'Daejeon'), ('울산광역시', 'Ulsan'), ('세종특별자치시', 'Sejong'), ('경기도', 'Gyeonggi-do'),
      ('강원특별자치도', 'Gangwon-do'), ('강원특별자치도', 'Gangwon State'), ('충청북도', 'Chungcheongbuk-do'),
      ('충청남도', 'Chungcheongnam-do'), ('전북특별자치도', 'Jeonbuk-do'), ('전북특별자치도', 'Jeonbuk State'),
      ('전북특별자치도', 'Jeollabuk-do'), ('전라남도', 'Jeollanam-do'), ('경상북도', 'Gyeongsangbuk-do'),
      ('경상남도', 'Gyeongsangnam-do'), ('제주특별자치도', 'Jeju-do')
  ),
  known (place, lang, alias, row_no, suffix_no) AS (
    SELECT e.place, 'en', e.name, row_number() OVER (), 1 FROM english e
    UNION ALL
    SELECT p.place, l.lang, l.base || hanja_in(n.unit, l.lang), p.row_no, n.suffix_no
    FROM (SELECT *, row_number() OVER () AS row_no FROM province) p
    CROSS JOIN LATERAL (VALUES ('ja', p.ja), ('zh-Hans', p.zh_hans), ('zh-Hant', p.zh_hant)) l (lang, base)
    CROSS JOIN LATERAL (VALUES ('', 1), (p.unit, 2), (right(p.unit, 1), 3)) n (unit, suffix_no)
  ),
  added AS (
    INSERT INTO region_aliases (region_id, alias, kind, lang)
    SELECT r.id, k.alias, CASE k.lang WHEN 'en' THEN 'english' ELSE 'foreign' END, k.lang
    FROM known k JOIN regions r ON r.level = 'sido' AND r.name = k.place
    WHERE k.alias IS NOT NULL
    ORDER BY r.id, k.row_no, k.suffix_no
    ON CONFLICT DO NOTHING RETURNING 1
  )
  SELECT count(*)::integer FROM added
$$;
COMMENT ON FUNCTION add_foreign_province_names() IS 'Adds the English, Japanese and Chinese names of the Korean provinces present; returns how many.';

-- Districts of one city whose names begin alike used to be a city, or are known by one name: 마산합포구 and 마산회원구, 일산동구
-- and 일산서구.
CREATE OR REPLACE FUNCTION add_shared_district_names() RETURNS integer
LANGUAGE sql AS $$
  WITH districts AS (
    SELECT r.id, r.parent_id, substring(r.name, '^(..+?시) ?.+구$') AS city, substring(r.name, '^..+?시 ?(..).+구$') AS begins
    FROM regions r WHERE r.level = 'sigungu'
  ),
  added AS (
    INSERT INTO region_aliases (region_id, alias, kind)
    SELECT DISTINCT d.id, d.begins, 'short'
    FROM districts d JOIN districts o USING (parent_id, city, begins) WHERE o.id <> d.id
    ON CONFLICT DO NOTHING RETURNING 1
  )
  SELECT count(*)::integer FROM added
$$;
COMMENT ON FUNCTION add_shared_district_names()
IS 'Adds the common name of districts of one city (마산, 일산); returns the number of new names.';

-- Boundary files have current names and provinces; addresses and people use the old ones for years.
CREATE OR REPLACE FUNCTION add_former_district_names() RETURNS integer
LANGUAGE sql AS $$
  WITH known (province, place, alias) AS (
    VALUES
      ('인천광역시', '미추홀구', '남구'),
      ('대구광역시', '군위군', '경북 군위'), ('대구광역시', '군위군', '경북 군위군'),
      ('대구광역시', '군위군', '경상북도 군위'), ('대구광역시', '군위군', '경상북도 군위군')
  ),
  added AS (
    INSERT INTO region_aliases (region_id, alias, kind)
    SELECT r.id, k.alias, 'old' FROM known k
    JOIN regions p ON p.level = 'sido' AND p.name = k.province
    JOIN regions r ON r.parent_id = p.id AND r.name = k.place
    ON CONFLICT DO NOTHING RETURNING 1
  )
  SELECT count(*)::integer FROM added
$$;
COMMENT ON FUNCTION add_former_district_names()
IS 'Adds the former names of districts that were renamed or moved to another province; returns the number of new names.';

CREATE OR REPLACE FUNCTION cut_boundaries(ids bigint []) RETURNS integer
LANGUAGE sql AS $$
  DELETE FROM region_parts WHERE region_id = ANY (ids);
  WITH added AS (
    INSERT INTO region_parts (region_id, level, part)
    SELECT r.id, r.level, d.geom
    FROM regions r
    CROSS JOIN LATERAL ST_Subdivide(r.boundary, 256) AS s (piece)
    CROSS JOIN LATERAL ST_Dump(s.piece) AS d
    WHERE r.id = ANY (ids) AND r.boundary IS NOT NULL AND GeometryType(d.geom) = 'POLYGON'
    RETURNING 1
  )
  SELECT count(*)::integer FROM added
$$;
COMMENT ON FUNCTION cut_boundaries(bigint []) IS 'Rebuilds region_parts of these regions, at most 256 vertices each; returns the number of pieces.';

-- region_of() for all shops at once: each address outline is resolved once, and each piece of a boundary is joined with all
-- shops inside. Shops are locked in id order, as members' commands do.
CREATE OR REPLACE FUNCTION refresh_shop_regions() RETURNS integer
LANGUAGE sql AS $$
  WITH outlined AS MATERIALIZED (SELECT addresses_have_outlines() AS yes),
  known AS MATERIALIZED (
    SELECT s.id, s.sido_id, s.sigungu_id, s.dong_id, s.geog::geometry AS point,
      CASE WHEN o.yes THEN address_outline(s.address) ELSE s.address END AS outline
    FROM (
      SELECT *, coalesce(nullif(lot_address, ''), road_address) AS address FROM shops
    ) s CROSS JOIN outlined o
  ),
  addresses AS MATERIALIZED (
    SELECT q.outline, r.*
    FROM (SELECT DISTINCT outline FROM known OFFSET 0) q CROSS JOIN LATERAL region_of_address(q.outline) r
  ),
  held AS MATERIALIZED (
    SELECT k.id, min(p.region_id) FILTER (WHERE p.level = 'dong') AS dong_id,
      min(p.region_id) FILTER (WHERE p.level = 'sigungu') AS sigungu_id,
      min(p.region_id) FILTER (WHERE p.level = 'sido') AS sido_id
    FROM region_parts p INNER JOIN known k ON ST_Intersects(p.part, k.point)
    GROUP BY k.id
  ),
  points AS MATERIALIZED (
    SELECT h.id, h.dong_id, g.id AS sigungu_id, coalesce(g.parent_id, h.sido_id) AS sido_id
    FROM held h LEFT JOIN regions d ON d.id = h.dong_id
    LEFT JOIN regions g ON g.id = coalesce(d.parent_id, h.sigungu_id)
  ),
  found AS MATERIALIZED (
    SELECT k.id, f.*
    FROM known k LEFT JOIN points p ON p.id = k.id LEFT JOIN addresses a ON a.outline = k.outline
    CROSS JOIN LATERAL regions_agreed(p.sido_id, p.sigungu_id, p.dong_id, a.sido_id, a.sigungu_id, a.dong_id) f
    WHERE (k.sido_id, k.sigungu_id, k.dong_id) IS DISTINCT FROM (f.sido_id, f.sigungu_id, f.dong_id)
  ),
  locked AS MATERIALIZED (
    SELECT s.id FROM shops s WHERE s.id IN (SELECT f.id FROM found f) ORDER BY s.id FOR NO KEY UPDATE
  ),
  changed AS (
    UPDATE shops s SET sido_id = f.sido_id, sigungu_id = f.sigungu_id, dong_id = f.dong_id
    FROM found f JOIN locked l ON l.id = f.id
    WHERE s.id = f.id
    RETURNING 1
  )
  SELECT count(*)::integer FROM changed
$$;
COMMENT ON FUNCTION refresh_shop_regions() IS 'Recomputes the regions of every shop; returns the number of changed shops.';

-- A shop keeps its brand unless its name contains a longer brand name, that of a sub-brand added later.
CREATE OR REPLACE FUNCTION refresh_shop_brands() RETURNS integer
LANGUAGE sql AS $$
  WITH pattern AS MATERIALIZED (SELECT brand_pattern() AS text, brand_keys() AS keys),
  found AS MATERIALIZED (
    SELECT q.id, q.brand_id
    FROM (
      SELECT s.id, s.brand_id AS own_brand_id, brand_of(s.place_name, p.text, p.keys) AS brand_id
      FROM shops s CROSS JOIN pattern p
      WHERE NOT s.overrides ? 'brand' AND lower(normalize(s.place_name, NFKC)) ~ p.text
    ) q INNER JOIN brands b ON b.id = q.brand_id
    WHERE q.own_brand_id IS NULL OR b.parent_id = q.own_brand_id
  ),
  locked AS MATERIALIZED (
    SELECT s.id FROM shops s WHERE s.id IN (SELECT f.id FROM found f) ORDER BY s.id FOR NO KEY UPDATE
  ),
  changed AS (
    UPDATE shops s SET brand_id = f.brand_id
    FROM found f JOIN locked l ON l.id = f.id
    WHERE s.id = f.id
    RETURNING 1
  )
  SELECT count(*)::integer FROM changed
$$;
COMMENT ON FUNCTION refresh_shop_brands() IS 'Sets the brand in the shop''s name for shops without a brand or with only its parent brand; returns the number of changed shops.';
