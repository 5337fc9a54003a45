"""The database: one connection pool per process; each query and each write is one autocommitted statement."""

from __future__ import annotations

import random
import select
import time
import weakref
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, TypeVar, cast

import psycopg2
from flask import Flask, current_app
from psycopg2 import errorcodes
from psycopg2.extensions import BYTES
from sqlalchemy import create_engine, event
from sqlalchemy.exc import InvalidatePoolError

from geoshops.config import Settings
from geoshops.database.circuit_breaker import WATCHDOG, CircuitBreaker, LockedTables
from geoshops.database.statements import Statement, Values, with_values
from geoshops.errors import Unavailable

T = TypeVar("T")
Row = tuple[Any, ...]

ATTEMPTS = 3
RETRIED_CODES = (
    errorcodes.SERIALIZATION_FAILURE,
    errorcodes.DEADLOCK_DETECTED,
    # "cache lookup failed", "function with OID … does not exist": an upgrade replaced a function that the statement
    # had begun to use
    errorcodes.INTERNAL_ERROR,
    errorcodes.UNDEFINED_FUNCTION,
)
# No column has this type. Response bodies are selected as varchar, so that they arrive as the bytes to send.
VARCHAR = 1043
READ_ONLY = errorcodes.READ_ONLY_SQL_TRANSACTION
# a statement that ran longer than this before its connection was lost is not retried
RETRIED_WITHIN_S = 0.5
KNOWN_READ_ONLY_S = 1.0
# The role's statement_timeout applies to queries. Sent in one message with the write, this setting belongs to the
# write's transaction and ends with it.
WRITE_LIMIT = "SET LOCAL statement_timeout = '5s'; "
# While a table is locked, statements after the first one that timed out wait for a shorter time.
SHORT_LOCK_LIMIT = "SET LOCAL lock_timeout = '200ms'; "
# the watchdog's limits, longer than those that the server enforces
QUERY_WITHIN_S, WRITE_WITHIN_S = 3.0, 6.0
KEEPALIVES: dict[str, Any] = {
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 5000,
}
# The locktype excludes "tuple" locks, which also name the table but are held by the first waiter for a row.
TABLE_IS_LOCKED = """
SELECT EXISTS (
  SELECT FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
  WHERE l.granted AND l.locktype = 'relation'
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
    AND l.mode IN ('AccessExclusiveLock', 'ExclusiveLock', 'ShareRowExclusiveLock', 'ShareLock'))"""


def libpq_url(url: str) -> str:
    """The URL with the scheme that psql, GDAL and QGIS accept."""
    _, separator, rest = url.partition("://")
    return f"postgresql{separator}{rest}"


class RunOptions(NamedTuple):
    """A statement's time limit and whether it may run twice."""

    within_s: float
    idempotent: bool


class Database:
    """A pool whose statements are retried after a deadlock or a serialization failure."""

    # last in, first out: the backend that ran the last query has its plans and catalogue entries in its cache
    _reuses_last: ClassVar[bool] = True

    def __init__(self, settings: Settings, *, limited: bool = True) -> None:
        self._url = libpq_url(settings.database_url)
        self._connect_timeout_s = settings.connect_timeout_s
        self._write_limit = WRITE_LIMIT if limited else ""
        no_limit = float("inf")
        self._query_options = RunOptions(QUERY_WITHIN_S if limited else no_limit, True)
        self._write_options = RunOptions(WRITE_WITHIN_S if limited else no_limit, False)
        self._breaker, self._locked = CircuitBreaker(), LockedTables()
        self._read_only_until = 0.0
        # a weak reference: SQLAlchemy keeps the pool of a connection in use, and with it would keep this object
        this = weakref.ref(self)
        self.engine = create_engine(
            "postgresql+psycopg2://",
            creator=lambda: cast(Database, this())._connect_through_breaker(),
            isolation_level="AUTOCOMMIT",
            use_native_hstore=False,
            pool_size=settings.pool_size,
            max_overflow=0,
            pool_timeout=settings.pool_timeout_s,
            pool_recycle=300,
            pool_use_lifo=self._reuses_last,
            # no transaction is open after an autocommitted statement
            pool_reset_on_return=None,
        )
        event.listen(self.engine, "checkout", _reject_ended)

    def row(self, statement: Statement | str, values: Values = ()) -> Row:
        """The first row of one autocommitted query, which is retried when its connection is lost.

        Raises LookupError when the query returns no row. It runs on the driver's own cursor
        (docs/performance.md)."""
        return self._query(*with_values(statement, values), _first_row)

    def first(self, statement: Statement | str, values: Values = ()) -> Row | None:
        """Like row, but None when the query returns no row."""
        rows = self.rows(statement, values)
        return rows[0] if rows else None

    def rows(self, statement: Statement | str, values: Values = ()) -> list[Row]:
        """All rows of one autocommitted query."""
        return self._query(*with_values(statement, values), _all_rows)

    def row_of_primary(self, statement: Statement | str) -> Row:
        """Like row, but always from the primary."""
        return self._run(*with_values(statement, ()), _first_row, self._query_options)

    @property
    def primary_is_lost(self) -> bool:
        """Whether the service is read-only because the primary is unreachable; False without replicas."""
        return False

    def write(
        self, statement: Statement | str, values: Values = (), *, idempotent: bool = False
    ) -> Row:
        """The first row of one writing statement, which is its own transaction.

        A statement that is not idempotent is not retried when its connection is lost, because its outcome is
        unknown."""
        return self._write(statement, values, _first_row, idempotent)

    def write_rows(
        self, statement: Statement | str, values: Values = (), *, idempotent: bool = False
    ) -> list[Row]:
        """All rows of one writing statement."""
        return self._write(statement, values, _all_rows, idempotent)

    def dispose(self) -> None:
        """Closes idle connections; those in use are closed when they return to the pool."""
        self.engine.dispose()

    def _write(
        self,
        statement: Statement | str,
        values: Values,
        fetch: Callable[[Any], T],
        idempotent: bool,
    ) -> T:
        text, bound = with_values(statement, values)
        options = self._write_options._replace(idempotent=idempotent)
        return self._run(self._write_limit + text, bound, fetch, options)

    def _query(self, statement: str, values: Values, fetch: Callable[[Any], T]) -> T:
        return self._run(statement, values, fetch, self._query_options)

    def _run(
        self,
        statement: str,
        values: Values,
        fetch: Callable[[Any], T],
        options: RunOptions,
    ) -> T:
        if self._locked.until:
            self._locked.admit(statement)
        started = time.monotonic()
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._run_once(statement, values, fetch, options)
            except psycopg2.Error as error:
                late = time.monotonic() - started > RETRIED_WITHIN_S
                if attempt >= self._attempts(error, options.idempotent, late):
                    self._remember(error, statement)
                    raise
            time.sleep(random.uniform(0, 0.02 * attempt))
        raise AssertionError("the last attempt returns or raises")

    def _run_once(
        self, statement: str, values: Values, fetch: Callable[[Any], T], options: RunOptions
    ) -> T:
        connection: Any = self.engine.raw_connection()
        driven = connection.dbapi_connection
        try:
            WATCHDOG.begin(driven, options.within_s)
            with driven.cursor() as cursor:
                limit = SHORT_LOCK_LIMIT if self._locked.held else ""
                cursor.execute(limit + statement, values)
                result = fetch(cursor)
        except psycopg2.Error as error:
            stale = error.pgcode == READ_ONLY and not self._is_known_read_only()
            if driven.closed or stale:
                # The idle connections are probably lost too; the next attempt opens a new one.
                connection.invalidate()
                self.dispose()
            elif error.pgcode == errorcodes.LOCK_NOT_AVAILABLE:
                is_locked = _a_table_is_locked(driven)
                (self._locked.failed if is_locked else self._locked.succeeded)(statement)
            raise
        finally:
            WATCHDOG.end(driven)
            connection.close()
        if self._locked.until:
            self._locked.succeeded(statement)
        return result

    def _attempts(self, error: psycopg2.Error, idempotent: bool, late: bool) -> int:
        if error.pgcode in RETRIED_CODES:
            return ATTEMPTS
        if error.pgcode == READ_ONLY:
            # The server may have been demoted; a new connection may reach the new primary.
            return 1 if self._is_known_read_only() else 2
        lost = isinstance(error, psycopg2.OperationalError | psycopg2.InterfaceError)
        ended = error.pgcode in (None, errorcodes.ADMIN_SHUTDOWN)
        return 2 if idempotent and lost and ended and not late else 1

    def _remember(self, error: psycopg2.Error, statement: str) -> None:
        if error.pgcode == READ_ONLY and not self._is_known_read_only():
            self._read_only_until = time.monotonic() + KNOWN_READ_ONLY_S
        if error.pgcode != errorcodes.LOCK_NOT_AVAILABLE:
            self._locked.succeeded(statement)

    def _is_known_read_only(self) -> bool:
        return time.monotonic() < self._read_only_until

    def _connect_through_breaker(self) -> Any:
        return self._breaker.connect(self._connect)

    def _connect(self) -> Any:
        return self._open(self._url)

    def _open(self, url: str, **more: Any) -> Any:
        WATCHDOG.start()
        connection: Any = psycopg2.connect(
            url,
            application_name="geoshops",
            connect_timeout=self._connect_timeout_s,
            **KEEPALIVES,
            **more,
        )
        connection.string_types[VARCHAR] = BYTES
        return connection


def init_app(app: Flask, database: Database) -> None:
    """Attaches the database to the application."""
    app.extensions["geoshops.database.pool"] = database


def database() -> Database:
    """The database of the current application."""
    return cast(Database, current_app.extensions["geoshops.database.pool"])


def _reject_ended(connection: Any, *_: object) -> None:
    """Makes the pool replace this and all idle connections when the server has closed it."""
    if _has_ended(connection):
        raise InvalidatePoolError


def _has_ended(connection: Any) -> bool:
    """Whether an idle connection was closed by the server: its socket is readable though no query is pending.

    Unlike SQLAlchemy's pre-ping this needs no round trip."""
    if connection is None or connection.closed:
        return True
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN | select.POLLHUP)
    return bool(poll.poll(0))


def _a_table_is_locked(connection: Any) -> bool:
    """Whether any table is locked, and not only a row, which would block few statements.

    Uses the connection that timed out: waiting for another one would delay the response."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(TABLE_IS_LOCKED)
            return bool(_first_row(cursor)[0])
    except (psycopg2.Error, Unavailable):
        return False


def _first_row(cursor: Any) -> Row:
    row = cursor.fetchone()
    if row is None:
        raise LookupError("the statement returned no row")
    return cast(Row, row)


def _all_rows(cursor: Any) -> list[Row]:
    return cast(list[Row], cursor.fetchall())
