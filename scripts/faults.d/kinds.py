"""The kinds of faults: each injects a fault, waits, undoes it and returns."""

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
    """A kind of fault; `share` is its percentage in a run.

    `inject` returns the moment from which requests must succeed. Connections may break only if the service is
    stopped or killed; a killed worker may break its own requests."""

    name: str
    share: int
    inject: Callable[[Service, Cluster], float]
    stops_service: bool = False
    kills_workers: bool = False
    database: bool = False


def worker(service: Service, _: Cluster) -> float:
    """kill -9 of one worker."""
    pids = service.workers()
    if pids:
        _kill(random.choice(pids))
    return time.monotonic()


def workers(service: Service, _: Cluster) -> float:
    """kill -9 of all workers at once."""
    for pid in service.workers():
        _kill(pid)
    return time.monotonic()


def nginx_workers(service: Service, _: Cluster) -> float:
    """kill -9 of nginx' worker processes."""
    for pid in service.nginx():
        _kill(pid)
    return time.monotonic()


def everything(service: Service, _: Cluster) -> float:
    """kill -9 of all processes, then a restart as by systemd."""
    service.kill_all()
    service.start()
    return time.monotonic()


def sigterm(service: Service, _: Cluster) -> float:
    """A graceful stop under load, then a start."""
    status = service.terminate()
    if status != 0:
        raise SystemExit(f"the service ended with {status} after SIGTERM")
    service.start()
    return time.monotonic()


def reload(service: Service, _: Cluster) -> float:
    """SIGHUP under load, which replaces all workers."""
    service.reload()
    return time.monotonic()


def backend(_: Service, cluster: Cluster) -> float:
    """kill -9 of one backend: PostgreSQL ends all others and recovers."""
    pids = cluster.backends()
    if pids:
        _kill(random.choice(pids))
    time.sleep(0.05)
    return cluster.wait()


def postmaster(_: Service, cluster: Cluster) -> float:
    """kill -9 of the postmaster, then a start after a pause."""
    cluster.kill_postmaster()
    time.sleep(HOLD_S * random.random())
    cluster.start()
    return cluster.wait()


def immediate(_: Service, cluster: Cluster) -> float:
    """An immediate stop (equivalent to a crash), then a start."""
    cluster.stop("immediate")
    time.sleep(HOLD_S * random.random())
    cluster.start()
    return cluster.wait()


def sessions(_: Service, cluster: Cluster) -> float:
    """Terminates all of the service's sessions, as a failover or a pooler does."""
    _execute(
        cluster,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'geoshops_app'",
    )
    return time.monotonic()


def read_only(_: Service, cluster: Cluster) -> float:
    """Makes every transaction read-only for HOLD_S."""
    _execute(
        cluster, "ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()"
    )
    time.sleep(HOLD_S)
    _execute(
        cluster, "SET default_transaction_read_only = off",
        "ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()",
    )  # fmt: skip
    time.sleep(0.1)  # sessions reload settings between statements
    return time.monotonic()


def locks(_: Service, cluster: Cluster) -> float:
    """Locks all tables, as a migration without lock_timeout does."""
    with contextlib.closing(psycopg2.connect(cluster.url())) as connection:
        cursor = connection.cursor()
        cursor.execute("SET lock_timeout = '5s'")
        cursor.execute(f"LOCK TABLE {LOCKED} IN ACCESS EXCLUSIVE MODE")
        time.sleep(LOCK_S)
        connection.rollback()
    return time.monotonic()


def connections(_: Service, cluster: Cluster) -> float:
    """Terminates the service's sessions and takes all of the server's connections."""
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
    """Fills the disk, then frees it. Starts PostgreSQL again if that stopped it."""
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
    Kind("nginx workers", 5, nginx_workers, stops_service=True),
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
    """Chooses faults by share and in random order; each kind occurs once if `number` allows."""
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
    """Returns the logs of the run."""
    return [service.log_path, cluster.folder / "postgresql.log"]
