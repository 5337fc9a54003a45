"""The migration runner applies files once, repeatable files whenever they change, and rejects changed history."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg2
import pytest

from geoshops.database import migrations, sql_files
from tests.conftest import execute, with_database


@pytest.fixture
def fresh(server_url: str) -> Iterator[str]:
    name = f"geoshops_migrate_{os.getpid()}"
    execute(server_url, f"DROP DATABASE IF EXISTS {name}", f"CREATE DATABASE {name}")
    yield with_database(server_url, name)
    execute(server_url, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("schema", "changes", "functions", "views"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(sql_files, "SQL", tmp_path)
    (tmp_path / "schema" / "01.sql").write_text(
        "CREATE TABLE a (x int); INSERT INTO a VALUES (100 % 7);"
    )
    (tmp_path / "functions" / "f.sql").write_text(
        "CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql RETURN 1;"
    )
    return tmp_path


def value(url: str, statement: str) -> Any:
    with psycopg2.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        row = cursor.fetchone()
        return row[0] if row else None


def quietly(_: str) -> None:
    """Prints nothing."""


def test_applied_once_and_again_when_a_function_changes(fresh: str, folder: Path) -> None:
    assert migrations.upgrade(fresh, quietly) == 2
    assert migrations.upgrade(fresh, quietly) == 0
    (folder / "functions" / "f.sql").write_text(
        "CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql RETURN 2;"
    )
    assert ("functions/f.sql", "changed") in migrations.status(fresh)
    assert migrations.upgrade(fresh, quietly) == 1
    assert value(fresh, "SELECT f()") == 2


def test_built_indexes_are_not_counted_as_files(
    fresh: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("geoshops.database.deferred_indexes.build_missing", lambda *_: 6)
    assert migrations.upgrade(fresh, quietly) == len(migrations.status(fresh)) == 2


def test_a_function_with_other_parameters_replaces_the_old_one(fresh: str, folder: Path) -> None:
    migrations.upgrade(fresh, quietly)
    (folder / "functions" / "f.sql").write_text(
        "CREATE OR REPLACE FUNCTION f(x int) RETURNS int LANGUAGE sql RETURN x;"
    )
    assert migrations.upgrade(fresh, quietly) == 1
    assert value(fresh, "SELECT count(*) FROM pg_proc WHERE proname = 'f'") == 1
    assert value(fresh, "SELECT f(7)") == 7


def test_a_renamed_file_of_functions_is_not_unknown(fresh: str, folder: Path) -> None:
    migrations.upgrade(fresh, quietly)
    (folder / "functions" / "f.sql").rename(folder / "functions" / "g.sql")
    assert {*migrations.status(fresh)} == {
        ("schema/01.sql", "applied"), ("functions/g.sql", "pending"), ("functions/f.sql", "unknown")
    }  # fmt: skip
    migrations.upgrade(fresh, quietly)
    assert {state for _, state in migrations.status(fresh)} == {"applied"}


def test_a_changed_signature_recreates_functions_and_views(fresh: str, folder: Path) -> None:
    function = folder / "functions" / "f.sql"
    comment = "COMMENT ON FUNCTION f IS 'one of that name';"
    (folder / "views" / "v.sql").write_text("CREATE OR REPLACE VIEW v AS SELECT f() AS one;")
    function.write_text(
        f"CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql RETURN 1;{comment}"
    )
    migrations.upgrade(fresh, quietly)
    # changed parameters while a view uses the old ones, a changed result type, changed columns
    function.write_text(
        f"CREATE OR REPLACE FUNCTION f(x int DEFAULT 3) RETURNS text LANGUAGE sql RETURN x::text;{comment}"
    )
    (folder / "views" / "v.sql").write_text(
        "CREATE OR REPLACE VIEW v AS SELECT 2 AS two, f() AS x;"
    )
    assert migrations.upgrade(fresh, quietly) == 2
    assert value(fresh, "SELECT x FROM v") == "3"
    assert value(fresh, "SELECT count(*) FROM pg_proc WHERE proname = 'f'") == 1
    assert {state for _, state in migrations.status(fresh)} == {"applied"}
    assert value(fresh, "SELECT x FROM a") == 2


def test_a_rewritten_versioned_file_is_rejected(fresh: str, folder: Path) -> None:
    migrations.upgrade(fresh, quietly)
    (folder / "schema" / "01.sql").write_text("CREATE TABLE a (x bigint);")
    with pytest.raises(sql_files.MigrationError, match="sql/changes"):
        migrations.upgrade(fresh, quietly)


def test_comments_of_an_applied_file_may_be_reworded(fresh: str, folder: Path) -> None:
    migrations.upgrade(fresh, quietly)
    (folder / "schema" / "01.sql").write_text(
        "-- Numbers; 'without' units.\nCREATE TABLE a (x int); INSERT INTO a VALUES (100 % 7);  -- 2"
        "\nCOMMENT ON TABLE a IS 'Numbers; not the author''s';\n"
    )
    assert migrations.upgrade(fresh, quietly) == 0
    assert ("schema/01.sql", "applied") in migrations.status(fresh)


def test_a_database_with_all_merged_changes_is_adopted(fresh: str, folder: Path) -> None:
    migrations.upgrade(fresh, quietly)
    with psycopg2.connect(fresh) as connection, connection.cursor() as cursor:
        cursor.execute(
            "UPDATE schema_history SET sha256 = repeat('0', 64) WHERE kind = 'versioned'"
        )
        cursor.execute(
            "INSERT INTO schema_history (name, kind, sha256, ms) VALUES (%s, 'versioned', '', 0)",
            (migrations.LAST_MERGED,),
        )
    (folder / "changes" / "20270101_later.sql").write_text("CREATE TABLE later (x int)")
    assert migrations.upgrade(fresh, quietly) == 1
    assert {*migrations.status(fresh)} == {
        ("schema/01.sql", "applied"), ("functions/f.sql", "applied"), ("changes/20270101_later.sql", "applied")
    }  # fmt: skip


def test_a_database_without_all_merged_changes_is_rejected(fresh: str, folder: Path) -> None:
    migrations.upgrade(fresh, quietly)
    with psycopg2.connect(fresh) as connection, connection.cursor() as cursor:
        cursor.execute(
            "UPDATE schema_history SET sha256 = repeat('0', 64) WHERE kind = 'versioned'"
        )
    with pytest.raises(sql_files.MigrationError, match="db reset"):
        migrations.upgrade(fresh, quietly)


def test_a_failing_file_changes_nothing_and_is_named(fresh: str, folder: Path) -> None:
    migrations.upgrade(fresh, quietly)
    (folder / "changes" / "20260101_bad.sql").write_text("CREATE TABLE b (x int); SELECT nonsense;")
    with pytest.raises(sql_files.MigrationError, match="20260101_bad"):
        migrations.upgrade(fresh, quietly)
    assert value(fresh, "SELECT to_regclass('b')") is None
    assert ("changes/20260101_bad.sql", "pending") in migrations.status(fresh)


def test_a_file_may_run_outside_a_transaction(fresh: str, folder: Path) -> None:
    (folder / "changes" / "20260102_index.sql").write_text(
        f"{migrations.NO_TRANSACTION}\nCREATE INDEX CONCURRENTLY a_x ON a (x)"
    )
    assert migrations.upgrade(fresh, quietly) == 3
    assert value(fresh, "SELECT to_regclass('a_x')") == "a_x"


def test_two_runners_at_once_apply_everything_once(fresh: str, folder: Path) -> None:
    counts: list[int] = []
    threads = [
        threading.Thread(target=lambda: counts.append(migrations.upgrade(fresh, quietly)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(counts) == [0, 0, 0, 2] and value(fresh, "SELECT count(*) FROM a") == 1


def test_reset_drops_ours_and_keeps_extensions(fresh: str) -> None:
    migrations.upgrade(fresh, quietly)
    migrations.reset(fresh)
    assert value(fresh, "SELECT to_regclass('shops')") is None
    assert value(fresh, "SELECT count(*) FROM pg_extension WHERE extname = 'postgis'") == 1
    assert migrations.upgrade(fresh, quietly) > 10
