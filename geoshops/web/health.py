"""Health, readiness and metrics for the machinery around the service."""

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
# an index each; docs/operations.md says what to do when they grow
OPEN_REPORTS = select(func.count()).where(Report.closed_at.is_(None)).select_from(Report)
WAITING = compiled(
    select(
        OPEN_REPORTS.scalar_subquery(),
        select(func.count()).select_from(PendingUnlink).scalar_subquery(),
    )
)
blueprint = Blueprint("health", __name__)
# The front restricts these paths; no other spelling of them may pass it and be served all the same.
NOT_STORED = {"Cache-Control": "no-store"}
EXACT = {"strict_slashes": True}
UP = "Whether the database answered this scrape"


@blueprint.get("/healthz", **EXACT)
def healthz() -> flask.Response:
    """The process answers; needs no database."""
    return json_value({"status": "ok"}, NOT_STORED).to_flask()


@blueprint.get("/readyz", **EXACT)
def readyz() -> flask.Response:
    """The database answers and holds the schema."""
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


# of so many refusals nginx tells one
TOLD_OF = 1000


@blueprint.get("/.refused/full", **EXACT)
def refused_when_full() -> flask.Response:
    """What nginx refuses because the service is full; without it nobody would see an overload."""
    metrics.OVERLOADS.inc(TOLD_OF)
    raise Overloaded


@blueprint.get("/metrics", **EXACT)
def prometheus() -> flask.Response:
    """Prometheus' text form."""
    text = telemetry.metrics_text() + telemetry.gauges_text(_gauges())
    return flask.Response(text, content_type="text/plain; version=0.0.4; charset=utf-8")


def _gauges() -> dict[str, tuple[str, float]]:
    found: dict[str, tuple[str, float]] = {"database_up": (UP, 0)}
    # apart, because a locked table is no lost database
    if (state := _read(READ_ONLY)) is not None:
        found["database_up"] = (UP, 1)
        found["database_read_only"] = ("Whether the database takes no writes", float(state[0]))
    if state and (waiting := _read(WAITING)) is not None:
        meaning = "Withdrawn members whom the provider still has to unlink"
        found["reports_open"] = ("Reports that no moderator has closed", waiting[0])
        found["unlinks_pending"] = (meaning, waiting[1])
    return found


def _read(query: Statement) -> Row | None:
    try:
        return database().row_of_primary(query)
    except Exception as error:
        if isinstance(error, ApiError) or database_is_unavailable(getattr(error, "orig", error)):
            return None
        raise
