"""Fixtures: one real PostGIS database per run, created by the product's migrations and emptied between tests."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg2
import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import settings

from geoshops import create_app
from geoshops.database import migrations
from tests.make import Maker
from tests.pooler import pooled

ROOT = Path(__file__).resolve().parent.parent
# the settings of a developer's .env must not affect tests
os.environ["FLASK_SKIP_DOTENV"] = "1"
# if a shell runs the tests in the background, they ignore Ctrl-C, which child processes would inherit
signal.signal(signal.SIGINT, signal.default_int_handler)
# a busy machine is not an error of the code; timings belong in benchmarks
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
SECRET_KEY = "a key for tests, longer than thirty-two bytes"


ROLE_PASSWORD = "only for tests"
# several test processes may run this at the same time
MAKE_ROLES = f"""
DO $$ DECLARE role text; BEGIN
  PERFORM pg_advisory_xact_lock(7406311520917234);
  FOREACH role IN ARRAY ARRAY['geoshops_app', 'geoshops_reader'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
      EXECUTE format('CREATE ROLE %I', role);
    END IF;
    EXECUTE format('ALTER ROLE %I LOGIN PASSWORD %L', role, '{ROLE_PASSWORD}');
  END LOOP;
END $$"""


def as_role(url: str, role: str) -> str:
    """The URL of the same database for one of the service's roles."""
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{role}:{quote(ROLE_PASSWORD)}@{place}"))


def with_database(url: str, name: str) -> str:
    """The URL of another database on the same server."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


def execute(url: str, *statements: str) -> None:
    """Runs statements, each in its own transaction."""
    connection = psycopg2.connect(url)
    connection.autocommit = True
    for statement in statements:
        connection.cursor().execute(statement)
    connection.close()


@contextmanager
def copied(server_url: str, template_name: str, purpose: str) -> Iterator[str]:
    """URL of a new database with the schema, which is dropped afterwards."""
    name = f"geoshops_{purpose}_{os.getpid()}"
    drop = f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"
    execute(server_url, drop, f"CREATE DATABASE {name} TEMPLATE {template_name}")
    try:
        yield with_database(server_url, name)
    finally:
        execute(server_url, drop)


@contextmanager
def alone_on(url: str) -> Iterator[None]:
    """Locks out the other test processes of this server."""
    connection = psycopg2.connect(url)
    connection.autocommit = True
    connection.cursor().execute("SELECT pg_advisory_lock(7406311520917235)")
    try:
        yield
    finally:
        connection.close()


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """Superuser URL of a temporary server, from scripts/test or else created with scripts/db."""
    given = os.environ.get("GEOSHOPS_TEST_DATABASE_URL")
    if given:
        yield given
        return
    script = str(ROOT / "scripts" / "db")
    started = subprocess.run(
        [script, "throwaway", "start", "--for", str(os.getpid())],
        check=True,
        capture_output=True,
        text=True,
    )
    url = started.stdout.strip().splitlines()[-1]
    yield url
    subprocess.run([script, "throwaway", "stop", url], check=True)


@pytest.fixture(scope="session")
def template_name(server_url: str) -> Iterator[str]:
    """A database with the schema, from which others are copied."""
    name = f"geoshops_template_{os.getpid()}"
    execute(server_url, MAKE_ROLES)
    execute(server_url, f"DROP DATABASE IF EXISTS {name}", f"CREATE DATABASE {name}")
    # roles belong to the whole server: two workers must not set their limits concurrently
    with alone_on(server_url):
        migrations.upgrade(with_database(server_url, name), lambda _: None)
    yield name
    execute(server_url, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def database_url(server_url: str, template_name: str) -> Iterator[str]:
    """The run's database, shared by all tests; each test starts with the initial rows of the schema."""
    with copied(server_url, template_name, "test") as url:
        yield url


def pytest_collection_finish() -> None:
    """Freezes modules and collected tests, which live until the end, so that garbage collections skip them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def connections_of_applications_that_are_gone() -> Iterator[None]:
    """Are closed after each module: a kept one returns to its pool first, which is collected after it."""
    yield
    gc.collect()
    gc.collect()


@pytest.fixture(scope="session")
def connection(database_url: str) -> Iterator[Any]:
    """One autocommitting connection as the schema's owner."""
    opened = psycopg2.connect(database_url)
    opened.autocommit = True
    yield opened
    opened.close()


# Tables that a test has changed: rows, keys taken by a failed statement, statistics. Truncating all 29 tables with
# their indexes would take longer than most tests.
TOUCHED = """
SELECT string_agg(format('%I', c.relname), ', ') FROM pg_class AS c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
  AND c.relname NOT IN ('schema_history', 'titles')
  AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.objid = c.oid AND d.deptype = 'e')
  AND (
    pg_relation_size(c.oid) > 0 OR c.reltuples >= 0
    OR EXISTS (
      SELECT FROM pg_depend AS d JOIN pg_sequence AS s ON s.seqrelid = d.objid
      WHERE d.refobjid = c.oid AND pg_sequence_last_value(s.seqrelid) IS NOT NULL
    )
  )"""


def empty(connection: Any) -> None:
    """Deletes all rows, except the catalogue of titles."""
    cursor = connection.cursor()
    cursor.execute(TOUCHED)
    (tables,) = cursor.fetchone()
    if tables:
        cursor.execute(f"TRUNCATE {tables} RESTART IDENTITY CASCADE")


@pytest.fixture
def db(connection: Any) -> Any:
    """The connection to an empty database; only the catalogue of titles has rows."""
    empty(connection)
    return connection


@pytest.fixture
def make(db: Any) -> Maker:
    """Builders of rows."""
    return Maker(db)


@pytest.fixture(scope="session")
def service_url(database_url: str) -> Iterator[str]:
    """The URL of the run's database for the service's role, through PgBouncer if one is configured."""
    url = as_role(database_url, "geoshops_app")
    pgbouncer = os.environ.get("GEOSHOPS_TEST_PGBOUNCER")
    if not pgbouncer:
        yield url
        return
    with pooled(url, Path(pgbouncer)) as through:
        yield through


@pytest.fixture(scope="session")
def app(service_url: str, database_url: str) -> Flask:
    """The application as shipped, on the run's database, with the privileges of production."""
    return create_app(
        {
            "database_url": service_url,
            "owner_database_url": database_url,
            "secret_key": SECRET_KEY,
            "testing": True,
            "log_format": "text",
            "map_style_url": "off",
        }
    )


@pytest.fixture
def client(app: Flask, db: Any) -> FlaskClient:
    """A client on an empty database."""
    return app.test_client()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real test files; skips the test if it is missing."""
    folder = Path(os.environ.get("GEOSHOPS_SHARED_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no folder of real files beside the project (../shared/data)")
    return folder
