"""Keyword search: interpretation of keywords, matching shops, suggestions."""

from geoshops.search.routes import blueprint

__all__ = ["blueprint"]
