"""Tests that the service's role has exactly the privileges that the service needs, and its limits."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import psycopg2
import pytest
from flask.testing import FlaskClient

from tests.make import Maker


@pytest.fixture
def service(service_url: str, db: Any) -> Iterator[Any]:
    connection = psycopg2.connect(service_url)
    connection.autocommit = True
    yield connection.cursor()
    connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE mine (x int)",
        "CREATE FUNCTION mine() RETURNS int LANGUAGE sql RETURN 1",
        "TRUNCATE favorites",
        "DROP TABLE favorites",
        "ALTER TABLE favorites ADD COLUMN x int",
        "CREATE OR REPLACE FUNCTION metres(distance_m double precision) RETURNS integer LANGUAGE sql RETURN 1",
        "DELETE FROM shops",
        "UPDATE shops SET place_name = 'x'",
        "INSERT INTO brands (name) VALUES ('x')",
        "UPDATE titles SET target = 1",
        "DELETE FROM audit_log",
        "DELETE FROM schema_history",
        "SELECT pg_read_file('/etc/passwd')",
        "COPY favorites TO PROGRAM 'cat'",
        "COPY shops TO '/tmp/shops'",
        "SET ROLE postgres",
        "CREATE ROLE mine",
        "ALTER ROLE geoshops_app SUPERUSER",
        "SELECT * FROM pg_authid",
    ],
)
def test_the_service_role_has_no_other_privileges(service: Any, statement: str) -> None:
    with pytest.raises((psycopg2.errors.InsufficientPrivilege, psycopg2.errors.UndefinedObject)):
        service.execute(statement)


def test_it_owns_nothing(service: Any) -> None:
    service.execute("SELECT count(*) FROM pg_class WHERE relowner = 'geoshops_app'::regrole")
    assert service.fetchone() == (0,)


def test_its_limits_are_set(service: Any) -> None:
    for name, value in {
        "statement_timeout": "2s", "lock_timeout": "500ms", "deadlock_timeout": "200ms",
        "idle_in_transaction_session_timeout": "10s", "jit": "off",
    }.items():  # fmt: skip
        service.execute(f"SHOW {name}")
        assert service.fetchone() == (value,), name


def test_a_locked_table_is_503_and_not_a_hang(
    client: FlaskClient, make: Maker, app: Any, database_url: str
) -> None:
    make.brand()
    shop, headers = make.shop(), make.bearer(app)
    locker = psycopg2.connect(database_url)
    locker.cursor().execute("LOCK TABLE shops, reviews IN ACCESS EXCLUSIVE MODE")
    release = threading.Timer(8, locker.rollback)
    release.start()
    try:
        for response in (
            client.get("/shops/brand?userLat=37.5&userLng=127&mapLat=37.5&mapLng=127"),
            client.post(
                f"/reviews/shop/{shop}", json={"star_rating": 5, "content": "가"}, headers=headers
            ),
        ):
            assert (response.status_code, response.get_json()["error_code"]) == (503, "503")
            assert "Retry-After" in response.headers
        assert client.get("/healthz").status_code == 200
    finally:
        release.cancel()
        locker.rollback()
        locker.close()
    assert client.get(f"/shops/{shop}").status_code == 200


def test_sessions_that_the_server_ended_are_replaced(
    client: FlaskClient, make: Maker, app: Any
) -> None:
    make.brand()
    shop, headers = make.shop(), make.bearer(app)
    end = (
        "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity"
        " WHERE usename = 'geoshops_app' AND datname = current_database()"
    )
    for _ in range(3):
        assert client.get(f"/shops/{shop}").status_code == 200
        assert make.sql(end) >= 1
        assert client.get(f"/shops/{shop}").status_code == 200
        make.sql(end)
        body = {"star_rating": 5, "content": "가"}
        assert client.post(f"/reviews/shop/{shop}", json=body, headers=headers).status_code == 201
