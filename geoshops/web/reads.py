"""Reading operations: functions from the values of a request to the JSON that PostgreSQL wrote.

They know nothing of the framework, so that two ways lead to them: the framework's and the direct one (direct.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from flask import request

from geoshops.config import Settings
from geoshops.database.pool import Database, database
from geoshops.web.middleware import public_url, settings
from geoshops.web.parsing import QueryLoader

NO_HEADERS: Mapping[str, str] = {}


class Asked(NamedTuple):
    """What an operation sees of its request; path and args (names and texts of the query) make the links of pages."""

    db: Database
    settings: Settings
    origin: str
    path: str
    args: Mapping[str, str]


class Answer(NamedTuple):
    """JSON, headers of its own, and whether it is a list of shops, which may be told as GeoJSON."""

    body: bytes
    headers: Mapping[str, str] = NO_HEADERS
    shops: bool = False


Read = Callable[..., Answer]


class Reading(NamedTuple):
    """An operation, called as read(asked, args, **ids of the path) and with caller= where auth is not `none`."""

    read: Read
    load: QueryLoader
    auth: str
    contract: Any


def asked() -> Asked:
    """What the operation sees of the framework's request."""
    return Asked(database(), settings(), public_url(), request.path, request.args)
