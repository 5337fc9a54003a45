"""The subcommands of scripts/cluster."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import drill
import layout as layouts
import queues
from control import leader, members, synchronous_names
from layout import ClusterError, Layout
from programs import SAMPLE_SHOPS, is_running, say, start, start_order, stop


def parse() -> argparse.Namespace:
    """Parses the command line."""
    parser = argparse.ArgumentParser(prog="scripts/cluster")
    verbs = parser.add_subparsers(dest="verb", required=True)
    plain = ("status", "queues", "failover", "switchover", "partition", "drill", "stop", "destroy")
    for name in (*plain, "start", "load"):
        verb = verbs.add_parser(name)
        verb.add_argument("--json", action="store_true", help="print one JSON object")
        if name == "load":
            verb.add_argument("--seconds", type=float, default=20)
        if name in ("start", "drill"):
            verb.add_argument(
                "--shops",
                type=int,
                default=SAMPLE_SHOPS,
                help="number of sample shops (first start)",
            )
    return parser.parse_args()


def status(layout: Layout) -> dict[str, Any]:
    """Returns the state of the cluster and its addresses."""
    lead = leader(layout)
    return {
        "running": is_running(layout),
        "leader": lead,
        "waits_for": synchronous_names(layout, lead) if lead else None,
        "members": [vars(member) for member in members(layout)],
        "stopped": [each.name for each in start_order(layout) if not each.pid()],
        "service": layout.origin,
        "writer": f"127.0.0.1:{layout.port('writer')}",
        "reader": f"127.0.0.1:{layout.port('reader')}",
        "direct": f"127.0.0.1:{layout.port('direct')}",
        "folder": str(layout.folder),
    }


def execute(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Runs the subcommand and returns its figures."""
    if args.verb in ("start", "drill"):
        layout = layouts.make(folder)
        start(layout, shops=args.shops)
        return drill.drill(layout) if args.verb == "drill" else status(layout)
    layout = layouts.load(folder)
    if args.verb in ("stop", "destroy"):
        stop(layout)
        if args.verb == "destroy":
            # renamed first, so that an interrupted removal leaves no partial cluster
            gone = folder.with_name(f"{folder.name}.gone")
            shutil.rmtree(gone, ignore_errors=True)
            folder.rename(gone)
            shutil.rmtree(gone)
        return {}
    if args.verb == "status":
        return status(layout)
    if args.verb == "load":
        return drill.load(layout, args.seconds)
    if args.verb == "queues":
        return queues.compare(layout)
    return dict(getattr(drill, args.verb)(layout))


def show(figures: dict[str, Any], indent: str = "") -> None:
    """Prints figures, one per line."""
    for name, value in figures.items():
        if isinstance(value, dict) and value:
            print(f"{indent}{name}:")
            show(value, indent + "  ")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for each in value:
                print(f"{indent}  " + "  ".join(f"{v}" for v in each.values()))
        else:
            print(f"{indent}{name:22} {value}")


def main() -> None:
    """Runs a subcommand; prints figures to standard output and progress to standard error."""
    args = parse()
    try:
        figures = execute(args, Path(os.environ["CLUSTER_HOME"]))
    except ClusterError as error:
        say(f"geoshops: {error}")
        sys.exit(1)
    if args.json:
        print(json.dumps(figures))
    elif args.verb == "queues":
        queues.show(figures)
    else:
        show(figures)
    if args.verb == "status" and not figures["running"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
