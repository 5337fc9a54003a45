"""Queries of the map's own tiles and badges; each is one statement."""

from __future__ import annotations

from sqlalchemy import bindparam, func, select

from geoshops.database.models import Brand
from geoshops.database.pool import Database
from geoshops.database.statements import compiled, named
from geoshops.errors import NotFound

TILE = compiled(select(func.basemap_tile(*named("z", "x", "y"))))
BADGE = compiled(select(Brand.name, Brand.badge_color).where(Brand.id == bindparam("brand")))


def basemap_tile(db: Database, z: int, x: int, y: int) -> bytes:
    """Borders and names of regions, and stations, as a vector tile."""
    return bytes(db.row(TILE, {"z": z, "x": x, "y": y})[0])


def badge(db: Database, brand_id: int) -> tuple[str, str]:
    """Name and colour of a brand."""
    row = db.first(BADGE, {"brand": brand_id})
    if row is None:
        raise NotFound("brand", brand_id)
    name, color = row
    return name, color
