"""Rows as text, CSV, GeoJSON, GeoJSON sequences, Parquet, GeoPackage and FlatGeobuf, a batch at a time."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any

import click
import shapely

from geoshops.analysis.runner import Answer, Column

BATCH_ROWS = 10_000
DRIVERS = {"gpkg": "GPKG", "fgb": "FlatGeobuf"}
RECORD_SEPARATOR = "\x1e"


def batches(rows: Iterable[list[Any]]) -> Iterator[list[list[Any]]]:
    """The rows in lists of at most BATCH_ROWS."""
    source = iter(rows)
    while batch := list(islice(source, BATCH_ROWS)):
        yield batch


def geometries(batch: Sequence[list[Any]], place: int) -> Any:
    """The spatial column of a batch as shapely geometries, without the SRID that EWKB carries."""
    return shapely.set_srid(shapely.from_wkb([row[place] for row in batch]), 0)


def plain(value: Any) -> Any:
    """The value as JSON knows it."""
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def write_csv(answer: Answer, output: IO[str]) -> None:
    """CSV with geometry as WKT."""
    lines = csv.writer(output, lineterminator="\n")
    lines.writerow(c.name for c in answer.columns)
    place = answer.geometry
    for batch in batches(answer.rows):
        if place is not None:
            texts = shapely.to_wkt(geometries(batch, place), rounding_precision=7)
            for row, text in zip(batch, texts, strict=True):
                row[place] = text
        lines.writerows(batch)


def features(answer: Answer) -> Iterator[str]:
    """The rows as GeoJSON features (RFC 7946): longitude first, seven places."""
    place = needed_geometry(answer, "GeoJSON")
    names = [c.name for c in answer.columns]
    for batch in batches(answer.rows):
        shapes = geometries(batch, place)
        rounded = shapely.transform(shapes, lambda xy: xy.round(7))
        for row, shape in zip(batch, shapely.to_geojson(rounded), strict=True):
            members = zip(names, row, strict=True)
            properties = {n: plain(v) for i, (n, v) in enumerate(members) if i != place}
            text = json.dumps(properties, ensure_ascii=False, allow_nan=False)
            yield f'{{"type":"Feature","properties":{text},"geometry":{shape or "null"}}}'


def write_geojson(answer: Answer, output: IO[str]) -> None:
    """One FeatureCollection."""
    output.write('{"type":"FeatureCollection","features":[')
    for n, feature in enumerate(features(answer)):
        output.write(("," if n else "") + "\n" + feature)
    output.write("\n]}\n")


def write_geojsonseq(answer: Answer, output: IO[str]) -> None:
    """One feature a line, each after a record separator (RFC 8142)."""
    for feature in features(answer):
        output.write(f"{RECORD_SEPARATOR}{feature}\n")


def write_table(answer: Answer, output: IO[str]) -> None:
    """An aligned table for the terminal; geometry in short."""
    rows = [[c.name for c in answer.columns]]
    for batch in batches(answer.rows):
        rows += [
            [_cell(value, c) for value, c in zip(row, answer.columns, strict=True)] for row in batch
        ]
    widths = [max(_width(row[i]) for row in rows) for i in range(len(rows[0]))]
    for n, row in enumerate(rows):
        cells = [text + " " * (w - _width(text)) for text, w in zip(row, widths, strict=True)]
        output.write("  ".join(cells).rstrip() + "\n")
        if n == 0:
            output.write("  ".join("-" * w for w in widths) + "\n")
    output.write(f"({len(rows) - 1} rows)\n")


TEXT_FORMATS: dict[str, Callable[[Answer, IO[str]], None]] = {
    "csv": write_csv,
    "geojson": write_geojson,
    "geojsonseq": write_geojsonseq,
    "table": write_table,
}


def write_file(answer: Answer, kind: str, path: Path) -> None:
    """Parquet, GeoPackage or FlatGeobuf."""
    if kind == "parquet":
        _write_parquet(answer, path)
    else:
        _write_by_gdal(answer, kind, path)


def needed_geometry(answer: Answer, what: str) -> int:
    """The place of the geometry; a usage error when the answer has none."""
    if answer.geometry is None:
        raise click.UsageError(f"{what} needs a geometry, and this answer has none; csv does")
    return answer.geometry


def _write_parquet(answer: Answer, path: Path) -> None:
    import pyarrow.parquet as parquet

    schema = _schema(answer.columns)
    if answer.geometry is not None:
        schema = schema.with_metadata({"geo": json.dumps(_geo(answer))})
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in _arrow_batches(answer, schema):
            writer.write_batch(batch)


def _geo(answer: Answer) -> dict[str, Any]:
    """GeoParquet 1.1; without a crs it is longitude and latitude of OGC:CRS84."""
    name = answer.columns[needed_geometry(answer, "GeoParquet")].name
    columns = {name: {"encoding": "WKB", "geometry_types": []}}
    return {"version": "1.1.0", "primary_column": name, "columns": columns}


def _write_by_gdal(answer: Answer, kind: str, path: Path) -> None:
    place = needed_geometry(answer, kind)
    import pyarrow
    import pyogrio

    schema = _schema(answer.columns)
    reader = pyarrow.RecordBatchReader.from_batches(schema, _arrow_batches(answer, schema))
    pyogrio.write_arrow(
        reader,
        path,
        driver=DRIVERS[kind],
        layer=path.stem,
        geometry_name=answer.columns[place].name,
        geometry_type=_geometry_type(answer.columns[place]),
        crs="EPSG:4326",
    )


def _geometry_type(column: Column) -> str:
    """GDAL's name of the type that PostgreSQL states, as geometry(Point,4326)."""
    stated = column.type.partition("(")[2].partition(",")[0]
    return stated or "Unknown"


def _schema(columns: Sequence[Column]) -> Any:
    import pyarrow as pa

    types = {
        "bigint": pa.int64(), "integer": pa.int32(), "smallint": pa.int32(),
        "double precision": pa.float64(), "numeric": pa.float64(), "real": pa.float64(),
        "boolean": pa.bool_(), "date": pa.date32(),
    }  # fmt: skip
    return pa.schema(
        [
            (c.name, pa.binary() if c.is_geometry else types.get(c.type, pa.string()))
            for c in columns
        ]
    )


def _arrow_batches(answer: Answer, schema: Any) -> Iterator[Any]:
    import pyarrow as pa

    for batch in batches(answer.rows):
        values: list[Any] = [list(column) for column in zip(*batch, strict=True)]
        for place, kind in enumerate(schema.types):
            if place == answer.geometry:
                values[place] = list(shapely.to_wkb(geometries(batch, place)))
            elif kind == pa.string():
                values[place] = [None if v is None else str(v) for v in values[place]]
        arrays = [pa.array(v, type=t) for v, t in zip(values, schema.types, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _cell(value: Any, column: Column) -> str:
    if value is None:
        return ""
    if column.is_geometry:
        shape = shapely.from_wkb(value)
        if shape.geom_type == "Point":
            return f"Point({shape.x:.6f} {shape.y:.6f})"
        return f"{shape.geom_type}, {shapely.get_num_coordinates(shape)} points"
    if isinstance(value, float):
        return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.0f}"
    return str(value)


def _width(text: str) -> int:
    """Columns that the text takes in a terminal; Hangul is two wide."""
    return sum(2 if "\u1100" <= c <= "\u115f" or "\u2e80" <= c <= "\uffdc" else 1 for c in text)
