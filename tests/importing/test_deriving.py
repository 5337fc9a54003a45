"""The brand in a name, and the region of an address or a point."""

from __future__ import annotations

import pytest

from tests.make import Maker


@pytest.fixture
def brands(make: Maker) -> Maker:
    ids = {
        n: make.brand(n) for n in ("포토", "포토이즘", "포토이즘박스", "포토이즘컬러드", "인생네컷")
    }
    for brand, alias in (
        ("인생네컷", "Life4Cuts"),
        ("포토이즘", "photoism"),
        ("인생네컷", "c++ (4)"),
    ):
        make.insert("brand_aliases", brand_id=ids[brand], alias=alias)
    make.insert("stations", name="강남", geog="SRID=4326;POINT(127 37.5)")
    make.insert("regions", level="sido", name="서울특별시")
    return make


@pytest.mark.parametrize(
    ("name", "brand"),
    [
        ("포토이즘 강남점", "포토이즘"),
        ("포토이즘박스 강남점", "포토이즘박스"),
        ("포토이즘 박스 강남점", "포토이즘박스"),
        ("포토이즘컬러드 강남점", "포토이즘컬러드"),
        ("포토 강남점", "포토"),
        ("포토그레이 강남점", None),
        ("포토이즘플러스 강남점", None),
        ("포토이즘강남점", "포토이즘"),
        ("포토이즘박스강남역점", "포토이즘박스"),
        ("포토이즘플러스점", None),
        ("인생네컷2호점", "인생네컷"),
        ("인생네컷(강남)", "인생네컷"),
        ("[강남] 인생 네컷", "인생네컷"),
        ("강남 인생네컷", "인생네컷"),
        ("LIFE4CUTS Gangnam", "인생네컷"),
        ("life4cutsgangnam", None),
        ("ＰＨＯＴＯＩＳＭ 강남", "포토이즘"),
        ("c++ (4) 강남", "인생네컷"),
        ("우리동네컷", None),
        ("", None),
        ("((((", None),
    ],
)  # fmt: skip
def test_a_brand_is_not_derived_from_the_mere_beginning_of_a_word(
    brands: Maker, name: str, brand: str | None
) -> None:
    derived = brands.sql("SELECT b.name FROM brands b WHERE b.id = brand_of(%s)", name)
    assert derived == brand


def test_without_brands_no_brand_is_derived(make: Maker) -> None:
    assert make.sql("SELECT brand_of('인생네컷 강남점')") is None


@pytest.fixture
def regions(make: Maker) -> Maker:
    def region(level: str, name: str, parent: int | None = None, *old: str) -> int:
        region_id = int(make.insert("regions", level=level, name=name, parent_id=parent))
        for alias in old:
            make.insert("region_aliases", region_id=region_id, alias=alias, kind="old")
        return region_id

    seoul = region("sido", "서울특별시", None, "서울", "서울시")
    busan = region("sido", "부산광역시", None, "부산")
    gyeonggi = region("sido", "경기도", None, "경기")
    sejong = region("sido", "세종특별자치시", None, "세종")
    gangwon = region("sido", "강원특별자치도", None, "강원도", "강원")
    gangnam = region("sigungu", "강남구", seoul)
    region("dong", "역삼동", gangnam)
    region("sigungu", "중구", seoul)
    region("sigungu", "중구", busan)
    region("dong", "나성동", region("sigungu", "세종시", sejong))
    region("sigungu", "수원시 영통구", gyeonggi)
    region("sigungu", "부천시", gyeonggi)
    region("sigungu", "춘천시", gangwon)
    region("sigungu", "원주시", gangwon)
    return make


@pytest.mark.parametrize(
    ("address", "names"),
    [
        ("서울 강남구 역삼동 825", ("서울특별시", "강남구", "역삼동")),
        ("서울특별시 강남구 강남대로 396 (역삼동)", ("서울특별시", "강남구", "역삼동")),
        ("서울시  강남구", ("서울특별시", "강남구", None)),
        ("강남구 역삼동", ("서울특별시", "강남구", "역삼동")),
        ("부산 중구 남포길 1", ("부산광역시", "중구", None)),
        ("중구 어딘가", (None, None, None)),
        ("경기 수원시 영통구 이의동", ("경기도", "수원시 영통구", None)),
        ("경기도 수원시영통구", ("경기도", "수원시 영통구", None)),
        ("경기 부천시 원미구 중동", ("경기도", "부천시", None)),
        ("세종특별자치시 나성동 1", ("세종특별자치시", "세종시", "나성동")),
        ("세종특별자치시 다른시 나성동 1", ("세종특별자치시", None, None)),
        ("강원도 춘천시 명동길 1", ("강원특별자치도", "춘천시", None)),
        ("강원특별자치도", ("강원특별자치도", None, None)),
        ("Paris", (None, None, None)),
        ("", (None, None, None)),
    ],
)
def test_addresses_name_regions(
    regions: Maker, address: str, names: tuple[str | None, ...]
) -> None:
    derived = regions.rows(
        "SELECT a.name, b.name, c.name FROM region_of_address(%s) f"
        " LEFT JOIN regions a ON a.id = f.sido_id LEFT JOIN regions b ON b.id = f.sigungu_id"
        " LEFT JOIN regions c ON c.id = f.dong_id",
        address,
    )
    assert derived == [names]


def test_a_boundary_takes_precedence_over_the_address(regions: Maker) -> None:
    regions.sql(
        "UPDATE regions SET boundary = ST_Multi(ST_MakeEnvelope(127, 37, 128, 38, 4326))"
        " WHERE name = '강남구'"
    )
    regions.sql("SELECT cut_boundaries(ARRAY(SELECT id FROM regions WHERE name = '강남구'))")
    query = "SELECT r.name FROM regions r WHERE r.id = (region_of(%s, point_at(%s, %s))).sigungu_id"
    assert regions.sql(query, "경기 부천시 중동", 127.5, 37.5) == "강남구"
    assert regions.sql(query, "경기 부천시 중동", 126.5, 37.5) == "부천시"


@pytest.mark.parametrize("numbered", [False, True])
def test_all_shops_at_once_get_the_same_regions_as_each_one_alone(
    regions: Maker, numbered: bool
) -> None:
    """Boundaries of every level, and addresses that match them, contradict them or name no region."""
    if numbered:  # a region with a number as its name: outlines cannot be used
        gangnam = regions.sql("SELECT id FROM regions WHERE name = '강남구'")
        regions.insert("regions", level="dong", name="2", parent_id=gangnam)
    for name, west in (("경기도", 126), ("강남구", 127), ("역삼동", 127.5)):
        regions.sql(
            "UPDATE regions SET boundary = ST_Multi(ST_MakeEnvelope(%s, 37, %s, 38, 4326)) WHERE name = %s",
            west, west + 0.75, name,
        )  # fmt: skip
    regions.sql("SELECT cut_boundaries(array_agg(id)) FROM regions")
    addresses = [
        "서울 강남구 2",
        "서울 강남구 역삼동 3",
        "경기 부천시 4",
        "경기도",
        "부산 중구 5",
        "",
        "Paris",
    ]
    for address in addresses:
        for lon in (126.3, 127.1, 127.5, 127.6, 129.5):
            regions.shop(at=(lon, 37.5), lot_address=address)
    each = (
        "SELECT s.id, f.sido_id, f.sigungu_id, f.dong_id FROM shops s"
        " CROSS JOIN LATERAL region_of(s.lot_address, s.geog) f ORDER BY s.id"
    )
    expected = regions.rows(each)
    changed = sum(row[1:] != (None, None, None) for row in expected)
    assert len({row[1:] for row in expected}) >= 6
    assert regions.sql("SELECT refresh_shop_regions()") == changed
    assert (
        regions.rows("SELECT id, sido_id, sigungu_id, dong_id FROM shops ORDER BY id") == expected
    )
    assert regions.sql("SELECT refresh_shop_regions()") == 0
