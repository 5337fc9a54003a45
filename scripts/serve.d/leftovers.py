"""Ends the processes of a killed `scripts/serve --production`.

    leftovers.py RUN

The supervisor records itself and the leader of each process group in the folder RUN. A record holds pid and
start time, because the kernel reuses pids."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

END_S = 5.0
SUPERVISOR, GROUPS = "supervisor", "groups"


class Process(NamedTuple):
    """A process as in /proc; `start` is in clock ticks since boot."""

    pid: int
    group: int
    start: int
    state: str


def note(run: Path, name: str, pid: int) -> None:
    """Records a running process in one of the lists in the folder."""
    process = read(pid)
    if process:
        with (run / name).open("a", encoding="utf-8") as notes:
            notes.write(f"{pid} {process.start}\n")


def read(pid: int) -> Process | None:
    """Reads a process from /proc; None when there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # the command name, in parentheses, may itself contain parentheses and blanks
    fields = stat.rpartition(")")[2].split()
    return Process(pid, int(fields[2]), int(fields[19]), fields[0])


def end_leftovers(run: Path) -> int:
    """Kills the process groups of a dead supervisor, waits for their end and returns the number of processes."""
    if any(is_running(pid, start) for pid, start in notes_of(run / SUPERVISOR)):
        return 0
    groups = {pid for pid, start in notes_of(run / GROUPS) if not is_reused(pid, start)}
    processes = list(members(groups))
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
    deadline = time.monotonic() + END_S
    while any(is_running(p.pid, p.start) for p in processes) and time.monotonic() < deadline:
        time.sleep(0.01)
    return len(processes)


def notes_of(path: Path) -> list[tuple[int, int]]:
    """Reads pid and start time of each process in a list."""
    if not path.exists():
        return []
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    # the last line may be incomplete
    return [(int(words[0]), int(words[1])) for words in lines if len(words) == 2]


def is_running(pid: int, start: int) -> bool:
    """True while the recorded process runs."""
    process = read(pid)
    return process is not None and process.start == start and process.state != "Z"


def is_reused(pid: int, start: int) -> bool:
    """True when a later process has the pid. The kernel does not reuse a pid while its process group exists."""
    process = read(pid)
    return process is not None and process.start != start


def members(groups: set[int]) -> Iterator[Process]:
    """Finds the running processes of these groups whose working directory is ours."""
    for folder in Path("/proc").glob("[0-9]*"):
        process = read(int(folder.name))
        if process and process.group in groups and process.state != "Z":
            with contextlib.suppress(OSError):
                if (folder / "cwd").readlink() == Path.cwd():
                    yield process


def main() -> None:
    """Ends leftovers of the folder given as argument; scripts/serve runs this before it chooses a port."""
    ended = end_leftovers(Path(sys.argv[1]))
    if ended:
        print(f"geoshops: ended {ended} processes of a server that was killed", file=sys.stderr)


if __name__ == "__main__":
    main()
