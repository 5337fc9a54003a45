"""Interleaves the runs of several cases, compares and prints them, and draws a chart."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from load import Load, metered


@dataclass
class Runs:
    """The loads of a case in all rounds, and the CPU share of other processes meanwhile."""

    name: str
    loads: list[Load] = field(default_factory=list)
    foreign: list[float] = field(default_factory=list)
    note: str = ""

    def median(self, figure: str) -> float:
        """Returns the median of a figure over the rounds."""
        return float(statistics.median(getattr(load, figure) for load in self.loads))

    def spread_percent(self) -> float:
        """The range of the rate in percent of its median."""
        rates = [load.per_s for load in self.loads]
        return round(100 * (max(rates) - min(rates)) / statistics.median(rates), 1)

    def errors(self) -> int:
        """The number of failed requests."""
        return sum(load.errors for load in self.loads)

    def of(self, limit: Runs) -> float:
        """Returns the ratio of the rate to another case's."""
        return round(self.median("per_s") / limit.median("per_s"), 3)

    def record(self, limit: Runs) -> dict[str, object]:
        """Returns the figures for JSON."""
        return {
            "name": self.name,
            "per_s": round(self.median("per_s"), 1),
            "p50_ms": round(self.median("p50_ms"), 3),
            "p99_ms": round(self.median("p99_ms"), 3),
            "spread_percent": self.spread_percent(),
            "bytes": round(self.median("bytes_each")),
            "ratio": self.of(limit),
            "errors": self.errors(),
            "foreign_percent": max(self.foreign, default=0.0),
            "note": self.note,
        }


def interleave(cases: Mapping[str, Callable[[], Load]], rounds: int) -> dict[str, Runs]:
    """Runs the cases interleaved, so that noise affects all alike."""
    found = {name: Runs(name) for name in cases}
    for number in range(rounds):
        for name, run in cases.items():
            with metered() as noise:
                load = run()
            if load.errors and load.errors > load.per_s:
                # errors are faster than responses and would distort the rate
                raise SystemExit(f"{name}: {load.errors} requests failed")
            found[name].loads.append(load)
            found[name].foreign.append(noise["foreign_percent"])
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
    return found


HEAD = ("case", "per s", "p50 ms", "p99 ms", "spread", "ratio", "bytes", "foreign")


def table(cases: Iterable[Runs], limit: Runs) -> list[dict[str, object]]:
    """Prints the cases to standard error, with rates relative to the limit; returns their records."""
    print(f"{HEAD[0]:30}" + "".join(f"{name:>9}" for name in HEAD[1:]), file=sys.stderr)
    records = []
    for case in cases:
        r = case.record(limit)
        records.append(r)
        print(
            f"{case.name:30}{r['per_s']:9.0f}{r['p50_ms']:9.2f}{r['p99_ms']:9.2f}{r['spread_percent']:8.0f}%"
            f"{r['ratio']:9.3f}{r['bytes']:9}{r['foreign_percent']:8.1f}%"
            + (f"  {r['errors']} errors" if r["errors"] else "")
            + (f"  less: {case.note}" if case.note else ""),
            file=sys.stderr,
        )
    return records


def picture(figures: Mapping[str, Any], path: str) -> None:
    """Draws the rates of the cases with their ranges to an image file."""
    cases = figures.get("cases")
    if not cases:
        raise SystemExit("this benchmark has no chart")
    try:
        import matplotlib
    except ImportError:
        raise SystemExit("matplotlib is missing; run scripts/setup --extras analysis") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names = [case["name"] for case in cases]
    rates = [case["per_s"] for case in cases]
    errors = [case["per_s"] * case["spread_percent"] / 200 for case in cases]
    figure, axes = plt.subplots(figsize=(9, 1 + 0.4 * len(cases)), layout="constrained")
    bars = axes.barh(names, rates, xerr=errors, color="#4c78a8", ecolor="#333333")
    axes.bar_label(bars, labels=[f"{rate:.0f}" for rate in rates], padding=6)
    axes.invert_yaxis()
    axes.set_xlabel("per second; the whisker is the spread of the rounds")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)
    plt.close(figure)
