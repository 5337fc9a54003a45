"""Query, body and response schemas of sign-in."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, missing

from geoshops.errors import Reason
from geoshops.web.examples import ORIGIN, SESSION_ID
from geoshops.web.fields import Args, Body, DateArray, Flag, Text, described, invalid
from geoshops.web.tokens import GRACE_S


class Token(Text):
    """A code, token or URL, used exactly as sent."""

    def __init__(self, *, high: int = 4096, **kwargs: Any) -> None:
        super().__init__(
            high=high, exact=True, error_messages={"null": Reason("not_text", {})}, **kwargs
        )


class Switch(fields.Boolean):
    """A JSON boolean, off when omitted or null."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(load_default=False, allow_none=True, **kwargs)

    def deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """True or false."""
        return super().deserialize(missing if value is None else value, *args, **kwargs)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bool:
        if not isinstance(value, bool):
            raise invalid("not_a_boolean")
        return value


# an unsigned token of the example member
TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMCJ9.c2lnbmF0dXJl"
# state, nonce, verifier and challenge are those of OpenID Connect Core and RFC 7636, appendix B
AUTHORIZE_URL = (
    "https://id.example/authorize?response_type=code&client_id=geoshops&scope=openid"
    f"&redirect_uri={ORIGIN}/&state=af0ifjsldkj&nonce=n-0S6_WzA2Mj"
    "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
)
LIFE = described("Lifetime of the access token in seconds", 1800)


class StartArgs(Args):
    """Query of GET /auth/authorize."""

    redirect_uri = Token(
        load_default=None, metadata=described("Redirect URI; the first allowed one when omitted")
    )
    provider = Token(
        high=100,
        load_default=None,
        metadata=described("Configured provider; the default when omitted"),
    )


class SignInArgs(Args):
    """Query of GET /auth/login/idp."""

    code = Token(
        required=True,
        metadata=described("Authorization code of the identity provider", "SplxlOBeZQQYbYS6WxSbIA"),
    )
    redirect_uri = Token(
        load_default=None,
        metadata=described(
            "Redirect URI that received the code; the first allowed one when omitted"
        ),
    )
    code_verifier = Token(
        high=128, load_default=None, metadata=described("PKCE verifier of this sign-in (RFC 7636)")
    )
    nonce = Token(
        high=512,
        load_default=None,
        metadata=described("Nonce of this sign-in, compared with that of the id_token"),
    )
    state = Token(
        high=512,
        load_default=None,
        metadata=described("Passed on to providers that need it; the client must verify it"),
    )
    provider = Token(
        high=100,
        load_default=None,
        metadata=described("Configured provider; the default when omitted"),
    )


class LogoutArgs(Args):
    """Query of GET /auth/logout."""

    all = Flag(load_default=False, metadata=described("Ends every session of the member"))


class RefreshBody(Body):
    """Body of POST /auth/token."""

    refresh_token = Token(required=True, metadata={"example": TOKEN})
    rotate = Switch(
        metadata=described(
            f"Also replace the refresh token; the old one expires after {GRACE_S} seconds or at the first use of the new one"
        ),
    )


class TokenPair(Schema):
    """The tokens of a session."""

    access_token = fields.String(required=True, metadata=described("Bearer token (JWT)", TOKEN))
    expires_in = fields.Integer(required=True, metadata=LIFE)
    refresh_token = fields.String(
        required=True,
        metadata=described("For POST /auth/token when the access token has expired", TOKEN),
    )


class Refreshed(Schema):
    """A new access token; with `rotate` also the next refresh token."""

    access_token = fields.String(required=True, metadata={"example": TOKEN})
    expires_in = fields.Integer(required=True, metadata=LIFE)
    refresh_token = fields.String(metadata=described("Only if it was rotated"))


class Started(Schema):
    """How to begin a sign-in. The front end keeps state, nonce and code_verifier."""

    authorize_url = fields.String(
        required=True,
        metadata=described("URL to which to redirect the browser", AUTHORIZE_URL),
    )
    state = fields.String(
        required=True,
        metadata=described("Compare with the one that comes back with the code", "af0ifjsldkj"),
    )
    nonce = fields.String(
        required=True, metadata=described("Send along with the code", "n-0S6_WzA2Mj")
    )
    code_verifier = fields.String(
        required=True,
        metadata=described(
            "Send along with the code", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        ),
    )
    expires_in_s = fields.Integer(required=True, metadata={"example": 600})


class LoggedOut(Schema):
    """The session has ended."""

    logged_out = fields.Boolean(required=True, metadata={"example": True})


class Session(Schema):
    """An active session of the member."""

    id = fields.Integer(required=True, metadata={"example": SESSION_ID})
    device = fields.String(
        required=True,
        metadata=described("User-Agent of the sign-in", "Mozilla/5.0 (Linux; Android 16)"),
    )
    create_date = DateArray()
    last_used_date = DateArray()
    is_current = fields.Boolean(required=True, metadata={"example": True})


class EndedSession(Schema):
    """The session that was ended."""

    id = fields.Integer(required=True, metadata={"example": SESSION_ID})
