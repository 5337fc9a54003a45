"""Runs one part and prints its figures; exit code 1 when a limit is exceeded."""

from __future__ import annotations

import argparse
import importlib
import json
import signal
import sys

QUICK = {"faults": 14, "writes": 2_000, "requests": 5_000, "minutes": 0.5, "seconds": 5, "stops": 3}
WHOLE = {
    "faults": 200,
    "writes": 100_000,
    "requests": 100_000,
    "minutes": 10,
    "seconds": 15,
    "stops": 20,
}
PARTS = ("drills", "slow", "overload", "stops", "cost", "fuzz", "schemathesis")


def parse() -> argparse.Namespace:
    """Parses the command line; --quick selects smaller defaults."""
    parser = argparse.ArgumentParser(prog="scripts/faults")
    parser.add_argument("part", nargs="?", choices=PARTS, default="drills")
    parser.add_argument("--quick", action="store_true", help="small sizes, about a minute")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--faults", type=int, help="drills: number of faults")
    parser.add_argument("--writes", type=int, help="drills: minimum of acknowledged writes")
    parser.add_argument(
        "--limit", type=float, default=3600, help="drills: maximum duration in seconds"
    )
    parser.add_argument(
        "--members", type=int, default=12, help="drills: number of concurrent writers"
    )
    parser.add_argument(
        "--kinds",
        type=lambda x: x.split(","),
        default=[],
        help="drills: kinds of faults, comma-separated",
    )
    parser.add_argument("--seed", type=int, default=1, help="random seed")
    parser.add_argument("--requests", type=int, help="fuzz: number of requests")
    parser.add_argument("--minutes", type=float, help="schemathesis: duration")
    parser.add_argument("--seconds", type=int, help="slow, overload, cost: duration of a step")
    parser.add_argument("--stops", type=int, help="stops: number of stops")
    args = parser.parse_args()
    for name, value in (QUICK if args.quick else WHOLE).items():
        if getattr(args, name) is None:
            setattr(args, name, value)
    return args


def main() -> int:
    """Prints figures to standard output and progress to standard error."""
    # SystemExit runs the context managers that stop child processes
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    args = parse()
    module = "stateful" if args.part == "schemathesis" else args.part
    figures, good = importlib.import_module(module).main(args)
    if args.json:
        print(json.dumps({**figures, "holds": good}, ensure_ascii=False))
    else:
        for name, value in figures.items():
            print(f"{name:32} {value}")
        print("all limits hold" if good else "A LIMIT IS EXCEEDED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
