"""List of brands over one connection: it must not read the shops."""

from __future__ import annotations

from data import Bench
from load import server, wrk


def main(bench: Bench) -> dict[str, object]:
    """Returns the figures of GET /brands."""
    shops = bench.size()
    with server(bench.database(shops)) as origin:
        wrk(origin, ["/brands"], seconds=1, connections=1)
        run = wrk(origin, ["/brands"], seconds=3 if bench.quick else 10, connections=1)
    return {"shops": shops, "p50_ms": run.p50_ms, "p99_ms": run.p99_ms, "errors": run.errors}
