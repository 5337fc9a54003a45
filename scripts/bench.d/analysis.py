"""Run time and rows of every script of sql/analysis on the sample data, as the read-only role."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from data import PREFIX, Bench, cursor_of, recreate, row_of, server_url
from load import ROOT, metered

from geoshops.analysis import runner, scripts

SHOPS, QUICK_SHOPS = 100_000, 10_000
REVIEWS_PER_SHOP, SHOPS_PER_MEMBER = 10, 5
LIMIT_S = 10
TIMEOUT_S = 120
# Without boundaries the scripts use the hull of the shops, which would hide the cost of boundaries.
BOUNDARIES = ("provinces", "municipalities")
SHARED_DATA = Path(os.environ.get("GEOSHOPS_SHARED_DATA", ROOT.parent / "shared" / "data"))


def country(shops: int) -> str:
    """Returns the URL of sample data with that many shops, created on first use."""
    name = f"{PREFIX}analysis_{shops}"
    filled = (shops, shops * REVIEWS_PER_SHOP)
    if row_of(name, "SELECT count(*), sum(review_cnt) FROM shops") != filled:
        _make(name, shops)
    return server_url(name)


def _make(name: str, shops: int) -> None:
    recreate(name)
    sizes = ["--shops", str(shops), "--reviews", str(shops * REVIEWS_PER_SHOP)]
    _geoshops(name, "seed", "--yes", *sizes, "--members", str(shops // SHOPS_PER_MEMBER))
    for level in BOUNDARIES:
        file = SHARED_DATA / "boundaries_kr_2018" / f"skorea-{level}-2018-simple.geojson"
        if file.exists():
            _geoshops(name, "import", "regions", str(file), "--mapping", "kostat")
    cursor_of(server_url(name)).execute("VACUUM (ANALYZE)")


def _geoshops(name: str, *arguments: str) -> None:
    url = server_url(name)
    environment = {**os.environ, "DATABASE_URL": url, "GEOSHOPS_OWNER_DATABASE_URL": url}
    command = [sys.executable, "-m", "geoshops", *arguments]
    subprocess.run(command, check=True, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)


def timed(database_url: str, script: scripts.Script) -> tuple[float, int]:
    """Returns the seconds from the start of psql to the last row, and the number of rows."""
    started = time.perf_counter()
    with runner.run(database_url, script, {}, TIMEOUT_S) as result:
        rows = sum(1 for _ in result.rows)
    return time.perf_counter() - started, rows


def figures_of(url: str, script: scripts.Script) -> dict[str, object]:
    """Returns time and rows of a script, or its error; prints a progress line."""
    try:
        seconds, rows = timed(url, script)
    except runner.ScriptError as error:
        print(f"{script.name:28} failed: {error}", file=sys.stderr, flush=True)
        return {"name": script.name, "error": str(error), "over": True}
    print(f"{script.name:28} {seconds:8.2f} s {rows:9} rows", file=sys.stderr, flush=True)
    over = seconds > LIMIT_S
    return {"name": script.name, "seconds": round(seconds, 2), "rows": rows, "over": over}


def main(bench: Bench) -> dict[str, object]:
    """Prints a line per script; `over_10_s` lists slow and failed ones."""
    shops = bench.shops or (QUICK_SHOPS if bench.quick else SHOPS)
    url = country(shops)
    figures = {"shops": shops, "reviews": shops * REVIEWS_PER_SHOP}
    with metered() as foreign:
        found = [figures_of(url, script) for script in scripts.catalogue()]
    over = [entry["name"] for entry in found if entry.pop("over")]
    return {**figures, **foreign, "limit_s": LIMIT_S, "over_10_s": over, "scripts": found}
