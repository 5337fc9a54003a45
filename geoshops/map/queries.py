"""Queries of the map's tiles, badges and pages; each is one statement."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import VARCHAR, Date, bindparam, cast, exists, func, select
from sqlalchemy.orm import aliased

from geoshops.database.models import BADGE_COLOR, Brand, Shop
from geoshops.database.pool import Database
from geoshops.database.statements import compiled, named
from geoshops.errors import NotFound
from geoshops.map.badges import LETTERS, Badge, initials

TILE = compiled(select(func.basemap_tile(*named("z", "x", "y"))))
PARENT, OTHER = aliased(Brand), aliased(Brand)
NAMESAKE = exists().where(
    OTHER.id != Brand.id,
    OTHER.parent_id.is_(None),
    func.left(OTHER.name, LETTERS) == func.left(Brand.name, LETTERS),
)
BADGE = compiled(
    select(
        Brand.name, Brand.badge_color, PARENT.name.label("parent_name"), NAMESAKE.label("namesake")
    )
    .join(PARENT, PARENT.id == Brand.parent_id, isouter=True)
    .where(Brand.id == bindparam("brand"))
)


def basemap_tile(db: Database, z: int, x: int, y: int) -> bytes:
    """Borders and names of regions, and stations, as a vector tile."""
    return bytes(db.row(TILE, {"z": z, "x": x, "y": y})[0])


def badge(db: Database, brand_id: int) -> Badge:
    """The content of a brand's badge."""
    row = db.first(BADGE, {"brand": brand_id})
    if row is None:
        raise NotFound("brand", brand_id)
    name, color, parent_name, namesake = row
    return Badge(name, color, initials(name, parent_name, namesake=namesake))


@dataclass(frozen=True)
class FoundShop:
    """A shop as GET /shops/{id} returns it, with the colour of its brand as #rrggbb."""

    detail: dict[str, Any]
    color: str


SHOP = compiled(
    select(
        func.shop_detail(*named("shop", "user_lon", "user_lat", "origin", "zone", "lang")).cast(VARCHAR),
        select(Brand.badge_color)
        .join(Shop, Shop.brand_id == Brand.id)
        .where(Shop.id == bindparam("shop"))
        .scalar_subquery(),
    )
)  # fmt: skip


def shop(db: Database, shop_id: int, *, lang: str | None, origin: str, zone: str) -> FoundShop:
    """A shop of any status, with `display` texts in `lang` unless it is None; raises NotFound if it does not exist."""
    values = {
        "shop": shop_id, "user_lon": None, "user_lat": None, "origin": origin, "zone": zone, "lang": lang,
    }  # fmt: skip
    body, color = db.row(SHOP, values)
    if not body:
        raise NotFound("shop", shop_id)
    return FoundShop(json.loads(body), color or BADGE_COLOR)


# Ids per part of the sitemap, below the limit of 50,000 URLs. A small part is fast to build; closed shops only leave
# gaps.
PART_SIZE = 10_000
LISTED = Shop.status != "CLOSED"


def _parts() -> Any:
    """Numbers of the parts that have shops, by a loose index scan: one step over the primary key per part."""
    part = (
        select((func.min(Shop.id) // PART_SIZE).label("number"))
        .where(LISTED)
        .cte("part", recursive=True)
    )
    after = (
        select(func.min(Shop.id) // PART_SIZE)
        .where(LISTED, Shop.id >= (part.c.number + 1) * PART_SIZE)
        .scalar_subquery()
    )
    parts = part.union_all(select(after).where(part.c.number.is_not(None)))
    return select(parts.c.number).where(parts.c.number.is_not(None)).order_by(parts.c.number)


PARTS = compiled(_parts())
PART = compiled(
    select(Shop.id, cast(Shop.modified_at, Date))
    .where(LISTED, Shop.id >= bindparam("first"), Shop.id < bindparam("after"))
    .order_by(Shop.id)
)


def sitemap_parts(db: Database) -> list[int]:
    """Numbers of the sitemap's parts that have shops, in order."""
    return [number for (number,) in db.rows(PARTS)]


def sitemap_shops(db: Database, part: int) -> list[tuple[int, date]]:
    """Ids of the open shops of a part, at most PART_SIZE, and the dates of their last changes."""
    first = part * PART_SIZE
    return list(db.rows(PART, {"first": first, "after": first + PART_SIZE}))
