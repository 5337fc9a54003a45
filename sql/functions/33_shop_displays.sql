-- Names and addresses of shops in the languages of the contract: official names if known, else the official romanisation.

CREATE OR REPLACE FUNCTION capitalized(latin text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  SELECT CASE WHEN latin = lower(latin) THEN string_agg(upper(left(w.word, 1)) || substr(w.word, 2), ' ' ORDER BY w.place) ELSE latin END
  FROM string_to_table(latin, ' ') WITH ORDINALITY AS w (word, place);
END;
COMMENT ON FUNCTION capitalized(text) IS 'Capitalises each word of a lower-case name: photoism box becomes Photoism Box.';

CREATE OR REPLACE FUNCTION word_in(word text, lang text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN CASE WHEN lang = 'ja' THEN (
    SELECT string_agg(CASE WHEN m.part[1] ~ '[가-힣]' THEN in_kana(m.part[1]) ELSE m.part[1] END, '' ORDER BY m.place)
    FROM regexp_matches(word, '[가-힣]+|[^가-힣]+', 'g') WITH ORDINALITY AS m (part, place))
  ELSE romanized(word) END;
END $$;
COMMENT ON FUNCTION word_in(text, text) IS 'Transcribes a Korean word: katakana for Japanese, else Latin letters.';

-- In Japanese, the suffixes of regions and roads are written in Chinese characters: 테헤란로 is テヘラン路.
CREATE OR REPLACE FUNCTION place_in(word text, lang text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  units constant jsonb := jsonb '{"특별시": "特別市", "광역시": "広域市", "특별자치시": "特別自治市", "특별자치도": "特別自治道", "대로": "大路",
    "도": "道", "시": "市", "군": "郡", "구": "区", "읍": "邑", "면": "面", "리": "里", "동": "洞", "가": "街", "로": "路", "길": "ギル"}';
  part text[];
BEGIN
  IF lang <> 'ja' THEN
    RETURN romanized_place(word);
  END IF;
  part := regexp_match(word, '^([^0-9]+?)(특별자치시|특별자치도|특별시|광역시|대로|도|시|군|구|읍|면|리|동|가|로|길)([0-9].*)?$');
  RETURN CASE WHEN part IS NULL THEN word_in(word, lang)
    ELSE in_kana(part[1]) || (units ->> part[2])
      || coalesce(replace(replace(translate(part[3], '번가나다라', '番街ナダラ'), '길', 'ギル'), ' ', ''), '') END;
END $$;
COMMENT ON FUNCTION place_in(text, text) IS 'A region or road without an official name in a language.';

-- Hanja are traditional characters; Japanese uses other forms of some of them in place names.
CREATE OR REPLACE FUNCTION hanja_in(hanja text, lang text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN CASE lang
    WHEN 'ja' THEN translate(hanja, '區驛廣學國會關澤邊縣德禮壽鐵總蠶舊樂獨圓團榮寶彌雙兩號處點條擧靈藝體對傳轉醫劍勸觀歡淸眞靑',
      '区駅広学国会関沢辺県徳礼寿鉄総蚕旧楽独円団栄宝弥双両号処点条挙霊芸体対伝転医剣勧観歓清真青')
    WHEN 'zh-Hans' THEN han_folded(hanja)
    ELSE hanja END;
END $$;
COMMENT ON FUNCTION hanja_in(text, text) IS 'Converts Hanja to the characters of a language: 驛三 is 駅三 in Japanese.';

-- Chinese characters take precedence over kana, because signs in Korea use them. Seoul has no Hanja: it is ソウル in Japanese,
-- and 漢城 is outdated.
CREATE OR REPLACE FUNCTION name_rank(name text, name_lang text, lang text) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN CASE
    WHEN name ~ '漢城|汉城' OR lang = 'ja' AND name ~ '首爾' THEN NULL
    WHEN name_lang = lang AND (lang <> 'ja' OR name !~ '[ァ-ヶ]') THEN 1
    WHEN lang <> 'en' AND name_lang = 'zh-Hant' THEN 2
    WHEN name_lang = lang THEN 3
    WHEN lang LIKE 'zh-%' AND name_lang = 'ja' AND name ~ '^[一-鿿]+$' THEN 4 END;
END $$;
COMMENT ON FUNCTION name_rank(text, text, text) IS 'How well a name in one language suits another language, 1 is best; null if it is unsuitable.';

CREATE OR REPLACE FUNCTION brand_in(brand bigint, lang text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN CASE WHEN lang = 'ko' THEN (SELECT b.name FROM brands b WHERE b.id = brand) ELSE coalesce(
    (SELECT a.alias FROM brand_aliases a WHERE a.brand_id = brand AND a.lang = brand_in.lang ORDER BY a.id LIMIT 1),
    (SELECT hanja_in(a.alias, brand_in.lang) FROM brand_aliases a
      WHERE a.brand_id = brand AND a.lang LIKE 'zh-%' AND brand_in.lang LIKE 'zh-%' ORDER BY a.id LIMIT 1),
    (SELECT a.alias FROM brand_aliases a WHERE a.brand_id = brand AND a.lang = 'en' ORDER BY a.id LIMIT 1),
    (SELECT capitalized(a.alias) FROM brand_aliases a
      WHERE a.brand_id = brand AND a.lang = '' AND a.alias ~ '^[ -~]+$' ORDER BY a.id LIMIT 1),
    (SELECT romanized(b.name) FROM brands b WHERE b.id = brand)) END;
END $$;
COMMENT ON FUNCTION brand_in(bigint, text) IS 'The brand''s name in a language, else its Latin name, else its romanised name; null without a brand.';

CREATE OR REPLACE FUNCTION brands_json_in(origin text, lang text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT json_agg(
    b.item || jsonb_build_object('display', jsonb_build_object('brand_name', brand_in((b.item ->> 'id')::bigint, lang))) ORDER BY b.place
  )::text
  FROM jsonb_array_elements(brands_json(origin)::jsonb) WITH ORDINALITY AS b (item, place);
END;
COMMENT ON FUNCTION brands_json_in(text, text) IS 'Every brand as in brands_json, with its name in a language; null without brands.';

CREATE OR REPLACE FUNCTION region_in(region bigint, lang text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (
    SELECT CASE WHEN a.lang <> region_in.lang THEN hanja_in(a.alias, region_in.lang) ELSE a.alias END FROM region_aliases a
    WHERE a.region_id = region AND a.kind = 'foreign' AND name_rank(a.alias, a.lang, region_in.lang) IS NOT NULL
    ORDER BY name_rank(a.alias, a.lang, region_in.lang), a.id LIMIT 1);
END $$;
COMMENT ON FUNCTION region_in(bigint, text) IS 'The name of a region in Japanese or Chinese; null if unknown.';

CREATE OR REPLACE FUNCTION station_foreign_in(station bigint, lang text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (
    SELECT CASE WHEN a.lang <> station_foreign_in.lang THEN hanja_in(a.alias, station_foreign_in.lang) ELSE a.alias END
    FROM station_aliases a
    WHERE a.station_id = station AND name_rank(a.alias, a.lang, station_foreign_in.lang) IS NOT NULL
    ORDER BY name_rank(a.alias, a.lang, station_foreign_in.lang), a.id LIMIT 1);
END $$;
COMMENT ON FUNCTION station_foreign_in(bigint, text) IS 'The name of a station in Japanese or Chinese; null if unknown.';

-- Several cities may have stations with one name; the shop is named after a nearby one.
CREATE OR REPLACE FUNCTION station_in(name text, place geography, lang text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (
    SELECT coalesce(
      CASE WHEN lang = 'en' THEN nullif(s.name_en, '') ELSE station_foreign_in(s.id, lang) END,
      word_in(s.name, lang))
    FROM stations s
    WHERE s.name_key = name_key(station_in.name) AND ST_DWithin(s.geog, place, 5000)
    ORDER BY s.name_en = '', s.geog <-> place, s.id LIMIT 1);
END $$;
COMMENT ON FUNCTION station_in(text, geography, text) IS 'The official name of a station within 5 km, without the word for station; null if there is none.';

CREATE OR REPLACE FUNCTION branch_in(branch text, place geography, lang text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  part text[] := regexp_match(branch, '^(.*?) *(?:([0-9]+)호)?(점)?$');
  words text[] := ARRAY[]::text[];
  word text;
  known text;
BEGIN
  FOREACH word IN ARRAY string_to_array(btrim(part[1]), ' ') LOOP
    known := station_in(regexp_replace(word, '(.)역$', '\1'), place, lang);
    words := words || CASE
      WHEN word = '본' AND part[3] IS NOT NULL THEN
        CASE lang WHEN 'en' THEN 'Main' WHEN 'ja' THEN '本' WHEN 'zh-Hans' THEN '总' ELSE '總' END
      WHEN word ~ '.역$' THEN coalesce(known, word_in(left(word, -1), lang))
        || CASE lang WHEN 'en' THEN ' Station' WHEN 'ja' THEN '駅' ELSE '站' END
      WHEN known IS NOT NULL THEN known
      WHEN word ~ '..(동|구|시|대로|로|길)$' THEN place_in(word, lang)
      ELSE word_in(word, lang) END;
  END LOOP;
  RETURN btrim(array_to_string(words, ' ') || CASE
    WHEN lang = 'en' THEN coalesce(' No. ' || part[2], '')
    ELSE coalesce(' ' || part[2] || CASE lang WHEN 'zh-Hant' THEN '號' ELSE '号' END, '')
      || CASE WHEN part[3] IS NOT NULL THEN '店' ELSE '' END END);
END $$;
COMMENT ON FUNCTION branch_in(text, geography, text)
IS 'A branch in a language, with the official name of its station: 강남역 2호점 becomes Gangnam Station No. 2.';

-- The part of the name after the brand's name or alias; the whole name if it does not start with the brand.
CREATE OR REPLACE FUNCTION branch_of(place_name text, brand bigint, OUT branch text, OUT is_branded boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  words text[] := string_to_array(place_name, ' ');
  keys text[] := ARRAY(
    SELECT b.name_key FROM brands b WHERE b.id = brand
    UNION SELECT a.alias_key FROM brand_aliases a WHERE a.brand_id = brand);
  longest text;
BEGIN
  branch := place_name;
  is_branded := false;
  FOR n IN REVERSE cardinality(words)..1 LOOP
    IF name_key(array_to_string(words[:n], ' ')) = ANY (keys) THEN
      branch := array_to_string(words[n + 1:], ' ');
      is_branded := true;
      RETURN;
    END IF;
  END LOOP;
  -- 인생네컷강남점
  SELECT k INTO longest FROM unnest(keys) k WHERE starts_with(lower(words[1]), k) ORDER BY length(k) DESC LIMIT 1;
  IF longest IS NOT NULL THEN
    branch := substr(place_name, length(longest) + 1);
    is_branded := true;
  END IF;
END $$;
COMMENT ON FUNCTION branch_of(text, bigint) IS 'The branch of a shop''s name, without its brand.';

CREATE OR REPLACE FUNCTION detail_in(word text, lang text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  part text[] := regexp_match(word, '^(지하|B)?([0-9]+(?:[-~][0-9]+)?)(층|호)$');
BEGIN
  RETURN CASE
    WHEN part IS NULL THEN word_in(word, lang)
    WHEN part[3] = '호' THEN CASE lang WHEN 'en' THEN 'Unit ' || part[2] WHEN 'ja' THEN part[2] || '号室' ELSE part[2] || '室' END
    WHEN lang = 'en' THEN CASE WHEN part[1] IS NULL THEN part[2] || 'F' ELSE 'B' || part[2] END
    ELSE CASE WHEN part[1] IS NULL THEN '' ELSE '地下' END || part[2]
      || CASE lang WHEN 'ja' THEN '階' WHEN 'zh-Hans' THEN '层' ELSE '樓' END END;
END $$;
COMMENT ON FUNCTION detail_in(text, text) IS 'A floor, a room or the name of a building in a language: 지하1층 becomes B1.';

-- Addresses begin with the largest unit in Korean, Japanese and Chinese, and with the number in English.
CREATE OR REPLACE FUNCTION address_in(address text, lang text, known jsonb DEFAULT '{}') RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  word text;
  regions text[] := ARRAY[]::text[];
  street text;
  number text;
  details text[] := ARRAY[]::text[];
  text_of_city text;
BEGIN
  IF address !~ '[가-힣]' THEN
    RETURN address;
  END IF;
  -- 수원시 영통구 is one region
  FOR text_of_city IN SELECT k FROM jsonb_object_keys(known) k WHERE k LIKE '% %' LOOP
    address := replace(address, text_of_city, replace(text_of_city, ' ', '_'));
  END LOOP;
  FOREACH word IN ARRAY regexp_split_to_array(btrim(regexp_replace(
    regexp_replace(address, '\([^)]*\)|[(),]', ' ', 'g'), '(^|\s)(산|지하)\s+([0-9])', '\1\2\3', 'g')), '\s+') LOOP
    CASE
      WHEN street IS NULL AND (word ~ '.(시|도|군|구|읍|면)$'
        OR cardinality(regions) = 0 AND word ~ '^(서울|부산|대구|인천|광주|대전|울산|세종|경기|강원|충북|충남|전북|전남|경북|경남|제주)$') THEN
        regions := coalesce(
          known ->> replace(word, '_', ' '), CASE WHEN cardinality(regions) = 0 THEN known ->> '' END, place_in(word, lang)) || regions;
      WHEN number IS NULL AND cardinality(details) = 0 AND word ~ '^(지하|산)?[0-9]+(-[0-9]+)?(번지)?$' THEN
        number := CASE lang WHEN 'en' THEN romanized(regexp_replace(replace(word, '번지', ''), '^(지하|산)', '\1 '))
          ELSE regexp_replace(regexp_replace(replace(word, '번지', ''), '^지하', '地下'), '^산', '山') END;
      WHEN number IS NULL AND cardinality(details) = 0 AND street IS NOT NULL AND word ~ '^[0-9]+(번|가|나|다|라)?길$' THEN
        street := street || word;
      WHEN number IS NULL AND cardinality(details) = 0 AND word ~ '.(로|길|동|리|가)$' THEN
        IF street IS NOT NULL THEN
          regions := coalesce(known ->> street, place_in(street, lang)) || regions;
        END IF;
        street := word;
      ELSE details := details || detail_in(word, lang);
    END CASE;
  END LOOP;
  street := coalesce(known ->> street, place_in(street, lang));
  IF lang = 'en' THEN
    RETURN array_to_string(details || nullif(concat_ws(' ', number, street), '') || regions, ', ');
  END IF;
  RETURN array_to_string(
    ARRAY(SELECT r FROM unnest(regions) WITH ORDINALITY t (r, place) ORDER BY place DESC) || street || number || details, ' ');
END $$;
COMMENT ON FUNCTION address_in(text, text, jsonb)
IS 'A Korean address in the postal order of a language: 287 Gangnam-daero, Gangnam-gu, Seoul. known maps region names to names in the language; the empty key is for the first word.';

CREATE OR REPLACE FUNCTION regions_in(sido bigint, sigungu bigint, dong bigint, lang text) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN coalesce((
    SELECT jsonb_object_agg(CASE WHEN r.level = 'sido' THEN '' ELSE r.name END, region_in(r.id, lang))
    FROM regions r
    WHERE lang <> 'en' AND r.id IN (sido, sigungu, dong) AND region_in(r.id, lang) IS NOT NULL), '{}');
END $$;
COMMENT ON FUNCTION regions_in(bigint, bigint, bigint, text) IS 'Maps the Korean names of a shop''s regions to Japanese or Chinese names, for address_in.';

CREATE OR REPLACE FUNCTION display_source(
  place_name text, road_address text, lot_address text, brand bigint, sigungu bigint
) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN hashtextextended(place_name, hashtextextended(road_address, hashtextextended(lot_address,
  hashint8extended(coalesce(brand, 0), coalesce(sigungu, 0)))));
COMMENT ON FUNCTION display_source(text, text, text, bigint, bigint) IS 'A hash of the data from which the display of a shop is built.';

CREATE OR REPLACE FUNCTION display_json(shop bigint, lang text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  s record;
  name text;
  address text;
  brand text;
  b record;
BEGIN
  SELECT p.place_name, p.brand_id, p.geog, p.sido_id, p.sigungu_id, p.dong_id, CASE WHEN p.road_address = '' THEN p.lot_address ELSE p.road_address END AS address
  INTO s FROM shops p WHERE p.id = shop;
  brand := coalesce(brand_in(s.brand_id, lang), '');
  IF lang = 'ko' THEN
    name := s.place_name;
    address := s.address;
  ELSE
    SELECT * INTO b FROM branch_of(s.place_name, s.brand_id);
    name := concat_ws(' ', CASE WHEN b.is_branded THEN brand END, nullif(branch_in(b.branch, s.geog, lang), ''));
    address := address_in(s.address, lang, regions_in(s.sido_id, s.sigungu_id, s.dong_id, lang));
  END IF;
  RETURN '"display":{"place_name":' || to_json(name)::text || ',"place_address":' || to_json(address)::text
    || ',"brand_name":' || to_json(brand)::text || '},';
END $$;
COMMENT ON FUNCTION display_json(bigint, text) IS 'The display of a shop in a language as a member of a JSON object, followed by a comma.';

-- Inlined into the subqueries that look up a display.
CREATE OR REPLACE FUNCTION display_text(d shop_displays, lang text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT CASE lang WHEN 'en' THEN d.en WHEN 'ja' THEN d.ja WHEN 'zh-Hans' THEN d.zh_hans WHEN 'zh-Hant' THEN d.zh_hant ELSE d.ko END $$;
COMMENT ON FUNCTION display_text(shop_displays, text) IS 'The stored display in a language.';

CREATE OR REPLACE FUNCTION refresh_shop_displays(
  after_id bigint, at_most integer, every boolean, OUT last_id bigint, OUT changed integer
)
LANGUAGE sql AS $$
  WITH page AS MATERIALIZED (
    SELECT s.id, display_source(s.place_name, s.road_address, s.lot_address, s.brand_id, s.sigungu_id) AS source
    FROM shops s WHERE s.id > after_id ORDER BY s.id LIMIT at_most
  ),
  outdated AS MATERIALIZED (
    SELECT p.id, p.source FROM page p LEFT JOIN shop_displays d ON d.shop_id = p.id
    WHERE every OR d.made_of IS DISTINCT FROM p.source
  ),
  locked AS MATERIALIZED (
    SELECT s.id FROM shops s WHERE s.id IN (SELECT o.id FROM outdated o) ORDER BY s.id FOR KEY SHARE
  ),
  written AS (
    INSERT INTO shop_displays AS d (shop_id, made_of, ko, en, ja, zh_hans, zh_hant)
    SELECT o.id, o.source, display_json(o.id, 'ko'), display_json(o.id, 'en'), display_json(o.id, 'ja'), display_json(o.id, 'zh-Hans'), display_json(o.id, 'zh-Hant')
    FROM outdated o JOIN locked l ON l.id = o.id
    ON CONFLICT (shop_id) DO UPDATE SET made_of = excluded.made_of, ko = excluded.ko, en = excluded.en, ja = excluded.ja,
      zh_hans = excluded.zh_hans, zh_hant = excluded.zh_hant
    WHERE (d.made_of, d.ko, d.en, d.ja, d.zh_hans, d.zh_hant)
      IS DISTINCT FROM (excluded.made_of, excluded.ko, excluded.en, excluded.ja, excluded.zh_hans, excluded.zh_hant)
    RETURNING 1
  )
  SELECT max(p.id), (SELECT count(*)::integer FROM written) FROM page p
$$;
COMMENT ON FUNCTION refresh_shop_displays(bigint, integer, boolean)
IS 'Rebuilds outdated displays, or all, of at_most shops after an id; returns the last id processed (null at the end) and the number of changed rows.';

CREATE OR REPLACE FUNCTION label_in(kind text, id bigint, label text, place geography, lang text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN CASE
    WHEN lang = 'ko' THEN label
    WHEN kind = 'brand' THEN brand_in(id, lang)
    WHEN kind = 'station' THEN branch_in(label, place, lang)
    ELSE (SELECT address_in(label, lang, regions_in(r.id, r.parent_id, u.parent_id, lang))
      FROM regions r LEFT JOIN regions u ON u.id = r.parent_id WHERE r.id = label_in.id) END;
END $$;
COMMENT ON FUNCTION label_in(text, bigint, text, geography, text) IS 'The label of a suggested region, station or brand in a language.';

CREATE OR REPLACE FUNCTION suggestions_in(suggestions json, lang text) RETURNS json
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (
    SELECT json_agg(x.item::jsonb || jsonb_build_object('display', CASE x.item ->> 'kind'
      WHEN 'shop' THEN d.display || jsonb_build_object('label', d.display -> 'place_name')
      ELSE jsonb_build_object('label', label_in(
        x.item ->> 'kind', (x.item ->> 'id')::bigint, x.item ->> 'label',
        point_at((x.item ->> 'longitude')::float8, (x.item ->> 'latitude')::float8), lang))
      END) ORDER BY x.place)
    FROM json_array_elements(suggestions) WITH ORDINALITY AS x (item, place)
    CROSS JOIN LATERAL (
      SELECT CASE WHEN x.item ->> 'kind' = 'shop' THEN
        ('{' || rtrim(coalesce((
          SELECT display_text(d, lang) FROM shops s INNER JOIN shop_displays d ON d.shop_id = s.id
          WHERE s.id = (x.item ->> 'id')::bigint
            AND d.made_of = display_source(s.place_name, s.road_address, s.lot_address, s.brand_id, s.sigungu_id)),
          display_json((x.item ->> 'id')::bigint, lang)), ',') || '}')::jsonb -> 'display' END AS display
    ) AS d);
END $$;
COMMENT ON FUNCTION suggestions_in(json, text) IS 'Suggestions with their displays in a language: the label, and for a shop also names and address.';
