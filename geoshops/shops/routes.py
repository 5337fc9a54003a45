"""Endpoints of shops and brands."""

from __future__ import annotations

from typing import Any

from geoshops.shops import queries, schemas
from geoshops.shops.shapes import MAX_SHAPE_BYTES, Area, Route
from geoshops.web.operation import Blueprint
from geoshops.web.paging import list_response
from geoshops.web.reads import RequestContext
from geoshops.web.response import Response, json_text
from geoshops.web.shop_schemas import FoundShop, ShopSummary
from geoshops.web.tokens import Caller

blueprint = Blueprint("shops", __name__, description="Shops near a place or by name")


@blueprint.read(
    "/shops/brand",
    id="listShopsAround",
    query=schemas.AroundArgs,
    response=ShopSummary(many=True),
    auth="optional",
    geojson=True,
)
def list_shops_around(
    context: RequestContext, args: dict[str, Any], caller: Caller | None
) -> Response:
    """Shops within a radius of the map centre

    By distance from the user, then by id. Without `brand`, shops of the representative brands.
    At most the 1000 nearest to the map centre (`X-Result-Truncated`) unless paged."""
    place = {name: args.pop(name) for name in ("map_lng", "map_lat", "radius_m")}
    values = _list_values(context, args, caller)
    shops = queries.around(context.db, values, **place)
    return list_response(context, args["page"], shops)


def _list_values(
    context: RequestContext, args: dict[str, Any], caller: Caller | None
) -> dict[str, object]:
    brand = args.pop("brand")
    brand_ids = queries.brand_ids(context.db, brand) if brand else None
    origin, zone = context.origin, context.settings.timezone
    return queries.list_values(**args, brand_ids=brand_ids, origin=origin, zone=zone, caller=caller)


@blueprint.read(
    "/shops/within",
    id="listShopsWithin",
    query=schemas.ShapeArgs,
    body=Area,
    response=FoundShop(many=True),
    auth="optional",
    geojson=True,
    errors=(413, 415),
    max_body_bytes=MAX_SHAPE_BYTES,
)
def list_shops_within(
    context: RequestContext, args: dict[str, Any], area: dict[str, Any], caller: Caller | None
) -> Response:
    """Shops within a Polygon or MultiPolygon

    Edges are geodesics and belong to the area. By distance from the user, or else from the centre
    of the area, then by id. At most the 1000 nearest to the centre (`X-Result-Truncated`) unless paged."""
    values = _list_values(context, args, caller)
    return list_response(context, args["page"], queries.within(context.db, area, values))


@blueprint.read(
    "/shops/along",
    id="listShopsAlong",
    query=schemas.AlongArgs,
    body=Route,
    response=schemas.ShopAlong(many=True),
    auth="optional",
    geojson=True,
    errors=(413, 415),
    max_body_bytes=MAX_SHAPE_BYTES,
)
def list_shops_along(
    context: RequestContext, args: dict[str, Any], route: dict[str, Any], caller: Caller | None
) -> Response:
    """Shops along a route, in its direction

    Edges are geodesics. A shop is listed once, at the nearest point of the route. At most the first
    1000 (`X-Result-Truncated`) unless paged."""
    distance_m = args.pop("distance_m")
    values = _list_values(context, args, caller)
    shops = queries.along(context.db, route, distance_m, values)
    return list_response(context, args["page"], shops)


@blueprint.read(
    "/shops/meet",
    id="listMeetingShops",
    query=schemas.MeetArgs,
    response=schemas.MeetingShop(many=True),
    auth="optional",
    geojson=True,
)
def list_meeting_shops(
    context: RequestContext, args: dict[str, Any], caller: Caller | None
) -> Response:
    """Shops where people could meet: those with the smallest longest distance

    With `by=sum`, those with the smallest sum of distances. At most the best 1000
    (`X-Result-Truncated`)."""
    people, by = args.pop("people"), args.pop("by")
    values = _list_values(context, args, caller)
    return list_response(context, args["page"], queries.meet(context.db, people, by, values))


@blueprint.read(
    "/shops/<id:shop_id>",
    id="getShop",
    query=schemas.DetailArgs,
    response=schemas.ShopDetail,
    auth="optional",
)
def get_shop(
    context: RequestContext, args: dict[str, Any], shop_id: int, caller: Caller | None
) -> Response:
    """All details of a shop"""
    origin, zone = context.origin, context.settings.timezone
    return Response(
        queries.detail(context.db, shop_id, origin=origin, zone=zone, caller=caller, **args)
    )


@blueprint.read(
    "/shops/hours",
    id="listOpeningHours",
    query=schemas.HoursArgs,
    response=schemas.ShopHours(many=True),
)
def list_opening_hours(context: RequestContext, args: dict[str, Any]) -> Response:
    """Opening hours of up to 100 shops, and whether they are open now

    Lists of shops have no hours. By id; shops that do not exist are left out."""
    return Response(queries.hours(context.db, args["ids"], context.settings.timezone))


@blueprint.read(
    "/brands", id="listBrands", query=schemas.BrandsArgs, response=schemas.Brand(many=True)
)
def list_brands(context: RequestContext, args: dict[str, Any]) -> Response:
    """Every brand with the number of its open shops"""
    return json_text(queries.brands(context.db, context.origin, args["lang"]))
