"""Radius search at 80 % of the maximum rate in an open loop: ratio of p99 to p50."""

from __future__ import annotations

import statistics
import sys

from data import Bench, downtown_points
from figures import Runs, table
from load import hey, metered, server
from radius import paths

SHARE = 0.8
CONNECTIONS = 16


def main(bench: Bench) -> dict[str, object]:
    """Prints the table and returns the figures."""
    seconds, rounds = (5, bench.rounds or 3) if bench.quick else (15, bench.rounds or 5)
    full, paced = Runs("as fast as it can"), Runs(f"at {SHARE:.0%}, open loop")
    asked = paths(downtown_points())
    with server(bench.database(bench.size())) as origin:
        hey(origin + asked[0], seconds=2, connections=CONNECTIONS)
        for number in range(rounds):
            # the same URL for both, another one in each round
            url = origin + asked[number * 7 % len(asked)]
            with metered() as noise:
                full.loads.append(hey(url, seconds=seconds // 2, connections=CONNECTIONS))
                rate = SHARE * full.loads[-1].per_s
                paced.loads.append(hey(url, seconds=seconds, connections=CONNECTIONS, per_s=rate))
            full.foreign.append(noise["foreign_percent"])
            paced.foreign.append(noise["foreign_percent"])
            print(f"round {number + 1} of {rounds}", file=sys.stderr)
    cases = table([full, paced], full)
    ratios = [load.p99_ms / load.p50_ms for load in paced.loads]
    return {
        "share_reached": paced.of(full),
        "p50_ms": paced.median("p50_ms"),
        "p99_ms": paced.median("p99_ms"),
        "p99_of_p50": round(statistics.median(ratios), 2),
        "worst_p99_of_p50": round(max(ratios), 2),
        "errors": paced.errors() + full.errors(),
        "foreign_cpu_percent": max(paced.foreign),
        "cases": cases,
    }
