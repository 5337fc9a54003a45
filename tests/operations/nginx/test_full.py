"""What nginx refuses alone: beyond a full service at once, in the contract's form, readable by allowed origins."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import requests

from geoshops.operations import nginx
from tests.operations.nginx.conftest import nginx_alone
from tests.server import free_port

BEYOND = 300


def hung_requests(port: int, how_many: int) -> ExitStack:
    """As many clients that have asked and wait."""
    clients = ExitStack()
    for _ in range(how_many):
        client = clients.enter_context(socket.create_connection(("127.0.0.1", port), 5))
        client.sendall(b"GET /shops/1 HTTP/1.1\r\nHost: x\r\nX-Request-ID: r-0\r\n\r\n")
    return clients


def first_lines(worker: socket.socket) -> Iterator[bytes]:
    """What stands first in each request that waits at the worker."""
    worker.setblocking(False)
    with suppress(BlockingIOError):
        while True:
            with worker.accept()[0] as request:
                yield request.recv(100).partition(b"\r\n")[0]


def test_what_is_beyond_is_rejected_at_once(folder: Path) -> None:
    port, place = free_port(), folder / "worker.sock"
    text = nginx.config(
        servers=[f"unix:{place}"], listen=f"127.0.0.1:{port}", run=str(folder), max_body_bytes=99
    )
    # each process counts its own, and which of them takes a connection is chance
    one = text.replace(f"worker_processes {nginx.PROCESSES};", "worker_processes 1;")
    with socket.socket(socket.AF_UNIX) as worker:
        worker.bind(str(place))
        place.chmod(0o666)
        worker.listen(nginx.IN_FLIGHT * 2)
        with nginx_alone(folder, port, one), hung_requests(port, nginx.IN_FLIGHT * 4):
            time.sleep(0.5)
            asked = f"http://127.0.0.1:{port}/shops/1"
            with requests.Session() as client:
                # which are told to the service hangs on the identifier: of these, and those that wait, r-180
                named = [{"X-Request-ID": f"r-{n}"} for n in range(BEYOND)]
                answers = [client.get(asked, headers=name, timeout=5) for name in named]
                alive = client.get(f"http://127.0.0.1:{port}/healthz", timeout=5)
        told = [first for first in first_lines(worker) if first == b"GET /.rejected/full HTTP/1.1"]
    assert {answer.status_code for answer in answers} == {503}
    assert {answer.headers["Retry-After"] for answer in answers} == {"1"}
    # the one that was passed on as well: no worker was free to count it
    overload = {
        "error_code": "503",
        "error_message": "the service is overloaded; try again shortly",
    }
    assert [answer.json() for answer in answers] == [overload] * BEYOND
    assert max(answer.elapsed.total_seconds() for answer in answers) < 4
    assert len(told) == 1
    assert (alive.status_code, alive.json()) == (200, {"status": "ok"})
    assert alive.headers["Cache-Control"] == "no-store"
    assert alive.elapsed.total_seconds() < 1
    lines = [json.loads(line) for line in (folder / "log").read_text().splitlines()]
    assert sum(line["upstream_status"] == "502" for line in lines) < BEYOND / 5


def test_error_responses_have_cors_headers(folder: Path) -> None:
    port, allowed = free_port(), "https://app.example"
    text = nginx.config(
        servers=[f"127.0.0.1:{free_port()}"], listen=f"127.0.0.1:{port}", run=str(folder),
        max_body_bytes=99, cors_origins=(allowed, "https://two.example"),
    )  # fmt: skip
    with nginx_alone(folder, port, text):
        health = requests.get(f"http://127.0.0.1:{port}/healthz", timeout=5)
        assert health.json()["error_message"] == "the service cannot respond now; try again shortly"
        assert health.status_code == 503
        found = {
            origin: requests.get(
                f"http://127.0.0.1:{port}/brands", headers={"Origin": origin}, timeout=5
            )
            for origin in (allowed, "https://evil.example")
        }
    assert {answer.status_code for answer in found.values()} == {503}
    assert found[allowed].headers["Access-Control-Allow-Origin"] == allowed
    assert "Retry-After" in found[allowed].headers["Access-Control-Expose-Headers"]
    assert "Access-Control-Allow-Origin" not in found["https://evil.example"].headers
