"""Access and refresh tokens, and who the caller of a request is.

A token alone proves nothing: its session must be alive, which SQL checks (session_is_live) inside the
request's own statement."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import wraps
from typing import Any

import jwt
from flask import Flask, current_app, request
from flask_jwt_extended import JWTManager, create_access_token, create_refresh_token, decode_token
from flask_jwt_extended.exceptions import JWTExtendedException

from geoshops.config import Settings
from geoshops.errors import Unauthorized

ALGORITHM = "HS256"
NAME = "geoshops"
REQUIRED_CLAIMS = ("sub", "sid", "jti", "iat", "nbf", "exp", "iss", "aud", "type")


@dataclass(frozen=True)
class Caller:
    """The member and the session that a token names."""

    member_id: int
    session_id: int


def init_app(app: Flask, settings: Settings) -> None:
    """Configures flask-jwt-extended: one algorithm, header only, two keys while rotating."""
    app.config.update(
        JWT_SECRET_KEY=settings.secret_key,
        JWT_ALGORITHM=ALGORITHM,
        JWT_TOKEN_LOCATION=["headers"],
        JWT_ACCESS_TOKEN_EXPIRES=timedelta(minutes=settings.access_token_minutes),
        JWT_REFRESH_TOKEN_EXPIRES=timedelta(days=settings.refresh_token_days),
        JWT_ENCODE_ISSUER=NAME,
        JWT_DECODE_ISSUER=NAME,
        JWT_ENCODE_AUDIENCE=NAME,
        JWT_DECODE_AUDIENCE=NAME,
        JWT_DECODE_LEEWAY=5,
    )
    keys = {key_id(key): key for key in (settings.previous_secret_key, settings.secret_key) if key}
    manager = JWTManager(app)
    manager.decode_key_loader(lambda header, _: keys.get(header.get("kid"), settings.secret_key))
    app.extensions["geoshops.key_id"] = key_id(settings.secret_key)


def key_id(key: str) -> str:
    """The `kid` of a signing key; says nothing of the key."""
    return hashlib.sha256(b"geoshops kid " + key.encode()).hexdigest()[:8]


def issue_access(caller: Caller) -> str:
    """A new access token of a session."""
    return str(create_access_token(str(caller.member_id), **_extras(caller)))


def issue_refresh(caller: Caller, jti: str, expires: timedelta) -> str:
    """A refresh token of a session with a given `jti`, whose hash the session stores."""
    extras = _extras(caller)
    extras["additional_claims"]["jti"] = jti
    return str(create_refresh_token(str(caller.member_id), expires_delta=expires, **extras))


def new_jti() -> str:
    """A fresh token identifier."""
    return str(uuid.uuid4())


def _extras(caller: Caller) -> dict[str, Any]:
    return {
        "additional_claims": {"sid": caller.session_id},
        "additional_headers": {"kid": current_app.extensions["geoshops.key_id"]},
    }


def claims_of(token: str, kind: str) -> dict[str, Any]:
    """The verified claims of a token of this kind; jwt.ExpiredSignatureError when only its time is up.

    Raises Unauthorized("bad_token") for everything else."""
    try:
        claims = decode_token(token)
    except jwt.ExpiredSignatureError:
        _refuse_odd(decode_token(token, allow_expired=True), kind)
        raise
    except (jwt.PyJWTError, JWTExtendedException, ValueError, TypeError, KeyError, RecursionError):
        raise Unauthorized("bad_token") from None
    return _refuse_odd(claims, kind)


def _refuse_odd(claims: dict[str, Any], kind: str) -> dict[str, Any]:
    complete = all(name in claims for name in REQUIRED_CLAIMS)
    if (
        not complete
        or claims["type"] != kind
        or not _is_id(claims["sub"])
        or not isinstance(claims["sid"], int)
    ):
        raise Unauthorized("bad_token")
    return claims


def _is_id(text: object) -> bool:
    return isinstance(text, str) and text.isascii() and text.isdigit() and len(text) < 19


def authenticate() -> Caller | None:
    """The caller by the Authorization header; None without one. Bad and expired tokens are refused."""
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise Unauthorized("bad_token")
    try:
        claims = claims_of(token.strip(), "access")
    except jwt.ExpiredSignatureError:
        raise Unauthorized("expired_token") from None
    return Caller(int(claims["sub"]), claims["sid"])


def _open(view: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return view(*args, **kwargs)

    return wrapper


def _optional(view: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return view(*args, caller=authenticate(), **kwargs)

    return wrapper


def _required(view: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        caller = authenticate()
        if caller is None:
            raise Unauthorized("no_token")
        return view(*args, caller=caller, **kwargs)

    return wrapper


GUARDS: dict[str, Callable[[Callable[..., Any]], Any]] = {
    "none": _open,
    "optional": _optional,
    "required": _required,
}
