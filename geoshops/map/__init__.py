"""The map page at /, its assets, brand badges and the offline API documentation."""

from geoshops.map.routes import blueprint

__all__ = ["blueprint"]
