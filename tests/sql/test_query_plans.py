"""The searches use the intended indexes at every radius, on a table of ten thousand shops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg2
import pytest

from geoshops.geo import HALF_CIRCUMFERENCE_M
from tests.conftest import copied
from tests.make import Maker

RADII_M = (1, 100, 2000, 50_000, 1_000_000, HALF_CIRCUMFERENCE_M)
FILL = """
INSERT INTO brands (id, name, is_representative) SELECT n, '브랜드' || n, n <= 4 FROM generate_series(1, 10) n;
SELECT setseed(0.5);
INSERT INTO shops (brand_id, place_name, geog)
SELECT 1 + n % 10, '점포 ' || n, point_at(124 + 8 * random(), 33 + 6 * random()) FROM generate_series(1, 10000) n"""
ANALYZE = "ANALYZE shops; ANALYZE brands"


def prepared(server_url: str, template_name: str, name: str, *statements: str) -> Iterator[Any]:
    with copied(server_url, template_name, name) as url:
        connection = psycopg2.connect(url)
        connection.autocommit = True
        for statement in statements:
            connection.cursor().execute(statement)
        yield connection
        connection.close()


@pytest.fixture(scope="module")
def country(server_url: str, template_name: str) -> Iterator[Any]:
    yield from prepared(server_url, template_name, "plans", FILL, ANALYZE)


@pytest.fixture(scope="module", params=["statistics of empty tables", "fresh statistics"])
def any_statistics(
    request: pytest.FixtureRequest, server_url: str, template_name: str
) -> Iterator[Any]:
    steps = (FILL, ANALYZE) if request.param == "fresh statistics" else (ANALYZE, FILL)
    yield from prepared(server_url, template_name, "any_plans", *steps)


def plan(connection: Any, statement: str, *values: object) -> str:
    cursor = connection.cursor()
    cursor.execute(f"EXPLAIN {statement}", values)
    return "\n".join(line for (line,) in cursor.fetchall())


def scans(connection: Any) -> tuple[int, int]:
    """Sequential scans of shops and scans of its position indexes, up to now."""
    cursor = connection.cursor()
    cursor.execute("SELECT pg_stat_force_next_flush()")
    cursor.execute(
        "SELECT t.seq_scan, sum(i.idx_scan)::bigint"
        " FROM pg_stat_user_tables t JOIN pg_stat_user_indexes i USING (relid)"
        " WHERE t.relname = 'shops' AND i.indexrelname IN ('shops_geog_idx', 'shops_geom_idx')"
        " GROUP BY t.seq_scan"
    )
    found: tuple[int, int] = cursor.fetchone()
    return found


def scans_of(connection: Any, index: str) -> int:
    """Scans of one index of shops, up to now."""
    cursor = connection.cursor()
    cursor.execute("SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = %s", (index,))
    found: tuple[int] = cursor.fetchone()
    return found[0]


@pytest.mark.parametrize(
    "radius_m", RADII_M[:4]
)  # for a circle that contains all shops, the table is read sequentially
def test_shops_near_is_inlined_and_uses_the_index(country: Any, radius_m: int) -> None:
    text = plan(country, "SELECT id FROM shops_near(point_at(127, 37.5), %s)", radius_m)
    assert "Function Scan" not in text
    assert "shops_geog_idx" in text


@pytest.mark.parametrize("at_most", [10, 1000])
@pytest.mark.parametrize("radius_m", RADII_M)
def test_the_map_call_uses_the_index_with_kept_plans_too(
    any_statistics: Any, radius_m: int, at_most: int
) -> None:
    before = scans(any_statistics)
    cursor = any_statistics.cursor()
    for _ in range(8):  # from the sixth call on, PostgreSQL may use a generic plan
        cursor.execute(
            "SELECT shops_around(127, 37.5, 127, 37.5, %s, NULL, '', %s)", (radius_m, at_most)
        )
    after = scans(any_statistics)
    assert after[0] == before[0], "a sequential scan"
    assert after[1] >= before[1] + 8


def test_the_map_call_uses_the_index_of_a_box(any_statistics: Any) -> None:
    before = scans(any_statistics)
    any_statistics.cursor().execute(
        "SELECT shops_around(127, 37.5, 127, 37.5, NULL, NULL, '', 1000,"
        """ filters => jsonb_populate_record(NULL::shop_filters, '{"box": [127, 37, 127.2, 37.2]}'))"""
    )
    after = scans(any_statistics)
    assert after[0] == before[0], "a sequential scan"
    assert after[1] > before[1]


def test_a_box_uses_the_planar_index(country: Any) -> None:
    assert "shops_geom_idx" in plan(country, "SELECT id FROM shops_in_box(127, 37, 127.2, 37.2)")


@pytest.mark.parametrize("view", ["v_shop", "v_shop_open"])
def test_the_box_of_a_map_uses_the_index_through_the_views(country: Any, view: str) -> None:
    box = "ST_MakeEnvelope(127, 37, 127.2, 37.2, 4326)"
    assert "shops_geom_idx" in plan(country, f"SELECT id, geom FROM {view} WHERE geom && {box}")


def test_the_json_of_a_shop_is_inlined(country: Any) -> None:
    cursor = country.cursor()
    cursor.execute(
        "EXPLAIN (VERBOSE) SELECT shop_json(s.card, s.counts, NULL, NULL, '', 5, false) FROM shops s"
    )
    text = "\n".join(line for (line,) in cursor.fetchall())
    assert "shop_json(" not in text and "distance_text(" not in text


HOT = {
    "detail": "SELECT shop_detail(%(shop)s, 127, 37, '', 'Asia/Seoul')",
    "reviews": "SELECT shop_reviews_json(%(shop)s, 'newest', 'Asia/Seoul', 100, 20, 0)",
    "favorite": "SELECT favorite_json(%(favorite)s, 'POINT(127 37)', '')",
    "map": "SELECT shops_around(127, 37.5, 127, 37.5, 1000000, NULL, '', 1000)",
    "map by rating": "SELECT shops_around(127, 37.5, 127, 37.5, 1000000, NULL, '', 1000, sort => 'rating')",
    "map in English": "SELECT shops_around(127, 37.5, 127, 37.5, 1000000, NULL, '', 1000, lang => 'en')",
    "detail in English": "SELECT shop_detail(%(shop)s, 127, 37, '', 'Asia/Seoul', lang => 'en')",
    "shape in English": "SELECT shops_json(ARRAY[%(shop)s], NULL, NULL, NULL, 'POINT(127 37)', '', NULL, 'rating', 20, 0, 'en')",
}
# includes calls that earlier transactions have not reported yet
CALLED = """
SELECT c.funcname, c.calls
FROM pg_stat_xact_user_functions c JOIN pg_proc p ON p.oid = c.funcid JOIN pg_language l ON l.oid = p.prolang
WHERE l.lanname = 'sql'"""


@pytest.mark.parametrize("statement", HOT)
def test_hot_statements_inline_their_sql_functions(make: Maker, statement: str) -> None:
    shop, member = make.shop(at=(127, 37.5)), make.member()
    make.review(member, shop)
    ids = {"shop": shop, "favorite": make.favorite(member, shop)}
    make.sql("SELECT refresh_shop_displays(0, 100, true)")
    cursor = make.connection.cursor()
    cursor.execute("BEGIN")
    # planning with known values calls the functions of constants
    cursor.execute("SET LOCAL plan_cache_mode = force_generic_plan")
    cursor.execute("SET LOCAL track_functions = 'all'")
    cursor.execute(CALLED)
    before = cursor.fetchall()
    cursor.execute(HOT[statement], ids)
    (body,) = cursor.fetchone()
    cursor.execute(CALLED)
    called = set(cursor.fetchall()) - set(before)
    cursor.execute("ROLLBACK")
    assert "인생네컷" in body or "좋아요" in body
    assert called == set()


SHAPES = {
    "within": "SELECT list_shops_within('POLYGON((127 37,127.2 37,127.2 37.2,127 37.2,127 37))', {list})",
    "within, cut": "SELECT list_shops_within('POLYGON((125 33,131 33,131 38,125 38,125 33))', {list}, most_examined => 500)",
    "along": "SELECT list_shops_along('LINESTRING(127 37,128 36)', 2000, {list})",
    "meet": "SELECT list_shops_meet(ARRAY[127, 129], ARRAY[37.5, 35], false, {list})",
    "meet, by sum": "SELECT list_shops_meet(ARRAY[127, 129], ARRAY[37.5, 35], true, {list})",
    "meet, of many": "SELECT list_shops_meet(ARRAY[127, 129], ARRAY[37.5, 35], false, {brands})",
}
# all of a thousand shops are read
OF_FEW = {
    "within": "SELECT list_shops_within('POLYGON((125 33,131 33,131 38,125 38,125 33))', {few}, most_examined => 500)",
    "along": "SELECT list_shops_along('LINESTRING(125 33,131 38)', 2000, {few}, most_examined => 1)",
    "meet": "SELECT list_shops_meet(ARRAY[127, 129], ARRAY[37.5, 35], false, {few})",
}


def options(brands: str) -> str:
    return f"127, 37, {brands}, true, NULL, 'distance', '', 1000, 20, 0"


@pytest.mark.parametrize("search", SHAPES)
def test_searches_by_shape_use_the_index(any_statistics: Any, search: str) -> None:
    cursor = any_statistics.cursor()
    cursor.execute("SET enable_seqscan = on")
    before = scans(any_statistics)
    for _ in range(8):
        cursor.execute(
            SHAPES[search].format(list=options("NULL"), brands=options("ARRAY[1, 2, 3, 4]"))
        )
    after = scans(any_statistics)
    assert after[0] == before[0], "a sequential scan"
    assert after[1] >= before[1] + 8


@pytest.mark.parametrize("search", OF_FEW)
def test_shops_of_few_are_read_through_the_index_of_brands(
    any_statistics: Any, search: str
) -> None:
    cursor = any_statistics.cursor()
    before, read = scans(any_statistics), scans_of(any_statistics, "shops_brand_id_idx")
    for _ in range(8):
        cursor.execute(OF_FEW[search].format(few=options("ARRAY[5]")))
    assert scans(any_statistics)[0] == before[0], "a sequential scan"
    assert scans_of(any_statistics, "shops_brand_id_idx") >= read + 8


@pytest.mark.parametrize("search", ["within", "along", "meet", "meet, by sum"])
def test_searches_by_shape_read_a_part_of_the_shops(any_statistics: Any, search: str) -> None:
    cursor = any_statistics.cursor()
    read = "SELECT coalesce(sum(idx_tup_fetch + seq_tup_read), 0)::bigint FROM pg_stat_xact_user_tables WHERE relname = 'shops'"
    cursor.execute("BEGIN")
    cursor.execute(read)
    (before,) = cursor.fetchone()
    cursor.execute(SHAPES[search].format(list=options("NULL")))
    cursor.execute(read)
    (after,) = cursor.fetchone()
    cursor.execute("COMMIT")
    assert 0 < after - before < 5000


def test_analyze_computes_no_search_terms(make: Maker) -> None:
    make.brand_alias(make.brand(), "인생")
    make.region_alias(make.region("서울특별시", level="sido"), "首爾")
    station = make.station("강남", at=(127.03, 37.5))
    make.insert("station_aliases", station_id=station, alias="カンナム", lang="ja")
    make.sql("ANALYZE brands, brand_aliases, regions, region_aliases, stations, station_aliases")
    indexes = "SELECT count(*) FROM pg_indexes WHERE indexname ~ %s"
    analyzed = "SELECT count(DISTINCT tablename) FROM pg_stats WHERE tablename ~ %s"
    assert make.sql(analyzed, "_jamo_idx$") == 5
    assert make.sql(indexes, "_(terms|spellings)_idx$") == 11
    assert make.sql(analyzed, "_(terms|spellings)_idx$") == 0
