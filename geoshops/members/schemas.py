"""Query, body and response schemas of members."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields

from geoshops import nicknames
from geoshops.errors import Reason
from geoshops.web.examples import (
    DATE,
    MEMBER_ID,
    SESSION_ID,
    SHOP_ID,
    TITLE_ID,
    example_of,
)
from geoshops.web.fields import Args, Body, Choice, DateArray, Text, invalid
from geoshops.web.review_schemas import ReviewInfo

# before trimming and collapsing blanks
MAX_SENT = 200
NICKNAME = "네컷러버"


class Nickname(Text):
    """A normalised nickname that satisfies the nickname rule."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(high=MAX_SENT, error_messages={"null": Reason("not_text", {})}, **kwargs)

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        nickname = nicknames.normalised(super()._deserialize(value, *args, **kwargs))
        if not nicknames.is_allowed(nickname):
            raise invalid("nickname_rule")
        return nickname


class NicknameArgs(Args):
    """Query of GET /member/nickname."""

    nickname = Nickname(required=True, metadata={"example": NICKNAME})


class NicknameBody(Body):
    """Body of PATCH /member/nickname."""

    nickname = Nickname(required=True, metadata={"example": NICKNAME})


class WithdrawArgs(Args):
    """Query of DELETE /member."""

    reviews = Choice(
        ("keep", "delete"),
        load_default="keep",
        metadata={
            "description": "delete also deletes the reviews; keep leaves them without a name"
        },
    )


class Profile(Schema):
    """A member."""

    id = fields.Integer(required=True, metadata={"example": MEMBER_ID})
    nickname = fields.String(required=True, metadata={"example": NICKNAME})
    main_member_title = fields.String(
        required=True, metadata={"description": "Empty if none is set", "example": "리뷰 첫 걸음"}
    )
    member_title_cnt = fields.Integer(required=True, metadata={"example": 1})


class Withdrawn(Schema):
    """The member who left."""

    id = fields.Integer(required=True, metadata={"example": MEMBER_ID})


def rows(**example: object) -> fields.List[Any]:
    """A list of rows, with an example of one row; the example list is empty without it."""
    return fields.List(
        fields.Dict(), required=True, metadata={"example": [example] if example else []}
    )


class Export(Schema):
    """All stored data of the member."""

    member = fields.Nested(Profile, required=True)
    create_date = DateArray()
    identities = rows(provider="kakao", issuer="https://kauth.kakao.com", subject="1234567890")
    sessions = rows(
        id=SESSION_ID,
        device="Mozilla/5.0 (Linux; Android 16)",
        last_used_date=DATE,
        is_current=True,
    )
    reviews = rows(
        review_info=example_of(ReviewInfo),
        shop_info={"id": SHOP_ID, "brand": "포토이즘박스", "place_name": "포토이즘박스 강남역점"},
        is_hidden=False,
    )
    favorites = rows(id=31, shop_id=SHOP_ID, place_name="포토이즘박스 강남역점")
    member_titles = rows(id=TITLE_ID, name="리뷰 첫 걸음", is_main=True, award_date=DATE)
    reports = rows()
    idempotency_keys = rows(key="3f2504e0-4f89-41d3-9a0c-0305e82c3301")
