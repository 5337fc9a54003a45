"""The direct way of plain reading requests, such as a map's at every pan and zoom.

Flask's routing, contexts, request and response took 70 of the 96 us of Python of a radius search; without them a third
more are answered a second (2376 instead of 1771). Every other request and every refusal takes the framework's way; tests
ask both ways the same and compare."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple
from urllib.parse import unquote

from flask import Flask
from flask_cors.core import get_cors_headers, get_cors_options
from werkzeug.datastructures import EnvironHeaders

from geoshops.config import Settings
from geoshops.errors import ApiError
from geoshops.web import telemetry, tokens
from geoshops.web.middleware import HOST, caching, etag, for_other_origins, origin_of
from geoshops.web.rate_limits import READS, Limits, address_in
from geoshops.web.reads import Answer, Asked, Reading
from geoshops.web.request import FAILED

# pairs of a name and a value, visible ASCII
PLAIN_QUERY = re.compile(r"(?:\w+=[!-%'-<>-~]*(?:&(?!\Z)|\Z))*\Z", re.ASCII)
ID, PLAIN_ID = re.compile(r"<id:(\w+)>"), r"(?P<\1>[0-9]{1,18})"


class Plain(NamedTuple):
    """A request that needs nothing of the framework, understood."""

    endpoint: str
    reading: Reading
    asked: Asked
    args: dict[str, Any]
    more: dict[str, Any]


class Operations:
    """The reading operations by the paths of requests."""

    def __init__(self, app: Flask) -> None:
        self._by_path: dict[str, tuple[str, Reading]] = {}
        self._by_pattern: list[tuple[re.Pattern[str], str, Reading]] = []
        for rule in app.url_map.iter_rules():
            reading = getattr(app.view_functions[rule.endpoint], "reading", None)
            if reading is None:
                continue
            if rule.arguments:
                pattern = re.compile(ID.sub(PLAIN_ID, rule.rule) + r"\Z")
                self._by_pattern.append((pattern, rule.endpoint, reading))
            else:
                self._by_path[rule.rule] = (rule.endpoint, reading)

    def of(self, path: str) -> tuple[str, Reading, dict[str, Any]] | None:
        """The endpoint, its operation and the identifiers in the path."""
        found = self._by_path.get(path)
        if found:
            return *found, {}
        for pattern, endpoint, reading in self._by_pattern:
            match = pattern.match(path)
            if match:
                return endpoint, reading, {name: int(id) for name, id in match.groupdict().items()}
        return None


class Direct:
    """Answers plain requests, gives every other one to the framework."""

    def __init__(self, app: Flask, settings: Settings) -> None:
        self._app, self._settings, self._framework = app, settings, app.wsgi_app
        self._operations, self._keys = Operations(app), app.extensions["geoshops.keys"]
        self._limits: Limits | None = app.extensions.get("geoshops.web.rate_limits")
        self._cors = get_cors_options(app, for_other_origins(settings))

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """A WSGI application."""
        try:
            plain = self._understood(environ)
        except (ApiError, UnicodeDecodeError):
            plain = None
        if plain is None:
            return self._framework(environ, start_response)
        try:
            if self._limits:
                self._limits.take(environ, READS, address_in(environ))
            answer = plain.reading.read(plain.asked, plain.args, **plain.more)
        except Exception as error:
            # what is wrong with the request itself is told after a look at the session: there, and anew
            if getattr(error, "status", 500) not in tokens.BEFORE_THE_ACT:
                environ[FAILED] = error
            return self._framework(environ, start_response)
        answered = telemetry.Answered("GET", plain.asked.path, plain.endpoint, 200)
        telemetry.record(answered, environ, self._settings.log_format)
        start_response("200 OK", self._headers(environ, plain.reading, answer))
        return (answer.body,)

    def _understood(self, environ: dict[str, Any]) -> Plain | None:
        found = self._operations.of(environ.get("PATH_INFO", ""))
        if found is None or not _is_plain(environ):
            return None
        endpoint, reading, more = found
        signed = environ.get("HTTP_AUTHORIZATION")
        if reading.auth == "required" and signed is None:
            return None
        if reading.auth != "none":
            more["caller"] = None if signed is None else tokens.caller_of(signed, self._keys)
        query = environ.get("QUERY_STRING", "")
        sent = dict(map(_pair, query.split("&"))) if query else {}
        if query and len(sent) <= query.count("&"):
            return None  # repeated
        args = reading.load.plain(sent, query)
        asked = Asked(
            self._app.extensions["geoshops.database.pool"], self._settings, origin_of(environ, self._settings),
            environ["PATH_INFO"], sent,
        )  # fmt: skip
        return Plain(endpoint, reading, asked, args, more)

    def _headers(
        self, environ: dict[str, Any], reading: Reading, answer: Answer
    ) -> list[tuple[str, str]]:
        headers = [
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(answer.body))),
            *answer.headers.items(),
            *self._of_deployment(environ),
            *caching(reading.contract, self._settings, environ),
        ]
        if reading.contract.cache != "none":
            headers.append(("ETag", etag(answer.body)))
        return headers

    def _of_deployment(self, environ: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """What is said where reads are limited or other origins may ask."""
        if self._limits:
            yield from self._limits.left(environ)
        if self._settings.cors_origins:
            sent: Any = EnvironHeaders(environ)
            yield from get_cors_headers(self._cors, sent, "GET").items()


def _is_plain(environ: dict[str, Any]) -> bool:
    return bool(
        environ["REQUEST_METHOD"] == "GET"
        and environ.get("HTTP_ACCEPT", "*/*") in ("*/*", "application/json")
        and "HTTP_IF_NONE_MATCH" not in environ
        and not environ.get("CONTENT_LENGTH")
        and HOST.match(environ.get("HTTP_HOST", ""))
        and PLAIN_QUERY.match(environ.get("QUERY_STRING", ""))
    )


def _pair(part: str) -> tuple[str, str]:
    name, _, text = part.partition("=")
    return name, unquote(text.replace("+", " "), errors="strict")
