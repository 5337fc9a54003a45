"""Shops: lists by map area and shape, one shop in detail; brands."""

from geoshops.shops.routes import blueprint

__all__ = ["blueprint"]
