"""Endpoints of the keyword search."""

from __future__ import annotations

from typing import Any

from geoshops.search import queries, schemas
from geoshops.web.operation import Blueprint
from geoshops.web.paging import answer
from geoshops.web.reads import Answer, Asked
from geoshops.web.shop_schemas import ShopSummary
from geoshops.web.tokens import Caller

blueprint = Blueprint(
    "search", __name__, description="Shops by keyword, and what a keyword may become"
)


@blueprint.reading(
    "/shops",
    id="listShopsByKeyword",
    query=schemas.KeywordArgs,
    answer=ShopSummary(many=True),
    auth="optional",
    geojson=True,
    json_only="explain",
)
def list_shops_by_keyword(asked: Asked, args: dict[str, Any], caller: Caller | None) -> Answer:
    """Shops by keyword: a region, a region and a brand, or a brand and a shop name

    Best match first, then by distance from the user, then id. At most the best 300
    (`X-Result-Truncated`) unless paged. With `explain=true` the body is
    `{understood, pass, shops}`."""
    origin, zone = asked.origin, asked.settings.timezone
    found = queries.by_keyword(asked.db, origin=origin, zone=zone, caller=caller, **args)
    return answer(asked, args["page"], found, shops=not args["explain"])


@blueprint.reading(
    "/shops/suggest",
    id="suggestShops",
    query=schemas.SuggestArgs,
    answer=schemas.Suggestion(many=True),
)
def suggest_shops(asked: Asked, args: dict[str, Any]) -> Answer:
    """What a keyword may become, for every keystroke: regions, stations, brands and shops in one list

    Whole names first, then beginnings; a syllable may be half typed, initial consonants do."""
    return Answer(queries.suggest(asked.db, **args))
