"""Tests that precomputed cells equal live ones, as of the last refresh."""

from __future__ import annotations

import random

from flask import Flask

from geoshops.tiles.commands import commands
from tests.make import GANGNAM, Maker
from tests.tiles.conftest import GetFeatures, place

LIVE = """
SELECT t.zoom, t.x, t.y, c.cell, c.place_x, c.place_y, c.expansion_zoom, c.shop_cnt, c.review_cnt, c.star_rating_sum,
  c.shop_id
FROM crowded_tiles t CROSS JOIN LATERAL live_cells(t.zoom, t.x, t.y, selected_brands(%s)) c"""
BEFOREHAND = """
SELECT zoom, x, y, cell, place_x, place_y, expansion_zoom, shop_cnt, review_cnt, star_rating_sum, shop_id
FROM tile_cells WHERE selection = %s"""


def country(make: Maker, count: int = 400) -> None:
    """Shops of four kinds of brand in two crowds, some reviewed."""
    rng = random.Random(11)
    parent = make.brand("인생네컷")
    brands = [
        parent,
        make.brand("인생네컷 플러스", representative=False, parent_id=parent),
        make.brand("동네네컷", representative=False),
        None,
    ]
    member = make.member()
    for number in range(count):
        lon, lat = rng.choice([GANGNAM, (129.06, 35.16)])
        at = (rng.gauss(lon, 0.05), rng.gauss(lat, 0.05))
        shop = make.shop(f"s{number}", at=at, brand_id=rng.choice(brands))
        for _ in range(rng.randrange(3)):
            make.review(member, shop, star_rating=rng.randint(1, 5))


def refresh(make: Maker, crowded_from: int = 20) -> int:
    return int(make.sql("SELECT refresh_tile_grid(now(), %s)", crowded_from))


def test_counted_beforehand_is_counted_now(make: Maker) -> None:
    country(make)
    refresh(make)
    assert make.sql("SELECT max(zoom) FROM crowded_tiles") > 9
    for selection in (0, -1, 1, 2, 3):
        live = make.rows(LIVE, selection)
        assert len(live) > 50
        assert sorted(live) == sorted(make.rows(BEFOREHAND, selection))


def test_the_cells_of_a_zoom_level_add_up(make: Maker) -> None:
    country(make)
    refresh(make, 1)
    levels = make.rows("SELECT zoom, sum(shop_cnt) FROM tile_cells WHERE selection = 0 GROUP BY 1")
    assert sorted(levels) == [(zoom, 400) for zoom in range(15)]


def test_only_crowded_tiles_are_counted_beforehand(make: Maker) -> None:
    country(make)
    refresh(make, 401)
    assert make.rows("TABLE crowded_tiles") == make.rows("TABLE tile_cells") == []
    refresh(make, 400)
    assert make.sql("SELECT min(zoom) FROM crowded_tiles") == 0
    assert make.sql("SELECT count(*) = count(DISTINCT zoom) FROM crowded_tiles")


def test_what_did_not_change_is_not_written(make: Maker) -> None:
    country(make)
    assert refresh(make) > 0
    assert refresh(make) == 0
    make.review(make.member(), 1)
    assert 0 < refresh(make) < 100
    make.sql("UPDATE shops SET status = 'CLOSED'")
    refresh(make)
    assert make.sql("SELECT count(*) FROM tile_cells") == 0


def test_a_new_shop_shows_at_once_from_zoom_15_and_in_sparse_tiles(
    make: Maker, get_features: GetFeatures
) -> None:
    country(make)
    refresh(make)

    def shops_of(z: int) -> int:
        return sum(f.properties.get("shop_cnt", 1) for f in get_features(z, *place(*GANGNAM, z)))

    before = {z: shops_of(z) for z in (6, 14, 15)}
    make.shop("new")
    after = {z: shops_of(z) - before[z] for z in before}
    assert after == {6: 0, 14: 1, 15: 1}
    refresh(make)
    assert shops_of(6) - before[6] == 1


def test_the_command_refreshes(app: Flask, make: Maker) -> None:
    make.insert("crowded_tiles", zoom=0, x=0, y=0, refreshed_at="2026-11-20 10:00+09")
    make.shop()
    result = app.test_cli_runner().invoke(commands, ["refresh", "--json"])
    assert (result.exit_code, result.output) == (0, '{"changed": 0}\n')
    assert make.sql("SELECT count(*) FROM crowded_tiles") == 0


def test_a_live_tile_is_found_by_the_index(make: Maker) -> None:
    make.shop()
    make.sql("SET enable_seqscan = off")
    plan = make.rows("EXPLAIN SELECT * FROM live_cells(12, 3494, 1587, NULL)")
    make.sql("RESET enable_seqscan")
    assert any("shops_geom_idx" in line for (line,) in plan)
