"""The steps that every request passes, on Flask's path and on the fast path of read operations.

Before the operation: content negotiation, rate limit. After it: caching headers, ETag, 304. Authentication
(authentication.py), parsing (parsing.py) and errors (error_handlers.py) are shared in the same way; CORS, security
headers, logs and metrics are added by middleware.py."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from werkzeug.exceptions import HTTPException
from werkzeug.http import parse_etags, unquote_etag
from werkzeug.wrappers import Request
from xxhash import xxh3_128_hexdigest

from geoshops.config import Settings
from geoshops.database.pool import Database
from geoshops.web.authentication import authenticate, call_as
from geoshops.web.contract import Contract
from geoshops.web.error_handlers import error_response
from geoshops.web.negotiation import negotiate
from geoshops.web.parsing import parse_query
from geoshops.web.rate_limits import Limits, RateLimit
from geoshops.web.reads import ReadOperation, RequestContext
from geoshops.web.request import Environ, origin_of, path_of
from geoshops.web.response import Response
from geoshops.web.tokens import Keys

Headers = list[tuple[str, str]]
# status, headers, body
WsgiResponse = tuple[int, Headers, bytes]
OF_CONTENT = ("Content-Type", "Content-Length")


class Pipeline:
    """The steps of one application."""

    def __init__(
        self, settings: Settings, database: Database, keys: Keys, limits: Limits | None
    ) -> None:
        self._settings, self._database = settings, database
        self._keys, self._limits = keys, limits

    def respond(
        self, environ: Environ, operation: ReadOperation, ids: dict[str, Any]
    ) -> WsgiResponse:
        """The response of a read operation; `ids` are the identifiers in the path."""
        request = Request(environ)
        request.max_content_length = max(
            self._settings.max_body_bytes, operation.contract.max_body_bytes
        )
        try:
            response = self._read(request, operation, ids)
        except Exception as error:
            response = error_response(error, environ, is_command=False)
        if environ.get("CONTENT_LENGTH"):
            self.drain(request)
        status, headers, body = self.finish(
            environ, operation.contract, response.status, response.all_headers(), response.body
        )
        return status, headers, b"" if environ["REQUEST_METHOD"] == "HEAD" else body

    def _read(self, request: Request, operation: ReadOperation, ids: dict[str, Any]) -> Response:
        environ = request.environ
        query = parse_query(environ.get("QUERY_STRING", ""))
        contract = operation.contract
        media_type = self.begin(request, contract.produced(query), contract.limit)
        context = RequestContext(
            self._database, self._settings, origin_of(environ, self._settings), path_of(environ), query, media_type
        )  # fmt: skip
        if operation.auth == "none":
            return operation.run(context, request, **ids)
        caller = authenticate(environ, operation.auth, self._keys)
        response: Response = call_as(caller, self._database, operation.run, context, request, **ids)
        return response

    def begin(self, request: Request, produced: tuple[str, ...], limit: RateLimit | None) -> str:
        """Counts the request against its rate limit, if it has one, and returns the negotiated media type.

        Requests for pages, which have one media type, are only counted."""
        accepted = request.environ.get("HTTP_ACCEPT")
        media_type = negotiate(accepted, produced) if produced else ""
        if self._limits and limit:
            self._limits.count(request, limit, self._keys)
        return media_type

    def drain(self, request: Request) -> None:
        """Reads the rest of the body: if the server closes a connection with unread bytes, the response may be cut off."""
        if 0 < (request.content_length or 0) <= (request.max_content_length or 0):
            with suppress(HTTPException):
                request.stream.read()

    def finish(
        self,
        environ: Environ,
        contract: Contract | None,
        status: int,
        headers: Headers,
        body: bytes,
    ) -> WsgiResponse:
        """Adds the caching headers and the ETag; converts an unchanged response to 304."""
        cache_control = next((text for name, text in headers if name == "Cache-Control"), None)
        if cache_control is None:
            added = self._caching(environ, contract if status < 400 else None)
            cache_control = added[0][1]
            headers += added
        readable = status == 200 and environ["REQUEST_METHOD"] in ("GET", "HEAD")
        if (
            not readable
            or cache_control == "no-store"
            or any(name == "ETag" for name, _ in headers)
        ):
            return status, headers, body
        etag = f'W/"{xxh3_128_hexdigest(body)}"'
        headers.append(("ETag", etag))
        if not _is_current(etag, environ):
            return status, headers, body
        return 304, [header for header in headers if header[0] not in OF_CONTENT], b""

    def _caching(self, environ: Environ, contract: Contract | None) -> Headers:
        """Cache-Control and Vary of an operation; only Cache-Control if there is no operation."""
        if contract is None:
            return [("Cache-Control", "no-cache")]
        if contract.cache == "none":
            return [("Cache-Control", "no-store")]
        scope = "private" if "HTTP_AUTHORIZATION" in environ else "public"
        origin = ", Origin" if self._settings.cors_origins else ""
        return [
            ("Cache-Control", f"{scope}, no-cache"),
            ("Vary", f"Accept, Authorization{origin}"),
        ]


def _is_current(etag: str, environ: Environ) -> bool:
    """Whether If-None-Match names this ETag."""
    if "HTTP_IF_NONE_MATCH" not in environ:
        return False
    sent = parse_etags(environ["HTTP_IF_NONE_MATCH"])
    return sent.contains_weak(unquote_etag(etag)[0])
