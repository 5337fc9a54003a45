"""Endpoints of the keyword search."""

from __future__ import annotations

from typing import Any

from flask import Response

from geoshops import paging
from geoshops.api import Blueprint, json_text
from geoshops.db import database
from geoshops.frame import public_url, settings
from geoshops.listing import ShopSummary, answer
from geoshops.search import queries, schemas
from geoshops.tokens import Caller

blueprint = Blueprint(
    "search", __name__, description="Shops by keyword, and what a keyword may become"
)


@blueprint.operation(
    "/shops",
    id="listShopsByKeyword",
    answer=ShopSummary(many=True),
    auth="optional",
    geojson=True,
)
@blueprint.arguments(schemas.KeywordArgs, location="query")
def list_shops_by_keyword(args: dict[str, Any], caller: Caller | None) -> Response:
    """Shops by keyword: a region, a region and a brand, or a brand and a shop name

    Best match first, then by distance from the user, then id. At most the best 300
    (`X-Result-Truncated`) unless paged. With `explain=true` the body is
    `{understood, pass, shops}`."""
    found = queries.by_keyword(
        database(), origin=public_url(), zone=settings().timezone, caller=caller, **args
    )
    if args["explain"]:
        headers = paging.headers(args["page"], found.total, truncated=found.truncated)
        return json_text(found.body, headers)
    return answer(found, args["page"])


@blueprint.operation("/shops/suggest", id="suggestShops", answer=schemas.Suggestion(many=True))
@blueprint.arguments(schemas.SuggestArgs, location="query")
def suggest_shops(args: dict[str, Any]) -> Response:
    """What a keyword may become, for every keystroke: regions, stations, brands and shops in one list

    Whole names first, then beginnings; a syllable may be half typed, initial consonants do."""
    return json_text(queries.suggest(database(), **args))
