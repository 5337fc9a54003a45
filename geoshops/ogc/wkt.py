"""Parses the geometries of CQL2 text, WKT or BBOX in degrees, to WKT for PostGIS."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from geoshops.ogc.cql2_tokens import FilterError, Token, Tokens

FEWEST_OF_LINE, FEWEST_OF_RING = 2, 4
LIMITS = (("longitude", 180), ("latitude", 90))
Part = TypeVar("Part")


def geometries(tokens: Tokens) -> tuple[str, ...]:
    """Consumes a geometry and returns it as WKT without heights; two geometries for a box across the 180th meridian.

    Raises FilterError at the invalid number or sign."""
    token = tokens.take()
    kind = token.text.upper()
    if token.kind == "name" and kind == "BBOX":
        return _box(tokens, token)
    read = GEOMETRIES.get(kind) if token.kind == "name" else None
    if read is None:
        raise FilterError(token.at, f"one of BBOX, {', '.join(GEOMETRIES)} is expected")
    tokens.has_word("Z")
    return (f"{kind}({read(tokens)})",)


def _degrees(token: Token, axis: int) -> float:
    name, most = LIMITS[axis]
    value = token.number() if token.kind == "number" else most + 1
    if abs(value) > most:
        raise FilterError(token.at, f"a {name} between -{most} and {most} is expected")
    return float(value)


def _position(tokens: Tokens) -> str:
    lng, lat = (_degrees(tokens.take(), axis) for axis in (0, 1))
    if tokens.peek().kind == "number":
        tokens.take().number()
    return f"{lng!r} {lat!r}"


def _list(tokens: Tokens, part: Callable[[Tokens], Part]) -> list[Part]:
    tokens.sign("(")
    parts = [part(tokens)]
    while tokens.has_sign(","):
        parts.append(part(tokens))
    tokens.sign(")")
    return parts


def _point(tokens: Tokens) -> str:
    tokens.sign("(")
    position = _position(tokens)
    tokens.sign(")")
    return position


def _line(tokens: Tokens) -> str:
    start = tokens.peek()
    positions = _list(tokens, _position)
    if len(positions) < FEWEST_OF_LINE:
        raise FilterError(start.at, f"a line has at least {FEWEST_OF_LINE} positions")
    return ",".join(positions)


def _ring(tokens: Tokens) -> str:
    start = tokens.peek()
    positions = _list(tokens, _position)
    if len(positions) < FEWEST_OF_RING or positions[0] != positions[-1]:
        rule = f"a ring has at least {FEWEST_OF_RING} positions, and the last equals the first"
        raise FilterError(start.at, rule)
    return f"({','.join(positions)})"


def _polygon(tokens: Tokens) -> str:
    return ",".join(_list(tokens, _ring))


def _several(part: Callable[[Tokens], str]) -> Callable[[Tokens], str]:
    def read(tokens: Tokens) -> str:
        return ",".join(f"({text})" for text in _list(tokens, part))

    return read


def _point_or_position(tokens: Tokens) -> str:
    is_point = tokens.peek().kind == "sign"
    return _point(tokens) if is_point else _position(tokens)


def _box(tokens: Tokens, start: Token) -> tuple[str, ...]:
    """A box of four numbers, or of six with heights; if west > east, it crosses the 180th meridian."""
    numbers = _list(tokens, Tokens.take)
    if len(numbers) not in (4, 6) or any(number.kind != "number" for number in numbers):
        raise FilterError(start.at, "BBOX has four numbers, or six with heights")
    upper = len(numbers) // 2
    west, south = (_degrees(numbers[n], n) for n in (0, 1))
    east, north = (_degrees(numbers[upper + n], n) for n in (0, 1))
    if south > north:
        raise FilterError(
            numbers[upper + 1].at, "the northern latitude must not be below the southern one"
        )
    return rectangles(west, south, east, north)


def rectangles(west: float, south: float, east: float, north: float) -> tuple[str, ...]:
    """A box as WKT: two where west above east crosses the 180th meridian."""
    if west > east:
        return _rectangle(west, south, 180.0, north), _rectangle(-180.0, south, east, north)
    return (_rectangle(west, south, east, north),)


def _rectangle(west: float, south: float, east: float, north: float) -> str:
    """A box as a polygon; GEOS requires a line or a point for a box without area."""
    if west == east and south == north:
        return f"POINT({west!r} {south!r})"
    if west == east or south == north:
        return f"LINESTRING({west!r} {south!r},{east!r} {north!r})"
    corners = ((west, south), (east, south), (east, north), (west, north), (west, south))
    return f"POLYGON(({','.join(f'{lng!r} {lat!r}' for lng, lat in corners)}))"


GEOMETRIES: dict[str, Callable[[Tokens], str]] = {
    "LINESTRING": _line,
    "MULTILINESTRING": _several(_line),
    "MULTIPOINT": _several(_point_or_position),
    "MULTIPOLYGON": _several(_polygon),
    "POINT": _point,
    "POLYGON": _polygon,
}
