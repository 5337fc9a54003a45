"""Health, readiness and metrics endpoints, for load balancers and Prometheus."""

from __future__ import annotations

import flask
from flask import Blueprint
from sqlalchemy import Boolean, cast, func, select

from geoshops import metrics
from geoshops.database.models import PendingUnlink, Report
from geoshops.database.pool import Row, database
from geoshops.database.statements import Statement, compiled
from geoshops.errors import ApiError, Overloaded, Unavailable, database_is_unavailable
from geoshops.web import telemetry
from geoshops.web.response import json_value

READY = compiled(select(func.to_regclass("shops").is_not(None)))
READ_ONLY = compiled(select(cast(func.current_setting("transaction_read_only"), Boolean)))
# each count reads an index; docs/operations.md describes what to do when one grows
OPEN_REPORTS = select(func.count()).where(Report.closed_at.is_(None)).select_from(Report)
BACKLOG = compiled(
    select(
        OPEN_REPORTS.scalar_subquery(),
        select(func.count()).select_from(PendingUnlink).scalar_subquery(),
    )
)
blueprint = Blueprint("health", __name__)
NOT_STORED = {"Cache-Control": "no-store"}
# nginx restricts these paths, so no other spelling of them may be served
EXACT = {"strict_slashes": True}
UP = "Whether the database responded to this scrape"


@blueprint.get("/healthz", **EXACT)
def healthz() -> flask.Response:
    """Liveness: the process responds; needs no database."""
    return json_value({"status": "ok"}, NOT_STORED).to_flask()


@blueprint.get("/readyz", **EXACT)
def readyz() -> flask.Response:
    """Readiness: the database responds and contains the schema."""
    try:
        (ready,) = database().row(READY)
    except Exception as error:
        if database_is_unavailable(getattr(error, "orig", error)):
            raise Unavailable from None
        raise
    if not ready:
        raise Unavailable
    writes = {"writes": False} if database().primary_is_lost else {}
    return json_value({"status": "ready", **writes}, NOT_STORED).to_flask()


# nginx reports one in this number of rejected requests
REJECTED_PER_REPORT = 1000


@blueprint.get("/.rejected/full", **EXACT)
def count_overload() -> flask.Response:
    """Counts the requests that nginx rejects because the service is at its limit."""
    metrics.OVERLOADS.inc(REJECTED_PER_REPORT)
    raise Overloaded


@blueprint.get("/metrics", **EXACT)
def prometheus() -> flask.Response:
    """Metrics in Prometheus' text format."""
    text = telemetry.metrics_text() + telemetry.gauges_text(_gauges())
    return flask.Response(text, content_type="text/plain; version=0.0.4; charset=utf-8")


def _gauges() -> dict[str, tuple[str, float]]:
    gauges: dict[str, tuple[str, float]] = {"database_up": (UP, 0)}
    # two queries, because a locked table does not mean that the database is down
    if (state := _row_if_available(READ_ONLY)) is not None:
        gauges["database_up"] = (UP, 1)
        gauges["database_read_only"] = ("Whether the database is read-only", float(state[0]))
    if state and (backlog := _row_if_available(BACKLOG)) is not None:
        meaning = "Withdrawn members still to be unlinked at their provider"
        gauges["reports_open"] = ("Open reports", backlog[0])
        gauges["unlinks_pending"] = (meaning, backlog[1])
    return gauges


def _row_if_available(query: Statement) -> Row | None:
    try:
        return database().row_of_primary(query)
    except Exception as error:
        if isinstance(error, ApiError) or database_is_unavailable(getattr(error, "orig", error)):
            return None
        raise
