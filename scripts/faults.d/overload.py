"""Overloads the service fourfold: measures its throughput and how fast it rejects the rest.

Runs at best throughput and under overload are interleaved, and the median counts, because other load on the
machine varies. Both use the same generator, which shares the cores with the service."""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from client import Client, Response
from cluster import Cluster
from drills import SEARCH, percentile
from generator import Run, closed, constant
from processor import used_s
from service import Service, temporary_service

OVERLOAD_FACTOR = 4
MIN_SHARE = 0.85
REJECTED_WITHIN_S = 1.0
# enough connections to keep the service busy without a long queue
BUSY_CONNECTIONS = 16
ROUNDS = 8
# throughput may rise between two runs
MARGIN = 1.05
REJECTED = 503
SAMPLE_S = 0.1


class Costs:
    """CPU time of nginx, service and database per good response of each run."""

    def __init__(self, service: Service, cluster: Cluster) -> None:
        self._service, self._cluster = service, cluster
        self._us: dict[str, list[float]] = {"best": [], "over": []}

    def of(
        self, name: str, load: Callable[[Service, int, int, str], Run], size: int, seconds: int
    ) -> Run:
        """Runs the load and records its cost."""
        before_s = sum(used_s(self._service, self._cluster))
        run = load(self._service, size, seconds, SEARCH)
        self._us[name].append(
            (sum(used_s(self._service, self._cluster)) - before_s) / run.good * 1e6
        )
        return run

    def figures(self) -> dict[str, float]:
        """Returns the costs; their ratio estimates the share without the generator on the same cores."""
        best_us, over_us = (statistics.median(self._us[name]) for name in ("best", "over"))
        return {
            "us_per_good_response_at_best": round(best_us),
            "us_per_good_response": round(over_us),
            "share_by_processor_time": round(best_us / over_us, 3),
        }


class Sample(threading.Thread):
    """A separate client that checks complete responses during the load."""

    def __init__(self, service: Service) -> None:
        super().__init__(daemon=True)
        self._client, self._ended = Client(service.port), threading.Event()
        self.responses: list[Response] = []

    def run(self) -> None:
        """Sends a request every SAMPLE_S."""
        while not self._ended.wait(SAMPLE_S):
            self.responses.append(self._client.request("GET", SEARCH))

    def end(self) -> list[Response]:
        """Stops and returns the responses."""
        self._ended.set()
        self.join()
        return self.responses


def main(args: argparse.Namespace) -> tuple[dict[str, Any], bool]:
    """Returns the throughputs and rejection times, and whether the limits hold."""
    with temporary_service(members=1) as (service, cluster):
        closed(service, BUSY_CONNECTIONS, 2, SEARCH)
        costs = Costs(service, cluster)
        best, over, sampled = _rounds(service, args.seconds, costs)
        after = _normal(service)
    figures = {**figures_of(best, over), **costs.figures()}
    figures["unclear_of_sample"] = sum(not response.is_valid for response in sampled)
    figures["sample"] = len(sampled)
    figures["p95_ms_just_after"] = after
    kept = figures["share_of_best"] >= MIN_SHARE and figures["rejected_max_s"] <= REJECTED_WITHIN_S
    kept = kept and figures["offered_times"] >= OVERLOAD_FACTOR and not figures["unclear_of_sample"]
    return figures, kept and not figures["odd_or_broken"]


def _rounds(
    service: Service, seconds: int, costs: Costs
) -> tuple[list[Run], list[Run], list[Response]]:
    """Alternates runs at best throughput, first and last, with runs under overload."""
    best, over = [costs.of("best", closed, BUSY_CONNECTIONS, seconds)], []
    sampled: list[Response] = []
    for place in range(ROUNDS):
        sample = Sample(service)
        sample.start()
        offered_per_s = int(OVERLOAD_FACTOR * MARGIN * best[-1].per_s(200))
        over.append(costs.of("over", constant, offered_per_s, seconds))
        sampled += sample.end()
        best.append(costs.of("best", closed, BUSY_CONNECTIONS, seconds))
        print(f"round {place + 1} of {ROUNDS}: best {best[-1].per_s(200)} per second, under "
              f"{over[-1].offered_per_s} {over[-1].per_s(200)}", file=sys.stderr)  # fmt: skip
    return best, over, sampled


def figures_of(best: list[Run], over: list[Run]) -> dict[str, Any]:
    """Compares each overload with the mean of the best throughputs before and after it."""
    rates = [run.per_s(200) for run in best]
    around = [statistics.mean(pair) for pair in itertools.pairwise(rates)]
    good = [run.per_s(200) for run in over]
    pairs = list(zip(over, around, strict=True))
    normal, accepted, rejected = (
        sorted(x for run in runs for x in run.times_s.get(status, []))
        for runs, status in ((best, 200), (over, 200), (over, REJECTED))
    )
    everything = sum((run.counts for run in best + over), start=Counter())
    return {
        "best_per_s": rates,
        "under_load_good_per_s": good,
        "share_of_best": round(statistics.median(r.per_s(200) / b for r, b in pairs), 3),
        "offered_times": round(statistics.median(r.offered_per_s / b for r, b in pairs), 2),
        "rejected_p99_s": round(percentile(rejected, 99), 3),
        "rejected_max_s": round(rejected[-1] if rejected else 0, 3),
        "good_p99_s": round(percentile(accepted, 99), 3),
        "good_p99_s_at_best": round(percentile(normal, 99), 3),
        "odd_or_broken": everything.total() - everything[200] - everything[REJECTED],
        "generator_cores": _cores(over),
        "generator_cores_at_best": _cores(best),
    }


def _cores(runs: list[Run]) -> float:
    return round(statistics.mean(run.processor_s / run.seconds for run in runs), 2)


def _normal(service: Service) -> float:
    client, times = Client(service.port), []
    until = time.monotonic() + 3
    while time.monotonic() < until:
        times.append(client.request("GET", SEARCH).seconds)
    return round(percentile(sorted(times), 95) * 1000, 2)
