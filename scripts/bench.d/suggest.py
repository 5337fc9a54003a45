"""Suggestions for every keystroke over one connection, from nearby and far away, and growth by table size."""

from __future__ import annotations

import random
import sys

from data import Bench, moved
from keyword_search import FAR, KEYSTROKES, LARGE, NEAR, SEED, SMALL, Client, country
from load import metered, percentile, server

GOAL_P99_MS = 20


def times_ms(url: str, rounds: int) -> dict[str, list[float]]:
    """Returns the times of each keystroke, interleaved."""
    rng = random.Random(SEED)
    times: dict[str, list[float]] = {}
    with server(url) as origin:
        client = Client(origin)
        for number in range(rounds + 3):
            for name, at in (("near", NEAR), ("far", FAR)):
                for typed in KEYSTROKES:
                    took = client.ms("/shops/suggest", moved(at, rng), q=typed)
                    if number >= 3:
                        times.setdefault(f"{typed}, {name}", []).append(took)
    return times


def summary(found: dict[str, list[float]]) -> dict[str, float]:
    """Returns p50 and p99."""
    ordered = sorted(took for times in found.values() for took in times)
    return {
        "p50_ms": round(percentile(ordered, 50), 2),
        "p99_ms": round(percentile(ordered, 99), 2),
    }


def main(bench: Bench) -> dict[str, object]:
    """Prints the slowest keystrokes and returns the figures."""
    shops = bench.shops or (100_000 if bench.quick else LARGE)
    rounds = bench.rounds or (10 if bench.quick else 40)
    (small, _), (large, _) = country(SMALL), country(shops)
    with metered() as noise:
        before, after = times_ms(small, rounds), times_ms(large, rounds)
    medians = {name: percentile(sorted(times), 50) for name, times in after.items()}
    for name in sorted(medians, key=medians.__getitem__)[-8:]:
        print(f"{name:20}{medians[name]:8.2f} ms", file=sys.stderr)
    small_figures, figures = summary(before), summary(after)
    return {
        "shops": shops,
        **figures,
        "worst_keystroke_p50_ms": round(max(medians.values()), 2),
        "growth_p50": round(figures["p50_ms"] / small_figures["p50_ms"], 2),
        "goal_p99_ms": GOAL_P99_MS,
        "foreign_cpu_percent": noise["foreign_percent"],
        "keystrokes": {name: round(ms, 2) for name, ms in medians.items()},
    }
