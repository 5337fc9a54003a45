"""CPU time of the service's components, which depends less on other load than throughput."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from cluster import Cluster
from service import Service


def used_s(service: Service, cluster: Cluster) -> tuple[float, float, float]:
    """Returns the CPU seconds of nginx, the other service processes and PostgreSQL since their start."""
    nginx = set(service.nginx())
    postgres = postgres_s(cluster.postmaster())
    return processor_s(nginx), processor_s(set(service.processes()) - nginx), postgres


def processor_s(pids: set[int]) -> float:
    """Returns the CPU seconds of the processes."""
    return sum(sum(_ticks(pid)[:2]) for pid in pids) / os.sysconf("SC_CLK_TCK")


def postgres_s(postmaster: int) -> float:
    """Returns the CPU seconds of a postmaster and its current and ended backends."""
    ended = sum(_ticks(postmaster)) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
    return ended + processor_s(set(map(int, children)))


def _ticks(pid: int) -> list[int]:
    """Returns user and system time, then those of ended children, in clock ticks."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return [int(field) for field in fields[11:15]]
    return [0]
