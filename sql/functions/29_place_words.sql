-- Words of shop names that other languages do not write by sound: loan words, chains, kinds of places and places with foreign names.

-- Alternatives are separated by a bar; displays show the first. A hyphen marks a word that is only looked for at the end of another
-- one. Chinese is written in traditional characters, from which the others follow. Names of stations and regions are not listed:
-- imports store theirs.
CREATE OR REPLACE FUNCTION place_words(OUT korean text, OUT en text, OUT ja text, OUT zh text) RETURNS SETOF record
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 150
BEGIN ATOMIC
  SELECT w.* FROM (VALUES
    ('코엑스', 'COEX|Co ex|COEX Mall|Starfield COEX|Starfield COEX Mall', 'コエックス|コエックスモール', 'COEX'),
    ('롯데월드', 'Lotte World|Lotte World Tower|Lotte Tower', 'ロッテワールド|ロッテワールドタワー|ロッテタワー', '樂天世界|樂天樂園|樂天世界塔|樂天塔|樂天大廈'),
    ('롯데', 'Lotte', 'ロッテ', '樂天'),
    ('스타필드', 'Starfield|Star field', 'スターフィールド', 'Starfield'),
    ('별마당도서관', 'Starfield Library|Byeolmadang Library', 'ピョルマダン図書館|ピョルマダン', '星空圖書館|星空图书馆'),
    ('타임스퀘어', 'Times Square', 'タイムズスクエア|タイムスクエア|タイムズスクウェア', '時代廣場'),
    ('타임월드', 'Time World|Timeworld', 'タイムワールド', 'Timeworld'),
    ('트리플스트리트', 'Triple Street', 'トリプルストリート', 'Triple Street'),
    ('커낼웨이', 'Canal Way|Canalway', 'キャナルウェイ|カナルウェイ', 'Canalway'),
    ('앨리웨이', 'Alleyway', 'アレーウェイ|アリーウェイ', 'Alleyway'),
    ('라페스타', 'La Festa', 'ラフェスタ', 'La Festa'),
    ('웨스턴돔', 'Western Dom|Western Dome', 'ウェスタンドーム|ウエスタンドーム', 'Western Dom'),
    ('메타프로방스', 'Meta Provence', 'メタプロバンス', 'Meta Provence'),
    ('프로방스', 'Provence', 'プロバンス', 'Provence'),
    ('밀락더마켓', 'Millac the Market|Millac Market', 'ミルラクザマーケット', 'Millac the Market'),
    ('연트럴파크', 'Yeontral Park', 'ヨントラルパーク|ヨンットラルパーク', '延南公園|延特勒公園'),
    ('센트럴파크', 'Central Park', 'セントラルパーク', '中央公園'),
    ('센텀시티', 'Centum City|Centum', 'センタムシティ|センタムシティー', 'Centum City|Centum'),
    ('스타시티', 'Star City|Star', 'スターシティ', 'Star City'),
    ('에버랜드', 'Everland', 'エバーランド|エヴァーランド', '愛寶樂園'),
    ('서울랜드', 'Seoul Land|Seoulland', 'ソウルランド', '首爾樂園'),
    ('이월드', 'E-World', 'イーワールド', 'E-World'),
    ('레고랜드', 'Legoland', 'レゴランド', '樂高樂園'),
    ('차이나타운', 'Chinatown', 'チャイナタウン|中華街', '唐人街|中國城'),
    ('서울타워', 'Seoul Tower|N Seoul Tower|Namsan Tower|Namsan Seoul Tower', 'ソウルタワー|Nソウルタワー|南山タワー|南山ソウルタワー', '首爾塔|N首爾塔|南山塔|南山首爾塔'),
    ('남산서울타워', 'N Seoul Tower', 'Nソウルタワー', 'N首爾塔'),
    ('DDP', 'DDP|Dongdaemun Design Plaza', 'DDP|東大門デザインプラザ', 'DDP|東大門設計廣場'),
    ('더현대', 'The Hyundai', 'ザ・ヒョンデ|ザ現代', 'The Hyundai'),
    ('현대', 'Hyundai', '現代|ヒョンデ|ヒュンダイ', '現代'),
    ('신세계', 'Shinsegae', '新世界|シンセゲ', '新世界'),
    ('갤러리아', 'Galleria', 'ギャラリア', 'Galleria'),
    ('이마트', 'E-Mart', 'イーマート', '易買得'),
    ('홈플러스', 'Homeplus|Home plus', 'ホームプラス', 'Homeplus'),
    ('메가박스', 'Megabox', 'メガボックス', 'Megabox'),
    ('시네마', 'Cinema', 'シネマ', '影城'),
    ('스파크', 'Spark', 'スパーク', 'Spark'),
    ('엑스포', 'Expo', 'エキスポ', '世博'),
    ('올림픽', 'Olympic', 'オリンピック', '奧林匹克'),
    ('월드컵', 'World Cup|Worldcup', 'ワールドカップ', '世界盃'),
    ('디지털', 'Digital', 'デジタル', '數碼'),
    ('테크노', 'Techno', 'テクノ', 'Techno'),
    ('사이언스', 'Science', 'サイエンス', '科學'),
    ('월드', 'World', 'ワールド', '世界'),
    ('랜드', 'Land', 'ランド', '樂園'),
    ('스트리트', 'Street', 'ストリート', 'Street'),
    ('프리미엄', 'Premium', 'プレミアム', '名牌'),
    ('오시리아', 'Osiria', 'オシリア', 'Osiria'),
    ('한옥마을', 'Hanok Village', '韓屋村|韓屋マウル|ハノクマウル|ハンオクマウル', '韓屋村'),
    ('한옥거리', 'Hanok Street', '韓屋通り', '韓屋街'),
    ('로데오거리', 'Rodeo Street', 'ロデオ通り|ロデオストリート', '羅德奧街'),
    ('로데오', 'Rodeo', 'ロデオ', '羅德奧'),
    ('카페거리', 'Cafe Street', 'カフェ通り', '咖啡街'),
    ('먹자골목', 'Food Alley|Food Street', 'グルメ通り', '美食街'),
    ('깡통시장', 'Kkangtong Market|Bupyeong Kkangtong Market', 'カントン市場', '罐頭市場'),
    ('가로수길', 'Garosu-gil', 'カロスギル|カロスキル', '林蔭道|林蔭路|林蔭大道'),
    ('동성로', 'Dongseong-ro', '東城路', '東城路'),
    ('광안리', 'Gwangalli', '広安里', '廣安里'),
    ('남대문', 'Namdaemun', '南大門', '南大門'),
    ('남이섬', 'Nami Island|Nami', '南怡島|ナミソム|ナミ島', '南怡島'),
    ('월미도', 'Wolmido', '月尾島', '月尾島'),
    ('대학로', 'Daehangno', '大学路', '大學路'),
    ('대학가', 'University Street', '大学街', '大學街'),
    ('-해수욕장', 'Beach', '海水浴場', '海水浴場'),
    ('-해변', 'Beach', '海辺', '海邊'),
    ('-한강공원', 'Hangang Park|Han River Park', '漢江公園', '漢江公園'),
    ('-호수공원', 'Lake Park', '湖水公園|湖公園', '湖水公園|湖公園'),
    ('-과학공원', 'Science Park', '科学公園', '科學公園'),
    ('-국가정원', 'National Garden', '国家庭園', '國家庭園'),
    ('-관광단지', 'Tourist Complex', '観光団地', '觀光園區'),
    ('-지하상가', 'Underground Shopping Center|Underground Shopping Mall|Underground Mall', '地下商街|地下街', '地下商街|地下街|地下商店街'),
    ('-백화점', 'Department Store|Department', '百貨店|デパート', '百貨|百貨公司|百貨商店|百貨店'),
    ('-아울렛', 'Outlet|Outlets', 'アウトレット', '奧特萊斯|暢貨中心'),
    ('-아웃렛', 'Outlet', 'アウトレット', '奧特萊斯'),
    ('-시장', 'Market', '市場', '市場'),
    ('-공원', 'Park', '公園', '公園'),
    ('-파크', 'Park', 'パーク', '公園'),
    ('-광장', 'Square', '広場', '廣場'),
    ('-스퀘어', 'Square', 'スクエア', '廣場'),
    ('-플라자', 'Plaza', 'プラザ', '廣場'),
    ('-프라자', 'Plaza', 'プラザ', '廣場'),
    ('-타워', 'Tower', 'タワー', '塔'),
    ('-센터', 'Center|Centre', 'センター', '中心'),
    ('-터미널', 'Terminal|Bus Terminal', 'ターミナル', '客運站|巴士站'),
    ('-공항', 'Airport', '空港', '機場'),
    ('-병원', 'Hospital', '病院', '醫院'),
    ('-성당', 'Cathedral', '聖堂|カテドラル', '大教堂|聖堂'),
    ('-도서관', 'Library', '図書館', '圖書館'),
    ('-박물관', 'Museum', '博物館', '博物館'),
    ('-미술관', 'Museum of Art|Museum Art|Art Museum', '美術館', '美術館'),
    ('-예술촌', 'Art Village', '芸術村', '藝術村'),
    ('-선착장', 'Pier', '船着場', '碼頭'),
    ('-우체국', 'Post Office', '郵便局', '郵局'),
    ('-놀이터', 'Playground', 'ノリト|遊び場', '遊樂場|遊戲場'),
    ('-시청', 'City Hall', '市庁', '市廳'),
    ('-정문', 'Main Gate', '正門', '正門'),
    ('-후문', 'Back Gate', '裏門|後門', '後門'),
    ('-북문', 'North Gate', '北門', '北門'),
    ('-마트', 'Mart', 'マート', '超市'),
    ('-몰', 'Mall', 'モール', '購物中心')
  ) AS w (korean, en, ja, zh);
END;
COMMENT ON FUNCTION place_words()
IS 'Words of shop names and how English, Japanese and Chinese write them; a hyphen before those that only end a word.';

-- Without arguments, so that PostgreSQL evaluates it once a session where a statement contains it. POSIX expressions prefer the first
-- match, then the longest.
CREATE OR REPLACE FUNCTION place_word_parts() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT concat(
    '^(.*?)(', string_agg(korean, '|' ORDER BY length(korean) DESC) FILTER (WHERE korean NOT LIKE '-%'), '|(?:',
    string_agg(ltrim(korean, '-'), '|' ORDER BY length(korean) DESC) FILTER (WHERE korean LIKE '-%'), ')$)(.*)$')
  FROM place_words();
END;
COMMENT ON FUNCTION place_word_parts() IS 'The regular expression of a word that contains one of place_words(): what is before it, the word, what is after it.';
