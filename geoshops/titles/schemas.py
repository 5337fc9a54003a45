"""Response schemas of titles."""

from __future__ import annotations

from marshmallow import Schema, fields

from geoshops.web.shop_schemas import MemberTitle


class MemberTitles(Schema):
    """All titles, with the member's progress."""

    holding_count = fields.Integer(required=True, metadata={"example": 1})
    main_member_title = fields.Nested(MemberTitle, required=True, allow_none=True)
    member_titles = fields.List(fields.Nested(MemberTitle), required=True)
