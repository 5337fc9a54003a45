"""The response of an operation, before it is written to WSGI or converted for Flask."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import flask

JSON = "application/json"
GEOJSON = "application/geo+json"
HTML = "text/html"
NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Response(NamedTuple):
    """Body, operation-specific headers, status and media type."""

    body: bytes
    headers: Mapping[str, str] = NO_HEADERS
    status: int = 200
    media_type: str = JSON

    def all_headers(self) -> list[tuple[str, str]]:
        """The headers, including those of the content."""
        return [
            ("Content-Type", self.media_type),
            ("Content-Length", str(len(self.body))),
            *self.headers.items(),
        ]

    def to_flask(self) -> flask.Response:
        """The same response for Flask."""
        return flask.Response(self.body, self.status, self.all_headers())


def json_text(
    body: str | bytes, headers: Mapping[str, str] = NO_HEADERS, *, status: int = 200
) -> Response:
    """A response with JSON text from PostgreSQL."""
    return Response(body.encode() if isinstance(body, str) else body, headers, status)


def json_value(value: object, headers: Mapping[str, str] = NO_HEADERS) -> Response:
    """A response with a Python value as JSON; non-ASCII characters are not escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return json_text(text, headers)
