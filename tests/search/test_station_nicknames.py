"""Tests Korean nicknames of stations and places: full and short names of universities, 고터, 성수동."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from tests.make import Maker

FindNames = Callable[[str], list[str]]
AT = {"userLng": 127.0276, "userLat": 37.4979}
# station → its nicknames
NICKNAMES = {
    "고속터미널": ("고터", "고터역", "고터 근처"),
    "홍대입구": ("홍익대", "홍익대학교", "홍익대학교 앞", "홍대 앞", "홍입"),
    "이대": ("이화여대", "이화여자대학교", "이화여자대학교앞"),
    "고려대": ("고려대학교", "고대", "고대역"),
    "서울대입구": ("서울대학교", "서울대학교 앞", "설입"),
    "성신여대입구": ("성신여자대학교", "성신여대"),
    "성균관대": ("성대역", "성균관대학교"),
    "회기": ("경희대", "경희대 앞", "경희대학교"),
    "신촌": ("연세대", "연세대학교", "연대"),
}


@pytest.fixture
def find_names(make: Maker, client: FlaskClient) -> FindNames:
    """Creates a shop next to each station and one at a university without a station; returns the names that a keyword finds."""
    for number, name in enumerate(NICKNAMES):
        at = (126 + number / 10, 37)
        make.station(name, at=at)
        make.shop(f"{name} 사진관", at=at, brand_id=None)
    make.shop("전북대구정문 사진관", brand_id=None)

    def names(keyword: str) -> list[str]:
        response = client.get("/shops", query_string={"keyword": keyword, **AT})
        assert response.status_code == 200, response.text
        return [shop["place_name"].removesuffix(" 사진관") for shop in response.get_json()]

    return names


@pytest.mark.parametrize("station", NICKNAMES)
def test_a_station_is_found_by_what_people_call_it(find_names: FindNames, station: str) -> None:
    for keyword in NICKNAMES[station]:
        assert find_names(keyword) == [station], keyword


@pytest.mark.parametrize("keyword", ["전북대", "전북대학교", "전북대학교 앞", "전북대 앞"])
def test_a_university_without_a_station_is_found_by_name(
    find_names: FindNames, keyword: str
) -> None:
    assert find_names(keyword) == ["전북대구정문"]


@pytest.mark.parametrize("keyword", ["앞", "대학교", "고터미"])
def test_a_part_of_a_nickname_is_none(find_names: FindNames, keyword: str) -> None:
    assert find_names(keyword) == []


@pytest.mark.parametrize(
    ("keyword", "names"),
    [
        ("남대문시장", ["회현동"]),
        ("南大門市場", ["회현동"]),
        ("카이스트 네컷", ["온천2동"]),
        ("KAIST", ["온천2동"]),
        ("송정역", ["광주송정", "송정"]),
        ("광주송정역", ["광주송정"]),
    ],
)
def test_a_sight_is_in_its_region_and_two_stations_share_a_nickname(
    make: Maker, client: FlaskClient, keyword: str, names: list[str]
) -> None:
    province = make.region("경기도", level="sido", parent=None)
    for district, dong in (("중구", "회현동"), ("유성구", "온천2동"), ("동래구", "온천2동")):
        parent = make.region(district, parent=province)
        region = make.region(dong, level="dong", parent=parent)
        if district != "동래구":
            make.shop(f"{dong} 사진관", sigungu_id=parent, dong_id=region, brand_id=None)
    for station, at in (("광주송정", (126.79, 35.14)), ("송정", (126.81, 37.56))):
        make.station(station, at=at)
        make.shop(f"{station} 사진관", at=at, brand_id=None)
    response = client.get(
        "/shops", query_string={"keyword": keyword, "userLng": 126.8, "userLat": 35.1}
    )
    assert [s["place_name"].removesuffix(" 사진관") for s in response.get_json()] == names


@pytest.mark.parametrize("typed", ["仁川空港", "仁川空港 プリクラ"])
def test_two_names_are_suggested_as_the_sight_that_they_are_in_korean(
    make: Maker, client: FlaskClient, typed: str
) -> None:
    incheon = make.region("인천광역시", level="sido", parent=None)
    make.region_alias(incheon, "인천", kind="short")
    make.insert("region_aliases", region_id=incheon, alias="仁川", kind="foreign", lang="zh-Hant")
    jung = make.region("중구", parent=incheon)
    unseo = make.region("운서동", level="dong", parent=jung)
    station = make.station("공항", at=(126.81, 37.56))
    make.insert("station_aliases", station_id=station, alias="空港", lang="ja")
    make.shop(
        "인생네컷 운서동점", at=(126.49, 37.49), sigungu_id=jung, dong_id=unseo, brand_id=None
    )
    response = client.get("/shops/suggest", query_string={"q": typed, **AT})
    assert "인생네컷 운서동점" in [item["label"] for item in response.get_json()]


@pytest.mark.parametrize(
    "keyword", ["성수동 인생네컷", "성수동 Life4Cuts", "성수동1가 Life4Cuts", "네컷사진 성수동"]
)
def test_a_dong_of_several_parts_has_the_shops_of_their_addresses(
    make: Maker, client: FlaskClient, keyword: str
) -> None:
    district = make.region("성동구", parent=make.region("서울특별시", level="sido"))
    for name in ("성수동1가", "성수동2가"):
        make.region(name, level="dong", parent=district)
    brand = make.brand("인생네컷")
    make.brand_alias(brand, "Life4Cuts")
    make.shop(
        "인생네컷 서울숲점",
        lot_address="서울 성동구 성수동1가 668",
        sigungu_id=district,
        brand_id=brand,
    )
    make.shop(
        "인생네컷 왕십리점", lot_address="서울 성동구 행당동 1", sigungu_id=district, brand_id=brand
    )
    response = client.get("/shops", query_string={"keyword": keyword, **AT})
    assert [shop["place_name"] for shop in response.get_json()] == ["인생네컷 서울숲점"]
