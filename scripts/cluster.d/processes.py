"""The programs of the cluster as processes: started in the background, found again, ended.

A process is ours when its id is in our file and its command line names our configuration."""

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
    """What to run; `mark` is the part of its command line by which it is recognised."""

    layout: Layout
    name: str
    argv: tuple[str, ...]
    mark: str
    environ: Mapping[str, str] = field(default_factory=dict)
    as_service_user: bool = True

    @property
    def pid_file(self) -> Path:
        """Where its process id is kept."""
        return self.layout.folder / "run" / f"{self.name}.pid"

    @property
    def log_file(self) -> Path:
        """Where its output goes."""
        return self.layout.folder / "logs" / f"{self.name}.log"

    def pid(self) -> int | None:
        """Its process id while it runs."""
        try:
            pid = int(self.pid_file.read_text())
        except (FileNotFoundError, ValueError):
            return None
        return pid if is_alive(pid) and self.mark in command_line(pid) else None

    def start(self) -> bool:
        """Starts it unless it runs; whether it had to be started."""
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

    def stop(self, patience_s: float = 30) -> None:
        """Ends it politely, then no longer so."""
        pid = self.pid()
        if pid is None:
            return
        os.kill(pid, signal.SIGTERM)
        if not wait_until(lambda: not is_alive(pid), patience_s):
            os.kill(pid, signal.SIGKILL)

    def tail(self) -> str:
        """The end of its log."""
        return "\n".join(self.log_file.read_text(errors="replace").splitlines()[-12:])


def user() -> dict[str, Any]:
    """Arguments of Popen that leave root's rights: PostgreSQL and PgBouncer refuse them."""
    if os.geteuid() != 0:
        return {}
    account = pwd.getpwnam(SERVICE_USER)
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def give(path: Path) -> None:
    """Hands a file or folder to the user that the programs run as."""
    if os.geteuid() == 0:
        account = pwd.getpwnam(SERVICE_USER)
        os.chown(path, account.pw_uid, account.pw_gid)


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that ended and was not yet collected does not."""
    return state(pid) not in ("", "Z", "X")


def state(pid: int) -> str:
    """The kernel's letter for what a process does; empty when there is none."""
    return _stat(pid)[0]


def _stat(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return [""]


def command_line(pid: int) -> str:
    """A process' command line, empty when there is none."""
    try:
        return (
            Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        )
    except (FileNotFoundError, ProcessLookupError):
        return ""


def children(parent: int) -> list[int]:
    """Processes started by another one."""
    pids = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())
    return [pid for pid in pids if _stat(pid)[1:2] == [str(parent)]]


def postmaster(layout: Layout, node: str) -> int | None:
    """Process id of a node's PostgreSQL while it runs."""
    try:
        pid = int((layout.data(node) / "postmaster.pid").read_text().split()[0])
    except (FileNotFoundError, ValueError, IndexError):
        return None
    return pid if is_alive(pid) and str(layout.data(node)) in command_line(pid) else None


def wal_senders(layout: Layout, node: str) -> list[int]:
    """The processes of a node's PostgreSQL that feed the others."""
    parent = postmaster(layout, node)
    return [pid for pid in children(parent) if "walsender" in command_line(pid)] if parent else []


def send(signal_number: int, *pids: int | None) -> None:
    """Sends a signal to those of the processes that are still there."""
    for pid in pids:
        try:
            if pid:
                os.kill(pid, signal_number)
        except ProcessLookupError:
            continue


def wait_until(met: Callable[[], Any], timeout_s: float, every_s: float = 0.1) -> bool:
    """Whether the condition came true in time."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if met():
            return True
        time.sleep(every_s)
    return bool(met())


def require(met: Callable[[], Any], timeout_s: float, what: str) -> None:
    """Waits for a condition; a ClusterError says what did not come about."""
    if not wait_until(met, timeout_s):
        raise ClusterError(f"{what} did not come about within {timeout_s:g} s")
