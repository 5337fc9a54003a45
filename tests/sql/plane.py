"""Converts text drawings to positions: a symbol is a place, `.` is empty, columns and rows are a step apart."""

from __future__ import annotations

from pyproj import Transformer

PLANE = "EPSG:5179"
# In Seoul, at a multiple of 10 km, so that squares and hexagons begin at round numbers.
ORIGIN_M = (950_000.0, 1_950_000.0)
TO_DEGREES = Transformer.from_crs(PLANE, "EPSG:4326", always_xy=True)


def at(x_m: float, y_m: float) -> tuple[float, float]:
    """Longitude and latitude of a point, given in metres east and north of the origin."""
    longitude, latitude = TO_DEGREES.transform(ORIGIN_M[0] + x_m, ORIGIN_M[1] + y_m)
    return float(longitude), float(latitude)


def points(rows: list[str], step_m: float) -> list[tuple[str, tuple[float, float]]]:
    """Symbols with their positions, row by row from the north-west; the last row lies on the origin's."""
    return [
        (symbol, at(column * step_m, (len(rows) - 1 - row) * step_m))
        for row, line in enumerate(rows)
        for column, symbol in enumerate(line.split())
        if symbol != "."
    ]
