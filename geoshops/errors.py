"""The exceptions of the API, and the classification of database errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psycopg2
from psycopg2 import errorcodes

from geoshops.messages import CODES, DEFAULT_LANGUAGE, STATUS, message

REALM = 'Bearer realm="geoshops"'
INVALID_TOKEN = f'{REALM}, error="invalid_token"'
RETRY_AFTER_S = 1
# SQLSTATEs and their classes that mean "the database is unavailable", with their label in the metric
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
    """Why a value is rejected: a key of the messages and the values of its placeholders."""

    key: str
    values: dict[str, Any]


class ApiError(Exception):
    """An error of the contract. `reason` is a key of the messages, `values` fill its placeholders."""

    def __init__(
        self, reason: str, *, headers: Mapping[str, str] | None = None, **values: Any
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.values = values
        self.code = CODES[reason]
        self.status = STATUS[self.code]
        self.headers = dict(headers or {})

    def message(self, language: str = DEFAULT_LANGUAGE) -> str:
        """The message in one of the languages of geoshops.messages."""
        return message(language, self.reason, **self.values)


class NotFound(ApiError):
    """The requested item does not exist (404)."""

    def __init__(self, thing: str, key: object = None) -> None:
        super().__init__("not_found", thing=thing, key=key)


class Unauthorized(ApiError):
    """The access token is missing, invalid or expired; carries the RFC 6750 challenge."""

    def __init__(self, reason: str) -> None:
        bearer = INVALID_TOKEN if CODES[reason] in ("101", "102") else REALM
        super().__init__(reason, headers={"WWW-Authenticate": bearer})


class SessionEnded(Unauthorized):
    """The token is valid, but its session has ended or expired."""

    def __init__(self) -> None:
        super().__init__("bad_token")


class RetryLater(ApiError):
    """An error of the moment: its response tells the client to retry. Subclasses set the reason."""

    reason: str

    def __init__(self) -> None:
        super().__init__(self.reason, headers={"Retry-After": str(RETRY_AFTER_S)})


class WriteConflict(RetryLater):
    """A command conflicted with concurrent ones in every attempt; it was rolled back."""

    reason = "conflict"


class Unavailable(RetryLater):
    """The database is unavailable."""

    reason = "unavailable"


class Overloaded(RetryLater):
    """The service is at its limit of concurrent requests."""

    reason = "overloaded"


class Unreachable(RetryLater):
    """A part of the service other than the database does not respond."""

    reason = "unreachable"


def failure_cause(error: object) -> str | None:
    """Why the database is unavailable, as a label of the metric; None if the statement itself is at fault."""
    code = getattr(error, "pgcode", None)
    if code is not None:
        return UNAVAILABLE.get(code) or UNAVAILABLE.get(code[:2])
    # psycopg2 raises a bare DatabaseError when a reply is cut off
    lost = isinstance(error, psycopg2.OperationalError | psycopg2.InterfaceError)
    return "connection" if lost or type(error) is psycopg2.DatabaseError else None


def database_is_unavailable(error: object) -> bool:
    """Whether the error means that the database is unavailable, rather than that the statement is wrong."""
    return failure_cause(error) is not None
