"""Endpoints of member titles, and their images."""

from __future__ import annotations

import flask

from geoshops.database.pool import database
from geoshops.titles import queries, schemas
from geoshops.titles.images import medal_svg
from geoshops.web.operation import Blueprint
from geoshops.web.reads import RequestContext
from geoshops.web.response import Response, json_text
from geoshops.web.shop_schemas import MemberTitle
from geoshops.web.tokens import Caller

blueprint = Blueprint("titles", __name__, description="Titles that members collect")
images = flask.Blueprint("title_images", __name__)

IMAGE_CACHE_S = 60


@blueprint.read(
    "/member-titles",
    id="listMemberTitles",
    response=schemas.MemberTitles,
    auth="required",
    cache="none",
)
def list_member_titles(context: RequestContext, caller: Caller) -> Response:
    """All titles, held and not yet earned, with the member's progress"""
    return _titles(context, caller, None)


@blueprint.read(
    "/member-titles/<id:title_id>",
    id="getMemberTitle",
    response=MemberTitle,
    auth="required",
    cache="none",
)
def get_member_title(context: RequestContext, title_id: int, caller: Caller) -> Response:
    """One title, with the member's progress"""
    return _titles(context, caller, title_id)


@images.get("/titles/<id:title_id>.svg")
def coloured(title_id: int) -> flask.Response:
    """The medal of a held title."""
    return _image(title_id, grey=False)


@images.get("/titles/<id:title_id>-grey.svg")
def grey(title_id: int) -> flask.Response:
    """The grey medal of a title that is not held."""
    return _image(title_id, grey=True)


def _titles(context: RequestContext, caller: Caller, title_id: int | None) -> Response:
    origin, zone = context.origin, context.settings.timezone
    body = queries.of_member(context.db, caller, title_id=title_id, origin=origin, zone=zone)
    return json_text(body)


def _image(title_id: int, *, grey: bool) -> flask.Response:
    color, emblem, name = queries.medal(database(), title_id)
    return flask.Response(
        medal_svg(name, color, emblem, grey=grey),
        mimetype="image/svg+xml",
        headers={"Cache-Control": f"public, max-age={IMAGE_CACHE_S}"},
    )
