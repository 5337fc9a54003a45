"""Samples the primary's WAL position, which a replica must have replayed before it may serve a query."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

import psycopg2

from geoshops.database.circuit_breaker import WATCHDOG
from geoshops.database.pool import Row
from geoshops.errors import Unavailable

STALE_S = 2.0
# A replica's position is trusted for CHECKED_FOR_S and compared with the primary's of BEHIND_S before. Their sum is
# less than STALE_S and leaves time for the query itself.
CHECKED_FOR_S, BEHIND_S = 0.5, 1.25
SAMPLED_EVERY_S = 0.25
# With the watchdog's interval less than BEHIND_S: a slow primary is detected while older samples still apply.
POSITION_WITHIN_S = 0.75
POSITION = """
SELECT pg_is_in_recovery(), (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
  ELSE pg_current_wal_lsn() END - '0/0')::bigint"""


class Behind(Unavailable):
    """The replica has not replayed the WAL position that the query requires."""


class PrimaryConnection:
    """A connection to the primary outside the pool, which may be exhausted exactly when the primary is failing."""

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect = connect
        self._connection: Any = None

    def read_position(self) -> Row:
        """Whether the server is in recovery, and its WAL position; reopens a connection that was lost."""
        began = time.monotonic()
        if self._connection:
            try:
                return self._read_once()
            except psycopg2.Error:
                self.close()
                if time.monotonic() - began > POSITION_WITHIN_S / 2:
                    raise
        self._connection = self._connect()
        return self._read_once()

    def close(self) -> None:
        """Closes the connection; the next read opens another."""
        if self._connection:
            with suppress(psycopg2.Error):
                self._connection.close()
        self._connection = None

    def _read_once(self) -> Row:
        WATCHDOG.begin(self._connection, POSITION_WITHIN_S)
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(POSITION)
                in_recovery, position = cursor.fetchone()
        finally:
            WATCHDOG.end(self._connection)
        if in_recovery:
            # The server was demoted; a new connection may reach the new primary.
            self.close()
        return in_recovery, position


class WalPositions:
    """Recent WAL positions of the primary.

    Each is stored with the time at which its query began: every write acknowledged by then lies before it."""

    def __init__(self, primary: PrimaryConnection) -> None:
        self._primary = primary
        self._reading = threading.Lock()
        self._reading_since: float | None = None
        self._read_at, self._position = 0.0, cast(int | None, None)
        self._samples: deque[tuple[float, int]] = deque(maxlen=64)
        self._process = 0
        self._starting = threading.Lock()
        self._closed = threading.Event()
        self._lost = False

    @property
    def primary_is_lost(self) -> bool:
        """Whether its last position query failed, or the current one takes too long, as during a shutdown."""
        since = self._reading_since
        return self._lost or (since is not None and time.monotonic() - since > POSITION_WITHIN_S)

    def start(self) -> None:
        """Starts the sampling thread of this process unless it runs."""
        if self._process == os.getpid():
            return
        with self._starting:
            if self._process == os.getpid():
                return
            self.sample()
            threading.Thread(target=self._sample_repeatedly, name="positions", daemon=True).start()
            self._process = os.getpid()

    def close(self) -> None:
        """Stops the sampling thread and closes the connection."""
        self._closed.set()
        with self._reading:
            self._primary.close()

    def sample(self) -> int | None:
        """The primary's current position, or None when it is unreachable.

        A caller that waited for a query begun after its own call uses that result."""
        called_at = time.monotonic()
        if not self._reading.acquire(timeout=POSITION_WITHIN_S):
            return None
        try:
            if self._read_at < called_at:
                self._read_at = self._reading_since = time.monotonic()
                self._position = self._read()
            return self._position
        finally:
            self._reading_since = None
            self._reading.release()

    def _read(self) -> int | None:
        try:
            in_recovery, position = self._primary.read_position()
        except (psycopg2.Error, Unavailable):
            self._lost = True
            return None
        self._lost = bool(in_recovery)
        if in_recovery:
            return None
        self._samples.append((self._read_at, position))
        return int(position)

    def required(self) -> int:
        """The position that every replica must have replayed; raises Behind when it is unknown."""
        samples = list(self._samples)
        known_at = samples[-1][0] if samples else 0.0
        since = known_at if self.primary_is_lost else time.monotonic()
        # the minimum, because positions of a lost timeline may exceed those of the new one
        recent = [position for read_at, position in samples if read_at >= since - BEHIND_S]
        if not recent and not self.primary_is_lost:
            raise Behind
        return min(recent, default=0)

    def _sample_repeatedly(self) -> None:
        while not self._closed.wait(SAMPLED_EVERY_S):
            self.sample()
