"""Reads files of any kind of row for an import, and reports the rows and values that were not taken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from geoshops.importing.crs import projection
from geoshops.importing.csv_table import CsvTable
from geoshops.importing.feature_table import FeatureTable
from geoshops.importing.geojson import is_geojson
from geoshops.importing.opening import InputFile, open_input
from geoshops.importing.points import Positions
from geoshops.importing.rejects import Rejects, generalised, rejects_path
from geoshops.importing.request import Request
from geoshops.importing.staging import Dropped, Staging
from geoshops.importing.tables import Rejected, Table

LINES_SHOWN = 10


def open_table(request: Request) -> tuple[InputFile, Table, Rejects]:
    """Opens the file as a table, with its list of rejects; writes nothing."""
    encoding = request.encoding or (request.mapping.encoding if request.mapping else "")
    file = open_input(request.path, encoding)
    table: Table
    if is_geojson(file, request.format):
        table = FeatureTable(file)
    else:
        table = CsvTable(file, request.delimiter)
    return file, table, Rejects(rejects_path(request.path, request.rejects), table.columns)


def positions(request: Request) -> Positions:
    """The coordinate system from --crs, else from the mapping."""
    named = request.crs or (request.mapping.crs if request.mapping else "") or "EPSG:4326"
    return Positions(projection(named, request.scale))


def about(file: InputFile, staging: Staging) -> dict[str, Any]:
    """Format, encoding and columns of the file, for the summary."""
    return {
        "encoding": file.encoding,
        "crs": staging.positions.projection.name,
        "columns_not_used": staging.plan.unused,
        "mapped_columns_absent": staging.plan.absent,
        "dropped": dropped_values(staging.dropped),
    }


def dropped_values(dropped: Iterable[Dropped]) -> list[dict[str, Any]]:
    """Dropped values by reason, with their number and the first lines."""
    lines: dict[str, list[int]] = {}
    for value in dropped:
        lines.setdefault(f"[{value.field}] {generalised(value.reason)}", []).append(value.line)
    return [
        {"reason": reason, "values": len(found), "lines": found[:LINES_SHOWN]}
        for reason, found in sorted(lines.items(), key=lambda item: -len(item[1]))
    ]


def reject_lines(
    table: Table, rejects: Rejects, reasons: dict[int, str], repeated: dict[int, int]
) -> int:
    """Adds rows that the database rejected to the list; their text is read from the file again.

    Exact copies of an earlier row are not listed. Returns their number."""
    if not (reasons or repeated):
        return 0
    firsts: dict[int, Sequence[str]] = dict.fromkeys(repeated.values(), ())
    identical = 0
    for chunk in table.chunks():
        for line, row in zip(chunk.lines, chunk.rows, strict=True):
            if line in firsts:
                firsts[line] = row
            if line in reasons:
                rejects.add([Rejected(line, reasons[line], row)])
            elif line in repeated and [*row] == [*firsts[repeated[line]]]:
                identical += 1
            elif line in repeated:
                reason = f"same key as line {repeated[line]}, but different values"
                rejects.add([Rejected(line, reason, row)])
    return identical
