"""What nginx costs a radius search: its processor time beside that of all else, and of all with it and without.

On a busy machine throughput says nothing, and of processor time the cheapest rounds say most."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cluster import ROOT, Cluster, cluster
from drills import SEARCH
from generator import closed
from ledger import fill
from processor import used_s
from service import Service

ROUNDS = 10
CHEAPEST = 3
CONNECTIONS = 8
SEARCH_COST_SHARE = 0.05
# 65 shops, as many as a circle of scripts/bench radius holds
SIXTY_FIVE = SEARCH.replace("radius=500", "radius=287")


class Bare(Service):
    """The same server without nginx, as scripts/serve alone has it."""

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
    """Microseconds of processor time a request, of each part, in one run."""

    nginx_us: float
    service_us: float
    postgres_us: float
    per_s: float

    @property
    def whole_us(self) -> float:
        """Of all parts."""
        return self.nginx_us + self.service_us + self.postgres_us


@contextmanager
def running(service: Service) -> Iterator[Service]:
    """Started, and stopped afterwards."""
    try:
        service.start()
        yield service
    finally:
        service.stop()


def main(args: argparse.Namespace) -> tuple[dict[str, Any], bool]:
    """The means of the cheapest runs, with and without."""
    seconds = max(2, args.seconds // 5)
    costs: dict[str, list[Cost]] = {"bare": [], "front": []}
    with (
        cluster() as found,
        tempfile.TemporaryDirectory() as one,
        tempfile.TemporaryDirectory() as two,
    ):
        fill(found, 1)
        with running(Bare(found, Path(one))) as bare, running(Service(found, Path(two))) as front:
            for place in range(ROUNDS):
                for name, service in (("bare", bare), ("front", front)):
                    costs[name].append(_cost(service, found, seconds))
                print(
                    f"round {place + 1} of {ROUNDS}: {costs['bare'][-1].whole_us:.0f} µs without, "
                    f"{costs['front'][-1].whole_us:.0f} with",
                    file=sys.stderr,
                )
    figures = _figures(costs["bare"], costs["front"])
    return figures, figures["processor_share"] <= SEARCH_COST_SHARE


def _figures(bare: list[Cost], front: list[Cost]) -> dict[str, Any]:
    def cheapest(runs: list[Cost], part: str) -> float:
        found: list[float] = sorted(getattr(run, part) for run in runs)
        return round(statistics.mean(found[:CHEAPEST]), 1)

    nginx_us, front_us = cheapest(front, "nginx_us"), cheapest(front, "whole_us")
    return {
        "nginx_us": nginx_us,
        "processor_share": round(nginx_us / (front_us - nginx_us), 4),
        "whole_us_bare": cheapest(bare, "whole_us"),
        "whole_us_front": front_us,
        "service_us_bare": cheapest(bare, "service_us"),
        "service_us_front": cheapest(front, "service_us"),
        "postgres_us_bare": cheapest(bare, "postgres_us"),
        "postgres_us_front": cheapest(front, "postgres_us"),
        "bare_per_s": statistics.median(run.per_s for run in bare),
        "front_per_s": statistics.median(run.per_s for run in front),
    }


def _cost(service: Service, found: Cluster, seconds: int) -> Cost:
    before = used_s(service, found)
    ran = closed(service, CONNECTIONS, seconds, SIXTY_FIVE)
    after, requests = used_s(service, found), ran.counts.total()
    nginx, own, postgres = ((y - x) / requests * 1e6 for x, y in zip(before, after, strict=True))
    return Cost(nginx, own, postgres, ran.per_s(200))
