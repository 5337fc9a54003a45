"""CPU time that nginx adds to a radius search, compared with a server without nginx.

Throughput is too noisy on a busy machine; the cheapest rounds by CPU time are the most repeatable."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cluster import ROOT, Cluster, temporary_cluster
from drills import SEARCH
from generator import closed
from ledger import fill
from processor import used_s
from service import Service, running

ROUNDS = 10
CHEAPEST = 3
CONNECTIONS = 8
SEARCH_COST_SHARE = 0.05
# returns 65 shops, as many as in scripts/bench radius
SIXTY_FIVE = SEARCH.replace("radius=500", "radius=287")


class Bare(Service):
    """The server without nginx, as started by scripts/serve."""

    def start(self, *, wait: bool = True) -> None:
        """Starts it."""
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                [str(ROOT / "scripts" / "serve")], env=self.environment, stdout=log, stderr=log
            )
        if wait:
            self.wait("/readyz")


@dataclass(frozen=True)
class Cost:
    """CPU microseconds per request of each component, and requests per second, of one run."""

    nginx_us: float
    service_us: float
    postgres_us: float
    per_s: float

    @property
    def whole_us(self) -> float:
        """The sum of all components."""
        return self.nginx_us + self.service_us + self.postgres_us


def main(args: argparse.Namespace) -> tuple[dict[str, Any], bool]:
    """Returns the means of the cheapest runs with and without nginx, and whether the limit holds."""
    seconds = max(2, args.seconds // 5)
    costs: dict[str, list[Cost]] = {"bare": [], "nginx": []}
    with (
        temporary_cluster() as cluster,
        tempfile.TemporaryDirectory() as one,
        tempfile.TemporaryDirectory() as two,
    ):
        fill(cluster, 1)
        with (
            running(Bare(cluster, Path(one))) as bare,
            running(Service(cluster, Path(two))) as proxied,
        ):
            for place in range(ROUNDS):
                for name, service in (("bare", bare), ("nginx", proxied)):
                    costs[name].append(_cost(service, cluster, seconds))
                print(
                    f"round {place + 1} of {ROUNDS}: {costs['bare'][-1].whole_us:.0f} µs without, "
                    f"{costs['nginx'][-1].whole_us:.0f} with",
                    file=sys.stderr,
                )
    figures = _figures(costs["bare"], costs["nginx"])
    return figures, figures["processor_share"] <= SEARCH_COST_SHARE


def _figures(bare: list[Cost], proxied: list[Cost]) -> dict[str, Any]:
    def cheapest(runs: list[Cost], part: str) -> float:
        values: list[float] = sorted(getattr(run, part) for run in runs)
        return round(statistics.mean(values[:CHEAPEST]), 1)

    nginx_us, with_nginx_us = cheapest(proxied, "nginx_us"), cheapest(proxied, "whole_us")
    return {
        "nginx_us": nginx_us,
        "processor_share": round(nginx_us / (with_nginx_us - nginx_us), 4),
        "whole_us_bare": cheapest(bare, "whole_us"),
        "whole_us_nginx": with_nginx_us,
        "service_us_bare": cheapest(bare, "service_us"),
        "service_us_nginx": cheapest(proxied, "service_us"),
        "postgres_us_bare": cheapest(bare, "postgres_us"),
        "postgres_us_nginx": cheapest(proxied, "postgres_us"),
        "bare_per_s": statistics.median(run.per_s for run in bare),
        "nginx_per_s": statistics.median(run.per_s for run in proxied),
    }


def _cost(service: Service, cluster: Cluster, seconds: int) -> Cost:
    before = used_s(service, cluster)
    ran = closed(service, CONNECTIONS, seconds, SIXTY_FIVE)
    after, requests = used_s(service, cluster), ran.counts.total()
    nginx, own, postgres = ((y - x) / requests * 1e6 for x, y in zip(before, after, strict=True))
    return Cost(nginx, own, postgres, ran.per_s(200))
