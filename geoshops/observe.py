"""Logs and metrics: one line and one observation a request, never a token or an authorization code."""

from __future__ import annotations

import logging
import logging.config
import os
import time

from flask import Flask, Response, g, request
from prometheus_client import REGISTRY as ONE_PROCESS
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, multiprocess

from geoshops.config import Settings

access = logging.getLogger("geoshops.access")

DURATION_S = Histogram(
    "http_request_duration_seconds",
    "Time to answer a request",
    ("method", "endpoint", "status"),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
)
REFUSED = Counter("http_requests_refused_total", "Requests answered with an error", ("code",))
QUIET = ("health.healthz", "health.readyz", "health.metrics")


def init_app(app: Flask, settings: Settings) -> None:
    """Configures logging once and measures every request."""
    _configure(settings)
    app.before_request(_start)
    app.after_request(_record)


def metrics_text() -> bytes:
    """All metrics in Prometheus' text form, of all workers where they share a folder."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return generate_latest(ONE_PROCESS)
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


def _start() -> None:
    g.started = time.perf_counter()


def _record(response: Response) -> Response:
    duration_s = time.perf_counter() - g.get("started", time.perf_counter())
    endpoint = request.endpoint or "none"
    DURATION_S.labels(request.method, endpoint, response.status_code).observe(duration_s)
    if endpoint not in QUIET and access.isEnabledFor(logging.INFO):
        access.info(
            "request",
            extra={
                "method": request.method,
                "endpoint": endpoint,
                "path": request.path,
                "status": response.status_code,
                "ms": round(duration_s * 1000, 2),
                "request_id": g.get("request_id"),
            },
        )
    return response


def _configure(settings: Settings) -> None:
    formatters = {
        "json": {
            "()": "pythonjsonlogger.json.JsonFormatter",
            "fmt": "%(asctime)s %(levelname)s %(name)s %(message)s",
            "json_ensure_ascii": False,
            "rename_fields": {"asctime": "time", "levelname": "level", "name": "logger"},
        },
        "text": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"},
    }
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": formatters,
            "handlers": {
                "stdout": {
                    "class": "logging.StreamHandler",
                    "stream": "ext://sys.stdout",
                    "formatter": settings.log_format,
                }
            },
            "loggers": {
                "geoshops": {
                    "level": settings.log_level,
                    "handlers": ["stdout"],
                    "propagate": settings.testing,
                }
            },
        }
    )
