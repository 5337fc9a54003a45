"""Vector tiles of shops: clusters from afar, each shop from zoom 15."""

from geoshops.tiles.routes import blueprint

__all__ = ["blueprint"]
