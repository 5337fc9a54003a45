"""Distances that no PostGIS has computed."""

from __future__ import annotations

from pyproj import Geod

WGS84 = Geod(ellps="WGS84")


def geodesic_m(lon_a: float, lat_a: float, lon_b: float, lat_b: float) -> float:
    """Length in metres of the geodesic on the WGS 84 ellipsoid (Karney 2013, GeographicLib)."""
    return float(WGS84.inv(lon_a, lat_a, lon_b, lat_b)[2])
