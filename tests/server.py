"""The service as shipped: granian with two worker processes, on a free port."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import requests

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def serving(
    database_url: str, secret_key: str, *, checkout: Path = ROOT, **settings: str
) -> Iterator[str]:
    """Runs the server of a checkout and yields its origin; its output is shown when it does not start."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder, Path(folder, "log").open("w+") as log:
        process = subprocess.Popen(
            [
                sys.executable, "-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1",
                "--port", str(port), "--workers", "2", "--blocking-threads", "4",
                "--backpressure", "2048", "--workers-kill-timeout", "10", "--no-ws", "--no-access-log",
                "--respawn-failed-workers", "wsgi:app",
            ],
            cwd=checkout,
            env={
                **os.environ,
                "DATABASE_URL": database_url,
                "GEOSHOPS_SECRET_KEY": secret_key,
                "GEOSHOPS_LOG_LEVEL": "WARNING",
                "GEOSHOPS_POOL_TIMEOUT_S": "20",
                "PROMETHEUS_MULTIPROC_DIR": folder,
                **settings,
            },
            stdout=log,
            stderr=log,
        )  # fmt: skip
        try:
            yield wait_for(f"http://127.0.0.1:{port}", process, log)
        finally:
            process.send_signal(signal.SIGTERM)
            # a worker ignores SIGTERM while it is starting, and is killed after ten seconds
            process.wait(60)


def wait_for(origin: str, process: subprocess.Popen[bytes], log: object) -> str:
    """Returns the origin once the server is ready; fails with the log if it ends or does not become ready."""
    for _ in range(480):
        try:
            if requests.get(f"{origin}/readyz", timeout=2).ok:
                return origin
        except requests.RequestException:
            if process.poll() is not None:
                break
            time.sleep(0.125)
    log.seek(0)  # type: ignore[attr-defined]
    raise AssertionError(f"the server did not start:\n{log.read()}")  # type: ignore[attr-defined]


def free_port() -> int:
    """A free TCP port on the loopback address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_port(port: int) -> None:
    """Waits until a process listens on the port of the loopback address."""
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"no process listens on port {port}")


def wait_until(condition: Callable[[], bool]) -> float:
    """Waits until the condition holds; returns the seconds that it took."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() < began + 60
        time.sleep(0.02)
    return time.monotonic() - began


def workers_of(origin: str) -> list[psutil.Process]:
    """The server's worker processes."""
    port = origin.rpartition(":")[2]
    mains = [p for p in psutil.Process().children() if f"--port {port}" in " ".join(p.cmdline())]
    return [child for main in mains for child in main.children()]
