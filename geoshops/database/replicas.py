"""Routes reads to replicas.

A replica serves a query only if it has replayed the WAL position that the primary had at most STALE_S ago, so
that logout and withdrawal take effect everywhere within that time. For a member's own requests it must have
replayed the primary's position at the start of the request: such a request sees every write acknowledged
before it, by any worker. While the primary is unreachable, the last known positions apply."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, cast

import psycopg2
from psycopg2 import extensions
from sqlalchemy.exc import SQLAlchemyError

from geoshops import metrics
from geoshops.config import Settings
from geoshops.database.circuit_breaker import WATCHDOG
from geoshops.database.pool import Database
from geoshops.database.statements import Values
from geoshops.database.wal_positions import (
    CHECKED_FOR_S,
    POSITION,
    POSITION_WITHIN_S,
    SAMPLED_EVERY_S,
    Behind,
    PrimaryConnection,
    WalPositions,
)
from geoshops.errors import Unavailable, failure_cause
from geoshops.request_context import CURRENT

T = TypeVar("T")

# how long a member's own query waits for a replica before it goes to the primary
WAIT_S, WAIT_STEP_S = 0.03, 0.001
# Time limit of a replica's position query; long enough to learn first whether the primary is lost.
CHECK_WITHIN_S = POSITION_WITHIN_S + SAMPLED_EVERY_S
READ_METHODS = ("GET", "HEAD")
# the key of the WSGI environment that holds the WAL position required by the request
READ_POSITION = "geoshops.read_position"
FAILURES = (psycopg2.Error, SQLAlchemyError, Unavailable)
# Errors that would also occur on another server: the query is slow, or it waits for a lock that the primary holds.
NOT_RETRIED_ELSEWHERE = ("timeout", "lock")


class ReplicaConnection(extensions.connection):
    """A connection that caches the WAL position its replica has replayed."""

    positions: WalPositions
    checked_until = 0.0
    position = -1
    behind_until = 0.0

    def require(self, wanted: int) -> None:
        """Raises Behind unless the replica has replayed `wanted`; queries it when the cached position is too old."""
        now = time.monotonic()
        if now < self.checked_until and wanted <= self.position:
            return
        if now < self.behind_until:
            raise Behind
        until = now + WAIT_S
        while not self._has_replayed(wanted):
            if time.monotonic() > until:
                raise Behind
            time.sleep(WAIT_STEP_S)

    def _has_replayed(self, wanted: int) -> bool:
        """Whether the replica has replayed `wanted`; raises Behind when it is so far behind that waiting is no use."""
        checked_at = time.monotonic()
        with (
            WATCHDOG.deadline(self, CHECK_WITHIN_S),
            super().cursor(cursor_factory=extensions.cursor) as cursor,
        ):
            cursor.execute(POSITION)
            _, position = cast(tuple[bool, int], cursor.fetchone())
        if position < self.positions.required():
            self.behind_until = checked_at + CHECKED_FOR_S
            raise Behind
        self.position, self.checked_until = position, checked_at + CHECKED_FOR_S
        return position >= wanted


class ReplicaCursor(extensions.cursor):
    """A cursor that runs a query only on a replica that has replayed enough."""

    def execute(self, query: Any, vars: Any = None) -> None:
        """Runs the statement; raises Behind when the replica has not replayed enough."""
        environ = CURRENT.get() or {}
        self.connection.require(environ.get(READ_POSITION, 0))  # type: ignore[attr-defined]
        super().execute(query, vars)


class Replicas(Database):
    """A pool of connections to replicas, distributed over the hosts of READ_DATABASE_URL."""

    # A retry after Behind should use another connection, which may lead to another replica.
    _reuses_last = False

    def __init__(self, settings: Settings, positions: WalPositions) -> None:
        super().__init__(replace(settings, database_url=settings.read_database_url))
        self._positions = positions

    def query(self, statement: str, values: Values, fetch: Callable[[Any], T]) -> T:
        """The result of the query; tries a second connection when the replica of the first is behind."""
        try:
            return self._query(statement, values, fetch)
        except Behind:
            return self._query(statement, values, fetch)

    def _connect(self) -> Any:
        connection = self._open(
            with_shuffled_hosts(self._url),
            connection_factory=ReplicaConnection,
            cursor_factory=ReplicaCursor,
        )
        connection.positions = self._positions
        return connection


class Routed(Database):
    """Runs queries of GET and HEAD requests on replicas, everything else, searches by POST included, on the primary.

    A replica that is behind or fails is replaced by the primary, and a primary that shuts down by another replica."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._own_writes = settings.read_your_writes
        # through the circuit breaker, so that no request waits for a primary that rejects connections
        self._positions = WalPositions(
            PrimaryConnection(lambda: self._breaker.connect(self._open_apart))
        )
        self._replicas = Replicas(settings, self._positions)

    @property
    def primary_is_lost(self) -> bool:
        """Whether the service is read-only because the primary is unreachable."""
        return self._positions.primary_is_lost

    def close(self) -> None:
        """Stops the sampling thread and closes the connections."""
        self._positions.close()
        self._replicas.dispose()
        self.dispose()

    def _query(self, statement: str, values: Values, fetch: Callable[[Any], T]) -> T:
        environ = CURRENT.get()
        if environ is None or environ["REQUEST_METHOD"] not in READ_METHODS:
            return super()._query(statement, values, fetch)
        try:
            self._positions.start()
            self._note_own_writes(environ)
            return self._replicas.query(statement, values, fetch)
        except Behind:
            metrics.DATABASE_FAILURES.labels("replica_behind").inc()
        except FAILURES as error:
            if not _served_elsewhere(error):
                raise
            metrics.DATABASE_FAILURES.labels("replica").inc()
        try:
            return super()._query(statement, values, fetch)
        except FAILURES as error:
            if not _served_elsewhere(error):
                raise
            # A primary that shuts down also closes its read connections; replicas still serve.
            return self._replicas.query(statement, values, fetch)

    def _note_own_writes(self, environ: dict[str, Any]) -> None:
        """Notes in the environment the WAL position that a replica must have replayed to show the member's own writes.

        Raises Behind if the position is unknown."""
        if not self._own_writes or "HTTP_AUTHORIZATION" not in environ:
            return
        if READ_POSITION in environ or self._positions.primary_is_lost:
            return
        position = self._positions.sample()
        if position is not None:
            environ[READ_POSITION] = position
        elif not self._positions.primary_is_lost:
            raise Behind

    def _open_apart(self) -> Any:
        connection = self._connect()
        connection.autocommit = True
        return connection


def _served_elsewhere(error: Exception) -> bool:
    """Whether another server might run the query that failed here."""
    cause = failure_cause(getattr(error, "orig", error))
    return not isinstance(error, psycopg2.Error) or (
        cause is not None and cause not in NOT_RETRIED_ELSEWHERE
    )


def database_of(settings: Settings) -> Database:
    """The configured database; a plain Database when no replicas are configured."""
    if settings.read_database_url in ("", settings.database_url):
        return Database(settings)
    return Routed(settings)


def with_shuffled_hosts(url: str) -> str:
    """The URL with its hosts shuffled. libpq uses the first reachable host, and load_balance_hosts needs libpq 16."""
    parts = extensions.parse_dsn(url)
    hosts = parts.get("host", "").split(",")
    if len(hosts) > 1 and "load_balance_hosts" not in parts:
        ports = parts.get("port", "5432").split(",")
        addresses = list(zip(hosts, ports if len(ports) > 1 else ports * len(hosts), strict=True))
        random.shuffle(addresses)
        parts["host"] = ",".join(host for host, _ in addresses)
        parts["port"] = ",".join(port for _, port in addresses)
    return str(extensions.make_dsn(**parts))
