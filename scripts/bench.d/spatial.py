"""Areas, routes and meeting points: each next to the same query as rows in pgbench, a long route, expensive requests."""

from __future__ import annotations

import json
import math
import random
import statistics
import sys
from typing import Any
from urllib.parse import urlencode

import hostile_shapes
from data import Bench, downtown_points, service_cursor_of
from figures import Runs, interleave, table
from hostile import cpu_ms
from load import Load, percentile, pgbench, run_wrk, server, wrk

RADIUS_DEGREES = 0.0022  # about 65 shops at 1M in one country
OFF_M = 20
ROUTE_DEGREES = 0.02
SEOUL, BUSAN, JEJU = (127.0276, 37.4979), (129.0596, 35.1577), (126.5312, 33.4996)
HALVES = ("4 in 2 towns by sum", "10 in 2 towns by sum")  # places between the towns are about equal
CORNERS = 10_000
LIST = "127.03, 37.5, NULL, false, NULL, 'distance', 'http://127.0.0.1:8000', 1000, 1000, 0"
FIRST_PAGE = "127.03, 37.5, NULL, false, NULL, 'distance', 'http://127.0.0.1:8000', 1000, 20, 0"
COLUMNS = """s.id, s.place_name, ST_X(s.geog::geometry)::text AS longitude, ST_Y(s.geog::geometry)::text AS latitude,
  ST_Distance(s.geog, point_at(127.03, 37.5)) AS distance_m,
  CASE WHEN s.review_cnt = 0 THEN 0 ELSE round(s.star_rating_sum::numeric / s.review_cnt, 1) END AS star_rating_avg,
  s.review_cnt, s.favorite_cnt, b.name AS brand_name, b.image_path, s.road_address, false AS favorite"""
ROWS = f"""\\set n random(0, 99)
SELECT {COLUMNS}{{more}}
FROM bench_shapes h JOIN shops s ON {{condition}} JOIN brands b ON b.id = s.brand_id
WHERE h.n = :n AND b.is_representative AND s.status <> 'CLOSED'
ORDER BY {{order}}, s.id;
"""
WITHIN_ROWS = ROWS.format(more="", condition="ST_Intersects(s.geog, h.area)", order="distance_m")
ALONG_ROWS = ROWS.format(
    more=", ST_Distance(s.geog, h.route) AS off_m, ST_LineLocatePoint(h.route::geometry, s.geog::geometry) AS share",
    condition=f"ST_DWithin(s.geog, h.route, {OFF_M})",
    order="share",
)
WITHIN = f"SELECT body FROM bench_shapes h, list_shops_within(h.area, {LIST}) WHERE h.n = :n;"
ALONG = (
    f"SELECT body FROM bench_shapes h, list_shops_along(h.route, {OFF_M}, {LIST}) WHERE h.n = :n;"
)
# bounded work whatever is sent
EXPENSIVE = {
    "an area of the whole country": "list_shops_within('POLYGON((125 33,130 33,130 39,125 39,125 33))', {all})",
    "a thin area across it": "list_shops_within('POLYGON((127.02 37.49,127.03 37.49,129.05 35.15,129.04 35.15,127.02 37.49))', {all})",
    "an area of 10,000 corners": "list_shops_within((SELECT star FROM bench_long), {all})",
    "an area of 2,000 corners around 300 km": "list_shops_within(ST_Buffer('POINT(127 37.5)'::geography, 300000, 500), {all})",
    "a route of 10,000 corners, 2000 m": "list_shops_along((SELECT route FROM bench_long), 2000, {all})",
    "a route of 10,000 corners in one street": "list_shops_along((SELECT zigzag FROM bench_long), 2000, {all})",
    "a route of 4,900 km": "list_shops_along('LINESTRING(127 37.5, 80 20)', 2000, {all})",
    "people at antipodes": "list_shops_meet(ARRAY[127.0276, -52.9724], ARRAY[37.4979, -37.4979], false, {all})",
    "two people, by sum": "list_shops_meet(ARRAY[127.0276, 129.0596], ARRAY[37.4979, 35.1577], true, {all})",
    "people on two continents": "list_shops_meet(ARRAY[127.0276, -70], ARRAY[37.4979, 40], false, {all})",
    "no shop passes": "list_shops_meet(ARRAY[127.0276, 129.0596], ARRAY[37.4979, 35.1577], false, {none})",
}


def shapes() -> list[tuple[list[list[float]], list[list[float]]]]:
    """Returns a hexagon and a route of 20 corners around each downtown point."""
    rng = random.Random(3)
    found = []
    for x, y in downtown_points():
        ring = [
            [
                x + RADIUS_DEGREES * math.cos(n * math.pi / 3) / 0.8,
                y + RADIUS_DEGREES * math.sin(n * math.pi / 3),
            ]
            for n in range(6)
        ]
        turn = rng.uniform(0, math.pi)
        line = [
            [
                x + (n - 10) / 10 * ROUTE_DEGREES * math.cos(turn) + rng.gauss(0, 2e-4),
                y + (n - 10) / 10 * ROUTE_DEGREES * math.sin(turn),
            ]
            for n in range(20)
        ]
        found.append(([*ring, ring[0]], line))
    return found  # fmt: skip


def long_route() -> list[list[float]]:
    """Returns a winding route of 10,000 corners and 507 km from Seoul to Busan."""
    (x0, y0), (x1, y1) = SEOUL, BUSAN
    return [
        [x0 + (x1 - x0) * n / CORNERS + 0.025 * math.sin(n / 40), y0 + (y1 - y0) * n / CORNERS + 0.017 * math.sin(n / 60)]
        for n in range(CORNERS)
    ]  # fmt: skip


def star() -> list[list[float]]:
    """Returns a ring of 10,000 corners with narrow bays around Seoul."""
    ring = [
        [
            127 + (0.3 + 0.02 * (n % 2)) * math.cos(n / 9998 * 2 * math.pi),
            37.5 + (0.3 + 0.02 * (n % 2)) * math.sin(n / 9998 * 2 * math.pi),
        ]
        for n in range(9998)
    ]
    return [*ring, ring[0]]  # fmt: skip


def zigzag() -> list[list[float]]:
    """Returns a route of 10,000 corners that runs to and fro over 200 m."""
    return [[127 + 0.002 * (n % 2), 37.5 + n * 1e-6] for n in range(CORNERS)]


def prepare(cursor: Any, found: list[tuple[list[list[float]], list[list[float]]]]) -> None:
    """Creates tables with the shapes, for pgbench."""
    cursor.execute(
        "DROP TABLE IF EXISTS bench_shapes, bench_long;"
        "CREATE TABLE bench_shapes (n int PRIMARY KEY, area geography, route geography);"
        "CREATE TABLE bench_long (star geography, route geography, zigzag geography)"
    )
    geography = "ST_GeomFromGeoJSON(%s)::geography"
    for n, (ring, line) in enumerate(found):
        cursor.execute(
            f"INSERT INTO bench_shapes VALUES (%s, {geography}, {geography})",
            (n, polygon(ring), line_string(line)),
        )
    cursor.execute(
        f"INSERT INTO bench_long VALUES ({geography}, {geography}, {geography})",
        (polygon(star()), line_string(long_route()), line_string(zigzag())),
    )
    cursor.execute("ANALYZE bench_shapes")


def polygon(ring: list[list[float]]) -> str:
    return json.dumps({"type": "Polygon", "coordinates": [ring]})


def line_string(line: list[list[float]]) -> str:
    return json.dumps({"type": "LineString", "coordinates": line})


def post(origin: str, path: str, bodies: list[str], seconds: int) -> Load:
    """Posts random bodies over eight connections."""
    listed = ",".join(f"'{body}'" for body in bodies)
    lua = (
        f'local bodies = {{{listed}}}\nmath.randomseed(os.time())\nlocal headers = {{["Content-Type"] = "application/json"}}\n'
        f'request = function() return wrk.format("POST", "{path}", headers, bodies[math.random(#bodies)]) end\n'
    )
    return run_wrk(origin, lua, seconds=seconds)


def meeting_paths(*, by: str, towns: int) -> list[str]:
    """Returns paths with a person near each of so many of Seoul, Busan and Jeju."""
    rng = random.Random(5)
    return [
        "/shops/meet?" + urlencode({
            "at": [f"{rng.gauss(x, 0.03):.6f},{rng.gauss(y, 0.03):.6f}" for x, y in rng.sample((SEOUL, BUSAN, JEJU), towns)],
            "by": by, "page": 1, "size": 20,
        }, doseq=True)
        for _ in range(100)
    ]  # fmt: skip


def compare(url: str, *, seconds: int, rounds: int) -> dict[str, Runs]:
    """Measures rows and functions in pgbench, and HTTP; interleaved."""
    found = shapes()
    areas, routes = [polygon(ring) for ring, _ in found], [line_string(line) for _, line in found]
    chosen = "\\set n random(0, 99)\n"
    user = "userLat=37.5&userLng=127.03"
    with server(url) as origin:
        within, along = f"/shops/within?{user}", f"/shops/along?distance_m={OFF_M}&{user}"
        cases = {
            "within: rows, pgbench": lambda: pgbench(url, WITHIN_ROWS, seconds=seconds),
            "within: function, pgbench": lambda: pgbench(url, chosen + WITHIN, seconds=seconds),
            "within: HTTP": lambda: post(origin, within, areas, seconds),
            "along: rows, pgbench": lambda: pgbench(url, ALONG_ROWS, seconds=seconds),
            "along: function, pgbench": lambda: pgbench(url, chosen + ALONG, seconds=seconds),
            "along: HTTP": lambda: post(origin, along, routes, seconds),
            "meet: HTTP": lambda: wrk(
                origin, meeting_paths(by="longest", towns=3), seconds=seconds, connections=1
            ),
            "meet: HTTP, by sum": lambda: wrk(
                origin, meeting_paths(by="sum", towns=3), seconds=seconds, connections=1
            ),
            "meet: HTTP, two by sum": lambda: wrk(
                origin, meeting_paths(by="sum", towns=2), seconds=seconds, connections=1
            ),
        }
        return interleave(cases, rounds)


def call_ms(cursor: Any, call: str) -> float:
    """Returns the CPU time of a function, which other programs on the machine change little."""
    return cpu_ms(cursor, f"SELECT {call}", ())


def median_ms(cursor: Any, call: str, times: int = 5) -> float:
    """Returns the median CPU time of a function; the first call is not counted."""
    taken = [call_ms(cursor, call) for _ in range(times + 1)]
    return round(statistics.median(taken[1:]), 1)


def meetings_ms(cursor: Any) -> dict[str, dict[str, float]]:
    """Returns p50 and p99 of the CPU time of the first page, by the number of people and of their towns."""
    found = {}
    cases = [(people, min(people, 3)) for people in (2, 3, 4, 5, 10)] + [(4, 2), (10, 2)]
    for people, towns in cases:
        rng = random.Random(9)
        groups = [_group(rng, people, towns) for _ in range(200)]
        for by in ("longest", "sum"):
            calls = [
                f"list_shops_meet(ARRAY{[x for x, _ in group]}, ARRAY{[y for _, y in group]}, {by == 'sum'}, {FIRST_PAGE})"
                for group in groups
            ]
            # the first run copies pages into the buffers, which also takes CPU time
            taken = sorted([call_ms(cursor, call) for call in [*calls, *calls]][len(calls) :])
            found[f"{people} in {towns} towns by {by}"] = {
                "p50_ms": round(percentile(taken, 50), 1),
                "p99_ms": round(percentile(taken, 99), 1),
            }
    return found


def _group(rng: random.Random, people: int, towns: int) -> list[tuple[float, float]]:
    """Draws people near so many of Seoul, Busan and Jeju, and equally many, or one more, near each."""
    chosen = rng.sample((SEOUL, BUSAN, JEJU), towns)
    places = (chosen[n % towns] for n in range(people))
    return [(round(rng.gauss(x, 0.03), 6), round(rng.gauss(y, 0.03), 6)) for x, y in places]


def expensive_ms(cursor: Any) -> dict[str, float]:
    """Returns the median CPU times of the requests that cost most."""
    page = "'distance', '', 10000, 100, 0"
    everything = f"127.03, 37.5, NULL, true, NULL, {page}"
    no_shop = """jsonb_populate_record(NULL::shop_filters, '{"min_rating": 5.1}')"""
    nothing = f"127.03, 37.5, NULL, true, {no_shop}, {page}"
    return {
        name: median_ms(cursor, call.format(all=everything, none=nothing))
        for name, call in EXPENSIVE.items()
    }


def tables(found: dict[str, Runs]) -> list[dict[str, object]]:
    """Prints a table of each kind of search; returns the rows of all."""
    first = ("within: rows, pgbench", "along: rows, pgbench", "meet: HTTP")
    return [
        row
        for limit in first
        for row in table(
            [runs for name, runs in found.items() if name.startswith(limit.partition(":")[0])],
            found[limit],
        )
    ]


def main(bench: Bench) -> dict[str, object]:
    """Prints the tables and returns the figures."""
    url = bench.dense(bench.size())
    if bench.hostile:
        report = hostile_shapes.report(url, quick=bench.quick, rounds=bench.rounds)
        return {"shops": bench.size(), **report}
    seconds, rounds = (2, bench.rounds or 2) if bench.quick else (4, bench.rounds or 3)
    cursor = service_cursor_of(url)
    prepare(cursor, shapes())
    cursor.execute("SELECT ST_Length(route) / 1000 FROM bench_long")
    (route_km,) = cursor.fetchone()
    long_ms = median_ms(cursor, f"list_shops_along((SELECT route FROM bench_long), 200, {LIST})")
    worst = expensive_ms(cursor)
    for name, ms in worst.items():
        print(f"{name:44}{ms:9.1f} ms", file=sys.stderr)
    meetings = meetings_ms(cursor)
    for name, figures in meetings.items():
        print(f"meet, {name:38}{figures['p50_ms']:9.1f} ms, p99 {figures['p99_ms']:.1f} ms", file=sys.stderr)  # fmt: skip
    found = compare(url, seconds=seconds, rounds=rounds)
    return {
        "shops": bench.size(),
        "within_ratio_to_rows": found["within: HTTP"].of(found["within: rows, pgbench"]),
        "along_ratio_to_rows": found["along: HTTP"].of(found["along: rows, pgbench"]),
        "meet_p50_ms": found["meet: HTTP"].median("p50_ms"),
        "meet_p99_ms": found["meet: HTTP"].median("p99_ms"),
        "meet_by_sum_p50_ms": found["meet: HTTP, by sum"].median("p50_ms"),
        "meet_by_sum_p99_ms": found["meet: HTTP, by sum"].median("p99_ms"),
        "meet_two_by_sum_p50_ms": found["meet: HTTP, two by sum"].median("p50_ms"),
        "meet_two_by_sum_p99_ms": found["meet: HTTP, two by sum"].median("p99_ms"),
        "meet_cpu_p99_ms": max(f["p99_ms"] for name, f in meetings.items() if name not in HALVES),
        "meet_halves_cpu_p99_ms": max(meetings[name]["p99_ms"] for name in HALVES),
        "meetings_ms": meetings,
        "long_route_km": round(route_km),
        "long_route_ms": long_ms,
        "worst_ms": max(worst.values()),
        "errors": sum(runs.errors() for runs in found.values()),
        "expensive_ms": worst,
        "cases": tables(found),
    }
