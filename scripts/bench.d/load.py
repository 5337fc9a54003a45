"""Loads: pgbench on the database, wrk on the server as shipped, and how noisy the machine was."""

from __future__ import annotations

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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
UNIT_MS = {"us": 0.001, "ms": 1.0, "s": 1000.0}


@dataclass(frozen=True)
class Load:
    """One run: transactions or requests a second, latencies, bytes an answer, errors."""

    per_s: float
    p50_ms: float
    p99_ms: float
    bytes_each: float = 0
    errors: int = 0


def pgbench(url: str, script: str, *, seconds: int, clients: int = 4) -> Load:
    """Runs a pgbench script with prepared statements; latencies from its log."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "script.sql").write_text(script, encoding="utf-8")
        run = subprocess.run(
            [_program("pgbench"), "-n", "-M", "prepared", "-c", str(clients), "-j", "2",
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
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def wrk(
    origin: str,
    paths: list[str],
    *,
    seconds: int,
    connections: int = 8,
    headers: dict[str, str] | None = None,
) -> Load:
    """Asks for random ones of the paths over keep-alive connections of one thread."""
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


@contextmanager
def server(database_url: str, **settings: str) -> Iterator[str]:
    """The service as shipped (scripts/serve) on a free port; yields its origin."""
    port = free_port()
    with (
        tempfile.TemporaryDirectory() as folder,
        Path(folder, "log").open("w", encoding="utf-8") as log,
    ):
        environment = {
            **os.environ,
            "DATABASE_URL": database_url,
            "GEOSHOPS_SECRET_KEY": secrets.token_urlsafe(48),
            "PORT": str(port),
            "HOST": "127.0.0.1",
            "PROMETHEUS_MULTIPROC_DIR": folder,
            **settings,
        }
        process = subprocess.Popen(
            [str(ROOT / "scripts" / "serve")],
            env=environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            origin = f"http://127.0.0.1:{port}"
            _wait(origin)
            yield origin
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(20)


def _wait(origin: str) -> None:
    for _ in range(120):
        try:
            with urllib.request.urlopen(f"{origin}/readyz", timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.25)
    raise SystemExit("the server did not become ready")


def free_port() -> int:
    """A free TCP port on the loopback address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def metered() -> Iterator[dict[str, float]]:
    """Share of the machine's processor time that others used while the block ran, in per cent.

    Ours is what this process' descendants and PostgreSQL used; the rest is foreign."""
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


OURS = ("postgres", "pgbench", "wrk", "granian", "python")


def _our_jiffies() -> int:
    total = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        if name.startswith(OURS):
            fields = rest.split()
            total += sum(int(x) for x in fields[11:15])
    return total


def _program(name: str) -> str:
    versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    found = str(versions[0]) if versions else shutil.which(name)
    if not found:
        raise SystemExit(f"{name} is missing; on Debian: apt-get install -y postgresql")
    return found
