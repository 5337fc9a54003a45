"""Health, readiness and metrics for the machinery around the service."""

from __future__ import annotations

from flask import Blueprint, Response

from geoshops import observe
from geoshops.api import json_value
from geoshops.db import database
from geoshops.errors import Unavailable, database_is_unavailable

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def healthz() -> Response:
    """The process answers; needs no database."""
    return json_value({"status": "ok"}, {"Cache-Control": "no-store"})


@blueprint.get("/readyz")
def readyz() -> Response:
    """The database answers and holds the schema."""
    try:
        (ready,) = database().row("SELECT to_regclass('shops') IS NOT NULL")
    except Exception as error:
        if database_is_unavailable(getattr(error, "orig", error)):
            raise Unavailable from None
        raise
    if not ready:
        raise Unavailable
    return json_value({"status": "ready"}, {"Cache-Control": "no-store"})


@blueprint.get("/metrics")
def metrics() -> Response:
    """Prometheus' text form."""
    return Response(observe.metrics_text(), mimetype="text/plain; version=0.0.4; charset=utf-8")
