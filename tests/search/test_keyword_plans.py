"""Tests which index serves which keyword, by the plans that PostgreSQL executed."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import Any

import psycopg2
import pytest

from tests.make import Maker

FILL = """
INSERT INTO shops (brand_id, place_name, geog, road_address, sido_id, sigungu_id)
SELECT 1 + n % 5, b.name || ' ' || (n % 900) || '구역점', point_at(126 + (n % 173) / 80.0, 35 + (n % 211) / 80.0),
  '서울특별시 ' || (n % 700) || '길 ' || n % 90, CASE WHEN n % 7 = 0 THEN 1 ELSE 22 END, 2 + n % 20
FROM generate_series(1, 20000) AS n JOIN brands AS b ON b.id = 1 + n % 5"""


@pytest.fixture(scope="module")
def plans(make_once: Maker, database_url: str) -> Iterator[Any]:
    """The plans of the nested statements of a search, as text."""
    for name in ("인생네컷", "하루필름", "포토이즘", "포토그레이", "셀픽스"):
        make_once.brand(name)
    seoul = make_once.region("서울특별시", level="sido")
    for number in range(20):
        make_once.region(f"{number}번구", parent=seoul)
    make_once.region("부산광역시", level="sido")
    make_once.sql(FILL)
    make_once.sql("VACUUM ANALYZE")
    own = psycopg2.connect(database_url)
    own.autocommit = True
    own.notices = deque()  # psycopg's list keeps only the last fifty notices
    cursor = own.cursor()
    cursor.execute("LOAD 'auto_explain'")
    for setting in (
        "auto_explain.log_min_duration = 0", "auto_explain.log_nested_statements = on",
        "auto_explain.log_level = 'notice'", "jit = off",
    ):  # fmt: skip
        cursor.execute(f"SET {setting}")

    def of(keyword: str) -> str:
        for _ in range(7):  # run often enough that PostgreSQL uses the generic plan
            own.notices.clear()
            cursor.execute(
                "SELECT shops_by_keyword(%s, 127, 36, NULL, 'distance', '', 300, 300, 0)",
                (keyword,),
            )
        return "\n".join(own.notices)

    yield of
    own.close()


@pytest.mark.parametrize(
    ("keyword", "index"),
    [
        ("서울", "_spot_idx"),
        ("3번구", "_spot_idx"),
        ("인생네컷", "shops_brand_spot_idx"),
        ("서울 인생네컷", "shops_brand_spot_idx"),
        ("3번구 인생네컷", "shops_words_idx"),
        ("인생네컷 123구역점", "shops_words_idx"),
        ("숲", "shops_words_idx"),
        ("없는동네", "shops_words_idx"),
        ("12", "shops_words_idx"),
    ],
)
def test_no_search_reads_the_whole_table(plans: Any, keyword: str, index: str) -> None:
    plan = plans(keyword)
    assert index in plan
    assert not re.search(r"Seq Scan on (public\.)?shops", plan)


@pytest.mark.parametrize("keyword", ["서울", "부산", "인생네컷"])
def test_a_single_name_needs_no_index_over_words(plans: Any, keyword: str) -> None:
    assert "shops_words_idx" not in plans(keyword)


def test_a_brand_within_a_district_reads_no_shops_of_the_brand_elsewhere(plans: Any) -> None:
    brands = ("인생네컷", "하루필름", "포토이즘", "포토그레이", "셀픽스")
    # all shops of a district of this country belong to one brand
    brand_plans = [plans(f"3번구 {brand}") for brand in brands]
    assert any("shops_region_spot_idx" in plan for plan in brand_plans)
    assert not any("shops_brand_id_idx" in plan for plan in brand_plans)


@pytest.mark.parametrize(
    ("keyword", "total"),
    [("부산", "0+"), ("구역점", "0+"), ("부산 구역점", "0+"), ("3번구 인생네컷", "0")],
)
@pytest.mark.parametrize("at_most", [300, 10_000])
def test_a_filter_that_no_shop_passes_reads_a_part_of_the_shops_and_reports_truncation(
    plans: Any, connection: Any, keyword: str, total: str, at_most: int
) -> None:
    cursor = connection.cursor()
    fetched = (
        "SELECT sum(idx_tup_fetch)::bigint FROM pg_stat_xact_user_tables WHERE relname = 'shops'"
    )
    cursor.execute("BEGIN")
    cursor.execute(fetched)
    before = cursor.fetchone()[0] or 0
    cursor.execute(
        "SELECT shops_by_keyword(%s, 127, 36, jsonb_populate_record(NULL::shop_filters, %s), 'distance', '', %s, 20, 0)",
        (keyword, '{"min_rating": 4}', at_most),
    )
    (text,) = cursor.fetchone()
    cursor.execute(fetched)
    read = cursor.fetchone()[0] - before
    cursor.execute("ROLLBACK")
    assert text.split("\n", 1) == [total, "[]"]
    assert read < 15_000


CALLS = (
    "SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_xact_user_functions WHERE funcname = %s"
)


def counted(connection: Any, function: str, keyword: str, filters: str | None) -> tuple[str, int]:
    """The first line of the first page of up to 10,000 shops, and the number of calls of the function."""
    cursor = connection.cursor()
    cursor.execute("BEGIN")
    cursor.execute("SET LOCAL track_functions = 'all'")
    # includes calls that earlier transactions have not reported yet
    cursor.execute(CALLS, (function,))
    (before,) = cursor.fetchone()
    cursor.execute(
        "SELECT shops_by_keyword(%s, 127, 36, jsonb_populate_record(NULL::shop_filters, %s), 'distance', '', 10000, 20, 0)",
        (keyword, filters),
    )
    head = cursor.fetchone()[0].split("\n", 1)[0]
    cursor.execute(CALLS, (function,))
    (after,) = cursor.fetchone()
    cursor.execute("ROLLBACK")
    return head, after - before


@pytest.mark.parametrize(
    ("keyword", "total"), [("인생네컷", "4000"), ("서울", "2857"), ("3번구", "1000")]
)
def test_a_page_measures_its_own_shops_and_only_counts_the_others(
    plans: Any, connection: Any, keyword: str, total: str
) -> None:
    head, measured = counted(connection, "st_distance", keyword, None)
    assert head == total
    assert 20 <= measured < 200


def test_a_pass_that_finds_nothing_is_tried_once_with_filters(plans: Any, connection: Any) -> None:
    keyword, filters = "123구역 124구역, 125구역점", '{"min_rating": 4}'
    head, with_filters = counted(connection, "search_find", keyword, filters)
    without_head, without = counted(connection, "search_find", keyword, None)
    assert head == without_head == "0"
    assert without > 2
    assert with_filters == without


def test_a_word_that_no_shop_has_ends_all_readings_that_keep_it(
    plans: Any, connection: Any
) -> None:
    head, searches = counted(connection, "search_find", "123구역 없는동네, 125구역점", None)
    assert head == "0"
    assert searches == 1


def test_the_names_in_a_keyword_are_found_once_for_all_their_meanings(
    plans: Any, connection: Any
) -> None:
    connection.cursor().execute(
        "INSERT INTO stations (name, line, geog) VALUES ('3번', '9호선', point_at(129, 37))"
    )
    keyword = "3번 없는동네"
    head, readings = counted(connection, "search_understand", keyword, None)
    _, looked_up = counted(connection, "search_spans", keyword, None)
    assert head.startswith("0") or "없는동네" in head
    assert looked_up < readings


@pytest.mark.parametrize(
    "typed", ["3번구 하루필름 숲", "3번구 하루필름 ㅅㅅ", "하루필름 3번구 숲속"]
)
def test_a_rare_brand_of_a_district_is_suggested_without_reading_the_district(
    plans: Any, connection: Any, typed: str
) -> None:
    # all other shops of the district belong to one brand
    cursor = connection.cursor()
    cursor.execute(
        "INSERT INTO shops (brand_id, place_name, geog, road_address, sido_id, sigungu_id)"
        " SELECT b.id, '하루필름 숲속점', point_at(127, 36), '', r.parent_id, r.id"
        " FROM brands AS b, regions AS r WHERE b.name = '하루필름' AND r.name = '3번구' RETURNING id"
    )
    (shop,) = cursor.fetchone()
    try:
        calls = "geometry_distance_centroid_nd"
        suggested, distances = suggestions_counting(connection, calls, typed)
    finally:
        cursor.execute("DELETE FROM shops WHERE id = %s", (shop,))
    assert [item["id"] for item in suggested if item["kind"] == "shop"] == [shop]
    assert distances < 500


def suggestions_counting(
    connection: Any, function: str, typed: str
) -> tuple[list[dict[str, Any]], int]:
    """The suggestions, and the number of calls of the function."""
    cursor = connection.cursor()
    cursor.execute("BEGIN")
    cursor.execute("SET LOCAL track_functions = 'all'")
    cursor.execute(CALLS, (function,))
    (before,) = cursor.fetchone()
    cursor.execute("SELECT shops_suggest(%s, 127, 36)::jsonb", (typed,))
    (suggested,) = cursor.fetchone()
    cursor.execute(CALLS, (function,))
    (after,) = cursor.fetchone()
    cursor.execute("ROLLBACK")
    return suggested, after - before


@pytest.fixture
def a_million_shops(plans: Any, connection: Any) -> Iterator[None]:
    """Sets the statistics of a large country, in which all shops have 구역점 in their name."""
    cursor = connection.cursor()
    cursor.execute("UPDATE pg_class SET reltuples = 1e6 WHERE oid = 'shops'::regclass")
    yield
    cursor.execute("ANALYZE shops")


def test_the_branches_of_a_station_called_like_most_shops_are_those_near_the_viewer(
    a_million_shops: None, connection: Any
) -> None:
    cursor = connection.cursor()
    cursor.execute(
        "INSERT INTO stations (name, line, geog) VALUES ('역점', '9호선', point_at(127, 36))"
    )
    head, collected = counted(connection, "search_by_words", "인생네컷 역점", None)
    cursor.execute("DELETE FROM stations WHERE name = '역점'")
    assert head not in {"0", "0+"}
    assert collected == 0


def test_a_name_whose_missing_letter_leaves_another_alone_is_corrected(
    plans: Any, connection: Any
) -> None:
    """Otherwise the index scan would return the many shops with a word at an edit distance of one."""
    cursor = connection.cursor()
    cursor.execute("SELECT corrected_word(name_key('셀픽ㅡ'))")
    assert cursor.fetchone() == (["셀픽스"],)
