"""What every request passes: identifier, representation, caching and security headers, CORS, proxies."""

from __future__ import annotations

import json
import os
import re
from typing import Any

from flask import Flask, Response, current_app, g, request
from flask_cors import CORS
from werkzeug.exceptions import MethodNotAllowed
from werkzeug.middleware.proxy_fix import ProxyFix

from geoshops.config import Settings
from geoshops.errors import ApiError

HOST = re.compile(r"[A-Za-z0-9._:\[\]-]{1,255}\Z")
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}\Z")
HSTS_S = 31_536_000
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
    "RateLimit",
    "RateLimit-Policy",
)
SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}


def init_app(app: Flask, settings: Settings) -> None:
    """Registers the hooks around every request."""
    app.config["MAX_CONTENT_LENGTH"] = settings.max_body_bytes
    app.extensions["geoshops.settings"] = settings
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.url_map.strict_slashes = False
    app.before_request(begin)
    app.after_request(finish)
    if settings.cors_origins:
        CORS(
            app,
            origins=list(settings.cors_origins),
            expose_headers=list(EXPOSED),
            max_age=7200,
            send_wildcard=False,
        )
    if settings.trusted_proxies:
        hops = settings.trusted_proxies
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops
        )


def settings() -> Settings:
    """The settings of the current application."""
    found: Settings = current_app.extensions["geoshops.settings"]
    return found


def public_url() -> str:
    """Origin of absolute addresses, without a trailing slash."""
    return settings().public_url.rstrip("/") or _origin(request.scheme, request.host)


def _origin(scheme: str, host: str) -> str:
    # a Host header is the client's word: what cannot stand in a URL does not go into answers
    return f"{scheme}://{host if HOST.match(host) else 'localhost'}"


def begin() -> None:
    """Names the request and refuses representations that the operation does not have."""
    sent = request.headers.get("X-Request-ID", "")
    g.request_id = sent if REQUEST_ID.match(sent) else os.urandom(16).hex()
    if request.method == "HEAD":
        _refuse_to_act()
    accept = request.headers.get("Accept", "*/*")
    if accept in ("*/*", "application/json") or request.endpoint is None:
        return
    contract = _contract()
    if contract and not request.accept_mimetypes.best_match(contract.produces):
        raise ApiError("not_acceptable")


def _contract() -> Any:
    return getattr(current_app.view_functions.get(request.endpoint or ""), "contract", None)


def _refuse_to_act() -> None:
    contract = _contract()
    if contract and not contract.head:
        raise MethodNotAllowed(["GET", "OPTIONS"])


def finish(response: Response) -> Response:
    """Adds the identifier, caching and security headers; turns an unchanged answer into 304."""
    headers = response.headers
    if request.method == "OPTIONS" and response.status_code == 200 and "Allow" in headers:
        _tell_methods(response)
    headers.add("X-Request-ID", g.get("request_id", ""))
    for name, value in SECURITY.items():
        if name not in headers:
            headers.add(name, value)
    if request.is_secure:
        headers.setdefault("Strict-Transport-Security", f"max-age={HSTS_S}")
    contract = _contract()
    if contract and response.status_code < 400 and "Cache-Control" not in headers:
        _caching(response, contract.cache)
    headers.setdefault("Cache-Control", "no-cache")
    if response.status_code == 200 and request.method in ("GET", "HEAD") and "ETag" not in headers:
        _validate(response)
    return response


def _tell_methods(response: Response) -> None:
    # the framework answers OPTIONS without a body; the contract has one for every answer
    response.data = json.dumps({"methods": sorted(response.allow)})
    response.mimetype = "application/json"


def _caching(response: Response, cache: str) -> None:
    if cache == "none":
        response.headers["Cache-Control"] = "no-store"
        return
    scope = "private" if "Authorization" in request.headers else "public"
    response.headers.add("Cache-Control", f"{scope}, no-cache")
    origin = ", Origin" if settings().cors_origins else ""
    response.headers.add("Vary", f"Accept, Authorization{origin}")


def _validate(response: Response) -> None:
    if response.is_streamed or response.headers.get("Cache-Control") == "no-store":
        return
    response.add_etag(weak=True)
    if "If-None-Match" in request.headers:
        response.make_conditional(request)
