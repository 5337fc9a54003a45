"""What the member endpoints take and answer."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields

from geoshops import nicknames
from geoshops.errors import Reason
from geoshops.web.fields import Args, Body, Choice, Text, invalid

# before trimming and collapsing of blanks
MAX_SENT = 200


class Nickname(Text):
    """A nickname by the rule, normalised."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(high=MAX_SENT, error_messages={"null": Reason("not_text", {})}, **kwargs)

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        nickname = nicknames.normalised(super()._deserialize(value, *args, **kwargs))
        if not nicknames.is_allowed(nickname):
            raise invalid("nickname_rule")
        return nickname


class NicknameArgs(Args):
    """Query of GET /member/nickname."""

    nickname = Nickname(required=True, metadata={"example": "네컷러버"})


class NicknameBody(Body):
    """Body of PATCH /member/nickname."""

    nickname = Nickname(required=True, metadata={"example": "네컷러버"})


class WithdrawArgs(Args):
    """Query of DELETE /member."""

    reviews = Choice(
        ("keep", "delete"),
        load_default="keep",
        metadata={"description": "delete also erases the reviews, which otherwise stay nameless"},
    )


class Profile(Schema):
    """A member."""

    id = fields.Integer(required=True)
    nickname = fields.String(required=True)
    main_member_title = fields.String(
        required=True, metadata={"description": "Empty when none is set"}
    )
    member_title_cnt = fields.Integer(required=True)


class Withdrawn(Schema):
    """The member who left."""

    id = fields.Integer(required=True)


class Export(Schema):
    """Everything the service holds on the member."""

    member = fields.Nested(Profile, required=True)
    create_date = fields.List(fields.Integer(), required=True)
    identities = fields.List(fields.Dict(), required=True)
    sessions = fields.List(fields.Dict(), required=True)
    reviews = fields.List(fields.Dict(), required=True)
    favorites = fields.List(fields.Dict(), required=True)
    member_titles = fields.List(fields.Dict(), required=True)
    reports = fields.List(fields.Dict(), required=True)
    idempotency_keys = fields.List(fields.Dict(), required=True)
