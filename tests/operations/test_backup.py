"""Backup and restore: every row, rule and grant comes back, and nothing is overwritten without confirmation."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg2
import pytest
from click.testing import CliRunner, Result

from geoshops import create_app
from geoshops.cli import main
from geoshops.operations import checksums
from tests.conftest import ROLE_PASSWORD, ROOT, SECRET_KEY, as_role, execute, with_database
from tests.make import Maker
from tests.sql.violations import BASE

EXTENSIONS = (ROOT / "scripts" / "setup.d" / "extensions.sql").read_text(encoding="utf-8")
OWNER = "geoshops_test_owner"
PATHS = ("/shops/1", "/reviews/1", "/reviews/shop/1", "/brands", "/titles/1.svg", "/readyz")


def run(url: str, *words: str) -> Result:
    environment = {"DATABASE_URL": url, "GEOSHOPS_OWNER_DATABASE_URL": url}
    return CliRunner().invoke(main, words, env=environment)


@pytest.fixture
def filled(make: Maker, database_url: str) -> str:
    """A database with rows in every table."""
    make.sql(BASE)
    make.sql("SELECT setval(pg_get_serial_sequence('shops', 'id'), 500)")
    return database_url


@pytest.fixture
def target(server_url: str) -> Iterator[str]:
    """An empty database as on a new server: a superuser created the extensions, the owner has no other rights."""
    name = f"geoshops_restored_{os.getpid()}"
    make_owner = (
        f"DO $$ BEGIN CREATE ROLE {OWNER} LOGIN PASSWORD '{ROLE_PASSWORD}';"
        " EXCEPTION WHEN duplicate_object THEN NULL; END $$"
    )
    drop = f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"
    execute(server_url, make_owner, drop, f"CREATE DATABASE {name} OWNER {OWNER}")
    url = with_database(server_url, name)
    execute(url, EXTENSIONS)
    yield url
    execute(server_url, drop)


def owned(url: str) -> str:
    return as_role(url, OWNER)


def test_every_row_rule_and_grant_comes_back(filled: str, target: str, tmp_path: Path) -> None:
    file = tmp_path / "saved"
    assert run(filled, "backup", str(file)).exit_code == 0
    done = run(owned(target), "restore", str(file))
    assert done.exit_code == 0, done.output
    assert "restored and verified" in done.output
    rows = {}
    for url in (filled, target):
        with psycopg2.connect(url) as connection:
            rows[url] = checksums.fingerprint(connection.cursor(), lambda _: None)
    assert rows[filled] == rows[target]
    empty = [name for name, text in rows[target]["tables"].items() if text.startswith("0 rows")]
    assert empty == [] and len(rows[target]["tables"]) > 20
    with psycopg2.connect(target) as connection, connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO shops (place_name, geog) VALUES ('x', 'POINT(127 37)') RETURNING id"
        )
        assert cursor.fetchone() == (501,)


def test_the_restored_service_returns_the_same_responses_with_the_same_rights(
    filled: str, target: str, tmp_path: Path
) -> None:
    file = tmp_path / "saved"
    run(filled, "backup", str(file))
    run(owned(target), "restore", str(file))
    responses = []
    for url in (filled, target):
        config = {
            "database_url": as_role(url, "geoshops_app"),
            "secret_key": SECRET_KEY,
            "testing": True,
        }
        client = create_app(config).test_client()
        responses.append([(a.status_code, a.get_data()) for a in map(client.get, PATHS)])
    assert responses[0] == responses[1]
    assert [status for status, _ in responses[0]] == [200] * len(PATHS)
    with (
        psycopg2.connect(as_role(target, "geoshops_app")) as connection,
        pytest.raises(psycopg2.errors.InsufficientPrivilege),
    ):
        connection.cursor().execute("DELETE FROM shops")


WRITE = """
INSERT INTO favorites (id, member_id, shop_id, created_at) VALUES (%(n)s, 2, 1, now());
INSERT INTO audit_log (id, actor, action, subject, reason) VALUES (%(n)s, 'a', 'b', 'c', 'd');
DELETE FROM favorites WHERE member_id = 2"""


def test_a_backup_is_a_consistent_snapshot_and_does_not_block_writes(
    filled: str, target: str, tmp_path: Path
) -> None:
    stop, written = threading.Event(), []

    def write() -> None:
        connection = psycopg2.connect(filled)
        connection.autocommit = True
        while not stop.is_set():
            connection.cursor().execute(WRITE, {"n": 1000 + len(written)})
            written.append(1)
        connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        done = run(filled, "backup", str(tmp_path / "saved"))
    finally:
        stop.set()
        writer.join()
    assert done.exit_code == 0, done.output
    assert len(written) > 20
    assert run(owned(target), "restore", str(tmp_path / "saved")).exit_code == 0


def test_a_filled_database_is_not_overwritten_without_confirmation(
    filled: str, target: str, tmp_path: Path
) -> None:
    file = tmp_path / "saved"
    run(filled, "backup", str(file))
    assert run(owned(target), "restore", str(file)).exit_code == 0
    execute(target, "UPDATE members SET nickname = '다른 이름' WHERE id = 1")
    result = run(owned(target), "restore", str(file))
    assert result.exit_code == 1 and "not empty" in result.output
    assert CliRunner().invoke(
        main, ["restore", str(file), "--replace"], input="n\n",
        env={"DATABASE_URL": owned(target), "GEOSHOPS_OWNER_DATABASE_URL": owned(target)},
    ).exit_code == 1  # fmt: skip
    with psycopg2.connect(target) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT nickname FROM members WHERE id = 1")
        assert cursor.fetchone() == ("다른 이름",)
    assert (
        run(owned(target), "restore", str(file), "--replace", "--yes", "--jobs", "2").exit_code == 0
    )
    with psycopg2.connect(target) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT nickname FROM members WHERE id = 1")
        assert cursor.fetchone() == ("하나",)


def test_a_damaged_backup_is_rejected_before_anything_is_changed(
    filled: str, target: str, tmp_path: Path
) -> None:
    file = tmp_path / "saved"
    run(filled, "backup", str(file))
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    result = run(owned(target), "restore", str(file), "--replace", "--yes")
    assert result.exit_code == 1 and "damaged" in result.output
    Path(f"{file}.json").unlink()
    assert "must both exist" in run(owned(target), "restore", str(file)).output


def test_missing_extensions_and_roles_are_reported(
    filled: str, target: str, server_url: str, tmp_path: Path
) -> None:
    file = tmp_path / "saved"
    run(filled, "backup", str(file))
    name = target.rpartition("/")[2]
    again = f"CREATE DATABASE {name} OWNER {OWNER}"
    execute(server_url, f"DROP DATABASE {name} WITH (FORCE)", again)
    result = run(owned(target), "restore", str(file))
    assert result.exit_code == 1 and "extensions are missing: btree_gist" in result.output
    listed = json.loads(Path(f"{file}.json").read_text())
    listed["grants"]["shops to somebody_else"] = "x"
    Path(f"{file}.json").write_text(json.dumps(listed))
    result = run(owned(target), "restore", str(file))
    assert result.exit_code == 1 and "roles are missing: somebody_else" in result.output


def test_a_backup_that_fails_leaves_nothing(tmp_path: Path) -> None:
    gone = "postgresql://nobody@127.0.0.1:9/none"
    result = run(gone, "backup", str(tmp_path / "saved"))
    assert result.exit_code == 1 and list(tmp_path.iterdir()) == []


def test_a_difference_between_backup_and_restored_database_is_reported(
    filled: str, target: str, tmp_path: Path
) -> None:
    file = tmp_path / "saved"
    run(filled, "backup", str(file))
    listed = json.loads(Path(f"{file}.json").read_text())
    listed["tables"]["favorites"] = "3 rows 1 2"
    listed["grants"]["shops to geoshops_app"] = "none"
    Path(f"{file}.json").write_text(json.dumps(listed))
    result = run(owned(target), "restore", str(file))
    assert result.exit_code == 1
    assert "tables: favorites: 3 rows 1 2 in the backup" in result.output
    assert "grants: shops to geoshops_app" in result.output


def test_a_backup_is_private_and_not_overwritten(filled: str, tmp_path: Path) -> None:
    file = tmp_path / "saved"
    run(filled, "backup", str(file))
    assert {stat.S_IMODE(p.stat().st_mode) for p in (file, Path(f"{file}.json"))} == {0o600}
    assert "exists" in run(filled, "backup", str(file)).output
    assert run(filled, "backup", str(file), "--force").exit_code == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["saved", "saved.json"]
