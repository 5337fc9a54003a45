"""The machine check: in order on a good database, a remedy for each fault, exit code 1."""

import json
import socket
from pathlib import Path

import psycopg2
import pytest
from click.testing import CliRunner

from geoshops import doctor
from geoshops.config import Settings
from tests.conftest import SECRET_KEY, execute, with_database


def findings(url: str) -> dict[str, doctor.Finding]:
    settings = Settings(database_url=url, secret_key=SECRET_KEY)
    return {f.name: f for f in doctor.check_database(settings, workers=2)}


def test_a_complete_database_needs_no_remedy_but_a_role(database_url: str) -> None:
    faults = {name for name, f in findings(database_url).items() if not f.ok}
    assert faults == {"role"}, "the tests connect as superuser, which the service must not"


def test_an_empty_database_is_sent_to_upgrade_and_extensions(server_url: str) -> None:
    execute(server_url, "DROP DATABASE IF EXISTS bare", "CREATE DATABASE bare TEMPLATE template0")
    found = findings(with_database(server_url, "bare"))
    assert found["schema"].remedy == "geoshops db upgrade"
    assert "CREATE EXTENSION postgis;" in found["extensions"].remedy
    execute(server_url, "DROP DATABASE bare")


def test_locale_c_is_refused_because_trigrams_lose_hangul(server_url: str) -> None:
    execute(
        server_url,
        "DROP DATABASE IF EXISTS in_c",
        "CREATE DATABASE in_c TEMPLATE template0 LOCALE 'C' ENCODING 'UTF8'",
    )
    connection = psycopg2.connect(with_database(server_url, "in_c"))
    try:
        assert "C.UTF-8" in doctor.check_text(connection).remedy
    finally:
        connection.close()
    execute(server_url, "DROP DATABASE in_c")


def test_more_connections_than_the_server_has_is_a_fault(database_url: str) -> None:
    settings = Settings(database_url=database_url, secret_key=SECRET_KEY)
    found = {f.name: f for f in doctor.check_database(settings, workers=1000)}
    assert "WEB_CONCURRENCY" in found["connections"].remedy


def test_a_server_that_looks_for_deadlocks_too_late_is_told_of_and_no_fault(
    database_url: str,
) -> None:
    for sought, told in (("1s", True), ("200ms", False)):
        options = f"-c lock_timeout=500ms -c deadlock_timeout={sought}"
        connection = psycopg2.connect(database_url, options=options)
        found = doctor.check_deadlocks(connection)
        connection.close()
        assert found.ok
        assert ("ALTER ROLE" in found.detail) is told


def test_a_role_without_limits_is_a_fault(database_url: str) -> None:
    def found(options: str, **more: str) -> doctor.Finding:
        settings = Settings(database_url=database_url, secret_key=SECRET_KEY, **more)
        connection = psycopg2.connect(database_url, options=options)
        finding = doctor.check_limits(connection, settings)
        connection.close()
        return finding

    some = "-c statement_timeout=2s -c lock_timeout=500ms"
    every = f"{some} -c idle_in_transaction_session_timeout=10s"
    assert "20_limits.sql" in found("", owner_database_url=database_url).remedy
    lacking = found(some, owner_database_url=database_url)
    assert lacking.detail == "not set: idle_in_transaction_session_timeout"
    assert found(every, owner_database_url=database_url).ok
    assert found("").ok


def test_a_secret_whose_file_is_missing_is_told_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GEOSHOPS_SECRET_KEY_FILE", str(tmp_path / "none"))
    result = CliRunner().invoke(doctor.doctor)
    assert result.exit_code == 1
    assert "GEOSHOPS_SECRET_KEY_FILE: " in result.stdout


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("GEOSHOPS_IDP", "foo", "provider foo"),
        ("GEOSHOPS_IDP_MORE", "/no/such/file", "GEOSHOPS_IDP_MORE"),
        ("GEOSHOPS_RATELIMIT_STORAGE_URI", "foo", "GEOSHOPS_RATELIMIT_STORAGE_URI"),
    ],
)
def test_what_the_service_refuses_is_told_of(
    name: str, value: str, told: str, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for given in (("DATABASE_URL", database_url), ("GEOSHOPS_SECRET_KEY", SECRET_KEY), (name, value)):  # fmt: skip
        monkeypatch.setenv(*given)
    monkeypatch.setenv("GEOSHOPS_IDP_CLIENT_ID", "x")
    monkeypatch.setenv("GEOSHOPS_IDP_ISSUER", "https://id.example")
    result = CliRunner().invoke(doctor.doctor, ["--json"])
    (found,) = (c for c in json.loads(result.stdout)["checks"] if c["name"] == "settings")
    assert (found["ok"], told in found["detail"]) == (False, True), found
    assert "database" in result.stdout, "the rest is looked at all the same"


def test_an_unreachable_database_is_one_finding_with_a_remedy() -> None:
    found = findings("postgresql://nobody@127.0.0.1:1/none")
    assert list(found) == ["database"]
    assert "scripts/db start" in found["database"].remedy


def test_a_port_of_another_program_is_a_fault_and_a_free_one_is_not() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
        other.listen()
        assert "PORT" in doctor.check_port("127.0.0.1", port).remedy
    assert doctor.check_port("127.0.0.1", port).ok


def test_passwords_that_others_can_read_are_a_fault(tmp_path: Path) -> None:
    env = tmp_path / ".env"
    env.write_text("A=b\n")
    env.chmod(0o644)
    assert doctor.check_env_file(env).remedy == f"chmod 600 {env}"
    env.chmod(0o600)
    assert doctor.check_env_file(env).ok


def test_json_and_exit_code_say_the_same(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("GEOSHOPS_SECRET_KEY", "short")
    result = CliRunner().invoke(doctor.doctor, ["--json"])
    report = json.loads(result.stdout)
    assert result.exit_code == 1
    assert report["ok"] is False
    faulty = {check["name"] for check in report["checks"] if not check["ok"]}
    assert "settings" in faulty
    assert all(bool(check["remedy"]) != check["ok"] for check in report["checks"])
