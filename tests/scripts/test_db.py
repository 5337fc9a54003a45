"""scripts/db: the cluster of a checkout survives crashes, and no other process is touched."""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg2
import pytest

ROOT = Path(__file__).resolve().parents[2]


class Checkout:
    """A copy of scripts/ in a separate folder, and its verbs."""

    def __init__(self, root: Path, states: Path) -> None:
        self.root, self.states = root, states
        shutil.copytree(ROOT / "scripts", root / "scripts")
        shutil.copytree(ROOT / "sql" / "grants", root / "sql" / "grants")

    def db(self, *args: str, **environ: str) -> subprocess.CompletedProcess[str]:
        inherited = {k: v for k, v in os.environ.items() if "DATABASE_URL" not in k}
        place = {"GEOSHOPS_STATE_DIR": str(self.states)}
        return subprocess.run(
            [str(self.root / "scripts" / "db"), *args],
            env={**inherited, **place, **environ},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=120,
            check=False,
        )

    def settings(self) -> dict[str, str]:
        lines = (self.root / ".env").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)

    def ask(self, name: str, statement: str) -> object:
        connection = psycopg2.connect(self.settings()[name])
        try:
            cursor = connection.cursor()
            cursor.execute(statement)
            row = cursor.fetchone()
            connection.commit()
            return row[0] if row else None
        finally:
            connection.close()

    def state(self) -> Path:
        return Path(self.settings()["GEOSHOPS_CLUSTER"])

    def postmaster(self) -> int:
        return int((self.state() / "data" / "postmaster.pid").read_text().split()[0])


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    # PostgreSQL's user cannot enter pytest's folders.
    with tempfile.TemporaryDirectory(prefix="geoshops-state.") as states:
        Path(states).chmod(0o755)
        made = Checkout(tmp_path_factory.mktemp("a") / "a checkout", Path(states))
        created = made.db("create")
        assert created.returncode == 0, created.stderr
        yield made
        assert made.db("destroy", "--yes").returncode == 0


def test_roles_have_what_they_need_and_no_more(checkout: Checkout) -> None:
    may = "SELECT array[rolsuper, rolcreaterole, rolcreatedb] FROM pg_roles WHERE rolname = user"
    assert checkout.ask("DATABASE_URL", may) == [False, False, False]
    assert checkout.ask("GEOSHOPS_OWNER_DATABASE_URL", may) == [False, False, False]
    assert checkout.ask("GEOSHOPS_READER_DATABASE_URL", may) == [False, False, False]
    writes = "CREATE TABLE own (); SELECT 1"
    for name in ("DATABASE_URL", "GEOSHOPS_READER_DATABASE_URL"):
        with pytest.raises(psycopg2.Error):
            checkout.ask(name, writes)
    assert checkout.ask("GEOSHOPS_OWNER_DATABASE_URL", "SELECT postgis_lib_version()")


def test_the_reader_can_neither_write_nor_take_every_connection(checkout: Checkout) -> None:
    reader = "GEOSHOPS_READER_DATABASE_URL"
    for make in ("lo_create(0)", "lo_creat(-1)", "lo_from_bytea(0, '')"):
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            checkout.ask(reader, f"SET default_transaction_read_only = off; SELECT {make}")
    limit = "SELECT rolconnlimit FROM pg_roles WHERE rolname = user"
    assert checkout.ask(reader, limit) == 20


def test_limits_of_roles_are_set_because_the_owner_may_not(checkout: Checkout) -> None:
    config = "SELECT rolconfig FROM pg_roles WHERE rolname = user"
    for name, file in (
        ("DATABASE_URL", "20_limits.sql"),
        ("GEOSHOPS_READER_DATABASE_URL", "30_reader_limits.sql"),
    ):
        text = (ROOT / "sql" / "grants" / file).read_text(encoding="utf-8")
        wanted = set(re.findall(r"'(\w+=\w+)'", text))
        assert len(wanted) > 3 and wanted <= set(checkout.ask(name, config))
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        own = "ALTER ROLE geoshops_app SET statement_timeout = 0; SELECT 1"
        checkout.ask("GEOSHOPS_OWNER_DATABASE_URL", own)


def test_the_cluster_listens_on_the_loopback_only_and_wants_passwords(checkout: Checkout) -> None:
    url = checkout.settings()["DATABASE_URL"]
    assert checkout.ask("DATABASE_URL", "SHOW listen_addresses") == "127.0.0.1"
    assert checkout.ask("DATABASE_URL", "SHOW fsync") == "on"
    with pytest.raises(psycopg2.OperationalError):
        psycopg2.connect(url.replace(str(urlsplit(url).password), "wrong"))


def test_generated_settings_are_for_their_owner_alone(checkout: Checkout) -> None:
    assert (checkout.root / ".env").stat().st_mode & 0o777 == 0o600


def test_a_second_create_changes_nothing(checkout: Checkout) -> None:
    before = (checkout.root / ".env").read_text(), checkout.postmaster()
    assert checkout.db("create").returncode == 0
    assert ((checkout.root / ".env").read_text(), checkout.postmaster()) == before


def test_a_crash_loses_nothing(checkout: Checkout) -> None:
    owner = "GEOSHOPS_OWNER_DATABASE_URL"
    checkout.ask(owner, "CREATE TABLE kept AS SELECT 42 AS value; SELECT 1")
    os.kill(checkout.postmaster(), signal.SIGKILL)
    assert checkout.db("status").returncode == 1
    started = checkout.db("start")
    assert started.returncode == 0, started.stderr
    assert checkout.ask(owner, "SELECT value FROM kept") == 42


def test_the_pid_of_a_foreign_process_does_not_confuse_it(checkout: Checkout) -> None:
    assert checkout.db("stop").returncode == 0
    with subprocess.Popen(["sleep", "60"]) as foreign:
        pid_file = checkout.state() / "data" / "postmaster.pid"
        pid_file.write_text(f"{foreign.pid}\n{checkout.state()}/data\n")
        assert checkout.db("stop").returncode == 0
        assert checkout.db("status").returncode == 1
        started = checkout.db("start")
        alive = foreign.poll() is None
        foreign.kill()
    assert started.returncode == 0, started.stderr
    assert alive


def test_a_taken_port_is_left_and_the_settings_follow(checkout: Checkout) -> None:
    assert checkout.db("stop").returncode == 0
    old = urlsplit(checkout.settings()["DATABASE_URL"]).port
    assert old
    with subprocess.Popen(["python3", "-m", "http.server", "-b", "127.0.0.1", str(old)]) as taker:
        wait_until_taken(old)
        started = checkout.db("start")
        taker.kill()
    assert started.returncode == 0, started.stderr
    assert urlsplit(checkout.settings()["DATABASE_URL"]).port != old
    assert checkout.ask("DATABASE_URL", "SELECT 1") == 1


def wait_until_taken(port: int) -> None:
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(port)


def test_destroy_asks_first(checkout: Checkout) -> None:
    rejected = checkout.db("destroy")
    assert rejected.returncode == 1
    assert "--yes" in rejected.stderr
    assert checkout.ask("DATABASE_URL", "SELECT 1") == 1


def test_a_database_of_the_operator_is_left_alone(checkout: Checkout) -> None:
    theirs = "postgresql://somebody@db.example/theirs"
    for verb in ("create", "start", "destroy"):
        assert checkout.db(verb, DATABASE_URL=theirs).returncode == 1
    assert checkout.db("url", DATABASE_URL=theirs).stdout.strip() == theirs
    assert checkout.ask("DATABASE_URL", "SELECT 1") == 1


def test_a_copied_checkout_gets_a_cluster_of_its_own(checkout: Checkout, tmp_path: Path) -> None:
    copy = Checkout(tmp_path / "copy", checkout.states)
    shutil.copy(checkout.root / ".env", copy.root / ".env")
    created = copy.db("create")
    assert created.returncode == 0, created.stderr
    state = copy.state()
    assert state != checkout.state()
    assert copy.settings()["DATABASE_URL"] != checkout.settings()["DATABASE_URL"]
    assert copy.db("destroy", "--yes").returncode == 0
    assert not state.exists()
    assert checkout.ask("DATABASE_URL", "SELECT 1") == 1
