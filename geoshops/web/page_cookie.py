"""Keeps the refresh token of the map page in an HttpOnly cookie, which scripts cannot read.

The page requests the cookie by a header, which links and forms of other sites cannot send; SameSite=Strict also keeps
the cookie out of their requests. Apps do not send the header and get their tokens in the body."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import request
from werkzeug.http import dump_cookie

HEADER, VALUE = "X-Token-Storage", "cookie"
NAME = "refresh_token"
PATH = "/auth"


def is_wanted() -> bool:
    """Whether the request comes from the map page."""
    return request.headers.get(HEADER) == VALUE


def token() -> str | None:
    """The refresh token in the request's cookie."""
    return request.cookies.get(NAME)


def kept(refresh_token: str, *, until: datetime) -> dict[str, str]:
    """The response header that sets the cookie until the session ends."""
    return _header(refresh_token, int((until - datetime.now(UTC)).total_seconds()))


def dropped() -> dict[str, str]:
    """The response header that deletes the cookie, which is only sent with requests below its path."""
    return _header("", 0)


def _header(value: str, life_s: int) -> dict[str, str]:
    cookie = dump_cookie(
        NAME,
        value,
        max_age=life_s,
        path=PATH,
        secure=request.is_secure,
        httponly=True,
        samesite="Strict",
    )
    return {"Set-Cookie": cookie}
