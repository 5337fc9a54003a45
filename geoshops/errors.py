"""The error family, constraint name to reason, and the one body that every error has."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psycopg2
from flask import Flask, Response, json, request
from psycopg2 import errorcodes
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from werkzeug.exceptions import HTTPException, MethodNotAllowed, TooManyRequests

from geoshops import observe
from geoshops.incoming import contract_of
from geoshops.messages import CATALOGUE, STATUS, THINGS_KO
from geoshops.preferences import best_language

log = logging.getLogger(__name__)

REALM = 'Bearer realm="geoshops"'
INVALID_TOKEN = f'{REALM}, error="invalid_token"'
RETRY_AFTER_S = 1

# named constraint → reason of the catalogue; whatever is not listed is an unexpected error
CONSTRAINTS: dict[str, str] = {
    "members_nickname_key_unique": "nickname_taken",
}

# SQLSTATEs and their classes that mean "the database cannot serve now", and what the metric calls them
UNAVAILABLE = {
    "08": "connection",
    "53": "resources",
    "57": "shutdown",
    errorcodes.DISK_FULL: "disk_full",
    errorcodes.QUERY_CANCELED: "timeout",
    errorcodes.LOCK_NOT_AVAILABLE: "lock",
    errorcodes.READ_ONLY_SQL_TRANSACTION: "read_only",
    errorcodes.SERIALIZATION_FAILURE: "conflict",
    errorcodes.DEADLOCK_DETECTED: "conflict",
    errorcodes.IDLE_IN_TRANSACTION_SESSION_TIMEOUT: "timeout",
    errorcodes.IO_ERROR: "disk",
}


@dataclass(frozen=True)
class Reason:
    """Why a value is refused: a key of the catalogue and what fills its braces."""

    key: str
    values: dict[str, Any]


class ApiError(Exception):
    """An error of the contract. `reason` is a key of the catalogue; the rest fills its braces."""

    def __init__(
        self, reason: str, *, headers: Mapping[str, str] | None = None, **values: Any
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.values = values
        self.code = CATALOGUE[reason][0]
        self.status = STATUS[self.code]
        self.headers = dict(headers or {})

    def message(self, korean: bool) -> str:
        """The message in Korean or English."""
        text = CATALOGUE[self.reason][2 if korean else 1]
        return text.format(**self.values)


class NotFound(ApiError):
    """Nothing has this identifier."""

    def __init__(self, thing: str, key: object = None) -> None:
        super().__init__("not_found", thing=thing, thing_ko=THINGS_KO.get(thing, thing), key=key)


class Unauthorized(ApiError):
    """The caller must show a (fresh) token; carries the RFC 6750 challenge."""

    def __init__(self, reason: str) -> None:
        bearer = INVALID_TOKEN if CATALOGUE[reason][0] in ("101", "102") else REALM
        super().__init__(reason, headers={"WWW-Authenticate": bearer})


class WriteConflict(ApiError):
    """An act met others on the same rows each time that it was tried; nothing of it has happened."""

    def __init__(self) -> None:
        super().__init__("conflict", headers={"Retry-After": str(RETRY_AFTER_S)})


class Unavailable(ApiError):
    """The database cannot serve now."""

    def __init__(self) -> None:
        super().__init__("unavailable", headers={"Retry-After": str(RETRY_AFTER_S)})


class Overloaded(ApiError):
    """The service has as many requests as it can serve."""

    def __init__(self) -> None:
        super().__init__("overloaded", headers={"Retry-After": str(RETRY_AFTER_S)})


class Unreachable(ApiError):
    """A part of the service other than the database does not respond."""

    def __init__(self) -> None:
        super().__init__("unreachable", headers={"Retry-After": str(RETRY_AFTER_S)})


def init_app(app: Flask) -> None:
    """Registers the handlers; every error of every kind leaves through `answer`."""
    # a counter that appears with its first error would hide that error from "increase"
    for code in STATUS:
        observe.REFUSED.labels(code)
    for cause in {
        *UNAVAILABLE.values(),
        "pool",
        "breaker",
        "locked_table",
        "replica",
        "replica_behind",
    }:
        observe.TROUBLE.labels(cause)
    app.register_error_handler(ApiError, answer)
    app.register_error_handler(psycopg2.Error, of_database)
    app.register_error_handler(DBAPIError, of_database)
    app.register_error_handler(PoolTimeout, of_pool)
    app.register_error_handler(HTTPException, of_http)
    app.register_error_handler(Exception, of_anything)


def answer(error: ApiError) -> Response:
    """The error as the contract writes it."""
    observe.REFUSED.labels(error.code).inc()
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
        observe.TROUBLE.labels(cause).inc()
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
    observe.TROUBLE.labels("pool").inc()
    return answer(Unavailable())


def trouble_of(error: object) -> str | None:
    """What keeps the database from serving; None when the error says something of the request."""
    code = getattr(error, "pgcode", None)
    if code is not None:
        return UNAVAILABLE.get(code) or UNAVAILABLE.get(code[:2])
    # the driver itself raises the bare DatabaseError when an answer breaks off in the middle
    lost = isinstance(error, psycopg2.OperationalError | psycopg2.InterfaceError)
    return "connection" if lost or type(error) is psycopg2.DatabaseError else None


def database_is_unavailable(error: object) -> bool:
    """True for errors that say nothing about the request: connection, resources, shutdown, locks, read-only."""
    return trouble_of(error) is not None


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
