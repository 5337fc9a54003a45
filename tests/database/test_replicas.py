"""A real streaming replica: routing of queries, visibility of writes, and the effects of losing a server."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from flask import Flask
from werkzeug.test import EnvironBuilder

from geoshops import create_app
from geoshops.database.pool import database
from geoshops.database.replicas import with_shuffled_hosts
from geoshops.database.wal_positions import STALE_S, PrimaryConnection, WalPositions
from geoshops.request_context import CURRENT
from tests.conftest import SECRET_KEY, as_role, execute
from tests.database.clusters import Cluster, connect, remove
from tests.database.conftest import (
    NAME,
    Service,
    TimedResponse,
    assert_clear_rejection,
    made_cluster,
)
from tests.server import serving, wait_until


def app_url(*clusters: Cluster, options: str = "") -> str:
    """URL of the service's role on the first of these clusters that responds."""
    hosts = ",".join(f"127.0.0.1:{cluster.port}" for cluster in clusters)
    alone = as_role(clusters[0].database(NAME), "geoshops_app")
    return alone.replace(f"127.0.0.1:{clusters[0].port}", hosts) + options


class Pair(Service):
    """The service on a primary and a standby."""

    def __init__(self, origin: str, primary: Cluster, standby: Cluster) -> None:
        super().__init__(origin, primary)
        self.standby = standby
        self.await_replay()

    def await_replay(self) -> None:
        """Waits until the standby has replayed everything."""
        primary, standby = connect(self.url), connect(self.standby.database(NAME))
        cursor = primary.cursor()
        cursor.execute("SELECT pg_current_wal_lsn()")
        (wanted,) = cursor.fetchone()
        cursor = standby.cursor()
        for _ in range(500):
            cursor.execute("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", (wanted,))
            if cursor.fetchone()[0]:
                break
            time.sleep(0.02)
        else:
            raise AssertionError("the standby does not follow")
        primary.close()
        standby.close()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Pauses replication to the standby."""
        execute(self.standby.database(NAME), "SELECT pg_wal_replay_pause()")
        try:
            yield
        finally:
            execute(self.standby.database(NAME), "SELECT pg_wal_replay_resume()")
            self.await_replay()

    def rename(self, name: str) -> None:
        """Renames the brand, as an operator would."""
        execute(self.url, f"UPDATE brands SET name = '{name}'")

    def brand_name(self, **more: Any) -> str:
        """The brand's name in an anonymous query."""
        return str(self.call("GET", "/brands", **more).response.json()[0]["brand_name"])

    def queries_the_replica(self) -> bool:
        """Whether an anonymous query does not see a change made immediately before."""
        self.rename("before")
        self.await_replay()
        with self.paused():
            self.rename("after")
            return "before" in self.at_once(self.brand_name, 8)


@pytest.fixture(scope="module")
def primary() -> Iterator[Cluster]:
    with made_cluster() as made:
        yield made


@pytest.fixture(scope="module")
def standby(primary: Cluster) -> Iterator[Cluster]:
    # next to the primary, because the user postgres cannot enter pytest's folders
    made = primary.standby(Path(f"{primary.folder}-standby"))
    (made.folder / "throwaway").touch()
    try:
        yield made
    finally:
        remove(made)


@pytest.fixture(scope="module")
def pair(primary: Cluster, standby: Cluster) -> Iterator[Pair]:
    writer = app_url(primary, standby, options="?target_session_attrs=read-write")
    with serving(
        writer, SECRET_KEY, GEOSHOPS_POOL_TIMEOUT_S="0.3", READ_DATABASE_URL=app_url(standby)
    ) as origin:
        yield Pair(origin, primary, standby)


def test_the_replica_serves_anonymous_reads_until_it_is_stale(pair: Pair) -> None:
    # workers use it only after they have sampled the primary's position in the background
    wait_until(pair.queries_the_replica)
    pair.rename("before")
    pair.await_replay()
    with pair.paused():
        pair.rename("after")
        written = time.monotonic()
        while (sent_after := time.monotonic()) < written + STALE_S + 1:
            names = set(pair.at_once(pair.brand_name, 4))
            assert sent_after < written + STALE_S or names == {"after"}
            time.sleep(0.02)
        assert set(pair.at_once(pair.brand_name, 16)) == {"after"}
    assert pair.brand_name() == "after"


def test_members_read_their_own_writes_on_every_worker(pair: Pair) -> None:
    with pair.paused():
        for number in range(10):
            made = pair.write()
            assert made.status == 201
            review = made.response.json()["review_info"]["id"]
            for result in pair.at_once(lambda: own_reviews(pair), 8):
                ids = [item["review_info"]["id"] for item in result.response.json()]
                assert review in ids, f"write {number} is not seen"


def own_reviews(pair: Pair) -> TimedResponse:
    return pair.call("GET", "/reviews/member", headers=pair.headers)


def test_an_ended_session_is_rejected_by_every_worker_at_once(pair: Pair) -> None:
    headers = pair.other()
    pair.await_replay()
    assert pair.call("GET", "/member/info", headers=headers).status == 200
    with pair.paused():
        assert pair.call("GET", "/auth/logout", headers=headers).status < 300
        results = pair.at_once(lambda: pair.call("GET", "/member/info", headers=headers), 16)
        assert {result.status for result in results} == {401}


def app_on(primary: Cluster, standby: Cluster, **more: Any) -> Flask:
    """The application in this process, with its queries routed to the standby."""
    return create_app(
        {
            "database_url": primary.database(NAME),
            "read_database_url": standby.database(NAME),
            "secret_key": SECRET_KEY,
            "testing": True,
            **more,
        }
    )


@contextmanager
def request_of(app: Flask, **more: Any) -> Iterator[None]:
    """Runs the block within a request."""
    current = CURRENT.set(EnvironBuilder("/", **more).get_environ())
    with app.app_context():
        yield
    CURRENT.reset(current)


def test_reads_that_write_are_repeated_on_the_primary(primary: Cluster, standby: Cluster) -> None:
    app = app_on(primary, standby)
    with request_of(app):
        assert database().row("SELECT pg_is_in_recovery()") == (True,)
        (number,) = database().row("SELECT nextval('shops_id_seq')")
        assert number > 0
        assert database().row_of_primary("SELECT pg_is_in_recovery()") == (False,)
        assert database().write("SELECT pg_is_in_recovery()") == (False,)
    with request_of(app, method="POST"):
        assert database().row("SELECT pg_is_in_recovery()") == (False,)
    database_of_app: Any = app.extensions["geoshops.database.pool"]
    database_of_app.close()


def test_a_members_read_needs_no_connection_of_the_primarys_pool(
    primary: Cluster, standby: Cluster
) -> None:
    """As during the shutdown of a leader: all of them wait for it."""
    app = app_on(primary, standby, pool_size=1, pool_timeout_s=0.1)
    database_of_app: Any = app.extensions["geoshops.database.pool"]
    busy = database_of_app.engine.raw_connection()
    busy_pid = busy.dbapi_connection.get_backend_pid()
    in_recovery = "SELECT pg_is_in_recovery()"
    for _ in range(3):
        with request_of(app, headers={"Authorization": "Bearer x"}):
            assert database().row(in_recovery) == (True,)
            assert not database().primary_is_lost
        # the next one finds its connection closed
        execute(
            primary.database(NAME),
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid NOT IN ({busy_pid}, pg_backend_pid())"
            " AND application_name = 'geoshops'",
        )
    busy.close()
    database_of_app.close()


def test_a_silent_primary_is_given_up_before_the_attempt_to_connect_ends() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"host=127.0.0.1 port={silent.getsockname()[1]} dbname=x user=x connect_timeout=2"
        positions = WalPositions(PrimaryConnection(lambda: psycopg2.connect(url)))
        sampler = threading.Thread(target=positions.sample)
        sampler.start()
        assert not positions.primary_is_lost
        began = time.monotonic()
        assert positions.sample() is None
        assert time.monotonic() - began < 1.8
        assert positions.primary_is_lost
        sampler.join()
        assert positions.primary_is_lost


def test_losing_the_replica_fails_no_request(pair: Pair) -> None:
    pair.at_once(pair.read, 16)
    pair.standby.stop()
    try:
        for _ in range(5):
            assert {result.status for result in pair.at_once(pair.read, 16)} == {200}
            assert pair.write().status == 201
    finally:
        pair.standby.start()
    pair.await_replay()
    time.sleep(1)
    assert {result.status for result in pair.at_once(pair.read, 16)} == {200}
    assert pair.queries_the_replica()


def test_reads_continue_without_the_primary(pair: Pair) -> None:
    pair.at_once(pair.read, 16)
    pair.await_replay()
    pair.cluster.stop()
    try:
        for _ in range(10):
            assert {result.status for result in pair.at_once(pair.read, 16)} == {200}
            assert {a.status for a in pair.at_once(lambda: own_reviews(pair), 8)} == {200}
            time.sleep(0.3)
        for result in pair.at_once(pair.write, 16):
            assert_clear_rejection(result)
        ready = pair.call("GET", "/readyz")
        assert ready.response.json() == {"status": "ready", "writes": False}
    finally:
        pair.cluster.start()
    assert pair.seconds_until(pair.write, 201) < 10
    pair.seconds_until(lambda: pair.call("GET", "/readyz"), 200)


@pytest.mark.full
def test_reads_continue_while_the_primary_is_frozen(pair: Pair) -> None:
    # a standby that was behind when the primary was lost remains behind
    pair.await_replay()
    time.sleep(1.5)
    pair.at_once(pair.read, 16)
    pair.cluster.freeze()
    try:
        for result in pair.at_once(pair.read, 16):
            assert result.status == 200
            # the query of the primary's position times out after a second
            assert result.seconds < 6
        time.sleep(2)
        for call in (pair.read, lambda: own_reviews(pair)):
            for result in pair.at_once(call, 16):
                assert result.status == 200
                assert result.seconds < 3
    finally:
        pair.cluster.thaw()
    assert pair.seconds_until(pair.write, 201) < 10


@pytest.mark.full
def test_a_frozen_replica_is_replaced_by_the_primary(pair: Pair) -> None:
    pair.at_once(pair.read, 16)
    pair.standby.freeze()
    try:
        # the watchdog's timeout, then the primary
        assert {result.status for result in pair.at_once(pair.read, 16)} == {200}
        time.sleep(3)
        for result in pair.at_once(pair.read, 40):
            assert result.status == 200
            assert result.seconds < 3
    finally:
        pair.standby.thaw()
    pair.await_replay()
    time.sleep(1.5)
    assert pair.queries_the_replica()


@pytest.mark.full
def test_readers_of_a_primary_that_falls_silent_find_another(
    pair: Pair, primary: Cluster, standby: Cluster
) -> None:
    """As after a switchover: a standby that was promoted while it served reads continues to serve them."""
    with serving(
        app_url(primary), SECRET_KEY, READ_DATABASE_URL=app_url(primary, standby)
    ) as origin:
        both = Pair(origin, primary, standby)
        both.at_once(both.read, 32)
        time.sleep(1.5)
        primary.freeze()
        try:
            for result in both.at_once(both.read, 32):
                assert result.status == 200
                # the position query times out after a second, and half of the connection attempts try the frozen server first
                assert result.seconds < 10
        finally:
            primary.thaw()
        assert both.seconds_until(both.write, 201) < 10


def test_the_hosts_of_a_url_are_taken_in_any_order() -> None:
    url = "postgresql://app:secret@one:1,two:2,three:3/geoshops?target_session_attrs=prefer-standby"
    orders = {with_shuffled_hosts(url) for _ in range(100)}
    assert len(orders) == 6
    assert all("target_session_attrs=prefer-standby" in order for order in orders)
    fixed = "postgresql://app@one,two/geoshops?load_balance_hosts=disable"
    assert len({with_shuffled_hosts(fixed) for _ in range(100)}) == 1


def test_a_promoted_standby_takes_over_without_an_operator(pair: Pair) -> None:
    """Must be the last test in this file, because it changes the roles."""
    pair.await_replay()
    pair.cluster.stop()
    for result in pair.at_once(pair.write, 8):
        assert_clear_rejection(result)
    pair.standby.promote()
    assert pair.seconds_until_all(pair.write, 201) < 10
    for _ in range(5):
        assert {result.status for result in pair.at_once(pair.read, 16)} == {200}
        made = pair.write()
        assert made.status == 201
        ids = [item["review_info"]["id"] for item in own_reviews(pair).response.json()]
        assert made.response.json()["review_info"]["id"] in ids
