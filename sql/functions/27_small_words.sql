-- What people write around names in a keyword: particles, fillers, words for photo booths, stations and streets, in five languages.

-- Percent, underscore and backslash are kept, because the contract treats them as ordinary characters. NFKC converts ㆍ, which many
-- people type as a middle dot, to U+119E. Zero-width characters are not replaced, because name_key removes them within words.
CREATE OR REPLACE FUNCTION signs_as_blanks(keyword text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(normalize(keyword, NFKC), '[.]{2,}|[.](?![^[:space:]])|[]["#$&''()*+,/:;<=>?@^`{|}~'
  || '\u00a1-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u02bc\u115f\u1160\u119e\u200e-\u205f\u2061-\u2bff\u2e00-\u2e7f'
  || '\u3001-\u3004\u3008-\u3020\u3030\u30fb\ufe00-\ufe0f\ufff9-\uffff\U0001f000-\U0001faff\U000e0000-\U000e0fff!]'
  || '|-(?![0-9])|(?<![0-9])-', ' ', 'g');
COMMENT ON FUNCTION signs_as_blanks(text) IS 'The keyword with punctuation, symbols and emoji as blanks, but not the hyphen of 679-4.';

CREATE OR REPLACE FUNCTION cjk_small_words() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '[离離]?我?(?:[附付]近有?|最近)的?|近[辺邊]|周辺|周边|周邊|近く|(?:一番)?近い|近郊|(?:ここ|現在地|今いる場所)(?:から)?|私の?(?=近|[[:space:]]|$)|友達と?'
  || '|あたり|辺り|エリア|ホテル|カフェ(?!通り|ストリート)|旁边|旁邊|一带|一帶|最近的?|最寄り|[0-9一二三四五六七八九十何]*[番号號]?出口|何がある|推荐|推薦|おすすめ|オススメ|どこ|在?哪[里裡裏]有?'
  || '|哪儿有|怎[么麼]去|地址|位置|地[图圖]|韓国|韩国|韓國|南韩|南韓|プリク(?:ラ機?)?|プリ機|プリ(?=を?撮)|ぷりくら|フォトブース|セルフ写真館?|証明写真|写真[館馆]?|寫真館?'
  || '|自?拍照?[馆館]|拍照[机機]?|自拍|貼紙相|贴纸相|哪[个個]牌子好?|哪家好|好不好|拍[贴貼][机機]?店?|拍?大[头頭][贴貼]|照相[馆館机機亭]?|拍照亭|照片亭|快照亭'
  || '|[证證]件照|(?<!人生)(?<!弘大)[四4]格(?:照片|照相[馆館机機]?|照|相[馆館])?|照片'
  || '|有(?:没有|沒有)?(?=[四4]格|[拍大照自人]|[[:space:]]|$)|地方|旅行|旅[游遊](?![区區])|[観观觀]光$|可以|商圈|我?[想要]?去|玩(?=[附[:space:]]|$)'
  || '|自助|无人|無人|[网網][红紅]|[热熱][门門]|打卡|[请請][问問]|有什[么麼]|什[么麼]|[にはが]?あります?か?[？?]?|[にはが]?ある[？?]?$|行きたい|撮りたい|撮れる|撮る|場所|哪[里裡裏]?有|(?:拍|[吗嗎呢])$';
COMMENT ON FUNCTION cjk_small_words() IS 'What people write around names in Chinese and Japanese, as the branches of a regular expression.';

CREATE OR REPLACE FUNCTION latin_small_words() RETURNS text []
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{near,nearby,nearest,front,close,closest,around,in,on,at,the,of,to,from,a,an,any,some,for,with,and,where,is,are,there,here,it,i,am,
  me,my,we,us,you,can,do,how,get,go,going,find,looking,take,taking,want,need,please,open,now,today,best,good,top,nice,cute,cheap,
  popular,famous,recommend,recommended,recommendation,recommendations,photo,photos,picture,pictures,self,studio,studios,
  palace,temple,fortress,island,machine,machines,place,places,area,branch,store,stores,shop,shops,exit,city,district,korea,korean,ktx,srt,
  photobox,photomaton,fotobox,foto,de,du,des,di,sa,à,près,pres,où,faire,terdekat,dekat,malapit,saan,may}'::text [];
COMMENT ON FUNCTION latin_small_words() IS 'What people write around names in English, French, Spanish, Malay and Filipino.';

CREATE OR REPLACE FUNCTION photo_words() RETURNS text []
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{photo,photos,picture,pictures,네컷,4컷,プリ}'::text [];
COMMENT ON FUNCTION photo_words() IS 'Words for photos, which fit every shop and so do not restrict a search unless they are part of a name.';

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

-- Removes words around places and words for photo booths. Call it only after names have been looked up, because names may contain such
-- words.
CREATE OR REPLACE FUNCTION without_small_words(words text []) RETURNS text []
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(
    SELECT bare FROM unnest(words) WITH ORDINALITY AS t (word, i)
    CROSS JOIN LATERAL regexp_replace(coalesce(place_nicknames() ->> word, universities_shortened(word)),
      '(^|(?<=..))([0-9]+번)?(출구?)?(신도시?)?(근처|주변|부근|인근|근방|쪽|앞|옆)?(에서|에|의)?(추천|맛집|핫플|포토부스|즉석사진|스티커사진|놀거리|데이트|어디)*$'
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

-- Types of streets that are part of names and addresses, in other languages and in Latin letters; 로데오거리 is also 로데오.
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

-- Text in kana and Chinese characters has no blanks around particles and words for photo booths (明洞のフォトイズム, 弘大大頭貼), so they are
-- inserted. All words for a station become 駅 (カンナムえき, ミョンドンヨク, 江南地铁站). 入口 after kana is removed (ホンデ入口), as is the 店 of a shop;
-- 2号店 and 本店 become 2호점 and 본점.
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
IS 'An unknown part of a keyword in kana and Chinese characters, with blanks instead of particles and 店 and around words for photo booths.';

CREATE OR REPLACE FUNCTION asks_for_any_shop(keyword text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN normalize(keyword, NFKC) ~* ('사진|포토|네컷|4컷|부스|근처|주변|photo|booth|\mnear|four *cut|4 *cut'
  || '|[附付]近|近く|周[辺边邊]|プリクラ|ぷりくら|フォト|[写寫]真|大[头頭][贴貼]|拍照|照相|拍[贴貼]|照片|自拍|四格|貼紙相|贴纸相');
COMMENT ON FUNCTION asks_for_any_shop(text) IS 'Whether a keyword that names no place has a word for photo booths or for what is near (photo booth near me, 근처 사진관).';

CREATE OR REPLACE FUNCTION gate_universities() RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{"전후문": "전남대", "경북문": "경북대", "강후문": "강원대", "충정문": "충남대", "충중문": "충북대"}'::jsonb;
COMMENT ON FUNCTION gate_universities() IS 'Universities by the first syllable of their name and a gate: 전대 is short for several universities, but 전대 후문 is 전남대후문.';

-- Words for stations, airports, exits, lines and branches in Latin letters, also beside other scripts: Seoul숲, gare de Séoul. Earlier
-- passes have looked for names of shops in several scripts as typed (CGV건대점). The an of kwang-an-ri is no article. No. 2 and Main are
-- how displays write 2호점 and 본점.
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
  typed := regexp_replace(typed, '\muniv(?:ersity)? of ([a-z]{3,})', '\1 university', 'g');
  typed := regexp_replace(typed, '\mhot springs?\M', 'oncheon', 'g');
  typed := regexp_replace(typed, '(?<=[a-z]{3})[[:space:]-]*[dt]aeha[gk]+yo\M', ' university', 'g');
  typed := regexp_replace(typed, '\mcity hall\M', 'cityhall', 'g');
  typed := regexp_replace(typed, '(?<=[a-z]{3})photo ?booths?\M|\mphoto ?bo(?:ot?h?)?$', ' ', 'g');
  typed := regexp_replace(typed, '\m(exit|gate)\M[[:space:].#]*[0-9]+', ' ', 'g');
  typed := regexp_replace(typed, '\mline[[:space:]]*([0-9]+)\M', '\1호선', 'g');
  typed := regexp_replace(typed, '\mno\.?[[:space:]]*([0-9]+)\M', '\1호점', 'g');
  RETURN regexp_replace(typed, '\mmain(?:[[:space:]]+(?:branch|store))?$', '본점');
END $$;
COMMENT ON FUNCTION latin_words_evened(text) IS 'The keyword with words around names in Latin letters in one form, and blanks where the script changes.';

-- Particles are only searched in the unknown parts of the keyword, so that a name with a particle is kept (今日のフィルム).
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
    -- 산본로데오
    bare := regexp_replace(bare, '(?<=[가-힣]{2})(로데오)(?:거리)?$', ' \1');
    -- A blank before and after the unknown piece separates it from known names (life4cutshongdae, 海雲台近くのフォトイズム).
    typed := btrim(replace(typed, piece, CASE WHEN bare <> piece OR bare ~ '^([a-z]{4,}|[\u3041-\u9fff]{2,}|[가-힣]{3,})$' THEN ' ' || bare || ' ' ELSE piece END));
  END LOOP;
  -- the expressions below expect single blanks
  typed := regexp_replace(typed, '[[:space:]]+', ' ', 'g');
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
  typed := regexp_replace(typed, '(?:찾아[[:space:]]*)?(?:가는|오는|오시는)[[:space:]]*(?:길|법|방법)', ' ', 'g');
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

-- The dictionary may lack railway stations that no metro serves: 구미역 then means 구미.
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
COMMENT ON FUNCTION regions_of_stations(text [], text []) IS 'The words, without the 역 of unknown stations that have the name of a region or occur in names of shops.';
