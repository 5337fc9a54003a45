"""Endpoints of the keyword search."""

from __future__ import annotations

from typing import Any

from geoshops.search import queries, schemas
from geoshops.web.operation import Blueprint
from geoshops.web.paging import list_response
from geoshops.web.reads import RequestContext
from geoshops.web.response import Response
from geoshops.web.shop_schemas import ShopSummary
from geoshops.web.tokens import Caller

blueprint = Blueprint("search", __name__, description="Shops by keyword, and suggestions")


@blueprint.read(
    "/shops",
    id="listShopsByKeyword",
    query=schemas.KeywordArgs,
    response=ShopSummary(many=True),
    auth="optional",
    geojson=True,
    json_only="explain",
)
def list_shops_by_keyword(
    context: RequestContext, args: dict[str, Any], caller: Caller | None
) -> Response:
    """Shops by keyword: a region, a region and a brand, or a brand and a shop name

    Best match first, then by distance from the user, then by id. At most the best 300
    (`X-Result-Truncated`) unless paged. Words without a match are ignored if the others name a region, station
    or brand (`X-Ignored-Words`, percent-encoded). With `explain=true` the body is
    `{understood, pass, ignored, shops}`."""
    origin, zone = context.origin, context.settings.timezone
    shops = queries.by_keyword(context.db, origin=origin, zone=zone, caller=caller, **args)
    return list_response(context, args["page"], shops)


@blueprint.read(
    "/shops/suggest",
    id="suggestShops",
    query=schemas.SuggestArgs,
    response=schemas.Suggestion(many=True),
)
def suggest_shops(context: RequestContext, args: dict[str, Any]) -> Response:
    """Suggestions while typing: regions, stations, brands and shops in one list

    Complete names first, then prefixes. Incomplete syllables and initial consonants match, too."""
    return Response(queries.suggest(context.db, **args))
