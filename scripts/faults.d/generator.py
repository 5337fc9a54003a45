"""The load generator, h2load: as fast as the service answers, or at a rate that does not ask how it does."""

from __future__ import annotations

import math
import resource
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from service import Service

# Each client of a constant rate comes back this often; what it still waits for then, it asks late, not never.
EACH_PER_S = 4
# the clients start one after the other, so that they do not come all at once for ever
STEP_S = 0.01
EDGE_S = 1.0


@dataclass(frozen=True)
class Run:
    """What one run was answered: seconds of every answer by status (-1: none), over so many seconds."""

    seconds: float
    times_s: dict[int, list[float]]
    processor_s: float
    # all of the run, the edges with it
    good: int = 0

    def per_s(self, *statuses: int) -> float:
        """Answers a second of these statuses."""
        return round(
            sum(len(self.times_s.get(status, ())) for status in statuses) / self.seconds, 1
        )

    @property
    def offered_per_s(self) -> float:
        """All requests a second."""
        return self.per_s(*self.times_s)

    @property
    def counts(self) -> Counter[int]:
        """How many of each status."""
        return Counter({status: len(found) for status, found in self.times_s.items()})


def closed(service: Service, connections: int, seconds: int, path: str) -> Run:
    """So many connections, each with its next request as soon as it is answered."""
    return _run(service, [f"-c{connections}", f"-D{seconds}"], path, 0)


def constant(service: Service, per_s: int, seconds: int, path: str) -> Run:
    """So many requests a second, whatever the answers. Beginning and end, where not all clients are there, are
    left out."""
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
    seconds, times_s = answered(rows, edge_s)
    good = sum(status == 200 for _, status, _ in rows)
    return Run(seconds, times_s, used_s * seconds / (seconds + 2 * edge_s), good)


def answered(
    rows: Sequence[tuple[int, ...]], edge_s: float
) -> tuple[float, dict[int, list[float]]]:
    """How long, and seconds of the answers by status, of rows (began µs, status, lasted µs)."""
    first = min(row[0] for row in rows) + edge_s * 1e6
    last = max(row[0] for row in rows) - edge_s * 1e6
    times_s: dict[int, list[float]] = {}
    for began, status, lasted in rows:
        if first <= began <= last:
            times_s.setdefault(status, []).append(lasted / 1e6)
    return (last - first) / 1e6, {status: sorted(found) for status, found in times_s.items()}


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
