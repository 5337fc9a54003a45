"""Queries of vector tiles; each is one statement."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import func, literal, select
from sqlalchemy.dialects.postgresql import aggregate_order_by

from geoshops.database.models import Brand, CrowdedTile
from geoshops.database.pool import Database
from geoshops.database.statements import compiled, named
from geoshops.errors import ApiError
from geoshops.web.shop_filters import FILTERS, ShopFilters

EVERY_SHOP, REPRESENTATIVE = 0, -1

REPRESENTATIVE_NAMES = (
    select(func.string_agg(Brand.name, aggregate_order_by(literal(", "), Brand.id)))
    .where(Brand.is_representative)
    .scalar_subquery()
)
BRAND = compiled(select(func.brand_named(*named("wanted")), REPRESENTATIVE_NAMES))
TILE = compiled(select(func.shops_tile(*named("z", "x", "y", "selection", filters=FILTERS))))
REFRESHED = compiled(select(func.min(CrowdedTile.refreshed_at)))
REFRESH = compiled(select(func.refresh_tile_grid(*named(moment=func.now()))))


def selection(db: Database, *, brand: str | None, all_brands: bool) -> int:
    """The selection's number as in sql/schema/22_tiles.sql; raises ApiError for an unknown brand."""
    if not brand:
        return EVERY_SHOP if all_brands else REPRESENTATIVE
    brand_id, names = db.row(BRAND, {"wanted": brand})
    if brand_id is None:
        raise ApiError("not_one_of", name="brand", choices=names)
    return int(brand_id)


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
