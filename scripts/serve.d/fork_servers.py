"""Keeps a fork server (fork_server.py) running and replaces it on reload."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path

from processes import Child, Forked, say, start

FORK_S = 5.0
START_S = 30.0
YOUNG_S = 2.0


class ForkServer(Child):
    """A process that has loaded the service, and the supervisor's end of the socket to it."""

    def __init__(self, command: list[str]) -> None:
        self._control, remote = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with remote:
            descriptor = remote.fileno()
            super().__init__(
                start([*command, "--control", str(descriptor)], pass_fds=(descriptor,))
            )
        self._control.settimeout(FORK_S)
        self._loaded = False

    @property
    def loaded(self) -> bool:
        """True when it can fork."""
        if not self._loaded and select.select([self._control], [], [], 0)[0]:
            with contextlib.suppress(OSError):
                self._loaded = bool(self._control.recv(64))
        return self._loaded

    def fork(self, path: Path) -> Child | None:
        """Forks a server that will listen on the path; None when this process fails."""
        try:
            self._control.send(os.fsencode(path))
            return Child(Forked(int(self._control.recv(64))), path)
        except (OSError, ValueError):
            # a broken fork server is replaced rather than repaired
            self.end(signal.SIGKILL)
            return None

    def close(self) -> None:
        """Ends it; its servers continue."""
        self._control.close()
        self.end_within(FORK_S)


class ForkServers:
    """The current fork server, its successor while that loads, and predecessors with retiring servers.

    `has_invalid_settings` is set when the first one rejects its settings."""

    def __init__(self, command: list[str], note: Callable[[Child], None]) -> None:
        self._command, self._note = command, note
        self._current: ForkServer | None = None
        self._next: ForkServer | None = None
        self._previous: list[ForkServer] = []
        self._reloading = False
        self._wait_until = 0.0
        self._has_loaded = self.has_invalid_settings = False

    @property
    def busy(self) -> bool:
        """True while a fork server starts or retires."""
        return bool(self._next or self._previous or not self._current)

    def reload(self) -> None:
        """Starts a fork server with the current code and settings."""
        self._reloading = True
        if self._next:
            self._next.end_within(0)
            self._next = None

    def supervise(self, servers_change: bool) -> bool:
        """Replaces ended fork servers; returns True once, when a reload has finished loading."""
        if self._current and self._current.gone:
            say("the fork server ended; starting another one")
            self._current = None
        if self._next and (self._next.gone or self._next.age_s > START_S):
            # after a successful load, invalid settings only fail the reload
            self.has_invalid_settings = (
                not self._has_loaded and self._next.process.poll() == os.EX_CONFIG
            )
            # do not restart a failing process in a busy loop
            self._wait_until = time.monotonic() + YOUNG_S
            self._next.end_within(0)
            self._next = None
        wanted = self._reloading or not self._current
        if wanted and not self._next and time.monotonic() >= self._wait_until:
            self._next = ForkServer(self._command)
            self._note(self._next)
        if not servers_change:
            while self._previous:
                self._previous.pop().close()
        return self._promote_next()

    def _promote_next(self) -> bool:
        if not self._next or not self._next.loaded:
            return False
        if self._current:
            self._previous.append(self._current)
        self._current, self._next, self._has_loaded = self._next, None, True
        reloaded, self._reloading = self._reloading, False
        return reloaded

    def fork(self, path: Path) -> Child | None:
        """Forks a server that will listen on the path; None while no fork server is ready."""
        return self._current.fork(path) if self._current else None

    def close(self) -> None:
        """Ends all fork servers."""
        for fork_server in (self._current, self._next, *self._previous):
            if fork_server:
                fork_server.close()
