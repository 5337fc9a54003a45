"""Access and refresh tokens.

A valid token is not sufficient: its session must be active, which SQL checks (session_is_live) inside the
request's own statement."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Any, cast

from flask import Flask, current_app
from flask_jwt_extended import (
    JWTManager,
    create_access_token,
    create_refresh_token,
    decode_token,
    get_unverified_jwt_headers,
)
from flask_jwt_extended.exceptions import JWTExtendedException
from jwt.exceptions import PyJWTError

from geoshops.config import Settings
from geoshops.database.statements import MAX_BIGINT
from geoshops.errors import Unauthorized

ALGORITHM = "HS256"
NAME = "geoshops"
LEEWAY_S = 5
# how long a retry with a replaced refresh token gets the same successor
GRACE_S = 30
TIMES = ("iat", "nbf", "exp")
REQUIRED_CLAIMS = {"sub", "sid", "jti", "iss", "aud", "type", *TIMES}
INVALID = (
    PyJWTError, JWTExtendedException, ValueError, TypeError, KeyError, AttributeError, RecursionError,
)  # fmt: skip


class Expired(Exception):
    """The token is valid except that it has expired."""


@dataclass(frozen=True)
class Caller:
    """The member and the session that a token names."""

    member_id: int
    session_id: int


@dataclass(frozen=True)
class RefreshToken:
    """A verified refresh token; `successor_jti` is derived from it, so a retried rotation issues the same token."""

    caller: Caller
    jti: str
    successor_jti: str


@dataclass(frozen=True, eq=False)
class Keys:
    """The signing key of an application and, during key rotation, the previous one, by their `kid`."""

    app: Flask
    signing_id: str
    by_id: Mapping[str, str]

    def of(self, header: Mapping[str, object], claims: Mapping[str, object]) -> str:
        """The key that the token's header names; flask-jwt-extended calls this before it verifies the signature.

        Accepts only tokens like those that the service writes: no other algorithm, no embedded or linked key, no unknown
        `kid`, all claims."""
        kid = header["kid"]
        if not isinstance(kid, str) or dict(header) != {"alg": ALGORITHM, "typ": "JWT", "kid": kid}:
            raise ValueError("not a header written by this service")
        if not claims.keys() >= REQUIRED_CLAIMS:
            raise ValueError("not the claims written by this service")
        return self.by_id[kid]


def init_app(app: Flask, settings: Settings) -> Keys:
    """Configures flask-jwt-extended, which writes and verifies the tokens, and returns the keys."""
    app.config.update(
        JWT_SECRET_KEY=settings.secret_key,
        JWT_ALGORITHM=ALGORITHM,
        JWT_TOKEN_LOCATION=["headers"],
        # Access tokens are sent in headers, so they need no CSRF claim; its random value would make encodings differ.
        JWT_COOKIE_CSRF_PROTECT=False,
        JWT_ACCESS_TOKEN_EXPIRES=timedelta(minutes=settings.access_token_minutes),
        JWT_ENCODE_ISSUER=NAME,
        JWT_ENCODE_AUDIENCE=NAME,
        JWT_DECODE_ISSUER=NAME,
        JWT_DECODE_AUDIENCE=NAME,
        JWT_DECODE_LEEWAY=LEEWAY_S,
    )
    secrets = (settings.previous_secret_key, settings.secret_key)
    by_id = {key_id(key): key for key in secrets if key}
    made = app.extensions["geoshops.keys"] = Keys(app, key_id(settings.secret_key), by_id)
    JWTManager(app).decode_key_loader(made.of)
    return made


def key_id(key: str) -> str:
    """The `kid` of a signing key, a hash that does not reveal the key."""
    return hashlib.sha256(b"geoshops kid " + key.encode()).hexdigest()[:8]


def access_life(session_ends_at: datetime) -> timedelta:
    """How long an access token issued now is valid: never beyond its session."""
    minutes = cast(timedelta, current_app.config["JWT_ACCESS_TOKEN_EXPIRES"])
    return min(minutes, session_ends_at - datetime.now(UTC))


def issue_access(caller: Caller, *, life: timedelta | None = None) -> str:
    """A new access token of a session, valid for `life`, by default the configured time."""
    return str(create_access_token(str(caller.member_id), expires_delta=life, **_extras(caller)))


def issue_refresh(caller: Caller, jti: str, *, issued_at: datetime, expires_at: datetime) -> str:
    """The refresh token of a session with a given `jti`, whose hash the session stores.

    The same arguments give the same token, byte for byte."""
    issued = int(issued_at.timestamp())
    times = {"iat": issued, "nbf": issued, "exp": int(expires_at.timestamp())}
    return str(create_refresh_token(str(caller.member_id), **_extras(caller, jti=jti, **times)))


def new_jti() -> str:
    """A new random token identifier."""
    return str(uuid.uuid4())


def jti_hash(jti: str) -> bytes:
    """The hash of a refresh token that its session stores."""
    return hashlib.sha256(jti.encode()).digest()


def _extras(caller: Caller, **claims: object) -> dict[str, Any]:
    return {
        "additional_claims": {"sid": caller.session_id, **claims},
        "additional_headers": {"kid": keys().signing_id},
    }


def keys() -> Keys:
    """The keys of the current Flask application."""
    return cast(Keys, current_app.extensions["geoshops.keys"])


def read_refresh(token: str) -> RefreshToken:
    """Verifies a refresh token; raises Expired or, for every other fault, Unauthorized."""
    claims = _verified(token, "refresh", keys())
    key = keys().of(get_unverified_jwt_headers(token), claims)
    digest = hmac.new(key.encode(), b"geoshops successor " + claims["jti"].encode(), hashlib.sha256)
    return RefreshToken(_caller(claims), claims["jti"], digest.hexdigest()[:32])


def _verified(token: str, kind: str, keys: Keys) -> Mapping[str, Any]:
    """The claims of a token of this kind.

    Raises Expired when it has expired, Unauthorized("bad_token") for every other fault."""
    try:
        claims = _signed(keys, token, kind)
    except INVALID:
        raise Unauthorized("bad_token") from None
    if claims["exp"] + LEEWAY_S <= time.time():
        raise Expired
    return claims


# A verified token stays valid until it expires, which is checked at each use; rejected tokens are not cached. The fast path in
# front of Flask has no application context.
@lru_cache(maxsize=4096)
def _signed(keys: Keys, token: str, kind: str) -> Mapping[str, Any]:
    _require_canonical_base64(token)
    with keys.app.app_context():
        claims = decode_token(token, allow_expired=True)
    if not _are_valid(claims, kind):
        raise ValueError("not a token of this kind")
    return MappingProxyType(claims)


def _require_canonical_base64(token: str) -> None:
    """Rejects non-canonical base64: decoders ignore trailing bits of a signature's last character."""
    signature = token.rpartition(".")[2].encode("ascii")
    try:
        decoded = base64.urlsafe_b64decode(signature + b"=" * (-len(signature) % 4))
    except binascii.Error:
        raise ValueError("not base64") from None
    if base64.urlsafe_b64encode(decoded).rstrip(b"=") != signature:
        raise ValueError("not canonical base64")


def _are_valid(claims: Mapping[str, Any], kind: str) -> bool:
    return (
        claims["type"] == kind
        and claims["aud"] == NAME
        and isinstance(claims["jti"], str)
        and all(type(claims[name]) is int for name in TIMES)
        and type(claims["sid"]) is int
        and 0 < claims["sid"] <= MAX_BIGINT
        and _is_id(claims["sub"])
    )


def _is_id(text: object) -> bool:
    return (
        isinstance(text, str)
        and text.isascii()
        and text.isdigit()
        and len(text) < 20
        and str(int(text)) == text
        and int(text) <= MAX_BIGINT
    )


def _caller(claims: Mapping[str, Any]) -> Caller:
    return Caller(int(claims["sub"]), claims["sid"])


def caller_of(header: str, keys: Keys) -> Caller:
    """The caller that an Authorization header identifies."""
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise Unauthorized("bad_token")
    try:
        return _caller(_verified(token.strip(), "access", keys))
    except Expired:
        raise Unauthorized("expired_token") from None
