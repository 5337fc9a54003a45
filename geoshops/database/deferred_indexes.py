"""Drops indexes and foreign keys of shops during large loads; those of sql/indexes are rebuilt after the commit."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import psycopg2

from geoshops.database import sql_files
from geoshops.database.operator_connection import connected

LEAST_ROWS = 20_000
PARALLEL_BUILDS = 2  # a build keeps one core of the server busy
# A GIN build sorts in a tree of this size; one that fits into the processor's cache is faster than a larger one.
MEMORY = "SET maintenance_work_mem = '16MB'"
LOCK = 7_406_311_520_917_236  # one builder at a time; any number, the same in every release
# applies to each of three tables, so that an attempt ends before deadlock_timeout (1 s)
LOCK_TIMEOUT = "SET LOCAL lock_timeout = '200ms'"
LOCK_ATTEMPTS = 20
NAME = re.compile(r"CREATE INDEX IF NOT EXISTS (\w+)")
# the primary key stays, because other tables refer to it; each foreign key is validated by one join at the end
DROPPABLE = """
SELECT i.indexrelid::regclass::text,
  CASE WHEN c.oid IS NULL THEN format('DROP INDEX %s', i.indexrelid::regclass)
    ELSE format('ALTER TABLE shops DROP CONSTRAINT %I', c.conname) END,
  CASE WHEN c.oid IS NULL THEN pg_get_indexdef(i.indexrelid)
    ELSE format('ALTER TABLE shops ADD CONSTRAINT %I %s', c.conname, pg_get_constraintdef(c.oid)) END
FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.conrelid = i.indrelid
WHERE i.indrelid = 'shops'::regclass AND NOT i.indisprimary
UNION ALL
SELECT conname, format('ALTER TABLE shops DROP CONSTRAINT %I', conname),
  format('ALTER TABLE shops ADD CONSTRAINT %I %s', conname, pg_get_constraintdef(oid))
FROM pg_constraint WHERE conrelid = 'shops'::regclass AND contype = 'f'
ORDER BY 1"""
CONCERNED = """
SELECT string_agg(DISTINCT t::regclass::text, ', ')
FROM pg_constraint c CROSS JOIN LATERAL (VALUES (c.conrelid), (c.confrelid)) v (t)
WHERE c.conrelid = 'shops'::regclass AND c.contype = 'f'"""
MISSING = """
SELECT n FROM unnest(%s::text[]) n
WHERE to_regclass('shops') IS NOT NULL AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indexrelid = to_regclass(n))"""


def built_later() -> dict[str, str]:
    """The statements of sql/indexes by index name. Comments in these files must not contain semicolons."""
    text = "".join(
        p.read_text(encoding="utf-8") for p in sorted((sql_files.SQL / "indexes").glob("*.sql"))
    )
    statements = [part.strip() for part in text.split(";") if NAME.search(part)]
    return {NAME.findall(statement)[0]: statement for statement in statements}


@contextmanager
def left_out(cursor: Any, new_rows: int) -> Iterator[None]:
    """Drops indexes and foreign keys of shops for a large load, and recreates them after the block.

    The expensive ones, those of sql/indexes, are built by `build_missing` after the commit. Readers of shops, brands
    and regions wait until the commit, so nothing is dropped unless nearly every shop is new and the locks are
    granted soon. Unique constraints and foreign keys are valid again at the end of the block."""
    is_worthwhile = _is_worthwhile(cursor, new_rows) and _lock_tables(cursor)
    dropped = _droppable(cursor) if is_worthwhile else []
    for _, drop, _ in dropped:
        cursor.execute(drop)
    yield
    later = built_later()
    for name, _, definition in dropped:
        if name not in later:
            cursor.execute(definition)


def missing(connection: Any) -> list[str]:
    """Names of the indexes of sql/indexes that do not exist."""
    cursor = connection.cursor()
    cursor.execute(MISSING, (list(built_later()),))
    return [name for (name,) in cursor.fetchall()]


def build_missing(url: str, say: Callable[[str], object]) -> int:
    """Builds missing indexes, two at a time, and returns their number; writers of shops wait meanwhile.

    Each index is built in its own transaction, so an interrupted run keeps the indexes it has built."""
    connections: list[Any] = []
    with _listed(url, connections) as connection, ThreadPoolExecutor(PARALLEL_BUILDS) as pool:
        connection.cursor().execute("SELECT pg_advisory_lock(%s)", (LOCK,))
        names = missing(connection)
        builds = [pool.submit(_build, url, connections, name) for name in names]
        try:
            for name, build in zip(names, builds, strict=True):
                say(f"index {name} ({build.result()} ms)")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for other in [*connections]:
                other.cancel()
            raise
    return len(names)


def _build(url: str, connections: list[Any], name: str) -> int:
    started = time.perf_counter()
    with _listed(url, connections) as connection:
        connection.cursor().execute(MEMORY)
        connection.cursor().execute(built_later()[name])
    return round((time.perf_counter() - started) * 1000)


@contextmanager
def _listed(url: str, connections: list[Any]) -> Iterator[Any]:
    with connected(url, "indexes", autocommit=True) as connection:
        connections.append(connection)
        try:
            yield connection
        finally:
            connections.remove(connection)


def _is_worthwhile(cursor: Any, new_rows: int) -> bool:
    if new_rows < LEAST_ROWS:
        return False
    cursor.execute("SELECT count(*) FROM (SELECT FROM shops LIMIT %s) s", (new_rows // 10 + 1,))
    return bool(cursor.fetchone()[0] * 10 <= new_rows)


def _lock_tables(cursor: Any) -> bool:
    """Tries to lock the tables concerned, a limited number of times.

    Each attempt ends before deadlock_timeout and releases its locks, so that no command that waits for one of the
    tables becomes a deadlock victim."""
    cursor.execute(CONCERNED)
    (tables,) = cursor.fetchone()
    for _ in range(LOCK_ATTEMPTS):
        cursor.execute(f"SAVEPOINT before_locks; {LOCK_TIMEOUT}")
        try:
            cursor.execute(f"LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE")
        except psycopg2.errors.LockNotAvailable:
            cursor.execute("ROLLBACK TO before_locks")
            time.sleep(random.uniform(0.1, 0.5))
        else:
            cursor.execute("SET LOCAL lock_timeout TO DEFAULT")
            return True
    return False


def _droppable(cursor: Any) -> list[tuple[str, str, str]]:
    cursor.execute(DROPPABLE)
    found: list[tuple[str, str, str]] = cursor.fetchall()
    return found
