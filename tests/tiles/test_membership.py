"""Tests that each shop is in exactly one tile and cell per zoom level, in live and in precomputed tiles."""

from __future__ import annotations

import random

import pytest
from pyproj import Transformer

from tests.make import Maker
from tests.tiles.conftest import GetFeatures, place
from tests.tiles.mvt import Feature

WORLD_M = 20037508.342789244
TO_MERCATOR = Transformer.from_crs("EPSG:4326", "EPSG:3857", always_xy=True)
EDGES = [
    (180.0, 10.0), (-180.0, 10.0), (179.99999999, -10.0), (-179.99999999, 10.0), (0.0, 0.0),
    (0.0, 90.0), (0.0, -90.0), (180.0, 90.0), (-180.0, -90.0), (30.0, 85.0511287798066),
    (30.0, -85.0511287798066), (30.0, 85.06), (30.0, -85.06), (90.0, 0.0), (-90.0, 66.51326044311186),
    (45.0, -40.97989806962013), (1e-9, -1e-9), (-1e-9, 1e-9), (127.08984375, 37.50972584293751),
]  # fmt: skip
DENSE = 120
BEFOREHAND = pytest.mark.parametrize("beforehand", [False, True], ids=["live", "beforehand"])


def points() -> list[tuple[float, float]]:
    """Corners and edges of tiles, the whole world, and one crowd."""
    rng = random.Random(5)
    world = [(rng.uniform(-180, 180), rng.uniform(-90, 90)) for _ in range(60)]
    return EDGES + world + [(rng.gauss(127.03, 0.02), rng.gauss(37.5, 0.02)) for _ in range(DENSE)]


def fill(make: Maker, *, beforehand: bool) -> list[tuple[float, float]]:
    positions = points()
    for number, at in enumerate(positions):
        make.shop(f"s{number}", at=at)
    make.shop("closed", status="CLOSED")
    if beforehand:
        assert make.sql("SELECT refresh_tile_grid(now(), 1)") > 0
    return positions


def around(positions: list[tuple[float, float]], z: int) -> set[tuple[int, int]]:
    """Every tile that contains a shop or is adjacent to one, also across the 180th meridian."""
    side = 2**z
    places = [place(*at, z) for at in positions]
    return {
        ((x + dx) % side, y + dy)
        for x, y in places
        for dx in (-1, 0, 1)
        for dy in (-1, 0, 1)
        if 0 <= y + dy < side
    }


def count(features: list[Feature]) -> int:
    return sum(feature.properties.get("shop_cnt", 1) for feature in features)


@BEFOREHAND
def test_the_tiles_of_a_zoom_level_hold_every_open_shop_once(
    make: Maker, get_features: GetFeatures, beforehand: bool
) -> None:
    positions = fill(make, beforehand=beforehand)
    for z in (0, 1, 2, 3):
        side = range(2**z)
        assert sum(count(get_features(z, x, y)) for x in side for y in side) == len(positions), z
    for z in (7, 11, 14):
        assert sum(count(get_features(z, x, y)) for x, y in around(positions, z)) == len(
            positions
        ), z


def test_each_shop_is_shown_in_one_tile(make: Maker, get_features: GetFeatures) -> None:
    positions = fill(make, beforehand=False)
    for z in (15, 18, 20):
        shown = [
            f.properties["shop_id"] for x, y in around(positions, z) for f in get_features(z, x, y)
        ]
        assert sorted(shown) == list(range(1, len(positions) + 1)), z


def test_points_have_the_projected_position(make: Maker, get_features: GetFeatures) -> None:
    z = 15
    for number, at in enumerate(points()[-DENSE : -DENSE + 20]):
        make.shop(f"s{number}", at=at)
        x, y = place(*at, z)
        (shop,) = [f for f in get_features(z, x, y) if f.properties["place_name"] == f"s{number}"]
        east_m, north_m = TO_MERCATOR.transform(*at)
        unit_m = 2 * WORLD_M / 2**z / 4096
        assert 0 <= (east_m + WORLD_M) / unit_m - (4096 * x + shop.x) < 1
        assert 0 <= (WORLD_M - north_m) / unit_m - (4096 * y + shop.y) < 1


@BEFOREHAND
def test_each_cell_has_at_most_one_cluster(
    make: Maker, get_features: GetFeatures, beforehand: bool
) -> None:
    positions = fill(make, beforehand=beforehand)
    for z in (3, 11, 14):
        for x, y in around(positions, z):
            clusters = get_features(z, x, y)
            assert all(0 <= f.x < 4096 and 0 <= f.y < 4096 for f in clusters)
            assert len({(f.x // 64, f.y // 64) for f in clusters}) == len(clusters)


def test_beyond_the_map_shops_are_in_the_outermost_rows(
    make: Maker, get_features: GetFeatures
) -> None:
    pole = make.shop("pole", at=(10.0, 89.9))
    make.shop("south", at=(10.0, -86.0))
    (shop,) = get_features(15, 17294, 0)
    assert (shop.id, shop.y) == (pole, 0)
    (south,) = get_features(4, 8, 15)
    assert south.y == 4095
