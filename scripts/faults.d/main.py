"""Runs one part by name and prints its figures; exit code 1 when a figure does not hold."""

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
    """The command line; --quick changes the sizes that are not given."""
    parser = argparse.ArgumentParser(prog="scripts/faults")
    parser.add_argument("part", nargs="?", choices=PARTS, default="drills")
    parser.add_argument("--quick", action="store_true", help="a minute or less, smaller figures")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--faults", type=int, help="drills: how many")
    parser.add_argument("--writes", type=int, help="drills: least acknowledged writes")
    parser.add_argument(
        "--limit", type=float, default=3600, help="drills: most seconds, then the comparison"
    )
    parser.add_argument("--members", type=int, default=12, help="drills: how many write at once")
    parser.add_argument(
        "--kinds", type=lambda x: x.split(","), default=[], help="drills: only these"
    )
    parser.add_argument("--seed", type=int, default=1, help="of what is chosen at random")
    parser.add_argument("--requests", type=int, help="fuzz: how many")
    parser.add_argument("--minutes", type=float, help="schemathesis: how long")
    parser.add_argument("--seconds", type=int, help="slow, overload, cost: how long a step")
    parser.add_argument("--stops", type=int, help="stops: how many")
    args = parser.parse_args()
    for name, value in (QUICK if args.quick else WHOLE).items():
        if getattr(args, name) is None:
            setattr(args, name, value)
    return args


def main() -> int:
    """The figures on standard output, progress on standard error."""
    # ended from outside, too, what was started is stopped
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    args = parse()
    module = "stateful" if args.part == "schemathesis" else args.part
    figures, good = importlib.import_module(module).main(args)
    if args.json:
        print(json.dumps({**figures, "holds": good}, ensure_ascii=False))
    else:
        for name, value in figures.items():
            print(f"{name:32} {value}")
        print("every figure holds" if good else "A FIGURE DOES NOT HOLD")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
