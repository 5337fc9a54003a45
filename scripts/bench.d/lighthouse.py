"""Lighthouse's scores of the map, a shop's page and the API's documentation, as a computer and as a phone."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from data import Bench
from page import chromium, database_url, flags, production

LIGHTHOUSE = "lighthouse@13.5.0"
PAGES = {"map": "/", "shop": "/shop/1", "docs": "/docs"}
SCREENS = {"desk": ["--preset=desktop"], "phone": []}
METRICS = {
    "fcp_ms": "first-contentful-paint",
    "lcp_ms": "largest-contentful-paint",
    "tbt_ms": "total-blocking-time",
    "cls": "cumulative-layout-shift",
    "speed_index_ms": "speed-index",
}
ROUNDS = 3


def audit(address: str, screen: list[str]) -> dict[str, Any]:
    """Lighthouse's report on an address."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.json")
        command = [
            "npx", "--yes", LIGHTHOUSE, address, *screen, "--quiet", "--output=json", f"--output-path={path}",
            f"--chrome-flags={' '.join(['--headless=new', *flags()])}",
        ]  # fmt: skip
        environment = {**os.environ, "CHROME_PATH": chromium()}
        subprocess.run(command, env=environment, check=True, stdout=sys.stderr)
        report: dict[str, Any] = json.loads(path.read_text())
    return report


def scores(report: dict[str, Any]) -> dict[str, float]:
    """The scores of the categories, of 100, and the metrics behind that of performance."""
    categories = {
        name.replace("-", "_"): round(category["score"] * 100)
        for name, category in report["categories"].items()
        if category["score"] is not None
    }
    metrics = {
        name: round(report["audits"][metric]["numericValue"], 3) for name, metric in METRICS.items()
    }
    return {**categories, **metrics}


def faults(report: dict[str, Any]) -> list[str]:
    """The audits that cost points, and what Lighthouse estimates that a remedy saves."""
    return [
        f"{a['id']}: {a.get('displayValue', '')}"
        for a in report["audits"].values()
        if a["score"] is not None and a["score"] < 0.9
    ]


def main(bench: Bench) -> dict[str, object]:
    """Medians of the rounds, by page and screen."""
    found: dict[str, dict[str, dict[str, float]]] = {page: {} for page in PAGES}
    rounds = bench.rounds or (1 if bench.quick else ROUNDS)
    with production(database_url()) as address:
        for page, path in PAGES.items():
            for screen, options in SCREENS.items():
                reports = [audit(f"{address}{path}", options) for _ in range(rounds)]
                all_scores = [scores(report) for report in reports]
                median = {
                    name: statistics.median(s[name] for s in all_scores) for name in all_scores[0]
                }
                found[page][screen] = median
                print(f"{page} {screen}: {median}", file=sys.stderr)
                print("  " + "\n  ".join(faults(reports[-1])), file=sys.stderr)
    return dict(found)
