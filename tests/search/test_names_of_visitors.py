"""Tests place names as visitors write them: neighbourhoods of lot addresses, railway stations, mixed kanji and kana, English words."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.make import Maker

AT = {"userLng": 126.98, "userLat": 37.56}
# name: position, Chinese characters
STATIONS = {
    "서울대입구": ((126.953, 37.481), None), "외대앞": ((127.063, 37.596), None), "부산대": ((129.089, 35.229), None),
    "송파나루": ((127.112, 37.51), None), "압구정": ((127.028, 37.527), "狎鷗亭"), "일산": ((126.77, 37.682), "一山"),
    "홍대입구": ((126.924, 37.557), "弘大入口"), "동대문역사문화공원": ((127.008, 37.565), None), "동대문": ((127.01, 37.571), None),
    "구리": ((127.143, 37.603), None), "서면": ((129.059, 35.158), None), "중앙": ((129.036, 35.104), "中央"), "남부터미널": ((127.016, 37.485), None),
}  # fmt: skip
# name: position, road address, lot address, district
SHOPS = {
    "하루필름 쌈지길점": ((126.985, 37.574), "서울 종로구 북촌로 2", "서울 종로구 인사동 38", "종로구"),
    "포토이즘 명동점": ((126.986, 37.562), "", "서울 중구 명동 3-1", "중구"),
    "포토이즘 을지로점": ((126.983, 37.566), "", "서울 중구 명동 5-1", "중구"),
    "인생네컷 강남점": ((127.027, 37.497), "서울 서초구 강남대로 1", "서울 서초구 서초동 1", "서초구"),
    "인생네컷 신사점": ((127.02, 37.517), "서울 강남구 도산대로 1", "서울 강남구 신사동 1", "강남구"),
    "하루필름 압구정로데오점": ((127.04, 37.527), "서울 강남구 선릉로 1", "", "강남구"),
    "인생네컷 서현점": ((127.12, 37.385), "경기 성남시 분당구 서현로 1", "", "성남시 분당구"),
    "하루필름 원평점": ((128.33, 36.13), "경북 구미시 원평로 1", "", "구미시"),
    "하루필름 인창점": ((127.14, 37.601), "경기 구리시 인창로 1", "", "구리시"),
    "인생네컷 봉천점": ((126.954, 37.482), "서울 관악구 관악로 1", "", "관악구"),
    "포토이즘 휘경점": ((127.064, 37.595), "서울 동대문구 회기로 1", "", "동대문구"),
    "포토이즘 장전점": ((129.088, 35.23), "부산 금정구 금정로 1", "", "금정구"),
    "포토이즘 송파점": ((127.111, 37.511), "서울 송파구 송파로 1", "", "송파구"),
    "포토이즘 라페스타점": ((126.77, 37.661), "경기 고양시 일산동구 정발산로 1", "", "고양시 일산동구"),
    "인생네컷 와우산점": ((126.925, 37.556), "서울 마포구 와우산로 1", "서울 마포구 서교동 1", "마포구"),
    "포토이즘박스 서교점": ((126.922, 37.556), "서울 마포구 양화로 1", "서울 마포구 서교동 2", "마포구"),
    "포토이즘 월화거리점": ((128.897, 37.754), "강원 강릉시 경강로 1", "", "강릉시"),
    "포토이즘 동피랑점": ((128.426, 34.845), "경남 통영시 동피랑길 1", "", "통영시"),
    "포토이즘 울산대앞점": ((129.259, 35.545), "울산 남구 대학로 1", "", "울산 남구"),
    "하루필름 제주시청앞점": ((126.531, 33.499), "제주 제주시 광양로 1", "", "제주시"),
    "포토이즘 성안길점": ((127.489, 36.634), "충북 청주시 성안로 1", "충북 청주시 북문로1가 1", "청주시 상당구"),
    "포토이즘 으능정이점": ((127.427, 36.328), "대전 중구 은행로 1", "대전 중구 은행동 1", "대전 중구"),
    "인생네컷 스타필드하남점": ((127.224, 37.545), "경기 하남시 미사대로 750", "", "하남시"),
    "하루필름 에버랜드점": ((127.202, 37.294), "경기 용인시 에버랜드로 1", "", "용인시 처인구"),
    "인생네컷 울릉읍점": ((130.905, 37.485), "경북 울릉군 울릉읍 1", "", "울릉군"),
    "인생네컷 신당점": ((127.008, 37.566), "서울 중구 장충단로 1", "", "중구"),
    "포토이즘 서면점": ((129.06, 35.159), "부산 부산진구 서면로 1", "", "부산진구"),
}  # fmt: skip
# district: the centre of its boundary, a square, and half of the side in degrees
BOUNDARIES = {
    "동대문구": ((127.064, 37.595), 0.01), "강남구": ((127.05, 37.51), 0.02), "서면": ((127.224, 37.545), 0.02),
    "강릉시": ((128.897, 37.754), 0.1),
}  # fmt: skip
PROVINCES = {
    "서울": "서울특별시", "부산": "부산광역시", "대전": "대전광역시", "울산": "울산광역시", "경기": "경기도", "강원": "강원특별자치도",
    "경남": "경상남도", "경북": "경상북도", "충북": "충청북도", "제주": "제주특별자치도",
}  # fmt: skip


@pytest.fixture(scope="module")
def shops(make_once: Maker, app: Flask) -> FlaskClient:
    """The shops of SHOPS near the stations. 명동 has its boundary, as regions with shops do, around 을지로점 alone."""
    brands = {
        name: make_once.brand(name) for name in ("인생네컷", "하루필름", "포토이즘", "포토이즘박스")
    }
    for brand, aliases in {"인생네컷": ("Life4Cuts", "人生四格", "人生四カット"), "포토이즘": ("Photoism",)}.items():  # fmt: skip
        for alias in aliases:
            make_once.brand_alias(brands[brand], alias)
    for name, (at, hanja) in STATIONS.items():
        station = make_once.station(name, at=at)
        if hanja:
            make_once.insert("station_aliases", station_id=station, alias=hanja, lang="zh-Hant")
    provinces = {
        short: make_once.region(name, level="sido", parent=None)
        for short, name in PROVINCES.items()
    }
    make_once.sql("SELECT add_province_aliases(), add_foreign_province_names()")
    regions: dict[str, int] = {}
    for name, (at, road, lot, district) in SHOPS.items():
        sido = provinces[(road or lot).split()[0]]
        if district not in regions:
            regions[district] = make_once.region(
                district.removeprefix("대전 ").removeprefix("울산 "), parent=sido
            )
        make_once.shop(
            name, at=at, brand_id=brands[name.split()[0]], road_address=road, lot_address=lot,
            sido_id=sido, sigungu_id=regions[district],
        )  # fmt: skip
    for district in ("고양시 일산동구", "고양시 일산서구"):
        ilsan = regions.get(district) or make_once.region(district, parent=provinces["경기"])
        make_once.region_alias(ilsan, "일산", kind="short")
    for city, hanja in (("통영시", "統營"), ("강릉시", "江陵")):
        make_once.insert("region_aliases", region_id=regions[city], alias=hanja, kind="foreign", lang="zh-Hant")  # fmt: skip
    myeongdong = make_once.region("명동", level="dong", parent=regions["중구"])
    make_once.sql(
        "UPDATE shops SET dong_id = %s WHERE place_name = '포토이즘 을지로점'", myeongdong
    )
    make_once.region("서면", level="dong", parent=regions["하남시"])
    make_once.region("신사동", level="dong", parent=regions["강남구"])
    for district, ((longitude, latitude), size) in BOUNDARIES.items():
        make_once.sql(
            "UPDATE regions SET boundary = ST_Multi(ST_Expand(ST_Point(%s, %s, 4326), %s)) WHERE name = %s",
            longitude, latitude, size, district,
        )  # fmt: skip
    return app.test_client()


def get_json(client: FlaskClient, path: str, keyword: str) -> Any:
    response = client.get(path, query_string={"keyword": keyword, "q": keyword, **AT})
    assert response.status_code == 200, response.text
    return response.json


@pytest.mark.parametrize(
    ("keyword", "names"),
    [
        # the 법정동 of a lot address, also outside of the 행정동 with its name
        ("insadong", ["쌈지길점"]),
        ("Insa-dong 하루필름", ["쌈지길점"]),
        ("インサドン", ["쌈지길점"]),
        ("仁寺洞", ["쌈지길점"]),
        ("where can i take 4 cut photos in insadong", ["쌈지길점"]),
        ("명동 포토이즘", ["명동점", "을지로점"]),
        # a branch with the name of the adjacent district, but none far away
        ("인생네컷 강남", ["강남점", "신사점"]),
        ("life4cuts gangnam", ["강남점", "신사점"]),
        ("포토이즘 서면", ["서면점"]),
        # railway stations missing in the dictionary are not misspellings of others
        ("구미역 하루필름", ["원평점"]),
        ("구미역", ["원평점"]),
        # half by characters, half by sound
        ("ソウル大入口", ["봉천점"]),
        ("ソウル大入口駅 人生四カット", ["봉천점"]),
        ("外大前駅", ["휘경점"]),
        ("釜山大前", ["장전점"]),
        ("松坡ナル", ["송파점"]),
        ("一山 ラフェスタ", ["라페스타점"]),
        ("スターフィールド하남", ["스타필드하남점"]),
        ("東皮郎", ["동피랑점"]),
        ("統營東皮郎壁畫村", ["동피랑점"]),
        ("城安路", ["성안길점"]),
        ("首尔西桥洞人生四格", ["와우산점"]),
        ("大田銀杏洞", ["으능정이점"]),
        # English words for places
        ("wolhwa street", ["월화거리점"]),
        ("Dongpirang village", ["동피랑점"]),
        ("ulsan university", ["울산대앞점"]),
        ("University of Ulsan", ["울산대앞점"]),
        ("Jeju city hall", ["제주시청앞점"]),
        ("ulleungdo", ["울릉읍점"]),
        ("gangnam photo", ["신사점", "압구정로데오점"]),
        ("life4cutshongdae", ["와우산점"]),
        ("포토이즘 box 홍대", ["서교점"]),
        ("South Gyeongsang", ["동피랑점"]),
        ("photobox di Hongdae", ["와우산점", "서교점"]),
        ("photomaton de Séoul Life4Cuts", ["신당점", "와우산점", "신사점", "강남점", "봉천점"]),
        # a number of an address in other scripts
        ("麻浦区西橋洞2", ["서교점"]),
        ("Insa-dong 38", ["쌈지길점"]),
        # a longer name that begins with a place is no misspelt station
        ("구리터미널", ["인창점"]),
        ("하남스타필드인생네컷", ["스타필드하남점"]),
        ("성안길광장 포토이즘", ["성안길점"]),
        ("울산대후문 포토이즘", ["울산대앞점"]),
        ("麻浦区西橋洞2街 38", []),
        ("청주 성안로 1", ["성안길점"]),
        ("성안 로", ["성안길점"]),
        # a town in kanji, its landmark in kana
        ("統営トンピラン", ["동피랑점"]),
        ("慶州トンピラン", []),
        # a railway station that only shops have in their names
        ("라페스타역", ["라페스타점"]),
        # with a brand, too, and a word that is half complete
        ("스타하남 인생네컷", ["스타필드하남점"]),
        ("ホンデに人生四カットある？", ["와우산점"]),
        ("弘大附近四格照相館", ["와우산점", "서교점"]),
        ("ホンデ プリ", ["와우산점", "서교점"]),
        # the 법정동 of a lot address also near a station
        ("서교동 홍대입구역", ["와우산점", "서교점"]),
        # words that apply to every shop
        ("서면 네컷", ["서면점"]),
        ("离我最近的人生四格 首尔", ["신당점", "와우산점", "신사점", "강남점", "봉천점"]),
        # a district has no shop of the brand, but a 동 that ends like it has
        ("고양 인생네컷", []),
        # of two places the one whose name continues
        ("동대문 디디피 인생네컷", ["신당점"]),
        # a brand without a shop at the landmark, and a word that only begins like a province
        ("에버랜드 인생네컷", []),
        # a market in another city than the station of the same name
        ("江陵中央市場", ["월화거리점"]),
        ("江陵 中央市場 Photoism", ["월화거리점"]),
        # a misspelt brand beside a place that only shops have in their names
        ("photoizm 울산대", ["울산대앞점"]),
        # and one that only another shop near the place belongs to
        ("쌈지길 포토이슴", ["을지로점"]),
        # neighbourhoods and directions are no typing errors
        ("인사동 인생네컷", []),
        ("서부터미널", []),
        # a street after a town, written as one word
        ("구미로데오 하루필름", ["원평점"]),
        ("부산시민공원", []),
    ],
)
def test_keywords_find_the_intended_shops(
    shops: FlaskClient, keyword: str, names: list[str]
) -> None:
    assert [s["place_name"].split()[1] for s in get_json(shops, "/shops", keyword)] == names


@pytest.mark.parametrize(
    "keyword", ["hongdaephotobooth", "弘大四格", "hongdae 4 cut", "hongdae photos"]
)
def test_words_for_photo_booths_leave_the_place(shops: FlaskClient, keyword: str) -> None:
    branches = [s["place_name"].split()[1] for s in get_json(shops, "/shops", keyword)]
    assert branches == ["와우산점", "서교점"]


@pytest.mark.parametrize(
    "keyword", ["nearest photo booth open 24 hours", "ぷりくら", "4 cut photos", "photo booth near"]
)
def test_what_names_no_place_finds_and_suggests_the_nearest(
    shops: FlaskClient, keyword: str
) -> None:
    assert len(get_json(shops, "/shops", keyword)) == len(SHOPS)
    nearest = [item["label"] for item in get_json(shops, "/shops/suggest", keyword)]
    assert nearest[:2] == ["포토이즘 명동점", "포토이즘 을지로점"]


@pytest.mark.parametrize(
    ("typed", "label"),
    [
        ("insado", "하루필름 쌈지길점"),
        # misspelt and not yet complete
        ("라페스터점", "포토이즘 라페스타점"),
        ("월하거리", "포토이즘 월화거리점"),
        ("東皮郎壁", "포토이즘 동피랑점"),
        ("1 Gwanak-ro, Gwanak-g", "인생네컷 봉천점"),
        ("Ulsan University the main gat", "포토이즘 울산대앞점"),
        # without a space, and the branch with this name
        ("홍대인생", "인생네컷 와우산점"),
        ("弘大入口駅", "홍대입구역"),
        ("인생네컷 강남", "인생네컷 강남점"),
    ],
)
def test_search_results_are_suggested_while_typing(
    shops: FlaskClient, typed: str, label: str
) -> None:
    assert label in [item["label"] for item in get_json(shops, "/shops/suggest", typed)]


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("서울 성동구 성수동2가 273-10", "성수동"),
        ("서울 용산구 한강로3가 40-999", "한강로3가"),
        ("경기 화성시 향남읍 행정리 1", "행정리"),
        ("서울 중구 명동1가", "명동"),
        ("대구 중구 동성로2가 1", "동성로2가"),
        ("서울 강남구 테헤란로 1", None),
        ("", None),
    ],
)
def test_the_neighbourhood_of_a_lot_address(
    make_once: Maker, address: str, name: str | None
) -> None:
    assert make_once.sql("SELECT neighbourhood_of(%s)", address) == name
