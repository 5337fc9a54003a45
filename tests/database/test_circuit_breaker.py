"""The circuit breaker: which callers connect while it is open, which wait for the probe, and when it closes."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg2
import pytest

from geoshops.database import circuit_breaker
from geoshops.database.circuit_breaker import PAUSE_S, WATCHDOG, CircuitBreaker
from geoshops.errors import Unavailable


@pytest.fixture
def silent_url() -> Iterator[str]:
    """A listener that accepts connections but never responds."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(50)
        yield f"postgresql://nobody@127.0.0.1:{listener.getsockname()[1]}/x?connect_timeout=1"


def test_one_request_probes_a_silent_server_and_the_others_are_rejected(silent_url: str) -> None:
    breaker, attempts = CircuitBreaker(), []

    def attempt() -> object:
        attempts.append(time.monotonic())
        return psycopg2.connect(silent_url)

    with pytest.raises(psycopg2.OperationalError, match="timeout"):
        breaker.connect(attempt)

    def rejected_after_s(_: int) -> float:
        started = time.monotonic()
        with pytest.raises((Unavailable, psycopg2.OperationalError)):
            breaker.connect(attempt)
        return time.monotonic() - started

    assert rejected_after_s(0) < 0.5, "the last attempt failed a moment ago"
    time.sleep(PAUSE_S)
    with ThreadPoolExecutor(20) as pool:
        waited_s = sorted(pool.map(rejected_after_s, range(20)))
    assert len(attempts) == 2, "one of twenty has probed"
    assert waited_s[-1] > 0.9, "it took the whole time"
    # the median, because a busy machine may wake a thread late
    assert waited_s[10] < 0.9, "the others did not"


def test_callers_that_wait_for_a_successful_probe_are_let_through(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # callers wait this long for the probe, whose connection takes longer on a busy machine
    monkeypatch.setattr(circuit_breaker, "PAUSE_S", 2.0)
    breaker = CircuitBreaker()
    with pytest.raises(psycopg2.OperationalError):
        breaker.connect(lambda: psycopg2.connect("postgresql://nobody@127.0.0.1:1/x"))
    time.sleep(2.0)
    with ThreadPoolExecutor(20) as pool:
        made = list(
            pool.map(lambda _: breaker.connect(lambda: psycopg2.connect(database_url)), range(20))
        )
    assert len(made) == 20
    for connection in made:
        connection.close()


def test_a_query_past_its_deadline_is_cancelled(database_url: str) -> None:
    connection = psycopg2.connect(database_url)
    WATCHDOG.start()
    WATCHDOG.begin(connection, 0.5)
    started = time.monotonic()
    with pytest.raises(psycopg2.OperationalError):
        connection.cursor().execute("SELECT pg_sleep(20)")
    assert 0.5 <= time.monotonic() - started < 10
    assert connection.closed


def test_a_query_within_its_deadline_is_not_cancelled(database_url: str) -> None:
    connection = psycopg2.connect(database_url)
    WATCHDOG.start()
    WATCHDOG.begin(connection, 1)
    connection.cursor().execute("SELECT 1")
    WATCHDOG.end(connection)
    time.sleep(1.5)
    connection.cursor().execute("SELECT 1")
    connection.close()
    watching = [thread.name for thread in threading.enumerate()].count("watch")
    assert watching == 1, "one for the process"
