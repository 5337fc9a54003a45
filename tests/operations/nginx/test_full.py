"""Errors that nginx sends itself when the service is full or down: immediate, in the contract's form, with CORS headers."""

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

SURPLUS = 300


def hung_requests(port: int, how_many: int) -> ExitStack:
    """Opens this many connections, each with a request that the worker never responds to."""
    clients = ExitStack()
    for _ in range(how_many):
        client = clients.enter_context(socket.create_connection(("127.0.0.1", port), 5))
        client.sendall(b"GET /shops/1 HTTP/1.1\r\nHost: x\r\nX-Request-ID: r-0\r\n\r\n")
    return clients


def first_lines(worker: socket.socket) -> Iterator[bytes]:
    """Yields the request line of each connection that waits in the worker's backlog."""
    worker.setblocking(False)
    with suppress(BlockingIOError):
        while True:
            with worker.accept()[0] as request:
                yield request.recv(100).partition(b"\r\n")[0]


def test_requests_beyond_the_capacity_are_rejected_at_once(folder: Path) -> None:
    port, socket_path = free_port(), folder / "worker.sock"
    text = nginx.config(
        servers=[f"unix:{socket_path}"],
        listen=f"127.0.0.1:{port}",
        run=str(folder),
        max_body_bytes=99,
    )
    # with several processes the limit would depend on which of them accepts a connection
    single_process = text.replace(f"worker_processes {nginx.PROCESSES};", "worker_processes 1;")
    with socket.socket(socket.AF_UNIX) as worker:
        worker.bind(str(socket_path))
        socket_path.chmod(0o666)
        worker.listen(nginx.IN_FLIGHT * 2)
        with nginx_alone(folder, port, single_process), hung_requests(port, nginx.IN_FLIGHT * 4):
            time.sleep(0.5)
            url = f"http://127.0.0.1:{port}/shops/1"
            with requests.Session() as client:
                # nginx forwards a sample of the rejections, chosen by a hash of the request id; of these ids only r-180 is in it
                headers = [{"X-Request-ID": f"r-{n}"} for n in range(SURPLUS)]
                responses = [client.get(url, headers=header, timeout=5) for header in headers]
                alive = client.get(f"http://127.0.0.1:{port}/healthz", timeout=5)
        forwarded = [
            line for line in first_lines(worker) if line == b"GET /.rejected/full HTTP/1.1"
        ]
    assert {response.status_code for response in responses} == {503}
    assert {response.headers["Retry-After"] for response in responses} == {"1"}
    # includes the sampled request: no worker was free, so it got the same error
    overload = {
        "error_code": "503",
        "error_message": "the service is overloaded; try again shortly",
    }
    assert [response.json() for response in responses] == [overload] * SURPLUS
    assert max(response.elapsed.total_seconds() for response in responses) < 4
    assert len(forwarded) == 1
    assert (alive.status_code, alive.json()) == (200, {"status": "ok"})
    assert alive.headers["Cache-Control"] == "no-store"
    assert alive.elapsed.total_seconds() < 1
    lines = [json.loads(line) for line in (folder / "log").read_text().splitlines()]
    assert sum(line["upstream_status"] == "502" for line in lines) < SURPLUS / 5


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
        responses = {
            origin: requests.get(
                f"http://127.0.0.1:{port}/brands", headers={"Origin": origin}, timeout=5
            )
            for origin in (allowed, "https://evil.example")
        }
    assert {response.status_code for response in responses.values()} == {503}
    assert responses[allowed].headers["Access-Control-Allow-Origin"] == allowed
    assert "Retry-After" in responses[allowed].headers["Access-Control-Expose-Headers"]
    assert "Access-Control-Allow-Origin" not in responses["https://evil.example"].headers
