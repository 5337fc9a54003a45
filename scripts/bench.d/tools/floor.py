"""A constant response with the size of a radius search, by bare WSGI and by Flask."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from flask import Flask, Response

BODY = b"[" + b"x" * (int(os.environ["FLOOR_BYTES"]) - 2) + b"]"
HEADERS = [("Content-Type", "application/json"), ("Content-Length", str(len(BODY)))]

flasked = Flask(__name__)


def bare(_: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    """Bare WSGI: the cost of the server."""
    start("200 OK", HEADERS)
    return [BODY]


@flasked.get("/shops/brand")
def constant() -> Response:
    """The cost of the server and Flask."""
    return Response(BODY, mimetype="application/json")
