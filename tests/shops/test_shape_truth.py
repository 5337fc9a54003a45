"""Compares areas, routes and meeting points with GeographicLib on random cases: poles, the 180th meridian, equal and antipodal points."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from geoshops.web.paging import ItemList
from tests.geodesic_shapes import Floats, Ring, centroid, is_within, passages, ways
from tests.geodesy import WGS84
from tests.make import Maker

CASES = [pytest.param(100, id="some"), pytest.param(2000, id="many", marks=pytest.mark.full)]
BATCH = 50
MM = 0.001
LIST = "NULL, true, NULL, 'distance', '', 10000, 10000, 0"
Place = tuple[float, float]


def load(make: Maker, points: Floats) -> None:
    make.sql("TRUNCATE shops RESTART IDENTITY CASCADE")
    make.sql(
        "INSERT INTO shops (place_name, geog)"
        " SELECT '점포', point_at(lon, lat) FROM unnest(%s, %s) AS p (lon, lat)",
        *points.T.tolist(),
    )
    make.sql("ANALYZE shops")


def middle(rng: random.Random) -> Place:
    """A random place: in Korea, anywhere, at the 180th meridian, around a pole or on the equator."""
    return rng.choice(
        (
            (rng.uniform(126, 129), rng.uniform(34, 38)),
            (rng.uniform(-180, 180), rng.uniform(-85, 85)),
            (rng.choice((-1, 1)) * rng.uniform(179.9, 180), rng.uniform(-60, 60)),
            (rng.uniform(-180, 180), rng.choice((-1, 1)) * rng.uniform(89.5, 90)),
            (rng.uniform(-180, 180), 0.0),
        )
    )


def away(place: Place, azimuth: float, metres: float) -> Place:
    lng, lat, _ = WGS84.fwd(*place, azimuth, metres)
    return float(lng), float(lat)


def star(rng: random.Random, place: Place, radius_m: float) -> Ring:
    """A ring around a place with corners at 0.5 to 1 of the radius and edges at least 0.35 of it away; it does not cross itself."""
    count = rng.randrange(6, 30)
    offset_deg = rng.uniform(0, 360)
    ring = [
        away(
            place,
            offset_deg + 360 * (n + rng.uniform(0, 0.4)) / count,
            radius_m * rng.uniform(0.5, 1),
        )
        for n in range(count)
    ]
    if rng.random() < 0.5:
        ring.reverse()
    return [*ring, ring[0]]


def area(rng: random.Random) -> tuple[list[list[Ring]], Place, float]:
    """Polygons, a place inside the first and its radius; sometimes with a hole, or a second polygon next to it."""
    # two reach 2300 km from the first one's middle, and an area 2500 km from its own
    place, radius_m = middle(rng), 10 ** rng.uniform(1.5, 5.85)
    polygons = [[star(rng, place, radius_m)]]
    if rng.random() < 0.5:
        polygons[0].append(star(rng, place, radius_m * 0.3))
    if rng.random() < 0.3:
        other = away(place, rng.uniform(0, 360), radius_m * 2.2)
        polygons.append([star(rng, other, radius_m)])
    return polygons, place, radius_m


def beside(rng: random.Random, ring: Ring, off_m: float) -> Place:
    """A point at the given distance from an edge, on a random side."""
    n = rng.randrange(len(ring) - 1)
    azimuth, _, length_m = WGS84.inv(*ring[n], *ring[n + 1])
    lng, lat, back = WGS84.fwd(*ring[n], azimuth, length_m * rng.uniform(0.1, 0.9))
    return away((lng, lat), back + rng.choice((-90, 90)), off_m)


def points_of(
    rng: random.Random, polygons: list[list[Ring]], place: Place, radius_m: float
) -> list[Place]:
    spread = [away(place, rng.uniform(0, 360), radius_m * rng.uniform(0, 1.3)) for _ in range(25)]
    rings = [ring for polygon in polygons for ring in polygon]
    edges = [beside(rng, rng.choice(rings), 2 * MM) for _ in range(10)]
    return [*spread, *edges, spread[0], spread[0]]


def select_rows(make: Maker, statement: str, *values: object) -> list[dict[str, Any]]:
    (row,) = make.rows(statement, *values)
    result = ItemList.parse(row[0].encode())
    assert not result.truncated
    shops: list[dict[str, Any]] = json.loads(result.body)
    assert result.total == len(shops)
    return shops


@pytest.mark.parametrize("cases", CASES)
def test_areas_hold_what_they_hold_on_the_spheroid(make: Maker, cases: int) -> None:
    rng = random.Random(20261123)
    held = compared = 0
    for _ in range(cases // BATCH):
        areas = [area(rng) for _ in range(BATCH)]
        points = np.array([p for shape in areas for p in points_of(rng, *shape)])
        load(make, points)
        for polygons, place, radius_m in areas:
            shape = {"type": "MultiPolygon", "coordinates": polygons}
            user = away(place, rng.uniform(0, 360), rng.uniform(0, radius_m))
            shops = select_rows(
                make,
                f"SELECT body FROM list_shops_within(ST_GeomFromGeoJSON(%s)::geography, %s, %s, {LIST})",
                json.dumps(shape), *user,
            )  # fmt: skip
            antipode = ((place[0] + 360) % 360 - 180, -place[1])
            expected = np.flatnonzero(is_within(points, polygons, antipode)) + 1
            assert sorted(s["id"] for s in shops) == expected.tolist()
            check_order([s["id"] for s in shops], points, user)
            held += len(expected)
            compared += 1
    assert compared == cases and held > 10 * cases


def check_order(ids: list[int], points: Floats, place: Place) -> None:
    """Asserts that the shops are ordered by their distance from a place."""
    metres = ways(points[np.array(ids, np.int64) - 1], [place])[:, 0]
    assert all(a <= b + 1e-4 for a, b in itertools.pairwise(metres))


@pytest.mark.parametrize("cases", CASES)
def test_areas_are_listed_from_their_centroid_and_hold_the_same_for_analysts(
    make: Maker, cases: int
) -> None:
    rng = random.Random(25)
    compared = 0
    for _ in range(cases // BATCH):
        areas = [area(rng) for _ in range(BATCH)]
        points = np.array([p for shape in areas for p in points_of(rng, *shape)])
        load(make, points)
        for polygons, _, _ in areas:
            shape = json.dumps({"type": "MultiPolygon", "coordinates": polygons})
            shops = select_rows(
                make,
                f"SELECT body FROM list_shops_within(ST_GeomFromGeoJSON(%s)::geography, NULL, NULL, {LIST})",
                shape,
            )
            ids = [s["id"] for s in shops]
            check_order(ids, points, centroid(polygons))
            rows = make.rows(
                "SELECT shop_id FROM shops_within(ST_GeomFromGeoJSON(%s)::geography)", shape
            )
            assert [row[0] for row in rows] == sorted(ids)
            compared += len(ids)
    assert compared > 10 * cases


def route(rng: random.Random) -> Ring:
    """A random walk of short, long and repeated steps, which sometimes reverses."""
    step_m = 10 ** rng.uniform(1, 5)
    line = [middle(rng)]
    azimuth = rng.uniform(0, 360)
    for _ in range(rng.randrange(1, 40)):
        azimuth += rng.gauss(0, 40)
        line.append(away(line[-1], azimuth, step_m * rng.uniform(0.1, 1)))
        if rng.random() < 0.1:
            line.append(line[-1])
    if rng.random() < 0.4:
        line += line[-2::-1] if rng.random() < 0.5 else line[-2:0:-1]
    return line


def points_near(rng: random.Random, line: Ring, distance_m: int) -> list[Place]:
    spots = []
    for _ in range(25):
        n = rng.randrange(len(line) - 1)
        azimuth, _, length_m = WGS84.inv(*line[n], *line[n + 1])
        lng, lat, _ = WGS84.fwd(*line[n], azimuth, length_m * rng.uniform(0, 1))
        off_m = rng.choice(
            (0.0, distance_m - 2 * MM, distance_m + 2 * MM, rng.uniform(0, 1.5 * distance_m))
        )
        spots.append(away((lng, lat), azimuth + rng.uniform(60, 120) * rng.choice((-1, 1)), off_m))
    return [*spots, spots[0], spots[0], line[0], line[-1]]


@pytest.mark.parametrize("cases", CASES)
def test_routes_pass_what_they_pass_on_the_spheroid(make: Maker, cases: int) -> None:
    rng = random.Random(7)
    passed = 0
    for _ in range(cases // BATCH):
        routes = [(route(rng), rng.choice((1, 50, 200, 2000))) for _ in range(BATCH)]
        points = np.array(
            [p for line, distance_m in routes for p in points_near(rng, line, distance_m)]
        )
        load(make, points)
        for line, distance_m in routes:
            if len({*line}) < 2:
                continue
            rows = make.rows(
                "SELECT shop_id, along_m, off_m FROM shops_along(ST_GeomFromGeoJSON(%s)::geography, %s)",
                json.dumps({"type": "LineString", "coordinates": line}), distance_m,
            )  # fmt: skip
            off, along = passages(points, line, distance_m + 1)
            check_passages(rows, off, along, distance_m)
            passed += len(rows)
    assert passed > 10 * cases


def check_passages(
    rows: list[tuple[Any, ...]], off: Floats, along: Floats, distance_m: int
) -> None:
    ids: NDArray[np.int64] = np.array([row[0] for row in rows], np.int64)
    sure = np.flatnonzero(off < distance_m - MM) + 1
    possible = np.flatnonzero(off < distance_m + MM) + 1
    assert {*sure.tolist()} <= {*ids.tolist()} <= {*possible.tolist()}
    places = [(float(row[1]), row[0]) for row in rows]
    assert places == sorted(places)
    if rows:
        assert np.abs(np.array([float(row[2]) for row in rows]) - off[ids - 1]).max() < 1.5 * MM
        # places along the route whose distances from the shop differ by less than 0.1 mm
        alike = 5 * MM + np.sqrt(2e-4 * off[ids - 1])
        assert (np.abs(np.array([float(row[1]) for row in rows]) - along[ids - 1]) < alike).all()


def near(rng: random.Random, town: Place, most_m: float) -> Place:
    """A random place within the given distance of another, more often close to it."""
    return away(town, rng.uniform(0, 360), most_m * rng.random())


def people(rng: random.Random) -> list[Place]:
    place = middle(rng)
    spread_m = 10 ** rng.uniform(2, 7)
    group = [near(rng, place, spread_m) for _ in range(rng.randrange(2, 11))]
    if rng.random() < 0.2:
        group[-1] = group[0]
    if rng.random() < 0.2:
        group[-1] = ((group[0][0] + 360) % 360 - 180, -group[0][1])
    return group


def world(rng: random.Random) -> Floats:
    spots = [away(middle(rng), rng.uniform(0, 360), 10 ** rng.uniform(2, 5)) for _ in range(400)]
    spots += [(rng.uniform(126.8, 127.2), rng.uniform(37.4, 37.7)) for _ in range(800)]
    return np.array(spots + [(127.0276, 37.4979)] * 30)


@pytest.mark.parametrize("cases", CASES)
def test_people_meet_where_they_meet_on_the_spheroid(make: Maker, cases: int) -> None:
    rng = random.Random(11)
    points = world(rng)
    load(make, points)
    for _ in range(cases):
        check_meeting(make, points, people(rng), rng.random() < 0.5, rng.choice((1, 5, 20, 100)))


def efforts_of(distances: Floats, *, by_sum: bool) -> Floats:
    """The sum or the longest of the distances to each place."""
    return distances.sum(axis=1) if by_sum else distances.max(axis=1)


def check_meeting(
    make: Maker, points: Floats, group: list[Place], by_sum: bool, count: int
) -> None:
    """shops_meet returns the best shops of all."""
    rows = make.rows(
        "SELECT shop_id, effort_m, distances_m FROM shops_meet("
        "ARRAY(SELECT point_at(lng, lat) FROM unnest(%s, %s) AS p (lng, lat)), %s, %s)",
        *map(list, zip(*group, strict=True)), count, by_sum,
    )  # fmt: skip
    distances = ways(points, group)
    efforts = efforts_of(distances, by_sum=by_sum)
    best = np.sort(efforts)[:count]
    assert len(rows) == len({row[0] for row in rows}) == count
    assert np.abs(np.array([row[1] for row in rows]) - best).max() < 1e-4
    ids = np.array([row[0] for row in rows])
    assert np.abs(efforts[ids - 1] - best).max() < 1e-4
    assert np.abs(np.array([row[2] for row in rows]) - distances[ids - 1]).max() < 1e-4


AREA = """
WITH given AS (
  SELECT ARRAY(SELECT point_at(lng, lat) FROM unnest(%s, %s) AS p (lng, lat)) AS people,
    ARRAY(SELECT point_at(lng, lat) FROM unnest(%s, %s) AS p (lng, lat)) AS places, %s::float8 AS bound_m
), centred AS (
  SELECT g.*, m.middle, gnomonic_frame(ST_X(s), ST_Y(s), ST_Z(s)) AS frame
  FROM given AS g CROSS JOIN LATERAL middle_of(g.people, true) AS m (middle) CROSS JOIN LATERAL spot_at(m.middle) AS s
)
SELECT ARRAY(SELECT ST_Intersects(a.area, gnomonic(spot_at(p), c.frame)) FROM unnest(c.places) AS p)
FROM centred AS c
CROSS JOIN LATERAL area_of_sum(c.people, c.middle, c.bound_m, c.frame,
  (c.bound_m + effort_m(c.middle, c.people, true)) / cardinality(c.people) + 1, %s) AS a (area)"""


def group_around(rng: random.Random) -> tuple[list[Place], list[Place]]:
    """3 to 10 people around a place, and 200 places among them."""
    place, spread_m = middle(rng), 10 ** rng.uniform(2, 5.6)
    group = [near(rng, place, spread_m) for _ in range(rng.randrange(3, 11))]
    return group, [near(rng, place, spread_m) for _ in range(200)]


def group_in_two_towns(rng: random.Random) -> tuple[list[Place], list[Place]]:
    """2 or 5 people in each of two towns at most 500 km apart, and 200 places in the strip between."""
    place, azimuth, way_m = middle(rng), rng.uniform(0, 360), 10 ** rng.uniform(3, 5.7)
    spread_m = way_m * 10 ** rng.uniform(-3, -0.5)
    ends = (place, away(place, azimuth, way_m)) * rng.choice((2, 5))
    group = [near(rng, end, spread_m) for end in ends]
    return group, [
        near(rng, away(place, azimuth, way_m * rng.random()), spread_m) for _ in range(200)
    ]


@pytest.mark.parametrize(("closeness", "most"), [(0.7, 0.5), (0.96, 0.15)])
@pytest.mark.parametrize("cases", CASES)
def test_the_area_of_a_bound_holds_every_place_within_it_and_few_others(
    make: Maker, cases: int, closeness: float, most: float
) -> None:
    rng = random.Random(17)
    within = others = 0
    for _ in range(cases):
        group, listed = rng.choice((group_around, group_in_two_towns))(rng)
        places = np.array(listed)
        efforts = ways(places, group).sum(axis=1)
        bound_m = float(np.sort(efforts)[rng.randrange(5, 100)])
        lines = [*zip(*group, strict=True), *places.T.tolist()]
        ((held,),) = make.rows(AREA, *map(list, lines), bound_m, closeness)
        assert np.array(held)[efforts <= bound_m].all()
        within += int((efforts <= bound_m).sum())
        others += int(np.array(held)[efforts > bound_m].sum())
    assert others < most * within


@pytest.mark.parametrize("cases", CASES)
def test_groups_in_two_towns_with_many_shops_meet_where_the_sum_is_least(
    make: Maker, cases: int
) -> None:
    rng = random.Random(31)
    for _ in range(cases // BATCH):
        place = middle(rng)
        other = away(place, rng.uniform(0, 360), 10 ** rng.uniform(4, 5.7))
        spread_m = 10 ** rng.uniform(3, 4.3)
        points = np.array([near(rng, end, spread_m) for end in (place, other) * 1500])
        load(make, points)
        for _ in range(BATCH):
            group = [near(rng, end, spread_m) for end in (place, other) * rng.choice((1, 2, 5))]
            check_meeting(make, points, group, True, rng.choice((1, 20, 100)))


def halves(rng: random.Random) -> tuple[list[Place], Place, Place]:
    """An even number of people near two places, and these places, some streets to 6000 km apart."""
    place = middle(rng)
    other = away(place, rng.uniform(0, 360), 10 ** rng.uniform(1.5, 6.8))
    spread_m = rng.choice((0, 0, 10, 300))
    group = [
        near(rng, end, spread_m) for _ in range(rng.choice((1, 1, 2, 5))) for end in (place, other)
    ]
    rng.shuffle(group)
    return group, place, other


def points_between(rng: random.Random, place: Place, other: Place) -> list[Place]:
    """Places near the geodesic: on it, a few metres away, at its ends and beyond them."""
    azimuth, _, way_m = WGS84.inv(*place, *other)
    spots = [place, other, place]
    for _ in range(60):
        lng, lat, back = WGS84.fwd(*place, azimuth, way_m * rng.uniform(-0.02, 1.02))
        off_m = rng.choice((0, 1)) * 10 ** rng.uniform(-2, 4)
        spots.append(away((lng, lat), back + rng.choice((-90, 90)), off_m))
    return spots


@pytest.mark.parametrize("cases", CASES)
def test_people_at_two_places_meet_between_them(make: Maker, cases: int) -> None:
    rng = random.Random(25)
    for _ in range(cases // BATCH):
        groups = [halves(rng) for _ in range(BATCH)]
        points = np.array([p for _, *ends in groups for p in points_between(rng, *ends)])
        load(make, points)
        for group, *_ in groups:
            check_meeting(make, points, group, True, rng.choice((1, 5, 20, 100)))


RATED = "jsonb_populate_record(NULL::shop_filters, jsonb_build_object('min_rating', %s))"


def brands_and_stars(make: Maker, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Brand and stars of each shop: a tenth belong to the second brand, 1 % to the third; an eighth have four stars."""
    for name in ("가", "나", "다"):
        make.brand(name)
    numbers = np.arange(1, count + 1)
    brands = np.where(numbers % 100 == 0, 3, np.where(numbers % 10 == 0, 2, 1))
    stars = np.where(numbers % 8 == 0, 4, 2)
    make.sql(
        "UPDATE shops SET brand_id = CASE WHEN id %% 100 = 0 THEN 3 WHEN id %% 10 = 0 THEN 2 ELSE 1 END,"
        " review_cnt = 1, star_rating_sum = CASE WHEN id %% 8 = 0 THEN 4 ELSE 2 END WHERE %s",
        True,
    )
    # only the third has few
    make.sql("UPDATE brands SET shop_cnt = CASE id WHEN 3 THEN 12 ELSE 100000 END")
    make.sql("ANALYZE shops")
    return brands, stars


@pytest.mark.parametrize("cases", CASES)
def test_lists_of_meeting_points_are_exact_or_marked(make: Maker, cases: int) -> None:
    rng = random.Random(13)
    points = world(rng)
    load(make, points)
    brands, stars = brands_and_stars(make, len(points))
    exact = marked = 0
    for _ in range(cases):
        group, by_sum = people(rng), rng.random() < 0.5
        wanted = rng.choice(([1], [2], [3], [1, 2, 3], None))
        rating, cap, size = (
            rng.choice((0, 0, 4, 5)),
            rng.choice((50, 300, 30_000)),
            rng.choice((1, 20, 200)),
        )
        ((text,),) = make.rows(
            f"SELECT list_shops_meet(%s, %s, %s, NULL, NULL, %s::bigint[], true, {RATED}, 'distance', '', 100, %s, 0,"
            " most_examined => %s)",
            *map(list, zip(*group, strict=True)), by_sum, wanted, rating, size, cap,
        )  # fmt: skip
        result = ItemList.parse(text.encode())
        ids = np.array([shop["id"] for shop in json.loads(result.body)], np.int64)
        passing = np.flatnonzero((stars >= rating) & np.isin(brands, wanted or [1, 2, 3]))
        efforts = efforts_of(ways(points, group), by_sum=by_sum)
        best = np.sort(efforts[passing])[: min(size, 100)]
        listed = efforts[ids - 1]
        assert set(ids.tolist()) <= set((passing + 1).tolist()) and len(set(ids.tolist())) == len(
            ids
        )
        assert (np.diff(listed) > -1e-4).all() and len(ids) <= len(best)
        assert result.total is not None and len(ids) <= result.total <= min(100, len(passing))
        if not result.truncated or wanted == [3]:
            assert result.total == len(passing) <= 100
            assert len(listed) == len(best) and (np.abs(listed - best) < 1e-4).all()
            exact += 1
        else:
            marked += 1
        # with the largest cap, bounds narrow the candidates down and the list must be exact
        if cap == 30_000:
            assert len(listed) == len(best) and (np.abs(listed - best) < 1e-4).all()
    assert exact > cases / 5 and marked > cases / 5
