"""Tests analysis scripts about distances on small towns, with results computed by hand and by pyproj."""

from __future__ import annotations

import math
import random

import pytest
from pyproj import Geod

from tests.sql import plane

GEOD = Geod(ellps="GRS80")
# In Seoul, lengths in EPSG:5179 are 0.04 % too short: metres in the plane equal metres on the ground within 0.1 %.
PLANE = 1e-3


def by(rows, *names):
    return {tuple(r[n] for n in names) if len(names) > 1 else r[names[0]]: r for r in rows}


def geodesic_m(a, b):
    return GEOD.inv(*plane.at(*a), *plane.at(*b))[2]


def test_01_nearest_rival_is_of_another_brand_and_measured_on_the_spheroid(town, run_script):
    town.draw("a x . . b", step_m=100)
    town.shop("c", 5000, 0, "X")
    rows = by(run_script(1), "shop_id")
    ids = town.ids
    rivals = {s: (rows[i]["nearest_id"], rows[i]["nearest_brand"]) for s, i in ids.items()}
    assert rivals == {
        "a": (ids["x"], "X"),
        "x": (ids["a"], "A"),
        "b": (ids["x"], "X"),
        "c": (ids["b"], "B"),
    }
    assert rows[ids["b"]]["distance_m"] == pytest.approx(geodesic_m((400, 0), (100, 0)), abs=1e-3)
    assert rows[ids["c"]]["distance_m"] == pytest.approx(geodesic_m((5000, 0), (400, 0)), abs=1e-3)


def test_01_grid_and_index_agree_and_the_width_of_the_grid_changes_nothing(town, run_script):
    places = random.Random(1)
    for n in range(60):
        town.shop(f"s{n}", places.uniform(0, 3000), places.uniform(0, 3000), "ABC"[n % 3])
    responses = [
        [
            (r["shop_id"], r["nearest_id"], round(r["distance_m"], 6))
            for r in run_script(1, near_m=near)
        ]
        for near in (1, 150, 5000)
    ]
    assert responses[0] == responses[1] == responses[2]
    assert len(responses[0]) == 60


# On the sphere, by which the index orders, the place in the east is nearer.
NORTH, EAST = (0, 10_000), (10_010, 0)


def test_01_and_19_the_nearest_rival_is_the_nearest_on_the_spheroid(town, run_script):
    town.shop("a", 0, 0)
    for symbol, place in (("east", EAST), ("north", NORTH)):
        town.shop(symbol, *place, brand="X")
    assert geodesic_m((0, 0), NORTH) < geodesic_m((0, 0), EAST)
    assert by(run_script(1), "shop_id")[town.ids["a"]]["nearest_id"] == town.ids["north"]
    edge = (geodesic_m((0, 0), NORTH) + geodesic_m((0, 0), EAST)) / 2
    nearer, further = run_script(19, bands_m=f"{edge:.3f}")
    assert (nearer["shops"], further["shops"]) == (2, 1)


def test_01_a_rival_across_the_border_counts_and_no_rival_is_null(town, run_script):
    town.draw("a x", step_m=100)
    town.region("서울특별시", -50, -50, 100, 100)
    assert [r["nearest_id"] for r in run_script(1, region="서울특별시")] == [town.ids["x"]]
    town.make.sql("UPDATE shops SET status = 'CLOSED' WHERE id = %s", town.ids["x"])
    assert [(r["nearest_id"], r["distance_m"]) for r in run_script(1)] == [(None, None)]


def test_02_pairs_within_the_radius_once_each_with_percentiles(town, run_script):
    # pairs of A in a row at 0, 100, 300: 100, 200, 300 m; the fourth is out of reach of the rest
    town.shop("a", 0, 0)
    town.shop("b", 100, 0)
    town.shop("c", 300, 0)
    town.shop("d", 5000, 0)
    town.shop("x", 50, 0, "X")
    rows = run_script(2, radius_m=1000)
    ids = town.ids
    assert [(r["shop_id"], r["sister_id"]) for r in rows] == [
        (ids["a"], ids["b"]),
        (ids["b"], ids["c"]),
        (ids["a"], ids["c"]),
    ]
    assert [r["distance_m"] for r in rows] == pytest.approx([100, 200, 300], abs=0.01)
    assert {r["brand_pairs"] for r in rows} == {3}
    assert rows[0]["brand_median_m"] == pytest.approx(200, abs=0.01)
    assert rows[0]["brand_p10_m"] == pytest.approx(120, abs=0.01)
    assert len(run_script(2, radius_m=1000, max_pairs=1)) == 1


def test_03_overlap_is_the_lens_of_two_circles(town, run_script):
    town.shop("a", 0, 0)
    town.shop("b", 500, 0)
    town.shop("x", 100, 0, "X")
    town.shop("far", 1501, 400)
    (row,) = run_script(3, radius_m=500)
    d, r = 500, 500
    lens = 2 * r * r * math.acos(d / (2 * r)) - d / 2 * math.sqrt(4 * r * r - d * d)
    assert row["overlap_m2"] == pytest.approx(lens, rel=2e-3)
    assert row["overlap_pct_a"] == pytest.approx(100 * lens / (math.pi * r * r), rel=2e-3)
    assert row["overlap_pct_a"] == row["overlap_pct_b"]
    assert (row["distance_m"], row["pairs_total"]) == (pytest.approx(500, abs=0.01), 1)


def test_14_reach_is_minutes_times_speed_over_detour(town, run_script):
    # 13 min × 80 m / 1.3 = 800 m
    town.draw("a . . b", step_m=250)
    town.shop("c", 0, 801)
    town.make.insert(
        "population_cells", population=100, cell="SRID=4326;" + square_wkt(-1000, -1000, 2000)
    )
    rows = by(run_script(14, minutes=13), "shop_id")
    row = rows[town.ids["a"]]
    assert (row["radius_m"], row["shops_inside"]) == (pytest.approx(800), 1)
    assert row["area_km2"] == pytest.approx(math.pi * 0.64)
    # the circle is inside the cell of 4 km²: 100 people × area of its 64 corners / 4
    assert row["pop_inside"] == pytest.approx(100 * math.pi * 0.64 / 4, rel=3e-3)
    assert rows[town.ids["c"]]["shops_inside"] == 0


def square_wkt(x, y, size):
    corners = [(x, y), (x + size, y), (x + size, y + size), (x, y + size), (x, y)]
    return (
        "MULTIPOLYGON((("
        + ",".join("{} {}".format(*plane.at(*corner)) for corner in corners)
        + ")))"
    )


def test_19_bands_leave_unrated_shops_out_of_the_rating_and_the_line_is_least_squares(
    town, run_script
):
    # rivals at 100 m (a-x) and 1000 m (b-y), far from each other
    town.shop("a", 0, 0, "A")
    town.shop("x", 100, 0, "X")
    town.shop("b", 20000, 0, "A")
    town.shop("y", 21000, 0, "X")
    town.rate("a", 2, 4)
    town.rate("b", 5)
    town.rate("y", 5)
    rows = run_script(19, bands_m="200,500")
    assert [(r["band_from_m"], r["band_to_m"], r["shops"]) for r in rows] == [
        (0, 200, 2),
        (200, 500, 0),
        (500, None, 2),
    ]
    assert [(r["avg_rating"], r["avg_reviews"]) for r in rows] == [(3, 1), (None, None), (5, 1)]
    # ratings 3 at 0.1 km, 5 and 5 at 1 km: slope 2 / 0.9 km
    assert rows[0]["slope_rating_per_km"] == pytest.approx(2 / 0.9, rel=PLANE)
    assert rows[0]["corr_rating"] == pytest.approx(1)
    # reviews 2 and 0 at 0.1 km, 1 and 1 at 1 km: no correlation
    assert rows[0]["corr_reviews"] == pytest.approx(0, abs=1e-3)


def test_20_station_bands_and_the_share_of_the_brand(town, run_script):
    town.draw("a . . . b . . . . . . x", step_m=100)
    town.shop("far", 60_000, 0, "A")
    longitude, latitude = plane.at(100, 0)
    for line in ("2호선", "9호선"):
        town.make.insert(
            "stations", name="강남", line=line, geog=f"SRID=4326;POINT({longitude} {latitude})"
        )
    rows = by(run_script(20), "shop_id")
    ids = town.ids
    assert {s: rows[i]["band"] for s, i in ids.items()} == {
        "a": "0-250",
        "b": "250-500",
        "x": "1000-2000",
        "far": "2000+",
    }
    assert rows[ids["a"]]["line"] == "2호선"
    assert rows[ids["a"]]["distance_m"] == pytest.approx(100, rel=PLANE)
    # brand A: a within 500 m, far not
    assert rows[ids["a"]]["brand_pct_within_500m"] == 50
    assert rows[ids["x"]]["brand_pct_within_500m"] == 0


def test_20_the_nearest_station_is_the_nearest_on_the_spheroid(town, run_script):
    town.shop("a", 0, 0)
    for name, place in (("동쪽", EAST), ("북쪽", NORTH)):
        longitude, latitude = plane.at(*place)
        town.make.insert(
            "stations", name=name, geog=f"SRID=4326;POINT({longitude} {latitude})", line="1호선"
        )
    (row,) = run_script(20)
    assert row["station"] == "북쪽"
    assert row["distance_m"] == pytest.approx(geodesic_m((0, 0), NORTH), abs=1e-3)


def test_20_without_stations_everything_is_null(town, run_script):
    town.draw("a", step_m=100)
    (row,) = run_script(20)
    assert (row["station"], row["distance_m"], row["band"], row["geom"]) == (None,) * 4
    assert row["brand_pct_within_500m"] == 0


def test_22_verdicts_by_brand_name_and_distance(town, run_script):
    town.shop("a", 0, 0, name="하늘사진관 강남점")
    town.shop("b", 20, 0, name="하늘사진관 강남 점")
    town.shop("c", 0, 20, "C", name="하늘사진관 강남점")
    town.shop("d", 49, 0, name="전혀다른이름")
    town.shop("e", 500, 0, name="하늘사진관 강남점")
    rows = by(run_script(22), "shop_a", "shop_b")
    ids = town.ids
    assert rows[ids["a"], ids["b"]]["verdict"] == "duplicate"
    assert rows[ids["a"], ids["b"]]["name_sim"] == 1
    assert rows[ids["a"], ids["c"]]["verdict"] == "likely"
    assert not rows[ids["a"], ids["c"]]["same_brand"]
    assert rows[ids["a"], ids["d"]]["verdict"] == "look"
    assert (ids["c"], ids["d"]) not in rows
    assert all(ids["e"] not in pair for pair in rows)
