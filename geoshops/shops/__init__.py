"""Shops: by map area, by keyword, one in detail; brands."""

from geoshops.shops.routes import blueprint

__all__ = ["blueprint"]
