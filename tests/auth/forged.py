"""Forged and altered tokens: (name, token) pairs derived from a valid one."""

from __future__ import annotations

import base64
import hmac
import json
import time
from collections.abc import Iterator
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

Forged = Iterator[tuple[str, str]]


def encoded(data: bytes) -> str:
    """base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def parts_of(token: str) -> tuple[dict[str, Any], dict[str, Any], str]:
    """Header, claims and signature of a token."""
    header, claims, signature = token.split(".")
    return _json(header), _json(claims), signature


def _json(part: str) -> dict[str, Any]:
    decoded: dict[str, Any] = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return decoded


def signed(header: dict[str, Any], claims: Any, key: str | bytes, *, hash: str = "sha256") -> str:
    """A token signed with HMAC, regardless of the algorithm in its header."""
    body = f"{encoded(json.dumps(header).encode())}.{encoded(json.dumps(claims).encode())}"
    secret = key.encode() if isinstance(key, str) else key
    return f"{body}.{encoded(hmac.new(secret, body.encode(), hash).digest())}"


def algorithm_none(good: str) -> Forged:
    """Eight spellings of `alg` none, each with an empty, the original and an invalid signature."""
    header, claims, signature = parts_of(good)
    for spelling in ("none", "None", "NONE", "nOnE", "", " none", "none ", "null"):
        body = f"{encoded(json.dumps({**header, 'alg': spelling}).encode())}.{encoded(json.dumps(claims).encode())}"
        for ending in ("", signature, "AA"):
            yield f"alg {spelling!r} {ending[:4]!r}", f"{body}.{ending}"


def algorithm_confusion(good: str, key: str) -> Forged:
    """Algorithms other than HS256, signed with the service's key or with a public key as HMAC secret."""
    header, claims, _ = parts_of(good)
    pair = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = pair.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    for algorithm in ("RS256", "ES256", "PS256", "EdDSA", "HS384", "HS512", "hs256"):
        yield (
            f"{algorithm} as HMAC by a public key",
            signed({**header, "alg": algorithm}, claims, pem),
        )
        hash = {"HS384": "sha384", "HS512": "sha512"}.get(algorithm, "sha256")
        yield (
            f"{algorithm} by our key",
            signed({**header, "alg": algorithm}, claims, key, hash=hash),
        )
    yield "public key as secret", signed(header, claims, pem)
    yield "no alg", signed({k: v for k, v in header.items() if k != "alg"}, claims, key)


def unknown_kids(good: str, key: str) -> Forged:
    """Thirteen unknown values of `kid`, each signed with four keys, and no `kid`."""
    header, claims, _ = parts_of(good)
    kids = [
        None, "", "0", 0, [], {}, True, "../../../../dev/null", "/etc/hostname", "' OR 1=1 --",
        "x" * 3000, header["kid"].upper() + " ", "\u0000",
    ]  # fmt: skip
    for kid in kids:
        for name, secret in (("ours", key), ("empty", b""), ("NUL", b"\0"), ("word", "secret")):
            yield (
                f"kid {str(kid)[:20]!r} key {name}",
                signed({**header, "kid": kid}, claims, secret),
            )
    without = {k: v for k, v in header.items() if k != "kid"}
    yield "no kid", signed(without, claims, key)


def keys_in_headers(good: str, key: str) -> Forged:
    """Headers that embed a key or link to one, critical extensions, and values of `typ`."""
    header, claims, _ = parts_of(good)
    jwk = {"kty": "oct", "k": encoded(b"mine"), "kid": header["kid"]}
    extras: list[dict[str, Any]] = [
        {"jwk": jwk},
        {"jku": "http://127.0.0.1:9/keys"},
        {"x5u": "http://127.0.0.1:9/cert"},
        {"x5c": ["MIIB"]},
        {"crit": ["exp"], "exp": 1},
        {"b64": False, "crit": ["b64"]},
        {"cty": "JWT"},
        {"zip": "DEF"},
    ]
    for extra in extras:
        yield f"header {next(iter(extra))}", signed({**header, **extra}, claims, b"mine")
        yield f"header {next(iter(extra))} by our key", signed({**header, **extra}, claims, key)
    for typ in ("jwt", "at+jwt", "", None, "JWE"):
        yield f"typ {typ!r}", signed({**header, "typ": typ}, claims, key)


def altered(good: str) -> Forged:
    """A valid token with characters or parts changed, added or removed."""
    head, body, signature = good.split(".")
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for at in (*range(0, len(signature), 4), len(signature) - 1):
        other = alphabet[(alphabet.index(signature[at]) + 1) % 64]
        yield f"signature byte {at}", f"{head}.{body}.{signature[:at]}{other}{signature[at + 1 :]}"
    more = parts_of(good)[1] | {"sub": "1"}
    yield "claims changed", f"{head}.{encoded(json.dumps(more).encode())}.{signature}"
    yield "no signature", f"{head}.{body}."
    yield "two parts", f"{head}.{body}"
    yield "four parts", f"{good}.{signature}"
    yield "padding", f"{good}="
    yield "not base64", f"{head}.{body}.{signature[:-1]}!"
    yield "not a token", "x"
    yield "dots", ".."
    yield "emoji", "😀.😀.😀"
    yield "deep header", f"{encoded(b'[' * 20000)}.{body}.{signature}"


def wrong_claims(good: str, key: str) -> Forged:
    """Tokens signed with the service's key in which one claim is missing, null or invalid."""
    header, claims, _ = parts_of(good)
    now = int(time.time())
    for name in ("sub", "sid", "jti", "iat", "nbf", "exp", "iss", "aud", "type"):
        yield f"without {name}", signed(header, {k: v for k, v in claims.items() if k != name}, key)
        yield f"null {name}", signed(header, {**claims, name: None}, key)
    invalid: dict[str, list[Any]] = {
        "sub": [1, "", "-1", "1.0", "01", " 1", "٣", "1e3", "9" * 30, ["1"], "x"],
        "sid": ["1", 1.5, True, 0, -1, 2**70, [1], {}],
        "jti": [1, [], True],
        "iat": [now + 3600, "now", 1.5, True],
        "nbf": [now + 3600, "now", 1.5],
        "exp": ["never", str(now + 3600), [], 1e300, True],
        "iss": ["geoshop", "GEOSHOPS", "", ["geoshops"], 1],
        "aud": ["other", "", ["other"], ["geoshops", "other"], 1],
        "type": ["refresh", "ACCESS", "", 1, ["access"], "id"],
    }
    for name, values in invalid.items():
        for value in values:
            yield f"{name} {str(value)[:24]!r}", signed(header, {**claims, name: value}, key)
    for body in ([], "text", 1, None):
        yield f"claims {body!r}", signed(header, body, key)


def all_forgeries(good: str, key: str) -> list[tuple[str, str]]:
    """Every forged token."""
    return [
        *algorithm_none(good),
        *algorithm_confusion(good, key),
        *unknown_kids(good, key),
        *keys_in_headers(good, key),
        *altered(good),
        *wrong_claims(good, key),
    ]
