"""Sends hostile requests to the service as shipped: no 5xx, hang or other error format may result."""

from __future__ import annotations

import argparse
import collections
import http.client
import json
import socket
import sys
import threading
import time
from typing import Any

from hostile import Generator, Request
from ledger import sign_in
from service import Service, temporary_service

THREADS = 4
MEMBERS = 4
TIMEOUT_S = 10
# nginx closes an incomplete request only after its own timeouts
RAW_TIMEOUT_S = 3


class Fuzzer(threading.Thread):
    """A client that sends the requests of one seed."""

    def __init__(self, port: int, seed: int, number: int, tokens: list[str]) -> None:
        super().__init__(daemon=True)
        self.port, self.number, self.seed = port, number, seed
        self.generator = Generator(seed, tokens)
        self.statuses: collections.Counter[str] = collections.Counter()
        self.findings: list[str] = []
        self.slowest_s = 0.0
        self.connection: http.client.HTTPConnection | None = None

    def run(self) -> None:
        """Sends all requests."""
        for _ in range(self.number):
            request = self.generator.next()
            began = time.monotonic()
            if request.raw is None:
                self._request(request)
                self.slowest_s = max(self.slowest_s, time.monotonic() - began)
            else:
                self._send_raw(request)

    def _request(self, request: Request) -> None:
        for attempt in (1, 2):
            try:
                response = self._send(request)
                break
            except (http.client.HTTPException, OSError) as error:
                self.connection = None
                # the server may close an idle connection; a new one must work
                if attempt == 2 or isinstance(error, TimeoutError):
                    self._judge(request, 0, b"", repr(error))
                    return
        body = response.read()
        if response.will_close:
            self.connection = None
        self._judge(request, response.status, body, response.headers.get("Content-Type", ""))

    def _send(self, request: Request) -> http.client.HTTPResponse:
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        given = dict(request.headers)
        self.connection.putrequest(request.method, request.target, "Host" in given, True)
        for name, value in given.items():
            self.connection.putheader(name, value.encode("utf-8", "replace"))
        if request.body is not None and "Content-Type" not in given:
            self.connection.putheader("Content-Type", "application/json")
        if request.body is not None and "Transfer-Encoding" not in given:
            self.connection.putheader("Content-Length", str(len(request.body)))
        self.connection.endheaders(request.body)
        return self.connection.getresponse()

    def _send_raw(self, request: Request) -> None:
        assert request.raw is not None
        with socket.create_connection(("127.0.0.1", self.port), RAW_TIMEOUT_S) as peer:
            try:
                peer.sendall(request.raw)
                peer.shutdown(socket.SHUT_WR)
                response = b"".join(iter(lambda: peer.recv(65536), b""))
            except OSError:
                response = b""
        first, _, rest = response.partition(b"\r\n")
        words = first.split()
        status = int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
        head, _, body = rest.partition(b"\r\n\r\n")
        if status >= 500:
            self._judge(request, status, body, head.decode("latin-1"))
        self.statuses[f"raw {status or 'closed'}"] += 1

    def _judge(self, request: Request, status: int, body: bytes, kind: str) -> None:
        self.statuses[str(status)] += 1
        finding = ""
        if status == 0 or (status >= 500 and not is_of_provider(request, status, body)):
            finding = f"{status} {kind}"
        elif (
            status >= 400
            and request.method != "HEAD"
            and not (is_error(body) or is_page(request, status, kind))
        ):
            finding = f"{status} without the contract's body: {body[:200]!r}"
        if finding:
            self.findings.append(f"{finding} to {request}"[:600])
            print(self.findings[-1], file=sys.stderr)


def is_error(body: bytes) -> bool:
    """True for the contract's error body."""
    try:
        return set(json.loads(body)) == {"error_code", "error_message"}
    except (ValueError, TypeError):
        return False


def is_of_provider(request: Request, status: int, body: bytes) -> bool:
    """True for the error of an unreachable identity provider, which a response to HEAD cannot name."""
    named = request.target.startswith("/auth") if request.method == "HEAD" else b'"106"' in body
    return status == 502 and named


def is_page(request: Request, status: int, kind: str) -> bool:
    """True for the 404 page, which only clients that ask for HTML get."""
    accepted = dict(request.headers).get("Accept", "")
    return status == 404 and kind.startswith("text/html") and "text/" in accepted


def main(args: argparse.Namespace) -> tuple[dict[str, Any], bool]:
    """Sends the requests; returns the figures and whether there is no finding."""
    with temporary_service(MEMBERS) as (service, cluster):
        figures = _fuzz(args, service, sign_in(cluster, service.secret_key, MEMBERS))
        unexpected = service.log_path.read_text(errors="replace").count("unexpected error")
    figures["unexpected_errors_logged"] = unexpected
    return figures, not figures["findings"] and not unexpected


def _fuzz(args: argparse.Namespace, service: Service, tokens: list[str]) -> dict[str, Any]:
    began = time.monotonic()
    each = -(-args.requests // THREADS)
    fuzzers = [Fuzzer(service.port, args.seed * 1000 + n, each, tokens) for n in range(THREADS)]
    for fuzzer in fuzzers:
        fuzzer.start()
    for fuzzer in fuzzers:
        fuzzer.join()
    statuses = sum((fuzzer.statuses for fuzzer in fuzzers), collections.Counter())
    findings = [line for fuzzer in fuzzers for line in fuzzer.findings]
    return {
        "requests": sum(statuses.values()),
        "seed": args.seed,
        "seconds": round(time.monotonic() - began),
        "statuses": dict(sorted(statuses.items())),
        "slowest_s": round(max(fuzzer.slowest_s for fuzzer in fuzzers), 2),
        "findings": len(findings),
        "examples": findings[:20],
    }
