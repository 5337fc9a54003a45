"""Assigns Python stacks to layers of the service."""

from __future__ import annotations

import re
from collections.abc import Iterable

SERVER = "server"
# the innermost matching frame decides; frames of the standard library count for their caller
LAYERS = (
    ("log and metrics", r"geoshops/web/telemetry\.py|/logging/|^logging/|prometheus_client/"),
    ("token", r"geoshops/web/(tokens|authentication)\.py|flask_jwt_extended/|^jwt/|/jwt/"),
    ("parsing and validation", r"geoshops/(web/parsing|web/fields|shops/schemas|geo)\.py|marshmallow/|webargs/|flask_smorest/"
                               r"|werkzeug/(urls|datastructures/structures)\.py"),
    ("driver", r"geoshops/database/pool\.py|geoshops/shops/queries\.py|psycopg2/"),
    ("pool", r"sqlalchemy/"),
    ("frame: id, headers, ETag", r"geoshops/(web/middleware|web/rate_limits|web/request|errors)\.py|werkzeug/(http|wrappers/etag)\.py|flask_cors/"
                                 r"|werkzeug/sansio/http\.py"),
    (SERVER, r"granian/"),
    ("routing, context, response", r"flask/|werkzeug/|geoshops/|wsgi\.py"),
)  # fmt: skip
COMPILED = tuple((name, re.compile(pattern)) for name, pattern in LAYERS)
OTHER = "other"
# threads that handle no requests: the server's own, and monitors of the service
ANSWERING = "granian/wsgi.py"


def layer(stack: str) -> str | None:
    """Returns the layer of a py-spy stack: `function (file:line)` separated by semicolons, outermost first.

    Returns None for a thread that handles no requests."""
    if ANSWERING not in stack:
        return None
    for frame in reversed(stack.split(";")):
        place = frame.rpartition("(")[2]
        for name, pattern in COMPILED:
            if pattern.search(place):
                return name
    return OTHER


def by_layer(lines: Iterable[str]) -> dict[str, int]:
    """Counts samples by layer in py-spy's raw output, whose lines end with their number of samples."""
    found: dict[str, int] = {}
    for line in lines:
        stack, _, count = line.rpartition(" ")
        name = layer(stack) if count.isdigit() else None
        if name:
            found[name] = found.get(name, 0) + int(count)
    return found
