"""Radius search: the raw limit of the same query in pgbench, the service as shipped, and with --peers alternative
stacks."""

from __future__ import annotations

import sys
from collections.abc import Callable

from data import Bench, cursor_of, downtown_points
from figures import Runs, interleave, table
from load import Load, pgbench, server, wrk
from peers.catalogue import PEERS, Peer, Question, contract, same_area_box
from peers.environments import version
from peers.running import running
from peers.same import Distances, check, fetch

RADIUS_M = 2000
USER_OFF = (0.012, 0.009)  # about 1.5 km
CHECKED = 20

# the query as rows
ROWS = """
SELECT s.id, s.place_name, ST_X(s.geog::geometry)::text AS longitude, ST_Y(s.geog::geometry)::text AS latitude,
  ST_Distance(s.geog, ST_SetSRID(ST_MakePoint(:ulng, :ulat), 4326)::geography) AS distance_m,
  CASE WHEN s.review_cnt = 0 THEN 0 ELSE round(s.star_rating_sum::numeric / s.review_cnt, 1) END AS star_rating_avg,
  s.review_cnt, s.favorite_cnt, b.name AS brand_name, b.image_path, s.road_address, false AS favorite
FROM shops s JOIN brands b ON b.id = s.brand_id
WHERE b.is_representative AND s.status <> 'CLOSED'
  AND ST_DWithin(s.geog, ST_SetSRID(ST_MakePoint(:mlng, :mlat), 4326)::geography, {radius})
ORDER BY distance_m, s.id;
"""
FUNCTION = """
SELECT shops_around(:mlng, :mlat, :ulng, :ulat, {radius}, NULL, 'http://127.0.0.1:8000', 1000);
"""
IN_BOX = "SELECT id FROM bench_peers.shops WHERE ST_Intersects(geom, ST_MakeEnvelope(%s, %s, %s, %s, 4326))"
AT_EDGE = """
SELECT id, ST_Distance(geog, point_at(%(x)s, %(y)s)) FROM shops
WHERE ST_DWithin(geog, point_at(%(x)s, %(y)s), %(reach)s)"""


def variables(points: list[tuple[float, float]]) -> str:
    """Returns pgbench variables of a random point, chosen by a balanced tree of conditions to keep the cost low."""
    lines = [f"\\set n random(0, {len(points) - 1})"]
    for name, axis, off in (
        ("m", 0, 0.0),
        ("m", 1, 0.0),
        ("u", 0, USER_OFF[0]),
        ("u", 1, USER_OFF[1]),
    ):
        choice = _choice([round(p[axis] + off, 6) for p in points], 0)
        lines.append(f"\\set {name}{('lng', 'lat')[axis]} {choice}")
    return "\n".join(lines)


def _choice(values: list[float], first: int) -> str:
    if len(values) == 1:
        return str(values[0])
    middle = len(values) // 2
    low, high = _choice(values[:middle], first), _choice(values[middle:], first + middle)
    return f"case when :n < {first + middle} then {low} else {high} end"


def questions(points: list[tuple[float, float]]) -> list[Question]:
    """Returns map centres with user positions at some distance."""
    return [(x, y, round(x + USER_OFF[0], 6), round(y + USER_OFF[1], 6)) for x, y in points]


def paths(points: list[tuple[float, float]]) -> list[str]:
    """Returns the paths of the same queries."""
    return list(map(contract("/shops/brand"), questions(points)))


def compare(url: str, *, seconds: int, rounds: int) -> dict[str, Runs]:
    """Measures rows and function in pgbench, and HTTP; interleaved."""
    points = downtown_points()
    chosen = variables(points)
    with server(url) as origin:
        cases: dict[str, Callable[[], Load]] = {
            "pgbench rows": lambda: pgbench(
                url, chosen + ROWS.format(radius=RADIUS_M), seconds=seconds
            ),
            "HTTP as shipped": lambda: wrk(origin, paths(points), seconds=seconds),
            "pgbench shops_around": lambda: pgbench(
                url, chosen + FUNCTION.format(radius=RADIUS_M), seconds=seconds
            ),
        }
        wrk(origin, paths(points), seconds=2)
        return interleave(cases, rounds)


class Ours:
    """The expected results of the peers."""

    def __init__(self, url: str, origin: str) -> None:
        self.cursor, self.origin = cursor_of(url), origin

    def expected(self, peer: Peer, question: Question) -> list[int]:
        """Returns the shops of the service, or of the box for peers that search boxes."""
        if not peer.box:
            return [shop["id"] for shop in fetch(self.origin + contract("/shops/brand")(question))]
        self.cursor.execute(IN_BOX, same_area_box(*question[:2]))
        return [id for (id,) in self.cursor.fetchall()]

    def near(self, question: Question) -> Distances:
        """Returns the shops within a slightly larger circle, with their distances from the centre."""
        x, y, *_ = question
        self.cursor.execute(AT_EDGE, {"x": x, "y": y, "reach": RADIUS_M * 1.02})
        return dict(self.cursor.fetchall())


def against_peers(url: str, *, seconds: int, rounds: int) -> dict[str, Runs]:
    """Checks the peers' results, then measures service and peers with 32 connections, interleaved."""
    asked = questions(downtown_points())

    def load(origin: str, path: Callable[[Question], str], seconds: int) -> Load:
        return wrk(origin, list(map(path, asked)), seconds=seconds, connections=32)

    with server(url) as origin, running(url, origin) as origins:
        ours = Ours(url, origin)
        cases = {"geoshops": lambda: load(origin, contract("/shops/brand"), seconds)}
        for peer in PEERS:
            args = (origins[peer.name], asked[:CHECKED], ours.expected, ours.near, RADIUS_M)
            compared = check(peer, *args)
            print(f"{peer.name}: the same {compared} shops", file=sys.stderr)
            cases[peer.name] = lambda p=peer: load(origins[p.name], p.path, seconds)  # type: ignore[misc]
            load(origins[peer.name], peer.path, 2)
        load(origin, contract("/shops/brand"), 2)
        found = interleave(cases, rounds)
    for peer in PEERS:
        found[peer.name].note = peer.less
    return found


def peers_figures(url: str, *, seconds: int, rounds: int) -> dict[str, object]:
    """Prints the ratio of the service's rate to each peer's, with its target."""
    found = against_peers(url, seconds=seconds, rounds=rounds)
    ours = found["geoshops"]
    records = table(found.values(), ours)
    times = {
        peer.name: {
            "times": ours.of(found[peer.name]),
            "wanted": peer.times,
            "version": version(peer.folder, peer.package),
            "less": peer.less,
        }
        for peer in PEERS
    }
    for name, line in times.items():
        wanted = "" if line["wanted"] is None else f"; wanted {line['wanted']}"
        print(f"{name:30}{line['times']:9.2f} times{wanted}", file=sys.stderr)
    return {"cases": records, "times": times}


def main(bench: Bench) -> dict[str, object]:
    """Prints the tables and returns the figures."""
    shops = bench.size()
    url = bench.database(shops)
    seconds, rounds = (3, bench.rounds or 3) if bench.quick else (8, bench.rounds or 5)
    found = compare(url, seconds=seconds, rounds=rounds)
    rows, http = found["pgbench rows"], found["HTTP as shipped"]
    cases = table(found.values(), rows)
    figures: dict[str, object] = {
        "shops": shops,
        "ratio_to_limit": http.of(rows),
        "ratio_of_function_to_limit": found["pgbench shops_around"].of(rows),
        "requests_per_s": round(http.median("per_s")),
        "limit_per_s": round(rows.median("per_s")),
        "p50_ms": http.median("p50_ms"),
        "p99_ms": http.median("p99_ms"),
        "bytes_each": round(http.median("bytes_each")),
        "errors": http.errors(),
        "foreign_cpu_percent": max(max(runs.foreign) for runs in found.values()),
        "cases": cases,
    }
    if bench.peers:
        against = peers_figures(url, seconds=min(seconds, 4), rounds=min(rounds, 3))
        figures["peers"] = against["times"]
        figures["cases"] = [*cases, *against["cases"]]  # type: ignore[misc]
    return figures
