"""Member titles, their images, and the titles of shops."""

from geoshops.titles.routes import blueprint, images

__all__ = ["blueprint", "images"]
