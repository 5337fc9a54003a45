"""Endpoints of shops and brands."""

from __future__ import annotations

from typing import Any

from geoshops.database.pool import database
from geoshops.shops import queries, schemas
from geoshops.web.operation import Blueprint
from geoshops.web.paging import list_response
from geoshops.web.reads import RequestContext
from geoshops.web.request import public_url
from geoshops.web.response import Response, json_text
from geoshops.web.shop_schemas import ShopSummary
from geoshops.web.tokens import Caller

blueprint = Blueprint("shops", __name__, description="Shops near a place or by name")

PLAIN = {
    "page": None, "sort": "distance", "open_now": False, "all_brands": False, "box": None,
    "min_rating": None, "clean": None, "retouch": None, "props": None,
}  # fmt: skip


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

    By distance from the user, then id. Without `brand` the shops of the representative brands.
    At most the 1000 nearest to the map centre (`X-Result-Truncated`) unless paged."""
    db, brand = context.db, args.pop("brand")
    place = {
        "map_lng": args.pop("map_lng"), "map_lat": args.pop("map_lat"),
        "user_lng": args.pop("user_lng"), "user_lat": args.pop("user_lat"),
        "brands": queries.brand_ids(db, brand) if brand else None,
        "origin": context.origin, "caller": caller,
    }  # fmt: skip
    radius_m = args.pop("radius")
    if args == PLAIN:
        found = queries.around(db, radius_m=radius_m or schemas.DEFAULT_RADIUS_M, **place)
        return list_response(context, None, found)
    if radius_m is None and args["box"] is None:
        radius_m = schemas.DEFAULT_RADIUS_M
    found = queries.around_filtered(
        db, radius_m=radius_m, zone=context.settings.timezone, **place, **args
    )
    return list_response(context, args["page"], found)


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
    """Everything on one shop's page"""
    origin, zone = context.origin, context.settings.timezone
    return Response(
        queries.detail(context.db, shop_id, origin=origin, zone=zone, caller=caller, **args)
    )


@blueprint.operation("/brands", id="listBrands", response=schemas.Brand(many=True))
def list_brands() -> Response:
    """Every brand with the number of its open shops"""
    return json_text(queries.brands(database(), public_url()))
