"""Radius search by table size: at constant density, at a hundredfold density with equal result size, and with
thousands of shops in the circle, which must not all be sorted."""

from __future__ import annotations

import re
import statistics
import sys
from contextlib import ExitStack

from data import COUNTRY, ROW, STEP_LON, Bench, cursor_of, downtown_points, server_url
from figures import Runs, interleave
from load import server, wrk
from radius import paths, questions

from geoshops.web.paging import ItemList

SIZES = (10_000, 100_000, 1_000_000, 5_000_000)
QUICK_SIZES = (10_000, 100_000)
DENSER = 100
WIDE_M = 2000


def spread_points(shops: int) -> list[tuple[float, float]]:
    """Returns city centres of up to ten countries of the first row, which have the same latitude: further south a
    circle covers fewer degrees and so fewer shops."""
    countries = min(ROW, max(1, shops // COUNTRY))
    columns = sorted({round(i * (countries - 1) / 9) for i in range(10)})
    return [
        (round((x + STEP_LON * column + 180) % 360 - 180, 6), y)
        for column in columns
        for x, y in downtown_points()
    ]


def by_size(bench: Bench, sizes: list[int], *, seconds: int, rounds: int) -> dict[str, Runs]:
    """Measures each table over one HTTP connection, interleaved."""
    with ExitStack() as stack:
        cases = {}
        for size in sizes:
            origin = stack.enter_context(server(bench.database(size), WEB_CONCURRENCY="1"))
            asked = paths(spread_points(size))
            wrk(origin, asked, seconds=3, connections=1)
            cases[f"{size:,} shops"] = lambda o=origin, a=asked: wrk(
                o, a, seconds=seconds, connections=1
            )
        return interleave(cases, rounds)


def by_density(bench: Bench, shops: int, *, seconds: int, rounds: int) -> dict[str, Runs]:
    """Measures a circle in a country, and one with as many shops in a denser country."""
    radius_m = round(2000 / (shops / COUNTRY) ** 0.5)
    points = downtown_points()
    with (
        server(bench.database(COUNTRY), WEB_CONCURRENCY="1") as thin,
        server(bench.dense(shops), WEB_CONCURRENCY="1") as dense,
    ):
        close = [f"{path}&radius={radius_m}" for path in paths(points)]
        wide = [f"{path}&radius=2000" for path in paths(points)]
        cases = {
            f"{COUNTRY:,} shops, 2000 m": lambda: wrk(thin, wide, seconds=seconds, connections=1),
            f"{shops:,} shops, {radius_m} m": lambda: wrk(
                dense, close, seconds=seconds, connections=1
            ),
        }
        wrk(thin, wide, seconds=2, connections=1)
        wrk(dense, close, seconds=2, connections=1)
        return interleave(cases, rounds)


def wide_circle(name: str) -> dict[str, object]:
    """Measures a circle with thousands of shops: time, sorted rows, and whether an index returns the nearest first."""
    cursor = cursor_of(server_url(name))
    cursor.execute(
        "LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on;"
        " SET auto_explain.log_nested_statements = on; SET client_min_messages = log"
    )
    x, y, user_x, user_y = questions(downtown_points())[0]
    values = {"x": x, "y": y, "ux": user_x, "uy": user_y, "r": WIDE_M}
    cursor.execute("SELECT count(*) FROM shops_near(point_at(%(x)s, %(y)s), %(r)s)", values)
    (within,) = cursor.fetchone()
    times = []
    for _ in range(5):
        cursor.connection.notices.clear()
        cursor.execute(
            "SELECT shops_around(%(x)s, %(y)s, %(ux)s, %(uy)s, %(r)s, NULL, '', 1000)",
            values,
        )
        found = ItemList.parse(cursor.fetchone()[0].encode())
        plans = list(cursor.connection.notices)
        times += [float(m) for m in re.findall(r"duration: ([0-9.]+) ms", plans[-1])]
    return {
        "shops_within": within,
        "answered": found.total,
        "truncated": found.truncated,
        "ms": round(statistics.median(times), 2),
        "most_rows_sorted": most_sorted("\n".join(plans)),
        "nearest_first_by_index": bool(re.search(r"Order By: \(.*<->", "\n".join(plans))),
    }


def most_sorted(plan: str) -> int:
    """Returns the maximum number of input rows of the sorts in a plan."""
    most = 0
    lines = plan.splitlines()
    for at, line in enumerate(lines):
        if not re.search(r"(->|^\s*|Plan: ?)\s*(Incremental )?Sort  \(", line):
            continue
        below = next((x for x in lines[at + 1 :] if "(actual" in x), line)
        most = max(most, *(int(n) for n in re.findall(r"rows=(\d+) loops", below)))
    return most


def _report(found: dict[str, Runs]) -> list[dict[str, object]]:
    lines = []
    first = next(iter(found.values()))
    for runs in found.values():
        p50, p99 = (min(getattr(x, f) for x in runs.loads) for f in ("p50_ms", "p99_ms"))
        base = tuple(min(getattr(x, f) for x in first.loads) for f in ("p50_ms", "p99_ms"))
        line = {
            **runs.record(first), "best_p50_ms": p50, "best_p99_ms": p99,
            "growth_p50": round(p50 / base[0], 2), "growth_p99": round(p99 / base[1], 2),
        }  # fmt: skip
        lines.append(line)
        print(
            f"{runs.name:30} p50 {p50:6.2f} ms {line['growth_p50']:5.2f}x   p99 {p99:6.2f} ms {line['growth_p99']:5.2f}x"
            f"   {line['bytes']} bytes   foreign {line['foreign_percent']}%",
            file=sys.stderr,
        )
    return lines


def main(bench: Bench) -> dict[str, object]:
    """Prints the tables; growth is that of the best round, which has the least noise."""
    most = bench.shops or (QUICK_SIZES[-1] if bench.quick else SIZES[-1])
    sizes = [size for size in SIZES if size <= most]
    seconds, rounds = (2, bench.rounds or 3) if bench.quick else (5, bench.rounds or 5)
    dense = min(COUNTRY * DENSER, bench.size())
    grown = _report(by_size(bench, sizes, seconds=seconds, rounds=rounds))
    denser = _report(by_density(bench, dense, seconds=seconds, rounds=rounds))
    wide = wide_circle(bench.dense(dense).rpartition("/")[2])
    print(f"a circle of {wide['shops_within']} shops: {wide}", file=sys.stderr)
    return {
        "shops": sizes[-1],
        "growth_p50": grown[-1]["growth_p50"],
        "growth_p99": grown[-1]["growth_p99"],
        "denser_times": dense // COUNTRY,
        "denser_p50": denser[-1]["growth_p50"],
        "denser_p99": denser[-1]["growth_p99"],
        **{f"wide_{name}": value for name, value in wide.items()},
        "cases": [*grown, *denser],
    }
