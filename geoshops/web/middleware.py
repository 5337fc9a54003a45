"""What every request passes: identifier, representation, caching and security headers, CORS, proxies."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

from flask import Flask, Request, Response, current_app
from flask_cors import CORS
from werkzeug.exceptions import HTTPException
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.wsgi import get_host
from xxhash import xxh3_128_hexdigest

from geoshops.config import Settings
from geoshops.errors import ApiError
from geoshops.request_context import CURRENT
from geoshops.web.negotiation import best_type
from geoshops.web.request import FAILED, contract_of, name_request, this_request

HOST = re.compile(r"[A-Za-z0-9._:\[\]-]{1,255}\Z")
HSTS = ("Strict-Transport-Security", "max-age=31536000")
EXPOSED = (
    "ETag",
    "Link",
    "Location",
    "X-Total-Count",
    "X-Total-Count-Capped",
    "X-Result-Truncated",
    "X-Request-ID",
    "WWW-Authenticate",
    "Retry-After",
    "Idempotency-Replayed",
    "RateLimit",
    "RateLimit-Policy",
)
SECURITY = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Frame-Options", "DENY"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
)
Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Service(Flask):
    """The application. No view or hook is a coroutine; to ask that of each costs 16 us a request."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """The function as it is."""
        return func


def init_app(app: Flask, settings: Settings) -> None:
    """Registers the hooks around every request."""
    app.config["MAX_CONTENT_LENGTH"] = settings.max_body_bytes
    app.extensions["geoshops.settings"] = settings
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.url_map.strict_slashes = False
    app.before_request(begin)
    app.after_request(finish)
    if settings.cors_origins:
        CORS(app, **for_other_origins(settings))


def for_other_origins(settings: Settings) -> Any:
    """What flask-cors is told."""
    return {
        "origins": list(settings.cors_origins),
        "expose_headers": list(EXPOSED),
        "max_age": 7200,
        "send_wildcard": False,
    }


def route_no_head_to_acts(app: Flask) -> None:
    """Takes HEAD, which werkzeug gives to every GET, from those that act: it is 405, and no Allow names it."""
    for rule in app.url_map.iter_rules():
        contract = getattr(app.view_functions[rule.endpoint], "contract", None)
        if contract and not contract.head and rule.methods:
            rule.methods.discard("HEAD")


def wrap(app: Flask, inner: Wsgi, settings: Settings) -> None:
    """Puts what every request passes around the inner application, and makes it that of the service."""
    wrapped = framed(inner)
    if settings.trusted_proxies:
        hops = settings.trusted_proxies
        wrapped = ProxyFix(wrapped, x_for=hops, x_proto=hops, x_host=hops)
    app.wsgi_app = wrapped  # type: ignore[method-assign, assignment]


def settings() -> Settings:
    """The settings of the current application."""
    found: Settings = current_app.extensions["geoshops.settings"]
    return found


def public_url() -> str:
    """Origin of absolute addresses, without a trailing slash."""
    return origin_of(this_request().environ, settings())


def origin_of(environ: dict[str, Any], settings: Settings) -> str:
    """The same of a request."""
    if settings.public_url:
        return settings.public_url.rstrip("/")
    return _origin(environ["wsgi.url_scheme"], environ.get("HTTP_HOST") or get_host(environ))


@lru_cache(maxsize=64)
def _origin(scheme: str, named: str) -> str:
    host = get_host({"wsgi.url_scheme": scheme, "HTTP_HOST": named})
    # a Host header is the client's word: what cannot stand in a URL does not go into answers
    return f"{scheme}://{host if HOST.match(host) else 'localhost'}"


def begin() -> None:
    """Refuses representations that the operation does not have, and what was refused on the direct way."""
    asked = this_request()
    environ = asked.environ
    if FAILED in environ:
        raise environ[FAILED]
    accepted = environ.get("HTTP_ACCEPT", "*/*")
    if accepted == "*/*" or not (contract := contract_of(asked)):
        return
    produced = contract.produced(asked)
    if accepted not in produced and best_type(accepted, produced) is None:
        raise ApiError("not_acceptable")


def framed(wsgi: Wsgi) -> Wsgi:
    """Names the request and adds the identifier and the security headers that an answer does not set
    itself; set one by one in the response object they took a tenth of the time that Python spends on a
    radius search."""

    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        identifier = name_request(environ)

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            present = {name for name, _ in headers}
            ours = (HSTS, *SECURITY) if environ["wsgi.url_scheme"] == "https" else SECURITY
            missing = [header for header in ours if header[0] not in present]
            named = [*headers, ("X-Request-ID", identifier), *missing]
            return start_response(status, named, exc_info)

        current = CURRENT.set(environ)
        try:
            return wsgi(environ, start)
        finally:
            CURRENT.reset(current)

    return application


def finish(response: Response) -> Response:
    """Adds the caching headers; turns an unchanged answer into 304."""
    asked = this_request()
    environ, headers, status = asked.environ, response.headers, response.status_code
    if environ.get("CONTENT_LENGTH"):
        _take_the_rest(asked)
    method = environ["REQUEST_METHOD"]
    if method == "OPTIONS" and status == 200 and "Allow" in headers:
        _tell_methods(response)
    if "Cache-Control" not in headers:
        contract = contract_of(asked) if status < 400 else None
        for name, value in caching(contract, settings(), environ):
            headers.add(name, value)
    readable = status == 200 and method in ("GET", "HEAD")
    if readable and headers["Cache-Control"] != "no-store" and not response.is_streamed:
        _validate(asked, response)
    return response


def _take_the_rest(asked: Request) -> None:
    """Reads what nobody asked for: a server that closes on unread bytes may cut its own answer off."""
    if 0 < (asked.content_length or 0) <= settings().max_body_bytes:
        with suppress(HTTPException):
            asked.stream.read()


def _tell_methods(response: Response) -> None:
    # the framework answers OPTIONS without a body; the contract has one for every answer
    response.data = json.dumps({"methods": sorted(response.allow)})
    response.mimetype = "application/json"


def caching(
    contract: Any, settings: Settings, environ: Mapping[str, Any]
) -> tuple[tuple[str, str], ...]:
    """Cache-Control and Vary of an operation's answer; of others, without a contract, only the first."""
    if contract is None:
        return (("Cache-Control", "no-cache"),)
    if contract.cache == "none":
        return (("Cache-Control", "no-store"),)
    scope = "private" if "HTTP_AUTHORIZATION" in environ else "public"
    origin = ", Origin" if settings.cors_origins else ""
    return ("Cache-Control", f"{scope}, no-cache"), ("Vary", f"Accept, Authorization{origin}")


def etag(body: bytes) -> str:
    """The weak validator of an answer. SHA-1 of a radius search took 24 of the 130 us that Python spent on it."""
    return f'W/"{xxh3_128_hexdigest(body)}"'


def _validate(asked: Request, response: Response) -> None:
    if "ETag" not in response.headers:
        response.headers.add("ETag", etag(response.get_data()))
        if "HTTP_IF_NONE_MATCH" in asked.environ:
            response.make_conditional(asked)
