"""The box that goes to the index: it holds the whole circle wherever it is not null."""

from __future__ import annotations

import random
from typing import Any

import pytest

from geoshops.web.paging import ItemList
from tests.make import Maker

HOLDS = """
SELECT bool_and(ST_Covers(box, ST_Project(point_at(lon, lat), radius_m, radians(azimuth))::geometry))
FROM (SELECT %s::float8 AS lon, %s::float8 AS lat, %s::float8 AS radius_m) circle,
  box_around(lon, lat, radius_m) box, generate_series(0, 345, 15) azimuth"""
BOX = "SELECT box_around(%s, %s, %s) IS NULL"


def test_the_box_holds_the_circle(make: Maker) -> None:
    dice = random.Random(7)
    for _ in range(300):
        lon, lat = dice.uniform(-178, 178), dice.uniform(-85, 85)
        radius_m = dice.choice((1, 500, 2000, 10_000))
        assert make.rows(HOLDS, lon, lat, radius_m) == [(True,)], (lon, lat, radius_m)


def test_the_box_is_no_larger_than_it_must_be(make: Maker) -> None:
    ((share,),) = make.rows(
        "SELECT ST_Area(box::geography) / (4 * 2000 * 2000) FROM box_around(127.0276, 37.4979, 2000) box"
    )
    assert 1 <= share < 1.02


def test_there_is_no_box_at_a_pole_or_across_the_180th_meridian(make: Maker) -> None:
    for lon, lat, radius_m in ((0, 89.99, 2000), (0, -89, 2000), (179.99, 0, 2000), (-180, 37, 1)):
        assert make.rows(BOX, lon, lat, radius_m) == [(True,)]
    assert make.rows(BOX, 179.9, 0, 2000) == [(False,)]


@pytest.mark.parametrize("at_most", [10, 2])
def test_the_map_call_finds_shops_by_the_index_on_degrees(make: Maker, at_most: int) -> None:
    """The index stands on one spelling of the cast; with another, every shop of the brands was read.

    The others may be missing after a large load; a circle that holds more than is answered waits for none either."""
    for _ in range(3):
        make.shop()
    cursor = make.connection.cursor()
    cursor.execute("BEGIN")
    try:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(
            "DROP INDEX shops_geog_idx, shops_brand_id_idx, shops_brand_spot_idx, shops_region_spot_idx"
        )
        before = scans(cursor)
        cursor.execute(
            "SELECT shops_around(127.0276, 37.4979, 127.0276, 37.4979, 500, NULL, '', %s)",
            (at_most,),
        )
        assert ItemList.parse(cursor.fetchone()[0].encode()).total == min(at_most, 3)
        after = scans(cursor)
    finally:
        cursor.execute("ROLLBACK")
    assert after[0] == before[0]
    assert after[1] > before[1]


def scans(cursor: Any) -> tuple[int, int]:
    """Sequential and index scans of shops that this connection has not reported yet.

    Earlier transactions count, too, until they are reported."""
    cursor.execute(
        "SELECT seq_scan, idx_scan FROM pg_stat_xact_user_tables WHERE relname = 'shops'"
    )
    seq_scan, idx_scan = cursor.fetchone()
    return seq_scan, idx_scan
