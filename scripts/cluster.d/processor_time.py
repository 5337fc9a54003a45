"""CPU time of the cluster's programs, by their station in the queueing model.

The kernel's schedstat counts nanoseconds on a core; /proc/PID/stat, with hundredths of a second, is too coarse for
single requests (Linux, Documentation/scheduler/sched-stats.rst)."""

from __future__ import annotations

import os
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

from layout import NODES, SERVERS, Layout
from processes import children, command_line, postmaster
from programs import start_order

# A node's processes by a part of their title; the first match counts.
POSTGRES = (
    ("geoshops_", "backend"),
    ("walsender", "sender"),
    ("walreceiver", "receiver"),
    ("", "log"),
)
BACKGROUND = "background"


class Meter:
    """Reads the CPU time of the cluster's threads that exist when it is created."""

    def __init__(self, layout: Layout) -> None:
        self._files: list[tuple[str, int]] = []
        self._last_s: dict[int, float] = {}
        for pid, station in _programs(layout).items():
            self.add(station, pid)

    def add(self, station: str, pid: int) -> None:
        """Adds the threads of a process."""
        for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            self._files.append((station, os.open(file, os.O_RDONLY)))

    def read_s(self) -> dict[str, float]:
        """Returns CPU seconds by station; a thread that has ended keeps its last reading."""
        used_s: defaultdict[str, float] = defaultdict(float)
        for station, file in self._files:
            with suppress(ProcessLookupError):
                self._last_s[file] = int(os.pread(file, 64, 0).split()[0]) / 1e9
            used_s[station] += self._last_s.get(file, 0.0)
        return used_s

    def close(self) -> None:
        """Closes the files."""
        for _, file in self._files:
            os.close(file)


def _programs(layout: Layout) -> dict[int, str]:
    """The stations by pid."""
    pids: dict[int, str] = {}
    for program in start_order(layout):
        if pid := program.pid():
            pids |= {each: _station(program.name) for each in (pid, *children(pid))}
    for node in NODES:
        if pid := postmaster(layout, node):
            pids |= {each: _postgres_station(each) for each in (pid, *children(pid))}
    return pids


def _station(program: str) -> str:
    if program in SERVERS:
        return "server"
    if program.endswith(".pgbouncer"):
        return "pooler"
    return {"balancer": "balancer", "wires": "relay"}.get(program, BACKGROUND)


def _postgres_station(pid: int) -> str:
    title = command_line(pid)
    return next(station for part, station in POSTGRES if part in title)
