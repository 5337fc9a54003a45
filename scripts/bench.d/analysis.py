"""Every question of sql/analysis on a filled database: seconds and rows, as the analysts' role."""

from __future__ import annotations

import sys
import time

from geoshops.analysis import runner, scripts

LIMIT_S = 10
TIMEOUT_S = 120


def timed(database_url: str, script: scripts.Script) -> tuple[float, int]:
    """Seconds from the start of psql to the last row, and the number of rows."""
    started = time.perf_counter()
    with runner.answer(database_url, script, {}, TIMEOUT_S) as answer:
        rows = sum(1 for _ in answer.rows)
    return time.perf_counter() - started, rows


def main(database_url: str) -> dict[str, object]:
    """Prints a line a script; slow ones are named in `over_10_s`."""
    found: list[dict[str, object]] = []
    over: list[str] = []
    for script in scripts.catalogue():
        try:
            seconds, rows = timed(database_url, script)
        except runner.ScriptError as error:
            print(f"{script.name:28} failed: {error}", file=sys.stderr, flush=True)
            found.append({"name": script.name, "error": str(error)})
            over.append(script.name)
            continue
        print(f"{script.name:28} {seconds:8.2f} s {rows:9} rows", file=sys.stderr, flush=True)
        found.append({"name": script.name, "seconds": round(seconds, 2), "rows": rows})
        if seconds > LIMIT_S:
            over.append(script.name)
    return {"limit_s": LIMIT_S, "over_10_s": over, "scripts": found}
