"""Replicas: radius searches with none to three readers; the costs of routing, waiting for WAL and PgBouncer.

All servers share the cores of one machine, so more readers cannot be faster; the CPU time per request is measured.
On separate machines the readers' part of it is distributed between them."""

from __future__ import annotations

import os
import secrets
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from data import Bench, cursor_of, downtown_points
from figures import Runs, interleave, table
from load import Load, percentile, processor_s, server_process, wrk
from members import access_tokens
from nodes import Node, pooler, standby, throwaway
from radius import paths

from geoshops.config import Settings
from geoshops.database.replicas import Routed
from geoshops.database.wal_positions import Behind
from geoshops.web.tokens import Caller

READERS = 3
WAITS = 2000
WRITE = "UPDATE shops SET phone = phone WHERE id = %s"
MEMBER = """
WITH m AS (INSERT INTO members (nickname, nickname_key) VALUES ('bench', 'bench') RETURNING id)
INSERT INTO sessions (member_id, expires_at, refresh_hash)
SELECT id, now() + interval '1 day', sha256('bench') FROM m RETURNING member_id, id"""


@dataclass
class Case:
    """A route to the database, with the CPU time of its requests."""

    measure: Callable[[], Load]
    roots: list[int]
    us_each: list[float] = field(default_factory=list)

    def run(self) -> Load:
        """Runs a load."""
        before_s, started = processor_s(self.roots), time.monotonic()
        load = self.measure()
        requests = load.per_s * (time.monotonic() - started)
        self.us_each.append(1e6 * (processor_s(self.roots) - before_s) / requests)
        return load


def member_headers(url: str, key: str) -> dict[str, str]:
    """Returns the Authorization header of a member."""
    cursor = cursor_of(url)
    cursor.execute(MEMBER)
    (token,) = access_tokens(url, key, [Caller(*cursor.fetchone())])
    return {"Authorization": f"Bearer {token}"}


def cases(stack: ExitStack, primary: Node, url: str, seconds: int) -> dict[str, Case]:
    """Starts a server for each route."""
    readers = [stack.enter_context(standby(primary, n + 1, url)) for n in range(READERS)]
    postmasters = [primary.pid(), *(reader.pid() for reader in readers)]
    through, bouncer = stack.enter_context(pooler(url, primary.folder))
    key, asked = secrets.token_urlsafe(48), paths(downtown_points())
    who = member_headers(url, key)
    found: dict[str, Case] = {}

    def add(name: str, writer: str, read: str, headers: dict[str, str] | None = None) -> None:
        settings = {"READ_DATABASE_URL": read, "GEOSHOPS_SECRET_KEY": key}
        origin, process = stack.enter_context(server_process(writer, **settings))

        def measure() -> Load:
            return wrk(origin, asked, seconds=seconds, headers=headers)

        wrk(origin, asked, seconds=2, headers=headers)
        found[name] = Case(measure, [process.pid, bouncer, *postmasters])

    hosts = [f"127.0.0.1:{urlsplit(reader.url).port}" for reader in readers]
    base = urlsplit(readers[0].url)
    account = f"{base.username}:{base.password}"
    add("one node", url, "")
    # another host name of the primary: requests are routed to it as to a replica
    add("one node, routed", url, f"{url}?target_session_attrs=any")
    for number in range(1, READERS + 1):
        several = f"postgresql://{account}@{','.join(hosts[:number])}{base.path}"
        add(f"{number} readers" if number > 1 else "1 reader", url, several)
    add("one node, a member", url, "", who)
    add("1 reader, a member", url, readers[0].url, who)
    add("PgBouncer", through, "")
    return found


def gate_waits(primary: str, reader: str, times: int) -> dict[str, float]:
    """Measures how long a member's read waits for a replica after a write, under concurrent writes."""
    settings = Settings(database_url=primary, read_database_url=reader, testing=True)
    routed = Routed(settings)
    cursor, waits_ms, behind = cursor_of(primary), [], 0
    connection = routed._replicas._connect()
    connection.autocommit = True
    _until_it_follows(routed, connection)
    for number in range(times):
        cursor.execute(WRITE, (number + 1,))
        started = time.perf_counter()
        try:
            connection.require(_primary_position(routed))
        except Behind:
            behind += 1
        waits_ms.append((time.perf_counter() - started) * 1000)
    routed.close()
    waits_ms.sort()
    p50_ms, p99_ms = (round(percentile(waits_ms, percent), 3) for percent in (50, 99))
    return {"p50_ms": p50_ms, "p99_ms": p99_ms, "to_primary_percent": 100 * behind / times}


def _primary_position(routed: Routed) -> int:
    position = routed._positions.sample()
    assert position is not None, "the primary is unreachable"
    return position


def _until_it_follows(routed: Routed, connection: Any) -> None:
    """Waits until a new standby has caught up."""
    for _ in range(100):
        try:
            connection.require(_primary_position(routed))
        except Behind:
            time.sleep(0.2)
        else:
            return
    raise SystemExit("the standby did not catch up")


@contextmanager
def writing(url: str, programs: Path) -> Iterator[None]:
    """Runs two clients that continuously update shops."""
    script = "\\set s random(5000, 9000)\nUPDATE shops SET phone = phone WHERE id = :s;"
    with subprocess.Popen(
        [str(programs / "pgbench"), "-n", "-c", "2", "-T", "600", "-f", "/dev/stdin", url],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        assert process.stdin
        process.stdin.write(script)
        process.stdin.close()
        time.sleep(1)
        yield
        process.terminate()


def main(bench: Bench) -> dict[str, object]:
    """Prints the tables and returns the figures."""
    # SystemExit stops the servers
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    shops = bench.shops or 100_000
    seconds, rounds = (2, bench.rounds or 3) if bench.quick else (5, bench.rounds or 5)
    with ExitStack() as stack:
        primary = stack.enter_context(throwaway())
        os.environ["GEOSHOPS_BENCH_SERVER"] = primary.url
        url = bench.database(shops)
        ways = cases(stack, primary, url, seconds)
        found = interleave({name: way.run for name, way in ways.items()}, rounds)
        waits = _waits(stack, primary, url)
    return _figures(shops, found, ways, waits)


def _waits(stack: ExitStack, primary: Node, url: str) -> dict[str, dict[str, float]]:
    reader = stack.enter_context(standby(primary, READERS + 1, url))
    found = {"quiet": gate_waits(url, reader.url, WAITS)}
    with writing(url, primary.programs):
        found["writing"] = gate_waits(url, reader.url, WAITS)
    return found


def _figures(
    shops: int, found: dict[str, Runs], ways: dict[str, Case], waits: dict[str, dict[str, float]]
) -> dict[str, object]:
    one = found["one node"]
    us_each = {name: round(statistics.median(way.us_each)) for name, way in ways.items()}
    for name, us in us_each.items():
        print(f"{name:30}{us:6} us of processor time a request", file=sys.stderr)
    for name, wait in waits.items():
        print(f"gate, {name}: {wait}", file=sys.stderr)
    return {
        "shops": shops,
        "routing_cost_percent": round(100 * (1 - found["one node, routed"].of(one)), 1),
        "pgbouncer_cost_percent": round(100 * (1 - found["PgBouncer"].of(one)), 1),
        "processor_us_each": us_each,
        "gate_wait": waits,
        "gate_wait_p99_ms": waits["writing"]["p99_ms"],
        "cases": table(found.values(), one),
    }
