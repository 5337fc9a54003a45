"""Hostile searches by shape: combs, stars, spirals, nested rings, routes to and fro, meetings anywhere, CQL2 filters; reproducible.

Measures PostgreSQL's CPU time of each."""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, cast

from data import CENTERS, service_cursor_of
from hostile import cpu_ms_of
from load import percentile
from tqdm import tqdm

from geoshops.database.pool import Database
from geoshops.database.statements import Statement, with_values
from geoshops.errors import ApiError
from geoshops.ogc import queries
from geoshops.ogc.collections import SHOPS
from geoshops.ogc.cql2 import MAX_LENGTH, parse

SEED = 20261124
COUNT, QUICK_COUNT = 1000, 100
LIMIT_MS = 300
MOST_CORNERS = 9_990
CORNERS = (50, 500, 2000, MOST_CORNERS)
Ring = list[list[float]]
Search = Callable[[Any], object]


def searches(count: int) -> Iterator[tuple[str, str, Search]]:
    """Yields `count` searches of each kind, each by its name and what it says, as a function of a cursor."""
    rng = random.Random(SEED)
    for _ in range(count):
        for draw in (_within, _along, _meet, _filter):
            yield draw(rng)


def _call(name: str, statement: str, *values: object) -> tuple[str, str, Search]:
    def run(cursor: Any) -> None:
        cursor.execute(statement, values)
        cursor.fetchall()

    return name, statement, run


def _options(rng: random.Random, at_most: int) -> str:
    """Draws the parameters that all searches share: brands, filters, order, page, language."""
    user = rng.choice(("NULL, NULL", "127.03, 37.5"))
    brands = rng.choice(
        ("NULL, true", "NULL, true", "NULL, false", "ARRAY[1], false", "ARRAY[18], false")
    )
    # no shop has five stars, and none of the benchmark has votes
    filters = rng.choice((None, None, {"min_rating": 5}, {"clean": 0.1, "retouch": 0.1, "props": 0.1},
                          {"min_rating": 3.4}, {"open_minute": 240}))  # fmt: skip
    passing = (
        f"jsonb_populate_record(NULL::shop_filters, '{json.dumps(filters)}')" if filters else "NULL"
    )
    sort = rng.choice(("distance", "distance", "rating", "reviews", "favorites"))
    page = rng.choice(("1000, 1000, 0", f"{at_most}, 20, 0", f"{at_most}, 100, {at_most - 100}"))
    lang = rng.choice(("NULL", "NULL", "'en'", "'ja'"))
    return f"{user}, {brands}, {passing}, '{sort}', 'http://127.0.0.1:8000', {page}, {lang}"


def _place(rng: random.Random) -> tuple[float, float]:
    """Draws a town, or any place in the country."""
    if rng.random() < 0.7:
        x, y, _ = rng.choice(CENTERS)
        return rng.gauss(x, 0.02), rng.gauss(y, 0.02)
    return rng.uniform(126, 129.4), rng.uniform(34.5, 38)


def _size(rng: random.Random) -> float:
    """Draws half the size of a shape in degrees: a street to the whole country."""
    return float(10 ** rng.uniform(-2.5, 0.4))


def _polar(place: tuple[float, float], points: list[tuple[float, float]]) -> Ring:
    return [[place[0] + away * math.cos(turn), place[1] + away * 0.8 * math.sin(turn)] for turn, away in points]  # fmt: skip


def _closed(ring: Ring) -> Ring:
    return [*ring, ring[0]]


def _comb(rng: random.Random) -> list[list[Ring]]:
    """Draws teeth side by side."""
    (x, y), size, teeth = _place(rng), _size(rng), rng.choice(CORNERS) // 2
    depth = rng.uniform(0.05, 1) * size
    ring = [[x - size + n * size / teeth, y + (size if n % 2 else size - depth)] for n in range(2 * teeth)]  # fmt: skip
    return [[_closed([*ring, [x + size, y - size], [x - size, y - size]])]]


def _star(rng: random.Random) -> list[list[Ring]]:
    corners = rng.choice(CORNERS) // 2 * 2
    return [[_star_ring(_place(rng), _size(rng), corners, rng.uniform(0.1, 0.99))]]


def _star_ring(place: tuple[float, float], size: float, corners: int, inner: float = 0.5) -> Ring:
    turns = [(2 * math.pi * n / corners, size * (inner if n % 2 else 1)) for n in range(corners)]
    return _closed(_polar(place, turns))


def _spiral(rng: random.Random) -> list[list[Ring]]:
    """Draws a strip that winds around a place."""
    place, size, half, turns = _place(rng), _size(rng), rng.choice(CORNERS) // 2, rng.randint(1, 30)
    arm = [(2 * math.pi * turns * n / half, size * (n + 1) / half) for n in range(half)]
    inside = [(turn, max(0.0, away - 0.4 * size / turns)) for turn, away in arm]
    inside = [(turn, away) for turn, away in inside if away > 0]
    return [[_closed(_polar(place, [*arm, *reversed(inside)]))]]


def _rings(rng: random.Random) -> list[list[Ring]]:
    """Draws rings in one another, each with a hole."""
    place, size, corners = _place(rng), _size(rng), rng.choice((4, 30, 200))
    count = rng.randint(1, MOST_CORNERS // (2 * corners + 2))
    circle = [2 * math.pi * n / corners for n in range(corners)]
    return [
        [_closed(_polar(place, [(turn, size * (n + share) / count) for turn in circle])) for share in (1, 0.5)]
        for n in range(count)
    ]  # fmt: skip


def _squares(rng: random.Random) -> list[list[Ring]]:
    """Draws many small squares."""
    (x, y), size, side = _place(rng), _size(rng), rng.choice((3, 15, 44))
    step = 2 * size / side
    return [
        [[[west, south], [west + step / 2, south], [west + step / 2, south + step / 2], [west, south + step / 2], [west, south]]]
        for west in (x - size + n * step for n in range(side))
        for south in (y - size + n * step for n in range(side))
    ]  # fmt: skip


AREAS = (_comb, _star, _spiral, _rings, _squares)


def _within(rng: random.Random) -> tuple[str, str, Search]:
    draw = rng.choice(AREAS)
    shape = {"type": "MultiPolygon", "coordinates": draw(rng)}
    call = f"SELECT body, problem FROM list_shops_within(ST_GeomFromGeoJSON(%s)::geography, {_options(rng, 10_000)})"
    return _call(f"within: {draw.__name__[1:]}", call, json.dumps(shape))


def _to_and_fro(rng: random.Random) -> Ring:
    """Draws a zigzag in a street or across a town."""
    (x, y), size, corners = _place(rng), _size(rng) / 10, rng.choice(CORNERS)
    drift = rng.choice((0.0, 1e-6, 1e-4))
    return [[x + size * (n % 2), y + n * drift] for n in range(corners)]


def _walk(rng: random.Random) -> Ring:
    """Draws a random walk."""
    (x, y), step = _place(rng), 10 ** rng.uniform(-5, -2)
    line = [[x, y]]
    for _ in range(rng.choice(CORNERS) - 1):
        line.append([line[-1][0] + rng.gauss(0, step), min(80, max(-80, line[-1][1] + rng.gauss(0, step)))])  # fmt: skip
    return line


def _coil(rng: random.Random) -> Ring:
    """Draws a circle or a spiral that is run through many times."""
    place, size, corners, turns = _place(rng), _size(rng) / 10, rng.choice(CORNERS), rng.randint(1, 200)  # fmt: skip
    grows = rng.random() < 0.5
    return _polar(place, [(2 * math.pi * turns * n / corners, size * (n / corners if grows else 1)) for n in range(corners)])  # fmt: skip


def _tour(rng: random.Random) -> Ring:
    """Draws a way from town to town, with as many corners as there may be."""
    towns = [_place(rng) for _ in range(rng.randint(2, 12))]
    pieces = rng.choice((1, 100, MOST_CORNERS // len(towns)))
    return [
        [a[0] + (b[0] - a[0]) * n / pieces + rng.gauss(0, 1e-4), a[1] + (b[1] - a[1]) * n / pieces]
        for a, b in zip(towns, [*towns[1:], towns[0]], strict=True)
        for n in range(pieces)
    ]


ROUTES = (_to_and_fro, _walk, _coil, _tour)


def _along(rng: random.Random) -> tuple[str, str, Search]:
    draw = rng.choice(ROUTES)
    shape = {"type": "LineString", "coordinates": draw(rng)}
    distance_m = rng.choice((1, 20, 200, 501, 2000))
    call = f"SELECT body, problem FROM list_shops_along(ST_GeomFromGeoJSON(%s)::geography, {distance_m}, {_options(rng, 10_000)})"
    return _call(f"along: {draw.__name__[1:]}", call, json.dumps(shape))


def _street(rng: random.Random, count: int) -> Ring:
    x, y = _place(rng)
    return [[rng.gauss(x, 0.002), rng.gauss(y, 0.002)] for _ in range(count)]


def _towns(rng: random.Random, count: int) -> Ring:
    towns = [_place(rng) for _ in range(rng.choice((2, 3)))]
    spread = rng.choice((0, 0.0003, 0.003, 0.03))
    return [[rng.gauss(x, spread), rng.gauss(y, spread)] for x, y in (towns[n % len(towns)] for n in range(count))]  # fmt: skip


def _line(rng: random.Random, count: int) -> Ring:
    (x0, y0), (x1, y1) = _place(rng), _place(rng)
    return [[x0 + (x1 - x0) * share, y0 + (y1 - y0) * share] for share in (rng.random() for _ in range(count))]  # fmt: skip


def _antipodes(rng: random.Random, count: int) -> Ring:
    x, y = _place(rng)
    return [[x, y] if n % 2 else [x - 180, -y] for n in range(count)]


def _globe(rng: random.Random, count: int) -> Ring:
    return [[rng.uniform(-180, 180), rng.choice((90, -90, rng.uniform(-90, 90)))] for _ in range(count)]  # fmt: skip


MEETINGS = (_street, _towns, _line, _antipodes, _globe)


def _meet(rng: random.Random) -> tuple[str, str, Search]:
    draw = rng.choice(MEETINGS)
    people = draw(rng, rng.randint(2, 10))
    lons, lats = map(list, zip(*people, strict=True))
    by_sum = rng.choice(("true", "false"))
    call = f"SELECT list_shops_meet(%s, %s, {by_sum}, {_options(rng, 1000)})"
    return _call(f"meet: {draw.__name__[1:]}", call, lons, lats)


class OneConnection:
    """Runs the queries of OGC API Features on a cursor."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def rows(self, statement: Statement, values: Any) -> Any:
        """All rows of a query."""
        self._cursor.execute(*with_values(statement, values))
        return self._cursor.fetchall()

    def row(self, statement: Statement, values: Any) -> Any:
        """The first row of a query."""
        return self.rows(statement, values)[0]


def _filter(rng: random.Random) -> tuple[str, str, Search]:
    """Draws a filter of few to many conditions, with and without a box."""
    condition = _condition(rng)
    for _ in range(rng.choice((0, 0, 1, 5, 150))):
        longer = f"{condition} {rng.choice(('AND', 'OR'))} {_condition(rng)}"
        condition = longer if len(longer) <= MAX_LENGTH else condition
    (x, y), size = _place(rng), _size(rng)
    box = rng.choice((None, None, (x - size, y - size, x + size, y + size)))
    after, limit = rng.choice((0, 0, 500_000)), rng.choice((1, 1000, 10_000))

    def run(cursor: Any) -> None:
        with suppress(ApiError):
            queries.items(
                cast(Database, OneConnection(cursor)), SHOPS,
                box=box, filter=parse(condition), limit=limit, after=after,
            )  # fmt: skip

    return "filter", f"{condition[:100]} ({box}, {limit} after {after})", run


def _condition(rng: random.Random) -> str:
    name = rng.choice(
        ("place_name", "brand_name", "place_address", "sido", "dong", "phone", "status")
    )
    text = rng.choice(("인생", "%점%", "%z%z%z%", "%강남%", "부스%", "zzz", "%1%2%3%4%"))
    number = rng.choice(("review_cnt", "favorite_cnt", "star_rating_avg", "id"))
    x, y = _place(rng)
    size = _size(rng)
    ring = ",".join(f"{lng:.4f} {lat:.4f}" for lng, lat in _star_ring((x, y), size, 100))
    return rng.choice((
        f"{name} LIKE '{text}'", f"{name} NOT LIKE '{text}'", f"{name} = '{text}'", f"{name} IS NULL",
        f"{number} >= {rng.choice((0, 3, 4.9, 39, 10**6))}", f"{number} BETWEEN 1 AND {rng.choice((2, 30, 10**6))}",
        f"{number} IN ({','.join(str(rng.randrange(10**6)) for _ in range(rng.choice((1, 30))))})",
        f"S_INTERSECTS(geometry, BBOX({x - size:.4f}, {y - size:.4f}, {x + size:.4f}, {y + size:.4f}))",
        f"NOT S_INTERSECTS(geometry, POLYGON(({ring})))", f"S_INTERSECTS(geometry, POLYGON(({ring})))",
    ))  # fmt: skip


def measure(url: str, count: int) -> dict[str, list[tuple[float, str]]]:
    """Returns CPU milliseconds and statement of each search by its name, the most expensive first."""
    cursor = service_cursor_of(url)
    times: dict[str, list[tuple[float, str]]] = {}
    progress = tqdm(searches(count), total=4 * count, desc="hostile shapes", file=sys.stderr, disable=None)  # fmt: skip
    for name, statement, run in progress:
        taken_ms = cpu_ms_of(cursor, partial(run, cursor))
        times.setdefault(name, []).append((taken_ms, statement))
    return {name: sorted(found, reverse=True) for name, found in times.items()}


def report(url: str, *, quick: bool, rounds: int | None) -> dict[str, object]:
    """Prints median, p99 and maximum by kind, and the most expensive searches; returns the maximum of all."""
    times = measure(url, rounds or (QUICK_COUNT if quick else COUNT))
    print(f"\n{'CPU ms':24}{'number':>8}{'p50':>8}{'p99':>8}{'max':>8}", file=sys.stderr)
    for name, found in sorted(times.items()):
        taken = sorted(ms for ms, _ in found)
        figures = "".join(f"{percentile(taken, share):8.1f}" for share in (50, 99, 100))
        print(f"{name:24}{len(found):8}{figures}", file=sys.stderr)
    worst = sorted((row for found in times.values() for row in found), reverse=True)
    for ms, statement in worst[:10]:
        print(f"{ms:8.1f} ms  {statement}", file=sys.stderr)
    return {
        "hostile_searches": len(worst),
        "hostile_cpu_max_ms": round(worst[0][0], 1),
        "hostile_over_limit": sum(ms > LIMIT_MS for ms, _ in worst),
    }
