"""The database: one pool a process, reads in autocommit, writes in transactions that are retried whole."""

from __future__ import annotations

import random
import select
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import psycopg2
from flask import Flask, current_app
from psycopg2 import errorcodes
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, InvalidatePoolError
from sqlalchemy.orm import Session

from geoshops.config import Settings

T = TypeVar("T")
Row = tuple[Any, ...]

ATTEMPTS = 3
RETRIED_WHOLE = (errorcodes.SERIALIZATION_FAILURE, errorcodes.DEADLOCK_DETECTED)
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
    """The pool and the two ways of using it: `row` and `rows` for one statement, `transaction` for writes."""

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
        self.writer: Engine = self.engine.execution_options(isolation_level="READ COMMITTED")

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

    def read(self, work: Callable[[Session], T]) -> T:
        """Runs `work` with a session in autocommit; for questions of one statement."""
        with Session(self.engine) as session:
            return work(session)

    def transaction(self, work: Callable[[Session], T]) -> T:
        """Runs `work` and commits; a deadlock, a serialization failure or a connection that was lost
        before the commit runs it again as a whole, at most three times."""
        for attempt in range(1, ATTEMPTS + 1):
            with Session(self.writer, expire_on_commit=False) as session:
                try:
                    result = work(session)
                except DBAPIError as error:
                    if attempt == ATTEMPTS or not _may_run_again(error):
                        raise
                    session.rollback()
                else:
                    session.commit()
                    return result
            time.sleep(random.uniform(0, 0.02 * attempt))
        raise AssertionError("the last attempt returns or raises")

    def _run(
        self,
        statement: str,
        values: Sequence[object] | Mapping[str, object],
        fetch: Callable[[Any], T],
        idempotent: bool,
    ) -> T:
        try:
            return self._run_once(statement, values, fetch)
        except psycopg2.Error as error:
            if not _may_run_again_alone(error, idempotent):
                raise
        return self._run_once(statement, values, fetch)

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


def _may_run_again(error: DBAPIError) -> bool:
    code = getattr(error.orig, "pgcode", None)
    return code in RETRIED_WHOLE or (error.connection_invalidated and code is None)


def _may_run_again_alone(error: psycopg2.Error, idempotent: bool) -> bool:
    if error.pgcode in (*RETRIED_WHOLE, errorcodes.ADMIN_SHUTDOWN):
        return True
    lost = isinstance(error, psycopg2.OperationalError | psycopg2.InterfaceError)
    return idempotent and lost and error.pgcode is None
