"""Real PostgreSQL clusters that a test may stop, freeze, fill, copy and promote."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import psutil
import psycopg2

from tests.conftest import ROOT, with_database
from tests.server import free_port


def as_postgres(*command: str) -> None:
    """Runs a program of PostgreSQL, not as root, which it rejects."""
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    subprocess.run(
        [*user, *command], cwd="/", check=True, capture_output=True, stdin=subprocess.DEVNULL
    )


class Cluster:
    """A cluster in its own folder, on its own port of the loopback address."""

    def __init__(self, url: str, folder: Path, programs: Path) -> None:
        self.url, self.folder, self.programs = url, folder, programs
        self.port = int(url.rpartition(":")[2].partition("/")[0])

    def database(self, name: str) -> str:
        """Superuser URL of one of its databases."""
        return with_database(self.url, name)

    def start(self) -> None:
        """Starts it and waits until it responds."""
        self._ctl("-l", str(self.folder / "postgresql.log"), "-o", f"-p {self.port}", "-w", "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stops it; `immediate` is equivalent to a crash."""
        self._ctl("-m", mode, "-w", "stop")

    def promote(self) -> None:
        """Promotes a standby to the primary."""
        self._ctl("-w", "promote")

    def processes(self) -> list[psutil.Process]:
        """The postmaster and all its children."""
        postmaster = psutil.Process(
            int((self.folder / "data/postmaster.pid").read_text().split()[0])
        )
        return [postmaster, *postmaster.children(recursive=True)]

    def freeze(self) -> None:
        """Freezes every process (SIGSTOP): connections are neither accepted nor rejected."""
        for process in self.processes():
            process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Resumes the frozen processes."""
        for process in self.processes():
            process.send_signal(signal.SIGCONT)

    def standby(self, folder: Path) -> Cluster:
        """A streaming standby of this cluster, started."""
        folder.mkdir(parents=True)
        if os.geteuid() == 0:
            subprocess.run(["chown", "postgres", str(folder)], check=True)
        copy = str(folder / "data")
        as_postgres(
            str(self.programs / "pg_basebackup"), "-d", self.url, "-D", copy, "-R", "-c", "fast",
            "--no-sync", "-X", "stream",
        )  # fmt: skip
        port = free_port()
        made = Cluster(self.url.replace(f":{self.port}/", f":{port}/"), folder, self.programs)
        made.start()
        return made

    def _ctl(self, *arguments: str) -> None:
        as_postgres(
            str(self.programs / "pg_ctl"), "-D", str(self.folder / "data"), "-s", "-t", "60", *arguments
        )  # fmt: skip


def throwaway() -> Cluster:
    """A cluster created by the project's script."""
    script = str(ROOT / "scripts" / "db")
    command = [script, "throwaway", "start", "--for", str(os.getpid())]
    started = subprocess.run(command, check=True, capture_output=True, text=True)
    url = started.stdout.strip().splitlines()[-1]
    connection = connect(url)
    cursor = connection.cursor()
    # acknowledged writes must survive the crashes of the tests
    cursor.execute("ALTER SYSTEM SET synchronous_commit = on")
    cursor.execute("SELECT pg_reload_conf()")
    cursor.execute("SHOW data_directory")
    folder = Path(cursor.fetchone()[0]).parent
    connection.close()
    postmaster = int((folder / "data/postmaster.pid").read_text().split()[0])
    return Cluster(url, folder, Path(psutil.Process(postmaster).exe()).parent)


def remove(cluster: Cluster) -> None:
    """Stops it in any state and deletes its folder."""
    script = str(ROOT / "scripts" / "db")
    subprocess.run([script, "throwaway", "stop", str(cluster.folder)], check=True)


def connect(url: str) -> Any:
    """An autocommitting connection."""
    connection = psycopg2.connect(url)
    connection.autocommit = True
    return connection
