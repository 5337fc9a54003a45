"""Generates the configuration of nginx in front of the service, with the contract's error bodies and limits."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from geoshops.config import Settings
from geoshops.errors import RETRY_AFTER_S, ApiError, NotFound, Overloaded, Unreachable
from geoshops.messages import DEFAULT_LANGUAGE
from geoshops.web import assets
from geoshops.web.health import REJECTED_PER_REPORT
from geoshops.web.middleware import EXPOSED, SECURITY
from geoshops.web.negotiation import LANGUAGE_TAGS

TEMPLATE = Path(__file__).parent / "templates" / "nginx.conf"
# Concurrent requests in the service: those being served and a short queue. Others are rejected immediately, because a
# longer queue would only add latency.
IN_FLIGHT = 48
PROCESSES = 2  # each counts its own connections
# of the static files; the location of nginx's own list depends on the distribution
TYPES = {
    "application/json": "json",
    "application/manifest+json": "webmanifest",
    "font/woff2": "woff2",
    "image/png": "png",
    "image/svg+xml": "svg",
    "image/webp": "webp",
    "text/css": "css",
    "text/javascript": "js mjs",
}
BROTLI = {"text/javascript": "m?js", "text/css": "css", "application/json": "json"}
METHODS = "GET, HEAD, POST, PATCH, DELETE, OPTIONS"
# Pages of other origins must be able to read error responses; otherwise an overload looks like a network error.
CORS = {
    "Access-Control-Allow-Origin": "$readable_by",
    "Access-Control-Expose-Headers": ", ".join(EXPOSED),
}
# a sample of the requests rejected by overload is reported to the service, which counts them
REPORT_OVERLOAD = ("if ($reported) {", "  rewrite ^ /.rejected/full last;", "}")
# nginx cannot sort by weight: the first supported language in the header applies, unless its weight is 0
UNACCEPTABLE = r"[^,]*;\s*q=0?\.?0*\s*(?:,|$)"
KNOWN_TAG = rf"(?:^|,)\s*(?:{'|'.join(LANGUAGE_TAGS.values())})(?!{UNACCEPTABLE})"
PREFERS = {
    language: rf"^(?:(?!{KNOWN_TAG}).)*(?:^|,)\s*{tag}(?!{UNACCEPTABLE})"
    for language, tag in LANGUAGE_TAGS.items()
    if language != DEFAULT_LANGUAGE
}


@dataclass(frozen=True)
class ErrorPage:
    """An error response in the contract's form, in place of nginx's own page for these statuses."""

    name: str
    statuses: str
    error: ApiError


def error_pages(max_body_bytes: int) -> list[ErrorPage]:
    """The error pages of all statuses that nginx generates itself.

    501 and 505 are malformed requests. With 502 and 504, no worker was reached. 412 and 416 are failed
    conditions and invalid ranges of a cached file."""
    method = ApiError("method_not_allowed", name="$request_verb", headers={"Allow": METHODS})
    busy = ApiError("too_many_requests", headers={"Retry-After": str(RETRY_AFTER_S)})
    return [
        ErrorPage(
            "bad", "400 408 411 412 414 416 421 494 495 496 497 501 505", ApiError("bad_request")
        ),
        ErrorPage("missing", "403 404", NotFound("route")),
        ErrorPage("method", "405", method),
        ErrorPage("large", "413", ApiError("too_large", high=max_body_bytes)),
        ErrorPage("many", "429", busy),
        ErrorPage("unreachable", "500 502 503 504", Unreachable()),
    ]


FULL = ErrorPage("full", "", Overloaded())


def config_of(
    settings: Settings, *, servers: Sequence[str], listen: str, run: str, user: str = ""
) -> str:
    """Returns nginx.conf for a service with these settings."""
    return config(
        servers=servers,
        listen=listen,
        run=run,
        user=user,
        max_body_bytes=settings.max_body_bytes,
        cors_origins=settings.cors_origins,
        map_origins=settings.map_origins,
        basemap_file=settings.basemap_file,
    )


def config(
    *,
    servers: Sequence[str],
    listen: str,
    run: str,
    user: str = "",
    max_body_bytes: int,
    cors_origins: Sequence[str] = (),
    map_origins: Sequence[str] = (),
    basemap_file: str = "",
) -> str:
    """Returns nginx.conf for the service at these addresses; `run` is the directory of nginx's files."""
    pages = error_pages(max_body_bytes)
    # a single server is listed twice, so that a request that could not be sent is retried
    named = servers if len(servers) > 1 else (*servers, *servers)
    each = max(1, IN_FLIGHT // (len(named) * PROCESSES))
    values: dict[str, Any] = {
        "RUN": run,
        "PROCESSES": PROCESSES,
        "USER": f"user {user};" if user else "",
        "LISTEN": listen,
        "MAX_BODY_BYTES": max_body_bytes,
        "SERVERS": _lines(4, [f"server {place} max_fails=0 max_conns={each};" for place in named]),
        "WATCHED": _lines(4, [f"server {place} max_fails=0;" for place in named]),
        "REPORTED_PERCENT": 100 / REJECTED_PER_REPORT,
        "ORIGINS": _lines(4, [_origin(origin) for origin in cors_origins]),
        "BODIES": _lines(2, [line for page in (*pages, FULL) for line in _body(page)]),
        "ERROR_PAGES": _lines(4, [_error_page(page) for page in pages]),
        "ASSETS": assets.base(),
        "STATIC": assets.FOLDER,
        "IMMUTABLE": assets.IMMUTABLE,
        "ASSETS_POLICY": assets.policy(map_origins),
        "BROTLI": _lines(4, [*_brotli(map_origins)]),
        "TYPES": _lines(8, [f"{kind} {endings};" for kind, endings in TYPES.items()]),
        "LOCATIONS": _lines(4, [*_streets(basemap_file), *_locations(pages, bool(cors_origins))]),
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"@{name}@", str(value))
    return text


def _lines(indent: int, lines: Sequence[str]) -> str:
    return "\n".join(f"{' ' * indent}{line}" for line in lines)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _body(page: ErrorPage) -> list[str]:
    error = page.error
    bodies = {
        language: json.dumps(
            {"error_code": error.code, "error_message": error.message(language)}, ensure_ascii=False
        )
        for language in (DEFAULT_LANGUAGE, *PREFERS)
    }
    return [
        f"map $http_accept_language $body_{page.name} {{",
        f"  default {_quoted(bodies[DEFAULT_LANGUAGE])};",
        *(f"  '~*{pattern}' {_quoted(bodies[name])};" for name, pattern in PREFERS.items()),
        "}",
    ]


def _origin(origin: str) -> str:
    key = "default" if origin == "*" else _quoted(origin)
    return f"{key} {_quoted(origin)};"


def _error_page(page: ErrorPage) -> str:
    return f"error_page {page.statuses} ={page.error.status} /.rejected/{page.name};"


def _locations(pages: Sequence[ErrorPage], readable: bool) -> Iterator[str]:
    yield from _location("alive", 200, '\'{"status":"ok"}\'', {})
    for page in pages:
        unreachable = page.name == "unreachable"
        body = "$body_unreachable_or_full" if unreachable else f"$body_{page.name}"
        response = (page.error.status, body, _headers(page, readable))
        yield from _location(
            f"rejected/{page.name}", *response, REPORT_OVERLOAD if unreachable else ()
        )
    response = (FULL.error.status, f"$body_{FULL.name}", _headers(FULL, readable))
    yield from _location("rejected/unreported", *response)


def _streets(basemap_file: str) -> Iterator[str]:
    if not basemap_file:
        return
    yield "# Browsers request ranges of this file, which nginx serves without a worker."
    yield "location = /basemap/streets.pmtiles {"
    yield f"  alias {_quoted(str(Path(basemap_file).resolve()))};"
    yield "  add_header X-Request-ID $id always;"
    for header, value in {**dict(SECURITY), "Cache-Control": "public, max-age=60"}.items():
        yield f'  add_header {header} "{value}" always;'
    yield "}"


def _brotli(map_origins: Sequence[str]) -> Iterator[str]:
    """Locations of files with Brotli copies, by type: nginx would take the type from the ending .br."""
    for media_type, endings in BROTLI.items():
        yield f"location ~ ^/\\.br{assets.base()}/(.+\\.({endings}))$ {{"
        yield "  internal;"
        yield f"  alias {assets.FOLDER}/$1.br;"
        yield "  types { }"
        yield f"  default_type {media_type};"
        yield "  charset utf-8;"
        yield "  charset_types text/css text/javascript;"
        yield "  gzip off;"
        yield "  add_header Content-Encoding br;"
        yield "  add_header Vary Accept-Encoding;"
        yield f'  add_header Cache-Control "{assets.IMMUTABLE}";'
        yield f'  add_header Content-Security-Policy "{assets.policy(map_origins)}";'
        yield "  add_header X-Content-Type-Options nosniff;"
        yield "  add_header X-Request-ID $id;"
        yield "}"


def _headers(page: ErrorPage, readable: bool) -> dict[str, str]:
    return {**page.error.headers, **(CORS if readable else {})}


def _location(
    name: str, status: int, body: str, headers: Mapping[str, str], before: Sequence[str] = ()
) -> Iterator[str]:
    # not a named location (@name), which cannot respond to a malformed request without a path
    yield f"location = /.{name} {{"
    yield "  internal;"
    yield from (f"  {line}" for line in before)
    yield "  default_type application/json;"
    yield "  add_header X-Request-ID $id always;"
    for header, value in {**dict(SECURITY), **headers, "Cache-Control": "no-store"}.items():
        yield f'  add_header {header} "{value}" always;'
    yield f"  return {status} {body};"
    yield "}"
