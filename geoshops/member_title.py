"""A member title as every answer writes it: the title lists, the acts that earn one, the main title."""

from __future__ import annotations

from marshmallow import Schema, fields


class TitleProgress(Schema):
    """How far the member is; equal to the target once the title is held."""

    current = fields.Integer(required=True)
    target = fields.Integer(required=True)


class MemberTitle(Schema):
    """A member title."""

    id = fields.Integer(required=True)
    name = fields.String(required=True)
    content = fields.String(required=True, metadata={"description": "For titles held"})
    standard = fields.String(required=True, metadata={"description": "How to obtain it"})
    image_url = fields.String(
        required=True, metadata={"description": "Absolute; coloured when held, grey otherwise"}
    )
    is_holding = fields.Boolean(required=True)
    is_main = fields.Boolean(required=True)
    progress = fields.Nested(TitleProgress, required=True)
