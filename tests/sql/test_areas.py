"""Tests analysis scripts about areas with squares and circles of known area."""

from __future__ import annotations

import math
import subprocess

import pytest
import shapely
from pyproj import Geod

from geoshops.analysis import runner, scripts
from tests.sql import plane
from tests.sql.test_distances import by, geodesic_m, square_wkt

GEOD = Geod(ellps="WGS84")


def area_km2(geom):
    return abs(GEOD.geometry_area_perimeter(geom)[0]) / 1e6


def test_04_the_gap_is_the_region_without_the_circle(town, run_script):
    # a square of 10 km with a shop in its middle: 100 km² - π km²
    town.shop("a", 5000, 5000)
    town.region("서울특별시", 0, 0, 10_000, 10_000)
    (row,) = run_script(4, region="서울특별시", radius_m=1000)
    assert row["area_km2"] == pytest.approx(100 - math.pi, abs=0.03)
    assert row["is_boundary"]
    assert (row["gap_id"], row["region_code"]) == (1, "서울특별시")
    # the largest circle in a corner of the square touches two sides and the shop's circle:
    # its centre is c from the corner with √2 (5000 - c) = 1000 + c
    c = (5000 * math.sqrt(2) - 1000) / (1 + math.sqrt(2))
    assert row["max_dist_m"] == pytest.approx(1000 + c, rel=0.02)


def test_04_a_shop_beyond_the_border_covers_its_share_and_gaps_are_apart(town, run_script):
    # three shops along the middle line divide the square into two parts; the third is outside
    for n, x in enumerate((500, 1500, 2100)):
        town.shop(f"s{n}", x, 1000)
    town.region("서울특별시", 0, 0, 2000, 2000)
    assert [r["gap_id"] for r in run_script(4, region="서울특별시", radius_m=600)] == [1, 2]
    town.make.sql("UPDATE shops SET status = 'CLOSED' WHERE id = %s", town.ids["s2"])
    before = sum(
        r["area_km2"] for r in run_script(4, region="서울특별시", radius_m=600, min_km2=0.001)
    )
    town.make.sql("UPDATE shops SET status = 'OPEN' WHERE id = %s", town.ids["s2"])
    after = sum(
        r["area_km2"] for r in run_script(4, region="서울특별시", radius_m=600, min_km2=0.001)
    )
    assert after < before


def test_04_covers_the_union_of_many_circles(town, run_script):
    places = [(4500 + (n * 397.3) % 1000, 4700 + (n * 211.9) % 600) for n in range(80)]
    for n, (x, y) in enumerate(places):
        town.shop(f"s{n}", x, y)
    town.region("서울특별시", 0, 0, 10_000, 10_000)
    circles = shapely.union_all(
        [shapely.Point(place).buffer(800, quad_segs=64) for place in places]
    )
    (row,) = run_script(4, radius_m=800)
    assert row["area_km2"] == pytest.approx(100 - circles.area / 1e6, abs=2e-3 * circles.area / 1e6)


def test_04_without_shops_the_whole_region_is_a_gap_and_without_both_there_is_nothing(
    town, run_script
):
    assert run_script(4) == []
    town.region("서울특별시", 0, 0, 10_000, 10_000)
    (row,) = run_script(4)
    assert (row["max_dist_m"], row["area_km2"]) == (None, pytest.approx(100, rel=1e-4))


def test_05_shares_of_two_regions_reached_across_their_border(town, run_script):
    # the shop is on the border: half of its circle is in each square of 4 km²
    town.shop("a", 2000, 1000)
    town.region("서울특별시", 0, 0, 2000, 2000)
    town.region("경기도", 2000, 0, 2000, 2000)
    town.make.sql("UPDATE shops SET sido_id = (SELECT id FROM regions WHERE name = '경기도')")
    town.make.insert("population_cells", population=800, cell="SRID=4326;" + square_wkt(0, 0, 2000))
    rows = by(run_script(5, radius_m=500), "region_code", "brand")
    half = math.pi * 0.25 / 2
    for region, shops, people in (("서울특별시", 0, 800 * half / 4), ("경기도", 1, 0)):
        for brand in ("A", "(all)"):
            row = rows[region, brand]
            assert row["covered_pct"] == pytest.approx(100 * half / 4, rel=3e-3)
            assert row["shops"] == shops
            assert row["pop_covered"] == pytest.approx(people, rel=3e-3, abs=1e-3)
    assert len(rows) == 4


def test_06_the_furthest_place_is_the_opposite_corner(town, run_script):
    town.shop("a", 0, 0)
    town.region("서울특별시", 0, 0, 10_000, 10_000)
    rows = run_script(6, region="서울특별시", edge_m=100, separation_m=30_000)
    (row,) = rows
    assert row["distance_m"] == pytest.approx(geodesic_m((10_000, 10_000), (0, 0)), abs=200)
    assert row["distance_m"] == pytest.approx(
        Geod(ellps="WGS84").inv(row["lng"], row["lat"], *plane.at(0, 0))[2], abs=1e-3
    )
    assert (row["nearest_id"], row["region"]) == (town.ids["a"], "서울특별시")


@pytest.mark.parametrize("others", [1, 6])
def test_04_and_06_measure_to_the_shop_that_is_nearest_on_the_spheroid(town, run_script, others):
    # on the sphere, by which the index orders, the shops in the east are nearer
    places = {"north": (0, 10_000)} | {f"east {n}": (10_010, n) for n in range(others)}
    for symbol, place in places.items():
        town.shop(symbol, *place)
    town.region("서울특별시", -100, -100, 200, 200)
    (gap,) = run_script(4, region="서울특별시", min_km2=0.01)
    assert gap["max_dist_m"] == pytest.approx(geodesic_m((0, 0), places["north"]), abs=1)
    sites = run_script(6, region="서울특별시", edge_m=20, separation_m=1)
    assert len(sites) == 20
    for site in sites:
        ends = (plane.at(*place) for place in places.values())
        nearest = min(Geod(ellps="WGS84").inv(site["lng"], site["lat"], *end)[2] for end in ends)
        assert site["distance_m"] == pytest.approx(nearest, abs=1e-3)


def test_07_every_shop_once_and_empty_hexagons_too(town, run_script):
    for n in range(50):
        town.shop(f"s{n}", (n * 811.7) % 3000, (n * 1277.3) % 3000)
    town.rate("s0", 5, 4)
    town.rate("s1", 1)
    town.region("서울특별시", 0, 0, 5000, 5000)
    rows = run_script(7, edge_m=300)
    assert sum(r["shops"] for r in rows) == 50
    assert any(r["shops"] == 0 for r in rows)
    hexagon_km2 = 1.5 * math.sqrt(3) * 0.09
    for row in rows:
        assert row["per_km2"] == pytest.approx(row["shops"] / hexagon_km2)
        assert area_km2(row["geom"]) == pytest.approx(hexagon_km2, rel=2e-3)
        assert (row["avg_rating"] is None) == (row["reviews"] == 0)
    # the hexagons that touch a square of 25 km² cover it, and less than a row more on each side
    assert 25 < sum(area_km2(r["geom"]) for r in rows) < 5.6**2 * 1.1
    held = town.make.rows("SELECT id, ST_X(geom), ST_Y(geom) FROM v_shop")
    from shapely import Point

    for row in rows:
        assert sum(row["geom"].covers(Point(x, y)) for _, x, y in held) == row["shops"]


def test_07_average_of_reviews_not_of_shops_and_closed_shops_are_out(town, run_script):
    # one hexagon of 10 km: the average of 5, 5, 2 is 4; the shop without reviews is not counted
    town.draw("a b c d", step_m=10)
    town.rate("a", 5, 5)
    town.rate("b", 2)
    town.make.sql("UPDATE shops SET status = 'CLOSED' WHERE id = %s", town.ids["d"])
    (row,) = [r for r in run_script(7, edge_m=10_000) if r["shops"]]
    assert (row["shops"], row["reviews"], row["avg_rating"]) == (3, 3, 4)


def test_08_clusters_by_hand(town, run_script):
    # five in a cross of 100 m, two far away, one alone
    town.draw(". a .", "b c d", ". E .", step_m=100)
    town.draw("x X", step_m=100)
    for symbol in ("x", "X"):
        town.make.sql(
            "UPDATE shops SET geog = ST_Translate(geog::geometry, 0.1, 0)::geography WHERE id = %s",
            town.ids[symbol],
        )
    town.rate("a", 5, 4)
    (row,) = run_script(8, eps_m=110, min_shops=3)
    assert (row["cluster_id"], row["shops"], row["brands"], row["reviews"]) == (1, 5, 5, 2)
    assert row["avg_rating"] == 4.5
    assert row["radius_m"] == pytest.approx(100, rel=1e-3)
    assert [r["shops"] for r in run_script(8, eps_m=110, min_shops=2)] == [5, 2]
    assert run_script(8, eps_m=90, min_shops=2) == []


def test_09_two_towns_are_two_territories(town, run_script):
    town.draw("a b . . . . . . . . . . c", step_m=1000)
    rows = run_script(9, k=2)
    assert [(r["territory"], r["shops"]) for r in rows] == [(1, 2), (2, 1)]
    assert [r["radius_m"] for r in rows] == pytest.approx([500, 0], abs=0.1)
    assert len(run_script(9, k=10)) == 3
    assert len(run_script(9, k=1, max_radius_m=600)) == 2
    town.make.sql("UPDATE shops SET status = 'CLOSED'")
    assert run_script(9) == []


def test_10_territories_add_up_to_the_region(town, run_script):
    for n in range(25):
        town.shop(f"s{n}", (n * 811.7) % 4000, (n * 1277.3) % 4000)
    town.shop("outside", 4010, 2000)
    town.shop("twin", 811.7, 1277.3)
    town.region("서울특별시", 0, 0, 4000, 4000)
    town.region("경기도", 4000, 0, 1500, 4000)
    rows = run_script(10)
    by_region = {}
    for row in rows:
        by_region[row["region_code"]] = by_region.get(row["region_code"], 0) + row["area_km2"]
        assert row["area_km2"] == pytest.approx(area_km2(row["geom"]), rel=1e-6)
    for name, km2 in town.make.rows("SELECT code, area_km2 FROM v_region"):
        assert by_region[name] == pytest.approx(km2, rel=1e-6)
    owners = by(rows, "shop_id", "region_code")
    assert owners[town.ids["outside"], "서울특별시"]["area_km2"] > 0
    assert owners[town.ids["s1"], "서울특별시"]["shops"] == 2


def test_10_two_shops_halve_a_square_and_one_has_it_all(town, run_script):
    town.shop("a", 500, 1000)
    town.region("서울특별시", 0, 0, 2000, 2000)
    assert [r["area_km2"] for r in run_script(10)] == pytest.approx([4], rel=1e-3)
    town.shop("b", 1500, 1000)
    assert [r["area_km2"] for r in run_script(10)] == pytest.approx([2, 2], rel=1e-3)


def test_10_a_shop_on_the_other_side_of_the_earth_changes_nothing(town, run_script):
    town.shop("a", 500, 1000)
    town.shop("b", 1500, 1000)
    town.region("서울특별시", 0, 0, 2000, 2000)
    before = run_script(10, region="서울특별시")
    for place in ((-74.0, 40.7), (-52.5, -38.0), (0.0, 0.0)):
        town.make.shop("먼 지점", at=place, brand_id=town.brand("A"))
    assert [(r["shop_id"], r["area_km2"]) for r in run_script(10, region="서울특별시")] == [
        (r["shop_id"], pytest.approx(r["area_km2"])) for r in before
    ]


def test_10_without_boundaries_the_hull_of_the_shops_is_shared(town, run_script):
    town.draw("a . b", ". . .", "c . d", step_m=1000)
    rows = run_script(10)
    assert len(rows) == 4
    assert not any(r["is_boundary"] for r in rows)
    # a square of 2 km and a rim of 1 km: 4 + 4·2 + π
    assert sum(r["area_km2"] for r in rows) == pytest.approx(12 + math.pi, rel=5e-3)


def test_23_a_shop_outside_the_district_of_its_address(town, run_script):
    good = {"road_address": "서울특별시 강남구 강남대로 1"}
    town.shop("good", 500, 500, **good)
    town.shop("short", 500, 600, road_address="서울 강남구 강남대로 2")
    town.shop("wrong", 1300, 500, **good)
    town.shop("sea", 9000, 500, lot_address="서울특별시 강남구 역삼동 1")
    town.shop("silent", 1300, 500)
    top = town.region("서울특별시", 0, 0, 3000, 1000)
    town.make.insert("region_aliases", region_id=top, alias="서울")
    town.region("강남구", 0, 0, 1000, 1000, level="sigungu", parent_id=top)
    town.region("서초구", 1000, 0, 1000, 1000, level="sigungu", parent_id=top)
    rows = run_script(23)
    assert [(r["shop_id"], r["point_region"]) for r in rows] == [
        (town.ids["sea"], None),
        (town.ids["wrong"], "서울특별시 서초구"),
    ]
    assert {r["address_region"] for r in rows} == {"서울특별시 강남구"}
    assert [r["offset_m"] for r in rows] == pytest.approx([8000, 300], rel=1e-3)


@pytest.mark.parametrize("number", [5, 23])
def test_05_and_23_fail_without_boundaries_and_report_how_to_load_them(town, run_script, number):
    town.shop("a", 0, 0, road_address="서울특별시 강남대로 1")
    town.make.insert("regions", level="sido", name="서울특별시", code="11")
    with pytest.raises(runner.ScriptError) as failed:
        run_script(number)
    assert "no boundary of level sido" in str(failed.value)
    assert ".venv/bin/geoshops import boundaries" in str(failed.value)


def lacks(database_url, number, **values):
    """Warnings of a script: texts by code."""
    with runner.run(database_url, scripts.find(f"{number:02}"), values) as response:
        list(response.rows)
    return {lack.code: lack.text for lack in response.missing}


def test_05_warns_of_regions_without_a_boundary_and_of_missing_population(town, database_url):
    town.shop("a", 500, 500)
    town.region("서울특별시", 0, 0, 1000, 1000)
    town.make.insert("regions", level="sido", name="경기도", code="41")
    warnings = lacks(database_url, 5)
    assert warnings["GS001"].startswith("1 of 2 regions have no boundary and are excluded.")
    assert "geoshops import population FILE" in warnings["GS003"]
    town.make.insert("population_cells", population=8, cell="SRID=4326;" + square_wkt(0, 0, 100))
    assert set(lacks(database_url, 5, region="서울특별시")) == set()


def test_14_warns_of_missing_population(town, database_url):
    town.shop("a", 0, 0)
    assert lacks(database_url, 14)["GS003"].startswith(
        "no population is loaded: pop_inside is null"
    )


@pytest.mark.parametrize("number", [4, 6, 7, 10])
def test_a_hull_in_place_of_a_boundary_is_named(town, database_url, number):
    town.draw("a . b", "c . .", step_m=1000)
    seoul = town.make.insert("regions", level="sido", name="서울특별시", code="11")
    town.make.sql("UPDATE shops SET sido_id = %s", seoul)
    text = lacks(database_url, number, region="서울특별시")["GS002"]
    assert text.startswith("no boundary of 서울특별시 is loaded: the hull of its shops plus 1 km")
    assert "the country" in lacks(database_url, number)["GS002"]
    town.region("부산광역시", -5000, -5000, 10_000, 10_000)
    assert lacks(database_url, number, region="부산광역시") == {}


def test_psql_reports_what_is_missing_and_how_to_load_it(town, database_url):
    town.shop("a", 0, 0)
    script = str(scripts.find("14").path)
    result = subprocess.run(
        ["psql", "-X", "-q", "-d", database_url, "-f", script], capture_output=True, text=True
    )
    assert result.returncode == 0
    assert "WARNING:  no population is loaded: pop_inside is null" in result.stderr
    assert "HINT:  Load population" in result.stderr
    result = subprocess.run(
        ["psql", "-X", "-q", "-d", database_url, "-f", str(scripts.find("23").path)],
        capture_output=True, text=True,
    )  # fmt: skip
    assert result.returncode == 3
    assert (
        "HINT:  Load those of Korean districts with `.venv/bin/geoshops import boundaries`"
        in result.stderr
    )
