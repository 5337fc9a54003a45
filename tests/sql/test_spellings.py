"""Keys of names in foreign scripts: by sound, by character."""

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
}  # fmt: skip


@pytest.mark.parametrize("names", BY_EAR)
def test_spellings_by_ear_have_one_key(make: Maker, names: tuple[str, ...]) -> None:
    assert len({make.sql("SELECT sound_key(%s)", name) for name in names}) == 1


def test_other_sounds_have_other_keys(make: Maker) -> None:
    names = ["gangnam", "gangneung", "jamsil", "jongno", "hongdae", "sinsa"]
    assert len({make.sql("SELECT sound_key(%s)", name) for name in names}) == len(names)


@pytest.mark.parametrize("korean", KANA)
def test_korean_in_kana(make: Maker, korean: str) -> None:
    assert make.sql("SELECT in_kana(%s)", korean) == KANA[korean]


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
