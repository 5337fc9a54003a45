"""Fixtures: the service in its production setup, with nginx as a reverse proxy for supervised workers."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests

from tests.conftest import SECRET_KEY
from tests.server import free_port, wait_for_port

ROOT = Path(__file__).resolve().parents[3]
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


@dataclass
class Production:
    """The running production server: its port, run folder and supervisor process."""

    port: int
    run: Path
    process: subprocess.Popen[bytes]

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str, **more: object) -> requests.Response:
        return requests.get(f"{self.origin}{path}", timeout=10, **more)  # type: ignore[arg-type]


@contextmanager
def producing(service_url: str, *, drain_s: float = 0.5, **settings: str) -> Iterator[Production]:
    """Runs nginx and the workers and stops them gracefully; prints their output if they do not start."""
    if not NGINX:
        pytest.skip("nginx is not installed")
    port = free_port()
    with tempfile.TemporaryDirectory() as folder, Path(folder, "log").open("w+") as log:
        Path(folder).chmod(0o755)
        process = subprocess.Popen(
            [
                sys.executable, "scripts/serve.d/production.py", "--nginx", NGINX,
                "--host", "127.0.0.1", "--port", str(port), "--workers", "2", "--threads", "2",
                "--run", f"{folder}/nginx", "--drain", str(drain_s),
            ],
            cwd=ROOT,
            env={
                **os.environ, "DATABASE_URL": service_url, "GEOSHOPS_SECRET_KEY": SECRET_KEY,
                "GEOSHOPS_TRUSTED_PROXIES": "1", "GEOSHOPS_RATELIMIT_STORAGE_URI": "memory://",
                "GEOSHOPS_MAP_STYLE_URL": "off", **settings,
            },
            stdout=log,
            stderr=log,
        )  # fmt: skip
        production = Production(port, Path(folder, "nginx"), process)
        try:
            _wait(production)
            yield production
        except AssertionError:
            print(Path(folder, "log").read_text()[-3000:])
            raise
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


def _wait(production: Production) -> None:
    for _ in range(300):
        try:
            if production.get("/readyz").ok:
                return
        except requests.RequestException:
            assert production.process.poll() is None
        time.sleep(0.1)
    raise AssertionError("the service did not start")


@pytest.fixture(scope="session")
def production(service_url: str) -> Iterator[Production]:
    """One server for all tests that do not stop it."""
    with producing(service_url) as running:
        yield running


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that others can enter, because nginx's workers run as another user."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextmanager
def nginx_alone(folder: Path, port: int, text: str) -> Iterator[None]:
    """Runs nginx with this configuration; its output is in folder/log."""
    if not NGINX:
        pytest.skip("nginx is not installed")
    (folder / "nginx.conf").write_text(text)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [NGINX, "-p", str(folder), "-e", "stderr", "-c", str(folder / "nginx.conf"),
             "-g", "daemon off;"],
            stdout=log, stderr=subprocess.STDOUT, env=os.environ,
        )  # fmt: skip
        try:
            wait_for_port(port)
            yield
        finally:
            process.terminate()
            process.wait(60)
