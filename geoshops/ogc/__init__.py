"""OGC API Features: shops for QGIS, GDAL and other geographic software."""

from geoshops.ogc.routes import blueprint

__all__ = ["blueprint"]
