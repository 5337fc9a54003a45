"""Processes that production.py starts, watches and ends."""

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
    """A process that another forked for us, with the part of Popen that we need."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._handle = os.pidfd_open(pid)

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):
            os.close(self._handle)

    def poll(self) -> int | None:
        """None while it lives. How it ended only its parent knows."""
        return 0 if select.select([self._handle], [], [], 0)[0] else None

    def wait(self, timeout: float | None = None) -> int:
        """Waits for its end."""
        if not select.select([self._handle], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("forked", timeout or 0)
        return 0

    def send_signal(self, number: int) -> None:
        """Sends it a signal."""
        signal.pidfd_send_signal(self._handle, number)


@dataclass
class Child:
    """A server with its descendants, in a process group of its own."""

    process: subprocess.Popen[bytes] | Forked
    socket: Path | None = None
    born: float = field(default_factory=time.monotonic)

    @property
    def gone(self) -> bool:
        """True when the leader ended; what it left behind is ended too."""
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
        """Sends the leader a signal, if it lives."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)

    def end_within(self, seconds: float) -> None:
        """Waits for the end, then no longer."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def answers(child: Child) -> bool:
    """True when the worker answers on its socket."""
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(0.5)
            probe.connect(str(child.socket))
            probe.sendall(PROBE)
            return probe.recv(12) == b"HTTP/1.1 200"
    except OSError:
        return False


def start(
    command: list[str], kept: Sequence[int] = (), ends_by: signal.Signals | None = None
) -> subprocess.Popen[bytes]:
    """Starts a leader of its own group: a terminal's Ctrl-C must reach only us, who end it in order.

    `ends_by` is the signal that it gets when we are killed and cannot end it."""
    supervisor = os.getpid()

    def prepare() -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
        if ends_by:
            end_with_parent(ends_by, supervisor)

    return subprocess.Popen(command, start_new_session=True, preexec_fn=prepare, pass_fds=kept)


def end_with_parent(number: signal.Signals, parent: int) -> None:
    """Has the kernel send this process the signal when its parent ends, however that happens; Linux only."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(number))
    if os.getppid() != parent:
        # it has ended already
        os.kill(os.getpid(), number)


def say(text: str) -> None:
    """One line for the operator."""
    print(f"geoshops: {text}", file=sys.stderr, flush=True)
