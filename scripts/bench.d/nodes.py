"""Temporary PostgreSQL clusters, standbys and PgBouncer on the loopback address."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from data import cursor_of
from load import ROOT, free_port

PGBOUNCER = """[databases]
* = host=127.0.0.1 port={server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {users}
pool_mode = transaction
default_pool_size = 8
max_client_conn = 200
"""


@dataclass
class Node:
    """A PostgreSQL cluster on the loopback address."""

    url: str
    folder: Path
    programs: Path

    def pid(self) -> int:
        """Returns the pid of its postmaster."""
        return int((self.folder / "data" / "postmaster.pid").read_text().split()[0])


def as_postgres(*command: str) -> None:
    """Runs a PostgreSQL program, as postgres if we are root."""
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    subprocess.run([*user, *command], cwd="/", check=True, stdin=subprocess.DEVNULL, stdout=2)


@contextmanager
def throwaway() -> Iterator[Node]:
    """Starts a separate primary, because standbys of the project's cluster would copy all benchmark databases."""
    script = str(ROOT / "scripts" / "db")
    command = [script, "throwaway", "start", "--for", str(os.getpid())]
    url = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()[-1]
    cursor = cursor_of(url)
    cursor.execute("SHOW data_directory")
    folder = Path(cursor.fetchone()[0]).parent
    # as durable as in production, because the wait for a replica depends on it
    for setting in ("fsync", "synchronous_commit", "full_page_writes"):
        cursor.execute(f"ALTER SYSTEM SET {setting} = on")
    # all compared servers run at the same time
    cursor.execute("ALTER SYSTEM SET max_connections = 300")
    cursor.connection.close()
    pid = int((folder / "data" / "postmaster.pid").read_text().split()[0])
    programs = Path(f"/proc/{pid}/exe").readlink().parent
    try:
        as_postgres(
            str(programs / "pg_ctl"), "-D", str(folder / "data"), "-l", str(folder / "postgresql.log"),
            "-s", "-w", "restart",
        )  # fmt: skip
        yield Node(url, folder, programs)
    finally:
        subprocess.run([script, "throwaway", "stop", str(folder)], check=True)


@contextmanager
def standby(primary: Node, number: int, url: str) -> Iterator[Node]:
    """Starts a streaming standby; yields it with the URL of the database."""
    folder, port = Path(f"{primary.folder}-{number}"), free_port()
    folder.mkdir(mode=0o755)
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    data, log = str(folder / "data"), str(folder / "log")
    control = [str(primary.programs / "pg_ctl"), "-D", data, "-s", "-w"]
    try:
        as_postgres(
            str(primary.programs / "pg_basebackup"), "-d", primary.url, "-D", data, "-R", "-c", "fast",
        )  # fmt: skip
        as_postgres(*control, "-l", log, "-o", f"-p {port}", "start")
        yield Node(url.replace(f":{urlsplit(url).port}/", f":{port}/"), folder, primary.programs)
        as_postgres(*control, "-m", "fast", "stop")
    finally:
        shutil.rmtree(folder)


@contextmanager
def pooler(url: str, folder: Path) -> Iterator[tuple[str, int]]:
    """Starts PgBouncer in transaction mode; yields its URL and process."""
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    if not program:
        raise SystemExit("pgbouncer is missing; on Debian: apt-get install -y pgbouncer")
    parts, port, users = urlsplit(url), free_port(), folder / "run" / "pooler.users"
    users.write_text(f'"{parts.username}" "{parts.password}"\n')
    config = folder / "run" / "pooler.ini"
    config.write_text(PGBOUNCER.format(server=parts.port, port=port, users=users))
    if os.geteuid() == 0:
        shutil.chown(users, "postgres")
        shutil.chown(config, "postgres")
    user = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
    with subprocess.Popen([program, "-q", str(config)], cwd="/", **user) as process:  # type: ignore[call-overload]
        try:
            time.sleep(1)
            yield url.replace(f":{parts.port}/", f":{port}/"), process.pid
        finally:
            process.terminate()
