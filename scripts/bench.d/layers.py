"""Breakdown of a radius request: microseconds of each layer, compared with a minimal implementation.

The server's share is measured with a constant response, the driver's with the same statement without the service.
The rest of the worker's CPU time is distributed by py-spy samples (for the token, of a signed-in member). PostgreSQL's
time is broken down with a series of statements, each of which does one step more. All on one connection."""

from __future__ import annotations

import hashlib
import hmac
import os
import subprocess
import sys
import tempfile
import time
import timeit
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs

from data import Bench, cursor_of, downtown_points, server_cursor
from favorites import signed
from figures import interleave
from load import ROOT, Load, pgbench, server_process, started, wrk
from members import visited
from peers.environments import environment
from radius import FUNCTION, RADIUS_M, paths, questions, variables
from stacks import LAYERS, SERVER, by_layer

from geoshops.database.statements import Values
from geoshops.shops.queries import AROUND

PER_SECOND = 500
STEPS = (
    "round trip",
    "planning",
    "index",
    "geodesic test",
    "brand and status",
    "distance",
    "JSON",
    "write",
)
TICK_US = 1_000_000 / os.sysconf("SC_CLK_TCK")
TOOLS = Path(__file__).resolve().parent / "tools"
POINT = "ST_SetSRID(ST_MakePoint(:mlng, :mlat), 4326)::geography"
USER = "ST_SetSRID(ST_MakePoint(:ulng, :ulat), 4326)::geography"
BRAND = "s.status <> 'CLOSED' AND s.brand_id = ANY (ARRAY(SELECT b.id FROM brands b WHERE b.is_representative))"


def ladder(size: int) -> dict[str, str]:
    """Returns statements, each of which does one step more than the previous one."""
    # expressions that depend only on the parameters are evaluated once, as in the function
    parameters = f"(SELECT {POINT} AS center, {USER} AS viewer OFFSET 0) q"
    # the index condition of ST_DWithin
    in_box = f"FROM {parameters}, shops s WHERE s.geog && _ST_Expand(q.center, {RADIUS_M})"
    within = f"FROM {parameters}, shops s WHERE ST_DWithin(s.geog, q.center, {RADIUS_M})"
    return {
        "round trip": "SELECT 1;",
        "write": f"SELECT repeat('x', {size});",
        "index": f"SELECT count(*) {in_box};",
        "geodesic test": f"SELECT count(*) {within};",
        "brand": f"SELECT count(*) {within} AND {BRAND};",
        "cards": f"SELECT length(string_agg(s.card || s.counts, ',')) {within} AND {BRAND};",
        "distance": f"SELECT sum(ST_Distance(s.geog, q.viewer)) {within} AND {BRAND};",
        "whole": FUNCTION.format(radius=RADIUS_M),
    }


def in_postgres(url: str, size: int, *, seconds: int, rounds: int) -> dict[str, float]:
    """Returns the microseconds of each step on one connection, and of planning the outer statement."""
    chosen = variables(downtown_points())

    def run(text: str, protocol: str = "prepared") -> Callable[[], Load]:
        return lambda: pgbench(
            url, chosen + "\n" + text, seconds=seconds, clients=1, protocol=protocol
        )

    steps = ladder(size)
    cases = {name: run(text) for name, text in steps.items()}
    cases["whole, sent as text"] = run(steps["whole"], "simple")
    found = interleave(cases, rounds)
    us = {name: 1_000_000 / runs.median("per_s") for name, runs in found.items()}
    write = us["write"] - us["round trip"]
    return {
        "round trip": us["round trip"],
        "planning": us["whole, sent as text"] - us["whole"],
        "index": us["index"] - us["round trip"],
        "geodesic test": us["geodesic test"] - us["index"],
        "brand and status": us["brand"] - us["geodesic test"],
        "distance": us["distance"] - us["brand"],
        "JSON": us["whole"] - us["distance"] - write,
        "write": write,
        "whole": us["whole"],
        "cards": us["cards"] - us["brand"],
    }


def processor_us(pids: list[int]) -> float:
    """Returns the CPU microseconds of processes."""
    fields = (Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids)
    return sum(int(f[11]) + int(f[12]) for f in fields) * TICK_US


def workers(root: int) -> list[int]:
    """Returns the processes that a server has forked."""
    found = Path(f"/proc/{root}/task/{root}/children").read_text().split()
    return [int(pid) for pid in found]


def backends(url: str) -> list[int]:
    """Returns the pids of the service's backends."""
    cursor = server_cursor()
    cursor.execute(
        "SELECT pid FROM pg_stat_activity WHERE datname = %s AND application_name LIKE 'geoshops%%'",
        (url.rpartition("/")[2],),
    )
    return [pid for (pid,) in cursor.fetchall()]


def sampled(worker: int, seconds: int, load: Callable[[], Load]) -> dict[str, float]:
    """Returns Python microseconds per request by layer, from samples of the worker under load."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "stacks")
        spy = subprocess.Popen(
            [str(environment(TOOLS) / "bin" / "py-spy"), "record", "-p", str(worker), "-d", str(seconds),
             "-r", str(PER_SECOND), "-f", "raw", "-o", str(out), "--full-filenames"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        ran = load()
        _, said = spy.communicate(timeout=60)
        if spy.returncode:
            raise SystemExit(f"py-spy failed (it needs the right to trace): {said.decode()[-500:]}")
        samples = by_layer(out.read_text().splitlines())
    requests = ran.per_s * seconds
    return {name: n / PER_SECOND * 1_000_000 / requests for name, n in samples.items()}


def in_python(url: str, key: str, tokens: list[str] | None, seconds: int) -> dict[str, float]:
    """Returns microseconds by layer; `worker` and `postgres` are CPU time, `request` is wall time."""
    asked = paths(downtown_points())
    settings = {"WEB_CONCURRENCY": "1", "GEOSHOPS_SECRET_KEY": key}
    with server_process(url, **settings) as (origin, process):

        def load(for_s: int) -> Load:
            if tokens:
                return signed(origin, asked, tokens, for_s, connections=1)
            return wrk(origin, asked, seconds=for_s, connections=1)

        load(2)
        (worker,) = workers(process.pid)
        own, others = processor_us([worker]), processor_us(backends(url))
        ran = load(seconds)
        requests = ran.per_s * seconds
        found = {
            "worker": (processor_us([worker]) - own) / requests,
            "postgres": (processor_us(backends(url)) - others) / requests,
            "request": 1_000_000 / ran.per_s,
            "bytes": ran.bytes_each,
        }
        return {**found, **sampled(worker, seconds, lambda: load(seconds))}


@contextmanager
def constant(app: str, size: int) -> Iterator[tuple[str, int]]:
    """Starts the baseline server with the service's options; yields its origin and worker."""
    granian = str(ROOT / ".venv" / "bin" / "granian")
    command = [granian, "--interface", "wsgi", "--host", "127.0.0.1", "--port", "{port}", "--workers", "1",
               "--blocking-threads", "4", "--backpressure", "2048", "--no-ws", "--no-access-log", f"floor:{app}"]  # fmt: skip
    settings = {"PYTHONPATH": str(TOOLS), "FLOOR_BYTES": str(size)}
    with started(command, settings, ready="/shops/brand", folder=TOOLS) as (origin, process):
        (worker,) = workers(process.pid)
        yield origin, worker


def floor_us(app: str, size: int, seconds: int) -> tuple[float, float]:
    """Returns wall and CPU microseconds of a constant response."""
    with constant(app, size) as (origin, worker):
        wrk(origin, ["/shops/brand"], seconds=1, connections=1)
        before = processor_us([worker])
        ran = wrk(origin, ["/shops/brand"], seconds=seconds, connections=1)
        return 1_000_000 / ran.per_s, (processor_us([worker]) - before) / (ran.per_s * seconds)


def by_hand(url: str, size: int) -> dict[str, float]:
    """Returns the microseconds of minimal Python implementations of some layers."""
    query = paths(downtown_points())[0].partition("?")[2]
    body, key = b"x" * size, b"k" * 48
    cursor = cursor_of(url)
    x, y, user_x, user_y = questions(downtown_points())[0]
    asked = {
        "map_lon": x, "map_lat": y, "user_lon": user_x, "user_lat": user_y, "radius_m": RADIUS_M,
        "brand_ids": None, "origin": "http://127.0.0.1:8000", "at_most": 1000, "member": None, "session": None,
        "all_brands": False, "filters": None, "sort": "distance", "page_size": 1000, "page_offset": 0, "lang": None,
    }  # fmt: skip

    def ask(statement: str, values: Values) -> None:
        cursor.execute(statement, values)
        cursor.fetchone()

    def us(act: Callable[[], object], number: int) -> float:
        times = timeit.repeat(act, repeat=5, number=number, timer=time.process_time)
        return min(times) / number * 1_000_000

    return {
        "parsing and validation": us(lambda: [float(v[0]) for v in parse_qs(query).values()], 2000),
        "token": us(lambda: hmac.digest(key, body[:200], "sha256"), 2000),
        "frame: id, headers, ETag": us(
            lambda: (os.urandom(16).hex(), hashlib.sha1(body).hexdigest()), 1000
        ),
        "driver": us(lambda: ask("SELECT repeat('x', %s)", (size,)), 1000),
        "driver, our statement": us(lambda: ask(AROUND.text, {**AROUND.constants, **asked}), 300),
    }


def shared(samples: dict[str, float], names: list[str], us: float) -> dict[str, float]:
    """Distributes CPU time by the shares of samples, because samples alone include waiting for a core."""
    total = sum(samples.get(name, 0.0) for name in names) or 1.0
    return {name: us * samples.get(name, 0.0) / total for name in names}


def table(lines: list[dict[str, object]]) -> None:
    """Prints the layers to standard error."""
    print(f"{'layer':30}{'µs':>9}{'floor':>9}", file=sys.stderr)
    for line in lines:
        floor = "" if line["floor_us"] is None else f"{line['floor_us']:9.1f}"
        print(f"{line['layer']:30}{line['us']:9.1f}{floor}", file=sys.stderr)


def main(bench: Bench) -> dict[str, object]:
    """Prints the table and returns the figures."""
    copy = visited(bench, bench.size())
    seconds, rounds = (4, 1) if bench.quick else (10, bench.rounds or 3)
    anonymous = in_python(copy.url, copy.key, None, seconds)
    member = in_python(copy.url, copy.key, copy.tokens, seconds)
    size = round(anonymous["bytes"])
    bare_clock, bare = floor_us("bare", size, seconds)
    flask_clock, flasked = floor_us("flasked", size, seconds)
    sql = in_postgres(copy.url, size, seconds=max(2, seconds // 3), rounds=rounds)
    hand = by_hand(copy.url, size)
    driver = hand.pop("driver, our statement")
    names = [name for name, _ in LAYERS if name not in ("driver", SERVER)]
    python = anonymous["worker"] - bare - driver
    of_stranger = shared(anonymous, names, python)
    of_member = shared(member, names, member["worker"] - bare - driver)
    floors = {**hand, "routing, context, response": flasked - bare, SERVER: bare,
              "SQL: JSON": sql["cards"], "SQL: planning": 0.0, "pool": 0.0}  # fmt: skip
    found = {SERVER: bare, "driver": driver, **of_stranger, "token": of_member["token"]}
    found |= {f"SQL: {step}": sql[step] for step in STEPS}
    lines: list[dict[str, object]] = [
        {"layer": name, "us": us, "floor_us": floors.get(name)} for name, us in found.items()
    ]
    table(lines)
    whole = {
        "request_us": round(anonymous["request"]),
        "worker_cpu_us": round(anonymous["worker"]),
        "python_us": round(python + driver),
        "postgres_cpu_us": round(anonymous["postgres"]),
        "function_us": round(sql["whole"]),
        "signed_in_request_us": round(member["request"]),
        "constant_answer_us": round(bare_clock),
        "constant_flask_answer_us": round(flask_clock),
        "bytes": size,
    }
    return {**whole, "layers": lines}
