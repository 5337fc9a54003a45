"""Endpoints of favorites."""

from __future__ import annotations

from typing import Any

from geoshops.database.pool import database
from geoshops.favorites import queries, schemas
from geoshops.web import idempotency, writes
from geoshops.web.operation import Blueprint
from geoshops.web.paging import list_response
from geoshops.web.reads import RequestContext
from geoshops.web.request import public_url, settings
from geoshops.web.response import Response
from geoshops.web.tokens import Caller

blueprint = Blueprint("favorites", __name__, description="Favorite shops of members")


@blueprint.read(
    "/favorites",
    id="listFavorites",
    query=schemas.FavoriteListArgs,
    response=schemas.Favorite(many=True),
    auth="required",
    cache="none",
)
def list_favorites(context: RequestContext, args: dict[str, Any], caller: Caller) -> Response:
    """Favorites of the signed-in member, most recently added first

    Unless paged, at most the newest 1000; `X-Result-Truncated` reports that there are more."""
    favorites = queries.of_member(context.db, caller, origin=context.origin, **args)
    return list_response(context, args["page"], favorites)


@blueprint.operation(
    "/favorites/<id:shop_id>",
    id="addFavorite",
    method="POST",
    response=schemas.AddedFavorite,
    status=201,
    statuses=(200,),
    auth="required",
    cache="none",
    errors=(422,),
    headers=(idempotency.PARAMETER,),
    response_headers=idempotency.REPLAYED_HEADER,
)
@blueprint.arguments(schemas.FavoriteArgs, location="query")
def add_favorite(args: dict[str, Any], shop_id: int, caller: Caller) -> Response:
    """Add a shop to the favorites

    201 if it was added, 200 if it already was a favorite."""
    key = idempotency.key_of({})
    zone, origin = settings().timezone, public_url()
    result = queries.add(database(), caller, shop_id, key=key, zone=zone, origin=origin, **args)
    return writes.respond(result, location=f"/favorites/{result.item_id}")


@blueprint.operation(
    "/favorites/<id:shop_id>",
    id="removeFavorite",
    method="DELETE",
    response=schemas.RemovedFavorite,
    auth="required",
    cache="none",
)
def remove_favorite(shop_id: int, caller: Caller) -> Response:
    """Remove a shop from the favorites; succeeds even if it is not a favorite"""
    return writes.respond(queries.remove(database(), caller, shop_id))
