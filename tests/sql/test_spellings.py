"""Tests the SQL functions that compute search keys of names in foreign scripts, by sound and by character."""

from __future__ import annotations

import unicodedata

import pytest

from tests.make import Maker

BY_EAR = [
    ("gangnam", "kangnam", "Gang-nam"),
    ("myeongdong", "myungdong", "Myeong Dong"),
    ("seongsu", "sungsoo", "songsu"),
    ("jongro", "chongro"),
    ("jongno", "chongno"),
    ("busan", "pusan", "PUSAN"),
    ("dongdaemun", "dongdaemoon", "tongdaemun"),
    ("daegu", "taegu", "taeku"),
    ("jamsil", "jamshil", "chamsil"),
    ("yeouido", "yoido", "youido"),
    ("apgujeong", "apkujong"),
    ("sillim", "shillim"),
    ("gyeongju", "kyungju", "kyongju"),
    ("itaewon", "iteawon"),
    ("hongikuniv", "Hongik University", "Hongik Univ."),
]
KANA = {
    "강남": "カンナム", "명동": "ミョンドン", "부산": "プサン", "성수": "ソンス", "종로": "チョンノ", "신촌": "シンチョン",
    "잠실": "チャムシル", "대구": "テグ", "경주": "キョンジュ", "수원": "スウォン", "여의도": "ヨイド", "의정부": "ウィジョンブ",
    "신림": "シルリム", "서울": "ソウル", "홍대": "ホンデ",
    # ㄴ before ㄱ is not ㅇ, 오 after 데 not 어, 은 after 보 not ㅚ
    "안국": "アングク", "판교": "パンギョ", "한강": "ハンガン", "신길": "シンギル", "인계동": "インゲドン", "금천구": "クムチョング",
    "단계동": "タンゲドン", "광교동": "クァンギョドン", "신광동": "シングァンドン", "진관동": "チングァンドン", "무안군": "ムアングン",
    "연천군": "ヨンチョングン", "진천군": "チンチョングン", "철원군": "チョルォングン", "보은군": "ポウングン", "잉어": "インオ", "로데오": "ロデオ",
    # exceptions of the rule
    "신문로": "シンムンノ", "학여울": "ハンニョウル",
    # from the list of Seoul's stations
    "성균관대": "ソンギュングァンデ", "압구정": "アックジョン", "경복궁": "キョンボックン", "홍대입구": "ホンデイック", "을지로입구": "ウルジロイック",
    "석수": "ソッス", "역곡": "ヨッコク", "북한산": "プカンサン", "퇴계원": "トェゲウォン", "청계산입구": "チョンゲサンイック", "왕십리": "ワンシムニ",
    "답십리": "タプシムニ", "선릉": "ソルルン", "독립문": "トンニンムン", "학동": "ハクトン", "충정로": "チュンジョンノ", "외대앞": "ウェデアプ",
    # others
    "닭갈비": "タッカルビ", "굳이": "クジ", "같이": "カチ", "좋고": "チョコ", "많다": "マンタ", "종로3가": "チョンノ3ガ", "GS타워 2층": "gsタウォ2チュン",
}  # fmt: skip
LETTER_BY_LETTER = {
    "신림": "シンリム",
    "종로": "チョンロ",
    "왕십리": "ワンシプリ",
    "압구정": "アプクジョン",
    "서울": "ソウル",
}


@pytest.mark.parametrize("names", BY_EAR)
def test_spellings_by_ear_have_one_key(make: Maker, names: tuple[str, ...]) -> None:
    assert len({make.sql("SELECT sound_key(%s)", name) for name in names}) == 1


def test_other_sounds_have_other_keys(make: Maker) -> None:
    names = ["gangnam", "gangneung", "jamsil", "jongno", "hongdae", "sinsa"]
    assert len({make.sql("SELECT sound_key(%s)", name) for name in names}) == len(names)


@pytest.mark.parametrize("korean", KANA)
def test_korean_in_kana(make: Maker, korean: str) -> None:
    assert make.sql("SELECT in_kana(%s)", korean) == KANA[korean]


@pytest.mark.parametrize("korean", LETTER_BY_LETTER)
def test_korean_in_kana_letter_by_letter(make: Maker, korean: str) -> None:
    assert make.sql("SELECT kana_letters(%s, false)", korean) == LETTER_BY_LETTER[korean]


@pytest.mark.parametrize(
    ("korean", "typed"),
    [
        ("을지로3가", "uljiro samga"), ("신논현", "シノニョン"), ("논현", "ノニョン"), ("하루필름", "ハルピルム"), ("인생네컷", "インセンネカット"), ("인생네컷", "インセン4カット"),
        ("을지로3가", "ウルチロサムガ"), ("을지로3가", "ウルジロ3ガ"), ("인생네컷", "insaeng four cuts"),
        ("인생네컷", "Insaeng4Cut"), ("인생네컷", "insaengnekeot"), ("신림", "シンリム"), ("신림", "シルリム"), ("서귀포", "ソギポ"),
        ("서귀포", "ソグィポ"), ("鍾路3街", "钟路三街"), ("人生4カット", "人生四カット"), ("Moonlight 4Cuts", "moonlight four cuts"),
        ("서울", "Sŏul"), ("여의도", "Yŏŭido"), ("천안", "Ch'ŏnan"),
    ],
)  # fmt: skip
def test_a_name_has_the_key_of_each_spelling(make: Maker, korean: str, typed: str) -> None:
    assert make.sql("SELECT spelling_key(%s) = ANY (brand_spellings(%s))", typed, korean)


@pytest.mark.parametrize(
    "forms",
    [
        ("江南区", "江南區"),
        ("首爾", "首尔", "首尓"),
        ("明洞駅", "明洞驛", "明洞驿"),
        ("広津", "廣津", "广津"),
        ("乙支路4街", "乙支路４街"),
        ("市廳", "市庁", "市厅"),
    ],
)
def test_characters_have_one_form(make: Maker, forms: tuple[str, ...]) -> None:
    assert len({make.sql("SELECT spelling_key(%s)", form) for form in forms}) == 1


@pytest.mark.parametrize(
    "forms",
    [("プサン", "ブサン", "ﾌﾟｻﾝ", "ぷさん"), ("ミョンドン", "みょんどん"), ("ナムサン", "ナンサン")],
)
def test_kana_has_one_form(make: Maker, forms: tuple[str, ...]) -> None:
    given = [*forms, *(unicodedata.normalize("NFD", form) for form in forms)]
    assert len({make.sql("SELECT spelling_key(%s)", form) for form in given}) == 1


@pytest.mark.parametrize(("a", "b", "off"), [("", "", 0), ("a", "", 1), ("kitten", "sitting", 3)])
def test_edit_distance(make: Maker, a: str, b: str, off: int) -> None:
    assert make.sql("SELECT edit_distance(%s, %s)", a, b) == off
