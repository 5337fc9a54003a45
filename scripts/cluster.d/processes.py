"""Starts, finds and stops the cluster's programs as background processes.

A process is identified by its pid file and by a part of its command line."""

from __future__ import annotations

import os
import pwd
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from layout import ClusterError, Layout

SERVICE_USER = "postgres"


@dataclass(frozen=True)
class Program:
    """A program to run; `mark` is the part of its command line that identifies it."""

    layout: Layout
    name: str
    argv: tuple[str, ...]
    mark: str
    environ: Mapping[str, str] = field(default_factory=dict)
    as_service_user: bool = True

    @property
    def pid_file(self) -> Path:
        """The path of the pid file."""
        return self.layout.folder / "run" / f"{self.name}.pid"

    @property
    def log_file(self) -> Path:
        """The path of the log."""
        return self.layout.folder / "logs" / f"{self.name}.log"

    def pid(self) -> int | None:
        """Returns the pid while it runs."""
        try:
            pid = int(self.pid_file.read_text())
        except (FileNotFoundError, ValueError):
            return None
        return pid if is_alive(pid) and self.mark in command_line(pid) else None

    def start(self) -> bool:
        """Starts it unless it runs; returns whether it was started."""
        if self.pid():
            return False
        with self.log_file.open("ab") as log:
            process = subprocess.Popen(
                self.argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env={**os.environ, **self.environ},
                start_new_session=True,
                **(user() if self.as_service_user else {}),
            )
        self.pid_file.write_text(f"{process.pid}\n")
        return True

    def stop(self, timeout_s: float = 30) -> None:
        """Sends SIGTERM, and SIGKILL after the timeout."""
        pid = self.pid()
        if pid is None:
            return
        os.kill(pid, signal.SIGTERM)
        if not wait_until(lambda: not is_alive(pid), timeout_s):
            os.kill(pid, signal.SIGKILL)

    def tail(self) -> str:
        """Returns the end of the log."""
        return "\n".join(self.log_file.read_text(errors="replace").splitlines()[-12:])


def user() -> dict[str, Any]:
    """Returns Popen arguments that drop root, as which PostgreSQL and PgBouncer refuse to run."""
    if os.geteuid() != 0:
        return {}
    account = pwd.getpwnam(SERVICE_USER)
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def give(path: Path) -> None:
    """Changes the owner of a path to the user that the programs run as."""
    if os.geteuid() == 0:
        account = pwd.getpwnam(SERVICE_USER)
        os.chown(path, account.pw_uid, account.pw_gid)


def is_alive(pid: int) -> bool:
    """Whether the process exists and is not a zombie."""
    return state(pid) not in ("", "Z", "X")


def state(pid: int) -> str:
    """Returns the state letter in /proc/PID/stat; empty if there is no process."""
    return _stat(pid)[0]


def _stat(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return [""]


def command_line(pid: int) -> str:
    """Returns a process' command line; empty if there is no process."""
    try:
        return (
            Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        )
    except (FileNotFoundError, ProcessLookupError):
        return ""


def children(parent: int) -> list[int]:
    """Returns the pids of a process' children."""
    pids = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())
    return [pid for pid in pids if _stat(pid)[1:2] == [str(parent)]]


def postmaster(layout: Layout, node: str) -> int | None:
    """Returns the pid of a node's postmaster while it runs."""
    try:
        pid = int((layout.data(node) / "postmaster.pid").read_text().split()[0])
    except (FileNotFoundError, ValueError, IndexError):
        return None
    return pid if is_alive(pid) and str(layout.data(node)) in command_line(pid) else None


def wal_senders(layout: Layout, node: str) -> list[int]:
    """Returns the pids of a node's WAL senders."""
    parent = postmaster(layout, node)
    return [pid for pid in children(parent) if "walsender" in command_line(pid)] if parent else []


def send(signal_number: int, *pids: int | None) -> None:
    """Sends a signal to the processes that still exist."""
    for pid in pids:
        try:
            if pid:
                os.kill(pid, signal_number)
        except ProcessLookupError:
            continue


def wait_until(met: Callable[[], Any], timeout_s: float, every_s: float = 0.1) -> bool:
    """Waits for a condition; returns whether it became true in time."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if met():
            return True
        time.sleep(every_s)
    return bool(met())


def require(met: Callable[[], Any], timeout_s: float, what: str) -> None:
    """Waits for a condition; raises a ClusterError that names it after the timeout."""
    if not wait_until(met, timeout_s):
        raise ClusterError(f"timed out after {timeout_s:g} s waiting for {what}")
