"""Queries of vector tiles; each is one statement."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import func, select

from geoshops.database.models import CrowdedTile
from geoshops.database.pool import Database
from geoshops.database.statements import compiled, named
from geoshops.web import named_brand
from geoshops.web.shop_filters import FILTERS, ShopFilters

EVERY_SHOP, REPRESENTATIVE = 0, -1
BRAND = compiled(select(named_brand.BRAND_ID))
TILE = compiled(select(func.shops_tile(*named("z", "x", "y", "selection", filters=FILTERS))))
REFRESHED = compiled(select(func.min(CrowdedTile.refreshed_at)))
REFRESH = compiled(select(func.refresh_tile_grid(*named(moment=func.now()))))


def selection(db: Database, *, brand: str | None, all_brands: bool) -> int:
    """The selection's number as in sql/schema/31_tiles.sql; raises ApiError for an unknown brand."""
    if not brand:
        return EVERY_SHOP if all_brands else REPRESENTATIVE
    return int(named_brand.value_of(db, BRAND, brand))


def tile(
    db: Database, z: int, x: int, y: int, *, selected: int, filters: ShopFilters, zone: str
) -> bytes:
    """The tile; empty if it contains no shop."""
    values = {"z": z, "x": x, "y": y, "selection": selected, "filters": filters.to_json(zone)}
    return bytes(db.row(TILE, values)[0])


def refreshed_at(db: Database) -> dt.datetime | None:
    """Time of the last recount; None if all cells are counted live."""
    moment: dt.datetime | None = db.row(REFRESHED)[0]
    return moment


def refresh(db: Database) -> int:
    """Recounts the cells of crowded tiles; returns the number of changed rows."""
    return int(db.write(REFRESH, idempotent=True)[0])
