"""Tests display names and addresses in other languages: their text, the endpoints that return them, when they are recomputed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from geoshops.cli import main
from geoshops.messages import LANGUAGES
from tests.make import GANGNAM, Maker

HERE = "userLat=37.4979&userLng=127.0276"
NAME, ADDRESS = "인생네컷 강남역 2호점", "서울특별시 강남구 강남대로 287 1층"
ENGLISH = {
    "place_name": "Life4Cuts Gangnam Station No. 2",
    "place_address": "1F, 287 Gangnam-daero, Gangnam-gu, Seoul",
    "brand_name": "Life4Cuts",
}
# Korean → English, Japanese, Traditional Chinese
BRANCHES = {
    "강남역점": ("Gangnam Station", "江南駅店", "江南站店"), "강남점": ("Gangnam", "江南店", "江南店"),
    "강남역 2호점": ("Gangnam Station No. 2", "江南駅 2号店", "江南站 2號店"), "역삼역점": ("Yeoksam Station", "駅三駅店", "驛三站店"),
    "시청역점": ("City Hall Station", "シチョン駅店", "City Hall站店"), "홍대점": ("Hongdae", "ホンデ店", "弘大店"),
    "본점": ("Main", "本店", "總店"), "3호점": ("No. 3", "3号店", "3號店"), "강남": ("Gangnam", "江南", "江南"), "": ("", "", ""),
    "AK플라자 홍대점": ("AK Plaza Hongdae", "AKプラザ ホンデ店", "AK廣場 弘大店"),
    "롯데월드몰점": ("Lotte World Mall", "ロッテワールドモール店", "樂天世界購物中心店"), "이월드점": ("E-World", "イーワールド店", "E-World店"),
    "광안리해수욕장점": ("Gwangalli Beach", "広安里海水浴場店", "廣安里海水浴場店"), "강남현대백화점": ("Gangnam Hyundai Department Store", "江南現代百貨店", "江南現代百貨"),
    "강남현대백화점 2호점": ("Gangnam Hyundai Department Store No. 2", "江南現代百貨店 2号店", "江南現代百貨 2號店"),
    "몰운대점": ("Morundae", "モルンデ店", "Morundae店"), "강남몰점": ("Gangnam Mall", "江南モール店", "江南購物中心店"),
    "학여울역점": ("Hangnyeoul Station", "ハンニョウル駅店", "Hangnyeoul站店"), "성수동2가점": ("Seongsu-dong 2(i)-ga", "ソンス洞2街店", "Seongsu-dong 2(i)-ga店"),
    "가로수길점": ("Garosu-gil", "カロスギル店", "林蔭道店"), "구로점": ("Guro", "クロ店", "Guro店"),
}  # fmt: skip
ADDRESSES = {
    "서울특별시 강남구 강남대로 287": ("287 Gangnam-daero, Gangnam-gu, Seoul", "ソウル 江南区 カンナム大路 287", "首爾 江南區 Gangnam-daero 287"),
    "서울 강남구 테헤란로 10 지하1층 102호": ("B1, Unit 102, 10 Teheran-ro, Gangnam-gu, Seoul", "ソウル 江南区 テヘラン路 10 地下1階 102号室", "首爾 江南區 Teheran-ro 10 地下1樓 102室"),
    "서울특별시 강남구 역삼동 820-1": ("820-1 Yeoksam-dong, Gangnam-gu, Seoul", "ソウル 江南区 ヨッサム洞 820-1", "首爾 江南區 Yeoksam-dong 820-1"),
    "서울특별시 강남구 강남대로 98길 10": ("10 Gangnam-daero 98-gil, Gangnam-gu, Seoul", "ソウル 江南区 カンナム大路98ギル 10", "首爾 江南區 Gangnam-daero 98-gil 10"),
    "서울특별시 강남구 명동8길 3": ("3 Myeongdong 8-gil, Gangnam-gu, Seoul", "ソウル 江南区 ミョンドン8ギル 3", "首爾 江南區 Myeongdong 8-gil 3"),
    "서울특별시 강남구 1순환로 3": ("3 1sunhwan-ro, Gangnam-gu, Seoul", "ソウル 江南区 1スンファン路 3", "首爾 江南區 1sunhwan-ro 3"),
    "서울특별시 강남구 김포한강4로 3": ("3 Gimpohangang 4-ro, Gangnam-gu, Seoul", "ソウル 江南区 キンポハンガン4路 3", "首爾 江南區 Gimpohangang 4-ro 3"),
    "서울특별시 강남구 3·15대로 3": ("3 3·15-daero, Gangnam-gu, Seoul", "ソウル 江南区 3·15大路 3", "首爾 江南區 3·15-daero 3"),
    "부산광역시 부산진구 서면로68번길 33 (부전동)": ("33 Seomyeon-ro 68beon-gil, Busanjin-gu, Busan", "プサン広域市 プサンジン区 ソミョン路68番ギル 33", "Busan Busanjin-gu Seomyeon-ro 68beon-gil 33"),
    "서울특별시 강남구 강남대로 40 1층": ("1F, 40 Gangnam-daero, Gangnam-gu, Seoul", "ソウル 江南区 カンナム大路 40 1階", "首爾 江南區 Gangnam-daero 40 1樓"),
    "경기도 수원시 팔달구 덕영대로 924, 2층": ("2F, 924 Deogyeong-daero, Paldal-gu, Suwon-si, Gyeonggi-do", "キョンギ道 水原市 八達区 トギョン大路 924 2階", "Gyeonggi-do 水原市 八達區 Deogyeong-daero 924 2樓"),
    "강원특별자치도 춘천시 동면 만천리 산 12-3": ("San 12-3 Mancheon-ri, Dong-myeon, Chuncheon-si, Gangwon-do", "カンウォン特別自治道 チュンチョン市 トン面 マンチョン里 山12-3", "Gangwon-do Chuncheon-si Dong-myeon Mancheon-ri 山12-3"),
    "서울특별시 강남구 신사동 가로수길 5": ("5 Garosu-gil, Sinsa-dong, Gangnam-gu, Seoul", "ソウル 江南区 シンサ洞 カロスギル 5", "首爾 江南區 Sinsa-dong Garosu-gil 5"),
    "123 Main St": ("123 Main St",) * 3,
    "서울특별시 강남구 올림픽로 300": ("300 Olympic-ro, Gangnam-gu, Seoul", "ソウル 江南区 オリンピック路 300", "首爾 江南區 Olympic-ro 300"),
    "서울특별시 강남구 디지털로32길 3": ("3 Digital-ro 32-gil, Gangnam-gu, Seoul", "ソウル 江南区 デジタル路32ギル 3", "首爾 江南區 Digital-ro 32-gil 3"),
    "대한민국": ("Daehanminguk", "テハンミングク", "Daehanminguk"),
    "": ("",) * 3,
}  # fmt: skip
THREE = ("en", "ja", "zh-Hant")


@pytest.fixture
def shop(make: Maker) -> int:
    """A shop next to its station, of a brand with foreign names."""
    brand = make.brand()
    for alias, lang in (
        ("라이프포컷", ""),
        ("Life4Cuts", ""),
        ("人生四カット", "ja"),
        ("人生四格", "zh-Hans"),
    ):
        make.insert("brand_aliases", brand_id=brand, alias=alias, lang=lang)
    make.station("강남", at=GANGNAM, name_en="Gangnam")
    return make.shop(NAME, brand_id=brand, road_address=ADDRESS)


def every_path(shop: int) -> dict[str, str]:
    return {
        "around": f"/shops/brand?{HERE}&mapLat=37.4979&mapLng=127.0276",
        "keyword": f"/shops?keyword=강남&{HERE}",
        "detail": f"/shops/{shop}?{HERE}",
        "favorites": f"/favorites?{HERE}",
        "suggest": "/shops/suggest?keyword=인생네컷 강남역 2",
        "reviews": "/reviews/member",
    }


def only_shop(name: str, body: Any) -> Any:
    if name == "detail":
        return body
    if name == "reviews":
        return body[0]["shop_info"]
    return body[0]["shop"] if name == "favorites" else body[-1]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_endpoint_shows_shops_in_the_language(
    app: Flask, client: FlaskClient, make: Maker, shop: int, lang: str
) -> None:
    member = make.member()
    headers = make.bearer(app, member)
    make.favorite(member, shop)
    make.review(member, shop)
    displays = []
    for name, path in every_path(shop).items():
        plain = client.get(path, headers=headers)
        shown = client.get(f"{path}{'&' if '?' in path else '?'}lang={lang}", headers=headers)
        item = only_shop(name, shown.get_json())
        display = item.pop("display")
        assert item == only_shop(name, plain.get_json()), name
        assert "display" not in plain.get_data(as_text=True), name
        if name == "suggest":
            assert display.pop("label") == display["place_name"]
        displays.append(display)
    assert displays == [displays[0]] * len(displays)
    assert set(displays[0]) == set(ENGLISH)
    if lang == "en":
        assert displays[0] == ENGLISH
    if lang == "ko":
        assert displays[0] == {
            "place_name": NAME,
            "place_address": ADDRESS,
            "brand_name": "인생네컷",
        }


def test_brands_are_called_by_their_own_names(client: FlaskClient, shop: int) -> None:
    names = {
        lang: client.get(f"/shops/{shop}?lang={lang}").get_json()["display"]["place_name"]
        for lang in ("ja", "zh-Hans", "zh-Hant")
    }
    assert names["ja"].startswith("人生四カット ") and names["ja"].endswith("駅 2号店")
    assert names["zh-Hans"].startswith("人生四格 ") and names["zh-Hans"].endswith("站 2号店")
    assert names["zh-Hant"].startswith("人生四格 ") and names["zh-Hant"].endswith("站 2號店")


def test_the_list_of_brands_has_names_in_the_language(client: FlaskClient, shop: int) -> None:
    listed = {
        lang: client.get(f"/brands?lang={lang}").get_json()[0] for lang in ("ko", "ja", "zh-Hant")
    }
    names = {lang: brand.pop("display")["brand_name"] for lang, brand in listed.items()}
    assert names == {"ko": "인생네컷", "ja": "人生四カット", "zh-Hant": "人生四格"}
    (plain,) = client.get("/brands").get_json()
    assert [*listed.values()] == [plain] * 3
    assert client.get("/brands?lang=fr").get_json()["error_code"] == "002"


@pytest.mark.parametrize("lang", ["", "fr", "zh", "EN", "ko,en", "zh-hans", "undefined"])
def test_an_unknown_language_is_002(
    app: Flask, client: FlaskClient, make: Maker, shop: int, lang: str
) -> None:
    headers = make.bearer(app)
    for path in every_path(shop).values():
        joined = f"{path}{'&' if '?' in path else '?'}lang={lang}"
        body = client.get(joined, headers=headers).get_json()
        assert body["error_code"] == "002" and "[lang]" in body["error_message"], joined


def named(make: Maker, station: int, lang: str, alias: str) -> None:
    make.insert("station_aliases", station_id=station, alias=alias, lang=lang)


@pytest.mark.parametrize("branch", BRANCHES)
def test_branches_are_named_after_their_stations(make: Maker, branch: str) -> None:
    for korean, english, hanja in (("강남", "Gangnam", "江南"), ("역삼", "Yeoksam", "驛三")):
        station = make.station(korean, at=GANGNAM, name_en=english)
        named(make, station, "ja", "カナ")
        named(make, station, "zh-Hant", hanja)
    make.station("시청", at=GANGNAM, name_en="City Hall")
    make.station("홍대", at=(129.0, 35.1), name_en="Far Away")
    written = tuple(
        make.sql("SELECT branch_in(%s, point_at(%s, %s), %s)", branch, *GANGNAM, lang)
        for lang in THREE
    )
    assert written == BRANCHES[branch]


@pytest.fixture
def districts(make: Maker) -> tuple[int, int, int]:
    """Seoul, 강남구 and a district of two words with their foreign names."""
    region_ids: list[int] = []
    for name, parent, names in (
        ("서울특별시", None, {"ja": "ソウル", "zh-Hant": "首爾", "zh-Hans": "首尔"}),
        ("강남구", 0, {"ja": "カンナム区", "zh-Hant": "江南區"}),
        ("수원시 팔달구", 0, {"zh-Hant": "水原市 八達區"}),
    ):
        level = "sido" if parent is None else "sigungu"
        region_ids.append(
            make.region(name, level=level, parent=None if parent is None else region_ids[0])
        )
        for lang, alias in (
            {"zh-Hant": "漢城", **names}.items() if parent is None else names.items()
        ):
            values = {"region_id": region_ids[-1], "alias": alias, "kind": "foreign", "lang": lang}
            make.insert("region_aliases", **values)
    return region_ids[0], region_ids[1], region_ids[2]


@pytest.mark.parametrize("address", ADDRESSES)
def test_addresses_have_the_postal_order_of_the_language(
    make: Maker, districts: tuple[int, int, int], address: str
) -> None:
    seoul, gangnam, suwon = districts
    ids = (seoul if address.startswith("서울") else None, gangnam, suwon)
    written = tuple(
        make.sql("SELECT address_in(%s, %s, regions_in(%s, %s, %s, %s))", address, lang, *ids, lang)
        for lang in THREE
    )
    assert written == ADDRESSES[address]


REGION_BRANCHES = {
    "성수동2가점": ("Seongsu-dong 2(i)-ga", "聖水洞2街店", "聖水洞2街店"), "성수동점": ("Seongsu-dong", "聖水洞店", "聖水洞店"),
    "성수역점": ("Seongsu Station", "聖水駅店", "聖水站店"), "수원 팔달점": ("Suwon Paldal", "水原 八達店", "水原 八達店"),
    "경기 팔달구점": ("Gyeonggi Paldal-gu", "京畿道 八達区店", "京畿道 八達區店"), "신촌점": ("Sinchon", "シンチョン店", "Sinchon店"),
    "롯데월드몰점": ("Lotte World Mall", "ロッテワールドモール店", "樂天世界購物中心店"), "팔달시장점": ("Paldal Market", "八達市場店", "八達市場店"),
}  # fmt: skip


@pytest.mark.parametrize("branch", REGION_BRANCHES)
def test_branches_are_named_after_the_regions_of_the_shop(make: Maker, branch: str) -> None:
    gyeonggi = make.region("경기도", level="sido")
    paldal = make.region("수원시 팔달구", parent=gyeonggi)
    seongsu = make.region("성수동2가", level="dong", parent=paldal)
    for region, hanja in ((gyeonggi, "京畿道"), (paldal, "水原市 八達區"), (seongsu, "聖水洞2街")):
        make.insert("region_aliases", region_id=region, alias=hanja, kind="foreign", lang="zh-Hant")
    statement = "SELECT branch_in(%s, point_at(%s, %s), %s, regions_in(%s, %s, %s, %s))"
    ids = (gyeonggi, paldal, seongsu)
    written = tuple(make.sql(statement, branch, *GANGNAM, lang, *ids, lang) for lang in THREE)
    assert written == REGION_BRANCHES[branch]


HANJA = {
    "市廳": ("市庁", "市厅", "市廳"), "敎大": ("教大", "教大", "教大"), "淸凉里": ("清涼里", "清凉里", "清涼里"), "釜山鎭": ("釜山鎮", "釜山镇", "釜山鎮"),
    "尙州": ("尚州", "尚州", "尚州"), "龍山": ("龍山", "龙山", "龍山"), "蘆原": ("蘆原", "芦原", "蘆原"), "狎鷗亭": ("狎鴎亭", "狎鸥亭", "狎鷗亭"),
    "鷄龍": ("鶏龍", "鸡龙", "雞龍"), "龜尾": ("亀尾", "龟尾", "龜尾"), "萬安": ("万安", "万安", "萬安"), "江南": ("江南",) * 3,
}  # fmt: skip


def test_each_language_writes_its_own_characters(make: Maker) -> None:
    languages = ("ja", "zh-Hans", "zh-Hant")
    written = {
        hanja: tuple(make.sql("SELECT hanja_in(%s, %s)", hanja, lang) for lang in languages)
        for hanja in HANJA
    }
    assert written == HANJA


STATIONS = {
    "강남": ({"ja": "カンナム", "zh-Hant": "江南"}, ("江南", "江南", "江南")),
    "홍대입구": ({"zh": "弘益大學", "zh-Hant": "弘大入口", "ja": "ホンデイック"}, ("弘大入口", "弘益大学", "弘益大學")),
    "디지털미디어시티": ({"zh-Hant": "數碼媒體城", "ja": "デジタルメディアシティ"}, ("デジタルメディアシティ", "数码媒体城", "數碼媒體城")),
    "압구정로데오": ({"zh-Hant": "狎鷗亭羅德奧", "ja": "狎鷗亭ロデオ"}, ("狎鴎亭ロデオ", "狎鸥亭罗德奥", "狎鷗亭羅德奧")),
    "서울": ({"zh-Hant": "首爾", "ja": "ソウル"}, ("ソウル", "首尔", "首爾")),
    "여의나루": ({"zh": "汝矣渡口", "ja": "ヨイナル"}, ("ヨイナル", "汝矣渡口", "汝矣渡口")),
    "센텀시티": ({"ja": "センタムシティ"}, ("センタムシティ", "Centum City", "Centum City")),
    "미사": ({"zh-Hans": "渼沙"}, ("ミサ", "渼沙", "渼沙")),
}  # fmt: skip


@pytest.mark.parametrize("station", STATIONS)
def test_stations_have_the_name_that_a_language_uses(make: Maker, station: str) -> None:
    names, expected = STATIONS[station]
    row = make.station(station, at=GANGNAM, name_en="Centum City" if station == "센텀시티" else "")
    for lang, name in names.items():
        named(make, row, lang, name)
    written = tuple(
        make.sql("SELECT station_in(%s, point_at(%s, %s), %s)", station, *GANGNAM, lang)
        for lang in ("ja", "zh-Hans", "zh-Hant")
    )
    assert written == expected


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        ({"ja": "ミョンドン", "zh-Hant": "明洞"}, {"ja": "明洞", "zh-Hans": "明洞", "zh-Hant": "明洞"}),
        ({"ja": "ミョンドン"}, {"ja": "ミョンドン", "zh-Hans": None, "zh-Hant": None}),
        ({"ja": "慶尚南道", "zh-Hans": "庆尚南道"}, {"ja": "慶尚南道", "zh-Hans": "庆尚南道", "zh-Hant": "慶尚南道"}),
        ({"zh-Hant": "廣津區"}, {"ja": "広津区", "zh-Hans": "广津区", "zh-Hant": "廣津區"}),
        ({"ja": "ソウル", "zh-Hant": "漢城"}, {"ja": "ソウル", "zh-Hans": None, "zh-Hant": None}),
        ({"en": "Gwangjin"}, {"ja": None, "zh-Hans": None, "zh-Hant": None}),
    ],
)  # fmt: skip
def test_regions_have_the_name_that_suits_the_language_best(
    make: Maker, names: dict[str, str], chosen: dict[str, str | None]
) -> None:
    region = make.region("어디구", parent=make.region("어디도", level="sido"))
    for lang, alias in names.items():
        make.insert("region_aliases", region_id=region, alias=alias, kind="foreign", lang=lang)
    assert {lang: make.sql("SELECT region_in(%s, %s)", region, lang) for lang in chosen} == chosen


def test_floors_and_rooms_are_written_as_in_the_language(make: Maker) -> None:
    expected = {
        "2층": ["2F", "2階", "2层", "2樓"],
        "지하1층": ["B1", "地下1階", "地下1层", "地下1樓"],
        "지상1층": ["1F", "1階", "1层", "1樓"],
        "제2층": ["2F", "2階", "2层", "2樓"],
        "1층102호": ["1F, Unit 102", "1階 102号室", "1层 102室", "1樓 102室"],
        "A동": ["Bldg. A", "A棟", "A栋", "A棟"],
        "301호": ["Unit 301", "301号室", "301室", "301室"],
        "동양빌딩": ["Dongyangbilding", "トンヤンビルディン", "Dongyangbilding", "Dongyangbilding"],
        "강남역": ["Gangnam Station", "カンナム駅", "Gangnam站", "Gangnam站"],
    }
    written = {
        word: [make.sql("SELECT detail_in(%s, %s)", word, lang) for lang in LANGUAGES[1:]]
        for word in expected
    }
    assert written == expected


@pytest.mark.parametrize(
    ("name", "english"),
    [
        ("인생네컷강남점", "Life4Cuts Gangnam"),
        ("라이프 포컷 강남점", "Life4Cuts Gangnam"),
        ("life4cuts 강남점", "Life4Cuts Gangnam"),
        ("인생네컷", "Life4Cuts"),
        ("네컷사진 강남점", "Nekeotsajin Gangnam"),
        ("Photo Studio 강남", "Photo Studio Gangnam"),
        ('"사진관" \\ 강남점', '"Sajingwan" \\ Gangnam'),
    ],
)
def test_the_brand_leads_the_display_name_if_the_name_contains_it(
    client: FlaskClient, make: Maker, shop: int, name: str, english: str
) -> None:
    make.sql("UPDATE shops SET place_name = %s", name)
    display = client.get(f"/shops/{shop}?lang=en").get_json()["display"]
    assert (display["place_name"], display["brand_name"]) == (english, "Life4Cuts")


def test_a_shop_without_brand_and_address_has_empty_texts(client: FlaskClient, make: Maker) -> None:
    shop = make.shop("동네 사진관", brand_id=None)
    assert client.get(f"/shops/{shop}?lang=en").get_json()["display"] == {
        "place_name": "Dongne Sajingwan",
        "place_address": "",
        "brand_name": "",
    }


def test_regions_stations_and_brands_are_suggested_in_the_language(
    client: FlaskClient, make: Maker, shop: int
) -> None:
    seoul = make.region("서울특별시", level="sido")
    make.region("강남구", parent=seoul)
    labels = {
        item["label"]: item["display"]
        for text in ("강남", "인생")
        for item in client.get(f"/shops/suggest?keyword={text}&{HERE}&lang=en").get_json()
    }
    assert labels["서울특별시 강남구"] == {"label": "Gangnam-gu, Seoul"}
    assert labels["강남역"] == {"label": "Gangnam Station"}
    assert labels["인생네컷"] == {"label": "Life4Cuts"}
    assert client.get("/shops/suggest?keyword=zzz&lang=en").get_json() == []


def test_geojson_has_the_display_too(client: FlaskClient, shop: int) -> None:
    path = f"{every_path(shop)['around']}&lang=en"
    collection = client.get(path, headers={"Accept": "application/geo+json"}).get_json()
    assert collection["features"][0]["properties"]["display"] == ENGLISH


def refresh_displays(make: Maker, every: bool = False) -> int:
    return int(make.sql("SELECT changed FROM refresh_shop_displays(0, 100, %s)", every))


def test_displays_are_made_once_and_again_after_a_change(
    client: FlaskClient, make: Maker, shop: int
) -> None:
    path = f"/shops/{shop}?lang=en"
    assert (refresh_displays(make), refresh_displays(make), refresh_displays(make, every=True)) == (
        1,
        0,
        0,
    )
    # an up-to-date display is returned as stored
    make.sql("UPDATE shop_displays SET en = replace(en, 'Life4Cuts', 'Stored')")
    assert client.get(path).get_json()["display"]["brand_name"] == "Stored"
    make.sql("UPDATE shops SET place_name = '인생네컷 홍대점'")
    assert client.get(path).get_json()["display"]["place_name"] == "Life4Cuts Hongdae"
    assert refresh_displays(make) == 1
    make.sql("UPDATE stations SET name_en = 'Kangnam'")
    make.sql("UPDATE shops SET place_name = '인생네컷 강남점'")
    assert (refresh_displays(make), refresh_displays(make)) == (1, 0)
    make.sql("UPDATE stations SET name_en = 'Gangnam'")
    assert (refresh_displays(make), refresh_displays(make, every=True)) == (0, 1)
    make.sql("DELETE FROM shops")
    assert make.sql("SELECT count(*) FROM shop_displays") == 0


def test_the_command_makes_displays_in_batches(
    database_url: str, make: Maker, monkeypatch: pytest.MonkeyPatch, app: Flask
) -> None:
    monkeypatch.setattr("geoshops.shops.displays.BATCH", 2)
    for number in range(5):
        make.shop(f"인생네컷 강남역 {number + 2}호점")
    make.connection.commit()
    result = app.test_cli_runner().invoke(main, ["shops", "displays", "--json"])
    assert json.loads(result.output) == {"changed": 5}
    assert make.sql("SELECT count(*) FROM shop_displays") == 5
