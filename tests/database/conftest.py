"""A cluster of this folder's own, the service as shipped on it, and clients that look at the clock."""

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
# A connection attempt that hangs, or a wait for a lock behind a wait for a connection: 1.25 s, and as much on a slow machine.
CLEAR_WITHIN_S = 2.5


@dataclass(frozen=True)
class Answer:
    """What came of a request, and when."""

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
        """Builders of rows."""
        connection = connect(self.url)
        yield Maker(connection)
        connection.close()

    def other(self) -> dict[str, str]:
        """Headers of a new member."""
        with self.rows() as make:
            return make.bearer(self.app)

    def call(self, method: str, path: str, **more: Any) -> Answer:
        """One request on a connection of its own; it must be answered, whatever the database does."""
        started = time.monotonic()
        response = requests.request(method, self.origin + path, timeout=20, **more)
        return Answer(response.status_code, response, time.monotonic() - started)

    def read(self) -> Answer:
        """A question: the detail of the shop."""
        return self.call("GET", f"/shops/{self.shop}?userLat=37.5&userLng=127.0")

    def reviews(self) -> Answer:
        """Another question, of another table."""
        return self.call("GET", f"/reviews/shop/{self.shop}")

    def brands(self) -> Answer:
        """A question that needs neither shops nor reviews."""
        return self.call("GET", "/brands")

    def write(self) -> Answer:
        """An act: a review."""
        body = {"star_rating": 5, "content": "밝아요"}
        path = f"/reviews/shop/{self.shop}"
        return self.call("POST", path, json=body, headers=self.headers)

    def at_once(self, call: Any, times: int) -> list[Answer]:
        """The call by so many clients at the same time."""
        with ThreadPoolExecutor(times) as pool:
            return list(pool.map(lambda _: call(), range(times)))

    def seconds_until(self, call: Any, status: int, at_most_s: float = 15) -> float:
        """How long it takes until a call is answered so."""
        started = time.monotonic()
        while call().status != status:
            assert time.monotonic() < started + at_most_s, f"no {status} within {at_most_s} s"
            time.sleep(0.02)
        return time.monotonic() - started

    def seconds_until_all(self, call: Any, status: int, at_most_s: float = 15) -> float:
        """How long it takes until as many calls as reach every worker are answered so.

        Each worker finds out for itself that the database is back."""
        started = time.monotonic()
        while {answer.status for answer in self.at_once(call, 16)} != {status}:
            assert time.monotonic() < started + at_most_s, f"no {status} within {at_most_s} s"
        return time.monotonic() - started


def assert_clear_refusal(answer: Answer, within_s: float = CLEAR_WITHIN_S) -> None:
    """503 in the contract's form, with Retry-After, soon."""
    assert answer.status == 503, answer.response.text
    assert answer.response.headers["Retry-After"].isdigit()
    body = answer.response.json()
    assert body["error_code"] == "503"
    assert set(body) == {"error_code", "error_message"}
    assert answer.seconds < within_s


def with_schema(cluster: Cluster) -> None:
    """Gives the cluster the service's database, as scripts/setup does."""
    execute(cluster.url, MAKE_ROLES, f"CREATE DATABASE {NAME}")
    migrations.upgrade(cluster.database(NAME), lambda _: None)


@contextmanager
def made_cluster() -> Iterator[Cluster]:
    """A cluster with the schema, gone afterwards."""
    made = throwaway()
    try:
        with_schema(made)
        yield made
    finally:
        remove(made)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A cluster with the schema; what a test breaks it must mend."""
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
    """The service's own way to its database."""
    url = as_role(cluster.database(NAME), "geoshops_app")
    made = Database(Settings(database_url=url, testing=True))
    yield made
    made.dispose()
