"""What nginx costs: the same radius search through it and past it, by turns."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cluster import ROOT, cluster
from ledger import fill
from overload import load
from service import Service

ROUNDS = 6
CONNECTIONS = 8
SEARCH_COST_SHARE = 0.05


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
    with (
        cluster() as found,
        tempfile.TemporaryDirectory() as one,
        tempfile.TemporaryDirectory() as two,
    ):
        fill(found, 1)
        with running(Bare(found, Path(one))) as bare, running(Service(found, Path(two))) as front:
            for place in range(ROUNDS):
                for name, service in (("bare", bare), ("front", front)):
                    rates[name].append(load(service, CONNECTIONS, seconds, 0)["good_per_s"])
                print(f"round {place + 1} of {ROUNDS}", file=sys.stderr)
    bare_per_s, front_per_s = (statistics.median(found) for found in rates.values())
    cost = round(bare_per_s / front_per_s - 1, 4)
    figures = {"bare_per_s": bare_per_s, "front_per_s": front_per_s, "cost_share": cost}
    return figures, cost <= SEARCH_COST_SHARE
