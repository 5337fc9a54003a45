"""Stages regions from GeoJSON in a temporary table: names, codes, and polygons within size limits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import shapely

from geoshops.database.models import REGION_LEVELS
from geoshops.importing import fields
from geoshops.importing.crs import Projection
from geoshops.importing.fields import InvalidValue
from geoshops.importing.geojson import Feature, features
from geoshops.importing.opening import InputFile
from geoshops.importing.polygon_features import polygon_of, property_text
from geoshops.importing.rejects import Rejects
from geoshops.importing.staging import copy_in
from geoshops.importing.tables import Rejected

COLUMNS = ("feature",)
TEMPORARY = """
CREATE TEMP TABLE incoming_regions (
  line bigint, level text, code text, name text, name_en text, boundary geometry(Geometry, 4326)
) ON COMMIT DROP"""
_text = fields.text(100)


@dataclass(frozen=True)
class RegionReading:
    """The property names of a region's fields, and the size limits of a polygon."""

    names: dict[str, str]
    words: dict[str, str]
    names_by_code: dict[str, str]
    levels_by_code_length: dict[str, str]
    level: str
    projection: Projection
    most_vertices: int
    most_bytes: int


def stage(
    cursor: Any, file: InputFile, reading: RegionReading, rejects: Rejects, progress: Any
) -> int:
    """Fills `incoming_regions`; returns the number of features read."""
    read = 0

    def lines() -> Iterator[bytes]:
        nonlocal read
        for number, feature, text in features(file):
            read += 1
            try:
                values = _row(number, feature, reading)
            except InvalidValue as error:
                whole = text or json.dumps(feature, ensure_ascii=False)
                rejects.add([Rejected(number, str(error), [whole])])
            else:
                yield ("\t".join(values) + "\n").encode()
        progress(file.size_bytes)

    cursor.execute(TEMPORARY)
    copy_in(cursor, "COPY incoming_regions FROM STDIN", lines())
    return read


def _row(number: int, feature: Feature | None, reading: RegionReading) -> list[str]:
    if feature is None:
        raise InvalidValue("not a GeoJSON feature")
    code = _text(_property(feature, reading, "code"))
    name = fields.name(_property(feature, reading, "name"))
    name = reading.names_by_code.get(code) or reading.words.get(name, name)
    level = reading.level or _property(feature, reading, "level")
    level = level or reading.levels_by_code_length.get(str(len(code)), "")
    if level not in REGION_LEVELS:
        raise InvalidValue(
            f"[level] {level[:40]!r} must be one of {', '.join(REGION_LEVELS)}: specify it with --level"
        )
    english = _text(_property(feature, reading, "name_en"))
    polygon = _polygon(feature, reading)
    texts = [t.replace("\\", "\\\\") for t in (level, code, name, english)]
    return [str(number), *texts, polygon]


def _property(feature: Feature, reading: RegionReading, field: str) -> str:
    return property_text(feature, reading.names.get(field, field))


def _polygon(feature: Feature, reading: RegionReading) -> str:
    polygon = shapely.force_2d(polygon_of(feature, "geometry"))
    if polygon.is_empty:
        raise InvalidValue("[geometry] is empty")
    vertices = shapely.get_num_coordinates(polygon)
    if vertices > reading.most_vertices:
        raise InvalidValue(f"[geometry] has {vertices} vertices, more than {reading.most_vertices}")
    polygon = _in_wgs84(polygon, reading.projection)
    binary = shapely.to_wkb(shapely.set_srid(polygon, 4326), include_srid=True)
    if len(binary) > reading.most_bytes:
        raise InvalidValue(f"[geometry] has {len(binary)} bytes, more than {reading.most_bytes}")
    return str(binary.hex())


def _in_wgs84(polygon: Any, projection: Projection) -> Any:
    polygon = projection.transform(polygon)
    points = shapely.get_coordinates(polygon)
    if not projection.holds(points[:, 0], points[:, 1]).all():
        raise InvalidValue(
            f"[geometry] lies outside {projection.name}: specify the coordinate system with --crs"
        )
    return polygon
