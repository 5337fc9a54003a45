"""The description of the tiles (TileJSON 3.0)."""

from __future__ import annotations

import datetime as dt

LAST_CLUSTER_ZOOM = 14
# tiles exist up to zoom 20, but a tile of zoom 15 has 4096 units of 0.3 m: clients need no higher zoom
LAST_ZOOM = 15
EDGE_LAT = 85.0511287798066
DESCRIPTION = (
    f"Photo-booth shops: clusters of 64 x 64 cells per tile up to zoom {LAST_CLUSTER_ZOOM}, "
    f"each shop from zoom {LAST_CLUSTER_ZOOM + 1}. "
    "Shops and sparse tiles are read live; clusters of crowded tiles are at most an hour old, "
    "or approximate if filters apply to a tile of more than 10,000 shops. "
    "Each shop is in exactly one tile and one cell of a zoom level; those beyond 85.05 degrees "
    "of latitude are in the outermost row of tiles."
)
RATING = "Average star rating in tenths, 0 without reviews"
CLUSTER_FIELDS = {
    "shop_cnt": "Number of shops",
    "star_rating_avg": RATING,
    "review_cnt": "Number of reviews",
    "expansion_zoom": "Zoom level at which the cluster splits",
    "shop_id": "Shop identifier, only if shop_cnt is 1",
    "approximate": "true if the numbers are estimated from a sample",
}
SHOP_FIELDS = {
    "shop_id": "Shop identifier, also the feature's",
    "place_name": "Name of the place",
    "brand_name": "Brand; empty if unknown",
    "status": "OPEN or TEMP_CLOSED",
    "star_rating_avg": RATING,
    "review_cnt": "Number of reviews",
    "favorite_cnt": "Number of members who have the shop as a favorite",
}


def tilejson(address: str, refreshed_at: dt.datetime | None) -> dict[str, object]:
    """The TileJSON document; `address` is the template of a tile's URL."""
    return {
        "tilejson": "3.0.0",
        "name": "shops",
        "description": DESCRIPTION,
        "tiles": [address],
        "minzoom": 0,
        "maxzoom": LAST_ZOOM,
        "bounds": [-180, -EDGE_LAT, 180, EDGE_LAT],
        "vector_layers": [
            _layer("clusters", "Clusters", 0, LAST_CLUSTER_ZOOM, CLUSTER_FIELDS),
            _layer("shops", "Single shops", LAST_CLUSTER_ZOOM + 1, LAST_ZOOM, SHOP_FIELDS),
        ],
        "clusters_refreshed_at": refreshed_at.astimezone(dt.UTC).isoformat()
        if refreshed_at
        else None,
    }


def _layer(
    id: str, description: str, minzoom: int, maxzoom: int, fields: dict[str, str]
) -> dict[str, object]:
    return {
        "id": id,
        "description": description,
        "minzoom": minzoom,
        "maxzoom": maxzoom,
        "fields": fields,
    }
