"""Connections of the pool: reused, replaced when the server has closed them, closed after dispose."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg2
import pytest
from psycopg2.errorcodes import LOCK_NOT_AVAILABLE

from geoshops.config import Settings
from geoshops.database import pool
from geoshops.database.circuit_breaker import PAUSE_S
from geoshops.database.pool import Database
from geoshops.errors import Unavailable
from tests.make import Maker

BACKEND = "SELECT pg_backend_pid()"
SLEEPING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"


@pytest.fixture
def database(service_url: str) -> Iterator[Database]:
    made = Database(Settings(database_url=service_url, testing=True))
    yield made
    made.dispose()


def backend_of(database: Database) -> int:
    (pid,) = database.row(BACKEND)
    return int(pid)


def test_successive_statements_use_one_connection(database: Database) -> None:
    kept = backend_of(database)
    assert [backend_of(database) for _ in range(5)] == [kept] * 5
    assert database.write(BACKEND) == (kept,)
    with ThreadPoolExecutor(1) as another:
        assert another.submit(backend_of, database).result() == kept


@pytest.mark.parametrize("verb", ["row", "write"])
def test_no_statement_waits_behind_a_slow_one(database: Database, make: Maker, verb: str) -> None:
    kept = backend_of(database)
    with ThreadPoolExecutor(1) as another:
        slow = another.submit(getattr(database, verb), "SELECT pg_backend_pid(), pg_sleep(1.5)")
        while not make.sql(SLEEPING):
            assert not slow.done()
        others = {backend_of(database) for _ in range(5)}
        assert not slow.done(), "the others return before it"
        assert kept not in others
        assert slow.result()[0] == kept
    assert backend_of(database) == kept


def test_a_worker_of_one_thread_has_one_connection(service_url: str) -> None:
    single = Database(
        Settings(database_url=service_url, testing=True, pool_size=1, pool_timeout_s=0.1)
    )
    assert single.write(BACKEND) == single.row(BACKEND)
    single.dispose()


@pytest.mark.parametrize("verb", ["row", "write"])
def test_an_idle_connection_that_the_server_closed_is_replaced(
    database: Database, make: Maker, verb: str
) -> None:
    kept = backend_of(database)
    make.sql("SELECT pg_terminate_backend(%s)", kept)
    while make.sql("SELECT count(*) FROM pg_stat_activity WHERE pid = %s", kept):
        time.sleep(0.01)
    (pid,) = getattr(database, verb)(BACKEND)
    assert pid != kept


def test_a_query_whose_connection_is_lost_is_repeated_on_another(
    database: Database, make: Maker
) -> None:
    kept = backend_of(database)
    assert database.row("SELECT pg_backend_pid(), pg_terminate_backend(%s)", (kept,))[0] != kept
    assert backend_of(database) != kept


def test_a_connection_that_is_lost_while_locks_are_read_is_replaced(
    database: Database, make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = backend_of(database)
    look = pool._a_table_is_locked

    def check_closed_connection(connection: Any) -> bool:
        make.sql("SELECT pg_terminate_backend(%s)", kept)
        return look(connection)

    monkeypatch.setattr(pool, "_a_table_is_locked", check_closed_connection)
    with pytest.raises(psycopg2.errors.LockNotAvailable):
        database.row(
            f"DO $$ BEGIN RAISE EXCEPTION '' USING ERRCODE = '{LOCK_NOT_AVAILABLE}'; END $$"
        )
    assert backend_of(database) != kept


def test_a_failed_statement_returns_its_connection(database: Database) -> None:
    kept = backend_of(database)
    with pytest.raises(psycopg2.errors.DivisionByZero):
        database.row("SELECT 1 / 0")
    assert backend_of(database) == kept


def test_the_pool_recovers_from_failed_connection_attempts(
    database: Database, make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rejected(*_: object) -> Any:
        raise psycopg2.OperationalError

    kept = backend_of(database)
    with monkeypatch.context() as patched:
        patched.setattr(database, "_connect", rejected)
        make.sql("SELECT pg_terminate_backend(%s)", kept)
        for _ in range(3):
            with pytest.raises((psycopg2.OperationalError, Unavailable)):
                database.row(BACKEND)
    time.sleep(PAUSE_S)
    assert backend_of(database) != kept


def test_dispose_closes_idle_connections(database: Database, make: Maker) -> None:
    kept = backend_of(database)
    database.dispose()
    assert backend_of(database) != kept


def test_dispose_closes_a_connection_in_use_after_its_statement(
    database: Database, make: Maker
) -> None:
    kept, requested = backend_of(database), threading.Event()

    def slow() -> None:
        database.row("SELECT pg_sleep(0.5)")
        requested.set()

    with ThreadPoolExecutor(1) as another:
        another.submit(slow)
        while not make.sql(SLEEPING):
            assert not requested.is_set()
        database.dispose()
        assert requested.wait(30)
    assert backend_of(database) != kept
