"""Body and response schemas of reports."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, post_load

from geoshops.web.examples import REVIEW_ID, SHOP_ID
from geoshops.web.fields import Body, Choice, DateArray, Text

REVIEW_REASONS = ("SPAM", "ABUSE", "PRIVACY", "FALSE", "OTHER")
SHOP_REASONS = ("CLOSED", "POSITION", "DUPLICATE", "FALSE", "OTHER")
STATUSES = ("OPEN", "UPHELD", "DISMISSED")
MAX_CONTENT = 1000
CONTENT = "확인해 주세요"


class ReportBody(Body):
    """Body of a report; a blank text counts as none."""

    content = Text(
        high=MAX_CONTENT,
        lines=True,
        exact=True,
        blank_is_none=True,
        allow_none=True,
        load_default=None,
        metadata={"description": "The member's explanation", "example": CONTENT},
    )

    @post_load
    def without_null(self, data: dict[str, Any], **_: object) -> dict[str, Any]:
        """Replaces a null text by an empty string."""
        return {**data, "content": data["content"] or ""}


class ReviewReportBody(ReportBody):
    """Body of a report of a review."""

    reason = Choice(REVIEW_REASONS, required=True, metadata={"example": "SPAM"})


class ShopReportBody(ReportBody):
    """Body of a report of a shop."""

    reason = Choice(SHOP_REASONS, required=True, metadata={"example": "CLOSED"})


class Report(Schema):
    """A report as shown to the reporting member."""

    id = fields.Integer(required=True, metadata={"example": 17})
    content = fields.String(required=True, metadata={"example": CONTENT})
    create_date = DateArray()
    status = fields.String(required=True, metadata={"enum": list(STATUSES)})


class ReviewReport(Report):
    """A report of a review."""

    reason = fields.String(required=True, metadata={"enum": list(REVIEW_REASONS)})
    review_id = fields.Integer(required=True, metadata={"example": REVIEW_ID})


class ShopReport(Report):
    """A report of a shop."""

    reason = fields.String(required=True, metadata={"enum": list(SHOP_REASONS)})
    shop_id = fields.Integer(required=True, metadata={"example": SHOP_ID})
