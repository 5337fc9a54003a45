"""Search: what a keyword means, the shops it finds, what it may become."""

from geoshops.search.routes import blueprint

__all__ = ["blueprint"]
