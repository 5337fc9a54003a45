"""geoshops doctor: passes on a complete database; otherwise names a remedy for each fault and exits with 1."""

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg2
import pytest
from click.testing import CliRunner

from geoshops.cli import main
from geoshops.config import Settings
from geoshops.map import card
from geoshops.operations import doctor
from tests.conftest import ROLE_PASSWORD, SECRET_KEY, as_role, execute, with_database


def findings(url: str) -> dict[str, doctor.Finding]:
    settings = Settings(database_url=url, secret_key=SECRET_KEY)
    return {f.name: f for f in doctor.check_database(settings, workers=2)}


def test_missing_fonts_of_preview_pictures_are_a_notice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [card.FONTS / name for name in (card.BOLD, card.REGULAR)] == [*doctor.CARD_FONTS]
    present, missing = tmp_path / "bold.ttc", tmp_path / "regular.ttc"
    present.touch()
    monkeypatch.setattr(doctor, "CARD_FONTS", (present,))
    assert doctor.check_fonts() == doctor.Finding("fonts", "1 present, for previews of shops")
    monkeypatch.setattr(doctor, "CARD_FONTS", (present, missing))
    finding = doctor.check_fonts()
    assert finding.ok and str(missing) in finding.detail and str(present) not in finding.detail
    assert "apt-get install fonts-noto-cjk" in finding.detail


def test_a_complete_database_needs_no_remedy_except_for_its_role(database_url: str) -> None:
    faults = {name for name, f in findings(database_url).items() if not f.ok}
    assert faults == {"role"}, "the tests connect as superuser, which the service must not"


def test_an_empty_database_gets_the_remedies_upgrade_and_create_extension(server_url: str) -> None:
    execute(server_url, "DROP DATABASE IF EXISTS bare", "CREATE DATABASE bare TEMPLATE template0")
    by_name = findings(with_database(server_url, "bare"))
    assert by_name["schema"].remedy == "geoshops db upgrade"
    assert "CREATE EXTENSION postgis;" in by_name["extensions"].remedy
    execute(server_url, "DROP DATABASE bare")


def test_locale_c_is_rejected_because_trigrams_lose_hangul(server_url: str) -> None:
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
    by_name = {f.name: f for f in doctor.check_database(settings, workers=1000)}
    assert "WEB_CONCURRENCY" in by_name["connections"].remedy


def test_a_long_deadlock_timeout_is_a_notice_not_a_failure(
    database_url: str,
) -> None:
    for timeout, is_reported in (("1s", True), ("200ms", False)):
        options = f"-c lock_timeout=500ms -c deadlock_timeout={timeout}"
        connection = psycopg2.connect(database_url, options=options)
        finding = doctor.check_deadlocks(connection)
        connection.close()
        assert finding.ok
        assert ("ALTER ROLE" in finding.detail) is is_reported


@pytest.fixture
def bare_role(server_url: str, database_url: str) -> Iterator[str]:
    """URL of a role that owns nothing and has no limits."""
    execute(server_url, f"CREATE ROLE bare_role LOGIN PASSWORD '{ROLE_PASSWORD}'")
    yield as_role(database_url, "bare_role")
    execute(server_url, "DROP ROLE bare_role")


def check_as(url: str, check: Callable[[Any], doctor.Finding]) -> doctor.Finding:
    connection = psycopg2.connect(url)
    try:
        return check(connection)
    finally:
        connection.close()


def test_limits_are_read_from_the_catalog_not_from_the_session(
    bare_role: str, server_url: str
) -> None:
    # settings of the current session do not apply to the service's next session
    with_options = f"{bare_role}?options=-cstatement_timeout%3D2s%20-clock_timeout%3D500ms"
    lacking = check_as(with_options, doctor.check_limits)
    assert lacking.remedy == "a superuser runs sql/grants/20_limits.sql"
    assert "statement_timeout of bare_role" in lacking.detail
    for setting in ("statement_timeout", "lock_timeout"):
        execute(server_url, f"ALTER ROLE bare_role SET {setting} = '2s'")
    execute(server_url, "ALTER ROLE bare_role SET idle_in_transaction_session_timeout = 0")
    lacking = check_as(bare_role, doctor.check_limits)
    assert lacking.detail == "not set: idle_in_transaction_session_timeout of bare_role"
    execute(server_url, "ALTER ROLE bare_role SET idle_in_transaction_session_timeout = '10s'")
    assert check_as(bare_role, doctor.check_limits).ok


def test_ownership_is_read_from_the_catalog(
    database_url: str, service_url: str, bare_role: str, server_url: str
) -> None:
    superuser = urlsplit(database_url).username
    finding = check_as(service_url, doctor.check_role)
    assert (finding.ok, finding.detail) == (
        True,
        f"geoshops_app; the schema belongs to {superuser}",
    )
    assert check_as(service_url, doctor.check_limits).ok
    owner_url = with_database(bare_role, "owned_by_bare_role")
    execute(server_url, "CREATE DATABASE owned_by_bare_role OWNER bare_role")
    try:
        assert "not applied" in check_as(owner_url, doctor.check_role).detail
        execute(
            with_database(server_url, "owned_by_bare_role"),
            "GRANT CREATE ON SCHEMA public TO bare_role",
        )
        execute(owner_url, "CREATE TABLE shops ()")
        finding = check_as(owner_url, doctor.check_role)
        assert finding.detail == "bare_role, which also owns the schema"
        assert "uses the schema's owner" in check_as(owner_url, doctor.check_limits).detail
    finally:
        execute(server_url, "DROP DATABASE owned_by_bare_role")


def test_a_missing_secret_file_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GEOSHOPS_SECRET_KEY_FILE", str(tmp_path / "none"))
    result = CliRunner().invoke(main, ["doctor"])
    assert result.exit_code == 1
    assert "GEOSHOPS_SECRET_KEY_FILE: " in result.stdout


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("GEOSHOPS_IDP", "foo", "provider foo"),
        ("GEOSHOPS_IDP_MORE", "/no/such/file", "GEOSHOPS_IDP_MORE"),
        ("GEOSHOPS_RATELIMIT_STORAGE_URI", "foo", "GEOSHOPS_RATELIMIT_STORAGE_URI"),
    ],
)
def test_settings_that_the_service_rejects_are_reported(
    name: str, value: str, message: str, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for given in (("DATABASE_URL", database_url), ("GEOSHOPS_SECRET_KEY", SECRET_KEY), (name, value)):  # fmt: skip
        monkeypatch.setenv(*given)
    monkeypatch.setenv("GEOSHOPS_IDP_CLIENT_ID", "x")
    monkeypatch.setenv("GEOSHOPS_IDP_ISSUER", "https://id.example")
    result = CliRunner().invoke(main, ["doctor", "--json"])
    (finding,) = (c for c in json.loads(result.stdout)["checks"] if c["name"] == "settings")
    assert (finding["ok"], message in finding["detail"]) == (False, True), finding
    assert "database" in result.stdout, "the other checks run anyway"


def test_an_unreachable_database_is_one_finding_with_a_remedy() -> None:
    by_name = findings("postgresql://nobody@127.0.0.1:1/none")
    assert list(by_name) == ["database"]
    assert "scripts/db start" in by_name["database"].remedy


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


def test_json_and_exit_code_agree(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("GEOSHOPS_SECRET_KEY", "short")
    result = CliRunner().invoke(main, ["doctor", "--json"])
    report = json.loads(result.stdout)
    assert result.exit_code == 1
    assert report["ok"] is False
    faulty = {check["name"] for check in report["checks"] if not check["ok"]}
    assert "settings" in faulty
    assert all(bool(check["remedy"]) != check["ok"] for check in report["checks"])
