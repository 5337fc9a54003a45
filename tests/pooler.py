"""PgBouncer in transaction mode with two connections, between the service and the run's database."""

from __future__ import annotations

import os
import pwd
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import psycopg2

POOL_SIZE = 2
# what PgBouncer itself sets to what the client of the moment wants
FOLLOWED = ["application_name", "client_encoding", "DateStyle", "TimeZone"]
FOLLOWED += ["standard_conforming_strings", "IntervalStyle"]
LEFT_BEHIND = (
    "SELECT name || ' = ' || setting FROM pg_settings WHERE source = 'session' AND name <> ALL (%s)"
)


@contextmanager
def pooled(url: str, pgbouncer: Path) -> Iterator[str]:
    """Yields the URL through PgBouncer; at the end no connection may hold what a session left behind."""
    parts = urlsplit(url)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="geoshops-pooler.") as folder:
        Path(folder).chmod(0o755)
        users, config = Path(folder, "users"), Path(folder, "config")
        users.write_text(f'"{parts.username}" "{unquote(parts.password or "")}"\n')
        config.write_text(_config(parts.hostname or "", parts.port or 5432, port, users))
        process = subprocess.Popen(
            [str(pgbouncer), "-q", str(config)],
            env={**os.environ, "LD_LIBRARY_PATH": _libraries(pgbouncer)},
            stdin=subprocess.DEVNULL,
            **_unprivileged(),
        )
        try:
            through = url.replace(f":{parts.port}/", f":{port}/")
            _wait(through)
            yield through
            assert _left_behind(through) == set()
        finally:
            process.terminate()
            process.wait(60)


def _config(host: str, server_port: int, port: int, users: Path) -> str:
    return f"""[databases]
* = host={host} port={server_port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {users}
pool_mode = transaction
default_pool_size = {POOL_SIZE}
max_client_conn = 200
query_wait_timeout = 5
"""


def _unprivileged() -> dict[str, Any]:
    if os.geteuid() != 0:
        return {}
    account = pwd.getpwnam("postgres")
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def _libraries(pgbouncer: Path) -> str:
    """Where the libraries of an unpacked package lie; of an installed one the system knows."""
    found = pgbouncer.parent.parent.glob("lib/*-linux-gnu*")
    return ":".join(map(str, found)) if pgbouncer.parts[1] != "usr" else ""


def _wait(url: str) -> None:
    for _ in range(300):
        try:
            psycopg2.connect(url).close()
        except psycopg2.OperationalError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("PgBouncer did not start")


def _left_behind(url: str) -> set[str]:
    """Settings that stayed on the server's connections, both of them seen at the same time."""
    found: set[str] = set()
    with closing(psycopg2.connect(url)) as one, closing(psycopg2.connect(url)) as other:
        for connection in (one, other):
            cursor = connection.cursor()
            cursor.execute(LEFT_BEHIND, (FOLLOWED,))
            found |= {name for (name,) in cursor.fetchall()}
    return found
