"""The faults: each does harm, lasts a moment, and returns when the harm is undone."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg2
from cluster import Cluster
from service import Service

HOLD_S = 1.0
LOCK_S = 3.0
LOCKED = "members, sessions, shops, reviews, favorites, idempotency_keys"


@dataclass(frozen=True)
class Kind:
    """A fault: how often among a hundred, what it does, and whose processes it takes away.

    `act` returns the moment from which the service has no excuse. Only where the whole service is
    stopped or killed may a connection break; a killed worker may break what it had in hand."""

    name: str
    share: int
    act: Callable[[Service, Cluster], float]
    stops_service: bool = False
    kills_workers: bool = False
    database: bool = False


def worker(service: Service, _: Cluster) -> float:
    """kill -9 of one worker."""
    found = service.workers()
    if found:
        _kill(random.choice(found))
    return time.monotonic()


def workers(service: Service, _: Cluster) -> float:
    """kill -9 of all workers at once."""
    for pid in service.workers():
        _kill(pid)
    return time.monotonic()


def front(service: Service, _: Cluster) -> float:
    """kill -9 of nginx' workers."""
    for pid in service.nginx():
        _kill(pid)
    return time.monotonic()


def everything(service: Service, _: Cluster) -> float:
    """kill -9 of all processes, then the start of a supervisor such as systemd."""
    service.kill_all()
    service.start()
    return time.monotonic()


def sigterm(service: Service, _: Cluster) -> float:
    """A graceful stop under load, and a start."""
    status = service.terminate()
    if status != 0:
        raise SystemExit(f"the service ended with {status} after SIGTERM")
    service.start()
    return time.monotonic()


def reload(service: Service, _: Cluster) -> float:
    """SIGHUP under load: every worker is replaced."""
    service.reload()
    return time.monotonic()


def backend(_: Service, cluster: Cluster) -> float:
    """kill -9 of one of PostgreSQL's sessions: it resets all others and recovers."""
    found = cluster.backends()
    if found:
        _kill(random.choice(found))
    time.sleep(0.05)
    return cluster.wait()


def postmaster(_: Service, cluster: Cluster) -> float:
    """kill -9 of the postmaster; down for a moment, then started again."""
    cluster.kill_postmaster()
    time.sleep(HOLD_S * random.random())
    cluster.start()
    return cluster.wait()


def immediate(_: Service, cluster: Cluster) -> float:
    """An immediate stop, which is a crash, and a start."""
    cluster.stop("immediate")
    time.sleep(HOLD_S * random.random())
    cluster.start()
    return cluster.wait()


def sessions(_: Service, cluster: Cluster) -> float:
    """All of the service's sessions terminated, as a failover or a pooler does."""
    _execute(
        cluster,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'geoshops_app'",
    )
    return time.monotonic()


def read_only(_: Service, cluster: Cluster) -> float:
    """Every transaction is read-only for a moment."""
    _execute(
        cluster, "ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()"
    )
    time.sleep(HOLD_S)
    _execute(
        cluster, "SET default_transaction_read_only = off",
        "ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()",
    )  # fmt: skip
    time.sleep(0.1)  # sessions read the settings anew between two statements
    return time.monotonic()


def locks(_: Service, cluster: Cluster) -> float:
    """All tables locked, as a migration without a lock_timeout does."""
    with contextlib.closing(psycopg2.connect(cluster.url())) as connection:
        cursor = connection.cursor()
        cursor.execute("SET lock_timeout = '5s'")
        cursor.execute(f"LOCK TABLE {LOCKED} IN ACCESS EXCLUSIVE MODE")
        time.sleep(LOCK_S)
        connection.rollback()
    return time.monotonic()


def connections(_: Service, cluster: Cluster) -> float:
    """All connections of the server taken by others while the service's are gone."""
    taken: list[Any] = []
    try:
        _execute(
            cluster,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'geoshops_app'",
        )
        until = time.monotonic() + HOLD_S
        while time.monotonic() < until:
            try:
                taken.append(psycopg2.connect(cluster.url("geoshops_reader"), connect_timeout=2))
            except psycopg2.Error:
                time.sleep(0.05)
    finally:
        for connection in taken:
            connection.close()
    return cluster.wait()


def disk(_: Service, cluster: Cluster) -> float:
    """The disk full to the last byte, then room again. PostgreSQL may stop over it; then it is started."""
    assert cluster.disk
    filler = cluster.disk / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"\0" * 65536)
    time.sleep(2 * HOLD_S)
    filler.unlink()
    if not cluster.running():
        cluster.start()
    return cluster.wait()


KINDS = [
    Kind("worker", 30, worker, kills_workers=True),
    Kind("workers", 10, workers, kills_workers=True),
    Kind("front", 5, front, stops_service=True),
    Kind("everything", 5, everything, stops_service=True),
    Kind("sigterm", 5, sigterm, stops_service=True),
    Kind("reload", 4, reload),
    Kind("backend", 10, backend, database=True),
    Kind("postmaster", 8, postmaster, database=True),
    Kind("immediate", 5, immediate, database=True),
    Kind("sessions", 8, sessions, database=True),
    Kind("read_only", 4, read_only, database=True),
    Kind("locks", 2, locks, database=True),
    Kind("connections", 3, connections, database=True),
    Kind("disk", 1, disk, database=True),
]


def plan(number: int, names: list[str], can_fill_disk: bool, seed: int) -> list[Kind]:
    """That many faults in mixed order, each kind by its share and at least once where there is room."""
    usable = [
        kind
        for kind in KINDS
        if (not names or kind.name in names) and (can_fill_disk or kind.name != "disk")
    ]
    rng = random.Random(seed)
    chosen = usable[:number]
    chosen += rng.choices(usable, [kind.share for kind in usable], k=number - len(chosen))
    rng.shuffle(chosen)
    return chosen


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _execute(cluster: Cluster, *statements: str) -> None:
    with contextlib.closing(cluster.connect()) as connection:
        cursor = connection.cursor()
        for statement in statements:
            cursor.execute(statement)


def log_files(service: Service, cluster: Cluster) -> list[Path]:
    """Every log of the run."""
    return [service.log_path, cluster.folder / "postgresql.log"]
