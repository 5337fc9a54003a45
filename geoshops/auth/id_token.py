"""Verification of id_tokens: the issuer's keys, the signature, and every claim that OpenID Connect demands."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Mapping
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, OKPKey, RSAKey

from geoshops.auth.outbound import Calls, ProviderFailed
from geoshops.errors import ApiError

# signatures by public keys only: with a shared secret the published key could sign
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
KEY_TYPES: dict[str, Any] = {"RSA": RSAKey, "EC": ECKey, "OKP": OKPKey}
KEYS_LIVE_S = 3600
UNKNOWN_KID_EVERY_S = 60
LEEWAY_S = 30
MAX_CHARS = 16 * 1024


class Keys:
    """The published keys of one issuer, kept for an hour; an unknown `kid` asks anew once a minute at most."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.by_kid: dict[str | None, Any] = {}
        self.read_at = float("-inf")

    def find(self, calls: Calls, url: str, kid: str | None) -> Any:
        """The key of that `kid`, or the only one there is where the token names none."""
        with self.lock:
            age_s = time.monotonic() - self.read_at
            if age_s > KEYS_LIVE_S or (kid not in self.by_kid and age_s > UNKNOWN_KID_EVERY_S):
                self.by_kid = _keys(calls.get(url).body)
                self.read_at = time.monotonic()
            if kid is None and len(self.by_kid) == 1:
                return next(iter(self.by_kid.values()))
            if kid not in self.by_kid:
                raise ProviderFailed("id_token: unknown key")
            return self.by_kid[kid]


def _keys(document: Mapping[str, Any]) -> dict[str | None, Any]:
    found = {}
    listed = document.get("keys")
    for item in listed if isinstance(listed, list) else []:
        if not isinstance(item, dict) or item.get("use", "sig") != "sig":
            continue
        kid, kind = item.get("kid"), KEY_TYPES.get(str(item.get("kty")))
        try:
            if kind is not None and (kid is None or isinstance(kid, str)):
                found[kid] = kind.import_key(item)
        except (JoseError, ValueError, TypeError, KeyError):
            continue
    if not found:
        raise ProviderFailed("no usable key is published")
    return found


def verified(
    token: object,
    *,
    calls: Calls,
    keys: Keys,
    keys_url: str,
    issuers: Collection[str],
    client_id: str,
    nonce: str | None,
) -> dict[str, Any]:
    """The claims of an id_token; ProviderFailed unless every one of them is right."""
    if not isinstance(token, str) or len(token) > MAX_CHARS:
        raise ProviderFailed("id_token: missing or too long")
    try:
        decoded = jwt.decode(
            token,
            lambda guest: keys.find(calls, keys_url, guest.headers().get("kid")),
            algorithms=ALGORITHMS,
        )
        _registry(issuers, client_id).validate(decoded.claims)
    except (JoseError, ValueError, TypeError, RecursionError) as error:
        raise ProviderFailed(f"id_token: {type(error).__name__}") from None
    _check_party(decoded.claims, client_id)
    # An unasked nonce belongs to a sign-in that we cannot see; a differing one to somebody else's.
    if nonce is not None and decoded.claims.get("nonce") != nonce:
        raise ApiError("nonce_differs")
    return dict(decoded.claims)


def _registry(issuers: Collection[str], client_id: str) -> jwt.JWTClaimsRegistry:
    return jwt.JWTClaimsRegistry(
        leeway=LEEWAY_S,
        iss={"essential": True, "values": list(issuers)},
        aud={"essential": True, "value": client_id},
        sub={"essential": True},
        exp={"essential": True},
        iat={"essential": True},
    )


def _check_party(claims: Mapping[str, Any], client_id: str) -> None:
    audience = claims["aud"]
    several = isinstance(audience, list) and len(audience) > 1
    if claims.get("azp", None if several else client_id) != client_id:
        raise ProviderFailed("id_token: made for another party")
