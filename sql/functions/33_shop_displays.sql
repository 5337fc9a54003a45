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

CREATE OR REPLACE FUNCTION with_loan_words(transcribed text, word text, lang text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  w record;
BEGIN
  FOR w IN SELECT * FROM place_words() AS p WHERE strpos(word, p.korean) > 0 ORDER BY length(p.korean) DESC LOOP
    transcribed := replace(transcribed, word_in(w.korean, lang), split_part(CASE lang WHEN 'ja' THEN w.ja ELSE w.en END, '|', 1));
  END LOOP;
  RETURN transcribed;
END $$;
COMMENT ON FUNCTION with_loan_words(text, text, text) IS 'A transcribed word with those of place_words() in its language: 올림픽로 is Olympic-ro, not Ollimpik-ro.';

-- In Japanese, the suffixes of regions and roads are written in Chinese characters: 테헤란로 is テヘラン路.
CREATE OR REPLACE FUNCTION place_in(word text, lang text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  units constant jsonb := jsonb '{"특별시": "特別市", "광역시": "広域市", "특별자치시": "特別自治市", "특별자치도": "特別自治道", "대로": "大路",
    "도": "道", "시": "市", "군": "郡", "구": "区", "읍": "邑", "면": "面", "리": "里", "동": "洞", "가": "街", "로": "路", "길": "ギル"}';
  part text[];
BEGIN
  IF lang <> 'ja' THEN
    RETURN with_loan_words(romanized_place(word), word, lang);
  END IF;
  -- 동 of 명동8길 is not its unit
  part := coalesce(
    regexp_match(word, '^([^0-9]+[^0-9로길])()([0-9]+길)$'),
    regexp_match(word, '^([0-9]*?[^0-9]+?)(특별자치시|특별자치도|특별시|광역시|대로|도|시|군|구|읍|면|리|동|가|로|길)([0-9].*)?$'),
    regexp_match(word, '^(.+?)(대로|로)()$'));
  RETURN CASE WHEN part IS NULL THEN word_in(word, lang)
    ELSE with_loan_words(word_in(part[1], lang), part[1], lang) || coalesce(units ->> part[2], '')
      || coalesce(replace(replace(translate(part[3], '번가나다라', '番街ナダラ'), '길', 'ギル'), ' ', ''), '') END;
END $$;
COMMENT ON FUNCTION place_in(text, text) IS 'A region or road without an official name in a language.';

-- Hanja are traditional characters. Some have a form of their own in Korea (敎, 淸), in Japanese (広) or in both. Japanese keeps 龍
-- and 蘆 in names of Korean places.
CREATE OR REPLACE FUNCTION hanja_in(hanja text, lang text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  -- the Hanja of KS X 1001 and their variants, after Unihan and the tables of OpenCC (Apache-2.0)
  letters constant text := normalize(hanja, NFKC);
BEGIN
  RETURN CASE lang
    WHEN 'ja' THEN translate(
      letters,
      '乘亂亞佛來假傳僞價儉兒內兩剩劍劑勞勳勵勸區卷參吳單嚴囑圈國圍圓圖團增墮壓壘壞壤壯壹壽奧奬孃學寢實寫寬寶將專對屆屬峯峽嶽巖巢帶廢廣廳彈彌彎徑從徵德悅惠惡惱慘應懷戀戰戶戾拂拔拜挾揭搖搜擇擊擔據擴攝攪收效數'
        || '斷晉晝曆曉曾會條棧榮樂樓樞樣橫檢櫻權歐歡步歲歷歸殘殼毆每氣沒涉淚淨淺渴溪溫滯滿潛澤濟濤濱瀧瀨灣焰燈燒營爐爭爲牀犧狀狹獨獵獸獻當疊疎癡發盜盡碎祿禦禪禮禱稅稱稻穗穩穰竊粹絲經綠緖緣縣縱總繫繡繩繪繼續纖罐聰'
        || '聲聽肅脣脫腦膽臟臺與舊舍莊萬薰藏藝藥處虛號螢蟲蠶蠻裝覺覽觀觸說謠證譯譽讀變讓豫貳賣賴贊踐輕輛轉辭遞遲邊醫醬釀釋鋪錄錢鍊鐵鑄鑛閱關陷隨險隱雙雜靈靜顯餘騷驅驗驛髓體髮鷗鹽麥黃黑默點黨齊齋齒齡龜敎眞淸靑尙鎭'
        || '强鄕硏栢鷄餠凉郞槪旣卽姬祕毁敍彥產羣倂舘恆銳裵曺煕擧',
      '乗乱亜仏来仮伝偽価倹児内両剰剣剤労勲励勧区巻参呉単厳嘱圏国囲円図団増堕圧塁壊壌壮壱寿奥奨嬢学寝実写寛宝将専対届属峰峡岳岩巣帯廃広庁弾弥弯径従徴徳悦恵悪悩惨応懐恋戦戸戻払抜拝挟掲揺捜択撃担拠拡摂撹収効数'
        || '断晋昼暦暁曽会条桟栄楽楼枢様横検桜権欧歓歩歳歴帰残殻殴毎気没渉涙浄浅渇渓温滞満潜沢済涛浜滝瀬湾焔灯焼営炉争為床犠状狭独猟獣献当畳疏痴発盗尽砕禄御禅礼祷税称稲穂穏穣窃粋糸経緑緒縁県縦総繋繍縄絵継続繊缶聡'
        || '声聴粛唇脱脳胆臓台与旧舎荘万薫蔵芸薬処虚号蛍虫蚕蛮装覚覧観触説謡証訳誉読変譲予弐売頼賛践軽輌転辞逓遅辺医醤醸釈舗録銭錬鉄鋳鉱閲関陥随険隠双雑霊静顕余騒駆験駅髄体髪鴎塩麦黄黒黙点党斉斎歯齢亀教真清青尚鎮'
        || '強郷研柏鶏餅涼郎概既即姫秘毀叙彦産群併館恒鋭裴曹熙挙')
    WHEN 'zh-Hans' THEN han_folded(letters)
    WHEN 'zh-Hant' THEN translate(
      letters,
      '敎眞淸靑尙鎭强爲産鄕硏栢豊鷄餠凉彦峯衆裏癡脣郞槪旣卽絶値戸顔敍毁羣倂盃舘曺煕',
      '教真清青尚鎮強為產鄉研柏豐雞餅涼彥峰眾裡痴唇郎概既即絕值戶顏敘毀群併杯館曹熙')
    ELSE letters END;
END $$;
COMMENT ON FUNCTION hanja_in(text, text) IS 'Converts Hanja to the characters of a language: 驛三 is 駅三 in Japanese.';

-- Chinese characters take precedence over kana, because signs in Korea use them (狎鷗亭ロデオ has both). Seoul has no Hanja: it is
-- ソウル in Japanese, and 漢城 is outdated. A name with the language zh, without a script, is the one that Chinese speakers use
-- instead of the Hanja (弘益大學).
CREATE OR REPLACE FUNCTION name_rank(name text, name_lang text, lang text) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN CASE
    WHEN name ~ '漢城|汉城' OR lang = 'ja' AND name ~ '首爾' THEN NULL
    WHEN name_lang = lang AND (lang <> 'ja' OR name !~ '[ァ-ヶ]' OR name ~ '^[一-鿿].*[ァ-ヶ]$') THEN 1
    WHEN lang LIKE 'zh-%' AND name_lang = 'zh' THEN 1
    WHEN lang <> 'en' AND name_lang = 'zh-Hant' THEN 2
    WHEN name_lang = lang THEN 3
    WHEN lang LIKE 'zh-%' AND name_lang = 'ja' AND name ~ '^[一-鿿]+$' THEN 4
    WHEN lang = 'zh-Hant' AND name_lang = 'zh-Hans' THEN 5 END;
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
    SELECT hanja_in(a.alias, region_in.lang) FROM region_aliases a
    WHERE a.region_id = region AND a.kind = 'foreign' AND name_rank(a.alias, a.lang, region_in.lang) IS NOT NULL
    ORDER BY name_rank(a.alias, a.lang, region_in.lang), a.id LIMIT 1);
END $$;
COMMENT ON FUNCTION region_in(bigint, text) IS 'The name of a region in Japanese or Chinese; null if unknown.';

-- Hanja have one character per syllable; a name with more or fewer is a translation (數碼媒體城), which Japanese does not use.
CREATE OR REPLACE FUNCTION station_foreign_in(station bigint, lang text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (
    SELECT hanja_in(a.alias, station_foreign_in.lang) FROM station_aliases a JOIN stations s ON s.id = a.station_id
    WHERE a.station_id = station AND name_rank(a.alias, a.lang, station_foreign_in.lang) IS NOT NULL
      AND (station_foreign_in.lang <> 'ja' OR a.lang = 'ja' OR length(a.alias) = length(s.name))
    ORDER BY name_rank(a.alias, a.lang, station_foreign_in.lang), a.id LIMIT 1);
END $$;
COMMENT ON FUNCTION station_foreign_in(bigint, text) IS 'The name of a station in Japanese or Chinese; null if unknown.';

-- Several cities may have stations with one name; the shop is named after a nearby one.
CREATE OR REPLACE FUNCTION station_in(name text, place geography, lang text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (
    SELECT coalesce(
      CASE WHEN lang <> 'en' THEN station_foreign_in(s.id, lang) END,
      CASE WHEN lang <> 'ja' THEN nullif(s.name_en, '') END,
      word_in(s.name, lang))
    FROM stations s
    WHERE s.name_key = name_key(station_in.name) AND ST_DWithin(s.geog, place, 5000)
    ORDER BY s.name_en = '', s.geog <-> place, s.id LIMIT 1);
END $$;
COMMENT ON FUNCTION station_in(text, geography, text) IS 'The official name of a station within 5 km, without the word for station; null if there is none.';

CREATE OR REPLACE FUNCTION station_word(lang text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE lang WHEN 'en' THEN ' Station' WHEN 'ja' THEN '駅' ELSE '站' END;
COMMENT ON FUNCTION station_word(text) IS 'The word for station after a name.';

-- The parts before and after the word of place_words() are transcribed: 광안리해수욕장, 판교현대백화점. A word that only ends others is
-- not recognised elsewhere: 몰운대 is no mall.
CREATE OR REPLACE FUNCTION place_words_in(word text, place geography, lang text, regions jsonb) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  part text[] := regexp_match(word, place_word_parts());
  sign constant text := CASE lang WHEN 'en' THEN ' ' ELSE '' END;
BEGIN
  IF part IS NULL THEN
    RETURN NULL;
  END IF;
  RETURN btrim(concat_ws(sign, branch_word_in(nullif(part[1], ''), place, lang, regions), (
    SELECT split_part(CASE lang WHEN 'en' THEN w.en WHEN 'ja' THEN w.ja ELSE hanja_in(w.zh, place_words_in.lang) END, '|', 1)
    FROM place_words() AS w WHERE ltrim(w.korean, '-') = part[2] LIMIT 1
  ), branch_word_in(nullif(part[3], ''), place, lang, regions)));
END $$;
COMMENT ON FUNCTION place_words_in(text, geography, text, jsonb)
IS 'A word of a branch that contains one of place_words() in a language; null if it contains none.';

CREATE OR REPLACE FUNCTION branch_word_in(word text, place geography, lang text, regions jsonb) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
  known constant text := station_in(regexp_replace(word, '(.)역$', '\1'), place, lang);
BEGIN
  RETURN CASE
    WHEN word ~ '.역$' THEN coalesce(known, regions ->> left(word, -1), word_in(left(word, -1), lang)) || station_word(lang)
    WHEN known IS NOT NULL THEN known
    WHEN regions ? word THEN regions ->> word
    ELSE coalesce(place_words_in(word, place, lang, regions), CASE
      WHEN word ~ '..(동|구|시|읍|면|대로|로|길|[0-9]가)$' THEN place_in(word, lang)
      ELSE word_in(word, lang) END) END;
END $$;
COMMENT ON FUNCTION branch_word_in(text, geography, text, jsonb) IS 'A word of a branch in a language.';

CREATE OR REPLACE FUNCTION branch_in(branch text, place geography, lang text, regions jsonb DEFAULT '{}') RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  part text[] := regexp_match(branch, '^(.*?) *(?:([0-9]+)호)?((?<!백화)점)?$');
  words text[] := ARRAY[]::text[];
  word text;
BEGIN
  FOREACH word IN ARRAY string_to_array(btrim(part[1]), ' ') LOOP
    words := words || CASE
      WHEN word = '본' AND part[3] IS NOT NULL THEN
        CASE lang WHEN 'en' THEN 'Main' WHEN 'ja' THEN '本' WHEN 'zh-Hans' THEN '总' ELSE '總' END
      ELSE branch_word_in(word, place, lang, regions) END;
  END LOOP;
  RETURN btrim(array_to_string(words, ' ') || CASE
    WHEN lang = 'en' THEN coalesce(' No. ' || part[2], '')
    ELSE coalesce(' ' || part[2] || CASE lang WHEN 'zh-Hant' THEN '號' ELSE '号' END, '')
      || CASE WHEN part[3] IS NOT NULL THEN '店' ELSE '' END END);
END $$;
COMMENT ON FUNCTION branch_in(text, geography, text, jsonb)
IS 'A branch in a language, with the official name of its station or region: 강남역 2호점 becomes Gangnam Station No. 2.';

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
  part text[] := regexp_match(word, '^(제|지상|지하|B)?([0-9]+(?:[-~][0-9]+)?)(층|호)$');
  joined text[] := regexp_match(word, '^(.*[0-9]층)(.*[0-9]호)$');
  building text := substring(word FROM '^([0-9A-Za-z]+)동$');
  is_below boolean := part[1] IN ('지하', 'B');
BEGIN
  RETURN CASE
    WHEN joined IS NOT NULL THEN detail_in(joined[1], lang) || CASE lang WHEN 'en' THEN ', ' ELSE ' ' END || detail_in(joined[2], lang)
    WHEN building IS NOT NULL THEN CASE lang
      WHEN 'en' THEN 'Bldg. ' || building WHEN 'ja' THEN building || '棟' WHEN 'zh-Hans' THEN building || '栋' ELSE building || '棟' END
    WHEN word ~ '..역$' THEN word_in(left(word, -1), lang) || station_word(lang)
    WHEN part IS NULL THEN word_in(word, lang)
    WHEN part[3] = '호' THEN CASE lang WHEN 'en' THEN 'Unit ' || part[2] WHEN 'ja' THEN part[2] || '号室' ELSE part[2] || '室' END
    WHEN lang = 'en' THEN CASE WHEN is_below THEN 'B' || part[2] ELSE part[2] || 'F' END
    ELSE CASE WHEN is_below THEN '地下' ELSE '' END || part[2]
      || CASE lang WHEN 'ja' THEN '階' WHEN 'zh-Hans' THEN '层' ELSE '樓' END END;
END $$;
COMMENT ON FUNCTION detail_in(text, text) IS 'A floor, a room, or the number or name of a building in a language: 지하1층 becomes B1.';

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

-- Branches are also called after a part of a region's name: 팔달 and 팔달구 of 수원시 팔달구, 성수동 of 성수동2가, 경남 of 경상남도.
CREATE OR REPLACE FUNCTION names_of_parts(level text, korean text, translated text) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  pairs text[] := ARRAY[ARRAY[korean, translated]];
  pair text[];
  names jsonb := jsonb '{}';
BEGIN
  IF level = 'sido' THEN
    RETURN jsonb_build_object(
      korean, translated, regexp_replace(korean, '(특별|광역)?(자치)?[시도]$', ''), translated,
      regexp_replace(korean, '^(.).([남북])도$', '\1\2'), translated);
  ELSIF korean ~ '^[^ ]+ [^ ]+$' AND translated ~ '^[^ ]+ [^ ]+$' THEN
    pairs := ARRAY[
      ARRAY[split_part(korean, ' ', 1), split_part(translated, ' ', 1)], ARRAY[split_part(korean, ' ', 2), split_part(translated, ' ', 2)]];
  ELSIF korean ~ '..[0-9]+가$' AND translated ~ '.[0-9]+街$' THEN
    pairs := ARRAY[ARRAY[regexp_replace(korean, '[0-9]+가$', ''), regexp_replace(translated, '[0-9]+街$', '')]];
  END IF;
  FOREACH pair SLICE 1 IN ARRAY pairs LOOP
    names := names || jsonb_build_object(pair[1], pair[2]);
    IF pair[1] ~ '..[시군구읍면동]$' AND pair[2] ~ '.[市郡区區邑面洞]$' THEN
      names := names || jsonb_build_object(left(pair[1], -1), left(pair[2], -1));
    END IF;
  END LOOP;
  RETURN names;
END $$;
COMMENT ON FUNCTION names_of_parts(text, text, text) IS 'The parts of a region''s Korean name and its short forms, each with its name in another language.';

CREATE OR REPLACE FUNCTION regions_in(sido bigint, sigungu bigint, dong bigint, lang text) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  region record;
  names jsonb := jsonb '{}';
  parts jsonb := jsonb '{}';
BEGIN
  IF lang = 'en' THEN
    RETURN coalesce((SELECT jsonb_build_object(r.name, romanized_place(r.name)) FROM regions r WHERE r.id = dong AND r.level = 'dong'), '{}');
  END IF;
  FOR region IN
    SELECT r.level, r.name, region_in(r.id, lang) AS translated FROM regions r WHERE r.id IN (sido, sigungu, dong) ORDER BY r.level
  LOOP
    CONTINUE WHEN region.translated IS NULL;
    names := names || jsonb_build_object(CASE WHEN region.level = 'sido' THEN '' ELSE region.name END, region.translated);
    parts := parts || names_of_parts(region.level, region.name, region.translated);
  END LOOP;
  RETURN parts || names;
END $$;
COMMENT ON FUNCTION regions_in(bigint, bigint, bigint, text)
IS 'Maps the Korean names of a shop''s regions, and parts of them, to Japanese or Chinese names, for address_in and branch_in.';

CREATE OR REPLACE FUNCTION display_source(s shops) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN hashtextextended((s).place_name, hashtextextended((s).road_address, hashtextextended((s).lot_address,
  hashint8extended(coalesce((s).brand_id, 0), coalesce((s).sigungu_id, 0)))));
COMMENT ON FUNCTION display_source(shops) IS 'A hash of the data from which the display of a shop is built.';

CREATE OR REPLACE FUNCTION display_json(shop bigint, lang text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  s record;
  name text;
  address text;
  brand text;
  b record;
  regions jsonb;
BEGIN
  SELECT p.place_name, p.brand_id, p.geog, p.sido_id, p.sigungu_id, p.dong_id, CASE WHEN p.road_address = '' THEN p.lot_address ELSE p.road_address END AS address
  INTO s FROM shops p WHERE p.id = shop;
  brand := coalesce(brand_in(s.brand_id, lang), '');
  IF lang = 'ko' THEN
    name := s.place_name;
    address := s.address;
  ELSE
    regions := regions_in(s.sido_id, s.sigungu_id, s.dong_id, lang);
    SELECT * INTO b FROM branch_of(s.place_name, s.brand_id);
    name := concat_ws(' ', CASE WHEN b.is_branded THEN brand END, nullif(branch_in(b.branch, s.geog, lang, regions), ''));
    address := address_in(s.address, lang, regions);
  END IF;
  RETURN '"display":{"place_name":' || to_json(name)::text || ',"place_address":' || to_json(address)::text
    || ',"brand_name":' || to_json(brand)::text || '},';
END $$;
COMMENT ON FUNCTION display_json(bigint, text) IS 'The display of a shop in a language as a member of a JSON object, followed by a comma.';

CREATE OR REPLACE FUNCTION display_text(d shop_displays, lang text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT CASE lang WHEN 'en' THEN d.en WHEN 'ja' THEN d.ja WHEN 'zh-Hans' THEN d.zh_hans WHEN 'zh-Hant' THEN d.zh_hant ELSE d.ko END $$;
COMMENT ON FUNCTION display_text(shop_displays, text) IS 'The stored display in a language.';

-- Returns a set, because PostgreSQL inlines a function that reads a table only then.
CREATE OR REPLACE FUNCTION display_of(shop bigint, source bigint, lang text, built_lang text DEFAULT NULL) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
  SELECT coalesce(
    (SELECT public.display_text(d, lang) FROM public.shop_displays AS d WHERE d.shop_id = shop AND d.made_of = source),
    public.display_json(shop, coalesce(built_lang, lang)))
$$;
COMMENT ON FUNCTION display_of(bigint, bigint, text, text)
IS 'The stored display of a shop in a language; if there is none of this display_source, one is built, in built_lang unless that is null.';

CREATE OR REPLACE FUNCTION refresh_shop_displays(
  after_id bigint, at_most integer, every boolean, OUT last_id bigint, OUT changed integer
)
LANGUAGE sql AS $$
  WITH page AS MATERIALIZED (
    SELECT s.id, display_source(s) AS source
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
    WHEN kind = 'station' THEN branch_in(label, place, lang, '{}')
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
        ('{' || rtrim(
          (SELECT t FROM shops AS s CROSS JOIN LATERAL display_of(s.id, display_source(s), lang) AS t
            WHERE s.id = (x.item ->> 'id')::bigint), ',') || '}')::jsonb -> 'display' END AS display
    ) AS d);
END $$;
COMMENT ON FUNCTION suggestions_in(json, text) IS 'Suggestions with their displays in a language: the label, and for a shop also names and address.';
