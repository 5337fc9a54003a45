"""A temporary, durable PostgreSQL cluster for crash drills."""

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
# frequent checkpoints keep crash recovery short
SETTINGS = "checkpoint_timeout = 30s\nmax_wal_size = 256MB\nshared_buffers = 256MB\n"


class Cluster:
    """Controls the cluster in a folder; `disk` is the mount point that may be filled, or None."""

    def __init__(self, url: str, folder: Path, disk: Path | None) -> None:
        self.superuser_url, self.folder, self.disk = url, folder, disk
        self.port = urlsplit(url).port or 5432
        self.programs = Path(f"/proc/{self.postmaster()}/exe").resolve().parent
        self.password = secrets.token_urlsafe(24)

    def postmaster(self) -> int:
        """Returns the pid of the postmaster."""
        return int((self.folder / "data" / "postmaster.pid").read_text().split()[0])

    def url(self, role: str = "") -> str:
        """Returns the URL of the service's database for a role; by default for the superuser."""
        parts = urlsplit(self.superuser_url)
        place = parts.netloc.rpartition("@")[2]
        netloc = f"{role}:{self.password}@{place}" if role else parts.netloc
        return urlunsplit(parts._replace(path=f"/{DATABASE}", netloc=netloc))

    def connect(self, role: str = "") -> Any:
        """Opens an autocommit connection."""
        connection = psycopg2.connect(self.url(role), connect_timeout=2)
        connection.autocommit = True
        return connection

    def create_database(self) -> None:
        """Creates the roles, the database and, through migrations, the schema."""
        connection = psycopg2.connect(self.superuser_url)
        connection.autocommit = True
        cursor = connection.cursor()
        for role in ("geoshops_app", "geoshops_reader"):
            cursor.execute(f"CREATE ROLE {role} LOGIN PASSWORD %s", (self.password,))
        cursor.execute(f"CREATE DATABASE {DATABASE}")
        connection.close()
        migrations.upgrade(self.url(), lambda _: None)

    def backends(self) -> list[int]:
        """Returns the pids of the backends of the service's connections."""
        with contextlib.closing(self.connect()) as connection:
            cursor = connection.cursor()
            cursor.execute("SELECT pid FROM pg_stat_activity WHERE usename = 'geoshops_app'")
            return [row[0] for row in cursor.fetchall()]

    def kill_postmaster(self) -> None:
        """Sends SIGKILL to the postmaster; its children end by themselves."""
        os.kill(self.postmaster(), signal.SIGKILL)

    def stop(self, mode: str) -> None:
        """Runs pg_ctl stop; the mode `immediate` is equivalent to a crash."""
        self._pg_ctl("stop", "-m", mode, "-w", "-t", "30")

    def start(self) -> None:
        """Starts it, retrying because processes of a crashed server may still hold its shared memory."""
        for _ in range(100):
            if self._pg_ctl("start", "-w", "-t", "60", "-l", str(self.folder / "postgresql.log"),
                            "-o", f"-p {self.port}"):  # fmt: skip
                return
            time.sleep(0.1)
        end = (self.folder / "postgresql.log").read_text(errors="replace")[-1500:]
        raise SystemExit(f"PostgreSQL did not start again; the end of its log:\n{end}")

    def running(self) -> bool:
        """True when the postmaster runs."""
        return self._pg_ctl("status")

    def wait(self, seconds: float = 60) -> float:
        """Waits until it accepts connections and returns that moment."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            with contextlib.suppress(psycopg2.Error):
                self.connect().close()
                return time.monotonic()
            time.sleep(0.02)
        raise SystemExit("PostgreSQL does not accept connections")

    def _pg_ctl(self, verb: str, *rest: str) -> bool:
        as_postgres = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        pg_ctl = [str(self.programs / "pg_ctl"), verb, "-s", "-D", str(self.folder / "data")]
        command = [*as_postgres, *pg_ctl, *rest]
        return subprocess.run(command, capture_output=True, cwd="/").returncode == 0


@contextmanager
def temporary_cluster() -> Iterator[Cluster]:
    """Yields a new cluster, on a tmpfs if possible, and removes it."""
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
        cluster = Cluster(url, folder, Path(place) if mounted else None)
        try:
            with (folder / "data" / "geoshops.conf").open("a") as conf:
                conf.write(SETTINGS)
            cluster.stop("fast")
            cluster.start()
            cluster.create_database()
            yield cluster
        finally:
            cluster.stop("immediate")
            subprocess.run([script, "throwaway", "stop", str(folder)], check=False, env=environment)
            if mounted:
                subprocess.run(["umount", "-l", place], check=True)


def _mount(place: str) -> bool:
    """Mounts a tmpfs that may be filled; returns False without root."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m,mode=755", "geoshops-faults", place]
    return os.geteuid() == 0 and subprocess.run(command, capture_output=True).returncode == 0
