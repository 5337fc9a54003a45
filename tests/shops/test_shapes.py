"""Tests POST /shops/within, POST /shops/along and GET /shops/meet: results, order, errors."""

from __future__ import annotations

import json
import math
from itertools import combinations
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.grid import points
from tests.make import GANGNAM, Maker

SQUARE = [[126.9, 37.4], [127.1, 37.4], [127.1, 37.6], [126.9, 37.6], [126.9, 37.4]]
AREA = {"type": "Polygon", "coordinates": [SQUARE]}
LINE = {"type": "LineString", "coordinates": [[127.0, 37.5], [127.1, 37.5]]}
USER = {"userLng": 127.0276, "userLat": 37.4979}


def search(client: FlaskClient, name: str, **query: object) -> Any:
    """Sends the search by this name with a shape around Gangnam."""
    if name == "meet":
        return client.get("/shops/meet", query_string={"at": ["127.0,37.5", "127.1,37.5"], **query})
    return client.post(
        f"/shops/{name}", json={"within": AREA, "along": LINE}[name], query_string=query
    )


def names(response: Any) -> list[str]:
    assert response.status_code == 200, response.text
    return [shop["place_name"] for shop in response.get_json()]


def area(*rings: list[list[float]]) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": [*rings]}


def box(west: float, south: float, east: float, north: float) -> list[list[float]]:
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def test_an_area_lists_the_shops_in_it_by_distance_from_the_user(
    client: FlaskClient, make: Maker
) -> None:
    make.brand()
    spots = points(["a . b . u", ". x . . .", "c . . . ."], step_m=100)
    for name in "cbax":
        make.shop(name, at=spots[name])
    make.shop("outside", at=(127.2, 37.5))
    make.shop("closed", at=spots["a"], status="CLOSED")
    user = {"userLng": spots["u"][0], "userLat": spots["u"][1]}
    response = client.post("/shops/within", json=AREA, query_string=user)
    assert names(response) == ["b", "x", "a", "c"]
    assert response.get_json()[0]["distance"] == "200m"


def test_without_a_user_the_order_is_from_the_centre_and_distances_are_unknown(
    client: FlaskClient, make: Maker
) -> None:
    make.brand()
    for name, at in (("far", (127.05, 37.5)), ("near", (127.01, 37.5))):
        make.shop(name, at=at)
    response = client.post("/shops/within", json=AREA)
    assert names(response) == ["near", "far"]
    assert [(s["distance"], s["distance_m"]) for s in response.get_json()] == [("", None)] * 2


def test_holes_and_several_polygons(client: FlaskClient, make: Maker) -> None:
    make.brand()
    for name, at in (
        ("hole", (127.0, 37.5)),
        ("rim", (126.92, 37.5)),
        ("other", (129.0, 35.0)),
        ("none", (128.0, 36.0)),
    ):
        make.shop(name, at=at)
    shape = {
        "type": "MultiPolygon",
        "coordinates": [
            [SQUARE, box(126.95, 37.45, 127.05, 37.55)],
            [box(128.9, 34.9, 129.1, 35.1)],
        ],
    }
    assert sorted(names(client.post("/shops/within", json=shape))) == ["other", "rim"]


@pytest.mark.parametrize(
    ("ring", "inside", "outside"),
    [
        (box(179, -18, -179, -16), [(179.5, -17), (-179.5, -17), (180, -17)], [(0, -17), (178.9, -17)]),
        ([[0, 85], [90, 85], [180, 85], [-90, 85], [0, 85]], [(10, 90), (45, 87), (-135, 88)], [(0, 84.9), (0, -90)]),
        (box(126, 37, 128, 38)[::-1], [(127, 37.5)], [(129, 37.5), (-53, -37.5)]),
        # the geodesic between two places on a parallel runs north of the parallel
        (box(120, 35, 130, 40), [(125, 40.05), (125, 35.2)], [(125, 35.05), (125, 40.2)]),
    ],
)  # fmt: skip
def test_edges_are_geodesics_everywhere(
    client: FlaskClient,
    make: Maker,
    ring: Any,
    inside: list[tuple[float, float]],
    outside: list[tuple[float, float]],
) -> None:
    make.brand()
    for at in inside:
        make.shop("in", at=at)
    for at in outside:
        make.shop("out", at=at)
    assert names(client.post("/shops/within", json=area(ring))) == ["in"] * len(inside)


def test_corners_and_edges_belong_to_the_area(client: FlaskClient, make: Maker) -> None:
    make.brand()
    for at in ((126.9, 37.4), (126.9, 37.5), (127.1, 37.6)):
        make.shop(at=at)
    assert len(names(client.post("/shops/within", json=AREA))) == 3


def test_a_route_lists_shops_in_its_order(client: FlaskClient, make: Maker) -> None:
    make.brand()
    spots = points([". d . . .", ". . b . .", "a . . . c"], step_m=100, origin=(127.0, 37.5))
    for name in "cabd":
        make.shop(name, at=spots[name])
    line = {"type": "LineString", "coordinates": [spots["a"], spots["c"]]}
    response = client.post("/shops/along", json=line, query_string={"distance_m": 150, **USER})
    assert [(s["place_name"], s["along_m"], s["off_m"]) for s in response.get_json()] == [
        ("a", 0, 0), ("b", 200, 100), ("c", 400, 0),
    ]  # fmt: skip
    assert all(s["distance_m"] > 0 for s in response.get_json())
    assert "d" in names(client.post("/shops/along?distance_m=201", json=line))


def test_a_shop_is_listed_once_at_the_first_of_its_nearest_passages(
    client: FlaskClient, make: Maker
) -> None:
    make.brand()
    spots = points([". . s . .", "a . . b c"], step_m=100)
    make.shop("s", at=spots["s"])
    line = [spots["a"], spots["c"], spots["a"], spots["b"]]
    (shop,) = client.post(
        "/shops/along", json={"type": "LineString", "coordinates": line}
    ).get_json()
    assert (shop["along_m"], shop["off_m"]) == (200, 100)


def test_people_meet_where_the_longest_way_is_shortest(client: FlaskClient, make: Maker) -> None:
    make.brand()
    spots = points(["p a . . . b . . . q"], step_m=100)
    for name in "ab":
        make.shop(name, at=spots[name])
    make.shop("b2", at=spots["b"])
    at = [f"{lng},{lat}" for lng, lat in (spots["p"], spots["p"], spots["q"])]
    response = client.get("/shops/meet", query_string={"at": at})
    assert names(response) == ["b", "b2", "a"]
    assert response.get_json()[0]["distances_m"] == [500, 500, 400]
    assert response.get_json()[0]["distance_m"] is None
    assert names(client.get("/shops/meet", query_string={"at": at, "by": "sum"})) == [
        "a",
        "b",
        "b2",
    ]


@pytest.mark.parametrize("name", ["within", "along", "meet"])
def test_filters_brands_and_sorting_are_those_of_the_radius_search(
    client: FlaskClient, make: Maker, name: str
) -> None:
    box_brand = make.brand("포토이즘박스", representative=False, parent_id=make.brand("포토이즘"))
    other = make.brand("비룸", representative=False)
    good = make.shop(
        "좋음", at=(127.05, 37.5), review_cnt=10, star_rating_sum=45, brand_id=box_brand
    )
    make.shop("나쁨", at=(127.06, 37.5), review_cnt=20, star_rating_sum=40, brand_id=box_brand)
    make.shop("다른", at=(127.07, 37.5), brand_id=other)
    make.insert("shop_stats", shop_id=good, star_5=10, purity_good=10)
    expected: dict[tuple[str, str], list[str]] = {
        ("brand", " 포토이즘 "): ["나쁨", "좋음"], ("brand", "비룸"): ["다른"], ("allBrands", "true"): ["나쁨", "다른", "좋음"],
        ("minRating", "4.5"): ["좋음"], ("clean", "0.7"): ["좋음"], ("openNow", "true"): [],
        ("bbox", "127.055,37,127.065,38"): ["나쁨"],
    }  # fmt: skip
    for (parameter, value), wanted in expected.items():
        assert sorted(names(search(client, name, **{parameter: value}))) == wanted, parameter
    assert names(search(client, name, sort="reviews")) == ["나쁨", "좋음"]
    assert names(search(client, name, sort="rating")) == ["좋음", "나쁨"]
    unknown = search(client, name, brand="없는브랜드")
    assert (unknown.status_code, unknown.get_json()["error_code"]) == (400, "002")


@pytest.mark.parametrize("name", ["within", "along", "meet"])
def test_pages_cover_the_list_without_overlap(client: FlaskClient, make: Maker, name: str) -> None:
    make.brand()
    ids = [make.shop(f"점포 {n}", at=(127.05 + n * 1e-5, 37.5)) for n in range(25)]
    seen: list[int] = []
    for page in (1, 2, 3):
        response = search(client, name, page=page, size=10)
        seen += [shop["id"] for shop in response.get_json()]
        assert response.headers["X-Total-Count"] == "25"
        assert "X-Total-Count-Capped" not in response.headers
    assert sorted(seen) == ids
    assert seen == [shop["id"] for shop in search(client, name).get_json()]
    assert 'rel="prev"' in response.headers["Link"]
    if name == "meet":
        assert response.headers["Link"].count("at=127.0%2C37.5") == 3


@pytest.mark.parametrize("name", ["within", "along", "meet"])
def test_names_are_shown_in_a_language(client: FlaskClient, make: Maker, name: str) -> None:
    make.brand()
    shop = make.shop(at=(127.05, 37.5), road_address="서울 강남구 강남대로 1")
    (listed_shop,) = search(client, name, lang="en").get_json()
    detail = client.get(f"/shops/{shop}?lang=en").get_json()
    assert listed_shop["display"] == detail["display"]
    assert "display" not in search(client, name).get_json()[0]
    assert search(client, name, lang="xx").get_json()["error_code"] == "002"


@pytest.mark.parametrize("name", ["within", "along", "meet"])
def test_a_response_makes_few_displays_that_are_not_stored(
    client: FlaskClient, make: Maker, name: str
) -> None:
    make.brand()
    make.sql(
        "INSERT INTO shops (brand_id, place_name, geog)"
        " SELECT 1, '인생네컷 강남점', point_at(127 + n * 5e-5, 37.5) FROM generate_series(1, 203) n"
    )

    def shown(**page: int) -> list[str]:
        shops = search(client, name, lang="en", **page).get_json()
        return [shop["display"]["place_name"] for shop in shops]

    displayed = shown()
    assert displayed[200:] == ["인생네컷 강남점"] * 3
    assert len({*displayed[:200]}) == 1 and "인생네컷" not in displayed[0]
    assert shown(page=3, size=100) == displayed[:3]
    make.sql("SELECT refresh_shop_displays(0, 1000, false)")
    assert shown() == displayed[:1] * 203


@pytest.mark.parametrize("name", ["within", "along", "meet"])
def test_a_long_list_is_cut(client: FlaskClient, make: Maker, name: str) -> None:
    make.brand()
    make.sql(
        "INSERT INTO shops (brand_id, place_name, geog)"
        " SELECT 1, 'x', point_at(127 + n * 5e-5, 37.5) FROM generate_series(1, 1001) n"
    )
    response = search(client, name)
    assert (len(response.get_json()), response.headers["X-Result-Truncated"]) == (1000, "true")
    lost = {*range(1, 1002)} - {shop["id"] for shop in response.get_json()}
    assert lost == {{"within": 1001, "along": 1001, "meet": 1}[name]}


@pytest.mark.parametrize("name", ["within", "along", "meet"])
def test_favorites_geojson_and_ended_sessions(
    app: Flask, client: FlaskClient, make: Maker, name: str
) -> None:
    make.brand()
    shop = make.shop(at=(127.05, 37.5))
    member = make.member()
    make.favorite(member, shop)
    headers = make.bearer(app, member)
    kwargs: dict[str, Any] = {"headers": {**headers, "Accept": "application/geo+json"}}
    if name == "meet":
        kwargs["query_string"] = {"at": ["127.0,37.5", "127.1,37.5"]}
        response = client.get("/shops/meet", **kwargs)
    else:
        kwargs["json"] = {"within": AREA, "along": LINE}[name]
        response = client.post(f"/shops/{name}", **kwargs)
    assert response.mimetype == "application/geo+json"
    (feature,) = response.get_json(force=True)["features"]
    assert feature["properties"]["favorite"] is True
    make.sql("UPDATE sessions SET ended_at = now()")
    method = client.get if name == "meet" else client.post
    assert method(f"/shops/{name}", **kwargs).status_code == 401


BAD_RINGS: list[tuple[Any, str]] = [
    ([[37.4, 126.9], *SQUARE[1:]], "position 0,0 must have a longitude between -180 and 180 and a latitude between -90 and 90; latitude and"),
    ([*SQUARE[:2], [14137575.3, 4511203.1], *SQUARE[3:]], "position 0,2 must be longitude and latitude in degrees (WGS 84)"),
    ([*SQUARE[:2], [181, 91], *SQUARE[3:]], "position 0,2 must have a longitude between"),
    ([*SQUARE[:1], [127.1], *SQUARE[2:]], "position 0,1 must be two numbers"),
    ([*SQUARE[:1], ["127.1", 37.4], *SQUARE[2:]], "position 0,1 must be two numbers"),
    ([*SQUARE[:1], [True, 37.4], *SQUARE[2:]], "position 0,1 must be two numbers"),
    (SQUARE[:4], "ring 0 must have at least 4 positions, and the last must equal the first"),
    (SQUARE[:2] + SQUARE[:1], "ring 0 must have at least 4"),
    ([[126.9, 37.4], [127.1, 37.6], [127.1, 37.4], [126.9, 37.6], [126.9, 37.4]], "the area must not cross, touch or overlap itself, as it does at longitude 127, latitude 37.5"),
    ([[127, 37], [127.1, 37], [127, 37], [127, 37]], "the area must not cross"),
    ([[127, 37]] * 4, "the area must not cross"),
    (box(-170, -80, 170, 80), "the area must lie within 2500 km of its center"),
    ("x", "position 0, must be two numbers"),
    ([], "ring 0 must have at least 4"),
]  # fmt: skip


@pytest.mark.parametrize(("ring", "message"), BAD_RINGS)
def test_bad_areas_are_rejected_with_the_position_and_the_rule(
    client: FlaskClient, ring: Any, message: str
) -> None:
    response = client.post("/shops/within", json=area(ring))
    assert (response.status_code, response.get_json()["error_code"]) == (400, "002")
    assert response.get_json()["error_message"].startswith(f"[coordinates] {message}")


def star(corners: int, inner: float, outer: float) -> list[list[float]]:
    """A closed ring whose corners alternate between two distances from (127, 37.5), in degrees."""
    ring = []
    for n in range(corners):
        angle, away = n / corners * 2 * math.pi, (inner, outer)[n % 2]
        ring.append([127 + away * math.cos(angle), 37.5 + away * math.sin(angle)])
    return [*ring, ring[0]]


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted), min_size=1, max_size=12)
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_overlapping_pairs_are_those_that_share_a_number(
    make: Maker, intervals: list[list[int]]
) -> None:
    expected = sum(max(a[0], b[0]) <= min(a[1], b[1]) for a, b in combinations(intervals, 2))
    lows, highs = map(list, zip(*intervals, strict=True))
    assert make.sql("SELECT overlapping_pairs(%s::float8[], %s::float8[])", lows, highs) == expected


def test_areas_of_thousands_of_needles_are_rejected(client: FlaskClient, make: Maker) -> None:
    make.brand()
    make.shop(at=(127.0, 37.5))
    polygons = [[box(127 - r, 37 - r, 127 + r, 37 + r) for r in (n / 30000, n / 30000 - 1e-5)] for n in range(1, 900)]  # fmt: skip
    rejected = (area(star(9998, 0.005, 0.03)), {"type": "MultiPolygon", "coordinates": polygons})
    for shape in rejected:
        response = client.post("/shops/within", json=shape)
        assert response.get_json()["error_message"].startswith("[coordinates] too many edges")
    for ring in (star(9998, 0.3, 0.32), star(1998, 0.005, 0.03)):
        assert len(client.post("/shops/within", json=area(ring)).get_json()) == 1


def test_a_jagged_area_is_cut_into_few_parts(make: Maker) -> None:
    for corners in (500, 1000, 1998):
        shape = json.dumps(area(star(corners, 0.02, 0.03)))
        ((parts, most),) = make.rows(
            "SELECT cardinality(parts), (SELECT max(ST_NPoints(p)) FROM unnest(parts) AS p)"
            " FROM parts_of_area(ST_GeomFromGeoJSON(%s)::geography)",
            shape,
        )
        assert parts < 3000 and most <= 50


def test_numbers_beyond_all_bounds_are_rejected(client: FlaskClient) -> None:
    body = '{"type": "LineString", "coordinates": [[127, 37], [%s, 37]]}'
    infinite = client.post("/shops/along", data=body % "1e999")
    assert infinite.get_json()["error_message"].startswith("[coordinates] position 1 must be")
    # numbers that JSON does not have are invalid JSON
    assert client.post("/shops/along", data=body % "NaN").get_json()["error_code"] == "001"


@pytest.mark.parametrize("name", ["within", "along"])
@pytest.mark.parametrize("depth", [5, 900, 100_000])
def test_lists_however_deep_are_rejected(client: FlaskClient, name: str, depth: int) -> None:
    kind = {"within": "MultiPolygon", "along": "LineString"}[name]
    body = f'{{"type": "{kind}", "coordinates": {"[" * depth}127, 37{"]" * depth}}}'
    response = client.post(f"/shops/{name}", data=body, content_type="application/json")
    assert response.status_code == 400
    assert response.get_json()["error_code"] in ("001", "002")


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ({"type": "Polygon", "coordinates": []}, "002", "[coordinates] must not be empty"),
        ({"type": "MultiPolygon", "coordinates": []}, "002", "[coordinates] must not be empty"),
        ({"type": "MultiPolygon", "coordinates": [[SQUARE], [SQUARE[:3]]]}, "002", "[coordinates] ring 1,0 must have"),
        ({"type": "MultiPolygon", "coordinates": [[SQUARE], [SQUARE]]}, "002", "[coordinates] the area must not cross"),
        ({"type": "Polygon", "coordinates": None}, "002", "[coordinates] must not be blank"),
        ({"type": "Point", "coordinates": [127, 37]}, "002", "[type] must be one of Polygon, MultiPolygon"),
        ({"type": "Polygon"}, "003", "[coordinates] required parameter is missing"),
        ({}, "003", "[type] required parameter is missing"),
        ([], "001", "[body] must be a JSON object"),
        ({"type": "Polygon", "coordinates": [[[127, 37]] * 10_001]}, "002", "[coordinates] must have at most 10000 positions; position 0,10000 is the first beyond"),
        ({"type": "MultiPolygon", "coordinates": [[SQUARE], [[[127, 37]] * 9_990, SQUARE, SQUARE]]}, "002",
         "[coordinates] must have at most 10000 positions; position 1,2,0 is"),
        ({"type": "MultiPolygon", "coordinates": [[SQUARE], []]}, "002", "[coordinates] polygon 1 must be an array of at least one ring"),
        ({"type": "MultiPolygon", "coordinates": [[], [SQUARE]]}, "002", "[coordinates] polygon 0 must be an array"),
        ({"type": "MultiPolygon", "coordinates": [[SQUARE], "x"]}, "002", "[coordinates] polygon 1 must be an array"),
        ({"type": "MultiPolygon", "coordinates": [[SQUARE, []]]}, "002", "[coordinates] ring 0,1 must have"),
    ],
)  # fmt: skip
def test_bodies_that_are_no_areas(client: FlaskClient, body: Any, code: str, message: str) -> None:
    response = client.post("/shops/within", json=body)
    assert (response.status_code, response.get_json()["error_code"]) == (400, code)
    assert response.get_json()["error_message"].startswith(message)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ([], "must not be empty"),
        ([[127, 37]], "position 0 must be followed by a position at another place: the line has no length"),
        ([[127, 37], [127, 37], [127.0, 37.0]], "position 0 must be followed by a position at another place"),
        ([[180, 10], [-180, 10]], "position 0 must be followed by"),
        ([[0, 90], [100, 90], [-180, 90]], "position 0 must be followed by"),
        ([[5, -90], [100, -90]], "position 0 must be followed by"),
        ([[127, 37], [37, 127]], "position 1 must have a longitude between -180 and 180 and a latitude between -90 and 90; latitude and"),
        ([[127, 37], [-60, 10]], "the route must be at most 5000 km long"),
        ([[127, 37], [14137575.3, 4511203.1]], "position 1 must be longitude and latitude in degrees (WGS 84)"),
        ([[127, 37], []], "position 1 must be two numbers"),
        ([[127 + n * 1e-5, 37] for n in range(10_001)], "must have at most 10000 positions; position 10000 is the first beyond"),
    ],
)  # fmt: skip
def test_bad_routes_are_rejected(client: FlaskClient, line: Any, message: str) -> None:
    response = client.post("/shops/along", json={"type": "LineString", "coordinates": line})
    assert (response.status_code, response.get_json()["error_code"]) == (400, "002")
    assert response.get_json()["error_message"].startswith(f"[coordinates] {message}")


@pytest.mark.parametrize(
    "line",
    [
        [[180, 37.5], [-180, 37.5], [179.9, 37.5]],
        [[0, 90], [127, 90], [127, 89.99]],
        [[127, 37], [127, 37.000000000001]],
    ],
)
def test_routes_that_are_short_or_begin_at_one_place_twice_are_none_the_less_routes(
    client: FlaskClient, make: Maker, line: Any
) -> None:
    make.brand()
    make.shop("start", at=tuple(line[0]))
    response = client.post("/shops/along", json={"type": "LineString", "coordinates": line})
    assert [(s["place_name"], s["along_m"]) for s in response.get_json()] == [("start", 0)]


@pytest.mark.parametrize(
    ("query", "code", "message"),
    [
        ("", "003", "[at] required parameter is missing"),
        ("at=127,37", "002", "[at] must be sent for each of 2 to 10 people, as longitude,latitude"),
        ("&".join(["at=127,37"] * 11), "002", "[at] must be sent for each of 2 to 10 people"),
        ("at=127,37&at=127", "002", "[at] position 2 must be two numbers"),
        ("at=nan,37&at=127,37", "002", "[at] position 1 must be two numbers"),
        ("at=127,37&at=37.5,127", "002", "[at] position 2 must have a longitude between -180 and 180 and a latitude between -90 and 90; latitude and"),
        ("at=127,37&at=14137575,4511203", "002", "[at] position 2 must be longitude and latitude in degrees (WGS 84)"),
        ("at=127,37&at=127,38&by=feet", "002", "[by] must be one of longest, sum"),
        ("at=127,37&at=%ff", "002", "[at] must not contain control characters"),
        ("at=127,37&at=127,38&brand=a&brand=b", "002", "[brand] must be given once"),
    ],
)  # fmt: skip
def test_bad_people_are_rejected(client: FlaskClient, query: str, code: str, message: str) -> None:
    response = client.get(f"/shops/meet?{query}")
    assert (response.status_code, response.get_json()["error_code"]) == (400, code)
    assert response.get_json()["error_message"].startswith(message)


@pytest.mark.parametrize("distance", ["0", "2001", "x"])
def test_the_distance_from_a_route_is_limited(client: FlaskClient, distance: str) -> None:
    response = client.post(f"/shops/along?distance_m={distance}", json=LINE)
    assert response.get_json()["error_message"].startswith("[distance_m] must be")


def test_bodies_of_shapes_may_be_larger_than_others(client: FlaskClient, make: Maker) -> None:
    make.brand()
    make.shop(at=GANGNAM)
    corners = [[126.9, 37.4 + n * 0.2 / 9995] for n in range(9996)]
    ring = [*corners, [127.1, 37.6], [127.1, 37.4], [126.9, 37.4]]
    assert len(client.post("/shops/within", json=area(ring)).get_json()) == 1
    for name in ("within", "along"):
        large = client.post(f"/shops/{name}", data=b'{"x":"' + b"x" * 524_288 + b'"}')
        assert (large.status_code, large.get_json()["error_code"]) == (413, "413")


def test_a_cut_search_is_marked(make: Maker) -> None:
    make.brand()
    make.sql(
        "INSERT INTO shops (brand_id, place_name, geog)"
        " SELECT 1, 'x', point_at(127 + n * 1e-4, 37.5) FROM generate_series(1, 300) n"
    )
    end = "NULL, NULL, NULL, true, NULL, 'distance', '', 1000, 1000, 0, most_examined => 100"
    for call in (
        f"list_shops_within('POLYGON((127 37.4,127.1 37.4,127.1 37.6,127 37.6,127 37.4))', {end})",
        f"list_shops_along('LINESTRING(127 37.5,127.1 37.5)', 200, {end})",
    ):
        assert make.sql(f"SELECT split_part(body, E'\\n', 1) FROM {call}").endswith("+"), call
    meet = f"list_shops_meet(ARRAY[127, 127.1], ARRAY[37.5, 37.5], false, {end})"
    assert make.sql(f"SELECT split_part({meet}, E'\\n', 1)").endswith("+")


@pytest.mark.parametrize("by", ["longest", "sum"])
def test_the_only_shop_of_a_brand_is_found_behind_a_thousand_others(
    client: FlaskClient, make: Maker, by: str
) -> None:
    make.brand()
    rare = make.brand("하루필름")
    make.sql(
        "INSERT INTO shops (brand_id, place_name, geog)"
        " SELECT 1, 'near', point_at(127 + n % 30 * 1e-4, 37.5 + n / 30 * 1e-4) FROM generate_series(1, 1000) n"
    )
    make.sql(
        "INSERT INTO shops (brand_id, place_name, geog)"
        " SELECT 1, 'one building', point_at(127.3, 37.5) FROM generate_series(1, 500) n"
    )
    make.shop("rare", at=(127.3, 37.5), brand_id=rare)
    for people in ("at=126.99,37.5&at=127.01,37.5", "at=179,-37&at=-179,-37&at=-53,-37.5"):
        response = client.get(f"/shops/meet?{people}&by={by}&brand=하루필름")
        assert names(response) == ["rare"]
        assert "X-Result-Truncated" not in response.headers


def test_ten_people_have_as_many_ways_examined_as_three(make: Maker) -> None:
    make.brand()
    make.sql(
        "INSERT INTO shops (brand_id, place_name, geog)"
        " SELECT 1, 'x', point_at(127 + n * 1e-4, 37.5) FROM generate_series(1, 60) n"
    )
    for people, cut in ((2, False), (4, False), (10, True)):
        lons, lats = [127 + n / 100 for n in range(people)], [37.5] * people
        head = make.sql(
            "SELECT split_part(list_shops_meet(%s, %s, false, NULL, NULL, NULL, true, NULL, 'distance', '', 1000, 1000, 0,"
            " most_examined => 100), E'\\n', 1)",
            lons,
            lats,
        )
        assert head.endswith("+") == cut, people


def test_shops_in_an_area_of_many_corners(client: FlaskClient, make: Maker) -> None:
    make.brand()
    inside, outside = (127.0, 37.5), (127.0995, 37.4995)
    for name, at in (("in", inside), ("in", inside), ("corner", (126.9, 37.4)), ("out", outside)):
        make.shop(name, at=at)
    teeth = [[127.1 - 0.001 * (n % 2), 37.4 + n * 1e-4] for n in range(2001)]
    # between two teeth
    assert teeth[995][0] < outside[0] and round(teeth[995][1], 4) == outside[1]
    ring = [[126.9, 37.4], *teeth, [126.9, 37.6], [126.9, 37.4]]
    assert sorted(names(client.post("/shops/within", json=area(ring)))) == ["corner", "in", "in"]


def test_a_search_that_is_cut_at_once_still_lists_shops(make: Maker) -> None:
    make.brand()
    make.sql(
        "INSERT INTO shops (brand_id, place_name, geog)"
        " SELECT 1, 'x', point_at(127 + n * 1e-6, 37.5) FROM generate_series(1, 300) n"
    )
    end = "NULL, NULL, NULL, true, NULL, 'distance', '', 1000, 1000, 0, most_examined => 100"
    for call in (
        f"list_shops_within('POLYGON((126.9 37.4,127.1 37.4,127.1 37.6,126.9 37.6,126.9 37.4))', {end})",
        f"list_shops_along('LINESTRING(127 37.5,127.1 37.5)', 200, {end})",
    ):
        total = make.sql(f"SELECT split_part(body, E'\n', 1) FROM {call}")
        assert total.endswith("+") and int(total[:-1]) >= 100, call


def test_invalid_areas_fail_in_sql_too(make: Maker) -> None:
    with pytest.raises(Exception, match="Self-intersection at"):
        make.rows("SELECT shop_id FROM shops_within('POLYGON((0 0,1 1,1 0,0 1,0 0))')")
