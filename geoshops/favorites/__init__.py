"""Favorites: list, add, remove."""

from geoshops.favorites.routes import blueprint

__all__ = ["blueprint"]
