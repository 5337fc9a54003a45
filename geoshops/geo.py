"""Points, distances as text and coordinate systems; shapely and pyproj only here and in importing/."""

from __future__ import annotations

import json
import math
from typing import Any

from pyproj import Geod

WGS84 = Geod(ellps="WGS84")
HALF_CIRCUMFERENCE_M = 20_040_000


def geodesic_m(lon_a: float, lat_a: float, lon_b: float, lat_b: float) -> float:
    """Length in metres of the geodesic on the WGS 84 ellipsoid (Karney 2013, GeographicLib)."""
    return float(WGS84.inv(lon_a, lat_a, lon_b, lat_b)[2])


def distance_text(distance_m: float) -> str:
    """Metres as the contract writes them: `999m`, `1km`, `1.5km`, `23.2km`, `100km`.

    The twin of the SQL function distance_text; a test keeps them equal."""
    metres = math.floor(distance_m + 0.5)
    if metres < 1000:
        return f"{metres}m"
    tenths = (metres + 50) // 100
    if tenths >= 1000:
        return f"{(metres + 500) // 1000}km"
    return f"{tenths // 10}km" if tenths % 10 == 0 else f"{tenths // 10}.{tenths % 10}km"


def feature_collection(shops: list[dict[str, Any]]) -> dict[str, Any]:
    """Shop summaries as an RFC 7946 FeatureCollection; every field stays a property."""
    return {"type": "FeatureCollection", "features": [_feature(shop) for shop in shops]}


def feature_collection_text(body: bytes) -> str:
    """The same from and to JSON text."""
    return json.dumps(
        feature_collection(json.loads(body)), ensure_ascii=False, separators=(",", ":")
    )


def _feature(shop: dict[str, Any]) -> dict[str, Any]:
    position = [float(shop["longitude"]), float(shop["latitude"])]
    return {
        "type": "Feature",
        "id": shop["id"],
        "geometry": {"type": "Point", "coordinates": position},
        "properties": shop,
    }
