"""Tests roads of addresses in Latin letters and kana, as addresses are displayed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.make import Maker
from tests.search.spellings import by_ear, romanized

AT = {"userLng": 127.0276, "userLat": 37.4979}
HERE = (127.0276, 37.4979)
ROADS = ("강남대로", "테헤란로", "대학로", "선릉로152길", "신림로3나길", "왕십리로", "1순환로", "한라산길", "을숙도대로", "압구정로2길", "김포한강4로")  # fmt: skip


@pytest.fixture
def roads(make: Maker) -> Maker:
    """A shop with a numbered address on each road, and a district and a station that roads are named after."""
    seoul = make.region("서울특별시", level="sido")
    district = make.region("강남구", parent=seoul)
    make.insert(
        "region_aliases", region_id=district, alias="江南區", kind="foreign", lang="zh-Hant"
    )
    station = make.station("선릉", at=(127.049, 37.5045))
    make.insert("station_aliases", station_id=station, alias="宣陵", lang="zh-Hant")
    make.region("거제시", level="sigungu", parent=make.region("경상남도", level="sido"))
    make.station("대학", at=(129, 35))
    brand = make.brand("포토이즘")
    make.brand_alias(brand, "Photoism")
    for number, road in enumerate(ROADS, start=1):
        make.shop(
            f"사진 {number}호", at=HERE, brand_id=None, sigungu_id=district,
            road_address=f"서울특별시 강남구 {road} {number} 1층",
        )  # fmt: skip
    make.shop(
        "포토이즘 하나", at=HERE, brand_id=brand, road_address="서울특별시 강남구 테헤란로 77"
    )
    make.shop("사진 거제", at=HERE, brand_id=None, road_address="경상남도 거제시 거제중앙로 5")
    make.shop("사진 골목", at=HERE, brand_id=None, road_address="서울특별시 강남구 강남대로 90길 4")
    return make


@pytest.fixture
def addresses(client: FlaskClient) -> Callable[[str], set[str]]:
    def find_addresses(keyword: str) -> set[str]:
        response = client.get("/shops", query_string={"keyword": keyword, **AT})
        assert response.status_code == 200, response.text
        return {shop["place_address"] for shop in response.json or []}

    return find_addresses


def in_latin(road: str) -> str:
    """The official spelling: no sound change before the unit, which a hyphen separates."""
    name, unit, number, lane = re.fullmatch(r"(.+?)(대로|로|길)(?:([0-9]+나?)(길))?", road).groups()
    street = f"{romanized(name)}-{romanized(unit)}"
    return f"{street} {romanized(number)}-{romanized(lane)}".lower() if lane else street.lower()


@pytest.mark.parametrize("road", ROADS)
def test_a_road_is_found_by_its_official_spelling(
    roads: Maker, addresses: Callable[[str], set[str]], road: str
) -> None:
    here = {a for a in addresses(road) if f" {road} " in a}
    assert here
    latin = in_latin(road)
    for spelling in (latin, latin.replace("-", ""), latin.replace("-", " "), latin.upper()):
        displayed = addresses(spelling)
        assert here <= displayed and all(road in a for a in displayed), spelling


@pytest.mark.parametrize(
    ("keyword", "number"),
    [
        ("gangnam-daero 1", 1),
        ("1 Gangnam-daero", 1),
        ("1F, 1 Gangnam-daero, Gangnam-gu, Seoul", 1),
        ("1F, 4 Seolleung-ro 152-gil, Gangnam-gu, Seoul", 4),
        ("kangnam daero 1", 1),
        ("tehelan-ro 2", 2),
        ("apgujeong-ro 2-gil", 10),
        ("near hallasan-gil", 8),
        ("B1, 9 eulsukdo-daero", 9),
    ],
)
def test_addresses_are_found_with_number_floor_and_district(
    roads: Maker, addresses: Callable[[str], set[str]], keyword: str, number: int
) -> None:
    assert addresses(keyword) == {f"서울특별시 강남구 {ROADS[number - 1]} {number} 1층"}


# written by hand, by the rule of in_kana()
IN_KANA = {
    "カンナム大路": "강남대로", "テヘラン路": "테헤란로", "テハク路": "대학로", "ソルルン路152ギル": "선릉로152길",
    "シルリム路3ナギル": "신림로3나길", "ワンシムニ路": "왕십리로", "1スンファン路": "1순환로", "ハルラサンギル": "한라산길",
    "ウルスクト大路": "을숙도대로", "アックジョン路2ギル": "압구정로2길", "アプクジョン路2ギル": "압구정로2길",
    "てへらんろ": "테헤란로", "カンナムデロ": "강남대로", "ハルラサンキル": "한라산길",
}  # fmt: skip


@pytest.mark.parametrize("kana", IN_KANA)
def test_a_road_is_found_in_kana(
    roads: Maker, addresses: Callable[[str], set[str]], kana: str
) -> None:
    displayed = addresses(kana)
    assert displayed and all(f" {IN_KANA[kana]} " in address for address in displayed)


@pytest.mark.parametrize("road", ROADS)
def test_a_road_is_found_as_japanese_addresses_display_it(
    roads: Maker, addresses: Callable[[str], set[str]], road: str
) -> None:
    ((kana,),) = roads.rows("SELECT place_in(%s, 'ja')", road)
    here = {a for a in addresses(road) if f" {road} " in a}
    assert here and here <= addresses(kana), kana


@pytest.mark.parametrize(
    ("typed", "korean"),
    [
        ("江南大路", "강남대로"),
        ("江南大路 1", "강남대로 1"),
        ("강남구 江南大路", "강남구 강남대로"),
        ("宣陵路", "선릉로"),
    ],
)
def test_a_road_called_after_a_place_is_found_in_chinese_characters(
    roads: Maker, addresses: Callable[[str], set[str]], typed: str, korean: str
) -> None:
    roads.shop("사진 선릉", at=HERE, brand_id=None, road_address="서울특별시 강남구 선릉로 7")
    assert addresses(korean) and addresses(typed) == addresses(korean)


def test_a_whole_address_in_japanese_is_found(
    roads: Maker, addresses: Callable[[str], set[str]]
) -> None:
    assert addresses("ソウル カンナム区 テヘラン路 2 1階") == {"서울특별시 강남구 테헤란로 2 1층"}
    assert addresses("포토이즘 テヘラン路") == {"서울특별시 강남구 테헤란로 77"}


def test_a_road_joins_other_names(roads: Maker, addresses: Callable[[str], set[str]]) -> None:
    assert addresses("photoism teheran-ro") == {"서울특별시 강남구 테헤란로 77"}
    assert addresses("teheran-ro photoism 77") == {"서울특별시 강남구 테헤란로 77"}


def test_a_road_after_a_region_is_the_road(
    roads: Maker, addresses: Callable[[str], set[str]]
) -> None:
    assert addresses("geojejungang-ro") == {"경상남도 거제시 거제중앙로 5"}


def test_a_road_of_two_words_is_found(roads: Maker, addresses: Callable[[str], set[str]]) -> None:
    assert addresses("gangnam-daero 90-gil") == {"서울특별시 강남구 강남대로 90길 4"}


def test_what_is_no_road_finds_nothing(roads: Maker, addresses: Callable[[str], set[str]]) -> None:
    for keyword in (
        "teheran",
        "tehran-dong",
        "xylophone-ro",
        "ro",
        "daero",
        "-ro",
        "テヘラン",
        "路",
        "大路",
        "シロフォン路",
        "テヘラン洞",
        "北京路",
        "江南路",
    ):
        assert addresses(keyword) == set(), keyword


def test_spellings_by_ear(roads: Maker, addresses: Callable[[str], set[str]]) -> None:
    expected = addresses("테헤란로")
    assert len(expected) == 2
    for spelling in by_ear("teheran"):
        assert addresses(f"{spelling}-ro") == expected, spelling


@pytest.mark.parametrize(
    ("typed", "text", "lang", "matched"),
    [
        ("teheran-ro 2", "teheran ro", "ko-Latn", "Teheran-ro"),
        ("てへらん路 2", "てへらん路", "ja", "テヘラン路"),
    ],
)
def test_explain_names_the_road(
    roads: Maker, client: FlaskClient, typed: str, text: str, lang: str, matched: str
) -> None:
    response: Any = client.get(
        "/shops", query_string={"keyword": typed, "explain": "true", **AT}
    ).json
    assert response["pass"] == "spelling"
    assert response["understood"][0] == {
        "text": text, "kind": "rest", "ids": [], "names": [], "lang": lang, "matched": matched,
    }  # fmt: skip


@pytest.mark.parametrize(
    "road",
    [
        "gangnam-daero",
        "teheran-ro",
        "seolleung-ro 152-gil",
        "강남대로",
        "カンナム大路",
        "テヘラン路",
        "江南大路",
    ],
)
def test_a_road_is_suggested_one_keystroke_earlier(
    roads: Maker, client: FlaskClient, road: str
) -> None:
    shop_ids = {
        shop["id"] for shop in client.get("/shops", query_string={"keyword": road, **AT}).json or []
    }
    for typed in (road[:-1], road):
        suggested = client.get("/shops/suggest", query_string={"keyword": typed, **AT}).json or []
        assert shop_ids & {s["id"] for s in suggested if s["kind"] == "shop"}, typed


def test_a_changed_address_is_found_at_once(
    roads: Maker, addresses: Callable[[str], set[str]]
) -> None:
    shop = roads.shop(
        "사진 옮김", at=HERE, brand_id=None, road_address="서울특별시 강남구 봉은사로 1"
    )
    assert addresses("bongeunsa-ro") == {"서울특별시 강남구 봉은사로 1"}
    roads.sql("UPDATE shops SET road_address = '서울특별시 강남구 도산대로 1' WHERE id = %s", shop)
    assert addresses("bongeunsa-ro") == set()
    assert addresses("dosan-daero") == {"서울특별시 강남구 도산대로 1"}
