"""Parses and checks GeoJSON geometries in bodies and positions in queries, before they reach PostGIS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from marshmallow import ValidationError, fields, post_load

from geoshops.web.fields import DECIMAL, Body, Choice, invalid

MAX_POSITIONS = 10_000
# 52 bytes per position
MAX_SHAPE_BYTES = 524_288
FEWEST_PEOPLE, MOST_PEOPLE = 2, 10
# projected coordinates are in metres; degrees are never as large
PROJECTED = 1000.0


class Position(NamedTuple):
    """A position in degrees."""

    lng: float
    lat: float


def position(value: Any, at: str) -> Position:
    """Parses a GeoJSON position; the ValidationError names its location `at` and the broken rule."""
    if not isinstance(value, list) or len(value) < 2:
        raise invalid("bad_position", at=at)
    lng, lat = value[:2]
    if type(lng) not in (int, float) or type(lat) not in (int, float):
        raise invalid("bad_position", at=at)
    if abs(lng) <= 180 and abs(lat) <= 90:
        return Position(float(lng), float(lat))
    if abs(lng) <= 90 and abs(lat) <= 180:
        raise invalid("position_swapped", at=at)
    if max(abs(lng), abs(lat)) > PROJECTED:
        raise invalid("position_projected", at=at)
    raise invalid("position_out_of_range", at=at)


def _positions(value: Any, at: str) -> list[Position]:
    if not isinstance(value, list):
        raise invalid("bad_position", at=at)
    return [position(item, f"{at}{n}") for n, item in enumerate(value)]


def _ring(value: Any, at: str) -> list[Position]:
    ring = _positions(value, at)
    if len(ring) < 4 or ring[0] != ring[-1]:
        raise invalid("ring_open", at=at.rstrip(","))
    return ring


def _rings(value: list[Any], at: str) -> list[list[Position]]:
    return [_ring(item, f"{at}{n},") for n, item in enumerate(value)]


def _polygon(value: Any, at: int) -> list[list[Position]]:
    if not isinstance(value, list) or not value:
        raise invalid("polygon_empty", at=at)
    return _rings(value, f"{at},")


def _multipolygon(value: list[Any]) -> list[list[list[Position]]]:
    return [_polygon(item, n) for n, item in enumerate(value)]


def _line(value: list[Any]) -> list[Position]:
    line = _positions(value, "")
    if len(set(map(_place, line))) < 2:
        raise invalid("line_without_length", at=0)
    return line


def _place(position: Position) -> Position:
    """Normalises a position so that equal places compare equal: longitude 0 at the poles, and 180 instead of -180."""
    if abs(position.lat) == 90:
        return Position(0.0, position.lat)
    return Position(180.0, position.lat) if position.lng == -180 else position


def _count(value: Any) -> int:
    """Number of positions in nested lists; a list without nested lists counts as one."""
    if not isinstance(value, list):
        return 0
    return sum(map(_count, value)) if value and isinstance(value[0], list) else 1


def _path(value: Any, number: int) -> str:
    """Where the position with this number is in nested lists: its indexes."""
    for n, item in enumerate(value):
        count = _count(item)
        if number < count:
            is_position = not (item and isinstance(item[0], list))
            return str(n) if is_position else f"{n},{_path(item, number)}"
        number -= count
    raise AssertionError("there are so many positions")


class Coordinates(fields.Raw):
    """Nested lists of positions; the schema checks them, because it knows the geometry type."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, list):
            raise invalid("bad_coordinates")
        if not value:
            raise invalid("shape_empty")
        if _count(value) > MAX_POSITIONS:
            raise invalid("too_many_positions", high=MAX_POSITIONS, at=_path(value, MAX_POSITIONS))
        return value


POSITION_SCHEMA = {"type": "array", "items": {"type": "number"}, "minItems": 2}
LINE_SCHEMA = {"type": "array", "items": POSITION_SCHEMA, "minItems": 2}


READERS: dict[str, Callable[[Any], Any]] = {
    "Polygon": lambda value: _rings(value, ""),
    "MultiPolygon": _multipolygon,
    "LineString": _line,
}


class Shape(Body):
    """A GeoJSON geometry; heights are dropped."""

    @post_load
    def checked(self, values: dict[str, Any], **_: object) -> dict[str, Any]:
        """Checks the geometry; reports the first invalid position or ring."""
        read = READERS[values["type"]]
        try:
            return {"type": values["type"], "coordinates": read(values["coordinates"])}
        except ValidationError as error:
            raise ValidationError({"coordinates": error.messages}) from None


class Area(Shape):
    """A GeoJSON Polygon or MultiPolygon."""

    type = Choice(("Polygon", "MultiPolygon"), required=True)
    coordinates = Coordinates(
        required=True,
        metadata={
            "type": "array",
            "items": {"type": "array", "items": {"type": "array", "items": {}}},
            "description": f"Rings of [longitude, latitude], at most {MAX_POSITIONS:,} positions in total; for a MultiPolygon,"
            " lists of rings. Edges are geodesics; the interior is the smaller side",
            "example": [
                [[127.02, 37.49], [127.04, 37.49], [127.04, 37.51], [127.02, 37.51], [127.02, 37.49]]
            ],
        },
    )  # fmt: skip


class Route(Shape):
    """A GeoJSON LineString."""

    type = Choice(("LineString",), required=True)
    coordinates = Coordinates(
        required=True,
        metadata={
            **LINE_SCHEMA,
            "description": f"[longitude, latitude] of each corner, at most {MAX_POSITIONS:,}; edges are geodesics",
            "example": [[127.0276, 37.4979], [127.0365, 37.5007], [127.0489, 37.5045]],
        },
    )


class People(fields.Field[list[Position]]):
    """`at=lng,lat`, once for each person."""

    repeatable = True

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> list[Position]:
        texts: list[str] = value
        if not FEWEST_PEOPLE <= len(texts) <= MOST_PEOPLE:
            raise invalid("people", low=FEWEST_PEOPLE, high=MOST_PEOPLE)
        return [_person(text, str(n)) for n, text in enumerate(texts, 1)]


def _person(text: str, at: str) -> Position:
    parts = text.split(",")
    if len(parts) != 2 or not all(DECIMAL.match(part) for part in parts):
        raise invalid("bad_position", at=at)
    return position([float(part) for part in parts], at)
