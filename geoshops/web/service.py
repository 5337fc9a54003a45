"""The Flask application; its hooks pass commands and pages through the pipeline of read operations."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import flask
from flask import Blueprint, Flask, request
from werkzeug.datastructures import Headers

from geoshops.config import Settings
from geoshops.web.contract import Contract
from geoshops.web.error_handlers import error_response, init_metrics
from geoshops.web.pipeline import Pipeline
from geoshops.web.rate_limits import READS, RateLimit
from geoshops.web.request import ENDPOINT, keep_settings
from geoshops.web.response import Response


class Service(Flask):
    """The Flask application, whose views may return the pipeline's Response."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Returns the function unchanged, because no view or hook is a coroutine."""
        return func

    def make_response(self, rv: Any) -> flask.Response:
        """Converts the return value of a view to Flask's response."""
        if isinstance(rv, Response):
            return rv.to_flask()
        return super().make_response(rv)


def create(settings: Settings) -> Service:
    """Creates the application without its operations."""
    app = Service("geoshops", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = settings.max_body_bytes
    keep_settings(app, settings)
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.url_map.strict_slashes = False
    return app


def init_app(app: Flask, pipeline: Pipeline, *, unlimited: tuple[Blueprint, ...]) -> None:
    """Passes every request to Flask through the pipeline. Call it after registering all operations.

    unlimited: blueprints without a rate limit."""
    init_metrics()
    _remove_head_of_commands(app)
    without_limit = {None, *(blueprint.name for blueprint in unlimited)}

    def begin() -> None:
        contract = _contract(app)
        request.environ[ENDPOINT] = request.endpoint
        limit = None if request.blueprint in without_limit else _limit(contract)
        pipeline.begin(request, contract.media_types if contract else (), limit)

    def finish(response: flask.Response) -> flask.Response:
        if request.environ.get("CONTENT_LENGTH"):
            pipeline.drain(request)
        if request.method == "OPTIONS" and response.status_code == 200 and response.allow:
            # Flask's response to OPTIONS has no body, but the contract requires one
            response.data = json.dumps({"methods": sorted(response.allow)})
            response.mimetype = "application/json"
        if response.direct_passthrough:  # a file, which has its own caching headers
            return response
        response.status_code, headers, response.data = pipeline.finish(
            request.environ, _contract(app), response.status_code, list(response.headers), response.data
        )  # fmt: skip
        response.headers = Headers(headers)
        return response

    def handle(error: Exception) -> flask.Response:
        contract = _contract(app)
        is_command = contract is not None and contract.is_command
        return error_response(error, request.environ, is_command=is_command).to_flask()

    app.before_request(begin)
    app.after_request(finish)
    app.register_error_handler(Exception, handle)


def _remove_head_of_commands(app: Flask) -> None:
    """Removes HEAD, which werkzeug adds to every GET, from GETs that are commands: it must not run them and gets 405."""
    for rule in app.url_map.iter_rules():
        contract = getattr(app.view_functions[rule.endpoint], "contract", None)
        if contract and contract.is_command and rule.methods:
            rule.methods.discard("HEAD")


def _limit(contract: Contract | None) -> RateLimit:
    """The rate limit of the current request; OPTIONS on a command counts as a read."""
    return contract.limit if contract and request.method != "OPTIONS" else READS


def _contract(app: Flask) -> Contract | None:
    """The contract of the current request's operation; None for pages, assets and health."""
    return getattr(app.view_functions.get(request.endpoint or ""), "contract", None)
