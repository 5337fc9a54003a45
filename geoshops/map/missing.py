"""The 404 page for browsers. Other clients, and paths of the API, get the JSON error."""

from __future__ import annotations

import flask
from flask import Blueprint, current_app, request
from werkzeug.exceptions import NotFound

from geoshops.map.pages import missing
from geoshops.map.routes import language_of_request
from geoshops.web.error_handlers import error_response
from geoshops.web.negotiation import best_type
from geoshops.web.response import HTML, JSON

blueprint = Blueprint("missing", __name__, template_folder="templates")

# first segments of paths whose resources are pages
PAGES = ("shop",)


@blueprint.app_errorhandler(404)
def missing_page(error: NotFound) -> flask.Response:
    """The 404 page for a browser, or the API's error for other clients."""
    if _wants_page():
        return missing(language_of_request())
    return error_response(error, request.environ, is_command=False).to_flask()


def _wants_page() -> bool:
    if request.method not in ("GET", "HEAD") or _is_api(request.path):
        return False
    return best_type(request.headers.get("Accept", ""), (JSON, HTML)) == HTML


def _is_api(path: str) -> bool:
    known = {rule.rule.split("/")[1] for rule in current_app.url_map.iter_rules()}
    return path.split("/")[1] in known.difference(PAGES, ("",))
