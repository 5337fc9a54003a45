"""Point-in-time recovery: the documented commands of docs/operations.md restore the moment before a mistake."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg2
import pytest

from geoshops.database import migrations
from tests.conftest import ROOT
from tests.make import Maker
from tests.server import free_port

CONFIG = """
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = '{folder}'
shared_buffers = 32MB
"""


def recipe() -> list[str]:
    """The commands of the section, in order: settings, base backup, recovery."""
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    section = page.split("## Point-in-time recovery")[1].split("\n## ")[0]
    return re.findall(r"```sh\n(.*?)```", section, re.DOTALL)


class Cluster:
    """A real cluster with default durability settings, run by an unprivileged user because PostgreSQL rejects root."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.places = {
            "PGDATA": str(folder / "data"), "ARCHIVE": str(folder / "archive"),
            "BASE": str(folder / "base"), "PGHOST": "127.0.0.1", "PGPORT": str(self.port),
            "PGUSER": "postgres", "PATH": f"{programs}:{os.environ['PATH']}",
        }  # fmt: skip
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"
        self.sh("mkdir $ARCHIVE; initdb -U postgres -A trust -E UTF8 --locale=C.UTF-8 >/dev/null")
        config = CONFIG.format(port=self.port, folder=folder)
        self.sh(f'cat >>"$PGDATA/postgresql.conf" <<END{config}END')

    def sh(self, commands: str, **more: str) -> None:
        """Runs commands as PostgreSQL's user; shows their output if they fail."""
        user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        done = subprocess.run(
            [*user, "sh", "-euc", commands], cwd=self.folder, env={**self.places, **more},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout

    def start(self) -> None:
        self.sh('pg_ctl --pgdata="$PGDATA" start --wait --log="$PGDATA.log" >/dev/null')


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    program_folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    if not program_folders or (os.geteuid() == 0 and not shutil.which("runuser")):
        pytest.skip("no server programs of PostgreSQL here")
    # PostgreSQL's user cannot enter pytest's folders
    with tempfile.TemporaryDirectory(prefix="geoshops-pitr.") as name:
        if os.geteuid() == 0:
            shutil.chown(name, "postgres")
        made = Cluster(program_folders[0], Path(name))
        yield made
        made.sh('pg_ctl --pgdata="$PGDATA" stop --mode=immediate || :')


def write(make: Maker, shop: int, member: int, count: int) -> None:
    for _ in range(count):
        make.review(member, shop)


def moment() -> str:
    """The current time as a recovery target, with a pause before and after so that other commits do not share it."""
    time.sleep(0.2)
    now = time.time()
    time.sleep(0.2)
    return f"{time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(now))}.{int(now % 1 * 1000):03}+00"


def connected(url: str) -> Any:
    connection = psycopg2.connect(url)
    connection.autocommit = True
    return connection


@pytest.mark.full
def test_the_state_before_a_mistake_is_restored(cluster: Cluster) -> None:
    settings, base_backup, recovery = recipe()
    cluster.sh(settings)
    cluster.start()
    migrations.upgrade(cluster.url, lambda _: None)
    connection = connected(cluster.url)
    make = Maker(connection)
    shop, member = make.shop(), make.member()
    write(make, shop, member, 10)
    cluster.sh(base_backup)
    write(make, shop, member, 20)
    target = moment()
    write(make, shop, member, 5)
    make.sql("TRUNCATE reviews, reports")
    connection.close()
    cluster.sh(recovery, TARGET=target)
    recovered = Maker(connected(cluster.url))
    deadline = time.monotonic() + 30
    while recovered.sql("SELECT pg_is_in_recovery()"):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert recovered.sql("SELECT count(*) FROM reviews") == 30
    assert recovered.sql("SELECT max(created_at) < %s FROM reviews", target) is True
    assert recovered.rows("SELECT shop_id FROM counter_differences") == []
    assert {state for _, state in migrations.status(cluster.url)} == {"applied"}
    assert recovered.review(member, shop) > 30
    recovered.connection.close()
