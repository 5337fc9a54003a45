"""Logs and metrics: one line and one observation per request, never a token or an authorization code."""

from __future__ import annotations

import logging
import logging.config
import os
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from json.encoder import encode_basestring as quoted

from prometheus_client import REGISTRY as ONE_PROCESS
from prometheus_client import CollectorRegistry, Histogram, generate_latest, multiprocess

from geoshops import metrics
from geoshops.config import Settings
from geoshops.web.request import ENDPOINT, REQUEST_ID, STARTED_S, Environ, path_of

access = logging.getLogger("geoshops.access")

# other methods share one label, so that clients cannot create arbitrary label values
METHODS = ("GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS", "PUT")
QUIET = ("health.healthz", "health.readyz", "health.prometheus", "health.count_overload")


def start(settings: Settings) -> None:
    """Configures logging and counts the worker."""
    _configure_logging(settings)
    metrics.WORKERS_STARTED.inc()


def metrics_text() -> bytes:
    """All metrics in Prometheus' text format, of all workers if they share a metrics directory."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return generate_latest(ONE_PROCESS)
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


def gauges_text(values: Mapping[str, tuple[str, float]]) -> bytes:
    """Gauges in Prometheus' text format, from their names to meaning and value."""
    lines = [
        f"# HELP {name} {meaning}\n# TYPE {name} gauge\n{name} {value:g}\n"
        for name, (meaning, value) in values.items()
    ]
    return "".join(lines).encode()


# the library's lookup by labels takes a lock and costs more than the observation itself
@lru_cache(maxsize=1024)
def _durations(method: str, endpoint: str, status: int) -> Histogram:
    return metrics.REQUEST_DURATION_S.labels(method, endpoint, status)


def record(environ: Environ, status: int, log_format: str) -> None:
    """Measures and logs a request when its response starts."""
    endpoint: str = environ.get(ENDPOINT) or "none"
    duration_s = time.perf_counter() - environ[STARTED_S]
    method = environ["REQUEST_METHOD"]
    _durations(method if method in METHODS else "other", endpoint, status).observe(duration_s)
    if endpoint not in QUIET and access.isEnabledFor(logging.INFO):
        line = _json_line if log_format == "json" else _text_line
        # written directly, because a log record with its handlers would cost as much as the rest of a read
        sys.stdout.write(line(environ, endpoint, status, duration_s * 1000) + "\n")
        sys.stdout.flush()


def _text_line(environ: Environ, endpoint: str, status: int, ms: float) -> str:
    method, path = environ["REQUEST_METHOD"], quoted(path_of(environ))
    return f"{method} {path} {endpoint} {status} {ms:.2f} ms {environ[REQUEST_ID]}"


def _json_line(environ: Environ, endpoint: str, status: int, ms: float) -> str:
    method, path = quoted(environ["REQUEST_METHOD"]), quoted(path_of(environ))
    now_s, now_ms = divmod(time.time_ns() // 1_000_000, 1000)
    return (
        f'{{"time":"{_second(now_s)}.{now_ms:03}+00:00","level":"INFO","logger":"geoshops.access","message":"request",'
        f'"method":{method},"endpoint":"{endpoint}","path":{path},'
        f'"status":{status},"ms":{ms:.2f},"request_id":"{environ[REQUEST_ID]}"}}'
    )


@lru_cache(maxsize=2)
def _second(now_s: int) -> str:
    return datetime.fromtimestamp(now_s, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _configure_logging(settings: Settings) -> None:
    formatters = {
        "json": {
            "()": "pythonjsonlogger.json.JsonFormatter",
            "fmt": "%(asctime)s %(levelname)s %(name)s %(message)s",
            "json_ensure_ascii": False,
            "rename_fields": {"asctime": "time", "levelname": "level", "name": "logger"},
        },
        "text": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"},
        "plain": {"format": "%(message)s"},
    }
    stdout = {"class": "logging.StreamHandler", "stream": "ext://sys.stdout"}
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": formatters,
            "handlers": {
                "stdout": {**stdout, "formatter": settings.log_format},
                "access": {**stdout, "formatter": "plain"},
            },
            "loggers": {
                "geoshops": {
                    "level": settings.log_level,
                    "handlers": ["stdout"],
                    "propagate": settings.testing,
                },
                "geoshops.access": {"handlers": ["access"], "propagate": False},
            },
        }
    )
