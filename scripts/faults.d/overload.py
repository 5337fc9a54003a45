"""Four times the load that the service can carry: what still goes through, and how fast the rest is refused."""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from client import Client
from cluster import cluster
from drills import SEARCH, percentile
from ledger import fill
from service import Service

TIMES = 4
SHARE = 0.85
REFUSED_WITHIN_S = 1.0
# connections that keep the service busy without a queue to speak of
BUSY = 16
PAUSE_S = 0.1
# the load is looked for in short trials and kept a little above what is asked
TRIALS, TRIAL_S, SPARE = 8, 4, 1.03
# wrk waits for answers, so an overload needs many more clients than the service takes in, each with a pause
# after its answer. Its counters are global because it reads them by name.
LUA = """
local thread_of = {}
function setup(thread) table.insert(thread_of, thread) end
function init() good, refused, odd = 0, 0, 0 end
function delay() return %(pause_ms)d end
function response(status, headers)
  if status == 200 then good = good + 1
  elseif status == 503 and headers["Retry-After"] then refused = refused + 1
  else odd = odd + 1 end
end
function done(summary, latency)
  local sums = { 0, 0, 0 }
  for _, thread in ipairs(thread_of) do
    sums[1] = sums[1] + thread:get("good")
    sums[2] = sums[2] + thread:get("refused")
    sums[3] = sums[3] + thread:get("odd")
  end
  io.write(string.format("FIGURES %%d %%d %%d %%d %%d %%d\\n", sums[1], sums[2], sums[3],
    latency:percentile(99), latency.max, summary.errors.timeout + summary.errors.read + summary.errors.connect))
end
"""


def main(args: argparse.Namespace) -> tuple[dict[str, Any], bool]:
    """The best throughput, that under overload, and the time of refusals."""
    with cluster() as found, tempfile.TemporaryDirectory() as folder:
        service = Service(found, Path(folder))
        fill(found, 1)
        service.start()
        try:
            load(service, BUSY, 2, 0)
            best = max(load(service, BUSY, args.seconds, 0)["good_per_s"] for _ in range(2))
            over = _overload(service, best, args.seconds)
            after = _normal(service)
            again = load(service, BUSY, args.seconds, 0)["good_per_s"]
        finally:
            service.stop()
    figures = {
        "best_per_s": best,
        "under_load_good_per_s": over["good_per_s"],
        "share_of_best": round(over["good_per_s"] / best, 3),
        "offered_times": round(_offered_per_s(over) / best, 2),
        "connections": over["connections"],
        "generator_cores": over["generator_cores"],
        "refused_per_s": over["refused_per_s"],
        "odd_answers": over["odd"],
        "broken": over["broken"],
        "p99_s_of_all": over["p99_s"],
        "max_s_of_all": over["max_s"],
        "p95_ms_just_after": after,
        "afterwards_per_s": again,
    }
    kept = figures["share_of_best"] >= SHARE and over["p99_s"] <= REFUSED_WITHIN_S
    kept = kept and figures["offered_times"] >= TIMES
    return figures, kept and not over["odd"] and not over["broken"]


def _overload(service: Service, best_per_s: float, seconds: int) -> dict[str, Any]:
    """As many clients as it takes to offer the load: each comes back a pause after its answer, and how long
    answers take shows only under the load."""
    connections = int(TIMES * best_per_s * PAUSE_S * 1.4)
    for _ in range(TRIALS):
        tried = load(service, connections, TRIAL_S, PAUSE_S)
        short = TIMES * best_per_s / _offered_per_s(tried)
        if short <= 1 / SPARE:
            break
        connections = int(connections * max(1.05, short * SPARE))
    return {**load(service, connections, seconds, PAUSE_S), "connections": connections}


def _offered_per_s(found: dict[str, Any]) -> float:
    return float(found["good_per_s"] + found["refused_per_s"])


def load(
    service: Service, connections: int, seconds: int, pause_s: float, path: str = SEARCH
) -> dict[str, Any]:
    """One run of wrk."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        text = LUA % {"pause_ms": int(pause_s * 1000)}
        # without a pause the function itself would cost
        script.write(text if pause_s else text.replace("function delay", "function unused"))
        script.flush()
        before_s = _children_s()
        run = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "8s", "-s", script.name,
             service.origin + path],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    if "FIGURES" not in run.stdout:
        raise SystemExit(f"wrk failed: {run.stderr[-500:]} {run.stdout[-500:]}")
    words = run.stdout.partition("FIGURES ")[2].split()
    good, refused, odd, p99_us, max_us, broken = map(int, words[:6])
    print(run.stdout.splitlines()[-1], file=sys.stderr)
    return {
        "good_per_s": round(good / seconds, 1),
        "refused_per_s": round(refused / seconds, 1),
        "odd": odd,
        "broken": broken,
        "p99_s": round(p99_us / 1e6, 3),
        "max_s": round(max_us / 1e6, 3),
        "generator_cores": round((_children_s() - before_s) / seconds, 2),
    }


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _normal(service: Service) -> float:
    client, times = Client(service.port), []
    until = time.monotonic() + 3
    while time.monotonic() < until:
        times.append(client.ask("GET", SEARCH).seconds)
    return round(percentile(sorted(times), 95) * 1000, 2)
