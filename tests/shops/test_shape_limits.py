"""Tests the limits of searches by shape: listed shops and counts, which are exact for brands with few shops."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

from geoshops.web.paging import ItemList
from tests.geodesic_shapes import Floats, is_within, passages, ways
from tests.make import Maker

PEOPLE = [(127.0, 37.5), (127.2, 37.42)]
RING = [(126.95, 37.35), (127.25, 37.35), (127.25, 37.6), (127.1, 37.45), (126.95, 37.35)]
LINE = [(126.95, 37.4), (127.1, 37.55), (127.25, 37.38)]
CAP = 200
CROWD, RARE = 2000, 12
NO_ONE = """jsonb_populate_record(NULL::shop_filters, '{"min_rating": 5}')"""
RATED = """jsonb_populate_record(NULL::shop_filters, '{"min_rating": 4}')"""


@pytest.fixture
def town(make: Maker) -> Floats:
    """Creates shops of a common brand (1), then some of a rare brand (2); every seventh shop has four stars."""
    rng = random.Random(12)
    make.brand("인생네컷")
    make.brand("하루필름")
    points = np.array(
        [(rng.uniform(126.9, 127.3), rng.uniform(37.3, 37.65)) for _ in range(CROWD + RARE)]
    )
    make.sql(
        "INSERT INTO shops (brand_id, place_name, geog, review_cnt, star_rating_sum)"
        " SELECT CASE WHEN n <= %s THEN 1 ELSE 2 END, '점포', point_at(lon, lat), 1, CASE WHEN n %% 7 = 0 THEN 4 ELSE 2 END"
        " FROM unnest(%s, %s) WITH ORDINALITY AS p (lon, lat, n)",
        CROWD, *points.T.tolist(),
    )  # fmt: skip
    # so that the planner and the limits assume thousands of shops
    make.sql("UPDATE brands SET shop_cnt = CASE id WHEN 1 THEN 100000 ELSE 12 END")
    return points


def listed(
    make: Maker,
    call: str,
    *,
    brands: str,
    filters: str = "NULL",
    size: int = 1000,
    at_most: int = 1000,
    cap: int = CAP,
) -> tuple[list[dict[str, Any]], int, bool]:
    """The shops of a list, its total, and whether it is truncated."""
    options = f"NULL, NULL, {brands}, true, {filters}, 'distance', '', {at_most}, {size}, 0, most_examined => {cap}"
    shape = {
        "within": {"type": "Polygon", "coordinates": [RING]},
        "along": {"type": "LineString", "coordinates": LINE},
    }
    statements = {
        "within": "SELECT body FROM list_shops_within(ST_GeomFromGeoJSON(%s)::geography, {})",
        "along": "SELECT body FROM list_shops_along(ST_GeomFromGeoJSON(%s)::geography, 2000, {})",
        "meet": "SELECT list_shops_meet(ARRAY[127, 127.2], ARRAY[37.5, 37.42], false, {})",
        "meet by sum": "SELECT list_shops_meet(ARRAY[127, 127.2], ARRAY[37.5, 37.42], true, {})",
    }  # fmt: skip
    values = [json.dumps(shape[call])] if call in shape else []
    ((text,),) = make.rows(statements[call].format(options), *values)
    items = ItemList.parse(text.encode())
    assert items.total is not None
    return json.loads(items.body), items.total, items.truncated


def expected(points: Floats, call: str) -> list[int]:
    """The expected ids of the points, in the order of the search."""
    if call == "within":
        inside = np.flatnonzero(is_within(points, [[RING]], (-53.0, -37.5)))
        return sorted(inside.tolist())
    if call == "along":
        off, along = passages(points, LINE, 2100)
        near = np.flatnonzero(off <= 2000)
        return [int(n) for n in near[np.argsort(along[near])]]
    distances = ways(points, PEOPLE)
    efforts = distances.sum(axis=1) if call == "meet by sum" else distances.max(axis=1)
    return [int(n) for n in np.argsort(efforts)]


CALLS = ("within", "along", "meet", "meet by sum")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("filters", ["NULL", RATED])
def test_all_shops_of_a_brand_with_few_are_found_behind_thousands_of_others(
    make: Maker, town: Floats, call: str, filters: str
) -> None:
    rare = np.arange(CROWD, CROWD + RARE)
    passing = rare if filters == "NULL" else rare[(rare + 1) % 7 == 0]
    wanted = [int(passing[n]) + 1 for n in expected(town[passing], call)]
    assert wanted
    shops, total, truncated = listed(make, call, brands="ARRAY[2]", filters=filters)
    ids = [shop["id"] for shop in shops]
    assert (sorted(ids) if call == "within" else ids) == wanted
    assert (total, truncated) == (len(wanted), False)


@pytest.mark.parametrize("call", CALLS)
def test_a_counter_that_is_wrong_changes_nothing(make: Maker, town: Floats, call: str) -> None:
    listing = listed(make, call, brands="ARRAY[1]", cap=100_000)
    make.sql("UPDATE brands SET shop_cnt = 0")
    assert listed(make, call, brands="ARRAY[1]", cap=100_000) == listing
    make.sql("UPDATE brands SET shop_cnt = 100000")
    assert listed(make, call, brands="ARRAY[1]", cap=100_000) == listing


def test_closed_shops_of_a_brand_are_not_found(make: Maker, town: Floats) -> None:
    make.sql("UPDATE shops SET status = 'CLOSED' WHERE brand_id = 2 AND id % 2 = 0")
    for call in CALLS:
        shops, total, _ = listed(make, call, brands="ARRAY[2]")
        assert total == len(shops) <= RARE / 2
        assert all(shop["id"] % 2 for shop in shops)


def test_brands_with_more_shops_than_are_looked_at_are_no_few(make: Maker, town: Floats) -> None:
    make.sql("UPDATE brands SET shop_cnt = 0")
    few = "SELECT cardinality(shops_of_few(%s, NULL, %s))"
    assert make.sql(few, [2], RARE) == RARE
    assert make.sql(few, [2], RARE - 1) is None
    assert make.sql(few, [1, 2], CROWD + RARE) == CROWD + RARE
    assert make.sql(few, [1], CROWD - 1) is None
    assert make.sql("SELECT shops_of_few(NULL, NULL)") is None
    # only the counter has changed
    make.sql("UPDATE brands SET shop_cnt = 3001 WHERE id = 2")
    assert make.sql("SELECT shops_of_few(%s, NULL)", [2]) is None


@pytest.mark.parametrize("by", ["meet", "meet by sum"])
@pytest.mark.parametrize("size", [1, 20])
def test_meeting_points_of_a_brand_are_counted_in_all(
    make: Maker, town: Floats, by: str, size: int
) -> None:
    # many by the counter, but the page needs only a few
    make.sql("UPDATE shops SET brand_id = 1")
    make.sql("UPDATE shops SET brand_id = 2 WHERE id % 8 = 0")
    make.sql("UPDATE brands SET shop_cnt = 5000")
    _, total, truncated = listed(make, by, brands="ARRAY[2]", size=size, cap=1000)
    assert (total, truncated) == (251, False)


def test_a_count_of_a_sample_is_marked(make: Maker, town: Floats) -> None:
    count = "SELECT total, truncated FROM count_passing({}, {}, {}, {})"
    for brands, filters, at_most, examined, wanted in (
        ("NULL", "NULL", 1000, 5000, (1001, False)),
        ("NULL", "NULL", 5000, 5000, (CROWD + RARE, False)),
        ("NULL", "NULL", 5000, CROWD + RARE, (CROWD + RARE, False)),
        ("NULL", "NULL", 5000, CROWD + RARE - 1, (CROWD + RARE - 1, True)),
        ("NULL", RATED, 1000, 5000, ((CROWD + RARE) // 7, False)),
        ("NULL", RATED, 1000, 700, (100, True)),
        ("NULL", RATED, 50, 700, (51, False)),
        ("ARRAY[2]", "NULL", 1000, 100, (RARE, False)),
        ("ARRAY[1, 2]", RATED, 1000, 5000, ((CROWD + RARE) // 7, False)),
        ("ARRAY[1]", NO_ONE, 1000, 1999, (0, True)),
        ("ARRAY[1]", NO_ONE, 1000, 2000, (0, False)),
        ("ARRAY[]", "NULL", 1000, 100, (0, False)),
    ):
        brands += "::bigint[]"
        assert make.rows(count.format(brands, filters, at_most, examined)) == [wanted], (
            brands, filters, at_most, examined,
        )  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_of_shops_that_rarely_pass_those_found_are_listed_and_marked(
    make: Maker, town: Floats, call: str
) -> None:
    shops, total, truncated = listed(make, call, brands="ARRAY[1]", filters=RATED)
    assert truncated and total >= len(shops) > 0
    assert all(shop["id"] % 7 == 0 for shop in shops)
    listed_shops, total, truncated = listed(make, call, brands="ARRAY[1]", filters=NO_ONE)
    assert (listed_shops, total, truncated) == ([], 0, True)


@pytest.mark.parametrize("by", ["meet", "meet by sum"])
@pytest.mark.parametrize("size", [1, 20, 300])
def test_meeting_points_that_are_not_marked_are_exact(
    make: Maker, town: Floats, by: str, size: int
) -> None:
    shops, _, truncated = listed(make, by, brands="NULL", size=size, cap=5000)
    assert [shop["id"] for shop in shops] == [n + 1 for n in expected(town, by)[:size]]
    assert truncated
    _, _, truncated = listed(make, by, brands="NULL", size=size, cap=5000, at_most=3000)
    assert not truncated
