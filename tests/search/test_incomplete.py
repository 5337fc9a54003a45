"""Tests incomplete and misspelt keywords in every script that no name or address contains literally."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.make import Maker

AT = {"userLng": 127.0276, "userLat": 37.4979}
HERE = (127.0276, 37.4979)


@pytest.fixture
def places(make: Maker) -> Maker:
    """Stations and a district whose names no shop's name or address contains."""
    seoul = make.region("서울특별시", level="sido")
    district = make.region("광진구", parent=seoul)
    station = make.station("건대입구", at=HERE, name_en="Konkuk Univ.")
    far = make.station("여의나루", at=(126.9, 37.5))
    gate = make.station("동대문", at=(126.9, 37.5))
    make.station("경전철의정부", at=(129, 35))
    make.shop("넷", at=(129, 35), brand_id=None)
    for place, alias, lang in (
        (station, "建大入口", "zh-Hant"), (station, "コンデイック", "ja"),
        (far, "汝矣渡口", "zh-Hant"), (far, "ヨイナル", "ja"), (gate, "東大門", "zh-Hant"),
    ):  # fmt: skip
        make.insert("station_aliases", station_id=place, alias=alias, lang=lang)
    brand = make.brand("인생네컷")
    make.shop("인생네컷 하나", at=HERE, brand_id=brand)
    make.shop("둘", at=(126.9, 37.5), brand_id=None)
    make.shop("셋", at=(128, 36), sigungu_id=district, brand_id=None)
    return make


def explain(client: FlaskClient, keyword: str) -> Any:
    response = client.get("/shops", query_string={"keyword": keyword, "explain": "true", **AT})
    assert response.status_code == 200, response.text
    return response.get_json()


def find_names(client: FlaskClient, keyword: str) -> list[str]:
    return [shop["place_name"] for shop in explain(client, keyword)["shops"]]


@pytest.mark.parametrize(
    ("keyword", "shop"),
    [
        ("건대입", "인생네컷 하나"), ("여의나", "둘"), ("여의날", "둘"), ("광지", "셋"),
        ("geondaei", "인생네컷 하나"), ("yeouin", "둘"), ("gwangjing", "셋"),
        ("コンデイ", "인생네컷 하나"), ("ヨイナ", "둘"), ("建大入", "인생네컷 하나"), ("汝矣渡", "둘"), ("汝矣", "둘"),
        ("건대입 인생네컷", "인생네컷 하나"), ("인생네컷 geondaei", "인생네컷 하나"), ("建大入 인생네컷", "인생네컷 하나"),
    ],
)  # fmt: skip
def test_a_prefix_means_the_shortest_name(
    places: Maker, client: FlaskClient, keyword: str, shop: str
) -> None:
    assert find_names(client, keyword) == [shop]


@pytest.mark.parametrize(
    ("keyword", "shop"),
    [
        ("yeouinaur station", "둘"), ("yeoinaru", "둘"), ("ヨイノル駅", "둘"), ("ヨイル駅", "둘"),
        ("汝矣江口站", "둘"), ("汝矣江渡口站", "둘"), ("汝渡口站", "둘"),
        ("goendaeipgu station", "인생네컷 하나"), ("gwaengjiin-gu", "셋"), ("yoeuinaru station photo booth", "둘"),
        ("gyeongjeotcheoruijeongbu station", "넷"),
    ],
)  # fmt: skip
def test_one_letter_may_be_wrong(
    places: Maker, client: FlaskClient, keyword: str, shop: str
) -> None:
    assert find_names(client, keyword) == [shop]


@pytest.mark.parametrize("word", ["station", "staion", "statoin", "statiom"])
def test_a_misspelt_word_for_a_station_means_the_station_and_not_the_district(
    make: Maker, client: FlaskClient, word: str
) -> None:
    make.station("강남", at=HERE)
    district = make.region("강남구", parent=make.region("서울특별시", level="sido"))
    make.shop("역", at=HERE, brand_id=None)
    make.shop("구", at=(127.06, 37.52), sigungu_id=district, brand_id=None)
    assert find_names(client, f"gangnam {word}") == ["역"]


def test_of_kana_a_letter_off_those_written_nearest_are_meant(
    make: Maker, client: FlaskClient
) -> None:
    # similar by sound: シンリン, シンタン and シンチヨン
    for number, (name, alias) in enumerate(
        {"신당": "シンダン", "신림": "シンリム", "신정": "シンジョン"}.items()
    ):
        at = (127 + number / 10, 37.5)
        station = make.station(name, at=at)
        make.insert("station_aliases", station_id=station, alias=alias, lang="ja")
        make.shop(f"{name} 사진관", at=at, brand_id=None)
    assert find_names(client, "シンチム駅") == ["신림 사진관"]


def test_two_characters_are_no_misspelt_name(places: Maker, client: FlaskClient) -> None:
    places.region("강남구", parent=places.sql("SELECT id FROM regions WHERE level = 'sido'"))
    places.sql("INSERT INTO region_aliases (region_id, alias, kind, lang) SELECT id, '江南', 'foreign', 'zh-Hant' FROM regions WHERE name = '강남구'")  # fmt: skip
    assert find_names(client, "江北") == find_names(client, "江山南") == []


@pytest.mark.parametrize(
    ("keyword", "lang", "matched"),
    [
        ("yeouinaru station", "ko-Latn", "Yeouinaru"),
        ("konkuk univ", "en", "Konkuk Univ."),
        ("汝矣渡口站", "zh-Hant", "汝矣渡口"),
        ("汝矣渡口駅", "zh-Hant", "汝矣渡口"),
        ("东大门", "zh-Hans", "東大門"),
        ("東大門站", "zh-Hant", "東大門"),
        ("ヨイナル駅", "ja", "ヨイナル"),
        ("yeouin", "ko-Latn", "yeouinaru"),
        ("汝矣渡", "zh-Hant", "汝矣渡口"),
    ],
)
def test_explain_reports_language_and_name(
    places: Maker, client: FlaskClient, keyword: str, lang: str, matched: str
) -> None:
    (word,) = explain(client, keyword)["understood"]
    assert (word["lang"], word["matched"], word["kind"]) == (lang, matched, "station")


def test_names_of_several_places_are_all_of_them_nearest_first(
    make: Maker, client: FlaskClient
) -> None:
    for number, sido in enumerate(("부산광역시", "서울특별시", "대구광역시")):
        district = make.region("중구", parent=make.region(sido, level="sido"))
        make.insert(
            "region_aliases", region_id=district, alias="中區", kind="foreign", lang="zh-Hant"
        )
        make.shop(f"{3 - number}번", at=(129 - number / 2, 36), sigungu_id=district, brand_id=None)
    for keyword in ("중구", "jung-gu", "junggu", "中区", "中區", "チュング"):
        assert find_names(client, keyword) == ["1번", "2번", "3번"], keyword


def suggested(client: FlaskClient, typed: str) -> list[tuple[str, str]]:
    response = client.get("/shops/suggest", query_string={"keyword": typed, **AT})
    assert response.status_code == 200, response.text
    return [(item["kind"], item["label"]) for item in response.get_json()]


@pytest.mark.parametrize(
    ("typed", "shop"),
    [
        ("人生四格 建大入", "인생네컷 하나"), ("人生四格 建", "인생네컷 하나"), ("Life Four Cuts Konkuk U", "인생네컷 하나"),
        ("建大入口 Life Four Cu", "인생네컷 하나"), ("コンデイック 人生四カッ", "인생네컷 하나"), ("人生四カット コンデイ", "인생네컷 하나"),
        ("Seoul Gwangjin-gu 人生四", "인생네컷 둘"), ("人生四格 Gwangjin-g", "인생네컷 둘"), ("Life Four Cuts Seoul Gwangji", "인생네컷 둘"),
        ("건대입구 人生四カッ", "인생네컷 하나"), ("인생네컷 Konkuk U", "인생네컷 하나"),
    ],
)  # fmt: skip
def test_shops_of_a_known_name_and_a_begun_one_are_suggested(
    places: Maker, client: FlaskClient, typed: str, shop: str
) -> None:
    ((brand,),) = places.rows("SELECT id FROM brands")
    ((district,),) = places.rows("SELECT id FROM regions WHERE level = 'sigungu'")
    for alias in ("Life Four Cuts", "人生四格", "人生四カット"):
        places.brand_alias(brand, alias)
    places.shop("인생네컷 둘", at=(128, 36), sigungu_id=district, brand_id=brand)
    items = suggested(client, typed)
    assert ("shop", shop) in items, items


def test_one_chinese_character_begins_a_name(places: Maker, client: FlaskClient) -> None:
    assert suggested(client, "汝") == [("station", "여의나루역")]


def test_a_known_name_is_suggested_beside_unknown_letters(
    places: Maker, client: FlaskClient
) -> None:
    """A search ignores these letters, too."""
    assert suggested(client, "建大入口 xqzw")[0] == ("station", "건대입구역")
