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

blueprint = Blueprint(
    "search", __name__, description="Shops by keyword, and what a keyword may become"
)


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

    Best match first, then by distance from the user, then id. At most the best 300
    (`X-Result-Truncated`) unless paged. Words that nothing has are left out where the others name a region, station
    or brand (`X-Ignored-Words`, percent-encoded). With `explain=true` the body is
    `{understood, pass, ignored, shops}`."""
    origin, zone = context.origin, context.settings.timezone
    found = queries.by_keyword(context.db, origin=origin, zone=zone, caller=caller, **args)
    return list_response(context, args["page"], found)


@blueprint.read(
    "/shops/suggest",
    id="suggestShops",
    query=schemas.SuggestArgs,
    response=schemas.Suggestion(many=True),
)
def suggest_shops(context: RequestContext, args: dict[str, Any]) -> Response:
    """What a keyword may become, for every keystroke: regions, stations, brands and shops in one list

    Whole names first, then beginnings; a syllable may be half typed, initial consonants do."""
    return Response(queries.suggest(context.db, **args))
