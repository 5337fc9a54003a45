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
GOALS = [
    Goal("radius", "ratio_to_limit", 0.60, True, "radius over HTTP, of rows in pgbench"),
    *(
        Goal("radius", f"peers.{peer.name}.times", peer.times, True, f"times {peer.name}")
        for peer in PEERS
        if peer.times is not None
    ),
    Goal("spatial", "within_ratio_to_rows", 0.40, True, "shops in an area over HTTP, of rows"),
    Goal("spatial", "along_ratio_to_rows", 0.40, True, "shops along a route over HTTP, of rows"),
    Goal("spatial", "meet_p99_ms", 30, False, "meeting point over HTTP, p99 in ms"),
    Goal("spatial", "meet_by_sum_p99_ms", 30, False, "meeting point by sum over HTTP, p99 in ms"),
    Goal("spatial", "meet_two_by_sum_p99_ms", 30, False, "the same of two people, p99 in ms"),
    Goal("spatial", "meet_cpu_p99_ms", 30, False, "2 to 10 people, CPU, worst p99 in ms"),
    Goal("spatial", "long_route_ms", 100, False, "route of 500 km and 10,000 corners, ms"),
    Goal("spatial", "worst_ms", 300, False, "most expensive search by shape, ms"),
    Goal("spatial", "hostile_cpu_max_ms", 300, False, "hostile search by shape, CPU in ms"),
    Goal("replicas", "routing_cost_percent", 3, False, "per cent, routing on a single node"),
    Goal("steady", "p99_of_p50", 4, False, "p99 of p50 at 80 % load"),
    Goal("growth", "growth_p50", 1.15, False, "p50, largest of 10k, constant density"),
    Goal("growth", "growth_p99", 1.15, False, "p99, largest of 10k, constant density"),
    Goal("growth", "denser_p50", 1.75, False, "p50, a hundred times denser"),
    Goal("growth", "denser_p99", 1.75, False, "p99, a hundred times denser"),
    Goal("growth", "wide_nearest_first_by_index", 1, True, "wide circle: nearest first by index"),
    Goal("detail", "ratio_to_limit", 0.40, True, "shop detail, of the same query in pgbench"),
    Goal("reviews", "ratio_to_limit", 0.40, True, "reviews of a shop, of the same query"),
    Goal("favorites", "ratio_to_limit", 0.40, True, "favorites, of the same query in pgbench"),
    Goal("favorites", "signed_in_of_anonymous", 0.8, True, "radius signed in, of anonymous"),
    Goal("brands", "p99_ms", 5, False, "list of brands, p99 in ms"),
    *(
        Goal("keyword", f"groups.{group}, {place}.p99_ms", limit_ms, False, f"{group}, {place}, ms")
        for group, limit_ms in KEYWORD_LIMITS_MS.items()
        for place in ("near", "far")
    ),
    *(
        Goal(
            "keyword",
            f"groups.{language}, {kind}.p99_ms",
            limit_ms,
            False,
            f"{language} {kind}, ms",
        )
        for language in languages.KEYWORDS
        for kind, limit_ms in languages.LIMITS_MS.items()
    ),
    *(
        Goal(
            "keyword",
            f"lang.{path}.ratio",
            languages.LEAST_OF_PLAIN,
            True,
            f"{path} with lang, of plain",
        )
        for path in languages.LISTS
    ),
    *(
        Goal(
            "keyword",
            f"{name}_cpu_{part}_ms",
            limit_ms,
            False,
            f"hostile {name}, {part} of CPU, ms",
        )
        for name, limits_ms in hostile.LIMITS_MS.items()
        for part, limit_ms in zip(("p99", "max"), limits_ms, strict=True)
    ),
    Goal(
        "keyword",
        "radius_p95_ms_meanwhile",
        hostile.RADIUS_LIMIT_MS,
        False,
        "radius beside hostile clients, p95 in ms",
    ),
    Goal("suggest", "p99_ms", 20, False, "suggest, p99 in ms"),
    Goal("tiles", "worst_p99_ms", 50, False, "tiles, worst p99 in ms"),
    Goal("writes", "http_spread_of_sql", 0.35, True, "review write, of the same SQL"),
    Goal("writes", "http_hot_of_sql", 0.35, True, "review write on one shop, of the same SQL"),
    Goal("writes", "http_favorite_of_sql", 0.40, True, "favorite, of the same SQL"),
    Goal("writes", "http_review_spread_per_s", 400, True, "reviews per s, spread"),
    Goal("writes", "http_review_hot_per_s", 400, True, "reviews per s on one shop"),
    Goal("writes", "http_favorite_per_s", 800, True, "favorites per s"),
    Goal("writes", "lost_updates", 0, False, "lost updates"),
    Goal("import", "import_rows_per_s", 50_000, True, "GeoNames until the radius answers, rows/s"),
    Goal("import", "million_radius_s", 40, False, "1M shops until the radius search, s"),
    Goal("import", "million_index_s", 90, False, "keyword indexes after it, s"),
    Goal("start", "memory_mb", 250, False, "two workers and their share, MB"),
    Goal("start", "first_answer_s", 1.5, False, "first answer of a worker, s"),
    Goal(
        "start",
        "production_first_answer_s",
        3,
        False,
        "first answer of scripts/serve --production, s",
    ),
    *(
        Goal(
            "page",
            f"{screen}.{visit}.{part}_ms",
            limit_ms,
            False,
            f"{part}, {screen}, {visit} visit, ms",
        )
        for screen in ("desk", "phone")
        for visit, limit_ms in (("first", 4000), ("repeat", 2000))
        for part in ("list", "map")
    ),
    *(
        Goal(
            "lighthouse",
            f"{page}.{screen}.{name}",
            score,
            True,
            f"Lighthouse {name}, {page}, {screen}",
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
    Goal("page", "desk.first.requests", 25, False, "requests until booths, desk"),
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
