"""Distances that no PostGIS has computed, and how the contract writes them."""

from __future__ import annotations

import math

from pyproj import Geod

WGS84 = Geod(ellps="WGS84")


def geodesic_m(lon_a: float, lat_a: float, lon_b: float, lat_b: float) -> float:
    """Length in metres of the geodesic on the WGS 84 ellipsoid (Karney 2013, GeographicLib)."""
    return float(WGS84.inv(lon_a, lat_a, lon_b, lat_b)[2])


def distance_text(distance_m: float) -> str:
    """Formats metres as in the contract: `999m`, `1km`, `1.5km`, `23.2km`, `100km`."""
    metres = math.floor(distance_m + 0.5)
    if metres < 1000:
        return f"{metres}m"
    tenths = (metres + 50) // 100
    if tenths >= 1000:
        return f"{(metres + 500) // 1000}km"
    return f"{tenths // 10}km" if tenths % 10 == 0 else f"{tenths // 10}.{tenths % 10}km"
