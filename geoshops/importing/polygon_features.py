"""Polygons and properties of GeoJSON features, with an error that says what is wrong with one."""

from __future__ import annotations

from typing import Any

import shapely
from shapely.geometry import shape

from geoshops.importing.fields import InvalidValue
from geoshops.importing.geojson import Feature
from geoshops.importing.mapping import spelled

TYPES = ("Polygon", "MultiPolygon")
MOST_VERTICES = 10_000


def polygon_of(feature: Feature, field: str) -> Any:
    """The feature's polygon or multipolygon; the InvalidValue of another geometry names `field`."""
    geometry = feature.get("geometry")
    if not geometry or geometry.get("type") not in TYPES:
        raise InvalidValue(f"[{field}] is not a polygon")
    try:
        return shape(geometry)
    except (ValueError, TypeError, IndexError, KeyError, shapely.errors.ShapelyError) as error:
        raise InvalidValue(f"[{field}] cannot be parsed: {error}") from error


def property_text(feature: Feature, name: str, default: object = None) -> str:
    """A property, whose name may differ in case, as text; empty if it and the default are null."""
    properties = feature.get("properties") or {}
    value = properties.get(spelled(name, properties))
    value = default if value is None else value
    return "" if value is None else str(value)
