"""Queries of the shop endpoints; each is one statement."""

from __future__ import annotations

import json
from typing import cast

from geoalchemy2 import Geography
from sqlalchemy import VARCHAR, bindparam, func, select
from sqlalchemy.dialects.postgresql import aggregate_order_by

from geoshops.database.models import Shop, table_of
from geoshops.database.pool import Database
from geoshops.database.statements import compiled, named
from geoshops.errors import ApiError, NotFound
from geoshops.web import named_brand
from geoshops.web.paging import ItemList, Page, cut, list_of_caller
from geoshops.web.sessions import ids, of_live_session
from geoshops.web.shop_filters import FILTERS, ShopFilters
from geoshops.web.tokens import Caller

BRAND = compiled(select(func.brand_family(*named(brand=named_brand.BRAND_ID))))


def brand_ids(db: Database, name: str) -> list[int]:
    """Ids of the brand with that name or alias and of its sub-brands; raises ApiError if it is unknown."""
    return cast(list[int], named_brand.value_of(db, BRAND, name))


# parameters of every search by place
OF_LIST = (
    "user_lon", "user_lat", "brand_ids", "all_brands", "sort", "origin",
    "at_most", "page_size", "page_offset", "member", "session", "lang",
)  # fmt: skip
AROUND = compiled(
    select(
        func.shops_around(*named("map_lon", "map_lat", "radius_m", *OF_LIST, filters=FILTERS)).cast(VARCHAR)
    )
)  # fmt: skip
SHAPE = func.ST_GeomFromGeoJSON(bindparam("shape")).cast(Geography)
WITHIN_ROW = func.list_shops_within(*named(*OF_LIST, area=SHAPE, filters=FILTERS)).table_valued(
    "body", "problem", "problem_at"
)
WITHIN = compiled(
    select(WITHIN_ROW.c.body.cast(VARCHAR), WITHIN_ROW.c.problem, WITHIN_ROW.c.problem_at)
)
ALONG_ROW = func.list_shops_along(
    *named("distance_m", *OF_LIST, route=SHAPE, filters=FILTERS)
).table_valued("body", "problem")
ALONG = compiled(select(ALONG_ROW.c.body.cast(VARCHAR), ALONG_ROW.c.problem))
MEET = compiled(
    select(
        func.list_shops_meet(*named("lons", "lats", "by_sum", *OF_LIST, filters=FILTERS)).cast(VARCHAR)
    )
)  # fmt: skip
# problems of a whole area, without a position
AREA_PROBLEMS = {"too large": "area_too_large", "too intricate": "area_too_intricate"}
# worse meeting points are useless and expensive to find
MOST_MEETING_POINTS = 1000


def list_values(
    *,
    user_lng: float | None,
    user_lat: float | None,
    brand_ids: list[int] | None,
    all_brands: bool,
    filters: ShopFilters,
    sort: str,
    page: Page | None,
    lang: str | None,
    origin: str,
    zone: str,
    caller: Caller | None,
) -> dict[str, object]:
    """The parameters in OF_LIST, and `filters`: selection, order and page of a search by place.

    If `brand_ids` is None: the representative brands, or every brand. Without a user position, distances are empty."""
    return {
        "user_lon": user_lng, "user_lat": user_lat, "brand_ids": brand_ids, "all_brands": all_brands,
        "filters": filters.to_json(zone), "sort": sort, "origin": origin, "lang": lang,
        **cut(page), **ids(caller),
    }  # fmt: skip


def around(
    db: Database,
    values: dict[str, object],
    *,
    map_lng: float,
    map_lat: float,
    radius_m: int | None,
) -> ItemList:
    """Shops within radius_m of the map centre, or, without a radius, in the bounding box of the filters.

    By distance from the user, then by id."""
    place = {"map_lon": map_lng, "map_lat": map_lat, "radius_m": radius_m}
    return list_of_caller(db.row(AROUND, {**values, **place}))


def within(db: Database, area: dict[str, object], values: dict[str, object]) -> ItemList:
    """Shops within a GeoJSON Polygon or MultiPolygon; raises ApiError if it crosses itself, is too large or too complex."""
    body, problem, at = db.row(WITHIN, {**values, "shape": json.dumps(area)})
    if problem in AREA_PROBLEMS:
        raise ApiError(AREA_PROBLEMS[problem], name="coordinates")
    if problem:
        lng, lat = (f"{degrees:.7g}" for degrees in at)
        raise ApiError("area_invalid", name="coordinates", lng=lng, lat=lat)
    return list_of_caller((body,))


def along(
    db: Database, route: dict[str, object], distance_m: int, values: dict[str, object]
) -> ItemList:
    """Shops within distance_m of a GeoJSON LineString, in its direction; raises ApiError if it is too long."""
    shape = {"shape": json.dumps(route), "distance_m": distance_m}
    body, problem = db.row(ALONG, {**values, **shape})
    if problem:
        raise ApiError("route_too_long", name="coordinates")
    return list_of_caller((body,))


def meet(
    db: Database, people: list[tuple[float, float]], by: str, values: dict[str, object]
) -> ItemList:
    """Shops with the smallest longest distance, or sum of distances, from people at (longitude, latitude)."""
    lons, lats = map(list, zip(*people, strict=True))
    meeting = {"lons": lons, "lats": lats, "by_sum": by == "sum", "at_most": MOST_MEETING_POINTS}
    return list_of_caller(db.row(MEET, {**values, **meeting}))


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
    """All details of a shop as JSON; raises NotFound if it does not exist."""
    values = {
        "shop": shop_id, "user_lon": user_lng, "user_lat": user_lat, "origin": origin, "zone": zone,
        "lang": lang,
        **ids(caller),
    }  # fmt: skip
    body = of_live_session(db.row(DETAIL, values)[0])
    if not body:
        raise NotFound("shop", shop_id)
    return cast(bytes, body)


OPEN_NOW = func.is_open_now(table_of(Shop).table_valued(), bindparam("zone"))
SHOP_HOURS = func.json_build_object(
    "id", Shop.id, "open_now", OPEN_NOW, "opening_hours", Shop.opening_hours
)
HOURS = compiled(
    select(func.coalesce(func.json_agg(aggregate_order_by(SHOP_HOURS, Shop.id)).cast(VARCHAR), "[]"))
    .where(Shop.id == func.any(bindparam("ids")))
)  # fmt: skip


def hours(db: Database, ids: list[int], zone: str) -> bytes:
    """Opening hours of the shops with these identifiers as JSON, by identifier; unknown ones are left out."""
    (body,) = db.row(HOURS, {"ids": ids, "zone": zone})
    return cast(bytes, body)


BRANDS = compiled(select(func.brands_json(*named("origin"))))
BRANDS_IN = compiled(select(func.coalesce(func.brands_json_in(*named("origin", "lang")), "[]")))


def brands(db: Database, origin: str, lang: str | None) -> str:
    """Every brand with the number of its open shops, as JSON; with `lang`, also its name in that language."""
    statement, values = (BRANDS_IN, {"lang": lang}) if lang else (BRANDS, {})
    (body,) = db.row(statement, {"origin": origin, **values})
    return str(body)
