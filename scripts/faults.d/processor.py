"""Processor time of the service's parts: what a busy machine disturbs least."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from cluster import Cluster
from service import Service


def used_s(service: Service, found: Cluster) -> tuple[float, float, float]:
    """Of nginx, of the other processes of the service, of PostgreSQL, since they started."""
    nginx = set(service.nginx())
    postgres = postgres_s(found.postmaster())
    return processor_s(nginx), processor_s(set(service.processes()) - nginx), postgres


def processor_s(pids: set[int]) -> float:
    """Processor time that the processes have used."""
    return sum(sum(_ticks(pid)[:2]) for pid in pids) / os.sysconf("SC_CLK_TCK")


def postgres_s(postmaster: int) -> float:
    """The same of a postmaster and its sessions, those that ended included."""
    ended = sum(_ticks(postmaster)) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
    return ended + processor_s(set(map(int, children)))


def _ticks(pid: int) -> list[int]:
    """User, system, and both of the children that ended."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return [int(field) for field in fields[11:15]]
    return [0]
