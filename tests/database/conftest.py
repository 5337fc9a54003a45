"""A separate cluster for these tests, the service as shipped, and clients that measure response times."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
import requests

from geoshops import create_app
from geoshops.config import Settings
from geoshops.database import migrations
from geoshops.database.pool import Database
from tests.conftest import MAKE_ROLES, SECRET_KEY, as_role, execute
from tests.database.clusters import Cluster, connect, remove, throwaway
from tests.make import Maker
from tests.server import serving

NAME = "geoshops"
# A hanging connection attempt, or a lock wait after a wait for a connection: 1.25 s, doubled for slow machines.
CLEAR_WITHIN_S = 2.5


@dataclass(frozen=True)
class TimedResponse:
    """A response and its response time."""

    status: int
    response: requests.Response
    seconds: float


class Service:
    """The running service, a shop and a signed-in member of it."""

    def __init__(self, origin: str, cluster: Cluster) -> None:
        self.origin, self.cluster = origin, cluster
        self.url = cluster.database(NAME)
        self.app = create_app({"database_url": self.url, "secret_key": SECRET_KEY, "testing": True})
        with self.rows() as make:
            self.shop, self.member = make.shop(), make.member()
            self.headers = make.bearer(self.app, self.member)

    @contextmanager
    def rows(self) -> Iterator[Maker]:
        """Yields a builder of rows."""
        connection = connect(self.url)
        yield Maker(connection)
        connection.close()

    def other(self) -> dict[str, str]:
        """Headers of a new member."""
        with self.rows() as make:
            return make.bearer(self.app)

    def call(self, method: str, path: str, **more: Any) -> TimedResponse:
        """Sends a request on a new connection; a response must arrive, whatever the state of the database."""
        started = time.monotonic()
        response = requests.request(method, self.origin + path, timeout=20, **more)
        return TimedResponse(response.status_code, response, time.monotonic() - started)

    def read(self) -> TimedResponse:
        """A query: the details of the shop."""
        return self.call("GET", f"/shops/{self.shop}?userLat=37.5&userLng=127.0")

    def reviews(self) -> TimedResponse:
        """A query of another table."""
        return self.call("GET", f"/reviews/shop/{self.shop}")

    def brands(self) -> TimedResponse:
        """A query that needs neither shops nor reviews."""
        return self.call("GET", "/brands")

    def write(self) -> TimedResponse:
        """A command: writes a review."""
        body = {"star_rating": 5, "content": "밝아요"}
        path = f"/reviews/shop/{self.shop}"
        return self.call("POST", path, json=body, headers=self.headers)

    def at_once(self, call: Any, times: int) -> list[TimedResponse]:
        """Runs the call in that many concurrent clients."""
        with ThreadPoolExecutor(times) as pool:
            return list(pool.map(lambda _: call(), range(times)))

    def seconds_until(self, call: Any, status: int, at_most_s: float = 15) -> float:
        """Seconds until a call returns this status."""
        started = time.monotonic()
        while call().status != status:
            assert time.monotonic() < started + at_most_s, f"no {status} within {at_most_s} s"
            time.sleep(0.02)
        return time.monotonic() - started

    def seconds_until_all(self, call: Any, status: int, at_most_s: float = 15) -> float:
        """Seconds until 16 concurrent calls, which reach every worker, return this status.

        Each worker detects separately that the database is available again."""
        started = time.monotonic()
        while {result.status for result in self.at_once(call, 16)} != {status}:
            assert time.monotonic() < started + at_most_s, f"no {status} within {at_most_s} s"
        return time.monotonic() - started


def assert_clear_rejection(result: TimedResponse, within_s: float = CLEAR_WITHIN_S) -> None:
    """Asserts a fast 503 in the contract's form with Retry-After."""
    assert result.status == 503, result.response.text
    assert result.response.headers["Retry-After"].isdigit()
    body = result.response.json()
    assert body["error_code"] == "503"
    assert set(body) == {"error_code", "error_message"}
    assert result.seconds < within_s


def with_schema(cluster: Cluster) -> None:
    """Creates the service's database in the cluster, as scripts/setup does."""
    execute(cluster.url, MAKE_ROLES, f"CREATE DATABASE {NAME}")
    migrations.upgrade(cluster.database(NAME), lambda _: None)


@contextmanager
def made_cluster() -> Iterator[Cluster]:
    """A cluster with the schema, which is removed afterwards."""
    made = throwaway()
    try:
        with_schema(made)
        yield made
    finally:
        remove(made)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A shared cluster with the schema; a test must repair what it breaks."""
    with made_cluster() as made:
        yield made


@pytest.fixture(scope="session")
def service(cluster: Cluster) -> Iterator[Service]:
    """The service with its own limits, as production has them."""
    url = as_role(cluster.database(NAME), "geoshops_app")
    with serving(url, SECRET_KEY, GEOSHOPS_POOL_TIMEOUT_S="0.3") as origin:
        yield Service(origin, cluster)


@pytest.fixture
def admin(service: Service) -> Iterator[Any]:
    """A superuser's connection to the service's database."""
    connection = connect(service.url)
    yield connection
    connection.close()


@pytest.fixture
def limited(cluster: Cluster, service: Service) -> Iterator[Database]:
    """The database object of the service."""
    url = as_role(cluster.database(NAME), "geoshops_app")
    made = Database(Settings(database_url=url, testing=True))
    yield made
    made.dispose()
