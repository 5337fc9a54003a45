"""Endpoints of reports."""

from __future__ import annotations

from typing import Any

from geoshops.database.pool import database
from geoshops.reports import queries, schemas
from geoshops.web import writes
from geoshops.web.operation import Blueprint
from geoshops.web.rate_limits import RateLimit, by_member
from geoshops.web.request import settings
from geoshops.web.response import Response
from geoshops.web.tokens import Caller

blueprint = Blueprint("reports", __name__, description="Reports to moderation")

REPORTS = RateLimit("reports", "30/hour", by_member)


@blueprint.operation(
    "/reviews/<id:review_id>/reports",
    id="reportReview",
    method="POST",
    response=schemas.ReviewReport,
    status=201,
    statuses=(200,),
    auth="required",
    cache="none",
    errors=(413, 415),
    limit=REPORTS,
)
@blueprint.arguments(schemas.ReviewReportBody)
def report_review(body: dict[str, Any], review_id: int, caller: Caller) -> Response:
    """Report a review to moderation

    201 with the new report; 200 with the existing one if the member already has an open report of it."""
    zone = settings().timezone
    result = queries.create(database(), caller, review_id=review_id, zone=zone, **body)
    return writes.respond(result)


@blueprint.operation(
    "/shops/<id:shop_id>/reports",
    id="reportShop",
    method="POST",
    response=schemas.ShopReport,
    status=201,
    statuses=(200,),
    auth="required",
    cache="none",
    errors=(413, 415),
    limit=REPORTS,
)
@blueprint.arguments(schemas.ShopReportBody)
def report_shop(body: dict[str, Any], shop_id: int, caller: Caller) -> Response:
    """Report a shop that has closed, has a wrong position or description, or is a duplicate

    201 with the new report; 200 with the existing one if the member already has an open report of it."""
    zone = settings().timezone
    result = queries.create(database(), caller, shop_id=shop_id, zone=zone, **body)
    return writes.respond(result)
