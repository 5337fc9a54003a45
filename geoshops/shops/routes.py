"""Endpoints of shops and brands."""

from __future__ import annotations

from typing import Any

from geoshops.shops import queries, schemas
from geoshops.web.operation import Blueprint
from geoshops.web.paging import list_response
from geoshops.web.reads import RequestContext
from geoshops.web.response import Response, json_text
from geoshops.web.shop_schemas import ShopSummary
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

    By distance from the user, then id. Without `brand` the shops of the representative brands.
    At most the 1000 nearest to the map centre (`X-Result-Truncated`) unless paged."""
    brand = args.pop("brand")
    brand_ids = queries.brand_ids(context.db, brand) if brand else None
    origin, zone = context.origin, context.settings.timezone
    found = queries.around(
        context.db, brand_ids=brand_ids, origin=origin, zone=zone, caller=caller, **args
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


@blueprint.read("/brands", id="listBrands", response=schemas.Brand(many=True))
def list_brands(context: RequestContext) -> Response:
    """Every brand with the number of its open shops"""
    return json_text(queries.brands(context.db, context.origin))
