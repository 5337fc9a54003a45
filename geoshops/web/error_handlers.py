"""Turns exceptions into the one error body of the contract."""

from __future__ import annotations

import logging
from typing import Any

import psycopg2
from flask import Flask, Response, json, request
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from werkzeug.exceptions import HTTPException, MethodNotAllowed, TooManyRequests

from geoshops import metrics
from geoshops.errors import UNAVAILABLE, ApiError, NotFound, Unavailable, WriteConflict, trouble_of
from geoshops.messages import STATUS
from geoshops.web.negotiation import best_language
from geoshops.web.request import contract_of

log = logging.getLogger(__name__)


# named constraint → reason of the catalogue; whatever is not listed is an unexpected error
CONSTRAINTS: dict[str, str] = {
    "members_nickname_key_unique": "nickname_taken",
}


def init_app(app: Flask) -> None:
    """Registers the handlers; every error of every kind leaves through `answer`."""
    # a counter that appears with its first error would hide that error from "increase"
    for code in STATUS:
        metrics.ERROR_RESPONSES.labels(code)
    for cause in {
        *UNAVAILABLE.values(),
        "pool",
        "breaker",
        "locked_table",
        "replica",
        "replica_behind",
    }:
        metrics.DATABASE_FAILURES.labels(cause)
    app.register_error_handler(ApiError, answer)
    app.register_error_handler(psycopg2.Error, of_database)
    app.register_error_handler(DBAPIError, of_database)
    app.register_error_handler(PoolTimeout, of_pool)
    app.register_error_handler(HTTPException, of_http)
    app.register_error_handler(Exception, of_anything)


def answer(error: ApiError) -> Response:
    """The error as the contract writes it."""
    metrics.ERROR_RESPONSES.labels(error.code).inc()
    body = {"error_code": error.code, "error_message": error.message(prefers_korean())}
    response = Response(
        json.dumps(body, ensure_ascii=False), status=error.status, mimetype="application/json"
    )
    response.headers.update(error.headers)
    response.headers["Cache-Control"] = "no-store"
    return response


def prefers_korean() -> bool:
    """True when Accept-Language prefers Korean to English."""
    return best_language(request.environ.get("HTTP_ACCEPT_LANGUAGE", ""), ("en", "ko")) == "ko"


def of_http(error: HTTPException) -> Response:
    """Errors of the framework: unknown route, method, size; their own headers stay."""
    response = answer(_translate(error))
    if not 400 <= (error.code or 500) < 600:
        return Response(status=error.code, headers=error.get_headers(request.environ))
    for name, value in error.get_headers(request.environ):
        if name not in ("Content-Type", "Content-Length"):
            response.headers[name] = value
    return response


def of_database(error: psycopg2.Error | DBAPIError) -> Response:
    """Constraint violations by their name; acts in conflict as 409, other trouble of the server as 503; the driver's
    text never leaves."""
    original = error.orig if isinstance(error, DBAPIError) else error
    constraint = getattr(getattr(original, "diag", None), "constraint_name", None) or ""
    if constraint in CONSTRAINTS:
        return answer(ApiError(CONSTRAINTS[constraint]))
    cause = trouble_of(original)
    if cause:
        metrics.DATABASE_FAILURES.labels(cause).inc()
        # a question changes nothing: what a replica ends to recover is no conflict of its client's
        refusal = WriteConflict() if cause == "conflict" and _acts() else Unavailable()
        told = "write conflict" if isinstance(refusal, WriteConflict) else "database unavailable"
        log.warning(told, extra={"sqlstate": getattr(original, "pgcode", None)})
        return answer(refusal)
    return of_anything(error)


def _acts() -> bool:
    """Whether the operation changes something."""
    contract = contract_of(request)
    return contract is not None and contract.acts


def of_pool(error: PoolTimeout) -> Response:
    """All connections of this worker are busy."""
    metrics.DATABASE_FAILURES.labels("pool").inc()
    return answer(Unavailable())


def of_anything(error: BaseException) -> Response:
    """Whatever nobody expected: logged with its trace, answered without internals."""
    log.error("unexpected error", exc_info=error)
    return answer(ApiError("unexpected"))


def _translate(error: HTTPException) -> ApiError:
    if isinstance(error, MethodNotAllowed):
        return ApiError("method_not_allowed", name=request.method)
    if isinstance(error, TooManyRequests):
        return ApiError("too_many_requests")
    simple: dict[int, Any] = {404: NotFound("route"), 503: Unavailable()}
    if error.code in simple:
        translated: ApiError = simple[error.code]
        return translated
    if error.code == 413:
        return ApiError("too_large", high=request.max_content_length)
    if error.code == 415:
        return ApiError("not_json")
    return ApiError("bad_request" if (error.code or 500) < 500 else "unexpected")
