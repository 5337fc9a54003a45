"""Query and response schemas of reviews."""

from __future__ import annotations

from marshmallow import Schema, fields

from geoshops.web.examples import REVIEW_ID, SHOP_ID, example_of
from geoshops.web.fields import Args, Choice, Language, described
from geoshops.web.paging import PagingArgs
from geoshops.web.review_schemas import ReviewAuthor, ReviewInfo, SignedReview
from geoshops.web.shop_schemas import MemberTitle, ShopDisplay

SORTS = ("newest", "highest", "lowest")


class ReviewArgs(Args):
    """Query of one review."""

    lang = Language()


class ReviewListArgs(PagingArgs):
    """Query of the review lists."""

    lang = Language()

    sort = Choice(
        SORTS,
        load_default="newest",
        metadata={"description": "newest first, or best or worst rating first and then newest"},
    )


class TitledAuthor(ReviewAuthor):
    """Author of a review in a shop's list."""

    main_member_title = fields.String(
        required=True,
        metadata=described("Name of the main title; empty if none is set", "리뷰 첫 걸음"),
    )


class ReviewedShop(Schema):
    """Shop of a review."""

    id = fields.Integer(required=True, metadata={"example": SHOP_ID})
    brand = fields.String(
        required=True, metadata=described("Brand name; may be empty", "포토이즘박스")
    )
    place_name = fields.String(required=True, metadata={"example": "포토이즘박스 강남역점"})
    display = fields.Nested(ShopDisplay, metadata=described("Only with `lang`"))


class ShopReview(Schema):
    """A review in a shop's list."""

    review_info = fields.Nested(ReviewInfo, required=True)
    member_info = fields.Nested(TitledAuthor, required=True)


class Review(SignedReview):
    """A review with its author and its shop."""

    shop_info = fields.Nested(ReviewedShop, required=True)


class WrittenReview(Review):
    """A created review and the titles it earned."""

    awarded_titles = fields.List(
        fields.Nested(MemberTitle),
        required=True,
        metadata={"example": [{**example_of(MemberTitle), "is_main": False}]},
    )


class DeletedReview(Schema):
    """The deleted review."""

    id = fields.Integer(required=True, metadata={"example": REVIEW_ID})
