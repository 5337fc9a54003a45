"""Slow clients: hundreds of connections that send headers or bodies, or read responses, byte by byte."""

from __future__ import annotations

import argparse
import socket
import sys
import threading
import time
from typing import Any

from client import Client, Log
from drills import SEARCH, percentile
from service import temporary_service

CONNECTIONS = 500
DRIP_S = 1.0
P95_S = 0.2
# excludes the burst of opening all connections
SETTLE_S = 5
LARGE_SEARCH = SEARCH.replace("radius=500", "radius=20000")
# what a connection of each kind sends at once
SENT = {
    "headers": b"GET /brands HTTP/1.1\r\nHost: x\r\nX-Slow: ",
    "bodies": b"POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{",
    "readers": f"GET {LARGE_SEARCH} HTTP/1.1\r\nHost: x\r\n\r\n".encode() * 20,
}


class Crowd(threading.Thread):
    """Slow connections of one kind, reopened when the server closes them."""

    def __init__(self, port: int, sort: str) -> None:
        super().__init__(daemon=True)
        self.port, self.sort = port, sort
        self.stopped = threading.Event()
        self.open: list[socket.socket] = []
        self.reopened = 0

    def run(self) -> None:
        """Transfers one byte per second on each connection until stopped."""
        while len(self.open) < CONNECTIONS:
            self._connect()
        while not self.stopped.wait(DRIP_S):
            for peer in self.open[:]:
                self._drip(peer)
        for peer in self.open:
            peer.close()

    def _connect(self) -> None:
        peer = socket.socket()
        if self.sort == "readers":
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        peer.connect(("127.0.0.1", self.port))
        peer.sendall(SENT[self.sort])
        peer.setblocking(False)
        self.open.append(peer)

    def _drip(self, peer: socket.socket) -> None:
        try:
            if self.sort == "readers":
                peer.recv(1)
            else:
                peer.send(b"a")
        except BlockingIOError:
            return
        except OSError:
            peer.close()
            self.open.remove(peer)
            self.reopened += 1
            self._connect()


def main(args: argparse.Namespace) -> tuple[dict[str, Any], bool]:
    """Measures ordinary requests alone and next to each kind; returns figures and whether limits hold."""
    figures: dict[str, Any] = {"connections": CONNECTIONS}
    with temporary_service(members=1) as (service, _):
        figures["alone_p95_ms"], figures["alone_failed"] = _ordinary(service.port, args.seconds)
        for sort in SENT:
            figures.update(_beside(service.port, sort, args.seconds))
    good = all(
        figures[f"{sort}_p95_ms"] < P95_S * 1000 and not figures[f"{sort}_failed"] for sort in SENT
    )
    return figures, good


def _beside(port: int, sort: str, seconds: int) -> dict[str, Any]:
    crowd = Crowd(port, sort)
    crowd.start()
    while len(crowd.open) < CONNECTIONS and crowd.is_alive():
        time.sleep(0.05)
    time.sleep(SETTLE_S)
    p95_ms, failed = _ordinary(port, seconds)
    still = len(crowd.open)
    crowd.stopped.set()
    crowd.join(20)
    print(f"{sort}: p95 {p95_ms} ms, {failed} failed", file=sys.stderr)
    return {f"{sort}_p95_ms": p95_ms, f"{sort}_failed": failed, f"{sort}_open": still}


def _ordinary(port: int, seconds: int) -> tuple[float, int]:
    log, times, until = Log(), [], time.monotonic() + seconds
    client = Client(port, log)
    while time.monotonic() < until:
        times.append(client.request("GET", SEARCH).seconds)
        time.sleep(0.01)
    return round(percentile(sorted(times), 95) * 1000, 2), len(log.bad)
