"""Time from cold start to the first response, with one worker and with --production, and the memory of two workers
over many requests."""

from __future__ import annotations

import re
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from data import Bench, downtown_points
from load import ROOT, free_port, server_process, stop, wrk
from members import visited
from radius import paths

STARTS = 7
FULL, QUICK = 1_000_000, 40_000
STEPS = 10


def first_response_s(url: str, workers: int = 1, *options: str) -> float:
    """Returns the seconds from the start of scripts/serve to the first response."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder, Path(folder, "log").open("w") as log:
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin", "DATABASE_URL": url, "HOST": "127.0.0.1", "PORT": str(port),
            "GEOSHOPS_SECRET_KEY": secrets.token_urlsafe(48), "PROMETHEUS_MULTIPROC_DIR": folder, "WEB_CONCURRENCY": str(workers),
        }  # fmt: skip
        started = time.perf_counter()
        process = subprocess.Popen(
            [str(ROOT / "scripts" / "serve"), *options], env=environment, stdout=log, stderr=log, start_new_session=True
        )  # fmt: skip
        try:
            return _wait(f"http://127.0.0.1:{port}{paths(downtown_points(1))[0]}") - started
        finally:
            stop(process)


def _wait(url: str) -> float:
    limit = time.perf_counter() + 30
    while time.perf_counter() < limit:
        try:
            with urllib.request.urlopen(url, timeout=10) as response:
                response.read()
                return time.perf_counter()
        except OSError:
            time.sleep(0.005)
    raise SystemExit("no response within 30 s")


def memory_mb(root: int) -> tuple[float, float]:
    """Returns PSS and RSS of a process and its descendants in MB.

    PSS counts shared pages once, so it is their total memory."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    members, waiting = [], [root]
    while waiting:
        members.append(waiting.pop())
        waiting += children.get(members[-1], [])
    rollups = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in members]
    return _sum_mb(rollups, "Pss"), _sum_mb(rollups, "Rss")


def _sum_mb(rollups: list[str], field: str) -> float:
    found = (re.search(rf"^{field}: +(\d+) kB", text, re.MULTILINE) for text in rollups)
    return round(sum(int(match[1]) for match in found if match) / 1024, 1)


def through(bench: Bench, requests: int) -> list[dict[str, float]]:
    """Measures memory after each tenth of the requests: radius searches, shop details, reviews."""
    copy = visited(bench, bench.size())
    asked = paths(downtown_points())
    for shop in copy.shops[:300]:
        asked += [f"/shops/{shop}", f"/reviews/shop/{shop}?page=1&size=20"]
    found: list[dict[str, float]] = []
    with server_process(copy.url) as (origin, process):
        done = 0.0
        while done < requests:
            pss, rss = memory_mb(process.pid)
            found.append({"requests": round(done), "pss_mb": pss, "rss_mb": rss})
            print(f"{done:10.0f} requests: {pss} MB together", file=sys.stderr)
            aim, seconds = len(found) / STEPS * requests, 2
            while done < aim:
                load = wrk(origin, asked, seconds=seconds, connections=16)
                if load.errors:
                    raise SystemExit(f"{load.errors} requests failed")
                done += load.per_s * seconds
                seconds = max(1, min(20, round((aim - done) / load.per_s)))
        pss, rss = memory_mb(process.pid)
        found.append({"requests": round(done), "pss_mb": pss, "rss_mb": rss})
        print(f"{done:10.0f} requests: {pss} MB together", file=sys.stderr)
    return found


def main(bench: Bench) -> dict[str, object]:
    """Returns the growth from the second tenth on, since the first fills caches."""
    url = bench.database(bench.size())
    starts = [first_response_s(url) for _ in range(STARTS)]
    print("first response after " + ", ".join(f"{s:.2f}" for s in starts) + " s", file=sys.stderr)
    with_nginx = [first_response_s(url, 2, "--production") for _ in range(STARTS)]
    print("with nginx after " + ", ".join(f"{s:.2f}" for s in with_nginx) + " s", file=sys.stderr)
    steps = through(bench, QUICK if bench.quick else FULL)
    return {
        "first_response_s": round(statistics.median(starts), 2),
        "slowest_first_response_s": round(max(starts), 2),
        "production_first_response_s": round(statistics.median(with_nginx), 2),
        "slowest_production_first_response_s": round(max(with_nginx), 2),
        "requests": steps[-1]["requests"],
        "memory_mb": steps[-1]["pss_mb"],
        "resident_mb": steps[-1]["rss_mb"],
        "growth_mb": round(steps[-1]["pss_mb"] - steps[2]["pss_mb"], 1),
        "steps": steps,
    }
