"""What the title endpoints answer."""

from __future__ import annotations

from marshmallow import Schema, fields

from geoshops.web.shop_schemas import MemberTitle


class MemberTitles(Schema):
    """All titles, as they stand for the member."""

    holding_count = fields.Integer(required=True, metadata={"example": 1})
    main_member_title = fields.Nested(MemberTitle, required=True, allow_none=True)
    member_titles = fields.List(fields.Nested(MemberTitle), required=True)
