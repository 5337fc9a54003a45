"""A service that is full: what comes beyond is refused at once, in the contract's form, and hardly logged."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import requests

from geoshops import front
from tests.front.conftest import NGINX
from tests.server import free_port

BEYOND = 300


@pytest.fixture
def folder() -> Iterator[Path]:
    """nginx' workers are another user."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def hung_requests(port: int, how_many: int) -> ExitStack:
    """As many clients that have asked and wait."""
    clients = ExitStack()
    for _ in range(how_many):
        client = clients.enter_context(socket.create_connection(("127.0.0.1", port), 5))
        client.sendall(b"GET /shops/1 HTTP/1.1\r\nHost: x\r\n\r\n")
    return clients


def test_what_is_beyond_is_refused_at_once(folder: Path) -> None:
    if not NGINX:
        pytest.skip("nginx is not installed")
    port, place = free_port(), folder / "worker.sock"
    text = front.config(
        servers=[f"unix:{place}"], listen=f"127.0.0.1:{port}", run=str(folder), max_body_bytes=99
    )
    # each process counts its own, and which of them takes a connection is chance
    one = text.replace(f"worker_processes {front.PROCESSES};", "worker_processes 1;")
    (folder / "nginx.conf").write_text(one)
    with socket.socket(socket.AF_UNIX) as worker, (folder / "log").open("wb") as log:
        worker.bind(str(place))
        place.chmod(0o666)
        worker.listen(front.IN_FLIGHT * 2)
        nginx = subprocess.Popen(
            [NGINX, "-p", str(folder), "-e", "stderr", "-c", str(folder / "nginx.conf"),
             "-g", "daemon off;"],
            stdout=log, stderr=subprocess.STDOUT, env=os.environ,
        )  # fmt: skip
        try:
            wait_for(port)
            with hung_requests(port, front.IN_FLIGHT * 4), requests.Session() as client:
                time.sleep(0.5)
                asked = f"http://127.0.0.1:{port}/shops/1"
                answers = [client.get(asked, timeout=5) for _ in range(BEYOND)]
        finally:
            nginx.terminate()
            nginx.wait(10)
    assert {answer.status_code for answer in answers} == {503}
    assert {answer.headers["Retry-After"] for answer in answers} == {"1"}
    assert {answer.json()["error_code"] for answer in answers} == {"503"}
    assert max(answer.elapsed.total_seconds() for answer in answers) < 1
    lines = [json.loads(line) for line in (folder / "log").read_text().splitlines()]
    assert sum(line["upstream_status"] == "502" for line in lines) < BEYOND / 5


def wait_for(port: int) -> None:
    """Until nginx listens."""
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("nginx does not listen")
