"""Clients that wait between their requests, by wrk: a closed system with exponential think times."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# wrk measures from the moment at which a request is sent, after the delay, which is a whole number of milliseconds
SCRIPT = """
local paths, tokens = {{ {paths} }}, {{ {tokens} }}
math.randomseed({seed})
function request()
  local path = paths[math.random(#paths)]
  if #tokens == 0 then return wrk.format("GET", path) end
  local headers = {{ ["Authorization"] = "Bearer " .. tokens[math.random(#tokens)], ["Content-Type"] = "application/json" }}
  return wrk.format("POST", path, headers, [[{body}]])
end
{delay}
function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format('RESULT {{"requests": %d, "seconds": %f, "p50_ms": %f, "p95_ms": %f, "mean_ms": %f, "errors": %d}}\\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(95) / 1e3, latency.mean / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
"""
DELAY = (
    "function delay() return math.floor(-math.log(1 - math.random()) * {think_ms:.3f} + 0.5) end"
)
BODY = '{"star_rating": 4, "content": "조명이 밝고 소품이 많아요", "purity": "GOOD", "retouch": "GOOD", "item": "BAD"}'


@dataclass(frozen=True)
class Clients:
    """Connections that repeat a request to a random path, with a token as a write, after a think time."""

    paths: list[str]
    tokens: list[str]
    connections: int
    think_s: float

    def script(self, seed: int) -> str:
        """Returns the wrk script."""
        return SCRIPT.format(
            paths=",".join(f'"{path}"' for path in self.paths),
            tokens=",".join(f'"{token}"' for token in self.tokens),
            body=BODY,
            seed=seed,
            delay=DELAY.format(think_ms=1000 * self.think_s) if self.think_s else "",
        )


@dataclass(frozen=True)
class Result:
    """The completed requests of a run and their latencies."""

    requests: int
    seconds: float
    p50_ms: float
    p95_ms: float
    mean_ms: float
    errors: int

    @property
    def per_s(self) -> float:
        """The throughput."""
        return self.requests / self.seconds


@contextmanager
def running(
    origin: str, groups: Iterable[Clients], *, seconds: int
) -> Iterator[list[subprocess.Popen[str]]]:
    """Starts one wrk per group of clients, which ends by itself."""
    with tempfile.TemporaryDirectory() as folder:
        processes = []
        for number, clients in enumerate(groups):
            script = Path(folder, f"{number}.lua")
            script.write_text(clients.script(number + 1), encoding="utf-8")
            argv = ["wrk", "-t1", f"-c{clients.connections}", f"-d{seconds}s", "--timeout", "10s"]
            processes.append(
                subprocess.Popen([*argv, "-s", str(script), origin], stdout=subprocess.PIPE, text=True)
            )  # fmt: skip
        try:
            yield processes
        finally:
            for process in processes:
                process.kill()
                process.wait()


def result(process: subprocess.Popen[str]) -> Result:
    """Waits for a wrk and returns its result."""
    text, _ = process.communicate()
    return Result(**json.loads(text.rpartition("RESULT ")[2]))
