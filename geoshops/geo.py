"""GeoJSON of shops, and the largest radius."""

from __future__ import annotations

import json
from typing import Any

HALF_CIRCUMFERENCE_M = 20_040_000


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
