"""Circuit breakers and a watchdog for database calls."""

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
# longer than the role's lock_timeout, by which the probe has succeeded or failed
PROBE_S = 1.0
FORGOTTEN_AFTER_S = 2.0
CHECK_EVERY_S = 0.25


class CircuitBreaker:
    """Rejects new connections for PAUSE_S after a failed attempt, then admits one probe.

    Existing connections are unaffected: they still work when the server has no connections left."""

    def __init__(self) -> None:
        self._state = threading.Condition()
        self._failed_at: float | None = None
        self._probing_since: float | None = None

    def connect(self, attempt: Callable[[], T]) -> T:
        """The result of the attempt; raises Unavailable immediately while the circuit is open."""
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
                # After an outage a burst of requests waits for the probe's result instead of being rejected.
                left_s = self._probing_since + PAUSE_S - time.monotonic()
                self._state.wait_for(lambda: self._probing_since is None, max(0.0, left_s))
            if self._failed_at is None:
                return False
            now = time.monotonic()
            if self._probing_since is not None or now < self._failed_at + PAUSE_S:
                reject("breaker")
            self._probing_since = now
            return True


class LockedTables:
    """A circuit breaker for each statement that timed out on a locked table: rejects it for PAUSE_S, then admits a probe.

    Without it every thread would wait for lock_timeout, blocking even requests that don't touch the table."""

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
        """Raises Unavailable while the statement's circuit is open; the first caller afterwards is the probe."""
        with self._lock:
            until, now = self.until.get(statement, 0.0), time.monotonic()
            if now < until:
                reject("locked_table")
            if now > until + FORGOTTEN_AFTER_S:
                self.until.pop(statement, None)
            else:
                self.until[statement] = now + PROBE_S

    def failed(self, statement: str) -> None:
        """Opens the statement's circuit after a lock timeout."""
        self.until[statement] = time.monotonic() + PAUSE_S

    def succeeded(self, statement: str) -> None:
        """Closes the statement's circuit."""
        self.until.pop(statement, None)


class Watchdog:
    """Closes connections whose server does not reply in time.

    A stopped server, or one that waits for a standby to confirm a commit, does not enforce its own timeouts, and
    cancelling such a commit would report success."""

    def __init__(self) -> None:
        self._reset()
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._overdue_at: dict[Any, float] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Starts the watchdog's thread of this process unless it runs."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
                self._thread.start()

    def begin(self, connection: Any, within_s: float) -> None:
        """Sets the connection's deadline."""
        self._overdue_at[connection] = time.monotonic() + within_s

    def end(self, connection: Any) -> None:
        """Removes the deadline after the reply or an error."""
        self._overdue_at.pop(connection, None)

    @contextmanager
    def deadline(self, connection: Any, within_s: float) -> Iterator[None]:
        """Replaces the deadline within the block."""
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
            time.sleep(CHECK_EVERY_S)
            now = time.monotonic()
            for connection, overdue_at in list(self._overdue_at.items()):
                if overdue_at < now:
                    self._overdue_at.pop(connection, None)
                    shut_down(connection)


def shut_down(connection: Any) -> None:
    """Shuts the connection's socket down, so that the thread waiting on it gets an error immediately."""
    log.warning("the database did not reply in time; its connection is closed")
    with (
        suppress(psycopg2.Error, OSError),
        socket.socket(fileno=os.dup(connection.fileno())) as shared,
    ):
        shared.shutdown(socket.SHUT_RDWR)


def reject(cause: str) -> NoReturn:
    """Counts the rejection and raises Unavailable."""
    metrics.DATABASE_FAILURES.labels(cause).inc()
    raise Unavailable


WATCHDOG = Watchdog()
