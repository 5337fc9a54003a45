"""Identifies the caller of a request, for Flask's views and for read operations.

A token is valid only while its session is live. SQL checks that inside the request's own statement; a request that
is rejected before that statement has its session checked here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from flask import request

from geoshops.database.pool import Database, database
from geoshops.errors import ApiError, SessionEnded, Unauthorized
from geoshops.web import sessions, tokens
from geoshops.web.tokens import Caller, Keys

# errors of the request's own content: 401 for an ended session comes before them
CONTENT_ERRORS = (400, 413, 415)


def authenticate(environ: Mapping[str, Any], auth: str, keys: Keys) -> Caller | None:
    """The caller by the Authorization header; None without one where `auth` is `optional`.

    Raises Unauthorized for bad and expired tokens, and for a missing one where `auth` is `required`."""
    header = environ.get("HTTP_AUTHORIZATION")
    if header is not None:
        return tokens.caller_of(header, keys)
    if auth == "required":
        raise Unauthorized("no_token")
    return None


def call_as(
    caller: Caller | None, database: Database, function: Callable[..., Any], *args: Any, **more: Any
) -> Any:
    """Calls the function with `caller`; an ended session is reported before errors of the request's content."""
    try:
        return function(*args, caller=caller, **more)
    except ApiError as error:
        if caller and error.status in CONTENT_ERRORS and not sessions.is_live(database, caller):
            raise SessionEnded from None
        raise


def guard(auth: str, view: Callable[..., Any]) -> Callable[..., Any]:
    """The Flask view with `caller` as an argument, unless `auth` is `none`."""

    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if auth == "none":
            return view(*args, **kwargs)
        caller = authenticate(request.environ, auth, tokens.keys())
        return call_as(caller, database(), view, *args, **kwargs)

    return wrapper
