-- Keyword search: interpretations of the keyword from the strictest to the loosest; the first with a result wins.

-- Only the rows of the page are read whole, and those of all results only where their order depends on them.
CREATE OR REPLACE FUNCTION search_json(
  ids bigint [], tiers integer [], distances double precision [], origin text, member bigint, sort text,
  explain boolean, page_size integer, page_offset integer, lang text
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (
    SELECT '[' || coalesce(string_agg(
      CASE WHEN explain THEN concat(left(q.json, -1), ',"why":{"place":', q.place, ',"tier":', q.tier, ',"match":"',
        (ARRAY['exact name', 'prefix', 'all words', 'typo'])[q.tier], '"}}') ELSE q.json END, ',' ORDER BY q.place
    ), '') || ']'
    FROM (
      SELECT r.place, r.tier, shop_json(
        CASE WHEN lang IS NULL THEN r.card ELSE r.card || coalesce(
          (SELECT display_text(d, lang) FROM shop_displays d WHERE d.shop_id = r.id AND d.made_of = r.display_source),
          display_json(r.id, lang)) END, r.counts, b.card, b.image_path, origin, metres(r.distance_m),
        member IS NOT NULL AND EXISTS (SELECT FROM favorites AS f WHERE f.member_id = member AND f.shop_id = r.id)) AS json
      FROM (
        SELECT p.id, p.tier, p.distance_m, p.place, s.brand_id, s.card, s.counts,
          CASE WHEN lang IS NOT NULL THEN display_source(s.place_name, s.road_address, s.lot_address, s.brand_id, s.sigungu_id) END AS display_source
        FROM (
          SELECT t.*, row_number() OVER (ORDER BY
            CASE sort
              WHEN 'rating' THEN -o.star_rating_sum / nullif(o.review_cnt, 0)::float8
              WHEN 'reviews' THEN -o.review_cnt
              WHEN 'favorites' THEN -o.favorite_cnt
              ELSE t.tier
            END, distance_rank(t.distance_m), t.id) AS place
          FROM unnest(ids, tiers, distances) AS t (id, tier, distance_m)
          LEFT JOIN shops AS o ON o.id = t.id AND sort <> 'distance'
          ORDER BY place LIMIT page_size OFFSET page_offset
        ) AS p
        INNER JOIN shops AS s ON s.id = p.id
      ) AS r
      LEFT JOIN brands AS b ON b.id = r.brand_id
    ) AS q
  );
END $$;
COMMENT ON FUNCTION search_json IS 'The shops as JSON; sort is distance (relevance first), rating, reviews or favorites.';

-- Percent, underscore and backslash stay: the contract has them stand for themselves. U+119E is what NFKC makes of ㆍ, which
-- many write for a middle dot. Zero-width characters are no blanks, for name_key takes them out of the middle of a word.
CREATE OR REPLACE FUNCTION signs_as_blanks(keyword text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(normalize(keyword, NFKC), '[.]{2,}|[.](?![^[:space:]])|[]["#$&''()*+,/:;<=>?@^`{|}~'
  || '\u00a1-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u02bc\u115f\u1160\u119e\u200e-\u205f\u2061-\u2bff\u2e00-\u2e7f'
  || '\u3001-\u3004\u3008-\u3020\u3030\u30fb\ufe00-\ufe0f\ufff9-\uffff\U0001f000-\U0001faff\U000e0000-\U000e0fff!]'
  || '|-(?![0-9])|(?<![0-9])-', ' ', 'g');
COMMENT ON FUNCTION signs_as_blanks(text) IS 'The keyword with punctuation, symbols and emoji as blanks, but not the hyphen of 679-4.';

CREATE OR REPLACE FUNCTION cjk_small_words() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '[离離]?我?(?:[附付]近有?|最近)的?|近[辺邊]|周辺|周边|周邊|近く|近郊|あたり|辺り|エリア|ホテル|カフェ(?!通り|ストリート)'
  || '|旁边|旁邊|一带|一帶|最近的?|最寄り|[0-9一二三四五六七八九十何]*[番号號]?出口|何がある|推荐|推薦|おすすめ|オススメ|どこ|在?哪[里裡裏]有?|哪儿有|怎[么麼]去|地址|位置|地[图圖]'
  || '|韓国|韩国|韓國|南韩|南韓|プリクラ機?|プリ機|ぷりくら|フォトブース|セルフ写真館?|証明写真|写真[館馆]?|寫真館?'
  || '|自?拍照?[馆館]|拍照[机機]?|自拍|貼紙相|贴纸相|哪[个個]牌子好?|哪家好|好不好|拍[贴貼][机機]?店?|拍?大[头頭][贴貼]|照相[馆館机機亭]?|拍照亭|照片亭|快照亭'
  || '|[证證]件照|(?<!人生)(?<!弘大)[四4]格(?:照片|照相[馆館机機]?|照|相[馆館])?|照片'
  || '|自助|无人|無人|[网網][红紅]|[热熱][门門]|打卡|[请請][问問]|有什[么麼]|什[么麼]|[にはが]?あります?か?[？?]?|[にはが]?ある[？?]?$|行きたい|撮りたい|哪[里裡裏]?有|可以|商圈|我?[想要]去|(?:拍|[吗嗎呢])$';
COMMENT ON FUNCTION cjk_small_words() IS 'What people write around names in Chinese and Japanese, as the branches of a regular expression.';

CREATE OR REPLACE FUNCTION latin_small_words() RETURNS text []
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{near,nearby,nearest,close,closest,around,in,on,at,the,of,to,from,a,an,any,some,for,with,and,where,is,are,there,here,it,i,am,me,
  my,we,us,you,can,do,how,get,go,going,find,looking,take,taking,want,need,please,open,now,today,best,good,top,nice,cute,cheap,
  popular,famous,recommend,recommended,recommendation,recommendations,photo,photos,picture,pictures,self,studio,studios,
  palace,temple,fortress,island,machine,machines,place,places,area,branch,store,stores,shop,shops,exit,city,district,korea,korean,ktx,srt,
  photobox,photomaton,fotobox,foto,de,du,des,di,sa,à,près,pres,où,faire,terdekat,dekat,malapit,saan,may}'::text [];
COMMENT ON FUNCTION latin_small_words() IS 'What people write around names in English, French, Spanish, Malay and Filipino.';

CREATE OR REPLACE FUNCTION photo_words() RETURNS text []
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{photo,photos,picture,pictures,네컷,4컷,プリ}'::text [];
COMMENT ON FUNCTION photo_words() IS 'What every shop makes.';

CREATE OR REPLACE FUNCTION korean_small_words() RETURNS text []
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{내,집,집에서,우리집,우리집에서,우리동네,여기,여기서,어디,어디가,어디에,어디야,어디에요,어디예요,추천,추천좀,추천줘,추천요,추천해줘,추천해요,추천주세요,추천좀줘,추천좀요,추천해주세요,추천좀주세요,
  24시,24시간,무인,여행,맛집,핫플,데이트,놀거리,위치,가격,증명사진,찾아줘,알려줘,있어,있어요,있나요,있을까,있는,있는거,있는곳,있는데,
  가까운,가장,제일,좋아,좋아요,좋은,곳,찍기,찍을,찍는,찍는곳,찍을만한,찍을만한곳,갈만한,가볼만한,가볼만한곳,사진찍을만한곳,사진찍는곳}'::text [];
COMMENT ON FUNCTION korean_small_words() IS 'What people write around names in Korean.';

CREATE OR REPLACE FUNCTION universities_shortened(word text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN regexp_replace(
    CASE WHEN strpos(word, '대학교') > 2 THEN regexp_replace(regexp_replace(word, '(?<=..)여자대학교', '여대'), '(?<=..)대학교', '대') ELSE word END,
    '^경상대', '경상국립대');
END $$;
COMMENT ON FUNCTION universities_shortened(text) IS 'The word with a university as names write it: 전북대정문 for 전북대학교정문.';

-- What people write around a place, and what every shop here is. Not before names that hold such words have been looked for.
CREATE OR REPLACE FUNCTION without_small_words(words text []) RETURNS text []
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(
    SELECT bare FROM unnest(words) WITH ORDINALITY AS t (word, i)
    CROSS JOIN LATERAL regexp_replace(coalesce(place_nicknames() ->> word, universities_shortened(word)),
      '(^|(?<=..))([0-9]+번)?(출구)?(근처|주변|부근|인근|근방|쪽|앞|옆)?(에서|에|의)?(추천|맛집|핫플|포토부스|즉석사진|스티커사진|놀거리|데이트|어디)*$'
      || '|(?<=.[\u3041-\u9fff])([0-9]+[番号號])?(出口)?(の)?(附近|周辺|近く|旁边|旁邊)?(の)?$', '') AS bare
    WHERE bare <> ALL (korean_small_words()) AND bare <> ALL (latin_small_words())
      AND bare !~ ('^((무인|즉석|스티커|셀프|네컷|4컷|24시간?)*(사진(관|기|부스)?|포토(부스)?|네컷|4컷|부스|(photo)?booths?)?'
        || '|[0-9]+[番号號]|exit#?[0-9]+|b?[0-9]+f|b[0-9]|(地下)?[0-9]+[階层樓楼])$')
      AND (bare !~ '[\u3041-\u9fff]' OR bare !~ ('^(' || cjk_small_words() || ')$'))
    ORDER BY i
  );
END $$;
COMMENT ON FUNCTION without_small_words(text [])
IS 'The words without those around a place (근처, near, 附近), exits, floors and names of photo booths in general (강남역 2번 출구 근처 포토부스).';

-- Streets that names and addresses call by what they have, in other languages and in Latin letters; 로데오거리 is also 로데오.
CREATE OR REPLACE FUNCTION streets_in_korean(keyword text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  street record;
BEGIN
  IF NOT is_foreign(keyword) THEN
    RETURN regexp_replace(regexp_replace(keyword, '(로데오)[[:space:]]*거리', '\1', 'g'), '(카페|먹자)[[:space:]]+(거리|골목)', '\1\2', 'g');
  END IF;
  keyword := normalize(keyword, NFKC);
  FOR street IN SELECT * FROM (VALUES
    (' 로데오 ', '\mrodeo\M(?:[ -]*(?:street|geori)\M)?|ロデオ(?:通り|ストリート)?(?![駅站])|(?:罗德奥|羅德奧|罗德欧|羅德歐)(?:街|大街)?(?![站驛])'),
    (' 카페거리 ', '\m(?:cafe|café|kape)[ -]*(?:street|road|alley|geori)\M|カフェ(?:通り|ストリート)|(?<!安木)咖啡(?:一条街|一條街|街)'),
    (' 먹자골목 ', '\m(?:food|meokja|mukja)[ -]*(?:street|alley|golmok)\M|(?:グルメ|食べ歩き|モクチャ|食堂)(?:通り|横丁|コルモク)|美食(?:街|巷|胡同)|小吃街')
  ) AS s (korean, spellings) LOOP
    keyword := regexp_replace(keyword, street.spellings, street.korean, 'gi');
  END LOOP;
  RETURN keyword;
END $$;
COMMENT ON FUNCTION streets_in_korean(text) IS 'The keyword with rodeo, cafe street and food street as 로데오, 카페거리 and 먹자골목.';

-- Kana and Chinese characters have no blanks around particles and what every shop is (明洞のフォトイズム, 弘大大頭貼); words for a
-- station are made one (カンナムえき, ミョンドンヨク, 江南地铁站), 入口 after kana goes (ホンデ入口), and a shop's 店 too, but 2号店 and
-- 本店 are 2호점 and 본점.
CREATE OR REPLACE FUNCTION particles_as_blanks(piece text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF piece !~ '[\u3041-\u30ff\u3400-\u9fff]' THEN
    RETURN piece;
  END IF;
  piece := regexp_replace(piece, '(?:地[铁鐵]|地下[鉄鐵]|捷[运運]|[车車]|火[车車]|メトロ)([站駅驛])|(?<=[\u3041-\u30ff])(?:えき|エキ|ヨク|よく)(?![\u3041-\u30ff])', '駅', 'g');
  piece := regexp_replace(piece, '(?<=[\u3041-\u30ff])入口', '', 'g');
  piece := regexp_replace(piece, '([0-9]+)[号號]店', ' \1호점 ', 'g');
  piece := regexp_replace(piece, '[本总總]店', ' 본점 ', 'g');
  piece := regexp_replace(piece, '店(?!村)', ' ', 'g');
  piece := regexp_replace(piece, '^の|(?<=[\u30a1-\u30ff\u3400-\u9fff])(?:にある|での|[のでにへとをはが的])|の(?=[\u30a1-\u30ff\u3400-\u9fff])', ' ', 'g');
  piece := regexp_replace(piece, cjk_small_words(), ' \& ', 'g');
  RETURN regexp_replace(piece, '(^|[[:space:]])[のでにへとをはがも](?=[\u30a1-\u30ff\u3400-\u9fff[:space:]]|$)', ' ', 'g');
END $$;
COMMENT ON FUNCTION particles_as_blanks(text)
IS 'What is no name in kana and Chinese characters, with blanks for particles and 店 and around words for photo booths.';

CREATE OR REPLACE FUNCTION asks_for_any_shop(keyword text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN normalize(keyword, NFKC) ~* ('사진|포토|네컷|4컷|부스|근처|주변|photo|booth|\mnear|four *cut|4 *cut'
  || '|[附付]近|近く|周[辺边邊]|プリクラ|ぷりくら|フォト|[写寫]真|大[头頭][贴貼]|拍照|照相|拍[贴貼]|照片|自拍|四格|貼紙相|贴纸相');
COMMENT ON FUNCTION asks_for_any_shop(text) IS 'Whether a keyword that names no place has a word for photo booths or for what is near (photo booth near me, 근처 사진관).';

CREATE OR REPLACE FUNCTION gate_universities() RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{"전후문": "전남대", "경북문": "경북대", "강후문": "강원대", "충정문": "충남대", "충중문": "충북대"}'::jsonb;
COMMENT ON FUNCTION gate_universities() IS 'Universities by the first syllable of their name and the gate by which people tell them: 전대 후문 is 전남대후문.';

-- Words for stations, airports, exits, lines and branches of a keyword in Latin letters, also beside other scripts: Seoul숲, gare de
-- Séoul. Names that shops write so (CGV건대점) are looked for as they are before. The middle of kwang-an-ri is no article. No. 2 and Main
-- are 2호점 and 본점, as we display branches.
CREATE OR REPLACE FUNCTION latin_words_evened(typed text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  typed := regexp_replace(typed, '(?<=[a-z])[[:space:]]*(?:[站駅驛]|역(?![가-힣]))|\m(?:stn|sta)\M\.?', ' station ', 'g');
  typed := regexp_replace(regexp_replace(typed, '(?<=[\u3041-\u9fff가-힣])(?=[a-z])', ' ', 'g'), '(?<=[a-z])(?=[\u3041-\u9fff가-힣])', ' ', 'g');
  typed := regexp_replace(typed, '\m(?:s[aâ]n bay|bandara|aeropuerto|a[eé]roport|aeroporto|flughafen)[[:space:]]+(?:(?:de|di)[[:space:]]+)?([a-zà-ÿ]{3,})', '\1 airport', 'g');
  typed := regexp_replace(typed, '(?<=[a-z])-(an|in|a|on|at|is|it|i|am|my|to|do|go)-(?=[a-z])', '\1', 'g');
  typed := regexp_replace(
    typed, '(?:^station|\m(?:stasiun|estaci[oó]n|gare|stazione|bahnhof|ga))[[:space:]]+(?:(?:de|di)[[:space:]]+|d'')?([a-zà-ÿ]{3,})\M(?![[:space:]]+(?:st|univ))', '\1 station', 'g');
  typed := regexp_replace(typed, '\msouth[[:space:]]+korea\M', ' ', 'g');
  typed := regexp_replace(typed, '\muniversity of ([a-z]{3,})', '\1 university', 'g');
  typed := regexp_replace(typed, '(?<=[a-z]{3})[[:space:]-]*[dt]aeha[gk]+yo\M', ' university', 'g');
  typed := regexp_replace(typed, '\mcity hall\M', 'cityhall', 'g');
  typed := regexp_replace(typed, '(?<=[a-z]{3})photo ?booths?\M', ' ', 'g');
  typed := regexp_replace(typed, '\m(exit|gate)\M[[:space:].#]*[0-9]+', ' ', 'g');
  typed := regexp_replace(typed, '\mline[[:space:]]*([0-9]+)\M', '\1호선', 'g');
  typed := regexp_replace(typed, '\mno\.?[[:space:]]*([0-9]+)\M', '\1호점', 'g');
  RETURN regexp_replace(typed, '\mmain(?:[[:space:]]+(?:branch|store))?$', '본점');
END $$;
COMMENT ON FUNCTION latin_words_evened(text) IS 'The keyword with what people write around names in Latin letters as we read it, and blanks where the script changes.';

-- Words that names are written beside, in the keyword whose unknown parts are given: a 今日のフィルム that is a name stays as it is.
CREATE OR REPLACE FUNCTION small_words_reading(keyword text, unknown text []) RETURNS text []
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  typed text := array_to_string(keyword_words(keyword), ' ');
  piece text;
  bare text;
  gate text[];
  words text[];
BEGIN
  FOREACH piece IN ARRAY coalesce(unknown, '{}') LOOP
    bare := regexp_replace(particles_as_blanks(piece), '(?<=[\u3041-\u9fff])(?=[가-힣]{2})|(?<=[가-힣]{2})(?=[\u3041-\u9fff])', ' ', 'g');
    -- what is known goes on behind it, life4cutshongdae and 海雲台近くのフォトイズム, or it has no name for a neighbour
    typed := btrim(replace(typed, piece, CASE WHEN bare <> piece OR bare ~ '^([a-z]{4,}|[\u3041-\u9fff]{2,}|[가-힣]{3,})$' THEN ' ' || bare || ' ' ELSE piece END));
  END LOOP;
  -- ロデオ may be part of a known name
  IF NOT is_foreign(typed) OR streets_in_korean(array_to_string(unknown, ' ')) <> array_to_string(unknown, ' ') THEN
    typed := streets_in_korean(typed);
  END IF;
  gate := regexp_match(typed, '\m([전경강충])대 ?([후북정중]문)');
  IF gate_universities() ? concat(gate[1], gate[2]) THEN
    typed := regexp_replace(typed, '\m' || gate[1] || '대 ?(?=' || gate[2] || ')', gate_universities() ->> (gate[1] || gate[2]));
  END IF;
  -- 중문 behind a university is its gate, not 중문동
  typed := regexp_replace(typed, '(?<=[가-힣]대)(학교)?[[:space:]]+(?=[정후중북동서남]문(?![가-힣]))', '\1', 'g');
  typed := regexp_replace(typed, '(?<=[가-힣])[[:space:]]*[站駅驛]', '역 ', 'g');
  typed := regexp_replace(typed, '(?<=[\u3041-\u9fff])역(?![가-힣])', '駅 ', 'g');
  typed := regexp_replace(typed, '(?<=[가-힣])[[:space:]]*4[[:space:]]?cuts?\M', '4컷', 'g');
  typed := regexp_replace(typed, '\m24[[:space:]]*(?:hours?|hrs?)\M', ' ', 'g');
  IF unknown && '{cut,cuts,4cut,4cuts}' THEN
    typed := regexp_replace(typed, '\m(?:4|four)[[:space:]-]*cuts?\M', ' ', 'g');
  END IF;
  -- the first letter typed twice: ㅎ홍대
  typed := regexp_replace(typed, '\m[\u1100-\u1112](?=[가-힣]{2})', '', 'g');
  -- フオト and ロツテ, as keyboards without small kana write them
  typed := regexp_replace(typed, '[ツつ](?=[カキクケコタチテトパピプペポかきくけこたちてとぱぴぷぺぽ])', 'ッ', 'g');
  IF typed ~ '[a-z]' THEN
    typed := latin_words_evened(typed);
  END IF;
  typed := regexp_replace(typed, '([洞路])([0-9]+)街(?=[[:space:]]*[0-9]+-[0-9])', '\1\2가 ', 'g');
  typed := regexp_replace(regexp_replace(typed, '洞([0-9]+)街', '洞\1가 ', 'g'), '路([0-9]+)[街巷]', '路\1길 ', 'g');
  typed := regexp_replace(typed, '(?<=[洞里街路])(?=[0-9])(?![0-9]+[길가])', ' ', 'g');
  typed := regexp_replace(typed, '(?<=[0-9])(?:[号號]|番地)(?=[[:space:]]|$)', ' ', 'g');
  words := keyword_words(signs_as_blanks(typed));
  -- in and the are part of Play in the Box
  RETURN ARRAY(
    SELECT b FROM unnest(words) WITH ORDINALITY AS t (w, i) CROSS JOIN LATERAL unnest(
      CASE WHEN w = ANY (latin_small_words()) AND w <> ALL (unknown) THEN ARRAY[w] WHEN w = ANY (photo_words()) THEN '{}'
        ELSE without_small_words(ARRAY[w]) END) AS b ORDER BY i);
END $$;
COMMENT ON FUNCTION small_words_reading(text, text []) IS 'The words of a keyword without those that people write around names.';

-- 구미역 is in 구미: of railway stations the dictionary may only have those of the metro.
CREATE OR REPLACE FUNCTION regions_of_stations(words text [], unknown text []) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(
    SELECT CASE
      WHEN place IS NULL OR NOT EXISTS (SELECT FROM unnest(unknown) AS u WHERE starts_with(u, w)) THEN w
      WHEN EXISTS (SELECT FROM search_names(ARRAY[normalize(w, NFD)]) AS n WHERE n.kind = 'station') THEN w
      WHEN EXISTS (SELECT FROM search_names(ARRAY[normalize(place, NFD)]) AS n WHERE n.kind = 'region') OR is_in_shop_names(place) THEN place
      ELSE w END
    FROM unnest(words) WITH ORDINALITY AS t (w, i) CROSS JOIN LATERAL substring(w, '^(.{2,})역$') AS place ORDER BY i);
END $$;
COMMENT ON FUNCTION regions_of_stations(text [], text []) IS 'The words, with unknown stations that are called as a region, or as names of shops, without 역.';

-- 이천터미널 is in 이천, and not misspelt 인천터미널.
CREATE OR REPLACE FUNCTION goes_on_from_a_place(word text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  place constant text := substring(word, '^(..+)' || words_after_places());
BEGIN
  RETURN CASE WHEN place IS NULL THEN false ELSE EXISTS (
    SELECT FROM search_names(ARRAY[normalize(place, NFD)]) AS n WHERE n.kind = 'region' AND n.rank = 0 OR n.kind = 'station') END;
END $$;
COMMENT ON FUNCTION goes_on_from_a_place(text) IS 'Whether a word is the name of a region or a station with a word for a place.';

-- `words` are those of the keyword, or what the pass replaces them with.
CREATE OR REPLACE FUNCTION search_reading(pass text, keyword text, unknown text [], OUT words text [])
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  piece text;
BEGIN
  words := keyword_words(keyword);
  IF pass ~ '^punctuation' THEN
    words := keyword_words(signs_as_blanks(keyword));
  END IF;
  IF pass ~ 'branch$' THEN
    words := ARRAY(SELECT regexp_replace(w, '(..)점$', '\1') FROM unnest(words) w);
  ELSIF pass = 'keyboard' OR pass = 'keyboard without shift' AND normalize(keyword, NFKC) ~ '[A-Z]' THEN
    words := ARRAY(
      SELECT coalesce(CASE WHEN w ~ '^[A-Za-z]{2,}$' AND NOT EXISTS (SELECT FROM search_names(ARRAY[lower(w)]))
        THEN typed_on_latin_keyboard(CASE pass WHEN 'keyboard' THEN w ELSE lower(w) END) END, name_key(w))
      FROM regexp_split_to_table(normalize(keyword, NFKC), '[[:space:]]+') WITH ORDINALITY t (w, i)
      WHERE NOT is_blank(w) ORDER BY i LIMIT 50);
  ELSIF pass = 'small words' THEN
    -- Taken out of the unknown words, because small words would be cut from inside such a name.
    FOREACH piece IN ARRAY ARRAY(SELECT u FROM unnest(unknown) AS u WHERE name_in_kana(u) IS NOT NULL) LOOP
      keyword := replace(keyword, piece, ' ' || piece || ' ');
      unknown := array_remove(unknown, piece);
    END LOOP;
    words := regions_of_stations(small_words_reading(keyword, unknown), unknown);
  ELSIF pass = 'typo' THEN
    words := ARRAY(
      SELECT c FROM unnest(corrected_across_spaces(words, unknown)) WITH ORDINALITY t (w, i)
      CROSS JOIN LATERAL unnest(CASE WHEN without_small_words(ARRAY[w]) = '{}' THEN '{}' WHEN goes_on_from_a_place(w) THEN ARRAY[w]
        -- also what a brand's name leaves over: 포토이즘벅스 is 포토이즘박스
        WHEN EXISTS (SELECT FROM unnest(unknown) AS x WHERE right(w, length(x)) = x) THEN corrected_word(w) ELSE ARRAY[w] END) c ORDER BY i);
  ELSIF pass = 'apart' THEN
    words := ARRAY(
      SELECT c FROM unnest(words) WITH ORDINALITY t (w, i)
      CROSS JOIN LATERAL unnest(CASE WHEN w = ANY (unknown) THEN without_small_words(word_apart(w)) ELSE ARRAY[w] END) c ORDER BY i);
    -- a word beside others may be left out instead
    IF cardinality(words) = 1 THEN
      words := without_small_words(station_apart(words[1]));
    END IF;
  END IF;
END $$;
COMMENT ON FUNCTION search_reading(text, text, text []) IS 'The words of a keyword as a pass reads them.';

-- A middle dot of kana stands within names. What is typed of a name is one word, two with what else it is not certain of: more
-- unknown ones are a sentence.
CREATE OR REPLACE FUNCTION search_completed(keyword text, small_words text [], rest text [], OUT words text [], OUT spelled jsonb)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  unknown text[] := rest;
  typed text[];
  joined text;
  place integer;
BEGIN
  IF strpos(keyword, '・') > 0 THEN
    small_words := without_small_words(keyword_words(signs_as_blanks(replace(keyword, '・', ''))));
    unknown := unknown_words(small_words);
  END IF;
  typed := ARRAY(
    SELECT w FROM unnest(small_words) WITH ORDINALITY AS t (w, i)
    WHERE w !~ '^(station|stn|sta|subway|역)$' OR w <> ALL (unknown) ORDER BY i);
  unknown := ARRAY(SELECT u FROM unnest(unknown) AS u WHERE u !~ '^(station|stn|sta|subway|역)$');
  -- kyungsung univ begins a name, and univ another one
  place := array_position(typed, unknown[1]);
  joined := unknown[1] || ' ' || unknown[2];
  IF cardinality(unknown) = 2 AND typed[place + 1] = unknown[2] AND joined ~ '^[a-z ]+$' AND (completed_word(joined, true)).name IS NOT NULL THEN
    typed := typed[:place - 1] || joined || typed[place + 2:];
    unknown := ARRAY[joined];
  END IF;
  IF cardinality(unknown) <= 2 AND length(keyword) <= 40 THEN
    SELECT CASE WHEN c.read_as <> typed THEN c.read_as END, c.spelled INTO words, spelled FROM completed_words(typed, unknown) AS c;
  END IF;
END $$;
COMMENT ON FUNCTION search_completed(text, text [], text [])
IS 'The words of a keyword with up to two unknown ones as the names that begin so, and how those are spelled; null where no name does.';

-- Starting parallel workers takes longer than any of its queries, and planning is a considerable part of each.
CREATE OR REPLACE FUNCTION shops_by_keyword(
  keyword text, user_lon double precision, user_lat double precision, filters shop_filters,
  sort text, origin text, at_most integer, page_size integer, page_offset integer,
  member bigint DEFAULT NULL, session bigint DEFAULT NULL, explain boolean DEFAULT false,
  lang text DEFAULT NULL
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET max_parallel_workers_per_gather = 0 SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  f record;
  body text;
BEGIN
  IF session IS NOT NULL AND NOT session_is_live(session, member) THEN
    RETURN NULL;
  END IF;
  SELECT * INTO f FROM search_shops(
    keyword, point_at(user_lon, user_lat), filters, at_most, CASE sort WHEN 'distance' THEN least(page_offset + page_size, at_most) END);
  body := search_json(f.ids[:at_most], f.tiers[:at_most], f.distances[:at_most], origin, member, sort,
    explain, page_size, page_offset, lang);
  IF explain THEN
    body := concat('{"understood":', understood_json(f.understood), ',"pass":"', f.pass, '","ignored":', coalesce(to_json(f.ignored)::text, '[]'),
      ',"shops":', body, '}');
  END IF;
  RETURN list_text(least(f.total, at_most), f.total > at_most OR NOT f.complete, body, f.ignored);
END $$;
COMMENT ON FUNCTION shops_by_keyword IS 'Shops that a keyword means: by tier, distance from the user, id, as list_text; null when the session is not live.';

CREATE OR REPLACE FUNCTION search_find_either(
  viewer geography, u keyword_reading, other_regions bigint [], other_stations bigint [],
  sample text [], filters shop_filters, at_most integer,
  OUT ids bigint [], OUT tiers integer [], OUT distances double precision [], OUT total integer, OUT complete boolean, OUT matched boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  one record;
  other record;
BEGIN
  SELECT * INTO one FROM search_find(viewer, u.brands, u.regions, u.stations, u.branch, u.rest, '{}', u.names, sample, filters, at_most, at_most);
  SELECT * INTO other FROM search_find(
    viewer, u.brands, other_regions, other_stations, u.branch, u.rest, '{}', u.names, sample, filters, at_most, at_most);
  WITH found AS (
    SELECT e.id, min(e.tier) AS tier, min(e.distance_m) AS distance_m
    FROM (
      SELECT * FROM unnest(one.ids, one.tiers, one.distances) UNION ALL SELECT * FROM unnest(other.ids, other.tiers, other.distances)
    ) AS e (id, tier, distance_m)
    GROUP BY e.id ORDER BY 2, distance_rank(min(e.distance_m)), 1 LIMIT at_most + 1
  )
  SELECT array_agg(f.id ORDER BY f.tier, distance_rank(f.distance_m), f.id), array_agg(f.tier ORDER BY f.tier, distance_rank(f.distance_m), f.id),
    array_agg(f.distance_m ORDER BY f.tier, distance_rank(f.distance_m), f.id), count(*)
  INTO ids, tiers, distances, total FROM found AS f;
  ids := coalesce(ids, '{}');
  complete := one.complete AND other.complete;
  matched := one.matched OR other.matched;
END $$;
COMMENT ON FUNCTION search_find_either
IS 'What search_find returns for a reading, together with the other regions and stations: the at_most + 1 best shops.';

-- The first pass with a result wins, even if the filters leave nothing of it. A typing error makes all results one tier: where
-- words give them several, all are needed.
CREATE OR REPLACE FUNCTION search_shops(
  keyword text, viewer geography, filters shop_filters, at_most integer, needed integer DEFAULT NULL,
  OUT ids bigint [], OUT tiers integer [], OUT distances double precision [], OUT total integer, OUT complete boolean,
  OUT pass text, OUT understood jsonb, OUT ignored text []
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  -- 홍대 앞 is 홍대, but 앞 is also part of names: 경남대앞점
  plain_words text[] := coalesce(nullif(array_remove(keyword_words(keyword), '앞'), '{}'), keyword_words(keyword));
  plain keyword_reading := search_understand(plain_words, NULL);
  unknown text[] := composed(plain.rest);
  small_words text[];
  small keyword_reading;
  u keyword_reading;
  other record;
  f record;
  words text[];
  spelled jsonb;
  korean_words text[];
  separate text[];
  spelled_words text[];
  spelled_reading keyword_reading;
  typed_words jsonb;
  sample text[];
  read text[] := ARRAY[plain_words::text, '{}'];
  reading text;
  done text[] := ARRAY[]::text[];
  misspelt text[];
  looked_up text[] := ARRAY[]::text[];
  nowhere text[] := ARRAY[]::text[];
  is_corrected boolean := false;
  is_somewhere boolean;
  known_places keyword_reading;
  characters integer := 0;
  -- A sentence has more readings than a name with typing errors, and fewer that find anything.
  most_characters integer := CASE WHEN cardinality(plain.rest) > 3 THEN 90 ELSE 150 END;
  size integer := length(keyword);
  filtered boolean := NOT (filters IS NULL);
BEGIN
  -- gangnam photo, 성수 네컷: no beginning of Photoism is meant, nor only brands with 네컷. プリ, short for プリクラ, is also a 면.
  words := ARRAY(SELECT w FROM unnest(plain_words) AS w WHERE w = ANY (photo_words()) AND (w = ANY (unknown) OR w = 'プリ'));
  IF words <> '{}' AND NOT plain_words <@ photo_words() THEN
    plain_words := ARRAY(SELECT w FROM unnest(plain_words) WITH ORDINALITY AS t (w, i) WHERE w <> ALL (words) ORDER BY i);
    plain := search_understand(plain_words, NULL);
    unknown := composed(plain.rest) || words;
    read := ARRAY[plain_words::text, '{}'];
  END IF;
  FOREACH pass IN ARRAY ARRAY['understood', 'region', 'station', 'branch', 'punctuation', 'punctuation and branch',
    'literal', 'small words', 'small words at stations', 'spelling', 'spelling at stations', 'spelling literally', 'around names', 'keyboard', 'keyboard without shift', 'incomplete', 'typo',
    'hanja', 'hanja literally', 'typo in a name', 'apart', 'halves', 'joined', 'either place', 'known words', 'around known names', 'beside the region',
    'known names', 'known names at stations'] LOOP
    -- Readings cost by their length. Counted in characters, unlike a clock, they find the same at any load. Words around a place
    -- are no longer read once they have been left out. Where nothing else is left than names, a sentence costs no more than they do.
    -- An address in Latin letters is long, but spelling looks up few of its words.
    CONTINUE WHEN characters + size > most_characters AND pass NOT IN ('small words', 'spelling', 'hanja', 'either place', 'known words', 'known names');
    -- Of many unknown words all would have to be right but for a letter: a long sentence is no misspelt name.
    CONTINUE WHEN pass ~ '^typo' AND (cardinality(plain.rest) > 4 OR small_words = '{}')
      OR pass = 'typo in a name' AND (is_corrected OR EXISTS (SELECT FROM unnest(unknown) w WHERE goes_on_from_a_place(w)));
    IF pass IN ('small words', 'spelling', 'hanja', 'incomplete', 'joined', 'either place', 'known words', 'known names') AND small_words IS NULL THEN
      -- city is part of Digital Media City
      small_words := CASE WHEN plain.rest = '{}' AND NOT plain.impossible AND num_nonnulls(plain.regions, plain.stations) < 2 THEN plain_words
        ELSE search_reading('small words', keyword, unknown) END;
      small := CASE WHEN small_words = plain_words THEN plain ELSE search_understand(small_words, NULL) END;
      size := greatest(size / 2, least(size, length(array_to_string(small_words, ' '))));
      -- Words around a place make a name with a typing error long, but add no readings.
      IF cardinality(small.rest) <= 2 THEN
        most_characters := 200;
      END IF;
    END IF;
    CONTINUE WHEN pass = 'hanja' AND cardinality(small.rest) > 4;
    CASE
      WHEN pass IN ('understood', 'typo in a name') THEN
        u := plain;
      WHEN pass IN ('region', 'station') THEN
        -- A preference reads nothing otherwise where the other kind is not named.
        CONTINUE WHEN CASE pass WHEN 'region' THEN plain.stations IS NULL ELSE plain.regions IS NULL AND NOT plain.impossible END;
        u := search_understand(plain_words, pass, plain.spans);
      WHEN pass = 'literal' THEN
        CONTINUE WHEN names_a_district(plain_words, plain);
        u := search_literally(plain_words);
      WHEN pass ~ ' literally$' THEN
        -- 거제중앙로 is a road, not 거제 and 중앙로
        CONTINUE WHEN korean_words IS NULL OR names_a_district(small_words, small);
        u := search_literally(korean_words);
        korean_words := NULL;
      WHEN pass = 'small words' THEN
        CONTINUE WHEN small_words::text = ANY (read) AND NOT (small_words = '{}' AND asks_for_any_shop(keyword)) OR characters + size > most_characters AND small.rest <> '{}';
        read := read || small_words::text;
        u := small;
        korean_words := CASE WHEN u.impossible AND NOT is_foreign(array_to_string(small_words, '')) THEN small_words END;
        IF small_words = '{}' THEN
          -- the whole country: search_scans()
          u.regions := '{}';
        END IF;
      WHEN pass = 'small words at stations' THEN
        CONTINUE WHEN small_words = plain_words OR small.rest <> '{}' OR small.regions IS NULL;
        u := search_understand(small_words, 'station', small.spans);
      WHEN pass = 'spelling at stations' THEN
        CONTINUE WHEN spelled_words IS NULL OR spelled_reading.regions IS NULL;
        u := search_understand(spelled_words, 'station', spelled_reading.spans);
      WHEN pass IN ('spelling', 'hanja', 'incomplete') THEN
        SELECT r.* INTO words, spelled FROM search_respelled(
          pass, keyword, small_words, small.understood, small.spans,
          CASE WHEN pass = 'spelling' AND small.impossible THEN small_words
            -- Busa is a 동, but also begins Busan
            WHEN pass = 'incomplete' AND small.rest = '{}' AND small_words[cardinality(small_words)] ~ '^[a-z]{4,}$' THEN small_words[cardinality(small_words):]
            ELSE composed(small.rest) || CASE pass WHEN 'spelling' THEN doubtful_names(small.understood, small.rest = '{}') END END) r;
        CONTINUE WHEN words IS NULL OR words::text = ANY (read);
        read := read || words::text;
        u := search_understand(words, NULL);
        korean_words := CASE
          WHEN pass = 'incomplete' OR EXISTS (SELECT FROM unnest(u.rest) r WHERE r !~ '^[0-9-]+$') THEN NULL
          ELSE names_in_addresses(u.understood) END;
        IF pass = 'spelling' OR pass = 'hanja' AND (spelled_words IS NULL OR NOT is_foreign(array_to_string(words, ''))) THEN
          spelled_words := words;
          spelled_reading := u;
          typed_words := spelled;
        END IF;
        u.understood := (
          SELECT jsonb_agg(x || coalesce(spelled -> (x ->> 'text'), '{}') ORDER BY o)
          FROM jsonb_array_elements(u.understood) WITH ORDINALITY t (x, o));
      WHEN pass IN ('around names', 'around known names') THEN
        u := coalesce(spelled_reading, small);
        CONTINUE WHEN u.brands IS NULL OR u.stations IS NOT NULL OR u.impossible;
        sample := coalesce(sample, search_sample());
        nowhere := nowhere || words_nowhere(ARRAY(SELECT r FROM unnest(u.rest) r WHERE r <> ALL (looked_up)), sample);
        looked_up := looked_up || u.rest;
        -- what no shop has may be misspelt, and only a brand, Hongdae 4cut, has the hong of photoism hong
        CONTINUE WHEN pass = 'around names' AND u.rest && nowhere OR EXISTS (
          SELECT FROM unnest(u.rest) r WHERE r ~ '^[a-z]{3,}$' AND r <> ALL (nowhere) AND NOT is_in_shop_names(r));
        u := reading_without(u, ARRAY(SELECT r FROM unnest(composed(u.rest)) r WHERE normalize(r, NFD) = ANY (nowhere)));
        IF cardinality(u.rest) > 1 THEN
          u := reading_without(u, ARRAY(SELECT r FROM unnest(composed(u.rest)) r WHERE r ~ ('^' || words_after_places())));
        END IF;
        CONTINUE WHEN NOT EXISTS (SELECT FROM unnest(composed(u.rest)) r WHERE r ~ '[^0-9-]{2}');
      WHEN pass = 'beside the region' THEN
        u := coalesce(spelled_reading, small);
        CONTINUE WHEN u.regions IS NULL OR u.stations IS NOT NULL OR u.rest && nowhere OR NOT u.rest <@ looked_up
          OR NOT EXISTS (SELECT FROM unnest(composed(u.rest)) r WHERE r !~ ('^' || words_after_places()));
      WHEN pass IN ('halves', 'joined') THEN
        sample := coalesce(sample, search_sample());
        u := coalesce(spelled_reading, small);
        separate := CASE WHEN spelled_words IS NULL OR pass = 'halves' THEN small_words ELSE korean_names(u.understood) END;
        words := CASE
          WHEN pass = 'joined' THEN words_joined(separate, composed(u.rest), sample)
          WHEN cardinality(small.rest) = 1 AND small.regions IS NULL AND small.stations IS NULL THEN
            array_remove(small_words, (composed(small.rest))[1]) || halves_apart((composed(small.rest))[1], sample)
          ELSE small_words END;
        CONTINUE WHEN words @> separate;
        u := CASE WHEN pass = 'joined' THEN search_understand(words, NULL) WHEN small.brands IS NULL THEN search_literally(words)
          ELSE reading_with(small, ARRAY(SELECT w FROM unnest(words) WITH ORDINALITY t (w, o) WHERE w <> ALL (small_words) ORDER BY o)) END;
      WHEN pass = 'either place' THEN
        CONTINUE WHEN NOT small.impossible;
        u := search_either_region(small_words, small);
      WHEN pass = 'known words' THEN
        u := CASE WHEN spelled_words IS NULL THEN search_known_words(small_words, small, small_words, NULL, sample)
          ELSE search_known_words(spelled_words, spelled_reading, small_words, typed_words, sample) END;
      WHEN pass = 'known names' THEN
        is_somewhere := EXISTS (
          SELECT FROM unnest((coalesce(spelled_reading, small)).rest) r WHERE r = ANY (looked_up) AND r <> ALL (nowhere));
        u := search_known_names(small_words, small);
        IF spelled_words IS NOT NULL THEN
          u := fuller_reading(u, search_known_names(spelled_words, spelled_reading, typed_words));
        END IF;
        -- A brand has no shop at 에버랜드: those of the whole country are not meant.
        CONTINUE WHEN is_somewhere AND num_nonnulls(u.regions, u.stations) = 0;
        words := ARRAY(SELECT x ->> 'text' FROM jsonb_array_elements(u.understood) WITH ORDINALITY t (x, o) ORDER BY o);
        u.spans := (search_understand(words, NULL)).spans;
        known_places := CASE WHEN u.regions IS NOT NULL THEN u END;
      WHEN pass = 'known names at stations' THEN
        CONTINUE WHEN known_places IS NULL;
        u := search_understand(words, 'station', known_places.spans);
        u.ignored := known_places.ignored;
      ELSE
        words := CASE pass WHEN 'apart' THEN search_reading(pass, array_to_string(small_words, ' '), composed(small.rest))
          ELSE search_reading(pass, keyword, unknown) END;
        CONTINUE WHEN words::text = ANY (read);
        read := read || words::text;
        is_corrected := is_corrected OR pass = 'typo';
        u := search_understand(words, NULL);
    END CASE;
    CONTINUE WHEN u IS NULL;
    understood := coalesce(understood, u.understood);
    -- around the names of shops, the same words find others
    reading := (substring(pass, '^(?:around|beside)'), u.brands, u.regions, u.stations, u.rest)::text;
    IF pass !~ 'region|station' OR reading <> ALL (done) THEN
      characters := characters + size;
    END IF;
    -- Where 춘천 서면 has no shop, those around the stations 춘천 and 서면 (부산) are not meant.
    CONTINUE WHEN pass ~ 'station' AND (
      SELECT count(*) > 1 FROM jsonb_array_elements(u.understood) x WHERE x ->> 'kind' = 'station');
    misspelt := CASE WHEN pass ~ '^typo' AND length(array_to_string(u.rest, '')) <= 24 THEN u.rest ELSE '{}' END;
    CONTINUE WHEN u.impossible OR pass = 'typo in a name' AND misspelt = '{}' OR pass <> 'typo in a name' AND reading = ANY (done);
    done := done || reading;
    IF sample IS NULL AND u.rest <> '{}' THEN
      sample := search_sample();
    END IF;
    -- Readings have words in common: one that no shop has, found out once the first reading has failed, ends all that keep it.
    IF cardinality(done) > 1 AND misspelt = '{}' AND u.rest <> '{}' THEN
      nowhere := nowhere || words_nowhere(ARRAY(SELECT w FROM unnest(u.rest) w WHERE w <> ALL (looked_up)), sample);
      looked_up := looked_up || u.rest;
      complete := true;
      CONTINUE WHEN u.rest && nowhere;
    END IF;
    other := NULL;
    IF pass IN ('understood', 'small words', 'spelling', 'hanja', 'incomplete', 'known names') THEN
      other := search_other_meaning(u);
    END IF;
    IF pass ~ '^around' THEN
      SELECT * INTO f FROM search_around_names(viewer, u, sample, filters, at_most, coalesce(needed, at_most));
    ELSIF pass = 'beside the region' THEN
      SELECT * INTO f FROM search_beside_regions(viewer, u, sample, filters, coalesce(needed, at_most));
    ELSIF other IS NULL THEN
      SELECT * INTO f FROM search_find(viewer, u.brands, u.regions, u.stations, u.branch, u.rest,
        misspelt, u.names, sample, filters, at_most, CASE WHEN pass ~ '^typo' AND u.branch || u.rest <> '{}' THEN at_most ELSE coalesce(needed, at_most) END);
    ELSE
      SELECT * INTO f FROM search_find_either(viewer, u, other.other_regions, other.other_stations, sample, filters, at_most);
      u.understood := u.understood || other.other_understood;
    END IF;
    complete := f.complete;
    EXIT WHEN f.ids = '{}' AND filtered AND f.matched;
    IF f.ids <> '{}' THEN
      ids := f.ids; distances := f.distances; total := f.total; understood := u.understood;
      ignored := u.ignored;
      tiers := CASE WHEN pass ~ '^typo' THEN array_fill(4, ARRAY[cardinality(ids)]) ELSE f.tiers END;
      RETURN;
    END IF;
  END LOOP;
  ids := '{}';
  total := 0;
  pass := 'none';
END $$;
COMMENT ON FUNCTION search_shops IS 'The needed + 1 best shops of a keyword (by default at_most + 1), their number, counted up to at_most + 1, which pass found them, how it was understood, and words left out as nothing has them.';

CREATE OR REPLACE FUNCTION search_respelled(
  pass text, keyword text, small_words text [], understood jsonb, spans jsonb, unknown text [], OUT words text [], OUT spelled jsonb
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  CASE pass
    WHEN 'incomplete' THEN
      SELECT c.* INTO words, spelled FROM search_completed(keyword, small_words, unknown) AS c;
    WHEN 'hanja' THEN
      SELECT h.* INTO words, spelled FROM words_in_korean(small_words, unknown, understood, spans) AS h;
    ELSE
      SELECT CASE WHEN s.spelled <> '{}' THEN s.read_as END, s.spelled INTO words, spelled FROM shop_words_spelled(small_words, unknown, false) AS s;
  END CASE;
END $$;
COMMENT ON FUNCTION search_respelled(text, text, text [], jsonb, jsonb, text [])
IS 'The words with unknown ones as those of shop names that sound so, in Korean reading, or as the names that begin so, and how those are spelled; null where there are none.';

-- bukchon is heard as 북천면, which has no shop, but 북촌 is meant. The 동 동성로 has no shop either, but names and addresses have it.
-- A name that is written so stays one unless a word of shop names is written so too: sinchon is not 신천.
CREATE OR REPLACE FUNCTION doubtful_names(understood jsonb, are_all boolean) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(
    SELECT n.typed FROM (SELECT x ->> 'text', x ->> 'matched' FROM jsonb_array_elements(understood) AS t (x)) AS n (typed, matched)
    WHERE spelled_letters(n.matched) <> spelled_letters(n.typed) OR are_all AND n.matched IS NOT NULL AND EXISTS (
      SELECT FROM run_spelled(string_to_array(n.typed, ' '), ARRAY[n.typed], false) AS w
      WHERE spelled_letters(w.spelling) = spelled_letters(n.typed)));
END $$;
COMMENT ON FUNCTION doubtful_names(jsonb, boolean)
IS 'The foreign names of a keyword without results that may be words of shop names instead: those that only sound like the name and, if asked for all, those that shop names have letter for letter.';

-- 사당 stands for 사당역, but 강남 alone would be all of 강남구.
CREATE OR REPLACE FUNCTION names_in_addresses(understood jsonb) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  is_only_place boolean := (SELECT count(*) = 1 FROM jsonb_array_elements(understood) AS x WHERE x ->> 'kind' IN ('region', 'station'));
BEGIN
  RETURN ARRAY(
    SELECT CASE WHEN is_only_place AND EXISTS (SELECT FROM search_names(ARRAY[normalize(b.bare, NFD)]) AS n WHERE n.kind = 'region' AND n.rank = 0) THEN k.name ELSE b.bare END
    FROM unnest(korean_names(understood)) WITH ORDINALITY AS k (name, o)
    CROSS JOIN LATERAL regexp_replace(k.name, '(..)역$', '\1') AS b (bare) ORDER BY k.o);
END $$;
COMMENT ON FUNCTION names_in_addresses(jsonb) IS 'The words of a reading in Korean, stations without 역, unless one is the only place and a district is called so.';

-- 안동 인생네컷 is not in 도안동, but 거제중앙로 may be a road.
CREATE OR REPLACE FUNCTION names_a_district(words text [], reading keyword_reading) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN reading.rest = '{}' AND reading.stations IS NULL AND NOT reading.impossible AND cardinality(words) > 1 AND EXISTS (
    SELECT FROM regions AS r INNER JOIN jsonb_array_elements(reading.understood) AS x ON x -> 'ids' @> to_jsonb(r.id)
    WHERE r.id = ANY (reading.regions) AND r.level <> 'dong' AND x ->> 'kind' = 'region' AND x ->> 'text' = ANY (words));
END $$;
COMMENT ON FUNCTION names_a_district(text [], keyword_reading) IS 'Whether of several words, which are all names of brands and regions, one is that of a province, a city or a district.';

CREATE OR REPLACE FUNCTION search_literally(words text []) RETURNS keyword_reading
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  u keyword_reading;
BEGIN
  u.branch := '{}';
  u.rest := ARRAY(SELECT normalize(w, NFD) FROM unnest(words) AS w);
  u.names := ARRAY[normalize(array_to_string(words, ''), NFD)];
  u.impossible := cardinality(words) = 0;
  u.understood := (SELECT coalesce(jsonb_agg(jsonb_build_object('text', w, 'kind', 'rest', 'ids', '[]'::jsonb)), '[]') FROM unnest(words) AS w);
  RETURN u;
END $$;
COMMENT ON FUNCTION search_literally(text []) IS 'The keyword as words that all must stand in name or address, whatever else they may mean.';

-- The normaliser writes letters that stand alone as conjoining jamo, which few fonts show as they were typed.
CREATE OR REPLACE FUNCTION letters_as_typed(letters text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN translate(
  letters,
  (SELECT string_agg(chr(c), '' ORDER BY c) FROM generate_series(4352, 4546) AS c
  WHERE c <= 4370 OR c BETWEEN 4449 AND 4469 OR c >= 4520),
  'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ' || 'ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ'
  || 'ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ'
);
COMMENT ON FUNCTION letters_as_typed(text) IS 'The text with letters that stand alone as keyboards write them: ㅇㅅㄴㅋ.';

-- Many names are stored in traditional characters alone, by which simplified ones are found.
CREATE OR REPLACE FUNCTION written_in(typed text, matched text, lang text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
  WHEN lang IN ('zh-Hans', 'zh-Hant') AND han_folded(typed) <> typed THEN 'zh-Hant'
  WHEN lang = 'zh-Hant' AND han_folded(matched) <> matched THEN 'zh-Hans'
  ELSE lang
END;
COMMENT ON FUNCTION written_in(text, text, text)
IS 'The language of a name in Chinese characters as it was typed; that of the name where both are written alike.';

CREATE OR REPLACE FUNCTION understood_json(understood jsonb) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT coalesce(jsonb_agg(x || jsonb_build_object('text', letters_as_typed(x ->> 'text'), 'names', coalesce((
    SELECT jsonb_agg(DISTINCT n.name) FROM (
      SELECT r.name FROM regions AS r WHERE x ->> 'kind' = 'region' AND x -> 'ids' @> to_jsonb(r.id)
      UNION ALL
      SELECT b.name FROM brands AS b WHERE x ->> 'kind' = 'brand' AND x -> 'ids' @> to_jsonb(b.id)
      UNION ALL
      SELECT s.name || '역' FROM stations AS s WHERE x ->> 'kind' = 'station' AND x -> 'ids' @> to_jsonb(s.id)
    ) AS n), '[]')) || CASE WHEN x ? 'lang' THEN jsonb_build_object(
      'lang', written_in(coalesce(without_station_word(x ->> 'text'), x ->> 'text'), x ->> 'matched', x ->> 'lang'))
    ELSE '{}' END), '[]')::text
  FROM jsonb_array_elements(understood) AS x;
END;
COMMENT ON FUNCTION understood_json(jsonb) IS 'The reading of a keyword with the names of what was recognised.';
