"""Ends what a killed `scripts/serve --production` left running, and nothing else.

    leftovers.py RUN

The supervisor notes itself and the leader of every process group that it starts in the folder RUN. A process number
may belong to a stranger by now, so a note holds the start time as well, which no later process of that number has."""

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
    """What the kernel knows of a process; the start is in clock ticks since the boot."""

    pid: int
    group: int
    start: int
    state: str


def note(run: Path, name: str, pid: int) -> None:
    """Adds a process to one of the lists in the folder; one that has ended already needs no note."""
    found = read(pid)
    if found:
        with (run / name).open("a", encoding="utf-8") as notes:
            notes.write(f"{pid} {found.start}\n")


def read(pid: int) -> Process | None:
    """The process of this number, if there is one."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # the command, in parentheses, may contain anything
    fields = stat.rpartition(")")[2].split()
    return Process(pid, int(fields[2]), int(fields[19]), fields[0])


def end_leftovers(run: Path) -> int:
    """Kills the groups that a dead supervisor noted, waits for their end, and returns how many processes they had."""
    if any(is_running(pid, start) for pid, start in notes_of(run / SUPERVISOR)):
        return 0
    groups = {pid for pid, start in notes_of(run / GROUPS) if not is_taken_by_another(pid, start)}
    found = list(members(groups))
    for process in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
    until = time.monotonic() + END_S
    while any(is_running(one.pid, one.start) for one in found) and time.monotonic() < until:
        time.sleep(0.01)
    return len(found)


def notes_of(path: Path) -> list[tuple[int, int]]:
    """Number and start time of each process in a list."""
    if not path.exists():
        return []
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    # the last line may be half written
    return [(int(words[0]), int(words[1])) for words in lines if len(words) == 2]


def is_running(pid: int, start: int) -> bool:
    """True while the very process that was noted runs."""
    found = read(pid)
    return found is not None and found.start == start and found.state != "Z"


def is_taken_by_another(pid: int, start: int) -> bool:
    """True when a later process has the number. A group without its leader keeps the number from being given away."""
    found = read(pid)
    return found is not None and found.start != start


def members(groups: set[int]) -> Iterator[Process]:
    """The running processes of these groups that work in this folder, as the service does."""
    for folder in Path("/proc").glob("[0-9]*"):
        found = read(int(folder.name))
        if found and found.group in groups and found.state != "Z":
            with contextlib.suppress(OSError):
                if (folder / "cwd").readlink() == Path.cwd():
                    yield found


def main() -> None:
    """Called by scripts/serve before it looks for a free port."""
    ended = end_leftovers(Path(sys.argv[1]))
    if ended:
        print(f"geoshops: ended {ended} processes of a server that was killed", file=sys.stderr)


if __name__ == "__main__":
    main()
