"""Tests that the nearest shops that match a keyword and filters are found once each, however many other shops are nearer."""

from __future__ import annotations

import pytest

from tests.make import Maker

VIEWER = (127.0, 37.5)
# a search for one shop reads the nearest 1040 of each brand before it falls back to all of them
UNRATED = """
INSERT INTO shops (brand_id, place_name, geog)
SELECT %s, '인생네컷 ' || n, point_at(127 + (n %% 33) / 5000.0, 37.5 + n / 200000.0) FROM generate_series(1, 1500) n"""
RATED = """
INSERT INTO shops (brand_id, place_name, geog, review_cnt, star_rating_sum)
SELECT %s, %s || n, point_at(127, %s + n / 10000.0), 2, 9 FROM generate_series(1, 60) n"""


@pytest.fixture
def brands(make: Maker) -> tuple[int, int]:
    """A brand whose rated shops are behind many unrated ones, and a more distant brand with rated shops only."""
    crowded, rare = make.brand("인생네컷"), make.brand("하루필름")
    make.sql(UNRATED, crowded)
    make.sql(RATED, crowded, "인생네컷 별점 ", 37.52)
    make.sql(RATED, rare, "하루필름 별점 ", 37.54)
    return crowded, rare


def best(make: Maker, keyword: str, at_most: int) -> list[int]:
    """Ids of the shops with at least four stars, in the order of the search."""
    statement = "SELECT unnest(ids) FROM search_shops(%s, point_at(%s, %s), %s::shop_filters, %s)"
    filters = make.filters(min_rating=4)
    return [shop for (shop,) in make.rows(statement, keyword, *VIEWER, filters, at_most)]


def nearest(make: Maker, brands: tuple[int, ...], at_most: int, *, rated: bool = True) -> list[int]:
    """The expected ids, computed from all shops."""
    statement = """
        SELECT id FROM shops
        WHERE brand_id = ANY (%s) AND (NOT %s OR star_rating_sum >= 4 * review_cnt AND review_cnt > 0)
        ORDER BY ST_Distance(geog, point_at(%s, %s)), id LIMIT %s + 1"""
    return [shop for (shop,) in make.rows(statement, list(brands), rated, *VIEWER, at_most)]


@pytest.mark.parametrize("at_most", [1, 20, 100])
def test_of_one_brand(make: Maker, brands: tuple[int, int], at_most: int) -> None:
    shop_ids = best(make, "인생네컷", at_most)
    assert shop_ids == nearest(make, brands[:1], at_most)
    assert len(shop_ids) == min(at_most + 1, 60)


@pytest.mark.parametrize("at_most", [1, 20, 100])
def test_one_brand_does_not_hide_another_that_is_nearer(
    make: Maker, brands: tuple[int, int], at_most: int
) -> None:
    assert best(make, "인생네컷 하루필름", at_most) == nearest(make, brands, at_most)


def test_common_words_of_two_brands(make: Maker, brands: tuple[int, int]) -> None:
    make.sql("UPDATE shops SET place_name = place_name || ' 스튜디오'")
    shop_ids = best(make, "인생네컷 하루필름 스튜디오", 1)
    assert shop_ids == nearest(make, brands, 1)


@pytest.mark.parametrize("at_most", [1, 20, 100])
def test_half_typed(make: Maker, brands: tuple[int, int], at_most: int) -> None:
    assert best(make, "인생넼", at_most) == nearest(make, brands[:1], at_most)


def test_a_half_typed_word_is_read_as_most_of_the_nearest_shops_have_it(
    make: Maker, brands: tuple[int, int]
) -> None:
    statement = """
        SELECT normalize(unnest(c.likes), NFC), c.words_are FROM search_is_common(
          spot_at(point_at(%s, %s)), NULL, NULL, ARRAY(SELECT normalize(w, NFKD) FROM unnest(%s) w), '{}') c"""
    assert make.rows(statement, *VIEWER, ["인생넼"]) == [("%인생네ᄏ%", True)]
    assert make.rows(statement, *VIEWER, ["인생넼", "별점"]) == [
        ("%인생네ᄏ%", False),
        ("%별점%", False),
    ]
    assert make.rows(statement, *VIEWER, ["ㅅㄴ"]) == [("%ᄉᄂ%", True)]
    assert make.rows(statement, *VIEWER, ["하룸"]) == [("%하룸%", False)]


def test_a_province_and_its_city_of_one_name_count_a_shop_once(make: Maker) -> None:
    province = make.region("제주특별자치도", level="sido")
    city = make.region("제주시", parent=province)
    make.sql(
        "INSERT INTO shops (brand_id, place_name, geog, sido_id, sigungu_id)"
        " SELECT %s, '사진관 ' || n, point_at(126.5 + n / 10000.0, 33.5), %s, %s FROM generate_series(1, 120) n",
        make.brand(), province, city,
    )  # fmt: skip
    for keyword in ("제주", "제주 사진관"):
        statement = "SELECT ids FROM search_shops(%s, point_at(126.5, 33.5), NULL, 100)"
        shop_ids = make.sql(statement, keyword)
        assert len(shop_ids) == len(set(shop_ids)) == 101


@pytest.mark.parametrize("at_most", [1, 100, 240, 300])
@pytest.mark.parametrize("keyword", ["중구", "중구 인생네컷"])
def test_of_regions_that_share_a_name(make: Maker, keyword: str, at_most: int) -> None:
    brands = make.brand("인생네컷"), make.brand("하루필름")
    # two regions overlap, the others are farther away
    for sido, first, step in (
        ("가도", 3, 1e-2),
        ("나도", 0, 2e-4),
        ("다도", 0.005, 3e-4),
        ("라도", 1, 1e-4),
    ):
        parent = make.region(sido, level="sido")
        make.sql(
            "INSERT INTO shops (brand_id, place_name, geog, sido_id, sigungu_id)"
            " SELECT (%s::bigint[])[1 + n %% 2], '사진관 ' || n, point_at(127, 37.5 - %s - n * %s), %s, %s"
            " FROM generate_series(1, 240) n",
            list(brands), first, step, parent, make.region("중구", parent=parent),
        )  # fmt: skip
    statement = "SELECT unnest(ids) FROM search_shops(%s, point_at(%s, %s), NULL, %s)"
    shop_ids = [shop for (shop,) in make.rows(statement, keyword, *VIEWER, at_most)]
    assert shop_ids == nearest(
        make, brands if keyword == "중구" else brands[:1], at_most, rated=False
    )


SOME = """
INSERT INTO shops (brand_id, place_name, geog, sido_id, sigungu_id)
SELECT %s, %s || n || '호', point_at(127 + (n %% 17) / 3000.0, 37.5 + n / 20000.0), %s, %s FROM generate_series(1, 130) n"""


@pytest.mark.parametrize(
    ("keyword", "total"),
    [
        ("서울", 260),
        ("강남구", 260),
        ("인생네컷", 130),
        ("서울 인생네컷", 130),
        ("인생네컷 하루필름", 260),
        ("강남역", 260),
        ("강남역 인생네컷", 130),
        ("인셍네컷", 130),
        ("호", 260),
    ],
)
def test_pages_are_parts_of_the_whole_list(make: Maker, keyword: str, total: int) -> None:
    seoul = make.region("서울특별시", level="sido")
    district = make.region("강남구", parent=seoul)
    make.station("강남", at=(127.002, 37.503))
    for name in ("인생네컷", "하루필름"):
        make.sql(SOME, make.brand(name), f"{name} ", seoul, district)
    statement = "SELECT ids, total, complete FROM search_shops(%s, point_at(%s, %s), NULL, %s, %s)"
    ((every, count, complete),) = make.rows(statement, keyword, *VIEWER, 10_000, None)
    assert (len(every), count, complete) == (total, total, True)
    for needed in (1, 20, 60):
        ((ids, count, complete),) = make.rows(statement, keyword, *VIEWER, 10_000, needed)
        assert ids[:needed] == every[:needed]
        assert (count, complete) == (total, True)
        ((_, count, _),) = make.rows(statement, keyword, *VIEWER, 100, needed)
        assert count == 101


def test_the_lines_of_a_station_are_searched_together(make: Maker) -> None:
    for line in range(10):
        make.station("강남", at=(127.002 + line / 5000, 37.503), line=f"{line}호선")
    make.station("강남", at=(128, 36))
    make.sql(SOME, make.brand(), "작은사진관 ", None, None)
    beside_the_last_line = make.shop(name="작은사진관", at=(127.0145, 37.503))
    make.shop(name="작은사진관", at=(127.0155, 37.503))
    elsewhere = make.shop(name="작은사진관", at=(128.01, 36))
    statement = "SELECT ids, total, complete FROM search_shops(%s, point_at(%s, %s), NULL, 300)"
    for keyword in ("강남역", "강남역 작은사진관"):
        ((ids, total, complete),) = make.rows(statement, keyword, *VIEWER)
        assert (total, complete) == (132, True)
        assert {beside_the_last_line, elsewhere} < set(ids)
    ((ids, total, _),) = make.rows(statement, "강남역 0호선", *VIEWER)
    assert (total, beside_the_last_line in ids) == (130, False)


BRANCHES = """
INSERT INTO shops (brand_id, place_name, geog)
SELECT %s, %s || n, point_at(127 + (n %% 17) / 3000.0, 37.6 + n / 20000.0) FROM generate_series(1, %s) n"""
NAMED = """
SELECT id FROM shops WHERE place_name ~ %s ORDER BY ST_Distance(geog, point_at(%s, %s)), id LIMIT %s"""


@pytest.mark.parametrize("at_most", [1, 149, 200, 300, 500])
def test_branches_of_a_station_before_the_shops_around_it(make: Maker, at_most: int) -> None:
    make.station("강남", at=(127.002, 37.503))
    brand = make.brand("인생네컷")
    make.sql(SOME, brand, "인생네컷 ", None, None)
    make.sql(BRANCHES, brand, "인생네컷 서울강남역 ", 30)
    make.sql(BRANCHES, brand, "인생네컷 강남역 ", 200)
    statement = "SELECT ids, total FROM search_shops('인생네컷 강남역', point_at(%s, %s), NULL, %s)"
    ((ids, total),) = make.rows(statement, *VIEWER, at_most)
    # if names with this prefix fill the list, other matches are not searched
    branches = make.rows(NAMED, "컷 강남역" if at_most < 200 else "강남역", *VIEWER, at_most + 1)
    around = make.rows(NAMED, "[0-9]호", *VIEWER, at_most + 1 - len(branches))
    assert ids == [shop for (shop,) in branches + around]
    assert total == min(at_most + 1, 360)


def test_a_name_longer_than_its_index_entry_is_compared_whole(make: Maker) -> None:
    make.station("동대문역사문화공원", at=(127.002, 37.503))
    brand = make.brand("포토시그니처")
    make.sql(BRANCHES, brand, "포토시그니처 동대문역 ", 60)
    expected = make.shop("포토시그니처 동대문역사문화공원역점", at=(127.3, 37.9))
    statement = "SELECT ids FROM search_shops(%s, point_at(%s, %s), NULL, 1)"
    assert make.sql(statement, "포토시그니처 동대문역사문화공원역", *VIEWER) == [expected]
