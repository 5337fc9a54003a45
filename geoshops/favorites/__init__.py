"""Favorites: the list, adding, removing."""

from geoshops.favorites.routes import blueprint

__all__ = ["blueprint"]
