"""The Prometheus metrics of the service."""

from __future__ import annotations

from prometheus_client import Counter, Histogram

REQUEST_DURATION_S = Histogram(
    "http_request_duration_seconds",
    "Time to answer a request",
    ("method", "endpoint", "status"),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
)


ERROR_RESPONSES = Counter(
    "http_requests_refused_total", "Answers with an error, by its code", ("code",)
)


OVERLOADS = Counter(
    "http_requests_refused_by_front_total", "Refused by nginx because the service was full"
)


WORKERS_STARTED = Counter("workers_started_total", "Worker processes that have begun to serve")


DATABASE_FAILURES = Counter(
    "database_trouble_total", "Questions and acts that the database did not serve", ("cause",)
)
