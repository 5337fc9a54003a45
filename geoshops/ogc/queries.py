"""Queries of OGC API Features; each is one statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg2
from geoalchemy2 import Geometry
from sqlalchemy import (
    ColumnElement,
    Numeric,
    Select,
    Text,
    bindparam,
    cast,
    func,
    null,
    select,
)
from sqlalchemy.orm import aliased

from geoshops.database.models import Brand, Region, Shop
from geoshops.database.pool import Database
from geoshops.database.statements import Statement, compiled
from geoshops.errors import ApiError, NotFound
from geoshops.ogc.cql2 import Condition
from geoshops.ogc.filters import GEOMETRY, Queryable, compile_filter

Box = tuple[float, float, float, float]

# beyond that the matches are not counted: counting would take longer than the page itself
MOST_COUNTED = 10_000
POINT = Geometry("POINT", 4326)
SPOT = cast(Shop.geog, POINT)
OPEN_SHOPS = select(Shop.id).where(Shop.status != "CLOSED")
QUERYABLES = {
    "id": Queryable(Shop.id, "integer"),
    "place_name": Queryable(Shop.place_name, "string"),
    "brand_name": Queryable(Brand.name, "string"),
    "status": Queryable(Shop.status, "string"),
    "star_rating_avg": Queryable(func.mean_rating(Shop.star_rating_sum, Shop.review_cnt), "number"),
    "review_cnt": Queryable(Shop.review_cnt, "integer"),
    "favorite_cnt": Queryable(Shop.favorite_cnt, "integer"),
    "phone": Queryable(Shop.phone, "string"),
    "homepage": Queryable(Shop.homepage, "string"),
    "opened_on": Queryable(Shop.opened_on, "date"),
    "geometry": Queryable(SPOT, GEOMETRY),
}
IN_BOX = func.shops_in_box(*map(bindparam, ("west", "south", "east", "north"))).table_valued("id")


@dataclass(frozen=True)
class ItemPage:
    """GeoJSON features separated by commas; `last_id` is the key after which the next page begins."""

    features: str
    returned: int
    last_id: int | None
    more: bool
    matched: int | None


def _degrees(coordinate: ColumnElement[Any]) -> ColumnElement[Any]:
    return func.trim_scale(func.round(cast(coordinate, Numeric), 7))


def _features(ids: Select[Any]) -> Select[int, str]:
    """Identifiers and GeoJSON features of shops, in the order of their identifiers."""
    sido, sigungu, dong = aliased(Region), aliased(Region), aliased(Region)
    geometry = func.json_build_object(
        *("type", "Point", "coordinates"),
        func.json_build_array(_degrees(func.ST_X(SPOT)), _degrees(func.ST_Y(SPOT))),
    )
    address = func.coalesce(func.nullif(Shop.road_address, ""), Shop.lot_address)
    properties = func.json_build_object(
        *("place_name", Shop.place_name, "brand_name", Brand.name, "place_address", address),
        *("sido", sido.name, "sigungu", sigungu.name, "dong", dong.name, "status", Shop.status),
        *("star_rating_avg", func.mean_rating(Shop.star_rating_sum, Shop.review_cnt)),
        *("review_cnt", Shop.review_cnt, "favorite_cnt", Shop.favorite_cnt),
        *("phone", Shop.phone, "homepage", Shop.homepage, "opened_on", Shop.opened_on),
    )
    feature = func.json_build_object(
        *("type", "Feature", "id", Shop.id, "geometry", geometry, "properties", properties)
    )
    return (
        select(Shop.id, cast(feature, Text))
        .outerjoin(Brand, Brand.id == Shop.brand_id)
        .outerjoin(sido, sido.id == Shop.sido_id)
        .outerjoin(sigungu, sigungu.id == Shop.sigungu_id)
        .outerjoin(dong, dong.id == Shop.dong_id)
        .where(Shop.id == func.any(func.array(ids.scalar_subquery())))
        .order_by(Shop.id)
    )


def _filtered(condition: Condition, box: Box | None) -> Select[Any]:
    """Identifiers of shops that are not closed and pass the condition, in the box if there is one."""
    shops = OPEN_SHOPS.outerjoin(Brand, Brand.id == Shop.brand_id)
    if box:
        shops = shops.where(Shop.id.in_(select(IN_BOX.c.id)))
    return shops.where(compile_filter(condition, QUERYABLES))


def _page(shops: Select[Any], shop_id: Any) -> tuple[Statement, Statement]:
    """The first page of these shops, with the number of all of them, and a later page."""
    ids = shops.where(shop_id > bindparam("after")).order_by(shop_id).limit(bindparam("one_more"))
    counted = select(func.count()).select_from(shops.limit(MOST_COUNTED + 1).subquery())
    page = _features(ids)
    return (
        compiled(page.add_columns(counted.scalar_subquery())),
        compiled(page.add_columns(null())),
    )


EVERYWHERE = _page(OPEN_SHOPS, Shop.id)
BOXED = _page(select(IN_BOX.c.id), IN_BOX.c.id)
ITEM = compiled(_features(OPEN_SHOPS.where(Shop.id == bindparam("shop"))))


def items(
    db: Database, *, box: Box | None, filter: Condition | None, limit: int, after: int
) -> ItemPage:
    """Shops that are not closed with ids above `after`, `limit` at most; counted on the first page only.

    ApiError for a filter that names no property of shops, or whose geometry PostGIS does not read."""
    first, later = BOXED if box else EVERYWHERE
    if filter:
        first, later = _page(_filtered(filter, box), Shop.id)
    edges = dict(zip(("west", "south", "east", "north"), box or (), strict=False))
    try:
        rows = db.rows(later if after else first, {**edges, "after": after, "one_more": limit + 1})
    except psycopg2.InternalError as error:
        if filter is None:
            raise
        raise ApiError("bad_filter", name="filter", at=1, rule=_first_line(error)) from None
    page = rows[:limit]
    matched = None
    if not after:
        counted = rows[0][2] if rows else 0
        matched = counted if counted <= MOST_COUNTED else None
    return ItemPage(
        features=",".join(feature for _, feature, _ in page),
        returned=len(page),
        last_id=page[-1][0] if page else None,
        more=len(rows) > limit,
        matched=matched,
    )


def _first_line(error: psycopg2.Error) -> str:
    return str(error.diag.message_primary)


def item(db: Database, shop_id: int) -> str:
    """One shop as a GeoJSON feature; NotFound when there is none or it is closed."""
    row = db.first(ITEM, {"shop": shop_id})
    if row is None:
        raise NotFound("shop", shop_id)
    return str(row[1])


def _edge(line: str, coordinate: Any) -> ColumnElement[Any]:
    """A coordinate of the shop nearest to an edge of the world: a step down the index, not a walk over all shops."""
    edge = func.ST_GeomFromText(f"LINESTRING({line})", 4326)
    nearest = (
        select(SPOT.label("spot"))
        .where(Shop.status != "CLOSED")
        .order_by(SPOT.op("<->")(edge))
        .limit(1)
        .subquery()
    )
    return select(coordinate(nearest.c.spot)).scalar_subquery()


EXTENT = compiled(
    select(
        _edge("-180 -90, -180 90", func.ST_X),
        _edge("-180 -90, 180 -90", func.ST_Y),
        _edge("180 -90, 180 90", func.ST_X),
        _edge("-180 90, 180 90", func.ST_Y),
    )
)


def extent(db: Database) -> list[float]:
    """West, south, east and north of all shops; the world when there is none."""
    edges = db.row(EXTENT)
    return [-180.0, -90.0, 180.0, 90.0] if None in edges else list(edges)
