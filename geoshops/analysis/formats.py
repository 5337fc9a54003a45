"""Writes results in batches as text, CSV, GeoJSON, GeoJSON sequences, Parquet, GeoPackage and FlatGeobuf."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any

import click
import shapely

from geoshops.analysis.runner import Column, Result

BATCH_ROWS = 10_000
DRIVERS = {"gpkg": "GPKG", "fgb": "FlatGeobuf"}
RECORD_SEPARATOR = "\x1e"


def batches(rows: Iterable[list[Any]]) -> Iterator[list[list[Any]]]:
    """Yields the rows in lists of at most BATCH_ROWS."""
    source = iter(rows)
    while batch := list(islice(source, BATCH_ROWS)):
        yield batch


def geometries(batch: Sequence[list[Any]], place: int) -> Any:
    """Returns the spatial column of a batch as shapely geometries without SRID."""
    return shapely.set_srid(shapely.from_wkb([row[place] for row in batch]), 0)


def plain(value: Any) -> Any:
    """Converts other than JSON's scalar types to text."""
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def write_csv(result: Result, output: IO[str]) -> None:
    """Writes CSV with geometry as WKT."""
    lines = csv.writer(output, lineterminator="\n")
    lines.writerow(c.name for c in result.columns)
    place = result.geometry
    for batch in batches(result.rows):
        if place is not None:
            texts = shapely.to_wkt(geometries(batch, place), rounding_precision=7)
            for row, text in zip(batch, texts, strict=True):
                row[place] = text
        lines.writerows(batch)


def features(result: Result) -> Iterator[str]:
    """Yields the rows as GeoJSON features (RFC 7946) with seven decimal places."""
    place = needed_geometry(result, "GeoJSON")
    names = [c.name for c in result.columns]
    for batch in batches(result.rows):
        shapes = geometries(batch, place)
        rounded = shapely.transform(shapes, lambda xy: xy.round(7))
        for row, shape in zip(batch, shapely.to_geojson(rounded), strict=True):
            members = zip(names, row, strict=True)
            properties = {n: plain(v) for i, (n, v) in enumerate(members) if i != place}
            text = json.dumps(properties, ensure_ascii=False, allow_nan=False)
            yield f'{{"type":"Feature","properties":{text},"geometry":{shape or "null"}}}'


def write_geojson(result: Result, output: IO[str]) -> None:
    """Writes a FeatureCollection."""
    output.write('{"type":"FeatureCollection","features":[')
    for n, feature in enumerate(features(result)):
        output.write(("," if n else "") + "\n" + feature)
    output.write("\n]}\n")


def write_geojsonseq(result: Result, output: IO[str]) -> None:
    """Writes a GeoJSON text sequence (RFC 8142)."""
    for feature in features(result):
        output.write(f"{RECORD_SEPARATOR}{feature}\n")


def write_table(result: Result, output: IO[str]) -> None:
    """Writes an aligned table for the terminal, with abbreviated geometry."""
    rows = [[c.name for c in result.columns]]
    for batch in batches(result.rows):
        rows += [
            [_cell(value, c) for value, c in zip(row, result.columns, strict=True)] for row in batch
        ]
    widths = [max(_width(row[i]) for row in rows) for i in range(len(rows[0]))]
    for n, row in enumerate(rows):
        cells = [text + " " * (w - _width(text)) for text, w in zip(row, widths, strict=True)]
        output.write("  ".join(cells).rstrip() + "\n")
        if n == 0:
            output.write("  ".join("-" * w for w in widths) + "\n")
    output.write(f"({len(rows) - 1} rows)\n")


TEXT_FORMATS: dict[str, Callable[[Result, IO[str]], None]] = {
    "csv": write_csv,
    "geojson": write_geojson,
    "geojsonseq": write_geojsonseq,
    "table": write_table,
}


def write_file(result: Result, kind: str, path: Path) -> None:
    """Writes Parquet, GeoPackage or FlatGeobuf."""
    if kind == "parquet":
        _write_parquet(result, path)
    else:
        _write_by_gdal(result, kind, path)


def needed_geometry(result: Result, what: str) -> int:
    """Returns the index of the geometry column; raises a usage error if there is none."""
    if result.geometry is None:
        raise click.UsageError(f"{what} needs a geometry, which this result lacks; use csv")
    return result.geometry


def _write_parquet(result: Result, path: Path) -> None:
    import pyarrow.parquet as parquet

    schema = _schema(result.columns)
    if result.geometry is not None:
        schema = schema.with_metadata({"geo": json.dumps(_geo(result))})
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in _arrow_batches(result, schema):
            writer.write_batch(batch)


def _geo(result: Result) -> dict[str, Any]:
    """Returns GeoParquet 1.1 metadata; without a crs the default OGC:CRS84 applies."""
    name = result.columns[needed_geometry(result, "GeoParquet")].name
    columns = {name: {"encoding": "WKB", "geometry_types": []}}
    return {"version": "1.1.0", "primary_column": name, "columns": columns}


def _write_by_gdal(result: Result, kind: str, path: Path) -> None:
    place = needed_geometry(result, kind)
    import pyarrow
    import pyogrio

    schema = _schema(result.columns)
    reader = pyarrow.RecordBatchReader.from_batches(schema, _arrow_batches(result, schema))
    pyogrio.write_arrow(
        reader,
        path,
        driver=DRIVERS[kind],
        layer=path.stem,
        geometry_name=result.columns[place].name,
        geometry_type=_geometry_type(result.columns[place]),
        crs="EPSG:4326",
    )


def _geometry_type(column: Column) -> str:
    """Returns GDAL's geometry type for PostgreSQL's, such as geometry(Point,4326)."""
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


def _arrow_batches(result: Result, schema: Any) -> Iterator[Any]:
    import pyarrow as pa

    for batch in batches(result.rows):
        values: list[Any] = [list(column) for column in zip(*batch, strict=True)]
        for place, kind in enumerate(schema.types):
            if place == result.geometry:
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
    """Returns the display width of text in a terminal; Hangul is two columns wide."""
    return sum(2 if "\u1100" <= c <= "\u115f" or "\u2e80" <= c <= "\uffdc" else 1 for c in text)
