"""The refresh token of the map page, in a cookie that no script can read.

The page says so by a header, which neither a link nor a form of another site can send; SameSite=Strict keeps the
cookie from their requests anyway. Apps send no such header and get their tokens in the body."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import request
from werkzeug.http import dump_cookie

HEADER, VALUE = "X-Token-Storage", "cookie"
NAME = "refresh_token"
PATH = "/auth"


def is_wanted() -> bool:
    """Whether the request is the page's."""
    return request.headers.get(HEADER) == VALUE


def token() -> str | None:
    """The refresh token that the request brings."""
    return request.cookies.get(NAME)


def kept(refresh_token: str, *, until: datetime) -> dict[str, str]:
    """The response header that keeps the token as long as its session lives."""
    return _header(refresh_token, int((until - datetime.now(UTC)).total_seconds()))


def dropped() -> dict[str, str]:
    """The response header that removes the token, which only requests below its path bring."""
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
