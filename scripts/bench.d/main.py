"""Runs one benchmark by name: a file of this folder whose `main(bench)` returns figures."""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import sys
from pathlib import Path

from data import Bench, drop_databases

OWN_PARTS = {"main", "data", "load"}
# a file called keyword.py would hide the standard library's module of that name
FILES = {"keyword": "keyword_search"}


def names() -> list[str]:
    """The benchmarks there are."""
    here = Path(__file__).parent
    stems = {path.stem for path in here.glob("*.py")} - OWN_PARTS - set(FILES.values())
    return sorted(stems | set(FILES))


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="scripts/bench")
    parser.add_argument("name", choices=[*names(), "clean"])
    parser.add_argument("--quick", action="store_true", help="about a minute, rougher figures")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--shops", type=int, help="size of the generated table")
    parser.add_argument("--rounds", type=int, help="interleaved repetitions")
    return parser.parse_args()


def run(bench: Bench, name: str) -> dict[str, object]:
    """Benchmarks of features take the URL of a filled database, those of the frame the bench."""
    main = importlib.import_module(FILES.get(name, name)).main
    if "database_url" in inspect.signature(main).parameters:
        return dict(main(bench.database(bench.shops or (100_000 if bench.quick else 1_000_000))))
    return dict(main(bench))


def main() -> None:
    """Runs what was asked for; tables go to standard error, JSON to standard output."""
    args = parse()
    if args.name == "clean":
        drop_databases()
        return
    bench = Bench(quick=args.quick, shops=args.shops, rounds=args.rounds)
    figures = run(bench, args.name)
    if args.json:
        print(json.dumps(figures, ensure_ascii=False))
        return
    for key, value in figures.items():
        if not isinstance(value, list | dict):
            print(f"{key:32} {value}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
