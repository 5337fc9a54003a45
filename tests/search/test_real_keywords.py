"""Tests keywords on real boundaries and stations, with invented booths at the matching places."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask import Flask

from geoshops.cli import main
from tests.make import Maker
from tests.search.country import BRANDS, SHOPS

pytestmark = pytest.mark.full

FILES = (
    ("regions", "boundaries_kr_2018/skorea-provinces-2018-simple.geojson", "kostat"),
    ("regions", "boundaries_kr_2018/skorea-municipalities-2018-simple.geojson", "kostat"),
    ("regions", "boundaries_kr_2018/skorea-submunicipalities-2018-simple.geojson", "kostat"),
    ("stations", "subway_stations_kr_standard_202202_cp949.csv", "stations"),
)
# positions of the invented country that are outside the real boundaries
MOVED = {"인생네컷 진주점": (128.0849, 35.1798)}
LOCATE = """
UPDATE shops SET (sido_id, sigungu_id, dong_id) = (
  SELECT r.sido_id, r.sigungu_id, r.dong_id FROM region_of_point(shops.geog::geometry) r)"""


@pytest.fixture(scope="module")
def korea(
    make_once: Maker, database_url: str, shared_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Maker]:
    """A database with the real boundaries and stations, imported by the commands of an operator."""
    rejects = tmp_path_factory.mktemp("rejected") / "rejected.csv"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATABASE_URL", database_url)
        patch.delenv("GEOSHOPS_OWNER_DATABASE_URL", raising=False)
        for kind, name, mapping in FILES:
            command = [
                "import",
                kind,
                str(shared_data / name),
                "--mapping",
                mapping,
                "--rejects",
                str(rejects),
            ]
            result = CliRunner().invoke(main, command)
            assert result.exit_code == 0, result.output
    brands = {name: make_once.brand(name) for name in BRANDS}
    for name, aliases in BRANDS.items():
        for alias in aliases:
            make_once.brand_alias(brands[name], alias)
    for brand, name, lon, lat, address, _ in SHOPS:
        at = MOVED.get(name, (lon, lat))
        make_once.shop(name, at=at, brand_id=brands.get(brand or ""), road_address=address)
    make_once.sql(LOCATE)
    yield make_once


@pytest.fixture
def search(app: Flask, korea: Maker) -> Callable[..., list[str]]:
    client = app.test_client()

    def names(keyword: str) -> list[str]:
        query = {"keyword": keyword, "userLng": 126.9779, "userLat": 37.5663}
        response = client.get("/shops", query_string=query)
        assert response.status_code == 200, response.text
        return [shop["place_name"] for shop in response.get_json()]

    return names


def inside(make: Maker, *codes: str) -> set[str]:
    """Names of the shops within the regions of these codes, by their boundaries."""
    rows = make.rows(
        "SELECT s.place_name FROM shops s JOIN regions r ON ST_Intersects(r.boundary, s.geog::geometry)"
        " WHERE r.code = ANY (%s)",
        list(codes),
    )
    return {name for (name,) in rows}


GANGNAM = "11230"


@pytest.mark.parametrize(
    "keyword", ["강남구", "강남", "서울 강남구", "서울특별시 강남구", "서울시강남구"]
)
def test_gangnam(search: Callable[..., list[str]], korea: Maker, keyword: str) -> None:
    assert set(search(keyword)) == inside(korea, GANGNAM) != set()


@pytest.mark.parametrize("keyword", ["강남구 포토이즘", "포토이즘 강남구", "강남포토이즘"])
def test_a_brand_in_gangnam(search: Callable[..., list[str]], korea: Maker, keyword: str) -> None:
    wanted = {name for name in inside(korea, GANGNAM) if name.startswith("포토이즘 ")}
    assert set(search(keyword)) == wanted != set()


def test_every_jung_gu_nearest_first(search: Callable[..., list[str]], korea: Maker) -> None:
    codes = [
        code
        for (code,) in korea.rows(
            "SELECT code FROM regions WHERE name = '중구' AND level = 'sigungu'"
        )
    ]
    assert len(codes) in (5, 6)
    shop_names = search("중구")
    assert set(shop_names) == inside(korea, *codes)
    assert shop_names[-1] == "하루필름 남포점"


@pytest.mark.parametrize("keyword", ["강남역", "강남역 2호선"])
def test_gangnam_station(search: Callable[..., list[str]], keyword: str) -> None:
    assert set(search(keyword)) == {"인생네컷 강남역점", "포토이즘 강남역점", "인생네컷 역삼점"}


@pytest.mark.parametrize("keyword", ["홍대입구", "홍대 입구역"])
def test_hongdae_station(search: Callable[..., list[str]], keyword: str) -> None:
    assert {"인생네컷 홍대점", "포토그레이 홍대입구역점"} <= set(search(keyword))


@pytest.mark.parametrize(
    ("keyword", "first"),
    [
        ("포토이즘 강남역점", "포토이즘 강남역점"),
        ("인생네컷 서울숲점", "인생네컷 서울숲점"),
        ("서울숲 인생네컷", "인생네컷 서울숲점"),
        ("인생 네컷 서울숲", "인생네컷 서울숲점"),
        ("부산진구 하루필름", "하루필름 서면점"),
        ("강원도 춘천", "인생네컷 춘천명동점"),
        ("강원특별자치도 춘천시", "인생네컷 춘천명동점"),
        ("강원 춘천", "인생네컷 춘천명동점"),
        ("수원시 영통구", "인생네컷 수원영통점"),
        ("수원 영통", "인생네컷 수원영통점"),
        ("전북 전주 홍대네컷", "홍대네컷 전북대점"),
        ("rkdska 포토이즘", "포토이즘 강남구청역점"),
        ("하루필림 제주", "하루필름 제주점"),
    ],
)
def test_the_first(search: Callable[..., list[str]], keyword: str, first: str) -> None:
    assert search(keyword)[0] == first


def test_a_dong_that_is_not_there_is_not_gangnam_gu(
    search: Callable[..., list[str]], korea: Maker
) -> None:
    assert not inside(korea, GANGNAM) & set(search("경상남도 진주시 강남동"))


@pytest.mark.parametrize("keyword", ["아무말", "서울 해운대구", "꿹뛟"])
def test_nothing(search: Callable[..., list[str]], keyword: str) -> None:
    assert search(keyword) == []
