"""Reviews: one review, those of a shop, the caller's own; create, change and delete."""

from geoshops.reviews.routes import blueprint

__all__ = ["blueprint"]
