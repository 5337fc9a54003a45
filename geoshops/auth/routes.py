"""Endpoints of sign-in, tokens and sessions."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any

from flask import request
from werkzeug.wrappers import Request

from geoshops.auth import queries, schemas
from geoshops.auth.providers import providers
from geoshops.auth.queries import Issued
from geoshops.database.pool import database
from geoshops.errors import ApiError, Unauthorized
from geoshops.web import page_cookie, tokens
from geoshops.web.operation import Blueprint
from geoshops.web.parsing import json_object
from geoshops.web.rate_limits import RateLimit, by_address
from geoshops.web.reads import RequestContext
from geoshops.web.request import address_of, public_url, settings
from geoshops.web.response import Response, json_value
from geoshops.web.tokens import Caller, Keys

blueprint = Blueprint("auth", __name__, description="Sign-in, tokens and sessions")

MAX_DEVICE = 200


@blueprint.operation(
    "/auth/authorize",
    id="startSignIn",
    response=schemas.Started,
    cache="none",
    errors=(502,),
)
@blueprint.arguments(schemas.StartArgs, location="query")
def start_sign_in(args: dict[str, Any]) -> Response:
    """The URL of the sign-in page, with a new state, nonce and PKCE verifier

    The front end keeps `state`, `nonce` and `code_verifier`, sends the browser to `authorize_url`,
    compares `state` when it comes back and sends the other two with the code."""
    started = providers().start(own_page=_own_page(), **args)
    return json_value(dataclasses.asdict(started))


@blueprint.operation(
    "/auth/login/idp",
    id="signIn",
    response=schemas.TokenPair,
    cache="none",
    errors=(502,),
    head=False,
    limit=RateLimit(
        "sign-in", "10/minute", by_address, failures_only=True, closed_without_store=True
    ),
)
@blueprint.arguments(schemas.SignInArgs, location="query")
def sign_in(args: dict[str, Any]) -> Response:
    """Sign in with an authorization code; a new user is registered

    Only `code` is required; `nonce` and `code_verifier` protect against injected codes."""
    identity = providers().identify(own_page=_own_page(), **args)
    session = queries.sign_in(
        database(),
        settings(),
        issuer=identity.issuer,
        subject=identity.subject,
        provider=identity.provider,
        nickname=identity.nickname,
        sealed_token=providers().sealer.seal(identity.unlink_token),
        device=_device(),
    )
    access = _access(session.caller, session.session_ends_at)
    refresh = _refresh(session)
    if page_cookie.is_wanted():
        return json_value(access, page_cookie.kept(refresh, until=session.session_ends_at))
    return json_value({**access, "refresh_token": refresh})


def _by_refresh_token(request: Request, _: Keys) -> str:
    """Hash of the refresh token in the body; many phones of one carrier share an IP address."""
    try:
        token = json_object(request).get("refresh_token")
    except ApiError:
        token = None
    if not isinstance(token, str) or not token:
        return address_of(request.environ)
    # JSON can hold lone surrogates, which UTF-8 cannot; the operation rejects them
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


def _or_by_cookie(view: Callable[..., Response]) -> Callable[..., Response]:
    """Reads the refresh token from the cookie when the map page, which sends no body, calls."""

    @wraps(view)
    def wrapper() -> Response:
        if page_cookie.is_wanted():
            return _refreshed(page_cookie.token() or "", rotate=False)
        return view()

    return wrapper


@blueprint.operation(
    "/auth/token",
    id="refreshToken",
    method="POST",
    response=schemas.Refreshed,
    cache="none",
    errors=(401, 413, 415),
    limit=RateLimit("refresh", "10/minute", _by_refresh_token, closed_without_store=True),
)
@_or_by_cookie
@blueprint.arguments(schemas.RefreshBody)
def refresh_token(args: dict[str, Any]) -> Response:
    """A new access token for a refresh token

    The refresh token stays valid unless `rotate` is true: then both are new, and for 30 seconds, until
    the successor is first used, a retry with the old one gets the same successor. Any later use of it
    ends the session."""
    return _refreshed(args["refresh_token"], rotate=args["rotate"])


def _refreshed(sent: str, *, rotate: bool) -> Response:
    try:
        token = tokens.read_refresh(sent)
    except tokens.Expired:
        raise Unauthorized("expired_refresh") from None
    except ApiError:
        raise Unauthorized("bad_refresh") from None
    refreshed = queries.refresh(database(), settings(), token, rotate=rotate)
    pair = _access(token.caller, refreshed.session_ends_at)
    if refreshed.successor:
        pair["refresh_token"] = _refresh(refreshed.successor)
    return json_value(pair)


@blueprint.operation(
    "/auth/logout",
    id="signOut",
    response=schemas.LoggedOut,
    auth="required",
    cache="none",
    head=False,
)
@blueprint.arguments(schemas.LogoutArgs, location="query")
def sign_out(args: dict[str, Any], caller: Caller) -> Response:
    """End the session; the user stays signed in at the identity provider"""
    queries.end(database(), caller, everywhere=args["all"])
    return json_value({"logged_out": True}, page_cookie.dropped() if page_cookie.token() else {})


@blueprint.read(
    "/auth/sessions",
    id="listSessions",
    response=schemas.Session(many=True),
    auth="required",
    cache="none",
)
def list_sessions(context: RequestContext, caller: Caller) -> Response:
    """The member's active sessions, last used first"""
    return json_value(queries.listed(context.db, caller, zone=context.settings.timezone))


@blueprint.operation(
    "/auth/sessions/<id:session_id>",
    id="endSession",
    method="DELETE",
    response=schemas.EndedSession,
    auth="required",
    cache="none",
)
def end_session(session_id: int, caller: Caller) -> Response:
    """End one of the member's sessions, for example that of a lost phone"""
    queries.end_other(database(), caller, session_id)
    return json_value({"id": session_id})


def _own_page() -> str:
    return f"{public_url()}/"


def _device() -> str:
    user_agent = request.headers.get("User-Agent", "")[: 4 * MAX_DEVICE]
    return "".join(c for c in user_agent if c.isprintable())[:MAX_DEVICE]


def _access(caller: Caller, session_ends_at: datetime) -> dict[str, object]:
    """A new access token and its lifetime in seconds."""
    life = tokens.access_life(session_ends_at)
    return {
        "access_token": tokens.issue_access(caller, life=life),
        "expires_in": int(life.total_seconds()),
    }


def _refresh(session: Issued) -> str:
    return tokens.issue_refresh(
        session.caller,
        session.jti,
        issued_at=session.issued_at,
        expires_at=session.session_ends_at,
    )
