"""Reads properties of a request from its WSGI environment: id, path, client address, origin."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from functools import lru_cache
from random import getrandbits
from typing import Any, cast

from flask import Flask, current_app, request
from werkzeug.wsgi import get_host

from geoshops.config import Settings

Environ = dict[str, Any]

HOST = re.compile(r"[A-Za-z0-9._:\[\]-]{1,255}\Z")
REQUEST_ID_FORMAT = re.compile(r"[A-Za-z0-9._-]{1,128}\Z")
# keys of the WSGI environment under which the service stores properties of the request
REQUEST_ID, STARTED_S, ENDPOINT = (
    "geoshops.request_id",
    "geoshops.started_s",
    "geoshops.endpoint",
)


def start_request(environ: Environ) -> None:
    """Stores the request's start time and its id, which is the client's or a new one."""
    environ[STARTED_S] = time.perf_counter()
    sent = environ.get("HTTP_X_REQUEST_ID", "")
    valid = REQUEST_ID_FORMAT.match(sent)
    environ[REQUEST_ID] = sent if valid else f"{getrandbits(128):032x}"


def path_of(environ: Mapping[str, Any]) -> str:
    """The decoded path with exactly one leading slash, as the router sees it."""
    path: str = environ.get("PATH_INFO", "")
    if not path.isascii():
        path = path.encode("latin-1").decode(errors="replace")
    return f"/{path.lstrip('/')}"


def address_of(environ: Mapping[str, Any]) -> str:
    """The client's IP address; trusts as many proxies as GEOSHOPS_TRUSTED_PROXIES."""
    return environ.get("REMOTE_ADDR") or "unknown"


def origin_of(environ: Environ, settings: Settings) -> str:
    """Origin of absolute URLs in responses, without a trailing slash."""
    if settings.public_url:
        return settings.public_url.rstrip("/")
    return _origin(environ["wsgi.url_scheme"], environ.get("HTTP_HOST") or get_host(environ))


@lru_cache(maxsize=64)
def _origin(scheme: str, host_header: str) -> str:
    host = get_host({"wsgi.url_scheme": scheme, "HTTP_HOST": host_header})
    # the client controls the Host header, so an invalid host must not get into a response
    return f"{scheme}://{host if HOST.match(host) else 'localhost'}"


def keep_settings(app: Flask, settings: Settings) -> None:
    """Attaches the settings to the application."""
    app.extensions["geoshops.settings"] = settings


def settings() -> Settings:
    """The settings of the current Flask application."""
    return cast(Settings, current_app.extensions["geoshops.settings"])


def public_url() -> str:
    """Origin of absolute URLs in the response to Flask's current request."""
    return origin_of(request.environ, settings())
