"""The command line: invalid options and settings are rejected before the database is queried or changed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geoshops.__about__ import VERSION
from geoshops.cli import main
from tests.conftest import SECRET_KEY
from tests.server import free_port

ROOT = Path(__file__).resolve().parent.parent
TOO_LARGE = str(2**63)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


@pytest.mark.parametrize(
    "words",
    [
        ("sessions", "purge", "--days", "-5"),
        ("sessions", "purge", "--days", "99999999"),
        ("idempotency", "clean", "--older-than-hours", "23"),
        ("idempotency", "clean", "--older-than-hours", "9999999999"),
        ("members", "unlink-pending", "--at-most", "0"),
        ("moderate", "list", "--at-most", TOO_LARGE),
        ("moderate", "log", "--at-most", "-1"),
        ("moderate", "hide", TOO_LARGE, "--reason", "x"),
        ("moderate", "show", "0", "--reason", "x"),
        ("moderate", "dismiss", "1", TOO_LARGE, "--reason", "x"),
        ("shops", "set", TOO_LARGE, "phone=1", "--reason", "x"),
        ("shops", "merge", "5", TOO_LARGE, "--reason", "x"),
        ("shops", "keep-apart", "0", "5", "--reason", "x"),
        ("doctor", "--port", "99999"),
        ("doctor", "--workers", "-2"),
        ("sql", "run", "x", "--timeout", "99999999999"),
        ("import", "regions", "x.geojson", "--max-vertices", "0"),
        ("import", "regions", "x.geojson", "--max-bytes", "-1"),
        ("import", "population", "x.csv", "--cell-size", "nan"),
        ("import", "population", "x.csv", "--cell-size", "inf"),
    ],
)
def test_invalid_numbers_are_rejected_by_their_option(words: tuple[str, ...]) -> None:
    done = run(*words)
    assert done.exit_code == 2, done.output
    named = next((word for word in words if word.startswith("--") and word != "--reason"), "")
    assert f"Invalid value for '{named}" in done.output


@pytest.mark.parametrize(
    ("name", "value"),
    [("GEOSHOPS_IDP", "foo"), ("GEOSHOPS_RATELIMIT_STORAGE_URI", "foo"), ("DATABASE_URL", "")],
)
def test_invalid_settings_end_the_server_with_one_line(name: str, value: str) -> None:
    environment = {
        "PATH": os.environ["PATH"], "PORT": str(free_port()), "WEB_CONCURRENCY": "1", "GEOSHOPS_SCHEDULER": "off",
        "DATABASE_URL": "postgresql://127.0.0.1:1/none", "GEOSHOPS_SECRET_KEY": SECRET_KEY,
        "GEOSHOPS_IDP": "", "GEOSHOPS_IDP_CLIENT_ID": "x", name: value,
    }  # fmt: skip
    ended = subprocess.run(
        [str(ROOT / "scripts" / "serve")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    lines = [line for line in ended.stderr.splitlines() if line.startswith("geoshops: ")]
    assert ended.returncode == 1
    assert name in lines[0] or (value and value in lines[0])
    assert len(set(lines)) == 1 and "Traceback" not in ended.stdout + ended.stderr


@pytest.mark.parametrize(
    "words",
    [
        "recount", "moderate list", "moderate log", "tiles refresh", "titles refresh", "shops displays", "titles award",
        "sessions purge", "idempotency clean", "members unlink-pending", "search 홍대", "shops duplicates",
        "brands list", "db status", "db upgrade", "seed --shops 1", "backup none", "export shops",
    ],
)  # fmt: skip
def test_a_database_that_is_down_is_reported_in_one_line(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("DATABASE_URL", "GEOSHOPS_OWNER_DATABASE_URL", "GEOSHOPS_READER_DATABASE_URL"):
        monkeypatch.setenv(name, "postgresql://nobody@127.0.0.1:1/none")
    monkeypatch.setenv("GEOSHOPS_SECRET_KEY", SECRET_KEY)
    done = run(*words.split())
    assert done.exit_code == 1
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.stderr.startswith("Error: the database does not respond"), done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_missing_folder_is_reported_in_one_line(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    done = run("backup", str(tmp_path / "none" / "x"))
    assert (done.exit_code, len(done.stderr.splitlines())) == (1, 1), done.stderr
    assert "No such file or directory" in done.stderr


def test_the_version_is_the_products_own() -> None:
    assert run("--version").output == f"geoshops {VERSION}\n"


def test_imports_offer_no_option_that_they_ignore() -> None:
    for words in (("--format", "csv"), ("--delimiter", ";")):
        result = run("import", "regions", "x.geojson", *words)
        assert (result.exit_code, "No such option" in result.output) == (2, True)
    for what, option in (("shops", "--format"), ("regions", "--level")):
        result = run("import", what, "x", option, "")
        assert (result.exit_code, f"value for '{option}'" in result.output) == (2, True)


@pytest.mark.parametrize("port", ["abc", "99999", "0", "-1", "8e3"])
def test_an_invalid_port_is_reported_in_one_line(port: str) -> None:
    ended = subprocess.run(
        ["scripts/serve"], cwd=ROOT, env={**os.environ, "PORT": port}, capture_output=True, text=True
    )  # fmt: skip
    assert ended.returncode == 1
    assert ended.stderr == f"geoshops: PORT must be a number between 1 and 65535, not '{port}'\n"


def test_an_unknown_program_of_the_cluster_is_not_fetched() -> None:
    ended = subprocess.run(
        ["scripts/cluster", "program", "sh"], cwd=ROOT, capture_output=True, text=True
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "program must be etcd, haproxy or pgbouncer, not 'sh'" in ended.stderr


WITHOUT_GEODATA = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numpy", "shapely"):
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Missing())
from geoshops.cli import main
main()
"""


def without_geodata(*args: str) -> subprocess.CompletedProcess[str]:
    """Runs a command without the libraries of the extra `operator`, as in the service's image."""
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_GEODATA, *args],
        env={**os.environ, "GEOSHOPS_TESTING": "1"},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def test_a_command_loads_only_what_it_needs() -> None:
    program = "import sys, geoshops.cli; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "geoshops.cli" in loaded
    assert not {"geoshops.database.models", "geoshops.web.operation", "requests"} & {*loaded}


def test_commands_of_the_service_need_no_geodata_libraries() -> None:
    listed = without_geodata("--help")
    assert listed.returncode == 0, listed.stderr
    assert re.search(r"^  import +Not available", listed.stdout, re.MULTILINE)
    assert without_geodata("settings").returncode == 0
    assert without_geodata("doctor", "--help").returncode == 0


@pytest.mark.parametrize("command", [("import", "shops", "f.csv", "--dry-run"), ("seed", "--help")])
def test_a_command_without_its_libraries_names_the_remedy(command: tuple[str, ...]) -> None:
    failed = without_geodata(*command)
    assert failed.returncode == 1
    assert re.search(r"needs the Python package (numpy|shapely)", failed.stderr)
    assert "geoshops[operator]" in failed.stderr
