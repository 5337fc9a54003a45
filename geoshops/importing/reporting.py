"""Prints summaries of imports as text or JSON."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from itertools import chain
from typing import Any

import click

from geoshops.console import as_started

BRANDS_SHOWN = 10
Summary = dict[str, Any]


def report(summary: Summary, as_json: bool) -> None:
    """Prints the summary of an import."""
    if as_json:
        click.echo(json.dumps(summary, ensure_ascii=False))
        return
    for line in chain.from_iterable(part(summary) for part in PARTS):
        click.echo(line)
    if summary["interrupted_too_late"]:
        click.echo("interrupted during the commit: the import is complete", err=True)


def _rows(summary: Summary) -> Iterator[str]:
    counts = ("inserted", "updated", "unchanged", "identical", "rejected")
    parts = " + ".join(f"{summary[name]} {name}" for name in counts if name in summary)
    yield f"{summary['read']} read = {parts}"
    for reason, count in summary["reasons"].items():
        yield f"  {count:7} rejected: {reason}"
    if summary["rejects_file"]:
        yield f"rejected rows: {summary['rejects_file']}"


def _columns(summary: Summary) -> Iterator[str]:
    for value in summary.get("dropped", ()):
        lines = ", ".join(map(str, value["lines"])) + " …" * (value["values"] > len(value["lines"]))
        yield f"  {value['values']:7} values dropped, rows kept: {value['reason']} (lines {lines})"
    if summary.get("columns_not_used"):
        yield f"columns not used: {', '.join(summary['columns_not_used'])}"
    if summary.get("mapped_columns_absent"):
        yield f"columns that the file lacks: {', '.join(summary['mapped_columns_absent'])}"


def _brands(summary: Summary) -> Iterator[str]:
    if summary.get("brands_added"):
        yield f"brands added: {', '.join(summary['brands_added'])}"
    if brands := summary.get("unknown_brands"):
        shown = ", ".join(f"{name} ({rows})" for name, rows in [*brands.items()][:BRANDS_SHOWN])
        more = f" and {len(brands) - BRANDS_SHOWN} more" if len(brands) > BRANDS_SHOWN else ""
        command = as_started("import brands FILE")
        yield f"unknown brands, not added (number of rows): {shown}{more}"
        yield f"  if they are brands, import again with --add-brands, or add them by {command}"


def _doubts(summary: Summary) -> Iterator[str]:
    for point in summary.get("shared_points", ()):
        yield (
            f"warning: {point['shops']} shops of {point['cities']} cities lie on one point, "
            f"{point['longitude']:.6f}, {point['latitude']:.6f} ({', '.join(point['examples'])} …): "
            "it may be the centre of a larger area"
        )
    if pairs := summary.get("duplicate_candidates"):
        yield f"{pairs} pairs may be duplicates: {as_started('shops duplicates')}"
    if checked := summary.get("address_checked"):
        yield f"{summary['address_fits']} of {checked} shops lie in the district of their address"


def _changes(summary: Summary) -> Iterator[str]:
    for count, what in (
        ("rekeyed", "shops recognised under a new key"),
        ("reopened", "shops reopened because the file lists them again"),
        ("closed_stated", "shops closed by their status in the file"),
        ("closed_missing", "shops closed because the file no longer lists them"),
    ):
        if summary.get(count):
            yield f"{summary[count]} {what}"


def _end(summary: Summary) -> Iterator[str]:
    yield f"done in {summary['seconds']:.1f} s"
    if summary.get("no_brand_is_representative"):
        yield (
            "no brand is representative: the map and /shops/brand without a brand show no shop."
            " To choose brands:"
        )
        for name in summary["largest_brands"]:
            word = name if re.fullmatch(r"\w+", name) else shlex.quote(name)
            yield f"  {as_started('brands representative')} {word}"
        yield f"  {as_started('import brands FILE')}, a CSV with name and is_representative"
    if summary["dry_run"]:
        yield "dry run: nothing was changed"


PARTS = (_rows, _columns, _brands, _doubts, _changes, _end)
