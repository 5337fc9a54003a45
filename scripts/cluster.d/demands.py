"""Measures what the queueing model needs: CPU time per request and station, and flushes."""

from __future__ import annotations

import http.client
import os
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from layout import ClusterError, Layout
from processor_time import BACKGROUND, Meter
from wrk import Clients, Result, result, running

FLUSHES, BLOCK, BLOCKS = 150, bytes(8192), 256
# Patroni works every 10 s
WATCHED_S, START_S = 10.0, 0.3
SHAPES = 100
CLIENT = "client"

Demand = dict[str, float]


@dataclass(frozen=True)
class Run:
    """A run of one or two groups of clients."""

    results: list[Result]
    used_s: Demand
    seconds: float
    machine_s: float

    def foreign(self) -> float:
        """The cores that programs outside the cluster used."""
        return max(0.0, self.machine_s - sum(self.used_s.values())) / self.seconds


def run(layout: Layout, groups: Sequence[Clients], seconds: int) -> Run:
    """Runs clients and measures the CPU time by station, and that of the whole machine."""
    meter = Meter(layout)
    with running(layout.origin, groups, seconds=seconds) as processes:
        ends_s = time.monotonic() + seconds - START_S
        time.sleep(START_S)
        for process in processes:
            meter.add(CLIENT, process.pid)
        before_s, machine_s, started_s = meter.read_s(), machine_busy_s(), time.monotonic()
        time.sleep(max(0.0, ends_s - started_s))
        after_s, machine_after_s, ended_s = meter.read_s(), machine_busy_s(), time.monotonic()
        results = [result(process) for process in processes]
    meter.close()
    if any(each.errors for each in results):
        raise ClusterError(f"requests failed: {results}")
    used_s = {name: after_s[name] - before_s[name] for name in after_s}
    return Run(results, used_s, ended_s - started_s, machine_after_s - machine_s)


def machine_busy_s() -> float:
    """Returns the CPU time of all processes since boot, from /proc/stat."""
    fields = [int(x) for x in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def idle_share(layout: Layout) -> Demand:
    """Returns CPU seconds per second without requests, by station."""
    meter = Meter(layout)
    before_s = meter.read_s()
    time.sleep(WATCHED_S)
    after_s = meter.read_s()
    meter.close()
    return {name: (after_s[name] - before_s[name]) / WATCHED_S for name in after_s}


def mean_demand(measured: Run, idle: Demand) -> Demand:
    """Returns CPU seconds per request by station, less what the station uses without requests."""
    rate_per_s = sum(each.per_s for each in measured.results)
    demand: Demand = {}
    for name, used_s in measured.used_s.items():
        if name != BACKGROUND:
            share = used_s / measured.seconds - idle.get(name, 0.0)
            demand[name] = max(0.0, share) / rate_per_s
    return demand


def shapes(layout: Layout, send: Callable[[http.client.HTTPConnection, int], None]) -> list[Demand]:
    """Returns the CPU time of single requests by station, each relative to the station's mean.

    Requests are sent one at a time, so all CPU time between two readings belongs to one of them."""
    address = urlsplit(layout.origin)
    samples: list[Demand] = []
    with closing(http.client.HTTPConnection(str(address.hostname), address.port)) as connection:
        meter = Meter(layout)
        for number in range(SHAPES):
            before_s = meter.read_s()
            send(connection, number)
            after_s = meter.read_s()
            samples.append({name: after_s[name] - before_s[name] for name in after_s})
        meter.close()
    means = {name: statistics.fmean(each[name] for each in samples) for name in samples[0]}
    return [{name: each[name] / means[name] for name in means if means[name]} for each in samples]


def scaled(mean: Demand, shape: list[Demand]) -> list[Demand]:
    """Returns demands with the distribution of the shapes and the given means."""
    return [{name: mean_s * each.get(name, 1.0) for name, mean_s in mean.items()} for each in shape]


def flush_times_s(folder: Path, writers: int) -> list[float]:
    """Returns times of fdatasync after overwriting a block of 8 kB, as pg_test_fsync measures them, with several
    concurrent writers, each with its own file."""
    times_s: list[float] = []

    def write(number: int) -> None:
        path = folder / f"flush{number}"
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            os.pwrite(file, BLOCK * BLOCKS, 0)
            os.fsync(file)
            for n in range(FLUSHES):
                started_s = time.perf_counter()
                os.pwrite(file, BLOCK, n % BLOCKS * len(BLOCK))
                os.fdatasync(file)
                times_s.append(time.perf_counter() - started_s)
        finally:
            os.close(file)
            path.unlink()

    threads = [threading.Thread(target=write, args=(n,)) for n in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times_s
