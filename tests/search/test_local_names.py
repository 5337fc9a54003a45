"""Tests keywords of locals: gates, short names of malls, incomplete names, landmarks next to a named region."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.make import Maker
from tests.search.country import make_listed

AT = {"userLng": 126.98, "userLat": 37.56}
STATIONS = {
    "강남": (127.028, 37.498), "홍대입구": (126.924, 37.557), "이태원": (126.994, 37.534), "한양대": (127.044, 37.556),
    "홍제": (126.944, 37.589), "건대입구": (127.07, 37.54),
}  # fmt: skip
# name: position, address, region
SHOPS = {
    "인생네컷 강남점": ((127.028, 37.499), "서울 강남구 강남대로 396", "강남구"),
    "인생네컷 가로수길점": ((127.023, 37.520), "서울 강남구 도산대로13길 20", "강남구"),
    "하루필름 압구정점": ((127.028, 37.527), "서울 강남구 압구정로 30", "강남구"),
    "인생네컷 와우산점": ((126.925, 37.556), "서울 마포구 와우산로 1", "마포구"),
    "인생네컷 어울마당점": ((126.916, 37.557), "서울 마포구 어울마당로 1", "마포구"),
    "홍대네컷 종각점": ((126.985, 37.571), "서울 종로구 종로 1", "종로구"),
    "인생네컷 종각점": ((126.984, 37.571), "서울 종로구 종로 3", "종로구"),
    "하루필름 경리단점": ((126.993, 37.535), "서울 용산구 회나무로 1", "용산구"),
    "하루필름 행당점": ((127.044, 37.557), "서울 성동구 행당로 1", "성동구"),
    "하루필름 화양점": ((127.07, 37.541), "서울 광진구 아차산로 1", "광진구"),
    "인생네컷 충북대중문점": ((127.459, 36.633), "충북 청주시 내수동로 1", "청주시"),
    "하루필름 사창점": ((127.46, 36.633), "충북 청주시 내수동로 5", "청주시"),
    "인생네컷 웨스턴돔점": ((126.77, 37.656), "경기 고양시 정발산로 24", "고양시"),
    "인생네컷 남이섬선착장점": ((127.521, 37.812), "경기 가평군 가평읍 336", "가평군"),
    "하루필름 남춘천점": ((127.72, 37.86), "강원 춘천시 퇴계로 1", "춘천시"),
    "하루필름 롯데마트점": ((127.5, 37.81), "경기 가평군 가평읍 1", "가평군"),
    "인생네컷 롯데마트점": ((129.07, 35.19), "부산 연제구 거제동 1", "연제구"),
    "인생네컷 행궁점": ((127.014, 37.286), "경기 수원시 정조로 1", "수원시"),
}  # fmt: skip


@pytest.fixture
def client_of_shops(make: Maker, client: FlaskClient) -> FlaskClient:
    """A client for the shops of SHOPS; 춘천시 has a boundary, 중문동 and 부사동 have no shops, 강남 has a name in Chinese characters."""
    brands = {name: make.brand(name) for name in ("인생네컷", "하루필름", "홍대네컷")}
    for brand, alias in (
        ("인생네컷", "Life4Cuts"),
        ("인생네컷", "人生四格"),
        ("홍대네컷", "Hongdae 4cut"),
    ):
        make.brand_alias(brands[brand], alias)
    stations = {name: make.station(name, at=at) for name, at in STATIONS.items()}
    make.sql("UPDATE stations SET name_en = 'Hanyang Univ.' WHERE name = '한양대'")
    # a list of foreign names has one of the lines
    make.station("홍대입구", at=(126.926, 37.558))
    for name, alias in (("강남", "江南"), ("홍대입구", "弘大")):
        make.insert("station_aliases", station_id=stations[name], alias=alias, lang="zh-Hant")
    regions = make_listed(make, SHOPS, brands)
    for dong in ("중문동", "부사동"):
        make.region(dong, level="dong", parent=regions["강남구"])
    haenggung = make.region("행궁동", level="dong", parent=regions["수원시"])
    make.sql("UPDATE shops SET dong_id = %s WHERE sigungu_id = %s", haenggung, regions["수원시"])
    make.sql(
        "UPDATE regions SET boundary = ST_Multi(ST_MakeEnvelope(127.55, 37.7, 127.85, 38, 4326)) WHERE name = '춘천시'"
    )
    return client


def get_json(client: FlaskClient, path: str, keyword: str, **more: Any) -> Any:
    response = client.get(path, query_string={"keyword": keyword, **AT, **more})
    assert response.status_code == 200, response.text
    return response.json


@pytest.mark.parametrize(
    ("keyword", "shops"),
    [
        # the gate of a university, not 중문동
        ("충북대 중문 하루필름", ["사창점"]),
        ("충북대학교 중문 하루필름", ["사창점"]),
        # malls in short
        ("웨돔 인생네컷", ["웨스턴돔점"]),
        # a shop of the region with exactly this name comes first
        ("인생네컷 강남", ["강남점", "가로수길점"]),
        ("life4cuts gangnam-gu", ["강남점", "가로수길점"]),
        ("江南區 人生四格", ["강남점", "가로수길점"]),
        # the station, not all of the district
        ("江南駅 하루필름", []),
        # all lines of a station
        ("弘大 人生四格", ["와우산점", "어울마당점"]),
        # incomplete, and no brand has this prefix
        ("life4cuts hong", ["와우산점", "어울마당점"]),
        ("life4cuts hon", ["와우산점", "어울마당점"]),
        ("하루필름 itaew", ["경리단점"]),
        ("life4cuts busa", ["롯데마트점"]),
        ("하루필름 konku", ["화양점"]),
        ("hanyang daehakgyo", ["행당점"]),
        ("하루필름 hanyang daehakkyo", ["행당점"]),
        # a landmark next to the named region, but no chain
        ("춘천 남이섬", ["남이섬선착장점"]),
        ("chuncheon 남이섬 인생네컷", ["남이섬선착장점"]),
        ("춘천 롯데마트", ["남춘천점"]),
        ("수원화성", ["행궁점"]),
        ("水原华城", ["행궁점"]),
    ],
)
def test_keywords_find_the_intended_shops(
    client_of_shops: FlaskClient, keyword: str, shops: list[str]
) -> None:
    response_shops = get_json(client_of_shops, "/shops", keyword)
    assert [s["place_name"].split()[1] for s in response_shops] == shops


@pytest.mark.parametrize("keyword", ["집에서 제일 가까운 네컷 어디야", "우리집 근처 네컷"])
def test_at_home_the_nearest_shops_are_meant(client_of_shops: FlaskClient, keyword: str) -> None:
    response_shops = get_json(client_of_shops, "/shops", keyword)
    assert [s["place_name"] for s in response_shops[:2]] == ["인생네컷 종각점", "홍대네컷 종각점"]
    assert len(response_shops) == len(SHOPS)


def test_filters_apply_to_a_landmark_beside_the_region(
    client_of_shops: FlaskClient, make: Maker
) -> None:
    # not the shops of the region, which a less strict interpretation would find
    ((other,),) = make.rows("SELECT id FROM shops WHERE place_name = '하루필름 남춘천점'")
    make.review(make.member(), other, star_rating=5)
    assert get_json(client_of_shops, "/shops", "춘천 남이섬", minRating=4) == []


@pytest.mark.parametrize("typed", ["수원화성", "水原华城", "水原華城"])
def test_a_sight_is_suggested_in_full(client_of_shops: FlaskClient, typed: str) -> None:
    suggested = get_json(client_of_shops, "/shops/suggest", typed, q=typed)
    assert "인생네컷 행궁점" in [item["label"] for item in suggested]
