"""Runs pgbench on the database and wrk on the service as shipped; measures other load on the machine."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg2

ROOT = Path(__file__).resolve().parent.parent.parent
UNIT_MS = {"us": 0.001, "ms": 1.0, "s": 1000.0}


@dataclass(frozen=True)
class Load:
    """A run: transactions or requests per second, latencies, bytes per response, errors."""

    per_s: float
    p50_ms: float
    p99_ms: float
    bytes_each: float = 0
    errors: int = 0


def pgbench(
    url: str, script: str, *, seconds: int, clients: int = 4, protocol: str = "prepared"
) -> Load:
    """Runs a pgbench script, by default with prepared statements; reads latencies from its log."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "script.sql").write_text(script, encoding="utf-8")
        run = subprocess.run(
            [_program("pgbench"), "-n", "-M", protocol, "-c", str(clients), "-j", str(min(2, clients)),
             "-T", str(seconds), "-l", "--log-prefix", f"{folder}/log", "-f", f"{folder}/script.sql", url],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if run.returncode:
            raise SystemExit(f"pgbench failed: {run.stderr[-800:]}")
        times_ms = sorted(
            int(line.split()[2]) / 1000
            for log in Path(folder).glob("log*")
            for line in log.read_text().splitlines()
        )
    found = re.search(r"tps = ([0-9.]+)", run.stdout)
    assert found, run.stdout
    return Load(float(found[1]), percentile(times_ms, 50), percentile(times_ms, 99))


def percentile(ordered: list[float], percent: float) -> float:
    """Nearest-rank percentile of an ascending list."""
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def wrk(
    origin: str,
    paths: list[str],
    *,
    seconds: int,
    connections: int = 8,
    headers: dict[str, str] | None = None,
) -> Load:
    """Requests random paths over keep-alive connections of one thread."""
    return run_wrk(origin, _lua(paths, headers or {}), seconds=seconds, connections=connections)


def run_wrk(origin: str, lua: str, *, seconds: int, connections: int = 8) -> Load:
    """Runs a wrk script with one thread."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua", encoding="utf-8") as script:
        script.write(lua)
        script.flush()
        run = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script.name, origin],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    return _read_wrk(run.stdout)


def _lua(paths: list[str], headers: dict[str, str]) -> str:
    listed = ",".join(f'"{path}"' for path in paths)
    sent = "".join(f'wrk.headers["{name}"] = "{value}"\n' for name, value in headers.items())
    return (
        f"{sent}local paths = {{{listed}}}\nmath.randomseed(os.time())\n"
        "request = function() return wrk.format(nil, paths[math.random(#paths)]) end\n"
    )


def _read_wrk(text: str) -> Load:
    def milliseconds(percent: str) -> float:
        found = re.search(rf"{percent}%\s+([0-9.]+)(us|ms|s)", text)
        assert found, text
        return float(found[1]) * UNIT_MS[found[2]]

    rate = re.search(r"Requests/sec:\s+([0-9.]+)", text)
    total = re.search(r"(\d+) requests in [0-9.]+\w+, ([0-9.]+)(KB|MB|GB) read", text)
    assert rate and total, text
    failed = sum(map(int, re.findall(r"Non-2xx or 3xx responses: (\d+)", text)))
    failed += sum(map(int, re.findall(r"(?:connect|read|write|timeout) (\d+)", text)))
    size = float(total[2]) * {"KB": 1024, "MB": 1024**2, "GB": 1024**3}[total[3]]
    return Load(
        float(rate[1]), milliseconds("50"), milliseconds("99"), size / max(1, int(total[1])), failed
    )


def hey(url: str, *, seconds: int, connections: int, per_s: float | None = None) -> Load:
    """Requests one URL; with a rate as an open loop, where a late response delays only its own connection."""
    paced = ["-q", f"{per_s / connections:.2f}"] if per_s else []
    run = subprocess.run(
        ["hey", "-z", f"{seconds}s", "-c", str(connections), *paced, "-o", "csv", url],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    rows = [line.split(",") for line in run.stdout.splitlines()[1:] if line]
    times_ms = sorted(float(row[0]) * 1000 for row in rows)
    failed = sum(row[6] != "200" for row in rows)
    last_s = max(float(row[7]) for row in rows)
    return Load(len(rows) / last_s, percentile(times_ms, 50), percentile(times_ms, 99), 0, failed)


@contextmanager
def server(database_url: str, **settings: str) -> Iterator[str]:
    """Starts the service as shipped (scripts/serve) on a free port; yields its origin."""
    with server_process(database_url, **settings) as (origin, _):
        yield origin


@contextmanager
def server_process(
    database_url: str, **settings: str
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Like `server`; also yields its process, whose descendants are the workers."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            "DATABASE_URL": database_url,
            "GEOSHOPS_SECRET_KEY": secrets.token_urlsafe(48),
            "HOST": "127.0.0.1",
            "GEOSHOPS_SCHEDULER": "off",
            "PROMETHEUS_MULTIPROC_DIR": folder,
            **settings,
        }
        serve = [str(ROOT / "scripts" / "serve")]
        with started(serve, environment, ready="/readyz") as running:
            yield running


@contextmanager
def started(
    command: Sequence[str], settings: dict[str, str], *, ready: str, folder: Path = ROOT
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Starts a server in its own process group; yields its origin and process when the path `ready` responds.

    The port is set as PORT and replaces {port} in the command."""
    port = free_port()
    environment = {**os.environ, "PORT": str(port), **settings}
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        process = subprocess.Popen(
            [part.replace("{port}", str(port)) for part in command],
            env=environment, stdout=log, stderr=log, start_new_session=True, cwd=folder,
        )  # fmt: skip
        try:
            origin = f"http://127.0.0.1:{port}"
            if not _responds(process, f"{origin}{ready}"):
                log.seek(0)
                raise SystemExit(f"{command[0]} did not become ready: {log.read()[-2000:]}")
            yield origin, process
        finally:
            stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ends a process group; sends SIGKILL after a timeout."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(20)
            return


def _responds(process: subprocess.Popen[bytes], url: str) -> bool:
    for _ in range(240):
        if process.poll() is not None:
            return False
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return bool(answer.status == 200)
        except OSError:
            time.sleep(0.25)
    return False


def free_port() -> int:
    """Returns a free TCP port on the loopback address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def metered() -> Iterator[dict[str, float]]:
    """Measures the percentage of the machine's CPU time that other processes use during the block.

    Other processes are all except this process, its descendants and the measured cluster."""
    figures: dict[str, float] = {}
    before, ours = _jiffies(), _our_jiffies()
    yield figures
    total, busy = (a - b for a, b in zip(_jiffies(), before, strict=True))
    figures["busy_percent"] = round(100 * busy / max(1, total), 1)
    figures["foreign_percent"] = round(
        100 * max(0, busy - (_our_jiffies() - ours)) / max(1, total), 1
    )


def _jiffies() -> tuple[int, int]:
    fields = [int(x) for x in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return sum(fields), sum(fields) - fields[3] - fields[4]


def processor_s(roots: Iterable[int]) -> float:
    """Returns the CPU time of processes and their descendants."""
    return _jiffies_of(set(roots)) / os.sysconf("SC_CLK_TCK")


def _our_jiffies() -> int:
    """Returns the CPU time of this process, its descendants and the measured cluster."""
    return _jiffies_of({os.getpid(), _postmaster()})


def _jiffies_of(roots: set[int]) -> int:
    parents: dict[int, int] = {}
    used: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            pid = int(stat.parent.name)
            # including children that have ended
            parents[pid], used[pid] = int(fields[1]), sum(int(x) for x in fields[11:15])
    return sum(time for pid, time in used.items() if _descends(pid, parents, roots))


def _descends(pid: int, parents: dict[int, int], roots: set[int]) -> bool:
    while pid in parents and pid not in roots:
        pid = parents[pid]
    return pid in roots


@functools.cache
def _postmaster() -> int:
    """Returns the pid of the postmaster; 0 if it runs on another machine."""
    with contextlib.closing(psycopg2.connect(os.environ["GEOSHOPS_BENCH_SERVER"])) as connection:
        stat = Path(f"/proc/{connection.info.backend_pid}/stat")
        with contextlib.suppress(OSError):
            return int(stat.read_text().rpartition(")")[2].split()[1])
    return 0


def _program(name: str) -> str:
    versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    found = str(versions[0]) if versions else shutil.which(name)
    if not found:
        raise SystemExit(f"{name} is missing; on Debian: apt-get install -y postgresql")
    return found
