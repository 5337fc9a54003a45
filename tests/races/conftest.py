"""Fixtures for race tests: a server with two worker processes, and clients that send requests at the same moment."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from flask import Flask

from tests.conftest import SECRET_KEY
from tests.make import Maker
from tests.server import serving

THREADS = 32
Headers = dict[str, str]
Call = Callable[[requests.Session], requests.Response]


class Crowd:
    """32 clients, each with its own connection, that send their requests at the same moment."""

    def __init__(self, origin: str, app: Flask, make: Maker) -> None:
        self.origin, self.app, self.make = origin, app, make
        self.sessions = [requests.Session() for _ in range(THREADS)]

    def members(self, number: int = THREADS) -> list[tuple[int, Headers]]:
        """Creates members; returns the identifier and the headers of each."""
        ids = [self.make.member() for _ in range(number)]
        return [(member, self.make.bearer(self.app, member)) for member in ids]

    def at_once(self, calls: Sequence[Call]) -> list[requests.Response]:
        """Runs each call in its own thread, all started together; returns the results in order."""
        barrier = threading.Barrier(len(calls))

        def run(place: int) -> requests.Response:
            barrier.wait()
            return calls[place](self.sessions[place])

        with ThreadPoolExecutor(len(calls)) as pool:
            return list(pool.map(run, range(len(calls))))

    def call(self, method: str, path: str, headers: Headers, body: object = None) -> Call:
        """Returns a call that sends this request over the session of a client."""
        return lambda session: session.request(
            method, self.origin + path, headers=headers, json=body, timeout=60
        )


@pytest.fixture(scope="session")
def origin(service_url: str) -> Iterator[str]:
    """Origin of the running server."""
    with serving(service_url, SECRET_KEY) as address:
        yield address


@pytest.fixture(scope="session")
def limited_origin(service_url: str) -> Iterator[str]:
    """Origin of a server that accepts two reviews of a shop by one member."""
    with serving(service_url, SECRET_KEY, GEOSHOPS_REVIEWS_PER_SHOP="2") as address:
        yield address


@pytest.fixture
def crowd(origin: str, app: Flask, make: Maker) -> Iterator[Crowd]:
    """The clients, on an empty database; fails if a deadlock has occurred."""
    before = deadlocks(make)
    clients = Crowd(origin, app, make)
    yield clients
    for session in clients.sessions:
        session.close()
    assert deadlocks(make) == before


def deadlocks(make: Maker) -> int:
    """Number of deadlocks in this database."""
    make.sql("SELECT pg_stat_force_next_flush()")
    return int(
        make.sql("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
    )
