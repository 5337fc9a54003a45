"""Idempotency-Key: a creating request that is repeated has one effect and one answer.

The answer is stored by the act's own SQL function, in the act's own transaction; refusals are not stored."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from flask import request, url_for

from geoshops.errors import ApiError

HEADER = "Idempotency-Key"
KEY = re.compile(r"[\x21-\x7e]{1,255}\Z")
PARAMETER: dict[str, object] = {
    "in": "header",
    "name": HEADER,
    "description": "A repeated request with the same key and body gets the answer of the first",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}  # fmt: skip

REPLAYED = "Idempotency-Replayed"
REPLAYED_HEADER: dict[str, object] = {
    REPLAYED: {
        "description": "true when this is the stored response to an earlier request with the key",
        "schema": {"type": "string", "enum": ["true"]},
    }
}


@dataclass(frozen=True)
class Key:
    """The key of a request and what it asks for; both None when the client sent no key."""

    text: str | None
    request_hash: bytes | None


def key_of(body: Mapping[str, object]) -> Key:
    """The request's key; `body` is what was read of it, so that spelling does not count.

    Neither does it in the path, and the query is not asked: a phone that tries again has moved."""
    text = request.headers.get(HEADER)
    if text is None:
        return Key(None, None)
    if not KEY.match(text):
        raise ApiError("bad_key", name=HEADER)
    path = url_for(str(request.endpoint), **(request.view_args or {}))
    asked = [request.method, path, sorted(body.items())]
    return Key(text, hashlib.sha256(json.dumps(asked).encode()).digest())
