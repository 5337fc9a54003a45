"""`geoshops db upgrade` under load: lock waits stay below a second, no request gets 500, and no write is lost."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from flask import Flask

from geoshops.database import migrations, sql_files
from tests.conftest import ROOT
from tests.make import Maker

LONGEST_S = 1.0
# A busy machine may delay a lock past its timeout: those requests get a 503 with Retry-After, and the open circuit breaker rejects others.
MOST_REJECTED = 0.05
# Counts this database only, because other tests cause lock waits in the same cluster. An index that is built
# concurrently may wait for a vacuum or an old transaction for any time, because its locks block no other session.
WAITING = """
SELECT coalesce(max(extract(epoch FROM clock_timestamp() - l.waitstart)), 0)
FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE NOT l.granted AND a.datname = current_database()
  AND NOT (a.query LIKE '%CREATE INDEX CONCURRENTLY%' AND l.mode IN ('ShareUpdateExclusiveLock', 'ShareLock'))"""
AROUND = "/shops/brand?userLat=37.5&userLng=127&mapLat=37.4979&mapLng=127.0276"
COLUMN = "ALTER TABLE shops ADD COLUMN note text; ALTER TABLE reviews ADD COLUMN note text;"
INDEX = f"{migrations.NO_TRANSACTION}\nCREATE INDEX CONCURRENTLY reviews_note_idx ON reviews (note)"


class Load:
    """Sends requests from several threads and counts their results."""

    def __init__(self, app: Flask) -> None:
        self.app, self.stopping = app, threading.Event()
        self.waited_s = 0.0
        self.failed: list[tuple[str, int, str]] = []
        self.rejected = 0
        self.done: dict[str, int] = {}

    def repeat(self, name: str, send: Callable[[Any], Any]) -> None:
        client = self.app.test_client()
        while not self.stopping.is_set():
            response = send(client)
            if response.status_code < 300:
                self.done[name] = self.done.get(name, 0) + 1
            elif response.status_code in (409, 503) and "Retry-After" in response.headers:
                self.rejected += 1
                self.stopping.wait(float(response.headers["Retry-After"]))
            else:
                self.failed.append((name, response.status_code, response.get_data(as_text=True)))

    def watch(self, url: str) -> None:
        """Records the longest lock wait."""
        connection = psycopg2.connect(url)
        connection.autocommit = True
        cursor = connection.cursor()
        while not self.stopping.is_set():
            cursor.execute(WAITING)
            self.waited_s = max(self.waited_s, float(cursor.fetchone()[0]))
            time.sleep(0.02)
        connection.close()


@pytest.fixture
def load(app: Flask, make: Maker, database_url: str) -> Iterator[Load]:
    """Runs two readers, two writers, and a thread that watches lock waits."""
    shop = make.shop()
    for _ in range(20):
        make.shop()
    running = Load(app)
    bearers = [make.bearer(app) for _ in range(2)]
    body = {"star_rating": 5, "content": "좋아요"}
    requests: dict[str, Callable[[Any], Any]] = {
        "around": lambda c: c.get(AROUND),
        "detail": lambda c: c.get(f"/shops/{shop}"),
        "review": lambda c: c.post(f"/reviews/shop/{shop}", json=body, headers=bearers[0]),
        "favorite": lambda c: c.post(f"/favorites/{shop}", headers=bearers[1]),
    }
    with ThreadPoolExecutor(len(requests) + 1) as pool:
        futures = [pool.submit(running.repeat, *request) for request in requests.items()]
        futures.append(pool.submit(running.watch, database_url))
        time.sleep(0.5)
        yield running
        running.stopping.set()
        for future in futures:
            future.result()


@pytest.fixture
def newer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database_url: str) -> Iterator[Path]:
    """A copy of sql/ that a test changes into a newer release; afterwards the schema is reset."""
    folder = tmp_path / "sql"
    shutil.copytree(ROOT / "sql", folder)
    (folder / "changes").mkdir(exist_ok=True)
    monkeypatch.setattr(sql_files, "SQL", folder)
    yield folder
    monkeypatch.undo()
    migrations.reset(database_url)
    migrations.upgrade(database_url, lambda _: None)


def upgrade_and_check(load: Load, url: str, make: Maker) -> int:
    """Upgrades, then asserts that the clients had no errors, no long lock waits and no lost writes."""
    count = migrations.upgrade(url, lambda _: None)
    time.sleep(0.3)
    load.stopping.set()
    time.sleep(0.3)
    assert load.failed == []
    assert load.waited_s < LONGEST_S
    assert min(load.done.values()) > 10
    assert load.rejected <= MOST_REJECTED * sum(load.done.values())
    assert make.sql("SELECT count(*) FROM reviews") == load.done["review"]
    assert make.rows("SELECT shop_id FROM counter_differences") == []
    return count


def touch(folder: Path) -> int:
    """Changes every function and view without changing what it does."""
    files = [*folder.glob("functions/*.sql"), *folder.glob("views/*.sql")]
    for file in files:
        file.write_text(f"{file.read_text(encoding='utf-8')}\n-- newer\n", encoding="utf-8")
    return len(files)


def test_functions_and_views_are_replaced(
    load: Load, newer: Path, database_url: str, make: Maker
) -> None:
    touched = touch(newer)
    assert upgrade_and_check(load, database_url, make) == touched


def test_columns_and_indexes_are_added_during_a_long_query(
    load: Load, newer: Path, database_url: str, make: Maker
) -> None:
    (newer / "changes" / "20990101_note.sql").write_text(COLUMN)
    (newer / "changes" / "20990102_note_index.sql").write_text(INDEX)
    touch(newer)
    long_query = psycopg2.connect(database_url)
    long_query.cursor().execute("SELECT count(*) FROM reviews, shops")
    threading.Timer(3, long_query.rollback).start()
    started = time.perf_counter()
    assert upgrade_and_check(load, database_url, make) > 30
    assert time.perf_counter() - started > 3, (
        "the column cannot be added before the query has ended"
    )
    assert make.sql("SELECT to_regclass('reviews_note_idx')") == "reviews_note_idx"


def test_a_changed_result_type_recreates_all_functions(
    load: Load, newer: Path, database_url: str, make: Maker
) -> None:
    extra = newer / "functions" / "99_extra.sql"
    extra.write_text("CREATE OR REPLACE FUNCTION extra() RETURNS integer LANGUAGE sql RETURN 1;")
    migrations.upgrade(database_url, lambda _: None)
    extra.write_text("CREATE OR REPLACE FUNCTION extra() RETURNS text LANGUAGE sql RETURN '1';")
    assert upgrade_and_check(load, database_url, make) == 1
    assert make.sql("SELECT extra()") == "1"
