"""The database: one pool a process, every question and every act one autocommitted statement."""

from __future__ import annotations

import random
import select
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import psycopg2
from flask import Flask, current_app
from psycopg2 import errorcodes
from sqlalchemy import create_engine, event
from sqlalchemy.exc import InvalidatePoolError

from geoshops.config import Settings

T = TypeVar("T")
Row = tuple[Any, ...]

ATTEMPTS = 3
RETRIED_WHOLE = (
    errorcodes.SERIALIZATION_FAILURE,
    errorcodes.DEADLOCK_DETECTED,
    # "cache lookup failed": an upgrade replaced a function that the statement had begun to use
    errorcodes.INTERNAL_ERROR,
)
KEEPALIVES = {
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 5000,
}


def driver_url(url: str) -> str:
    """The URL with SQLAlchemy's driver named; its default for postgresql:// is another one."""
    _, separator, rest = url.partition("://")
    return f"postgresql+psycopg2{separator}{rest}"


def libpq_url(url: str) -> str:
    """The URL as psql, GDAL and QGIS read it."""
    _, separator, rest = url.partition("://")
    return f"postgresql{separator}{rest}"


class Database:
    """The pool, and statements that run again as a whole after a deadlock or a serialization failure."""

    def __init__(self, settings: Settings) -> None:
        self.engine = create_engine(
            driver_url(settings.database_url),
            isolation_level="AUTOCOMMIT",
            pool_size=settings.pool_size,
            max_overflow=0,
            pool_timeout=settings.pool_timeout_s,
            pool_recycle=300,
            connect_args={
                "application_name": "geoshops",
                "connect_timeout": settings.connect_timeout_s,
                **KEEPALIVES,
            },
        )
        event.listen(self.engine, "checkout", _refuse_ended)

    def row(
        self,
        statement: str,
        values: Sequence[object] | Mapping[str, object] = (),
        *,
        idempotent: bool = True,
    ) -> Row:
        """The first row of one autocommitted statement, by the driver's own cursor: a quarter of a
        radius request goes into SQLAlchemy's execution otherwise (2,718 against 3,583 requests/s).
        A statement that returns no row is a programming error. One that is not idempotent is not
        repeated when its connection is lost, because its outcome is unknown then."""
        return self._run(statement, values, _first_row, idempotent)

    def rows(
        self, statement: str, values: Sequence[object] | Mapping[str, object] = ()
    ) -> list[Row]:
        """All rows of one autocommitted statement."""
        return self._run(statement, values, _all_rows, True)

    def _run(
        self,
        statement: str,
        values: Sequence[object] | Mapping[str, object],
        fetch: Callable[[Any], T],
        idempotent: bool,
    ) -> T:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._run_once(statement, values, fetch)
            except psycopg2.Error as error:
                if attempt >= _attempts(error, idempotent):
                    raise
            time.sleep(random.uniform(0, 0.02 * attempt))
        raise AssertionError("the last attempt returns or raises")

    def _run_once(
        self,
        statement: str,
        values: Sequence[object] | Mapping[str, object],
        fetch: Callable[[Any], T],
    ) -> T:
        connection = self.engine.raw_connection()
        try:
            with cast(Any, connection).cursor() as cursor:
                cursor.execute(statement, values)
                return fetch(cursor)
        except psycopg2.Error:
            if cast(Any, connection.dbapi_connection).closed:
                connection.invalidate()
                self.engine.dispose()
            raise
        finally:
            connection.close()


def init_app(app: Flask, settings: Settings) -> None:
    """Gives the application its database."""
    app.extensions["geoshops.db"] = Database(settings)


def database() -> Database:
    """The database of the current application."""
    return cast(Database, current_app.extensions["geoshops.db"])


def _refuse_ended(connection: Any, *_: object) -> None:
    """A connection at rest with something to read was ended by the server: the pool makes new ones.

    Looking costs 2 us, asking the server (pre-ping) a round trip."""
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN | select.POLLHUP)
    if poll.poll(0):
        raise InvalidatePoolError


def _first_row(cursor: Any) -> Row:
    row = cursor.fetchone()
    if row is None:
        raise LookupError("the statement returned no row")
    return cast(Row, row)


def _all_rows(cursor: Any) -> list[Row]:
    return cast(list[Row], cursor.fetchall())


def _attempts(error: psycopg2.Error, idempotent: bool) -> int:
    if error.pgcode in RETRIED_WHOLE:
        return ATTEMPTS
    lost = isinstance(error, psycopg2.OperationalError | psycopg2.InterfaceError)
    ended = error.pgcode in (None, errorcodes.ADMIN_SHUTDOWN)
    return 2 if idempotent and lost and ended else 1
