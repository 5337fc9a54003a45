"""Schemas of reviews in requests and responses."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, post_load

from geoshops.web.examples import MEMBER_ID, REVIEW_ID
from geoshops.web.fields import Body, Choice, DateArray, Text, WholeNumber

VOTES = ("GOOD", "BAD", "UNSELECTED")
UNSELECTED = "UNSELECTED"
MAX_CONTENT = 4000
CONTENT = "조명이 밝고 소품이 많아요"


def facet(meaning: str) -> Choice:
    """The rating of a facet; UNSELECTED if omitted or null."""
    return Choice(
        VOTES,
        load_default=UNSELECTED,
        allow_none=True,
        metadata={"description": f"{meaning}; UNSELECTED if omitted"},
    )


class ReviewBody(Body):
    """Body of a new or changed review."""

    star_rating = WholeNumber(required=True, low=1, high=5, metadata={"example": 5})
    content = Text(
        required=True,
        high=MAX_CONTENT,
        lines=True,
        exact=True,
        metadata={
            "description": "Not blank; stored exactly as sent",
            "minLength": 1,
            "example": CONTENT,
        },
    )
    purity = facet("Cleanliness")
    retouch = facet("Retouching quality")
    item = facet("Props")

    @post_load
    def without_null(self, data: dict[str, Any], **_: object) -> dict[str, Any]:
        """A facet that is null counts as omitted."""
        return {
            **data,
            **{name: data[name] or UNSELECTED for name in ("purity", "retouch", "item")},
        }


class ReviewInfo(Schema):
    """A review."""

    id = fields.Integer(required=True, metadata={"example": REVIEW_ID})
    create_date = DateArray()
    modify_date = DateArray()
    star_rating = fields.Integer(required=True, metadata={"example": 5})
    content = fields.String(required=True, metadata={"example": CONTENT})
    purity = fields.String(required=True, metadata={"enum": list(VOTES)})
    retouch = fields.String(required=True, metadata={"enum": list(VOTES)})
    item = fields.String(required=True, metadata={"enum": list(VOTES)})


class ReviewAuthor(Schema):
    """Author of a review; a withdrawn member keeps only the id."""

    id = fields.Integer(required=True, metadata={"example": MEMBER_ID})
    nickname = fields.String(required=True, metadata={"example": "네컷러버"})


class SignedReview(Schema):
    """A review with its author."""

    review_info = fields.Nested(ReviewInfo, required=True)
    member_info = fields.Nested(ReviewAuthor, required=True)
