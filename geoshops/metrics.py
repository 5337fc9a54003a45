"""The Prometheus metrics of the service."""

from __future__ import annotations

from prometheus_client import Counter, Histogram

REQUEST_DURATION_S = Histogram(
    "http_request_duration_seconds",
    "Time from receiving a request to its response",
    ("method", "endpoint", "status"),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
)
ERROR_RESPONSES = Counter("http_error_responses_total", "Error responses by error code", ("code",))
OVERLOADS = Counter(
    "nginx_requests_rejected_total",
    "Requests rejected by nginx because the service was overloaded",
)
WORKERS_STARTED = Counter("workers_started_total", "Worker processes started")
DATABASE_FAILURES = Counter(
    "database_failures_total",
    "Queries and commands that failed because the database was unavailable",
    ("cause",),
)
