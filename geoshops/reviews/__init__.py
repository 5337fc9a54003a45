"""Reviews: one, of a shop, one's own; writing, changing, deleting them."""

from geoshops.reviews.routes import blueprint

__all__ = ["blueprint"]
