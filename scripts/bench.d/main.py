"""Runs a benchmark by name, or all: a module in this folder whose `main(bench)` returns figures."""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import platform
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from data import Bench, drop_databases, server_cursor
from figures import picture
from goals import report

OWN_PARTS = {
    "main",
    "data",
    "figures",
    "goals",
    "hostile",
    "hostile_shapes",
    "languages",
    "load",
    "members",
    "nodes",
    "stacks",
}
# a module named keyword would shadow the standard library's
FILES = {"keyword": "keyword_search"}


def names() -> list[str]:
    """Returns the names of the benchmarks."""
    here = Path(__file__).parent
    stems = {path.stem for path in here.glob("*.py")} - OWN_PARTS - set(FILES.values())
    return sorted(stems | set(FILES))


def at_least_one(text: str) -> int:
    """Parses a positive integer."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {number}")
    return number


def parse() -> argparse.Namespace:
    """Parses the command line."""
    parser = argparse.ArgumentParser(prog="scripts/bench")
    parser.add_argument("name", choices=[*names(), "all", "clean"])
    parser.add_argument(
        "--quick", action="store_true", help="about a minute, less accurate figures"
    )
    parser.add_argument("--peers", action="store_true", help="radius: also alternative stacks")
    parser.add_argument(
        "--hostile",
        action="store_true",
        help="keyword: generated hostile keywords; spatial: shapes, meetings and filters",
    )
    parser.add_argument(
        "--languages", action="store_true", help="keyword: each language, and lists with lang"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--picture", metavar="FILE", help="draw the rates to an image file")
    parser.add_argument("--shops", type=at_least_one, help="size of the generated table")
    parser.add_argument("--rounds", type=at_least_one, help="interleaved repetitions")
    return parser.parse_args()


def run(bench: Bench, name: str) -> dict[str, object]:
    """Runs a benchmark; its `main` takes either the URL of a filled database or the options."""
    main = importlib.import_module(FILES.get(name, name)).main
    if "database_url" in inspect.signature(main).parameters:
        return dict(main(bench.database(bench.size())))
    return dict(main(bench))


def machine() -> dict[str, object]:
    """Returns time, machine and versions."""
    cursor = server_cursor()
    cursor.execute("SHOW server_version")
    cpu = next(
        (line.partition(": ")[2] for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        platform.processor(),
    )  # fmt: skip
    return {
        "date": datetime.now(UTC).isoformat(timespec="minutes"),
        "cpu": cpu,
        "system": platform.platform(),
        "python": platform.python_version(),
        "postgresql": cursor.fetchone()[0],
    }


def run_all(bench: Bench) -> dict[str, object]:
    """Runs all benchmarks; failures are reported at the end and do not stop the others."""
    found: dict[str, Any] = {"machine": machine()}
    for name in names():
        print(f"\n== {name}", file=sys.stderr)
        started = time.perf_counter()
        try:
            found[name] = run(bench, name)
        except (SystemExit, Exception) as error:
            found[name] = {"failed": f"{type(error).__name__}: {error}"}
            print(f"{name} failed: {error}", file=sys.stderr)
        found[name]["took_s"] = round(time.perf_counter() - started)
    found["goals"] = report(found)
    return found


def main() -> None:
    """Runs the benchmark; prints tables to standard error and JSON to standard output."""
    args = parse()
    if args.name == "clean":
        drop_databases()
        return
    peers = args.peers or args.name == "all"
    bench = Bench(
        quick=args.quick,
        shops=args.shops,
        rounds=args.rounds,
        peers=peers,
        hostile=args.hostile,
        languages=args.languages,
    )
    if args.name == "all":
        figures = run_all(bench)
    else:
        figures = run(bench, args.name)
        report({args.name: figures})
    if args.picture:
        picture(figures["radius"] if args.name == "all" else figures, args.picture)  # type: ignore[arg-type]
    if args.json:
        print(json.dumps(figures, ensure_ascii=False))
        return
    for key, value in figures.items():
        if not isinstance(value, list | dict):
            print(f"{key:32} {value}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
