"""Vector tiles of shops: clusters below zoom 15, each shop from there on."""

from geoshops.tiles.routes import blueprint

__all__ = ["blueprint"]
