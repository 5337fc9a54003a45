"""Target values of the figures, and a table of targets and results."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import hostile
import languages
from peers.catalogue import PEERS


@dataclass(frozen=True)
class Goal:
    """A figure of a benchmark (a dotted path), and its minimum or maximum."""

    bench: str
    figure: str
    bound: float
    least: bool
    says: str

    def value(self, found: Mapping[str, Any]) -> float | None:
        """Returns the figure from the results of all benchmarks; None if it was not measured."""
        value: Any = found.get(self.bench)
        for part in self.figure.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        return None if value is None else float(value)

    def met(self, value: float) -> bool:
        """Whether the target is met."""
        return value >= self.bound if self.least else value <= self.bound


# p99 of a response by the group of keyword_search.py
KEYWORD_LIMITS_MS = {
    "a fifth of all (서울)": 50,
    "region": 25,
    "region and brand": 25,
    "brand": 25,
    "brand and shop": 25,
    "nothing": 50,
    "typo": 100,
    "suggest": 20,
}


def at_least(bench: str, figure: str, bound: float, says: str) -> Goal:
    """Returns a minimum."""
    return Goal(bench, figure, bound, True, says)


def at_most(bench: str, figure: str, bound: float, says: str) -> Goal:
    """Returns a maximum."""
    return Goal(bench, figure, bound, False, says)


GOALS = [
    at_least("radius", "ratio_to_limit", 0.60, "radius over HTTP, of rows in pgbench"),
    *(
        at_least("radius", f"peers.{peer.name}.times", peer.times, f"times {peer.name}")
        for peer in PEERS
        if peer.times is not None
    ),
    at_least("spatial", "within_ratio_to_rows", 0.40, "shops in an area over HTTP, of rows"),
    at_least("spatial", "along_ratio_to_rows", 0.40, "shops along a route over HTTP, of rows"),
    at_most("spatial", "meet_p99_ms", 30, "meeting point over HTTP, p99 in ms"),
    at_most("spatial", "meet_by_sum_p99_ms", 30, "meeting point by sum over HTTP, p99 in ms"),
    at_most("spatial", "meet_two_by_sum_p99_ms", 30, "the same of two people, p99 in ms"),
    at_most("spatial", "meet_cpu_p99_ms", 30, "2 to 10 people, CPU, worst p99 in ms"),
    at_most("spatial", "meet_halves_cpu_p99_ms", 30, "halves in two towns, by sum, CPU, p99 in ms"),
    at_most("spatial", "long_route_ms", 100, "route of 500 km and 10,000 corners, ms"),
    at_most("spatial", "worst_ms", 300, "most expensive search by shape, ms"),
    at_most("spatial", "hostile_cpu_max_ms", 300, "hostile search by shape, CPU in ms"),
    at_most("replicas", "routing_cost_percent", 3, "per cent, routing on a single node"),
    at_most("steady", "p99_of_p50", 4, "p99 of p50 at 80 % load"),
    at_most("growth", "growth_p50", 1.15, "p50, largest of 10k, constant density"),
    at_most("growth", "growth_p99", 1.15, "p99, largest of 10k, constant density"),
    at_most("growth", "denser_p50", 1.75, "p50, a hundred times denser"),
    at_most("growth", "denser_p99", 1.75, "p99, a hundred times denser"),
    at_least("growth", "wide_nearest_first_by_index", 1, "wide circle: nearest first by index"),
    at_least("detail", "ratio_to_limit", 0.40, "shop detail, of the same query in pgbench"),
    at_least("reviews", "ratio_to_limit", 0.40, "reviews of a shop, of the same query"),
    at_least("favorites", "ratio_to_limit", 0.40, "favorites, of the same query in pgbench"),
    at_least("favorites", "signed_in_of_anonymous", 0.8, "radius signed in, of anonymous"),
    at_most("brands", "p99_ms", 5, "list of brands, p99 in ms"),
    *(
        at_most("keyword", f"groups.{group}, {place}.p99_ms", limit_ms, f"{group}, {place}, ms")
        for group, limit_ms in KEYWORD_LIMITS_MS.items()
        for place in ("near", "far")
    ),
    *(
        at_most("keyword", f"groups.{language}, {kind}.p99_ms", limit_ms, f"{language} {kind}, ms")
        for language in languages.KEYWORDS
        for kind, limit_ms in languages.LIMITS_MS.items()
    ),
    *(
        at_least(
            "keyword", f"lang.{path}.ratio", languages.LEAST_OF_PLAIN, f"{path} with lang, of plain"
        )
        for path in languages.LISTS
    ),
    *(
        at_most("keyword", f"{name}_cpu_{part}_ms", limit_ms, f"hostile {name}, {part} of CPU, ms")
        for name, limits_ms in hostile.LIMITS_MS.items()
        for part, limit_ms in zip(("p99", "max"), limits_ms, strict=True)
    ),
    at_most(
        "keyword",
        "radius_p95_ms_meanwhile",
        hostile.RADIUS_LIMIT_MS,
        "radius beside hostile clients, p95 in ms",
    ),
    at_most("suggest", "p99_ms", 20, "suggest, p99 in ms"),
    at_most("tiles", "worst_p99_ms", 50, "tiles, worst p99 in ms"),
    at_least("writes", "http_spread_of_sql", 0.35, "review write, of the same SQL"),
    at_least("writes", "http_hot_of_sql", 0.35, "review write on one shop, of the same SQL"),
    at_least("writes", "http_favorite_of_sql", 0.40, "favorite, of the same SQL"),
    at_least("writes", "http_review_spread_per_s", 400, "reviews per s, spread"),
    at_least("writes", "http_review_hot_per_s", 400, "reviews per s on one shop"),
    at_least("writes", "http_favorite_per_s", 800, "favorites per s"),
    at_most("writes", "lost_updates", 0, "lost updates"),
    at_least("import", "import_rows_per_s", 50_000, "GeoNames until the radius search, rows/s"),
    at_most("import", "million_radius_s", 40, "1M shops until the radius search, s"),
    at_most("import", "million_index_s", 90, "keyword indexes after it, s"),
    at_most("start", "memory_mb", 250, "two workers and their share, MB"),
    at_most("start", "first_response_s", 1.5, "first response of a worker, s"),
    at_most(
        "start",
        "production_first_response_s",
        3,
        "first response of scripts/serve --production, s",
    ),
    *(
        at_most(
            "page", f"{screen}.{visit}.{part}_ms", limit_ms, f"{part}, {screen}, {visit} visit, ms"
        )
        for screen in ("desk", "phone")
        for visit, limit_ms in (("first", 4000), ("repeat", 2000))
        for part in ("list", "map")
    ),
    *(
        at_least(
            "lighthouse", f"{page}.{screen}.{name}", score, f"Lighthouse {name}, {page}, {screen}"
        )
        for page in ("map", "shop", "docs")
        for screen, performance in (("desk", 95), ("phone", 90))
        for name, score in (
            ("performance", performance),
            ("accessibility", 100),
            ("best_practices", 100),
            ("seo", 100),
        )
    ),
    at_most("page", "desk.first.requests", 25, "requests until booths, desk"),
]


def report(found: Mapping[str, Any]) -> list[dict[str, object]]:
    """Prints targets and results to standard error; returns the lines."""
    lines: list[dict[str, object]] = []
    print(f"\n{'':44}{'asked':>10}{'reached':>10}", file=sys.stderr)
    for goal in GOALS:
        value = goal.value(found)
        if value is None:
            continue
        bound = f"{'≥' if goal.least else '≤'} {goal.bound:g}"
        verdict = "" if goal.met(value) else "  not met"
        print(f"{goal.says:44}{bound:>10}{value:10.2f}{verdict}", file=sys.stderr)
        lines.append({"says": goal.says, "asked": bound, "reached": value, "met": goal.met(value)})
    return lines
