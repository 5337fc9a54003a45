"""Radius search: the raw limit of the same question in pgbench, the service as shipped, and growth with N."""

from __future__ import annotations

import statistics
import sys
from dataclasses import dataclass, field

from data import Bench, downtown_points
from load import Load, metered, pgbench, server, wrk

RADIUS_M = 2000
USER_OFF = (0.012, 0.009)  # about 1.5 km

# the question as rows, as an analyst would write it
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
SELECT body FROM shops_around(:mlng, :mlat, :ulng, :ulat, {radius}, NULL, 'http://127.0.0.1:8000', 1000);
"""


@dataclass
class Runs:
    """Loads of one case over the rounds."""

    name: str
    loads: list[Load] = field(default_factory=list)

    def median(self, figure: str) -> float:
        """Median of a figure over the rounds."""
        return statistics.median(getattr(load, figure) for load in self.loads)

    def spread_percent(self) -> float:
        """(max − min) of the rate, in per cent of its median."""
        rates = [load.per_s for load in self.loads]
        return round(100 * (max(rates) - min(rates)) / statistics.median(rates), 1)


def variables(points: list[tuple[float, float]]) -> str:
    """pgbench variables of a random point, by a balanced choice so that choosing costs nothing."""
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


def paths(points: list[tuple[float, float]]) -> list[str]:
    """The same questions as addresses."""
    return [
        f"/shops/brand?userLat={y + USER_OFF[1]:.6f}&userLng={x + USER_OFF[0]:.6f}&mapLat={y}&mapLng={x}"
        for x, y in points
    ]


def compare(url: str, *, seconds: int, rounds: int) -> tuple[Runs, Runs, Runs, float]:
    """Rows in pgbench, our function in pgbench, HTTP; interleaved."""
    points = downtown_points()
    rows, function, http = (
        Runs("pgbench rows"),
        Runs("pgbench shops_around"),
        Runs("HTTP as shipped"),
    )
    chosen = variables(points)
    with server(url) as origin, metered() as noise:
        wrk(origin, paths(points), seconds=2)
        pgbench(url, chosen + ROWS.format(radius=RADIUS_M), seconds=2)
        for number in range(rounds):
            rows.loads.append(pgbench(url, chosen + ROWS.format(radius=RADIUS_M), seconds=seconds))
            http.loads.append(wrk(origin, paths(points), seconds=seconds))
            function.loads.append(
                pgbench(url, chosen + FUNCTION.format(radius=RADIUS_M), seconds=seconds)
            )
            print(f"round {number + 1} of {rounds}", file=sys.stderr)
    return rows, function, http, noise["foreign_percent"]


def growth(bench: Bench, sizes: list[int], *, seconds: int, rounds: int) -> list[dict[str, float]]:
    """p50 and p99 of one HTTP connection by table size, at constant density."""
    points = paths(downtown_points())
    found = []
    for size in sizes:
        with server(bench.database(size)) as origin:
            wrk(origin, points, seconds=2, connections=1)
            runs = Runs(
                str(size),
                [wrk(origin, points, seconds=seconds, connections=1) for _ in range(rounds)],
            )
        found.append(
            {"shops": size, "p50_ms": runs.median("p50_ms"), "p99_ms": runs.median("p99_ms")}
        )
    return found


def table(cases: list[Runs], limit: Runs) -> None:
    """Prints the cases to standard error."""
    print(
        f"{'case':24}{'per s':>9}{'p50 ms':>9}{'p99 ms':>9}{'spread':>9}{'of rows':>9}{'bytes':>8}",
        file=sys.stderr,
    )
    for case in cases:
        print(
            f"{case.name:24}{case.median('per_s'):9.0f}{case.median('p50_ms'):9.2f}{case.median('p99_ms'):9.2f}"
            f"{case.spread_percent():8.0f}%{case.median('per_s') / limit.median('per_s'):9.2f}{case.median('bytes_each'):8.0f}",
            file=sys.stderr,
        )


def main(bench: Bench) -> dict[str, object]:
    """Prints the table and returns the figures."""
    shops = bench.shops or (100_000 if bench.quick else 1_000_000)
    seconds, rounds = (3, bench.rounds or 3) if bench.quick else (8, bench.rounds or 5)
    rows, function, http, foreign = compare(bench.database(shops), seconds=seconds, rounds=rounds)
    table([rows, function, http], rows)
    sizes = [size for size in (10_000, 100_000, 1_000_000) if size <= shops]
    grown = growth(bench, sizes, seconds=seconds, rounds=1 if bench.quick else 3)
    for line in grown:
        print(
            f"{line['shops']:>10} shops: p50 {line['p50_ms']:.2f} ms, p99 {line['p99_ms']:.2f} ms",
            file=sys.stderr,
        )
    return {
        "shops": shops,
        "ratio_to_limit": round(http.median("per_s") / rows.median("per_s"), 3),
        "ratio_of_function_to_limit": round(function.median("per_s") / rows.median("per_s"), 3),
        "requests_per_s": round(http.median("per_s")),
        "limit_per_s": round(rows.median("per_s")),
        "p50_ms": http.median("p50_ms"),
        "p99_ms": http.median("p99_ms"),
        "bytes_each": round(http.median("bytes_each")),
        "errors": sum(load.errors for load in http.loads),
        "foreign_cpu_percent": foreign,
        "growth_p50": round(grown[-1]["p50_ms"] / grown[0]["p50_ms"], 2),
        "growth_p99": round(grown[-1]["p99_ms"] / grown[0]["p99_ms"], 2),
        "growth": grown,
    }
