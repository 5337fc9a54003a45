"""What the sign-in endpoints take and answer."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, missing

from geoshops.errors import Reason
from geoshops.web.fields import Args, Body, Flag, Text, invalid


class Token(Text):
    """A code, token or address: taken exactly as sent."""

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


def described(text: str, **more: object) -> dict[str, object]:
    """Metadata of a documented field."""
    return {"description": text, **more}


LIFE = described("Seconds for which the access token is valid", example=1800)


class StartArgs(Args):
    """Query of GET /auth/authorize."""

    redirect_uri = Token(
        load_default=None, metadata=described("Where to come back; the first allowed when omitted")
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
        metadata={
            **described("Authorization code of the identity provider"),
            "example": "SplxlOBeZQQYbYS6WxSbIA",
        },
    )
    redirect_uri = Token(
        load_default=None,
        metadata=described("The address to which the code was sent; the first allowed if omitted"),
    )
    code_verifier = Token(
        high=128, load_default=None, metadata=described("PKCE verifier of this sign-in (RFC 7636)")
    )
    nonce = Token(
        high=512,
        load_default=None,
        metadata=described("Nonce of this sign-in, compared with the provider's answer"),
    )
    state = Token(
        high=512,
        load_default=None,
        metadata=described("Passed on to providers that want it; checking it is the client's duty"),
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

    refresh_token = Token(required=True)
    rotate = Switch(
        metadata=described(
            "Also replace the refresh token; the old one is dead after 30 seconds or the first use of the new one"
        ),
    )


class TokenPair(Schema):
    """The tokens of a session."""

    access_token = fields.String(required=True, metadata=described("Bearer token (JWT)"))
    expires_in = fields.Integer(required=True, metadata=LIFE)
    refresh_token = fields.String(
        required=True, metadata=described("For POST /auth/token when the access token expired")
    )


class Refreshed(Schema):
    """A new access token; with `rotate` also the next refresh token."""

    access_token = fields.String(required=True)
    expires_in = fields.Integer(required=True, metadata=LIFE)
    refresh_token = fields.String(metadata=described("Only after a rotation"))


class Started(Schema):
    """How to begin a sign-in. state, nonce and code_verifier stay with the front end."""

    authorize_url = fields.String(required=True, metadata=described("Send the browser there"))
    state = fields.String(
        required=True, metadata=described("Compare with the one that comes back with the code")
    )
    nonce = fields.String(required=True, metadata=described("Send along with the code"))
    code_verifier = fields.String(required=True, metadata=described("Send along with the code"))
    expires_in_s = fields.Integer(required=True)


class LoggedOut(Schema):
    """The session is over."""

    logged_out = fields.Boolean(required=True)


class Session(Schema):
    """A living session of the member."""

    id = fields.Integer(required=True)
    device = fields.String(required=True, metadata=described("User-Agent of the sign-in"))
    create_date = fields.List(
        fields.Integer(), required=True, metadata={"minItems": 6, "maxItems": 7}
    )
    last_used_date = fields.List(
        fields.Integer(), required=True, metadata={"minItems": 6, "maxItems": 7}
    )
    is_current = fields.Boolean(required=True)


class EndedSession(Schema):
    """The session that was ended."""

    id = fields.Integer(required=True)
