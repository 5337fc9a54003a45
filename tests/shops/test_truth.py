"""Compares results and distances of circle searches with GeographicLib (pyproj.Geod)."""

from __future__ import annotations

import json
import random
from math import cos, radians
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from geoshops.geo import HALF_CIRCUMFERENCE_M
from geoshops.web.paging import ItemList
from tests.geodesy import WGS84, distance_text
from tests.make import Maker

QUERIES = [pytest.param(500, id="some"), pytest.param(10_000, id="many", marks=pytest.mark.full)]
AT_MOST = 1000
Points = NDArray[np.float64]


def geodesics(lon: float, lat: float, points: Points) -> NDArray[np.float64]:
    count = len(points)
    _, _, metres = WGS84.inv(np.full(count, lon), np.full(count, lat), points[:, 0], points[:, 1])
    return np.asarray(metres)


def load(make: Maker, points: Points) -> None:
    make.brand()
    make.sql(
        "INSERT INTO shops (brand_id, place_name, geog)"
        " SELECT 1, '점포', point_at(lon, lat) FROM unnest(%s, %s) AS p (lon, lat)",
        *points.T.tolist(),
    )
    make.sql("ANALYZE shops")


def around(
    make: Maker, center: tuple[float, float], user: tuple[float, float], radius_m: int
) -> Any:
    text = make.sql(
        "SELECT shops_around(%s, %s, %s, %s, %s, NULL, '', %s)",
        *center, *user, radius_m, AT_MOST,
    )  # fmt: skip
    items = ItemList.parse(text.encode())
    return json.loads(items.body), items.total, items.truncated


def world(rng: random.Random) -> Points:
    """Points in cities and where arithmetic is difficult: both poles, the 180th meridian, many at one position."""
    spots: list[tuple[float, float]] = []
    spots += [(rng.uniform(126.8, 127.2), rng.uniform(37.4, 37.7)) for _ in range(700)]
    spots += [(rng.uniform(-180, 180), rng.uniform(-90, 90)) for _ in range(400)]
    spots += [
        (rng.choice((-1, 1)) * rng.uniform(179.9, 180), rng.uniform(-18, -16)) for _ in range(300)
    ]
    spots += [
        (rng.uniform(-180, 180), rng.choice((-1, 1)) * rng.uniform(89.5, 90)) for _ in range(300)
    ]
    spots += [(127.0276, 37.4979)] * 60 + [
        (0.0, 90.0),
        (90.0, 90.0),
        (0.0, -90.0),
        (180.0, 0.0),
        (-180.0, 0.0),
    ]
    return np.array(spots)


def random_query(rng: random.Random, points: Points) -> tuple[tuple[float, float], int]:
    lon, lat = points[rng.randrange(len(points))].tolist()
    center = (
        min(180.0, max(-180.0, lon + rng.gauss(0, 0.02))),
        min(90.0, max(-90.0, lat + rng.gauss(0, 0.02))),
    )
    radius_m = rng.choice(
        (1, 50, 500, 2000, 10_000, 100_000, HALF_CIRCUMFERENCE_M, int(10 ** rng.uniform(0, 7.3)))
    )
    return center, max(1, min(radius_m, HALF_CIRCUMFERENCE_M))


def expected(
    points: Points, center: tuple[float, float], user: tuple[float, float], radius_m: int
) -> Any:
    """Ids in order and their distance texts, computed by GeographicLib alone."""
    from_center, from_user = geodesics(*center, points), geodesics(*user, points)
    inside = np.flatnonzero(from_center <= radius_m)
    cut = len(inside) > AT_MOST
    if cut:
        inside = inside[np.lexsort((inside, from_center[inside]))][:AT_MOST]
    order = inside[np.lexsort((inside, from_user[inside]))]
    return order + 1, from_user[order], cut


@pytest.mark.parametrize("count", QUERIES)
def test_random_queries_agree_with_the_oracle(make: Maker, count: int) -> None:
    rng = random.Random(20261120)
    points = world(rng)
    load(make, points)
    wrong_sets = wrong_texts = compared = cuts = 0
    while compared < count:
        center, radius_m = random_query(rng, points)
        user = center if rng.random() < 0.6 else (rng.uniform(-180, 180), rng.uniform(-90, 90))
        ids, metres, cut = expected(points, center, user, radius_m)
        cuts += cut
        if cut and cuts % 20:
            continue  # circles that contain everything are expensive: one in twenty is compared
        shops, total, truncated = around(make, center, user, radius_m)
        compared += 1
        wrong_sets += {s["id"] for s in shops} != set(ids.tolist())
        wrong_sets += truncated != cut or total != len(ids)
        texts = dict(zip(ids.tolist(), map(distance_text, metres.tolist()), strict=True))
        wrong_texts += sum(s["distance"] != texts.get(s["id"]) for s in shops)
    assert (wrong_sets, wrong_texts) == (0, 0)


@pytest.mark.parametrize(
    "center", [(127.0276, 37.4979), (179.9999, -17.0), (10.0, 89.9999), (0.0, 0.0)]
)
def test_one_centimetre_decides(make: Maker, center: tuple[float, float]) -> None:
    radius_m = 2000
    spots = [
        WGS84.fwd(*center, azimuth, radius_m + offset_m)[:2]
        for azimuth in range(0, 360, 15)
        for offset_m in (-50, -0.01, -0.002, 0.002, 0.01, 50)
    ]
    points = np.array(spots)
    load(make, points)
    shops, _, _ = around(make, center, center, radius_m)
    inside = np.flatnonzero(geodesics(*center, points) <= radius_m) + 1
    assert sorted(s["id"] for s in shops) == inside.tolist()
    assert len(inside) == len(spots) // 2


def test_a_cut_circle_holds_the_nearest_by_the_spheroid(make: Maker) -> None:
    rng = random.Random(7)
    points = np.array(
        [(rng.gauss(127, 0.3), rng.gauss(37.5, 0.3)) for _ in range(2500)] + [(127.2, 37.6)] * 500
    )
    load(make, points)
    for _ in range(20):
        center, user = (rng.gauss(127, 0.2), rng.gauss(37.5, 0.2)), (127.0, 37.0)
        ids, metres, cut = expected(points, center, user, HALF_CIRCUMFERENCE_M)
        shops, total, truncated = around(make, center, user, HALF_CIRCUMFERENCE_M)
        assert cut and truncated and total == AT_MOST
        assert [s["id"] for s in shops] == ids.tolist()
        assert [s["distance"] for s in shops] == [distance_text(m) for m in metres.tolist()]


@pytest.mark.parametrize("place", [(10.0, 78.0), (179.9, -17.0), (-179.95, 51.0), (30.0, 89.5)])
def test_a_cut_circle_is_right_where_degrees_mislead(
    make: Maker, place: tuple[float, float]
) -> None:
    """The nearest points in degrees are not the nearest in metres: far north, across the 180th meridian, around a pole."""
    rng = random.Random(8)
    lon, lat = place
    points = np.array([
        ((rng.gauss(lon, 0.4 / cos(radians(lat))) + 180) % 360 - 180, min(rng.gauss(lat, 0.3), 89.99))
        for _ in range(2500)
    ])  # fmt: skip
    load(make, points)
    for radius_m in (100_000, HALF_CIRCUMFERENCE_M):
        ids, _, cut = expected(points, place, place, radius_m)
        shops, total, truncated = around(make, place, place, radius_m)
        assert cut and truncated and total == AT_MOST
        assert [s["id"] for s in shops] == ids.tolist()


def test_distance_text_is_the_same_in_python_and_sql(make: Maker) -> None:
    metres = [
        0,
        0.49,
        0.5,
        999.4,
        999.5,
        1049,
        1050,
        1449.9,
        1950,
        99_949,
        99_950,
        100_499,
        100_500,
        20_003_931,
    ]
    for value in metres:
        assert make.sql("SELECT distance_text(metres(%s::float8))", value) == distance_text(value)
    assert [distance_text(m) for m in (999.4, 999.5, 1049, 1050, 99_949, 99_950, 100_500)] == [
        "999m", "1km", "1km", "1.1km", "99.9km", "100km", "101km",
    ]  # fmt: skip
