"""Injects faults under a load of writes and reads, then compares the ledger with the database."""

from __future__ import annotations

import argparse
import collections
import contextlib
import math
import secrets
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from client import Client, Log, Response
from cluster import Cluster, temporary_cluster
from kinds import Kind, log_files, plan
from ledger import SHOPS, Ledger
from service import Service

CALM_S = 0.4
GIVE_UP_S = 15
SEARCH = "/shops/brand?userLat=37.5&userLng=127.01&mapLat=37.5&mapLng=127.01&radius=500"
NEVER = (500, 502, 504)
UNAVAILABLE_S = 1.0
RECOVERY_S = 3.0


@dataclass(frozen=True)
class Fault:
    """A fault with the bad responses that clients received."""

    kind: Kind
    recovery_s: float
    responses: list[Response]

    @property
    def rejections(self) -> list[Response]:
        """Valid responses that request a retry."""
        return [x for x in self.responses if x.is_retryable and x.is_valid]

    @property
    def wrong(self) -> list[Response]:
        """Responses that no fault justifies: invalid ones, and 500, 502 or 504."""
        # a killed worker cannot complete a response that it has begun to send
        excused = self.kind.stops_service or self.kind.kills_workers
        return [
            x
            for x in self.responses
            if x.status in NEVER or not (x.is_valid or (excused and x.status == 0))
        ]


class Drills:
    """One run."""

    def __init__(self, args: argparse.Namespace, cluster: Cluster, service: Service) -> None:
        self.args, self.cluster, self.service = args, cluster, service
        self.writes_log, self.reads_log = Log(), Log()
        self.ledger = Ledger(
            cluster, service.port, service.secret_key, self.writes_log, args.members
        )
        self.codes: list[str] = []
        self.stopped = threading.Event()

    def run(self) -> dict[str, Any]:
        """Runs the faults under load and returns the figures."""
        began = time.monotonic()
        readers = [threading.Thread(target=self._read, daemon=True) for _ in range(2)]
        readers.append(threading.Thread(target=self._sign_in, daemon=True))
        for reader in readers:
            reader.start()
        self.ledger.start()
        time.sleep(1)
        chosen = plan(self.args.faults, self.args.kinds, bool(self.cluster.disk), self.args.seed)
        faults = []
        for place, kind in enumerate(chosen, start=1):
            if time.monotonic() - began < self.args.limit:
                faults.append(self._fault(kind, place))
        while (
            self.ledger.acknowledged < self.args.writes
            and time.monotonic() - began < self.args.limit
        ):
            time.sleep(0.2)
        self.ledger.stop()
        self.stopped.set()
        for reader in readers:
            reader.join(20)
        differing = self.ledger.compare()
        self.service.stop()
        return self._figures(faults, differing, time.monotonic() - began)

    def _read(self) -> None:
        client = Client(self.service.port, self.reads_log)
        while not self.stopped.is_set():
            client.request("GET", SEARCH)
            client.request("GET", f"/shops/{secrets.randbelow(SHOPS) + 1}")
            time.sleep(0.01)

    def _sign_in(self) -> None:
        """Sends secrets that must not appear in any log; without a provider all sign-ins fail."""
        client = Client(self.service.port)
        while not self.stopped.is_set():
            self.codes.append(secrets.token_urlsafe(24))
            client.request("GET", f"/auth/login/idp?code={self.codes[-1]}")
            refresh = b'{"refresh_token": "%s"}' % self.codes[-1].encode()
            client.request("POST", "/auth/token", {"Content-Type": "application/json"}, refresh)
            time.sleep(0.2)

    def _fault(self, kind: Kind, place: int) -> Fault:
        began = time.monotonic()
        back = kind.inject(self.service, self.cluster)
        self._calm(back)
        responses = self.writes_log.bad_since(began) + self.reads_log.bad_since(began)
        after = [x.began + x.seconds - back for x in responses if x.began > back]
        fault = Fault(kind, max([0.0, *after]), responses)
        print(
            f"{place:4} {kind.name:12} {len(fault.rejections):5} rejected"
            f" {sum(x.status == 0 for x in responses):4} broken {len(fault.wrong):3} wrong"
            f"  back after {fault.recovery_s:.2f} s  {self.ledger.acknowledged} written",
            *[
                f"\n     {x.status} after {x.seconds:.2f} s {x.body[:120]!r}"
                for x in fault.wrong[:3]
            ],
            file=sys.stderr,
        )
        return fault

    def _calm(self, back: float) -> None:
        """Waits until all workers serve and reads and writes have been good for CALM_S."""
        while time.monotonic() < back + GIVE_UP_S:
            time.sleep(0.05)
            now = time.monotonic()
            if not self.service.whole():
                continue
            quiet_since = max(back, now - CALM_S)
            logs = (self.writes_log, self.reads_log)
            if now - back > CALM_S and all(
                not log.bad_since(quiet_since) and log.last_good > quiet_since for log in logs
            ):
                return

    def _figures(self, faults: list[Fault], differing: int, seconds: float) -> dict[str, Any]:
        counts = collections.Counter(fault.kind.name for fault in faults)
        leaks = self._leaks()
        return {
            "faults": len(faults),
            "kinds": dict(counts),
            "seconds": round(seconds),
            "acknowledged_writes": self.ledger.acknowledged,
            **self.ledger.violations.figures(),
            "shops_with_wrong_counters": differing,
            **_rejection_figures(faults),
            **_recovery_figures(faults),
            "secrets_looked_for": leaks[1],
            "secrets_in_logs": leaks[0],
            "disk_filled": counts["disk"] > 0,
            "examples": self._examples(faults),
        }

    def _leaks(self) -> tuple[int, int]:
        text = "".join(
            path.read_text(errors="replace") for path in log_files(self.service, self.cluster)
        )
        hidden = [*self.codes, *self.ledger.tokens, self.service.secret_key, self.cluster.password]
        return sum(secret in text for secret in hidden), len(hidden)

    def _examples(self, faults: list[Fault]) -> list[str]:
        examples = [x for lines in vars(self.ledger.violations).values() for x in lines]
        examples += [
            f"{fault.kind.name}: {x.status} after {x.seconds:.2f} s {x.body[:120]!r}"
            for fault in faults
            for x in fault.wrong
        ]
        return examples[:20]


def _rejection_figures(faults: list[Fault]) -> dict[str, Any]:
    locks = sorted(x.seconds for f in faults if f.kind.name == "locks" for x in f.responses)
    ours = [f for f in faults if f.kind.database and f.kind.name != "locks"]
    times = sorted(x.seconds for f in ours for x in f.rejections)
    return {
        "rejected_while_database_away": len(times),
        "rejection_p99_s": round(percentile(times, 99), 3),
        "rejection_max_s": round(max(times, default=0), 3),
        "rejection_p99_under_locks_s": round(percentile(locks, 99), 3),
        "rejection_max_under_locks_s": round(max(locks, default=0), 3),
        "broken_by_worker_kills": sum(
            x.status == 0 for f in faults if not f.kind.stops_service for x in f.responses
        ),
        "wrong_responses": sum(len(f.wrong) for f in faults),
    }


def _recovery_figures(faults: list[Fault]) -> dict[str, Any]:
    by_kind: dict[str, float] = {}
    for fault in faults:
        by_kind[fault.kind.name] = max(by_kind.get(fault.kind.name, 0), round(fault.recovery_s, 2))
    times = sorted(fault.recovery_s for fault in faults)
    return {
        "recovery_p50_s": round(percentile(times, 50), 3),
        "recovery_max_s": round(max(times, default=0), 3),
        "recovery_max_s_by_kind": by_kind,
    }


def percentile(ordered: list[float], percent: float) -> float:
    """Nearest-rank percentile of an ascending list; 0 of an empty one."""
    if not ordered:
        return 0.0
    return ordered[min(len(ordered) - 1, math.ceil(len(ordered) * percent / 100) - 1)]


def main(args: argparse.Namespace) -> tuple[dict[str, Any], bool]:
    """Returns the figures and whether all limits hold."""
    with temporary_cluster() as cluster, tempfile.TemporaryDirectory() as folder:
        service = Service(cluster, Path(folder))
        try:
            service.start()
            figures = Drills(args, cluster, service).run()
        except BaseException:
            print(service.tail(), file=sys.stderr)
            raise
        finally:
            with contextlib.suppress(Exception):
                service.stop()
    return figures, holds(figures)


def holds(figures: dict[str, Any]) -> bool:
    """True when nothing was lost or wrong and all times are within their limits."""
    zero = (
        "lost", "returned", "stale", "doubled", "rejected", "shops_with_wrong_counters", "wrong_responses",
        "secrets_in_logs",
    )  # fmt: skip
    return (
        not any(figures[name] for name in zero)
        and max(figures["rejection_p99_s"], figures["rejection_p99_under_locks_s"]) <= UNAVAILABLE_S
        and figures["broken_by_worker_kills"] <= figures["faults"]
        and figures["recovery_max_s"] <= RECOVERY_S
    )
