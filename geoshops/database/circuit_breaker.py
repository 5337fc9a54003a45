"""What keeps trouble of the database short: refusing at once what failed a moment ago, and a watch over answers."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn, TypeVar

import psycopg2

from geoshops import metrics
from geoshops.errors import Unavailable

log = logging.getLogger(__name__)
T = TypeVar("T")

PAUSE_S = 0.25
# longer than the role's lock_timeout: until then the probe has told
PROBE_S = 1.0
FORGOTTEN_AFTER_S = 2.0
WATCH_EVERY_S = 0.25


class Breaker:
    """Refuses to connect while the last attempt failed a moment ago, then lets one probe through.

    Connections that exist are not its business: where the server has no more to give, they go on."""

    def __init__(self) -> None:
        self._state = threading.Condition()
        self._failed_at: float | None = None
        self._probing_since: float | None = None

    def connect(self, attempt: Callable[[], T]) -> T:
        """What the attempt makes; Unavailable at once where it need not be tried."""
        probe = self._admit()
        failed_at: float | None = None
        try:
            return attempt()
        except psycopg2.Error:
            failed_at = time.monotonic()
            raise
        finally:
            with self._state:
                self._failed_at = failed_at
                if probe:
                    self._probing_since = None
                self._state.notify_all()

    def _admit(self) -> bool:
        with self._state:
            if self._probing_since is not None:
                # a burst after an outage is not refused: a moment later the probe has told
                left_s = self._probing_since + PAUSE_S - time.monotonic()
                self._state.wait_for(lambda: self._probing_since is None, max(0.0, left_s))
            if self._failed_at is None:
                return False
            now = time.monotonic()
            if self._probing_since is not None or now < self._failed_at + PAUSE_S:
                refuse("breaker")
            self._probing_since = now
            return True


class LockedTables:
    """Statements that waited in vain for a locked table: refused for a moment, then one probes.

    Without it every thread waits as long as lock_timeout, and all that needs no such table behind them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.until: dict[str, float] = {}

    @property
    def held(self) -> bool:
        """Whether a table was locked a moment ago."""
        if not self.until:
            return False
        since = time.monotonic() - FORGOTTEN_AFTER_S
        return any(until > since for until in list(self.until.values()))

    def admit(self, statement: str) -> None:
        """Unavailable while the statement is refused; who comes first afterwards is the probe."""
        with self._lock:
            until, now = self.until.get(statement, 0.0), time.monotonic()
            if now < until:
                refuse("locked_table")
            if now > until + FORGOTTEN_AFTER_S:
                self.until.pop(statement, None)
            else:
                self.until[statement] = now + PROBE_S

    def failed(self, statement: str) -> None:
        """It has waited in vain."""
        self.until[statement] = time.monotonic() + PAUSE_S

    def succeeded(self, statement: str) -> None:
        """It runs again."""
        self.until.pop(statement, None)


class Watch:
    """Cuts connections whose answer is overdue.

    A server that is stopped, or waits for a standby to confirm a commit, keeps no limit of its own,
    and to cancel a commit that waits would answer success."""

    def __init__(self) -> None:
        self._forget()
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        self._overdue_at: dict[Any, float] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Makes sure that somebody watches in this process."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
                self._thread.start()

    def begin(self, connection: Any, within_s: float) -> None:
        """An answer is expected on this connection."""
        self._overdue_at[connection] = time.monotonic() + within_s

    def end(self, connection: Any) -> None:
        """It came, or an error did."""
        self._overdue_at.pop(connection, None)

    @contextmanager
    def shorter(self, connection: Any, within_s: float) -> Iterator[None]:
        """For a part of the work another limit holds."""
        before = self._overdue_at.get(connection)
        self.begin(connection, within_s)
        try:
            yield
        finally:
            self.end(connection)
            if before is not None:
                self._overdue_at[connection] = before

    def _run(self) -> None:
        while True:
            time.sleep(WATCH_EVERY_S)
            now = time.monotonic()
            for connection, overdue_at in list(self._overdue_at.items()):
                if overdue_at < now:
                    self._overdue_at.pop(connection, None)
                    cut(connection)


def cut(connection: Any) -> None:
    """Shuts the connection's socket: whoever waits on it gets an error at once."""
    log.warning("an answer of the database is overdue; its connection is cut")
    with (
        suppress(psycopg2.Error, OSError),
        socket.socket(fileno=os.dup(connection.fileno())) as shared,
    ):
        shared.shutdown(socket.SHUT_RDWR)


def refuse(cause: str) -> NoReturn:
    """Refuses the request because of what failed a moment ago."""
    metrics.DATABASE_FAILURES.labels(cause).inc()
    raise Unavailable


WATCH = Watch()
