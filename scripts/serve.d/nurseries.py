"""The process that servers are forked from (nursery.py): always one, and a fresh one after a reload."""

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


class Nursery(Child):
    """The process that has loaded the service (nursery.py), and our end of the socket to it."""

    def __init__(self, command: list[str]) -> None:
        self._keeper, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            kept = theirs.fileno()
            super().__init__(start([*command, "--keeper", str(kept)], (kept,)))
        self._keeper.settimeout(FORK_S)
        self._loaded = False

    @property
    def loaded(self) -> bool:
        """True when it can fork."""
        if not self._loaded and select.select([self._keeper], [], [], 0)[0]:
            with contextlib.suppress(OSError):
                self._loaded = bool(self._keeper.recv(64))
        return self._loaded

    def fork(self, path: Path) -> Child | None:
        """A server that will answer at the path; None when this process is no longer able to."""
        try:
            self._keeper.send(os.fsencode(path))
            return Child(Forked(int(self._keeper.recv(64))), path)
        except (OSError, ValueError):
            # whatever it is, the next one can
            self.end(signal.SIGKILL)
            return None

    def close(self) -> None:
        """Lets it end; its servers go on."""
        self._keeper.close()
        self.end_within(FORK_S)


class Nurseries:
    """The one in use, the one that will take its place, and those whose servers still leave."""

    def __init__(self, command: list[str], note: Callable[[Child], None]) -> None:
        self._command, self._note = command, note
        self._now: Nursery | None = None
        self._next: Nursery | None = None
        self._before: list[Nursery] = []
        self._renewing = False
        self._wait_until = 0.0
        self._has_loaded = self.refused = False

    @property
    def busy(self) -> bool:
        """True while something is about to change."""
        return bool(self._next or self._before or not self._now)

    def renew(self) -> None:
        """Loads the service anew, with the settings of now."""
        self._renewing = True
        if self._next:
            self._next.end_within(0)
            self._next = None

    def tend(self, servers_change: bool) -> bool:
        """Replaces what died; True at the moment from which servers are of the new settings."""
        if self._now and self._now.gone:
            say("the loaded service ended; loading it again")
            self._now = None
        if self._next and (self._next.gone or self._next.age_s > START_S):
            # of settings that do not fit nothing is ever loaded, unless an earlier one of others serves
            self.refused = not self._has_loaded and self._next.process.poll() == os.EX_CONFIG
            # what cannot start at all shall not keep a core busy
            self._wait_until = time.monotonic() + YOUNG_S
            self._next.end_within(0)
            self._next = None
        wanted = self._renewing or not self._now
        if wanted and not self._next and time.monotonic() >= self._wait_until:
            self._next = Nursery(self._command)
            self._note(self._next)
        if not servers_change:
            while self._before:
                self._before.pop().close()
        return self._exchange()

    def _exchange(self) -> bool:
        if not self._next or not self._next.loaded:
            return False
        if self._now:
            self._before.append(self._now)
        self._now, self._next, self._has_loaded = self._next, None, True
        renewed, self._renewing = self._renewing, False
        return renewed

    def fork(self, path: Path) -> Child | None:
        """A server that will answer at the path, as soon as one can be had."""
        return self._now.fork(path) if self._now else None

    def close(self) -> None:
        """Ends them all."""
        for nursery in (self._now, self._next, *self._before):
            if nursery:
                nursery.close()
