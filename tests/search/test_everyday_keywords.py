"""Tests everyday keywords of visitors and locals: landmarks with a brand, district names, islands, addresses, sentences."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.make import Maker
from tests.search.country import make_listed

AT = {"userLng": 126.98, "userLat": 37.56}
# name: position, Chinese characters
STATIONS = {
    "강남": ((127.028, 37.498), "江南"), "명동": ((126.986, 37.561), "明洞"), "디지털미디어시티": ((126.9, 37.577), None),
    "서울숲": ((127.044, 37.544), None), "홍대입구": ((126.924, 37.557), None), "인천공항1터미널": ((126.452, 37.447), None),
}  # fmt: skip
# name: position, address, region
SHOPS = {
    "인생네컷 강남점": ((127.028, 37.499), "서울 강남구 강남대로 396", "강남구"),
    "하루필름 압구정점": ((127.028, 37.527), "서울 강남구 압구정로 30", "강남구"),
    "인생네컷 가로수길점": ((127.023, 37.520), "서울 강남구 도산대로13길 20", "강남구"),
    "하루필름 신사본점": ((127.021, 37.518), "서울 강남구 도산대로 105", "강남구"),
    "인생네컷 명동점": ((126.986, 37.562), "서울 중구 명동길 20", "중구"),
    "인생네컷 동명동점": ((126.925, 35.149), "광주 동구 동명동 1", "동구"),
    "인생네컷 백양리점": ((127.589, 37.830), "강원 춘천시 명동길 209", "춘천시"),
    "하루필름 상암점": ((126.901, 37.578), "서울 마포구 월드컵북로 1", "마포구"),
    "하루필름 서울숲점": ((127.045, 37.545), "서울 성동구 왕십리로 1", "성동구"),
    "홍대네컷 역삼점": ((127.036, 37.5), "서울 강남구 역삼로 1", "강남구"),
    "인생네컷 와우산점": ((126.925, 37.556), "서울 마포구 와우산로 1", "마포구"),
    "인생네컷 인천공항1터미널점": ((126.452, 37.447), "인천 중구 공항로 272", "인천 중구"),
    "인생네컷 전주한옥마을점": ((127.153, 35.815), "전북 전주시 태조로 44", "전주시 완산구"),
    "하루필름 객사점": ((127.145, 35.82), "전북 전주시 전주객사길 1", "전주시 완산구"),
    "인생네컷 속초해수욕장점": ((128.6, 38.19), "강원 속초시 해오름로 1", "속초시"),
    "인생네컷 황리단길점": ((129.21, 35.838), "경북 경주시 포석로 1080", "경주시"),
    "인생네컷 고현점": ((128.62, 34.88), "경남 거제시 고현로 1", "거제시"),
    "인생네컷 거제동점": ((129.07, 35.19), "부산 연제구 거제동 1", "연제구"),
    "인생네컷 안면읍점": ((126.35, 36.52), "충남 태안군 안면읍 1", "태안군"),
    "인생네컷 서현점": ((127.12, 37.385), "경기 성남시 분당구 서현로 1", "성남시 분당구"),
    "인생네컷 롯데월드몰점": ((127.104, 37.513), "서울 송파구 올림픽로 300", "송파구"),
    "인생네컷 둔산점": ((127.385, 36.35), "대전 서구 둔산로 1", "서구"),
    "인생네컷 진주점": ((128.1, 35.15), "경남 진주시 진주대로 1", "진주시"),
    "하루필름 경상국립대정문점": ((128.097, 35.153), "경남 진주시 진주대로 501", "진주시"),
}  # fmt: skip


@pytest.fixture(scope="module")
def client_of_shops(make_once: Maker, app: Flask) -> FlaskClient:
    """The shops of SHOPS near the stations, one with a review; 분당동, but not 분당구, has a name in Chinese characters."""
    brands = {name: make_once.brand(name) for name in ("인생네컷", "하루필름", "홍대네컷")}
    for alias in ("Life4Cuts", "人生四格"):
        make_once.brand_alias(brands["인생네컷"], alias)
    for name, (at, hanja) in STATIONS.items():
        station = make_once.station(name, at=at)
        if hanja:
            make_once.insert("station_aliases", station_id=station, alias=hanja, lang="zh-Hant")
    regions = make_listed(make_once, SHOPS, brands)
    make_once.sql("SELECT add_province_aliases(), add_foreign_province_names()")
    anmyeon = make_once.region("안면읍", level="dong", parent=regions["태안군"])
    make_once.sql("UPDATE shops SET dong_id = %s WHERE sigungu_id = %s", anmyeon, regions["태안군"])
    bundang = make_once.region("분당동", level="dong", parent=regions["성남시 분당구"])
    make_once.insert(
        "region_aliases", region_id=bundang, alias="盆唐洞", kind="foreign", lang="zh-Hans"
    )
    rated = make_once.sql("SELECT id FROM shops WHERE place_name = '하루필름 신사본점'")
    make_once.review(make_once.member(), rated, star_rating=5)
    return app.test_client()


def get_json(client: FlaskClient, path: str, keyword: str, **more: Any) -> Any:
    response = client.get(path, query_string={"keyword": keyword, **AT, **more})
    assert response.status_code == 200, response.text
    return response.json


@pytest.mark.parametrize(
    ("keyword", "shops"),
    [
        # a brand near a landmark that only names of other brands' shops contain
        ("가로수길 하루필름", ["압구정점", "신사본점"]),
        ("하루필름 가로수길", ["압구정점", "신사본점"]),
        ("garosu-gil 하루필름", ["압구정점", "신사본점"]),
        ("전주한옥마을 하루필름", ["객사점"]),
        # a branch with this name, not a road or another 동 far away
        ("명동 인생네컷", ["명동점"]),
        ("인생네컷명동", ["명동점"]),
        ("인생네컷 明洞哪里有", ["명동점"]),
        # districts that every city has
        ("中区 人生四格", ["명동점", "인천공항1터미널점"]),
        ("首尔中区", ["명동점"]),
        ("大田 西區", ["둔산점"]),
        ("盆唐", ["서현점"]),
        ("盆唐 自拍馆", ["서현점"]),
        ("江南역 life4cuts", ["강남점"]),
        # islands, old spellings and short names
        ("거제도", ["고현점"]),
        ("안면도 포토부스", ["안면읍점"]),
        ("Taejon", ["둔산점"]),
        ("DMC역", ["상암점"]),
        ("dmc 하루필름", ["상암점"]),
        ("경상대", ["경상국립대정문점"]),
        ("ソウルの森", ["서울숲점"]),
        ("Incheon Airport Terminal 1", ["인천공항1터미널점"]),
        # kinds of places belong to the name before them
        ("Jeonju Hanok Village", ["전주한옥마을점"]),
        ("Sokcho beach", ["속초해수욕장점"]),
        ("慶州皇理團路", ["황리단길점"]),
        ("皇理团街", ["황리단길점"]),
        ("ロツテワールド", ["롯데월드몰점"]),
        # typing errors and sentences
        ("ㅎ홍대 인생네컷", ["와우산점"]),
        ("명동에 있는 인생네컷", ["명동점"]),
        ("명동에서 사진 찍을만한 곳", ["명동점"]),
        ("明洞近くの人生四格", ["명동점"]),
        ("明洞で人生四格ありますか", ["명동점"]),
        ("我想去明洞附近拍人生四格", ["명동점"]),
        ("인생4cut 명동", ["명동점"]),
        ("Gangnam역 life4cuts", ["강남점"]),
        ("Seoul숲", ["서울숲점"]),
        ("life4cuts明洞", ["명동점"]),
        ("宏大 人生四格", ["와우산점"]),
        ("皇理団キル", ["황리단길점"]),
        ("디엠씨역", ["상암점"]),
        # a house number that no shop has
        ("강남대로 287", ["강남점"]),
        ("287 Gangnam-daero, Gangnam-gu, Seoul", ["강남점"]),
    ],
)
def test_keywords_find_the_intended_shops(
    client_of_shops: FlaskClient, keyword: str, shops: list[str]
) -> None:
    response_shops = get_json(client_of_shops, "/shops", keyword)
    assert [s["place_name"].split()[1] for s in response_shops] == shops


@pytest.mark.parametrize(
    ("keyword", "shops", "ignored"),
    [
        ("가로수길 아무말 하루필름", ["압구정점", "신사본점"], ["아무말"]),
        ("하루필름 가로수길 해변", ["압구정점", "신사본점"], ["해변"]),
        ("하루필름 가로수길 해변 아무말", ["압구정점", "신사본점"], ["해변", "아무말"]),
        ("하루필름 한옥마을 아무말", ["객사점"], ["아무말"]),
    ],
)
def test_ignored_words_beside_a_landmark_are_reported(
    client_of_shops: FlaskClient, keyword: str, shops: list[str], ignored: list[str]
) -> None:
    body = get_json(client_of_shops, "/shops", keyword, explain="true")
    assert [s["place_name"].split()[1] for s in body["shops"]] == shops
    assert body["ignored"] == ignored


def test_filters_apply_around_a_landmark(client_of_shops: FlaskClient) -> None:
    response_shops = get_json(client_of_shops, "/shops", "가로수길 하루필름", minRating=4)
    assert [s["place_name"] for s in response_shops] == ["하루필름 신사본점"]
    # not the shop of another district, which a less strict interpretation would find
    assert get_json(client_of_shops, "/shops", "전주한옥마을 하루필름", minRating=4) == []


@pytest.mark.parametrize(
    ("typed", "label"),
    [
        ("가로수길 하루필", "인생네컷 가로수길점"),
        ("가로수길 포토부", "인생네컷 가로수길점"),
        ("garosu-gil, Gangnam-g", "인생네컷 가로수길점"),
        ("Sokcho beac", "인생네컷 속초해수욕장점"),
        ("명동에 있는 셀프사진", "명동역"),
        ("명동에서 가까운 네", "인생네컷 명동점"),
        ("안면읍점", "인생네컷 안면읍점"),
        ("가로수길으", "인생네컷 가로수길점"),
        ("홍데입구", "홍대입구역"),
        ("디엠", "디지털미디어시티역"),
        ("인생내컷 명", "명동역"),
        ("Fotoautomat myeongd", "인생네컷 명동점"),
        ("인생내컷", "인생네컷"),
    ],
)
def test_search_results_are_suggested_while_typing(
    client_of_shops: FlaskClient, typed: str, label: str
) -> None:
    suggested = get_json(client_of_shops, "/shops/suggest", typed, q=typed)
    assert label in [item["label"] for item in suggested]
