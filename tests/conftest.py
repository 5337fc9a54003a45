"""Fixtures: one real PostGIS database per run, built by the project's migrations and emptied between tests."""

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
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from geoshops import create_app
from geoshops.database import migrations, operator_connection
from tests.make import Maker
from tests.pooler import pooled

ROOT = Path(__file__).resolve().parent.parent
# the settings of a developer's own .env must not reach a test
os.environ["FLASK_SKIP_DOTENV"] = "1"
# a shell that runs pytest in the background ignores SIGINT, and child processes would inherit that
signal.signal(signal.SIGINT, signal.default_int_handler)
# no deadlines: timings depend on the machine's load and belong in the benchmark
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
SECRET_KEY = "a key for tests, longer than thirty-two bytes"


ROLE_PASSWORD = "only for tests"
# several test processes may create the roles at the same time
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


class Scheduling(LoadFileScheduling):
    """Assigns all tests of a file to one process, and all container tests, which share a Docker daemon, to one process."""

    def _split_scope(self, nodeid: str) -> str:
        folder = "tests/containers/"
        return folder if nodeid.startswith(folder) else super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling:
    """Replaces the scheduler that --dist selects."""
    return Scheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Interleaves the browser test files with the others, because a browser uses all processors and other tests often wait."""
    places: dict[Path, float] = {}
    for driven in (True, False):
        files = [i.path for i in items if (i.path.parent.name == "browser") is driven]
        distinct = list(dict.fromkeys(files))
        places |= {path: (at + 0.5) / len(distinct) for at, path in enumerate(distinct)}
    items.sort(key=lambda item: places[item.path])


@contextmanager
def copied(server_url: str, template_name: str, purpose: str) -> Iterator[str]:
    """Yields the URL of a separate database with the schema, and drops it afterwards."""
    name = f"geoshops_{purpose}_{os.getpid()}"
    drop = f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"
    execute(server_url, drop, f"CREATE DATABASE {name} TEMPLATE {template_name}")
    try:
        yield with_database(server_url, name)
    finally:
        execute(server_url, drop)


@contextmanager
def alone_on(url: str) -> Iterator[None]:
    """Holds a lock so that only one test process of this server runs the block."""
    connection = psycopg2.connect(url)
    connection.autocommit = True
    connection.cursor().execute("SELECT pg_advisory_lock(7406311520917235)")
    try:
        yield
    finally:
        connection.close()


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """Superuser URL of a throw-away server: the one that scripts/test provides, otherwise started with scripts/db."""
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
    """Name of a database with the schema, the template for the others."""
    name = f"geoshops_template_{os.getpid()}"
    execute(server_url, MAKE_ROLES)
    execute(server_url, f"DROP DATABASE IF EXISTS {name}", f"CREATE DATABASE {name}")
    # roles belong to the whole server: two test processes must not set their limits at the same time
    with alone_on(server_url):
        migrations.upgrade(with_database(server_url, name), lambda _: None)
    yield name
    execute(server_url, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def database_url(server_url: str, template_name: str) -> Iterator[str]:
    """URL of the run's database, which the tests share."""
    with copied(server_url, template_name, "test") as url:
        yield url


def pytest_collection_finish() -> None:
    """Excludes modules and collected tests from garbage collection, because they exist until the end of the run."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def connections_of_applications_that_are_gone() -> Iterator[None]:
    """Closes pooled connections of applications that no longer exist, after each module.

    Two collections are needed: the first returns a connection to its pool, the second collects the pool.
    """
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


# Tables that tests have filled. TRUNCATE creates new files for a table and its indexes, which is expensive: it is used
# only for tables that have grown or have statistics. From the others the rows are deleted.
FILLED = """
SELECT string_agg(format('%I', t.name), ', ') FILTER (WHERE t.is_worn),
  string_agg(format('DELETE FROM %I', t.name), '; ') FILTER (WHERE NOT t.is_worn)
FROM (
  SELECT c.relname AS name, c.reltuples >= 0 OR pg_relation_size(c.oid) > 262144 AS is_worn FROM pg_class AS c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
    AND c.relname NOT IN ('schema_history', 'titles', 'spatial_ref_sys')
    AND (pg_relation_size(c.oid) > 0 OR c.reltuples >= 0)
) AS t"""
# without foreign keys and triggers, as all tables are emptied
DELETE = "SET LOCAL session_replication_role = replica; {}"
RESTART = """
SELECT setval(s.seqrelid, s.seqstart, false) FROM pg_sequence AS s
WHERE pg_sequence_last_value(s.seqrelid) IS NOT NULL"""


def empty(connection: Any) -> None:
    """Removes all rows except the catalogue of titles."""
    cursor = connection.cursor()
    cursor.execute(FILLED)
    worn, deletes = cursor.fetchone()
    if worn:
        cursor.execute(f"TRUNCATE {worn} CASCADE")
    if deletes:
        cursor.execute(DELETE.format(deletes))
    cursor.execute(RESTART)


@pytest.fixture
def db(connection: Any) -> Any:
    """A connection to a database without rows, except for the catalogue of titles."""
    empty(connection)
    return connection


@pytest.fixture
def make(db: Any) -> Maker:
    """Builders of rows."""
    return Maker(db)


@pytest.fixture(scope="module")
def make_once(connection: Any) -> Maker:
    """Builders of rows for all tests of a module; these tests must not change rows, nor use `make`, which removes them."""
    empty(connection)
    return Maker(connection)


@pytest.fixture(scope="session")
def service_url(database_url: str) -> Iterator[str]:
    """URL of the run's database for the service's role; through PgBouncer if GEOSHOPS_TEST_PGBOUNCER names a program."""
    url = as_role(database_url, "geoshops_app")
    pgbouncer = os.environ.get("GEOSHOPS_TEST_PGBOUNCER")
    if not pgbouncer:
        yield url
        return
    with pooled(url, Path(pgbouncer)) as through:
        yield through


@pytest.fixture(scope="session")
def app(service_url: str, database_url: str) -> Flask:
    """The application on the run's database, with the same rights as in production."""
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
    """A test client; the database is empty."""
    return app.test_client()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data files; skips the test if it is missing."""
    folder = Path(os.environ.get("GEOSHOPS_SHARED_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no folder of real files beside the project (../shared/data)")
    return folder


@pytest.fixture
def without_cancelling() -> Iterator[None]:
    """Ctrl-C cancels no running statement: the thread that does it may run late and cancel one of the next test."""
    # its first call sets the wake-up file
    operator_connection._watch()
    before = signal.set_wakeup_fd(-1)
    yield
    signal.set_wakeup_fd(before)
