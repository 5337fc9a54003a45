"""Questions on replicas: which of them are fresh enough, and for whom.

A replica is asked while it has replayed what the primary's log held a moment ago, so that logout and
withdrawal hold everywhere within STALE_S. For a member's own requests it must have replayed all that the
primary's log held when the request came: a write that was acknowledged before is seen, on whatever worker
and server it happened. When the primary cannot be reached, questions go on with what is known of its log."""

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
from geoshops.database.circuit_breaker import WATCH
from geoshops.database.pool import Database
from geoshops.database.statements import Values
from geoshops.database.wal_positions import (
    CHECKED_FOR_S,
    POSITION,
    POSITION_WITHIN_S,
    SAMPLED_EVERY_S,
    Behind,
    Line,
    Positions,
)
from geoshops.errors import Unavailable, trouble_of
from geoshops.request_context import CURRENT

T = TypeVar("T")

# how long a member's own question waits for a replica before it goes to the primary
WAIT_S, WAIT_STEP_S = 0.03, 0.001
# a replica that does not even tell its position is given up, when it is known whether the primary is lost
LOOK_WITHIN_S = POSITION_WITHIN_S + SAMPLED_EVERY_S
READING = ("GET", "HEAD")
# where the environment of a request holds how far a replica must have come for it
READ_POSITION = "geoshops.read_position"
TROUBLE = (psycopg2.Error, SQLAlchemyError, Unavailable)
# the primary would need as long, or is what the replica waits for
NOT_ELSEWHERE = ("timeout", "lock")


class ReplicaConnection(extensions.connection):
    """A connection that knows how fresh its replica is."""

    positions: Positions
    checked_until = 0.0
    position = -1
    behind_until = 0.0

    def admit(self, wanted: int) -> None:
        """Behind unless the replica has replayed enough; asks it when the last look is too old."""
        now = time.monotonic()
        if now < self.checked_until and wanted <= self.position:
            return
        if now < self.behind_until:
            raise Behind
        until = now + WAIT_S
        while not self._look(wanted):
            if time.monotonic() > until:
                raise Behind
            time.sleep(WAIT_STEP_S)

    def _look(self, wanted: int) -> bool:
        looked_at = time.monotonic()
        with (
            WATCH.shorter(self, LOOK_WITHIN_S),
            super().cursor(cursor_factory=extensions.cursor) as cursor,
        ):
            cursor.execute(POSITION)
            _, position = cast(tuple[bool, int], cursor.fetchone())
        if position < self.positions.least():
            self.behind_until = looked_at + CHECKED_FOR_S
            raise Behind
        self.position, self.checked_until = position, looked_at + CHECKED_FOR_S
        return position >= wanted


class ReplicaCursor(extensions.cursor):
    """A cursor whose question the replica must be fresh enough for."""

    def execute(self, query: Any, vars: Any = None) -> None:
        """Runs the statement, or raises Behind."""
        environ = CURRENT.get() or {}
        self.connection.admit(environ.get(READ_POSITION, 0))  # type: ignore[attr-defined]
        super().execute(query, vars)


class Replicas(Database):
    """The pool of connections to replicas, spread over the hosts of READ_DATABASE_URL."""

    # after a replica that is behind, another connection is tried
    _reuses_last = False

    def __init__(self, settings: Settings, positions: Positions) -> None:
        super().__init__(replace(settings, database_url=settings.read_database_url))
        self._positions = positions

    def ask(self, statement: str, values: Values, fetch: Callable[[Any], T]) -> T:
        """The answer of a replica that is fresh enough; the next one is tried once."""
        try:
            return self._ask(statement, values, fetch)
        except Behind:
            return self._ask(statement, values, fetch)

    def _connect(self) -> Any:
        made = self._open(
            in_any_order(self._url),
            connection_factory=ReplicaConnection,
            cursor_factory=ReplicaCursor,
        )
        made.positions = self._positions
        return made


class Routed(Database):
    """The primary for acts, replicas for the questions of reading requests."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._own_writes = settings.read_your_writes
        # by the breaker: where nobody can connect, nobody waits for it
        self._positions = Positions(Line(lambda: self._breaker.connect(self._open_apart)))
        self._replicas = Replicas(settings, self._positions)

    @property
    def primary_is_lost(self) -> bool:
        """Whether only questions are served."""
        return self._positions.primary_is_lost

    def close(self) -> None:
        """Ends the thread and the connections."""
        self._positions.close()
        self._replicas.dispose()
        self.dispose()

    def _ask(self, statement: str, values: Values, fetch: Callable[[Any], T]) -> T:
        environ = CURRENT.get()
        if environ is None or environ["REQUEST_METHOD"] not in READING:
            return super()._ask(statement, values, fetch)
        try:
            self._prepare(environ)
            return self._replicas.ask(statement, values, fetch)
        except Behind:
            metrics.DATABASE_FAILURES.labels("replica_behind").inc()
        except TROUBLE as error:
            if not _served_elsewhere(error):
                raise
            metrics.DATABASE_FAILURES.labels("replica").inc()
        try:
            return super()._ask(statement, values, fetch)
        except TROUBLE as error:
            if not _served_elsewhere(error):
                raise
            # a leader that shuts down ends what was read from it, too; others still read
            return self._replicas.ask(statement, values, fetch)

    def _prepare(self, environ: dict[str, Any]) -> None:
        """Notes what the request must see; one look at the primary serves all its questions."""
        self._positions.start()
        if not self._own_writes or "HTTP_AUTHORIZATION" not in environ:
            return
        if READ_POSITION in environ or self._positions.primary_is_lost:
            return
        position = self._positions.take()
        if position is not None:
            environ[READ_POSITION] = position
        elif not self._positions.primary_is_lost:
            raise Behind

    def _open_apart(self) -> Any:
        made = self._connect()
        made.autocommit = True
        return made


def _served_elsewhere(error: Exception) -> bool:
    """Whether another server might answer what this one did not."""
    cause = trouble_of(getattr(error, "orig", error))
    return not isinstance(error, psycopg2.Error) or (
        cause is not None and cause not in NOT_ELSEWHERE
    )


def database_of(settings: Settings) -> Database:
    """The database that the settings name; one without replicas pays nothing for them."""
    if settings.read_database_url in ("", settings.database_url):
        return Database(settings)
    return Routed(settings)


def in_any_order(url: str) -> str:
    """The URL with its hosts shuffled: libpq takes the first that answers, and older ones cannot choose."""
    parts = extensions.parse_dsn(url)
    hosts = parts.get("host", "").split(",")
    if len(hosts) > 1 and "load_balance_hosts" not in parts:
        ports = parts.get("port", "5432").split(",")
        places = list(zip(hosts, ports if len(ports) > 1 else ports * len(hosts), strict=True))
        random.shuffle(places)
        parts["host"] = ",".join(host for host, _ in places)
        parts["port"] = ",".join(port for _, port in places)
    return str(extensions.make_dsn(**parts))
