"""The error family, constraint name to reason, and the one body that every error has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psycopg2
from psycopg2 import errorcodes

from geoshops.messages import CATALOGUE, STATUS, THINGS_KO

REALM = 'Bearer realm="geoshops"'
INVALID_TOKEN = f'{REALM}, error="invalid_token"'
RETRY_AFTER_S = 1


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
