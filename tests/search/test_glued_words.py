"""Tests names joined to other words without a space, names in Korean reading, and names shared by several places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.make import Maker

FindShops = Callable[[str], tuple[list[str], list[str]]]
AT = {"userLng": 127.0, "userLat": 37.5}
STATIONS = {
    "명동": "明洞", "홍대입구": "弘大入口", "압구정": "狎鷗亭", "신논현": "新論峴", "망원": "望遠", "석촌": "石村",
}  # fmt: skip
ELSEWHERE = (
    "경리단길점", "명동성당점", "남산서울타워점", "전주객사점", "북촌점", "에버랜드점", "서울숲길점",
)  # fmt: skip


def boundary(west: float, south: float, side: float = 0.02) -> str:
    east, north = west + side, south + side
    corners = f"{west} {south},{east} {south},{east} {north},{west} {north},{west} {south}"
    return f"SRID=4326;MULTIPOLYGON((({corners})))"


@pytest.fixture
def find_shops(make: Maker, client: FlaskClient) -> FindShops:
    """Searches a row of stations, each with shops of two brands, districts north of them, and streets in shop names."""
    seoul = make.region("서울특별시", level="sido")
    for alias, lang in (("首爾", "zh-Hant"), ("Seoul", "en")):
        make.insert("region_aliases", region_id=seoul, alias=alias, kind="foreign", lang=lang)
    life, photoism = make.brand("인생네컷"), make.brand("포토이즘")
    for brand, alias in ((life, "人生四格"), (life, "Life4Cuts"), (photoism, "photoism")):
        make.brand_alias(brand, alias)
    for number, (name, han) in enumerate(STATIONS.items()):
        at = (127 + number / 10, 37.5)
        station = make.station(name, at=at)
        make.insert("station_aliases", station_id=station, alias=han, lang="zh-Hant")
        if name == "홍대입구":
            make.insert("station_aliases", station_id=station, alias="Hongik Univ.", lang="en")
        for brand, brand_name in ((life, "인생네컷"), (photoism, "포토이즘")):
            make.shop(f"{brand_name} {name}점", at=at, brand_id=brand, sido_id=seoul)
    for number, name in enumerate(("강남구", "서초구", "호수동", "행궁동")):
        level = "dong" if name.endswith("동") else "sigungu"
        at = (127 + number / 10, 37.8)
        region = make.insert(
            "regions", name=name, level=level, parent_id=seoul, boundary=boundary(at[0], at[1])
        )
        if name != "호수동":
            make.shop(
                f"사진관 {name}점", at=(at[0] + 0.01, at[1] + 0.01), brand_id=None, sido_id=seoul,
                **{f"{level}_id": region},
            )  # fmt: skip
    for name in ELSEWHERE:
        make.shop(f"달빛 {name}", at=(128, 37), brand_id=None)

    def find(keyword: str) -> tuple[list[str], list[str]]:
        query = {"keyword": keyword, "explain": "true", **AT}
        response = client.get("/shops", query_string=query)
        assert response.status_code == 200, response.text
        body = response.get_json()
        return sorted(shop["place_name"] for shop in body["shops"]), body["ignored"]

    return find


@pytest.mark.parametrize(
    ("keyword", "same_as", "ignored"),
    [
        ("망원시장", "망원역", ["시장"]),
        ("석촌호수", "석촌역", ["호수"]),
        ("망원 카페거리", "망원역", ["카페거리"]),
        ("mangwon cafe street", "망원역", ["카페거리"]),
        ("강남구cgv", "강남구", ["cgv"]),
        ("명동인생네컷추천", "명동역 인생네컷", []),
        ("홍대맛집추천", "홍대입구역", []),
        ("홍대입구역포토부스추천", "홍대입구역", []),
        ("내 근처 인생네컷", "인생네컷", []),
        ("望遠市場", "망원역", ["市場"]),
        ("明洞站推荐", "명동역", []),
        ("弘大拍貼機", "홍대입구역", []),
        ("弘大捷運站", "홍대입구역", []),
        ("韩国首尔", "서울", []),
        ("请问弘大好吗", "홍대입구역", ["好"]),
        ("在明洞的人生四格", "명동역 인생네컷", ["在"]),
        ("明洞で人生四格", "명동역 인생네컷", []),
        ("明洞エリア", "명동역", []),
        ("photoism明洞", "명동역 포토이즘", []),
        ("명동站", "명동역", []),
        ("station myeongdong", "명동역", []),
        ("estación de hongik university", "홍대입구역", ["estación"]),
    ],
)
def test_a_name_is_found_beside_other_words(
    find_shops: FindShops, keyword: str, same_as: str, ignored: list[str]
) -> None:
    assert find_shops(same_as)[0] != []
    assert find_shops(keyword) == (find_shops(same_as)[0], ignored)


@pytest.mark.parametrize(
    "keyword", ["명동아무말", "신명동", "아무말시장", "新明洞", "明洞路", "행리단"]
)
def test_a_part_of_another_word_is_no_name(find_shops: FindShops, keyword: str) -> None:
    assert find_shops(keyword) == ([], [])


@pytest.mark.parametrize(
    ("keyword", "shops"),
    [
        ("狎欧亭", ["인생네컷 압구정점", "포토이즘 압구정점"]),
        ("新論現站", ["인생네컷 신논현점", "포토이즘 신논현점"]),
        ("行宮洞", ["사진관 행궁동점"]),
        ("經理團路", ["달빛 경리단길점"]),
        ("経理団通り", ["달빛 경리단길점"]),
        ("明洞聖堂", ["달빛 명동성당점"]),
        ("北村", ["달빛 북촌점"]),
        ("全州客舍", ["달빛 전주객사점"]),
    ],
)
def test_chinese_characters_are_read_in_korean(
    find_shops: FindShops, keyword: str, shops: list[str]
) -> None:
    assert find_shops(keyword) == (shops, [])


@pytest.mark.parametrize("keyword", ["北京", "東京駅", "魑魅魍魎", "北京路"])
def test_other_chinese_characters_find_nothing(find_shops: FindShops, keyword: str) -> None:
    assert find_shops(keyword) == ([], [])


@pytest.mark.parametrize(
    ("keyword", "shops", "ignored"),
    [
        ("남산타워", ["달빛 남산서울타워점"], []),
        ("전주 객사 사진", ["달빛 전주객사점"], []),
        ("북촌한옥마을", ["달빛 북촌점"], ["한옥마을"]),
        ("북촌 한옥마을", ["달빛 북촌점"], ["한옥마을"]),
        ("photo booth with props in everland", ["달빛 에버랜드점"], ["props"]),
        ("에버랜드 아무말", ["달빛 에버랜드점"], ["아무말"]),
        ("seoul supgil", ["달빛 서울숲길점"], []),
        ("에버랜드 있나요", ["달빛 에버랜드점"], []),
        ("강남 서초", ["사진관 강남구점", "사진관 서초구점"], []),
    ],
)
def test_words_of_shop_names_and_several_districts(
    find_shops: FindShops, keyword: str, shops: list[str], ignored: list[str]
) -> None:
    assert find_shops(keyword) == (shops, ignored)


@pytest.fixture
def songdo(make: Maker, client: FlaskClient) -> Callable[[str], Any]:
    """A station, the 동 with its name 4 km away, another one 200 km away, and a shop in each."""
    make.brand("인생네컷")
    make.brand("포토이즘")
    incheon = make.region("인천광역시", level="sido")
    make.station("송도", at=(126.62, 37.43))
    make.shop("인생네컷 옥련점", at=(126.621, 37.43), sido_id=incheon)
    places = (("송도1동", 126.63, 37.37, "센트럴파크"), ("송도동", 129.37, 36.03, "포항"))
    for name, west, south, branch in places:
        region = make.insert(
            "regions", name=name, level="dong", parent_id=incheon, boundary=boundary(west, south)
        )
        make.shop(
            f"포토이즘 {branch}점", at=(west + 0.01, south + 0.01), sido_id=incheon, dong_id=region
        )

    def names(keyword: str, **more: object) -> Any:
        query = {"keyword": keyword, "userLng": 126.64, "userLat": 37.38, **more}
        response = client.get("/shops", query_string=query)
        assert response.status_code == 200, response.text
        return response

    return names


def test_a_station_and_a_neighbourhood_near_it_are_both_meant(songdo: Callable[..., Any]) -> None:
    response = songdo("송도")
    assert [s["place_name"] for s in response.get_json()] == [
        "포토이즘 센트럴파크점",
        "인생네컷 옥련점",
    ]
    assert songdo("송도", page=1, size=1).headers["X-Total-Count"] == "2"
    body = songdo("인천 송도", explain="true").get_json()
    assert {name for x in body["understood"] for name in x["names"]} >= {"송도역", "송도1동"}
    assert [s["place_name"] for s in songdo("송도역").get_json()] == ["인생네컷 옥련점"]
    assert songdo("송도", page=2, size=1).get_json()[0]["place_name"] == "인생네컷 옥련점"


def test_of_three_places_the_odd_one_in_a_word_is_left_out(
    make: Maker, client: FlaskClient
) -> None:
    gyeonggi = make.region("경기도", level="sido")
    suwon, _ = (make.region(name, parent=gyeonggi) for name in ("수원시", "화성시"))
    old_town = make.region("남문동", level="dong", parent=suwon)
    make.shop(
        "달빛 수원점",
        at=(127.01, 37.28),
        brand_id=None,
        sido_id=gyeonggi,
        sigungu_id=suwon,
        dong_id=old_town,
    )
    body = client.get(
        "/shops", query_string={"keyword": "수원 화성남문", "explain": "true", **AT}
    ).get_json()
    assert [shop["place_name"] for shop in body["shops"]] == ["달빛 수원점"]
    assert body["ignored"] == ["화성"]


@pytest.mark.parametrize("keyword", ["성수동", "seongsu-dong", "ソンス洞", "聖水洞"])
def test_a_neighbourhood_is_found_by_the_name_in_addresses(
    make: Maker, client: FlaskClient, keyword: str
) -> None:
    seoul, jeonbuk = (make.region(name, level="sido") for name in ("서울특별시", "전북특별자치도"))
    seongdong, imsil = make.region("성동구", parent=seoul), make.region("임실군", parent=jeonbuk)
    make.insert(
        "station_aliases",
        station_id=make.station("성수", at=(128, 36)),
        alias="聖水",
        lang="zh-Hant",
    )
    for name, district in (("성수1가1동", seongdong), ("성수2가3동", seongdong), ("성수면", imsil)):
        dong = make.region(name, level="dong", parent=district)
        make.shop(
            f"달빛 {name}점", at=(127.05, 37.54), brand_id=None, sigungu_id=district, dong_id=dong
        )
    shops = client.get("/shops", query_string={"keyword": keyword, **AT}).get_json()
    assert sorted(shop["place_name"] for shop in shops) == [
        "달빛 성수1가1동점",
        "달빛 성수2가3동점",
    ]


def test_a_district_and_a_station_that_sound_alike_are_both_meant(
    make: Maker, client: FlaskClient
) -> None:
    """ハプチョン is 합정 and 합천."""
    hapcheon = make.region("합천군", parent=make.region("경상남도", level="sido"))
    make.station("합정", at=(126.91, 37.55))
    make.shop("달빛 합정점", at=(126.91, 37.55), brand_id=None)
    make.shop("달빛 합천점", at=(128.16, 35.56), brand_id=None, sigungu_id=hapcheon)
    for keyword, branches in (
        ("ハプチョン", ["합정점", "합천점"]),
        ("합천", ["합천점"]),
        ("ハプチョン駅", ["합정점"]),
    ):
        shops = client.get("/shops", query_string={"keyword": keyword, **AT}).get_json()
        assert [shop["place_name"] for shop in shops] == [f"달빛 {branch}" for branch in branches]


@pytest.mark.parametrize("keyword", ["대전 은행동", "daejeon eunhaeng dong", "大田银杏洞"])
def test_a_neighbourhood_that_another_city_has_as_a_region_is_found_in_addresses(
    make: Maker, client: FlaskClient, keyword: str
) -> None:
    daejeon = make.region("대전광역시", level="sido")
    for alias, lang in (("大田", "zh-Hant"), ("Daejeon", "en")):
        make.insert("region_aliases", region_id=daejeon, alias=alias, kind="foreign", lang=lang)
    siheung = make.region("시흥시", parent=make.region("경기도", level="sido"))
    make.region("은행동", level="dong", parent=siheung)
    make.shop(
        "달빛 중앙로점",
        at=(127.43, 36.33),
        brand_id=None,
        sido_id=daejeon,
        lot_address="대전 중구 은행동 1-1",
    )
    shops = client.get("/shops", query_string={"keyword": keyword, **AT}).get_json()
    assert [shop["place_name"] for shop in shops] == ["달빛 중앙로점"]


@pytest.mark.parametrize("keyword", ["kyungsung univ", "gil"])
def test_the_beginning_of_a_name_is_read_as_a_whole(
    make: Maker, client: FlaskClient, keyword: str
) -> None:
    """Neither each of its words nor a short name without its unit."""
    for name, name_en, at in (
        ("교대", "Univ. of Education", (127.0, 37.5)),
        ("경성대부경대", "Kyungsung Univ. Pukyong Univ.", (129.1, 35.1)),
    ):
        make.station(name, at=at, name_en=name_en)
        make.shop(f"달빛 {name}점", at=at, brand_id=None)
    gangdong = make.region("강동구", parent=make.region("서울특별시", level="sido"))
    dong = make.insert("regions", name="길동", level="dong", name_en="Gil-dong", parent_id=gangdong)
    make.shop("달빛 길동점", brand_id=None, dong_id=dong)
    shops = client.get("/shops", query_string={"keyword": keyword, **AT}).get_json()
    assert [shop["place_name"] for shop in shops] == (
        ["달빛 경성대부경대점"] if " " in keyword else []
    )
