"""WSGI middleware around every request: request id, CORS, security and rate limit headers, logs and metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

from flask import Flask
from flask_cors.core import get_cors_headers, get_cors_options
from werkzeug.datastructures import EnvironHeaders
from werkzeug.middleware.proxy_fix import ProxyFix

from geoshops.config import Settings
from geoshops.request_context import CURRENT
from geoshops.web import telemetry
from geoshops.web.rate_limits import Limits
from geoshops.web.request import REQUEST_ID, Environ, start_request

HSTS = ("Strict-Transport-Security", "max-age=31536000")
EXPOSED = (
    "ETag",
    "Link",
    "Location",
    "X-Total-Count",
    "X-Total-Count-Capped",
    "X-Result-Truncated",
    "X-Ignored-Words",
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
Headers = list[tuple[str, str]]
StartResponse = Callable[..., Any]
Wsgi = Callable[[Environ, StartResponse], Iterable[bytes]]


class Middleware:
    """A WSGI application around another one."""

    def __init__(self, app: Flask, inner: Wsgi, settings: Settings, limits: Limits | None) -> None:
        self._inner, self._settings, self._limits = inner, settings, limits
        self._cors: Any = None
        if settings.cors_origins:
            self._cors = get_cors_options(app, cast(Any, cors_options(settings)))

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Adds headers that the response does not set itself."""
        start_request(environ)

        def start(status: str, headers: Headers, exc_info: Any = None) -> Any:
            code = int(status[:3])
            added = self._headers(environ, code, {name for name, _ in headers})
            telemetry.record(environ, code, self._settings.log_format)
            return start_response(status, [*headers, *added], exc_info)

        current = CURRENT.set(environ)
        try:
            return self._inner(environ, start)
        finally:
            CURRENT.reset(current)

    def _headers(self, environ: Environ, status: int, present: set[str]) -> Headers:
        secure = environ["wsgi.url_scheme"] == "https"
        security = (HSTS, *SECURITY) if secure else SECURITY
        added = [header for header in security if header[0] not in present]
        added.append(("X-Request-ID", environ[REQUEST_ID]))
        if self._limits:
            added += self._limits.finish(environ, status)
        if self._cors:
            sent: Any = EnvironHeaders(environ)
            added += get_cors_headers(self._cors, sent, environ["REQUEST_METHOD"]).items()
        return added


def cors_options(settings: Settings) -> dict[str, object]:
    """Options for flask-cors."""
    return {
        "origins": list(settings.cors_origins),
        "expose_headers": list(EXPOSED),
        "max_age": 7200,
        "send_wildcard": False,
    }


def wrap(app: Flask, inner: Wsgi, settings: Settings, limits: Limits | None) -> None:
    """Wraps the inner application in the middleware and installs it as the WSGI application."""
    wrapped: Wsgi = Middleware(app, inner, settings, limits)
    if settings.trusted_proxies:
        hops = settings.trusted_proxies
        wrapped = cast(Wsgi, ProxyFix(cast(Any, wrapped), x_for=hops, x_proto=hops, x_host=hops))
    app.wsgi_app = wrapped  # type: ignore[method-assign, assignment]
