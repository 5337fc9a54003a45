"""OGC API Features: shops, regions and stations for QGIS, GDAL and other geographic software."""

from geoshops.ogc.routes import blueprint

__all__ = ["blueprint"]
