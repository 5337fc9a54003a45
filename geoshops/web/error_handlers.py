"""Turns exceptions into the error body of the contract."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping

import psycopg2
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from geoshops import metrics
from geoshops.errors import (
    UNAVAILABLE,
    ApiError,
    NotFound,
    Unavailable,
    WriteConflict,
    failure_cause,
)
from geoshops.messages import DEFAULT_LANGUAGE, STATUS
from geoshops.web.negotiation import best_language
from geoshops.web.request import Environ, settings
from geoshops.web.response import Response

log = logging.getLogger(__name__)

# named constraint → reason of its message; any other violation is an unexpected error
CONSTRAINTS: dict[str, str] = {
    "members_nickname_key_unique": "nickname_taken",
}
FAILURE_CAUSES = {
    *UNAVAILABLE.values(), "pool", "breaker", "locked_table", "replica", "replica_behind",
}  # fmt: skip


def init_metrics() -> None:
    """Creates every error counter at 0: Prometheus' `increase` misses the first error of a new one."""
    for code in STATUS:
        metrics.ERROR_RESPONSES.labels(code)
    for cause in FAILURE_CAUSES:
        metrics.DATABASE_FAILURES.labels(cause)


def error_response(error: BaseException, environ: Environ, *, is_command: bool) -> Response:
    """The response to any exception.

    is_command: whether the failed operation writes, so that a conflict concerns its client."""
    if isinstance(error, HTTPException):
        return _handle_http_error(error, environ)
    return _body(_api_error(error, is_command), environ)


def _body(
    error: ApiError, environ: Environ, more_headers: Mapping[str, str] | None = None
) -> Response:
    metrics.ERROR_RESPONSES.labels(error.code).inc()
    language = best_language(environ.get("HTTP_ACCEPT_LANGUAGE", "")) or DEFAULT_LANGUAGE
    body = {"error_code": error.code, "error_message": error.message(language)}
    headers = {**error.headers, "Cache-Control": "no-store", **(more_headers or {})}
    return Response(json.dumps(body, ensure_ascii=False).encode(), headers, error.status)


def _api_error(error: BaseException, is_command: bool) -> ApiError:
    if isinstance(error, ApiError):
        return error
    if isinstance(error, PoolTimeout):
        metrics.DATABASE_FAILURES.labels("pool").inc()
        return Unavailable()
    if isinstance(error, psycopg2.Error | DBAPIError):
        translated = _database_error(error, is_command)
        if translated:
            return translated
    log.error("unexpected error", exc_info=error)
    return ApiError("unexpected")


def _database_error(error: psycopg2.Error | DBAPIError, is_command: bool) -> ApiError | None:
    """Constraint violations by name, conflicts of commands as 409, other failures of the server as 503.

    None for errors that are the service's own fault."""
    original = error.orig if isinstance(error, DBAPIError) else error
    constraint = getattr(getattr(original, "diag", None), "constraint_name", None) or ""
    if constraint in CONSTRAINTS:
        return ApiError(CONSTRAINTS[constraint])
    cause = failure_cause(original)
    if cause is None:
        return None
    metrics.DATABASE_FAILURES.labels(cause).inc()
    # a read that conflicts with a replica's recovery is not a conflict between clients
    conflict = cause == "conflict" and is_command
    log.warning(
        "write conflict" if conflict else "database unavailable",
        extra={"sqlstate": getattr(original, "pgcode", None)},
    )
    return WriteConflict() if conflict else Unavailable()


def _handle_http_error(error: HTTPException, environ: Environ) -> Response:
    """Errors of Flask and werkzeug, such as an unknown route; keeps their own headers."""
    own = dict(error.get_headers(environ))
    own = {name: own[name] for name in own if name not in ("Content-Type", "Content-Length")}
    return _body(_translate(error, environ), environ, own)


def _translate(error: HTTPException, environ: Environ) -> ApiError:
    if isinstance(error, MethodNotAllowed):
        return ApiError("method_not_allowed", name=environ["REQUEST_METHOD"])
    if error.code == 404:
        return NotFound("route")
    if error.code == 413:
        return ApiError("too_large", high=settings().max_body_bytes)
    if error.code == 415:
        return ApiError("not_json")
    if error.code == 429:
        return ApiError("too_many_requests")
    if error.code == 503:
        return Unavailable()
    return ApiError("bad_request" if (error.code or 500) < 500 else "unexpected")
