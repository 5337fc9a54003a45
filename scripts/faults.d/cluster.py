"""A private PostgreSQL cluster with its durability on, that the drills may kill in every way."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg2

from geoshops.database import migrations

ROOT = Path(__file__).resolve().parents[2]
DATABASE = "geoshops"
DISK_MB = 2048
# checkpoints come often, so that a recovery takes a second and not the time of a whole day's WAL
SETTINGS = "checkpoint_timeout = 30s\nmax_wal_size = 256MB\nshared_buffers = 256MB\n"


class Cluster:
    """The cluster's folder, its programs and its ways to die."""

    def __init__(self, url: str, folder: Path, disk: Path | None) -> None:
        self.superuser_url, self.folder, self.disk = url, folder, disk
        self.port = urlsplit(url).port or 5432
        self.programs = Path(f"/proc/{self.postmaster()}/exe").resolve().parent
        self.password = secrets.token_urlsafe(24)

    def postmaster(self) -> int:
        """Process id of the postmaster."""
        return int((self.folder / "data" / "postmaster.pid").read_text().split()[0])

    def url(self, role: str = "") -> str:
        """URL of the service's database, as its owner or as one of our roles."""
        parts = urlsplit(self.superuser_url)
        place = parts.netloc.rpartition("@")[2]
        netloc = f"{role}:{self.password}@{place}" if role else parts.netloc
        return urlunsplit(parts._replace(path=f"/{DATABASE}", netloc=netloc))

    def connect(self, role: str = "") -> Any:
        """An autocommitting connection."""
        connection = psycopg2.connect(self.url(role), connect_timeout=2)
        connection.autocommit = True
        return connection

    def make_database(self) -> None:
        """The schema, made by the product's own path, and its roles with passwords."""
        connection = psycopg2.connect(self.superuser_url)
        connection.autocommit = True
        cursor = connection.cursor()
        for role in ("geoshops_app", "geoshops_reader"):
            cursor.execute(f"CREATE ROLE {role} LOGIN PASSWORD %s", (self.password,))
        cursor.execute(f"CREATE DATABASE {DATABASE}")
        connection.close()
        migrations.upgrade(self.url(), lambda _: None)

    def backends(self) -> list[int]:
        """Server processes of the service's connections."""
        with contextlib.closing(self.connect()) as connection:
            cursor = connection.cursor()
            cursor.execute("SELECT pid FROM pg_stat_activity WHERE usename = 'geoshops_app'")
            return [row[0] for row in cursor.fetchall()]

    def kill_postmaster(self) -> None:
        """kill -9; its children notice and end."""
        os.kill(self.postmaster(), signal.SIGKILL)

    def stop(self, mode: str) -> None:
        """pg_ctl stop; immediate is a crash."""
        self._pg_ctl("stop", "-m", mode, "-w", "-t", "30")

    def start(self) -> None:
        """Starts it again, as a supervisor would; the memory of a crashed one is held for a moment."""
        for _ in range(100):
            if self._pg_ctl("start", "-w", "-t", "60", "-l", str(self.folder / "postgresql.log"),
                            "-o", f"-p {self.port}"):  # fmt: skip
                return
            time.sleep(0.1)
        end = (self.folder / "postgresql.log").read_text(errors="replace")[-1500:]
        raise SystemExit(f"PostgreSQL did not start again; the end of its log:\n{end}")

    def running(self) -> bool:
        """True when the postmaster lives."""
        return self._pg_ctl("status")

    def wait(self, seconds: float = 60) -> float:
        """Waits until it accepts connections; the moment at which it did."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            with contextlib.suppress(psycopg2.Error):
                self.connect().close()
                return time.monotonic()
            time.sleep(0.02)
        raise SystemExit("PostgreSQL does not accept connections")

    def _pg_ctl(self, verb: str, *rest: str) -> bool:
        as_postgres = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        command = [
            *as_postgres,
            str(self.programs / "pg_ctl"),
            verb,
            "-s",
            "-D",
            str(self.folder / "data"),
        ]
        return subprocess.run([*command, *rest], capture_output=True, cwd="/").returncode == 0


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A new cluster on a small disk of its own where we may make one; gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="geoshops-faults.") as place:
        Path(place).chmod(0o755)
        mounted = _mount(place)
        script = str(ROOT / "scripts" / "db")
        environment = {**os.environ, "TMPDIR": place}
        started = subprocess.run(
            [script, "throwaway", "start", "--durable", "--for", str(os.getpid())],
            check=True, capture_output=True, text=True, env=environment,
        )  # fmt: skip
        url = started.stdout.strip().splitlines()[-1]
        (folder,) = Path(place).glob("geoshops-test.*")
        found = Cluster(url, folder, Path(place) if mounted else None)
        try:
            with (folder / "data" / "geoshops.conf").open("a") as conf:
                conf.write(SETTINGS)
            found.stop("fast")
            found.start()
            found.make_database()
            yield found
        finally:
            found.stop("immediate")
            subprocess.run([script, "throwaway", "stop", str(folder)], check=False, env=environment)
            if mounted:
                subprocess.run(["umount", "-l", place], check=True)


def _mount(place: str) -> bool:
    """A disk that may be filled; only root may mount one."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m,mode=755", "geoshops-faults", place]
    return os.geteuid() == 0 and subprocess.run(command, capture_output=True).returncode == 0
