"""Child processes of production.py."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

HANDLED = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD}
# linux/prctl.h
PR_SET_PDEATHSIG = 1
PROBE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


class Forked:
    """A process forked by the fork server, with the part of Popen's interface that Child uses."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._pidfd = os.pidfd_open(pid)

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):
            os.close(self._pidfd)

    def poll(self) -> int | None:
        """None while it runs, then 0: only its parent can read the exit code."""
        return 0 if select.select([self._pidfd], [], [], 0)[0] else None

    def wait(self, timeout: float | None = None) -> int:
        """Waits until it ends."""
        if not select.select([self._pidfd], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("forked", timeout or 0)
        return 0

    def send_signal(self, number: int) -> None:
        """Sends it a signal."""
        signal.pidfd_send_signal(self._pidfd, number)


@dataclass
class Child:
    """The leader of a process group, with its descendants."""

    process: subprocess.Popen[bytes] | Forked
    socket: Path | None = None
    born: float = field(default_factory=time.monotonic)

    @property
    def gone(self) -> bool:
        """True when the leader has ended; kills the rest of its group."""
        if self.process.poll() is None:
            return False
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        return True

    @property
    def age_s(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.born

    def end(self, number: signal.Signals) -> None:
        """Sends the leader a signal if it runs."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)

    def end_within(self, seconds: float) -> None:
        """Waits for the leader, then kills its group."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def is_ready(child: Child) -> bool:
    """True when the worker responds on its socket."""
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(0.5)
            probe.connect(str(child.socket))
            probe.sendall(PROBE)
            return probe.recv(12) == b"HTTP/1.1 200"
    except OSError:
        return False


def start(
    command: list[str],
    *,
    pass_fds: Sequence[int] = (),
    parent_death_signal: signal.Signals | None = None,
) -> subprocess.Popen[bytes]:
    """Starts a command in its own session, so that a terminal's Ctrl-C reaches only the supervisor."""
    supervisor = os.getpid()

    def prepare() -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
        if parent_death_signal:
            end_with_parent(parent_death_signal, supervisor)

    return subprocess.Popen(command, start_new_session=True, preexec_fn=prepare, pass_fds=pass_fds)


def end_with_parent(number: signal.Signals, parent: int) -> None:
    """Makes the kernel send this process the signal when its parent ends; Linux only."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(number))
    if os.getppid() != parent:
        # the parent ended before prctl
        os.kill(os.getpid(), number)


def schedule_as_batch() -> None:
    """Makes threads of this process that wake up wait for running ones; Linux only.

    Otherwise each reply of the database interrupts a thread that works on another request."""
    with contextlib.suppress(AttributeError, OSError):
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def say(text: str) -> None:
    """Prints a line to standard error."""
    print(f"geoshops: {text}", file=sys.stderr, flush=True)
