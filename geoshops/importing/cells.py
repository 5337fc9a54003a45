"""Reads the cells of a population grid: GeoJSON polygons, or CSV with an outline or a centre."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

import numpy as np
import shapely

from geoshops.importing import fields
from geoshops.importing.crs import Projection
from geoshops.importing.csv_table import CsvTable
from geoshops.importing.errors import ImportRejected, WrongUsage
from geoshops.importing.fields import InvalidValue
from geoshops.importing.geojson import Feature, features
from geoshops.importing.mapping import JOINT, SavedMapping, plan_columns
from geoshops.importing.opening import InputFile
from geoshops.importing.polygon_features import MOST_VERTICES, polygon_of, property_text
from geoshops.importing.tables import CHUNK_ROWS

COLUMNS = ("source_id", "population", "cell", "longitude", "latitude")
_key = fields.text(200)
POLYGONS = (shapely.GeometryType.POLYGON, shapely.GeometryType.MULTIPOLYGON)


@dataclass
class Cells:
    """Some cells with their line and raw row; a cell with an entry in `reasons` is rejected."""

    lines: list[int] = field(default_factory=list)
    rows: list[Sequence[str]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    people: list[str] = field(default_factory=list)
    outlines: list[Any] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)
    bytes_read: int = 0

    def add(
        self, line: int, row: Sequence[str], *, key: str = "", people: str = "", outline: Any = None
    ) -> None:
        """Adds a cell."""
        self.lines.append(line)
        self.rows.append(row)
        self.keys.append(key)
        self.people.append(people)
        self.outlines.append(outline)

    def reject(self, line: int, row: Sequence[str], reason: str) -> None:
        """Adds a row that is not a valid cell."""
        self.reasons[len(self.lines)] = reason
        self.add(line, row)


class CellTable(Protocol):
    """A file of cells."""

    columns: list[str]

    def chunks(self) -> Iterator[Cells]:
        """All cells, from the start of the file."""


class CsvCells:
    """CSV: an outline as WKT in `cell`, or the centre of a square of --cell-size."""

    def __init__(
        self,
        table: CsvTable,
        mapping: SavedMapping | None,
        given: Iterable[tuple[str, str]],
        cell_size: float,
    ) -> None:
        self.table, self.columns, self.cell_size = table, table.columns, cell_size
        required = ("population", "longitude", "latitude") if cell_size else ("population", "cell")
        try:
            self.plan = plan_columns(table.columns, COLUMNS, required, mapping, given)
        except ImportRejected as error:
            if cell_size or isinstance(error, WrongUsage):
                raise
            raise ImportRejected(
                f"{error}; a grid of squares needs their centres (longitude, latitude) and --cell-size"
            ) from error

    def chunks(self) -> Iterator[Cells]:
        """Rows as cells; invalid rows are listed with their reason."""
        for chunk in self.table.chunks():
            cells = Cells(bytes_read=chunk.bytes_read)
            for line, row in zip(chunk.lines, chunk.rows, strict=True):
                self._add(cells, line, row)
            for rejected in chunk.rejected:
                cells.reject(rejected.line, rejected.row, rejected.reason)
            yield cells

    def _add(self, cells: Cells, line: int, row: Sequence[str]) -> None:
        try:
            outline = self._square(row) if self.cell_size else _from_wkt(self._text(row, "cell"))
            key = _key(self._text(row, "source_id")) or self._place(row)
            people = _people(self._text(row, "population"))
            cells.add(line, row, key=key, people=people, outline=outline)
        except InvalidValue as error:
            cells.reject(line, row, str(error))

    def _text(self, row: Sequence[str], name: str) -> str:
        return JOINT.join(row[place].strip() for place in self.plan.places.get(name, ()))

    def _place(self, row: Sequence[str]) -> str:
        """The centre, which identifies a cell without a key; empty for outlines, which identify themselves."""
        if not self.cell_size:
            return ""
        return f"{self._text(row, 'longitude')}|{self._text(row, 'latitude')}"

    def _square(self, row: Sequence[str]) -> Any:
        x, y = (_number(name, self._text(row, name)) for name in ("longitude", "latitude"))
        half = self.cell_size / 2
        return shapely.box(x - half, y - half, x + half, y + half)


class FeatureCells:
    """GeoJSON: the outline is the geometry, the rest are properties."""

    def __init__(self, file: InputFile, names: dict[str, str]) -> None:
        self.file, self.names, self.columns = file, names, ["feature"]
        if unknown := set(names) - set(COLUMNS):
            raise WrongUsage(f"--map: unknown field {', '.join(sorted(unknown))}")

    def chunks(self) -> Iterator[Cells]:
        """Features as cells."""
        found = features(self.file)
        while some := list(islice(found, CHUNK_ROWS)):
            cells = Cells()
            for number, feature, text in some:
                self._add(cells, number, feature, text)
            yield cells

    def _add(self, cells: Cells, number: int, feature: Feature | None, text: str) -> None:
        row = [text or json.dumps(feature, ensure_ascii=False)]
        try:
            if feature is None:
                raise InvalidValue("not a GeoJSON feature")
            people = _people(self._property(feature, "population"))
            key = _key(self._property(feature, "source_id"))
            outline = polygon_of(feature, "cell")
            cells.add(number, row, key=key, people=people, outline=outline)
        except InvalidValue as error:
            cells.reject(number, row, str(error))

    def _property(self, feature: Feature, name: str) -> str:
        default = feature.get("id") if name == "source_id" else None
        return property_text(feature, self.names.get(name, name), default)


def in_wgs84(cells: Cells, projection: Projection) -> None:
    """Transforms the outlines to longitude and latitude; adds a reason where that fails."""
    for i in range(len(cells.outlines)):
        if i not in cells.reasons and (reason := _fault(cells.outlines[i])):
            cells.reasons[i] = reason
    kept = [i for i in range(len(cells.outlines)) if i not in cells.reasons]
    outlines = shapely.force_2d(np.array([cells.outlines[i] for i in kept], object))
    outlines = projection.transform(outlines)
    west, south, east, north = shapely.bounds(outlines).reshape(-1, 4).T
    held = projection.holds(west, south) & projection.holds(east, north)
    for i, outline, fits in zip(kept, outlines, held, strict=True):
        cells.outlines[i] = outline
        if not fits:
            cells.reasons[i] = (
                f"[cell] lies outside {projection.name}: specify the coordinate system with --crs"
            )


def _fault(outline: Any) -> str:
    if shapely.get_type_id(outline) not in POLYGONS:
        return "[cell] is not a polygon"
    if shapely.is_empty(outline):
        return "[cell] is empty"
    count = shapely.get_num_coordinates(outline)
    return (
        f"[cell] has {count} vertices, more than {MOST_VERTICES}" if count > MOST_VERTICES else ""
    )


def _people(value: str) -> str:
    number = _number("population", value)
    if number < 0:
        raise InvalidValue(f"[population] {value[:40]!r} is negative")
    return repr(number)


def _number(name: str, value: str) -> float:
    try:
        return fields.number(value)
    except InvalidValue as error:
        raise InvalidValue(f"[{name}] {error}") from error


def _from_wkt(text: str) -> Any:
    try:
        return shapely.from_wkt(text)
    except (shapely.errors.ShapelyError, ValueError) as error:
        raise InvalidValue(f"[cell] is not WKT: {error}") from error
