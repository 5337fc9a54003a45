"""Compares the queueing model with the measured cluster, and predicts a large one if the model holds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from demands import Demand
from layout import Layout
from queue_levels import Level, loads, measure_costs, measure_levels, requests_of
from queue_model import Costs, Group, Place, Prediction, simulate
from wrk import Result

# maximum error of a prediction below saturation, relative to the measured figure
LIMITS = {"per_s": 0.15, "p50_ms": 0.30, "p95_ms": 0.50}
# cores that programs outside the cluster may use; above this, measured and predicted figures are meaningless
QUIET = 0.2
# docs/scaling.md: 100 million members at their peak
LARGE = Place(
    servers=8, servers_per_machine=2, server_cores=2, followers=4, node_cores=8,
    balancer_cores=4, balancer_threads=4,
)  # fmt: skip
PEAK = (Group("read", 2900, 1.0), Group("write", 170, 1.0))
PEAK_S = 10.0
# messages that a search waits for
MESSAGES = 13


@dataclass(frozen=True)
class Row:
    """Measured and predicted figures of one group of clients at one level."""

    level: str
    kind: str
    is_saturated: bool
    measured: Result
    predicted: Prediction

    def ratio(self, figure: str) -> float:
        """Returns predicted by measured."""
        return float(getattr(self.predicted, figure) / getattr(self.measured, figure))

    def holds(self) -> bool:
        """Whether all figures are within the limits."""
        return all(abs(self.ratio(figure) - 1) <= limit for figure, limit in LIMITS.items())


def compare(layout: Layout) -> dict[str, Any]:
    """Measures and simulates the running cluster; returns both with their ratios, and the verdict."""
    cores = os.cpu_count() or 1
    requests = requests_of(layout)
    costs, low = measure_costs(layout, requests)
    levels = measure_levels(layout, requests, loads(costs, cores))
    costs = replace(costs, message_s=message_delay_s(costs, low, cores))
    rows = predict(costs, levels, cores)
    foreign = max(level.measured.foreign() for level in levels if level.share)
    is_quiet = foreign <= QUIET
    is_valid = is_quiet and all(row.holds() for row in rows if not row.is_saturated)
    return {
        "costs": summary(costs),
        "foreign_cores": round(foreign, 2),
        "is_quiet": is_quiet,
        "is_valid": is_valid,
        "levels": [record(row) for row in rows],
        "large": large(costs, levels) if is_valid else None,
    }


def message_delay_s(costs: Costs, low: Level, cores: int) -> float:
    """Returns the delay of a message that explains the median latency of searches at low load."""
    (alone,), _ = simulate(costs, Place(one_machine_cores=cores), low.groups)
    return max(0.0, low.measured.results[0].p50_ms - alone.p50_ms) / 1000 / MESSAGES


def relative_demands(costs: Costs, level: Level) -> Demand:
    """Returns the CPU time per request at a level, relative to that at low load, by station."""
    measured, relative = level.measured, {}
    for station in costs.read[0]:
        used = measured.used_s[station] / measured.seconds - costs.idle.get(station, 0.0)
        at_low_load = sum(
            result.per_s * costs.means_s(group.kind)[station]
            for group, result in zip(level.groups, measured.results, strict=True)
        )
        relative[station] = max(0.0, used) / at_low_load if at_low_load else 1.0
    return relative


def predict(costs: Costs, levels: list[Level], cores: int) -> list[Row]:
    """Simulates all levels on one machine, each with its own demands and foreign programs."""
    rows, place = [], Place(one_machine_cores=cores)
    for level in levels:
        background = costs.background + level.measured.foreign()
        at_level = replace(costs.times(relative_demands(costs, level)), background=background)
        predictions, _ = simulate(at_level, place, level.groups)
        rows += [
            Row(level.name, group.kind, not level.share, measured, predicted)
            for group, measured, predicted in zip(
                level.groups, level.measured.results, predictions, strict=True
            )
        ]
    return rows


def record(row: Row) -> dict[str, Any]:
    """Returns the measured figures, the predicted ones and their ratios."""
    figures: dict[str, Any] = {"level": row.level, "of": row.kind}
    for name in LIMITS:
        figures[name] = round(getattr(row.measured, name), 1)
        figures[f"predicted_{name}"] = round(getattr(row.predicted, name), 1)
        figures[f"{name}_ratio"] = round(row.ratio(name), 2)
    return figures


def summary(costs: Costs) -> dict[str, Any]:
    """Returns the means of the costs: CPU ms per request by station, flushes and messages."""
    means = {
        kind: {
            station: round(1000 * sum(each[station] for each in demands) / len(demands), 3)
            for station in demands[0]
        }
        for kind, demands in (("read", costs.read), ("write", costs.write))
    }
    return {
        **means,
        "flush_ms": round(1000 * sum(costs.flush_s) / len(costs.flush_s), 3),
        "standby_flush_ms": round(1000 * sum(costs.standby_flush_s) / len(costs.standby_flush_s), 3),
        "message_us": round(1e6 * costs.message_s, 1),
        "background_cores": round(costs.background, 2),
    }  # fmt: skip


def large(costs: Costs, levels: Sequence[Level]) -> dict[str, Any]:
    """Predicts 100 million members at their peak on separate machines, with the greatest demands of all levels."""
    relative = [relative_demands(costs, level) for level in levels]
    greatest = {station: max(each[station] for each in relative) for station in relative[0]}
    (reads, writes), used = simulate(costs.times(greatest), LARGE, PEAK, seconds=PEAK_S)
    return {
        "read": asdict(reads),
        "write": asdict(writes),
        "utilisation": {name: round(share, 2) for name, share in used.items()},
    }


def show(figures: dict[str, Any]) -> None:
    """Prints the comparison: measured, predicted and ratio of throughput, p50 and p95."""
    print(f"{'level':22}{'of':8}" + "".join(f"{name:>24}" for name in LIMITS))
    for row in figures["levels"]:
        cells = "".join(
            f"{row[name]:>9.1f}{row[f'predicted_{name}']:>9.1f}{row[f'{name}_ratio']:>6.2f}"
            for name in LIMITS
        )
        print(f"{row['level']:22}{row['of']:8}{cells}")
    for name, value in figures["costs"].items():
        print(f"{name:22} {value}")
    print(f"{'foreign_cores':22} {figures['foreign_cores']}")
    print(f"{'is_valid':22} {figures['is_valid']}")
    if figures["large"]:
        print(f"{'large':22} {figures['large']}")
