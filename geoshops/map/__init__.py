"""The map page at /, pages of shops, their assets, brand badges and the offline API documentation."""

from geoshops.map.missing import blueprint as missing
from geoshops.map.pages import blueprint as pages
from geoshops.map.routes import blueprint

__all__ = ["blueprint", "missing", "pages"]
