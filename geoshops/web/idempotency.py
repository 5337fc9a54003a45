"""Idempotency-Key: a repeated request to create something takes effect once and gets the same response.

The command's SQL function stores the response in its own transaction; errors are not stored."""

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
    "description": "A repeated request with the same key and body gets the response to the first",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    "example": "8e03978e-40d5-43e8-bc93-6894a57f9324",
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
    """The key and the content hash of a request; both None if the client sent no key."""

    text: str | None
    request_hash: bytes | None


def key_of(body: Mapping[str, object]) -> Key:
    """The request's key. It hashes the parsed body, so that the JSON formatting does not matter.

    The path is normalised, and the query is ignored: a phone that retries may have moved."""
    text = request.headers.get(HEADER)
    if text is None:
        return Key(None, None)
    if not KEY.match(text):
        raise ApiError("bad_key", name=HEADER)
    path = url_for(str(request.endpoint), **(request.view_args or {}))
    content = json.dumps([request.method, path, sorted(body.items())])
    return Key(text, hashlib.sha256(content.encode()).digest())
