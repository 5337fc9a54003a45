"""Runs the load generator h2load in a closed loop or at a constant rate."""

from __future__ import annotations

import math
import resource
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from service import Service

# requests per second of each client of a constant rate; a client that still waits sends the next one late
EACH_PER_S = 4
# clients start staggered, so that their requests are spread
STEP_S = 0.01
EDGE_S = 1.0


@dataclass(frozen=True)
class Run:
    """Response times of one run by status (-1: no response), its duration and the generator's CPU time."""

    seconds: float
    times_s: dict[int, list[float]]
    processor_s: float
    # responses 200 including the edges
    good: int = 0

    def per_s(self, *statuses: int) -> float:
        """Responses per second with these statuses."""
        return round(
            sum(len(self.times_s.get(status, ())) for status in statuses) / self.seconds, 1
        )

    @property
    def offered_per_s(self) -> float:
        """Requests per second."""
        return self.per_s(*self.times_s)

    @property
    def counts(self) -> Counter[int]:
        """The number of responses by status."""
        return Counter({status: len(times) for status, times in self.times_s.items()})


def closed(service: Service, connections: int, seconds: int, path: str) -> Run:
    """Runs a closed loop: each connection sends its next request after the response."""
    return _run(service, [f"-c{connections}", f"-D{seconds}"], path, 0)


def constant(service: Service, per_s: int, seconds: int, path: str) -> Run:
    """Runs at a constant rate. Excludes the edges of the run, where not all clients are active."""
    clients = math.ceil(per_s / EACH_PER_S)
    requests = clients * EACH_PER_S * math.ceil(seconds + 2 * EDGE_S)
    step = math.ceil(clients * STEP_S * EACH_PER_S)
    arguments = [
        f"-c{clients}",
        f"-n{requests}",
        f"-r{step}",
        f"--rate-period={int(STEP_S * 1000)}ms",
    ]
    return _run(service, [*arguments, f"--rps={EACH_PER_S}"], path, EDGE_S)


def _run(service: Service, arguments: list[str], path: str, edge_s: float) -> Run:
    with tempfile.NamedTemporaryFile("r") as log:
        before_s = _children_s()
        ended = subprocess.run(
            ["h2load", "--h1", "-t1", *arguments, f"--log-file={log.name}", service.origin + path],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        used_s = _children_s() - before_s
        rows = [tuple(map(int, line.split())) for line in log]
    if ended.returncode or not rows:
        raise SystemExit(f"h2load failed: {ended.stderr[-500:]} {ended.stdout[-500:]}")
    seconds, times_s = select_responses(rows, edge_s)
    good = sum(status == 200 for _, status, _ in rows)
    return Run(seconds, times_s, used_s * seconds / (seconds + 2 * edge_s), good)


def select_responses(
    rows: Sequence[tuple[int, ...]], edge_s: float
) -> tuple[float, dict[int, list[float]]]:
    """Drops the edges of rows (start µs, status, duration µs); returns the seconds left and the times by status."""
    first = min(row[0] for row in rows) + edge_s * 1e6
    last = max(row[0] for row in rows) - edge_s * 1e6
    times_s: dict[int, list[float]] = {}
    for began, status, lasted in rows:
        if first <= began <= last:
            times_s.setdefault(status, []).append(lasted / 1e6)
    return (last - first) / 1e6, {status: sorted(times) for status, times in times_s.items()}


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
