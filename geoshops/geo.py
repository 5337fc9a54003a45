"""Formats distances and GeoJSON."""

from __future__ import annotations

import json
import math
from typing import Any

HALF_CIRCUMFERENCE_M = 20_040_000


def distance_text(distance_m: float) -> str:
    """Formats metres as in the contract: `999m`, `1km`, `1.5km`, `23.2km`, `100km`.

    Equivalent to the SQL function distance_text; a test compares them."""
    metres = math.floor(distance_m + 0.5)
    if metres < 1000:
        return f"{metres}m"
    tenths = (metres + 50) // 100
    if tenths >= 1000:
        return f"{(metres + 500) // 1000}km"
    return f"{tenths // 10}km" if tenths % 10 == 0 else f"{tenths // 10}.{tenths % 10}km"


def feature_collection(shops: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns shop summaries as an RFC 7946 FeatureCollection with all fields as properties."""
    return {"type": "FeatureCollection", "features": [_feature(shop) for shop in shops]}


def feature_collection_text(body: bytes) -> str:
    """Converts a JSON array of shop summaries to a FeatureCollection as JSON text."""
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
