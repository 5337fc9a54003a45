"""Reports: members tell moderation of a review or a shop; operators work through them."""

from geoshops.reports.routes import blueprint

__all__ = ["blueprint"]
