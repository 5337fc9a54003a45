"""Draws points for tests: an ASCII grid, north up, a step in metres on the ellipsoid."""

from __future__ import annotations

from tests.geodesy import WGS84


def points(
    rows: list[str], *, step_m: float, origin: tuple[float, float] = (127.0, 37.5)
) -> dict[str, tuple[float, float]]:
    """Letters of the grid as (longitude, latitude); cells are separated by blanks, `.` is empty.

    `origin` is the lower left cell; steps are measured eastward and northward from it."""
    found: dict[str, tuple[float, float]] = {}
    for north, row in enumerate(reversed(rows)):
        for east, cell in enumerate(row.split()):
            if cell != ".":
                found[cell] = _step(origin, east * step_m, north * step_m)
    return found


def _step(origin: tuple[float, float], east_m: float, north_m: float) -> tuple[float, float]:
    lon, lat, _ = WGS84.fwd(*origin, 90, east_m)
    lon, lat, _ = WGS84.fwd(lon, lat, 0, north_m)
    return float(lon), float(lat)
