"""Queries of the shop endpoints; each is one statement."""

from __future__ import annotations

from typing import cast

from sqlalchemy import VARCHAR, func, select

from geoshops.database.models import Brand
from geoshops.database.pool import Database
from geoshops.database.statements import compiled, named
from geoshops.errors import ApiError, NotFound
from geoshops.web.paging import ItemList, Page, cut, list_of_caller
from geoshops.web.sessions import ids, of_live_session
from geoshops.web.shop_filters import FILTERS, ShopFilters
from geoshops.web.tokens import Caller

AROUND = compiled(
    select(
        func.shops_around(
            *named(
                "map_lon", "map_lat", "user_lon", "user_lat", "radius_m", "brand_ids", "origin", "at_most",
                "member", "session", "all_brands", "sort", "page_size", "page_offset", "lang",
                filters=FILTERS,
            )
        ).cast(VARCHAR)
    )
)  # fmt: skip
BRAND = compiled(select(func.brand_family(*named(brand=func.brand_named(*named("wanted"))))))
REPRESENTATIVE = compiled(select(Brand.name).where(Brand.is_representative).order_by(Brand.id))


def brand_ids(db: Database, name: str) -> list[int]:
    """Ids of the brand with that name or alias and of its sub-brands; ApiError when there is none."""
    (ids,) = db.row(BRAND, {"wanted": name})
    if ids is None:
        names = [name for (name,) in db.rows(REPRESENTATIVE)]
        raise ApiError("not_one_of", name="brand", choices=", ".join(names))
    return cast(list[int], ids)


def around(
    db: Database,
    *,
    map_lng: float,
    map_lat: float,
    user_lng: float,
    user_lat: float,
    radius_m: int | None,
    brand_ids: list[int] | None,
    all_brands: bool,
    filters: ShopFilters,
    sort: str,
    page: Page | None,
    lang: str | None,
    origin: str,
    zone: str,
    caller: Caller | None,
) -> ItemList:
    """Shops within radius_m of the map centre, or without one in the box of the filters.

    `brand_ids` None are the representative brands, or all of them; by distance from the user, then id."""
    values = {
        "map_lon": map_lng, "map_lat": map_lat, "user_lon": user_lng, "user_lat": user_lat,
        "radius_m": radius_m, "brand_ids": brand_ids, "all_brands": all_brands,
        "filters": filters.to_json(zone), "sort": sort, "origin": origin, "lang": lang,
        **cut(page), **ids(caller),
    }  # fmt: skip
    return list_of_caller(db.row(AROUND, values))


DETAIL = compiled(
    select(
        func.shop_detail(
            *named("shop", "user_lon", "user_lat", "origin", "zone", "member", "session", "lang")
        ).cast(VARCHAR)
    )
)


def detail(
    db: Database,
    shop_id: int,
    *,
    user_lng: float | None,
    user_lat: float | None,
    lang: str | None,
    origin: str,
    zone: str,
    caller: Caller | None,
) -> bytes:
    """Everything on one shop's page as JSON; NotFound when there is none."""
    values = {
        "shop": shop_id, "user_lon": user_lng, "user_lat": user_lat, "origin": origin, "zone": zone,
        "lang": lang,
        **ids(caller),
    }  # fmt: skip
    body = of_live_session(db.row(DETAIL, values)[0])
    if not body:
        raise NotFound("shop", shop_id)
    return cast(bytes, body)


BRANDS = compiled(select(func.brands_json(*named("origin"))))


def brands(db: Database, origin: str) -> str:
    """Every brand with the number of its open shops, as JSON."""
    (body,) = db.row(BRANDS, {"origin": origin})
    return str(body)
