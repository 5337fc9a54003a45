"""Runs the service as shipped (scripts/serve --production) and controls its processes."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from cluster import ROOT, Cluster, temporary_cluster
from ledger import fill


class Service:
    """nginx with two workers on a database."""

    def __init__(self, cluster: Cluster, folder: Path, **settings: str) -> None:
        self.cluster, self.folder = cluster, folder
        folder.chmod(0o755)  # nginx' workers run as another user
        self.port = free_port()
        self.log_path = folder / "service.log"
        self.secret_key = secrets.token_urlsafe(48)
        self.environment = {
            **os.environ,
            "DATABASE_URL": cluster.url("geoshops_app"),
            "GEOSHOPS_OWNER_DATABASE_URL": cluster.url(),
            "GEOSHOPS_READER_DATABASE_URL": "",
            "GEOSHOPS_SECRET_KEY": self.secret_key,
            "GEOSHOPS_RATELIMIT_STORAGE_URI": "",
            "GEOSHOPS_RUN_DIR": str(folder / "nginx"),
            "PROMETHEUS_MULTIPROC_DIR": str(folder / "metrics"),
            "HOST": "127.0.0.1",
            "GEOSHOPS_SCHEDULER": "off",
            "PORT": str(self.port),
            "DRAIN_S": "0.3",
            **settings,
        }
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *, wait: bool = True) -> None:
        """Starts it; appends its output to the log."""
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                [str(ROOT / "scripts" / "serve"), "--production"],
                env=self.environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip
        if wait:
            self.wait("/readyz")
            while not self.whole():
                time.sleep(0.05)

    def wait(self, path: str, seconds: float = 60) -> None:
        """Waits until the path responds 200."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            with (
                contextlib.suppress(OSError),
                urlopen(f"{self.origin}{path}", timeout=2) as response,
            ):
                if response.status == 200:
                    return
            time.sleep(0.05)
        raise SystemExit(f"the service does not respond; the end of its log:\n{self.tail()}")

    def tail(self) -> str:
        """Returns the end of the log."""
        return self.log_path.read_text(errors="replace")[-3000:]

    @property
    def origin(self) -> str:
        """The URL of the service without a path."""
        return f"http://127.0.0.1:{self.port}"

    def processes(self) -> list[int]:
        """Returns the pids of the supervisor and its descendants."""
        assert self.process
        parents = {pid: parent for pid, parent, _ in _table()}
        pids = [self.process.pid]
        for pid in sorted(parents):
            line, at = [pid], pid
            while at in parents and at != self.process.pid:
                at = parents[at]
                line.append(at)
            if at == self.process.pid and pid != at:
                pids.append(pid)
        return pids

    def workers(self) -> list[int]:
        """Returns the pids of granian's workers, which handle the requests."""
        ours = set(self.processes())
        table = [row for row in _table() if row[0] in ours]
        loaded = {pid for pid, _, words in table if "fork_server.py" in words}
        fork_servers = {pid for pid, parent, _ in table if pid in loaded and parent not in loaded}
        leaders = {pid for pid, parent, _ in table if parent in fork_servers}
        return [pid for pid, parent, _ in table if parent in leaders]

    def whole(self) -> bool:
        """True when every worker accepts connections at its own address."""
        inodes = set()
        for number in (1, 2):
            path = self.folder / "nginx" / f"worker-{number}.sock"
            with socket.socket(socket.AF_UNIX) as probe:
                probe.settimeout(0.2)
                try:
                    probe.connect(str(path))
                    inodes.add(path.stat().st_ino)
                except OSError:
                    return False
        return len(inodes) == 2

    def nginx(self) -> list[int]:
        """Returns the pids of nginx' worker processes."""
        ours = set(self.processes())
        return [pid for pid, _, words in _table() if pid in ours and "nginx: worker" in words]

    def terminate(self) -> int:
        """Sends SIGTERM and returns the exit status."""
        assert self.process
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(40)

    def reload(self) -> None:
        """Sends SIGHUP and waits until all workers have been replaced."""
        assert self.process
        before = set(self.workers())
        self.process.send_signal(signal.SIGHUP)
        until = time.monotonic() + 40
        while time.monotonic() < until and before & set(self.workers()):
            time.sleep(0.1)

    def kill_all(self) -> None:
        """Sends SIGKILL to all processes."""
        assert self.process
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """Stops it if it runs."""
        if self.process and self.process.poll() is None:
            self.terminate()


@contextmanager
def running(service: Service) -> Iterator[Service]:
    """Starts the service and stops it afterwards."""
    try:
        service.start()
        yield service
    finally:
        service.stop()


@contextmanager
def temporary_service(members: int) -> Iterator[tuple[Service, Cluster]]:
    """Runs the service on a temporary cluster with shops and members."""
    with temporary_cluster() as cluster, tempfile.TemporaryDirectory() as folder:
        fill(cluster, members)
        with running(Service(cluster, Path(folder))) as service:
            yield service, cluster


def _table() -> list[tuple[int, int, str]]:
    """Returns (pid, parent, command line) of every process."""
    rows = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            rows.append((int(folder.name), parent, words))
    return rows


def free_port() -> int:
    """Returns a free TCP port on the loopback address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
