"""Stops and reloads the service under load: every completed write must be acknowledged, no request cut off."""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from client import Client, Log
from cluster import Cluster, temporary_cluster
from ledger import fill, sign_in
from service import Service

WRITERS = 8
DRAINED_S = 10.0


class Writer(threading.Thread):
    """Writes reviews without retries."""

    def __init__(self, port: int, number: int, token: str, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.client, self.number, self.stop_event = Client(port, Log()), number, stop
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self.acknowledged: list[str] = []
        self.cut = 0

    def run(self) -> None:
        """Sends requests with unique texts until stopped."""
        serial = 0
        while not self.stop_event.is_set():
            serial += 1
            text = f"{self.number}/{time.monotonic_ns()}"
            body = b'{"star_rating": 5, "content": "%s"}' % text.encode()
            response = self.client.request(
                "POST", f"/reviews/shop/{self.number}", self.headers, body
            )
            if response.status == 201:
                self.acknowledged.append(text)
            elif response.status == 0 and not response.unsent:
                self.cut += 1
            elif response.status not in (0, 503) and not response.is_retryable:
                raise SystemExit(f"{response.status} {response.body[:200]!r}")
            if response.status != 201:
                time.sleep(0.02)


def main(args: argparse.Namespace) -> tuple[dict[str, Any], bool]:
    """Runs stops and reloads; returns the figures and whether the limits hold."""
    with temporary_cluster() as cluster, tempfile.TemporaryDirectory() as folder:
        service = Service(cluster, Path(folder))
        fill(cluster, WRITERS)
        signed = sign_in(cluster, service.secret_key, WRITERS)
        service.start()
        stop = threading.Event()
        writers = [Writer(service.port, n, token, stop) for n, token in enumerate(signed, start=1)]
        try:
            figures = _drill(args, service, writers)
            stop.set()
            for writer in writers:
                writer.join(20)
            figures.update(_compare(cluster, writers))
        finally:
            with contextlib.suppress(Exception):
                service.stop()
    zero = ("done_but_unanswered", "lost", "cut_in_flight_by_reloads", "bad_exit_statuses")
    return figures, not any(figures[name] for name in zero) and figures[
        "drained_max_s"
    ] <= DRAINED_S


def _drill(args: argparse.Namespace, service: Service, writers: list[Writer]) -> dict[str, Any]:
    for writer in writers:
        writer.start()
    times, statuses, cut_by_reloads = [], 0, 0
    for place in range(1, args.stops + 1):
        time.sleep(0.5)
        began = time.monotonic()
        statuses += service.terminate() != 0
        times.append(time.monotonic() - began)
        service.start()
        time.sleep(0.5)
        if place % 5 == 0:
            before = _bad(writers)
            service.reload()
            cut_by_reloads += _bad(writers) - before
        print(f"{place:4} stopped after {times[-1]:.2f} s", file=sys.stderr)
    return {
        "stops": len(times),
        "reloads": args.stops // 5,
        "drained_max_s": round(max(times), 2),
        "bad_exit_statuses": statuses,
        "cut_in_flight_by_reloads": cut_by_reloads,
    }


def _bad(writers: list[Writer]) -> int:
    return sum(len(writer.client.log.bad) for writer in writers if writer.client.log)


def _compare(cluster: Cluster, writers: list[Writer]) -> dict[str, Any]:
    with contextlib.closing(cluster.connect()) as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT content FROM reviews")
        rows = {row[0] for row in cursor.fetchall()}
    acknowledged = {text for writer in writers for text in writer.acknowledged}
    return {
        "acknowledged": len(acknowledged),
        "lost": len(acknowledged - rows),
        "done_but_unanswered": len(rows - acknowledged),
        "connections_closed_at_stops": sum(writer.cut for writer in writers),
    }
