"""The service as scripts/serve starts it, on a free port."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.conftest import ROOT, SECRET_KEY
from tests.server import free_port

MAP = ROOT / "geoshops" / "map"
PATIENCE_S = 60.0


@contextmanager
def running_server(settings: Mapping[str, str]) -> Iterator[str]:
    """Runs granian with the settings; yields its address."""
    port = free_port()
    granian = shutil.which("granian", path=str(Path(sys.executable).parent)) or "granian"
    command = [granian, "--interface", "wsgi", "--port", str(port), "--workers", "1"]
    command += ["--blocking-threads", "4", "--backpressure", "2048", "--no-ws", "--no-access-log"]
    environment = {**os.environ, "GEOSHOPS_SECRET_KEY": SECRET_KEY, **settings}
    server = subprocess.Popen(
        [*command, "wsgi:app"], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_until_ready(address, server)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=PATIENCE_S)


def _wait_until_ready(address: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/readyz", timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the server did not become ready (exit code {server.poll()})")
