"""Verifies id_tokens: the issuer's keys, the signature, and every claim that OpenID Connect requires."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import jwt

from geoshops.auth.outbound import Calls, ProviderFailed
from geoshops.errors import ApiError

# By key type and curve. Public-key algorithms only: with HMAC, anybody could sign with the published key.
ALGORITHMS = {
    ("RSA", None): ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    ("EC", "P-256"): ("ES256",),
    ("EC", "P-384"): ("ES384",),
    ("OKP", "Ed25519"): ("EdDSA",),
}
KEYS_LIVE_S = 3600
UNKNOWN_KID_EVERY_S = 60
LEEWAY_S = 30
MAX_CHARS = 16 * 1024
REQUIRED_CLAIMS = ("iss", "aud", "sub", "exp", "iat")
TIMES = ("exp", "iat", "nbf")


@dataclass(frozen=True)
class PublishedKey:
    """A public key and the algorithms for which it may be used."""

    public: Any
    algorithms: tuple[str, ...]


class Keys:
    """The published keys of one issuer, cached for an hour; an unknown `kid` fetches them again, at most once a minute.

    They are fetched with `Calls`, because PyJWT's JWKS client does not limit the response size."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.by_kid: dict[str | None, PublishedKey] = {}
        self.read_at = float("-inf")

    def find(self, calls: Calls, url: str, kid: str | None) -> PublishedKey:
        """The key with that `kid`, or the only key if the token names none."""
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


def _keys(document: Mapping[str, Any]) -> dict[str | None, PublishedKey]:
    keys = {}
    listed = document.get("keys")
    for item in listed if isinstance(listed, list) else []:
        if not isinstance(item, dict) or item.get("use", "sig") != "sig":
            continue
        try:
            allowed = ALGORITHMS[item["kty"], item.get("crv")]
            algorithms = tuple(name for name in allowed if item.get("alg", name) == name)
            public = jwt.PyJWK.from_dict(item, algorithms[0]).key
            keys[item.get("kid")] = PublishedKey(public, algorithms)
        except (jwt.PyJWTError, ValueError, TypeError, LookupError):
            continue
    if not keys:
        raise ProviderFailed("no supported key in the key set")
    return keys


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
    """The verified claims of an id_token; raises ProviderFailed if any required claim is invalid."""
    if not isinstance(token, str) or len(token) > MAX_CHARS:
        raise ProviderFailed("id_token: missing or too long")
    try:
        key = keys.find(calls, keys_url, jwt.get_unverified_header(token).get("kid"))
        claims = jwt.decode(
            token,
            key.public,
            algorithms=key.algorithms,
            audience=client_id,
            issuer=list(issuers),
            leeway=LEEWAY_S,
            # some providers send numeric subjects
            options={
                "require": list(REQUIRED_CLAIMS),
                "verify_sub": False,
                "enforce_minimum_key_length": True,
            },
        )
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError) as error:
        raise ProviderFailed(f"id_token: {type(error).__name__}") from None
    _check_times(claims)
    _check_party(claims, client_id)
    # Checked only if the client sent a nonce; a different one belongs to another sign-in.
    if nonce is not None and claims.get("nonce") != nonce:
        raise ApiError("nonce_differs")
    return claims


def _check_times(claims: Mapping[str, Any]) -> None:
    # PyJWT also accepts strings of digits
    if any(type(claims.get(name, 0)) not in (int, float) for name in TIMES):
        raise ProviderFailed("id_token: a time is not a number")


def _check_party(claims: Mapping[str, Any], client_id: str) -> None:
    audience = claims["aud"]
    several = isinstance(audience, list) and len(audience) > 1
    if claims.get("azp", None if several else client_id) != client_id:
        raise ProviderFailed("id_token: issued to another client")
