"""Imports population by grid cell or small area: stages and repairs outlines, then writes them in one statement."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from typing import Any

import shapely

from geoshops.importing.cells import Cells, CellTable, CsvCells, FeatureCells, in_wgs84
from geoshops.importing.csv_table import CsvTable
from geoshops.importing.errors import ImportRejected
from geoshops.importing.finishing import finish, summary, timed
from geoshops.importing.geojson import is_geojson
from geoshops.importing.opening import InputFile, open_input
from geoshops.importing.reading import positions
from geoshops.importing.rejects import Rejects, rejects_path
from geoshops.importing.request import Progress, Request
from geoshops.importing.staging import copy_in
from geoshops.importing.tables import Rejected
from geoshops.importing.transaction import importing_into

TEMPORARY = """
CREATE TEMP TABLE incoming_cells (
  line bigint, source_id text, population double precision, cell geometry(Geometry, 4326)
) ON COMMIT DROP"""
REPAIR = """
UPDATE incoming_cells SET cell = ST_Multi(ST_CollectionExtract(ST_MakeValid(cell), 3))
WHERE NOT ST_IsValid(cell) OR GeometryType(cell) <> 'MULTIPOLYGON'"""
EMPTY = "DELETE FROM incoming_cells WHERE ST_IsEmpty(cell) RETURNING line"
REPEATED = """
DELETE FROM incoming_cells i USING incoming_cells f
WHERE f.source_id = i.source_id AND f.line < i.line RETURNING i.line"""
UPSERT = """
WITH updated AS (
  UPDATE population_cells p SET population = i.population, cell = i.cell
  FROM incoming_cells i
  WHERE p.source = %(source)s AND p.source_id = i.source_id
    AND (p.population <> i.population OR NOT ST_OrderingEquals(p.cell, i.cell))
  RETURNING 1
),
inserted AS (
  INSERT INTO population_cells (source, source_id, population, cell)
  SELECT %(source)s, i.source_id, i.population, i.cell FROM incoming_cells i
  WHERE NOT EXISTS (SELECT FROM population_cells p WHERE p.source = %(source)s AND p.source_id = i.source_id)
  ORDER BY i.line
  RETURNING 1
)
SELECT (SELECT count(*) FROM inserted), (SELECT count(*) FROM updated), (SELECT count(*) FROM incoming_cells)"""
REMOVE = """
DELETE FROM population_cells p
WHERE p.source = %(source)s AND NOT EXISTS (SELECT FROM incoming_cells i WHERE i.source_id = p.source_id)"""


def import_population(
    url: str, request: Request, progress: Progress, *, cell_size: float = 0.0
) -> dict[str, Any]:
    """Runs the import and returns its summary; raises ImportRejected when nothing was changed."""
    started = time.perf_counter()
    source = request.source_of("cells")
    file = open_input(request.path, request.encoding)
    table = _table(file, request, cell_size)
    rejects = Rejects(rejects_path(request.path, request.rejects), table.columns)
    with rejects, importing_into(url) as connection, connection.cursor() as cursor:
        cursor.execute(TEMPORARY)
        reading = _Reading(table, request, rejects, progress)
        copy_in(cursor, "COPY incoming_cells FROM STDIN", reading.blocks())
        counts = _load(cursor, source, reading, request.on_missing == "delete")
        counts["columns_not_used"] = table.plan.unused if isinstance(table, CsvCells) else []
        late = finish(connection, file, rejects, request.dry_run)
    report = summary(request, source, read=reading.read, counts=counts, rejects=rejects, late=late)
    return timed(report, started)


class _Reading:
    """The file's cells as lines of COPY; invalid ones go to the rejects."""

    def __init__(
        self, table: CellTable, request: Request, rejects: Rejects, progress: Progress
    ) -> None:
        self.table, self.rejects, self.progress = table, rejects, progress
        self.projection = positions(request).projection
        self.read = 0

    def blocks(self) -> Iterator[bytes]:
        for cells in self.table.chunks():
            self.read += len(cells.lines)
            in_wgs84(cells, self.projection)
            self.reject(cells, cells.reasons)
            yield self._block(cells)
            self.progress(cells.bytes_read)

    def reject(self, cells: Cells, reasons: dict[int, str]) -> None:
        self.rejects.add(
            Rejected(cells.lines[i], reasons[i], cells.rows[i]) for i in sorted(reasons)
        )

    def _block(self, cells: Cells) -> bytes:
        kept = [i for i in range(len(cells.lines)) if i not in cells.reasons]
        outlines = shapely.set_srid([cells.outlines[i] for i in kept], 4326)
        binary = shapely.to_wkb(outlines, hex=True, include_srid=True)
        lines = (
            f"{cells.lines[i]}\t{_key(cells.keys[i], text)}\t{cells.people[i]}\t{text}\n"
            for i, text in zip(kept, binary, strict=True)
        )
        return "".join(lines).encode()


def _load(cursor: Any, source: str, reading: _Reading, remove: bool) -> dict[str, Any]:
    cursor.execute("ANALYZE incoming_cells (line, source_id)")
    cursor.execute(REPAIR)
    repaired = cursor.rowcount
    reasons: dict[int, str] = {}
    for statement, reason in (
        (EMPTY, "[cell] has no area"),
        (REPEATED, "duplicate of a cell in an earlier row"),
    ):
        cursor.execute(statement)
        reasons |= {line: reason for (line,) in cursor.fetchall()}
    _reject_lines(reading, reasons)
    if reading.rejects.count == reading.read:
        why = "; ".join(reading.rejects.by_reason()) or "the file has no cells"
        raise ImportRejected(f"none of the {reading.read} cells can be imported: {why}")
    cursor.execute(UPSERT, {"source": source})
    inserted, updated, rows = cursor.fetchone()
    removed = 0
    if remove:
        cursor.execute(REMOVE, {"source": source})
        removed = cursor.rowcount
    cursor.execute("ANALYZE population_cells")
    unchanged = rows - inserted - updated
    return {
        "inserted": inserted, "updated": updated, "unchanged": unchanged,
        "repaired": repaired, "removed": removed,
    }  # fmt: skip


def _reject_lines(reading: _Reading, reasons: dict[int, str]) -> None:
    if not reasons:
        return
    for cells in reading.table.chunks():
        found = {i: reasons[n] for i, n in enumerate(cells.lines) if n in reasons}
        reading.reject(cells, {i: why for i, why in found.items() if i not in cells.reasons})


def _table(file: InputFile, request: Request, cell_size: float) -> CellTable:
    if is_geojson(file, request.format):
        return FeatureCells(file, request.property_names)
    return CsvCells(CsvTable(file, request.delimiter), request.mapping, request.given, cell_size)


def _key(given: str, outline: str) -> str:
    """The cell's key: that of the file, else its outline."""
    return given.replace("\\", "\\\\") or hashlib.sha256(outline.encode()).hexdigest()
