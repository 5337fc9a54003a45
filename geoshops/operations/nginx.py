"""The production front: nginx' configuration, with the contract's own error bodies and limits in it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from geoshops.config import Settings
from geoshops.errors import RETRY_AFTER_S, ApiError, NotFound, Overloaded, Unreachable
from geoshops.messages import DEFAULT_LANGUAGE
from geoshops.web.health import REJECTED_PER_REPORT
from geoshops.web.middleware import EXPOSED, SECURITY
from geoshops.web.negotiation import LANGUAGE_TAGS

TEMPLATE = Path(__file__).parent / "templates" / "nginx.conf"
# Requests at once in the service: those at work and a short queue. What comes beyond is refused at once, because
# it would wait longer than a client does. A longer queue carries no more, its last one only waits longer.
IN_FLIGHT = 48
PROCESSES = 2  # each counts its own connections
METHODS = "GET, HEAD, POST, PATCH, DELETE, OPTIONS"
# A page of another origin reads refusals too, or a full service looks to it like a broken network.
CORS = {
    "Access-Control-Allow-Origin": "$readable_by",
    "Access-Control-Expose-Headers": ", ".join(EXPOSED),
}
# some refusals of a full service go to the service, which counts them
TELL = ("if ($told) {", "  rewrite ^ /.refused/full last;", "}")
# nginx cannot sort by weight: of our languages the first in the header counts, unless its weight is 0
REFUSED = r"[^,]*;\s*q=0?\.?0*\s*(?:,|$)"
KNOWN_TAG = rf"(?:^|,)\s*(?:{'|'.join(LANGUAGE_TAGS.values())})(?!{REFUSED})"
PREFERS = {
    language: rf"^(?:(?!{KNOWN_TAG}).)*(?:^|,)\s*{tag}(?!{REFUSED})"
    for language, tag in LANGUAGE_TAGS.items()
    if language != DEFAULT_LANGUAGE
}


@dataclass(frozen=True)
class Refusal:
    """An error response of nginx in the contract's form, instead of its own page for these statuses."""

    name: str
    statuses: str
    error: ApiError


def refusals(max_body_bytes: int) -> list[Refusal]:
    """Every status that nginx makes by itself, as the contract writes it.

    501 and 505 are malformed requests; 502 and 504 say that no worker could be reached. 412 and 416 are
    conditions and ranges that a cached file does not meet."""
    method = ApiError("method_not_allowed", name="$asked_method", headers={"Allow": METHODS})
    busy = ApiError("too_many_requests", headers={"Retry-After": str(RETRY_AFTER_S)})
    return [
        Refusal(
            "bad", "400 408 411 412 414 416 421 494 495 496 497 501 505", ApiError("bad_request")
        ),
        Refusal("absent", "403 404", NotFound("route")),
        Refusal("method", "405", method),
        Refusal("large", "413", ApiError("too_large", high=max_body_bytes)),
        Refusal("many", "429", busy),
        Refusal("away", "500 502 503 504", Unreachable()),
    ]


FULL = Refusal("full", "", Overloaded())


def config_of(
    settings: Settings, *, servers: Sequence[str], listen: str, run: str, user: str = ""
) -> str:
    """nginx.conf for a service with these settings."""
    return config(
        servers=servers,
        listen=listen,
        run=run,
        user=user,
        max_body_bytes=settings.max_body_bytes,
        cors_origins=settings.cors_origins,
    )


def config(
    *,
    servers: Sequence[str],
    listen: str,
    run: str,
    user: str = "",
    max_body_bytes: int,
    cors_origins: Sequence[str] = (),
) -> str:
    """nginx.conf for the service at these addresses; `run` is the folder of its files."""
    found = refusals(max_body_bytes)
    # a single server is named twice, so that what could not be sent has somewhere to go
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
        "TOLD_PERCENT": 100 / REJECTED_PER_REPORT,
        "ORIGINS": _lines(4, [_origin(origin) for origin in cors_origins]),
        "BODIES": _lines(2, [line for refusal in (*found, FULL) for line in _body(refusal)]),
        "ERROR_PAGES": _lines(4, [_error_page(refusal) for refusal in found]),
        "ANSWERS": _lines(4, [*_answers(found, bool(cors_origins))]),
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


def _body(refusal: Refusal) -> list[str]:
    error = refusal.error
    bodies = {
        language: json.dumps(
            {"error_code": error.code, "error_message": error.message(language)}, ensure_ascii=False
        )
        for language in (DEFAULT_LANGUAGE, *PREFERS)
    }
    return [
        f"map $http_accept_language $body_{refusal.name} {{",
        f"  default {_quoted(bodies[DEFAULT_LANGUAGE])};",
        *(f"  '~*{pattern}' {_quoted(bodies[name])};" for name, pattern in PREFERS.items()),
        "}",
    ]


def _origin(origin: str) -> str:
    key = "default" if origin == "*" else _quoted(origin)
    return f"{key} {_quoted(origin)};"


def _error_page(refusal: Refusal) -> str:
    return f"error_page {refusal.statuses} ={refusal.error.status} /.refused/{refusal.name};"


def _answers(found: Sequence[Refusal], readable: bool) -> Iterator[str]:
    yield from _location("alive", 200, '\'{"status":"ok"}\'', {})
    for refusal in found:
        away = refusal.name == "away"
        body = "$body_unserved" if away else f"$body_{refusal.name}"
        response = (refusal.error.status, body, _headers(refusal, readable))
        yield from _location(f"refused/{refusal.name}", *response, TELL if away else ())
    response = (FULL.error.status, f"$body_{FULL.name}", _headers(FULL, readable))
    yield from _location("refused/alone", *response)


def _headers(refusal: Refusal, readable: bool) -> dict[str, str]:
    return {**refusal.error.headers, **(CORS if readable else {})}


def _location(
    name: str, status: int, body: str, headers: Mapping[str, str], before: Sequence[str] = ()
) -> Iterator[str]:
    # not a named location: those cannot answer a request without a path, as malformed ones are
    yield f"location = /.{name} {{"
    yield "  internal;"
    yield from (f"  {line}" for line in before)
    yield "  default_type application/json;"
    yield "  add_header X-Request-ID $id always;"
    for header, value in {**dict(SECURITY), **headers, "Cache-Control": "no-store"}.items():
        yield f'  add_header {header} "{value}" always;'
    yield f"  return {status} {body};"
    yield "}"
