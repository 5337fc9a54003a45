"""Serves read operations without Flask, whose routing, contexts and response objects cost more than the read itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from http import HTTPStatus
from typing import Any

from flask import Flask
from werkzeug.exceptions import HTTPException

from geoshops.web.pipeline import Pipeline
from geoshops.web.reads import ReadOperation
from geoshops.web.request import ENDPOINT, Environ

REASONS = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}
PATHS_CACHED = 4096
# POST where the parameters need a body
READING = ("GET", "HEAD", "POST")


class FastPath:
    """A WSGI application: read operations by the pipeline, everything else by Flask."""

    def __init__(self, app: Flask, pipeline: Pipeline) -> None:
        self._flask, self._pipeline = app.wsgi_app, pipeline
        self._router = app.url_map.bind("localhost")
        self._reads: dict[str, ReadOperation] = {
            endpoint: view.read_operation
            for endpoint, view in app.view_functions.items()
            if hasattr(view, "read_operation")
        }
        self._match = lru_cache(maxsize=PATHS_CACHED)(self._route)

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Responds to a read operation, or calls Flask."""
        method, path = environ["REQUEST_METHOD"], environ.get("PATH_INFO", "")
        matched = self._match(method, path) if method in READING else None
        if matched is None:
            return self._flask(environ, start_response)
        environ[ENDPOINT], ids = matched
        operation = self._reads[environ[ENDPOINT]]
        status, headers, body = self._pipeline.respond(environ, operation, ids)
        start_response(REASONS[status], headers)
        return (body,)

    def _route(self, method: str, path: str) -> tuple[str, dict[str, Any]] | None:
        """The endpoint and the identifiers in the path, by Flask's own rules; None unless it is a read operation."""
        try:
            endpoint, ids = self._router.match(path, method=method)
        except HTTPException:
            return None
        return (endpoint, dict(ids)) if endpoint in self._reads else None
