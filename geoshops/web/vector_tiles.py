"""What all vector tiles share: their media type and their zoom levels."""

from __future__ import annotations

from geoshops.errors import NotFound

MEDIA_TYPE = "application/vnd.mapbox-vector-tile"
MAX_ZOOM = 20


def check_tile(z: int, x: int, y: int) -> None:
    """Raises NotFound for a tile outside the world or beyond the last zoom level."""
    if not 0 <= z <= MAX_ZOOM or not (0 <= x < 2**z and 0 <= y < 2**z):
        raise NotFound("tile", f"{z}/{x}/{y}")
