"""Endpoints of reviews."""

from __future__ import annotations

from typing import Any

from flask import Response

from geoshops.database.pool import database
from geoshops.reviews import queries, schemas
from geoshops.web import idempotency, writes
from geoshops.web.middleware import public_url, settings
from geoshops.web.operation import Blueprint, json_text
from geoshops.web.paging import answer
from geoshops.web.reads import Answer, Asked
from geoshops.web.tokens import Caller

blueprint = Blueprint("reviews", __name__, description="Reviews of shops by members")


@blueprint.operation("/reviews/<id:review_id>", id="getReview", answer=schemas.Review)
def get_review(review_id: int) -> Response:
    """One review with its author and its shop"""
    return json_text(queries.get(database(), review_id, zone=settings().timezone))


@blueprint.reading(
    "/reviews/shop/<id:shop_id>",
    id="listShopReviews",
    query=schemas.ReviewListArgs,
    answer=schemas.ShopReview(many=True),
)
def list_shop_reviews(asked: Asked, args: dict[str, Any], shop_id: int) -> Answer:
    """Reviews of a shop, newest first

    At most the newest 1000 (`X-Result-Truncated`) unless paged."""
    found = queries.of_shop(asked.db, shop_id, zone=asked.settings.timezone, **args)
    return answer(asked, args["page"], found)


@blueprint.reading(
    "/reviews/member",
    id="listOwnReviews",
    query=schemas.ReviewListArgs,
    answer=schemas.Review(many=True),
    auth="required",
    cache="none",
)
def list_own_reviews(asked: Asked, args: dict[str, Any], caller: Caller) -> Answer:
    """Reviews by the signed-in member, newest first

    At most the newest 1000 (`X-Result-Truncated`) unless paged."""
    found = queries.own(asked.db, caller, zone=asked.settings.timezone, **args)
    return answer(asked, args["page"], found)


@blueprint.operation(
    "/reviews/shop/<id:shop_id>",
    id="createReview",
    method="POST",
    answer=schemas.WrittenReview,
    status=201,
    auth="required",
    cache="none",
    refusals=(413, 415, 422),
    headers=(idempotency.PARAMETER,),
    response_headers=idempotency.REPLAYED_HEADER,
)
@blueprint.arguments(schemas.ReviewBody)
def create_review(body: dict[str, Any], shop_id: int, caller: Caller) -> Response:
    """Write a review of a shop

    Answers the review and the titles it earned."""
    key = idempotency.key_of(body)
    zone, most = settings().timezone, settings().reviews_per_shop
    done = queries.create(
        database(), caller, shop_id, body, key=key, zone=zone, origin=public_url(), most_a_shop=most
    )
    return writes.answer(done)


@blueprint.operation(
    "/reviews/<id:review_id>",
    id="updateReview",
    method="PATCH",
    answer=schemas.WrittenReview,
    auth="required",
    cache="none",
    refusals=(403, 413, 415),
)
@blueprint.arguments(schemas.ReviewBody)
def change_review(body: dict[str, Any], review_id: int, caller: Caller) -> Response:
    """Replace a review of one's own

    Omitted judgements become UNSELECTED."""
    zone = settings().timezone
    done = queries.change(database(), caller, review_id, body, zone=zone, origin=public_url())
    return writes.answer(done)


@blueprint.operation(
    "/reviews/<id:review_id>",
    id="deleteReview",
    method="DELETE",
    answer=schemas.DeletedReview,
    auth="required",
    cache="none",
    refusals=(403,),
)
def delete_review(review_id: int, caller: Caller) -> Response:
    """Delete a review of one's own"""
    return writes.answer(queries.delete(database(), caller, review_id))
