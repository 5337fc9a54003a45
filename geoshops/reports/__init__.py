"""Reports: members report reviews and shops; operators moderate them."""

from geoshops.reports.routes import blueprint

__all__ = ["blueprint"]
