"""Endpoints of reviews."""

from __future__ import annotations

from typing import Any

from geoshops.database.pool import database
from geoshops.reviews import queries, schemas
from geoshops.web import idempotency, writes
from geoshops.web.operation import Blueprint
from geoshops.web.paging import list_response
from geoshops.web.rate_limits import RateLimit, by_member
from geoshops.web.reads import RequestContext
from geoshops.web.request import public_url, settings
from geoshops.web.response import Response, json_text
from geoshops.web.review_schemas import ReviewBody
from geoshops.web.tokens import Caller

blueprint = Blueprint("reviews", __name__, description="Reviews of shops by members")


@blueprint.read(
    "/reviews/<id:review_id>", id="getReview", query=schemas.ReviewArgs, response=schemas.Review
)
def get_review(context: RequestContext, args: dict[str, Any], review_id: int) -> Response:
    """One review with its author and its shop"""
    return json_text(queries.get(context.db, review_id, zone=context.settings.timezone, **args))


@blueprint.read(
    "/reviews/shop/<id:shop_id>",
    id="listShopReviews",
    query=schemas.ReviewListArgs,
    response=schemas.ShopReview(many=True),
)
def list_shop_reviews(context: RequestContext, args: dict[str, Any], shop_id: int) -> Response:
    """Reviews of a shop, newest first

    At most the newest 1000 (`X-Result-Truncated`) unless paged."""
    reviews = queries.of_shop(context.db, shop_id, zone=context.settings.timezone, **args)
    return list_response(context, args["page"], reviews)


@blueprint.read(
    "/reviews/member",
    id="listOwnReviews",
    query=schemas.ReviewListArgs,
    response=schemas.Review(many=True),
    auth="required",
    cache="none",
)
def list_own_reviews(context: RequestContext, args: dict[str, Any], caller: Caller) -> Response:
    """Reviews by the signed-in member, newest first

    At most the newest 1000 (`X-Result-Truncated`) unless paged."""
    reviews = queries.own(context.db, caller, zone=context.settings.timezone, **args)
    return list_response(context, args["page"], reviews)


@blueprint.operation(
    "/reviews/shop/<id:shop_id>",
    id="createReview",
    method="POST",
    response=schemas.WrittenReview,
    status=201,
    auth="required",
    cache="none",
    errors=(413, 415, 422),
    limit=RateLimit("reviews", "30/hour", by_member),
    headers=(idempotency.PARAMETER,),
    response_headers=idempotency.REPLAYED_HEADER,
)
@blueprint.arguments(ReviewBody)
def create_review(body: dict[str, Any], shop_id: int, caller: Caller) -> Response:
    """Write a review of a shop

    Returns the review and the titles it earned."""
    key = idempotency.key_of(body)
    zone, most = settings().timezone, settings().reviews_per_shop
    result = queries.create(
        database(), caller, shop_id, body, key=key, zone=zone, origin=public_url(), most_a_shop=most
    )
    return writes.respond(result, location=f"/reviews/{result.item_id}")


@blueprint.operation(
    "/reviews/<id:review_id>",
    id="updateReview",
    method="PATCH",
    response=schemas.WrittenReview,
    auth="required",
    cache="none",
    errors=(403, 413, 415),
)
@blueprint.arguments(ReviewBody)
def change_review(body: dict[str, Any], review_id: int, caller: Caller) -> Response:
    """Replace one of the member's own reviews

    Omitted ratings of facets become UNSELECTED."""
    zone = settings().timezone
    result = queries.change(database(), caller, review_id, body, zone=zone, origin=public_url())
    return writes.respond(result)


@blueprint.operation(
    "/reviews/<id:review_id>",
    id="deleteReview",
    method="DELETE",
    response=schemas.DeletedReview,
    auth="required",
    cache="none",
    errors=(403,),
)
def delete_review(review_id: int, caller: Caller) -> Response:
    """Delete one of the member's own reviews"""
    return writes.respond(queries.delete(database(), caller, review_id))
