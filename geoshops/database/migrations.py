"""Applies sql/ to a database: versioned files once and in order, functions and views whenever they change, grants
every time, missing indexes."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import psycopg2
from psycopg2 import errorcodes

from geoshops.console import as_started, committing
from geoshops.database import deferred_indexes
from geoshops.database.operator_connection import connected
from geoshops.database.sql_files import MigrationError, SqlFile, grants, sql_files

LOCK = 7_406_311_520_917_233  # any number, the same in every release
NO_TRANSACTION = "-- geoshops: no-transaction"
# a pending lock request blocks all later ones, so a step times out soon and is retried
LOCK_TIMEOUT = "SET lock_timeout = '500ms'"
NO_LOCK_TIMEOUT = "SET lock_timeout = 0"
ATTEMPTS = 90
BUSY = (errorcodes.LOCK_NOT_AVAILABLE, errorcodes.DEADLOCK_DETECTED)
# errors for which CREATE OR REPLACE is not enough: the result type changed, an older definition makes the name
# ambiguous, or other objects depend on it
OTHER_SHAPE = (
    errorcodes.INVALID_FUNCTION_DEFINITION,
    errorcodes.INVALID_TABLE_DEFINITION,
    errorcodes.AMBIGUOUS_FUNCTION,
    errorcodes.DEPENDENT_OBJECTS_STILL_EXIST,
)
# definitions that this transaction has not written come from an older version of the file
LEFT_OVER = """
SELECT p.oid::regprocedure FROM pg_proc p
WHERE p.pronamespace = current_schema()::regnamespace AND p.prokind = 'f' AND p.proname = ANY (%s)
  AND p.xmin <> pg_current_xact_id()::xid"""
REBUILT = """
SELECT format('VIEW %%s', c.oid::regclass) FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'v' AND c.relname = ANY (%(names)s)
UNION ALL
SELECT format('FUNCTION %%s', p.oid::regprocedure) FROM pg_proc p
WHERE p.pronamespace = current_schema()::regnamespace AND p.prokind = 'f' AND p.proname = ANY (%(names)s)"""
HISTORY = """
CREATE TABLE IF NOT EXISTS schema_history (
  name text PRIMARY KEY,
  kind text NOT NULL,
  sha256 text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now(),
  ms integer NOT NULL
)"""
# the last file of sql/changes before all of them were merged into sql/schema
LAST_MERGED = "changes/20261128_words_before_begun_names.sql"
# files of functions or views that were renamed or removed; files of sql/changes drop their definitions
FORGET_REMOVED = "DELETE FROM schema_history WHERE kind = 'repeatable' AND name <> ALL (%s)"
# names are collected before the first drop, because CASCADE also drops later ones
DROP_ALL = """
DO $$ DECLARE drops text[]; statement text; BEGIN
  drops := ARRAY(
    SELECT format('DROP %s IF EXISTS %s CASCADE',
      CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END, c.oid::regclass)
    FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'p')
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
  ) || ARRAY(
    SELECT format('DROP TYPE IF EXISTS %s CASCADE', c.oid::regclass)
    FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'c'
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.reltype AND d.deptype = 'e')
  ) || ARRAY(
    SELECT format('DROP ROUTINE IF EXISTS %s CASCADE', p.oid::regprocedure)
    FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
  );
  FOREACH statement IN ARRAY drops LOOP
    EXECUTE statement;
  END LOOP;
END $$"""


def upgrade(url: str, say: Any = print) -> int:
    """Applies missing and changed files under a lock, builds missing indexes, and returns the number of files.

    Each step is retried for about a minute while tables are in use."""
    with _connected(url) as connection:
        run(connection, NO_LOCK_TIMEOUT)
        run(connection, "SELECT pg_advisory_lock(%s)", (LOCK,))
        run(connection, LOCK_TIMEOUT)
        run(connection, HISTORY)
        _adopt_merged(connection)
        todo = list(_pending(connection))
        for file in (f for f in todo if f.kind == "versioned"):
            _patiently(connection, say, partial(_apply, connection, file, say))
        repeatable = [f for f in todo if f.kind == "repeatable"]
        _patiently(connection, say, partial(_replace, connection, repeatable, say))
        _patiently(connection, say, partial(_grant, connection))
        run(connection, FORGET_REMOVED, ([file.name for file in sql_files()],))
        for notice in connection.notices:
            if "was not set" in notice:
                say(notice.strip())
    deferred_indexes.build_missing(url, say)
    return len(todo)


def _adopt_merged(connection: Any) -> None:
    """Records sql/schema as applied in a database that has applied every change merged into it."""
    if LAST_MERGED not in _applied(connection):
        return
    run(connection, "BEGIN")
    run(connection, "DELETE FROM schema_history WHERE kind = 'versioned'")
    for file in (f for f in sql_files() if f.name.startswith("schema/")):
        _record(connection, file, 0)
    run(connection, "COMMIT")


def _patiently(connection: Any, say: Any, step: Callable[[], None]) -> None:
    """Runs a step, and retries it while another transaction holds a lock that it needs."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            step()
            return
        except (MigrationError, psycopg2.Error) as error:
            cause = error.__cause__ if isinstance(error, MigrationError) else error
            if getattr(cause, "pgcode", None) not in BUSY or attempt == ATTEMPTS:
                raise
            run(connection, "ROLLBACK")
            if attempt == 1:
                say("tables are in use: retrying until they are free")
        time.sleep(random.uniform(0.3, 1))


def grant(url: str) -> None:
    """Applies sql/grants: privileges and limits of roles."""
    with _connected(url) as connection:
        _grant(connection)


def _grant(connection: Any) -> None:
    for text in grants():
        run(connection, text)


def status(url: str) -> list[tuple[str, str]]:
    """Every file with its state: `applied`, `pending`, `changed`, or `unknown` if the file no longer exists."""
    with _connected(url) as connection:
        applied = _applied(connection)
    states = [(f.name, _state(f, applied)) for f in sql_files()]
    known = {name for name, _ in states}
    return states + [(name, "unknown") for name in applied if name not in known]


def reset(url: str) -> None:
    """Drops all objects except extensions and their members."""
    with _connected(url) as connection:
        run(connection, "SET lock_timeout = '5s'")
        run(connection, "SELECT pg_advisory_lock(%s)", (LOCK,))
        with committing():
            run(connection, DROP_ALL)


@contextmanager
def _connected(url: str) -> Iterator[Any]:
    with connected(url, "migrate", autocommit=True) as connection:
        run(connection, LOCK_TIMEOUT)
        yield connection


def run(connection: Any, statement: str, values: Any = None) -> Any:
    """Executes a statement on the driver's cursor; without values, `%` and `:` have no special meaning."""
    cursor = connection.cursor()
    cursor.execute(statement, values)
    return cursor


def _applied(connection: Any) -> dict[str, str]:
    if run(connection, "SELECT to_regclass('schema_history')").fetchone()[0] is None:
        return {}
    return dict(run(connection, "SELECT name, sha256 FROM schema_history ORDER BY name").fetchall())


def _state(file: SqlFile, applied: dict[str, str]) -> str:
    if file.name not in applied:
        return "pending"
    return "applied" if applied[file.name] == file.sha256 else "changed"


def _pending(connection: Any) -> Iterator[SqlFile]:
    applied = _applied(connection)
    for file in sql_files():
        state = _state(file, applied)
        if state == "changed" and file.kind == "versioned":
            raise MigrationError(
                f"sql/{file.name} was changed after it was applied. Put changes into a new file "
                f"under sql/changes/; recreate a development database with `{as_started('db reset')}`"
            )
        if state != "applied":
            yield file


def _apply(connection: Any, file: SqlFile, say: Any) -> None:
    is_concurrent = file.text.startswith(NO_TRANSACTION)
    # building an index concurrently waits for other transactions but blocks none
    run(connection, NO_LOCK_TIMEOUT if is_concurrent else "BEGIN")
    try:
        _run_file(connection, file, say)
    except psycopg2.Error as error:
        raise MigrationError(f"sql/{file.name}: {error}") from error
    _commit(connection, LOCK_TIMEOUT if is_concurrent else "COMMIT")


def _commit(connection: Any, statement: str) -> None:
    """Runs the last statement of a step; Ctrl-C is raised when its result is known."""
    with committing() as interrupts:
        run(connection, statement)
    if interrupts:
        raise KeyboardInterrupt


def _replace(connection: Any, files: list[SqlFile], say: Any) -> None:
    """Applies functions and views in one transaction, which requests in flight do not notice.

    If a definition cannot be replaced in place, all of them are dropped and recreated."""
    if not files:
        return
    run(connection, "BEGIN")
    try:
        for file in files:
            _run_file(connection, file, say)
        names = _names(files) - _names(f for f in sql_files() if f not in files)
        for (old,) in run(connection, LEFT_OVER, (list(names),)).fetchall():
            run(connection, f"DROP FUNCTION {old}")
    except psycopg2.Error as error:
        run(connection, "ROLLBACK")
        if error.pgcode not in OTHER_SHAPE:
            raise MigrationError(f"sql/{file.name}: {error}") from error
        say(f"sql/{file.name} cannot be replaced in place: recreating all functions and views")
        run(connection, "BEGIN")
        _drop_repeatable(connection)
        _apply_all(connection, say)
        # in the same transaction, because recreated objects have lost their grants
        _grant(connection)
    _commit(connection, "COMMIT")


def _drop_repeatable(connection: Any) -> None:
    """Drops the functions and views of the repeatable files, dependent ones first; without CASCADE, to keep those that tables use."""
    names = _names(f for f in sql_files() if f.kind == "repeatable")
    names -= _names(f for f in sql_files() if f.kind == "versioned")
    before = -1
    while left := run(connection, REBUILT, {"names": list(names)}).fetchall():
        if len(left) == before:
            return
        before = len(left)
        for (name,) in left:
            _drop_unless_used(connection, name)


def _names(files: Iterable[SqlFile]) -> set[str]:
    return {name for file in files for name in file.defined}


def _drop_unless_used(connection: Any, name: str) -> None:
    run(connection, "SAVEPOINT before_drop")
    try:
        run(connection, f"DROP {name}")
    except (psycopg2.errors.DependentObjectsStillExist, psycopg2.errors.UndefinedObject):
        run(connection, "ROLLBACK TO before_drop")


def _apply_all(connection: Any, say: Any) -> None:
    for file in (f for f in sql_files() if f.kind == "repeatable"):
        try:
            _run_file(connection, file, say)
        except psycopg2.Error as error:
            raise MigrationError(f"sql/{file.name}: {error}") from error


def _run_file(connection: Any, file: SqlFile, say: Any) -> None:
    started = time.perf_counter()
    run(connection, file.text)
    ms = round((time.perf_counter() - started) * 1000)
    _record(connection, file, ms)
    say(f"sql/{file.name} ({ms} ms)")


def _record(connection: Any, file: SqlFile, ms: int) -> None:
    run(
        connection,
        "INSERT INTO schema_history (name, kind, sha256, ms) VALUES (%s, %s, %s, %s)"
        " ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256, applied_at = now(), ms = excluded.ms",
        (file.name, file.kind, file.sha256, ms),
    )
