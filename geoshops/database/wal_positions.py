"""Where the primary's log stands: what a replica must have replayed to be asked."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

import psycopg2

from geoshops.database.circuit_breaker import WATCH
from geoshops.database.pool import Row
from geoshops.errors import Unavailable

STALE_S = 2.0
# A look at a replica holds for CHECKED_FOR_S and asks for what the log held BEHIND_S before: together
# less than STALE_S, with room for the question itself.
CHECKED_FOR_S, BEHIND_S = 0.5, 1.25
SAMPLED_EVERY_S = 0.25
# together with the steps of the watch less than BEHIND_S: until then older positions serve
POSITION_WITHIN_S = 0.75
POSITION = """
SELECT pg_is_in_recovery(), (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
  ELSE pg_current_wal_lsn() END - '0/0')::bigint"""


class Behind(Unavailable):
    """This replica has not replayed what the question must see."""


class Line:
    """One connection to the primary, apart from the pool: all of that may be busy, or wait for a leader that
    shuts down, when it matters most to know that it does not answer."""

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect = connect
        self._connection: Any = None

    def ask(self) -> Row:
        """Whether the primary is one, and where its log stands. A connection that was lost meanwhile is made anew."""
        began = time.monotonic()
        if self._connection:
            try:
                return self._once()
            except psycopg2.Error:
                self.close()
                if time.monotonic() - began > POSITION_WITHIN_S / 2:
                    raise
        self._connection = self._connect()
        return self._once()

    def close(self) -> None:
        """Ends it; the next question makes another."""
        if self._connection:
            with suppress(psycopg2.Error):
                self._connection.close()
        self._connection = None

    def _once(self) -> Row:
        WATCH.begin(self._connection, POSITION_WITHIN_S)
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(POSITION)
                in_recovery, position = cursor.fetchone()
        finally:
            WATCH.end(self._connection)
        if in_recovery:
            # it was demoted: another connection may find its successor
            self.close()
        return in_recovery, position


class Positions:
    """Where the primary's log stood of late.

    A position is of the moment before it was asked for: what was acknowledged by then lies before it."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._asking = threading.Lock()
        self._asking_since: float | None = None
        self._asked_at, self._told = 0.0, cast(int | None, None)
        self._taken: deque[tuple[float, int]] = deque(maxlen=64)
        self._process = 0
        self._starting = threading.Lock()
        self._closed = threading.Event()
        self._lost = False

    @property
    def primary_is_lost(self) -> bool:
        """True when it did not tell its position, or takes too long: a leader that shuts down is silent first."""
        since = self._asking_since
        return self._lost or (since is not None and time.monotonic() - since > POSITION_WITHIN_S)

    def start(self) -> None:
        """Makes sure that positions are taken in this process."""
        if self._process == os.getpid():
            return
        with self._starting:
            if self._process == os.getpid():
                return
            self.take()
            threading.Thread(target=self._run, name="positions", daemon=True).start()
            self._process = os.getpid()

    def close(self) -> None:
        """Takes no more of them."""
        self._closed.set()
        with self._asking:
            self._line.close()

    def take(self) -> int | None:
        """The primary's position now; None when it does not tell. Who waited while somebody else asked needs
        not ask again."""
        came_at = time.monotonic()
        if not self._asking.acquire(timeout=POSITION_WITHIN_S):
            return None
        try:
            if self._asked_at < came_at:
                self._asked_at = self._asking_since = time.monotonic()
                self._told = self._take()
            return self._told
        finally:
            self._asking_since = None
            self._asking.release()

    def _take(self) -> int | None:
        try:
            in_recovery, position = self._line.ask()
        except (psycopg2.Error, Unavailable):
            self._lost = True
            return None
        self._lost = bool(in_recovery)
        if in_recovery:
            return None
        self._taken.append((self._asked_at, position))
        return int(position)

    def least(self) -> int:
        """What every replica must have replayed; Behind when that is not known."""
        taken = list(self._taken)
        known_at = taken[-1][0] if taken else 0.0
        since = known_at if self.primary_is_lost else time.monotonic()
        # positions of a lost timeline may be greater than those of the new one
        recent = [position for asked_at, position in taken if asked_at >= since - BEHIND_S]
        if not recent and not self.primary_is_lost:
            raise Behind
        return min(recent, default=0)

    def _run(self) -> None:
        while not self._closed.wait(SAMPLED_EVERY_S):
            self.take()
