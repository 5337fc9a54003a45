"""What nginx costs a radius search: by throughput with and without it, by turns, and by processor time.

On a busy machine only the processor time says something."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cluster import ROOT, Cluster, cluster
from drills import SEARCH
from ledger import fill
from overload import load
from service import Service

ROUNDS = 6
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


@contextmanager
def running(service: Service) -> Iterator[Service]:
    """Started, and stopped afterwards."""
    try:
        service.start()
        yield service
    finally:
        service.stop()


def main(args: argparse.Namespace) -> tuple[dict[str, Any], bool]:
    """Medians of interleaved runs, and their ratio."""
    seconds = max(3, args.seconds // 3)
    rates: dict[str, list[float]] = {"bare": [], "front": []}
    nginx_s = others_s = 0.0
    with (
        cluster() as found,
        tempfile.TemporaryDirectory() as one,
        tempfile.TemporaryDirectory() as two,
    ):
        fill(found, 1)
        with running(Bare(found, Path(one))) as bare, running(Service(found, Path(two))) as front:
            for place in range(ROUNDS):
                for name, service in (("bare", bare), ("front", front)):
                    before = (processor_s(service.nginx()), processor_s(_others(service, found)))
                    found_load = load(service, CONNECTIONS, seconds, 0, SIXTY_FIVE)
                    rates[name].append(found_load["good_per_s"])
                    if name == "front":
                        nginx_s += processor_s(service.nginx()) - before[0]
                        others_s += processor_s(_others(service, found)) - before[1]
                print(f"round {place + 1} of {ROUNDS}", file=sys.stderr)
    bare_per_s, front_per_s = (statistics.median(found) for found in rates.values())
    requests = sum(rates["front"]) * seconds
    figures = {
        "bare_per_s": bare_per_s,
        "front_per_s": front_per_s,
        "throughput_share": round(bare_per_s / front_per_s - 1, 4),
        "nginx_us_a_request": round(nginx_s / requests * 1e6, 1),
        "service_and_postgres_us_a_request": round(others_s / requests * 1e6, 1),
        "processor_share": round(nginx_s / others_s, 4),
    }
    return figures, figures["processor_share"] <= SEARCH_COST_SHARE


def processor_s(pids: list[int]) -> float:
    """Processor time that the processes have used."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _others(service: Service, found: Cluster) -> list[int]:
    return service.workers() + found.backends()
