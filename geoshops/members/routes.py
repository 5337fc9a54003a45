"""Endpoints of the signed-in member."""

from __future__ import annotations

import logging
from typing import Any

from geoshops.database.pool import database
from geoshops.members import queries, schemas, unlinking
from geoshops.web import page_cookie, writes
from geoshops.web.operation import Blueprint
from geoshops.web.rate_limits import RateLimit, by_member
from geoshops.web.reads import RequestContext
from geoshops.web.request import public_url, settings
from geoshops.web.response import Response, json_text, json_value
from geoshops.web.shop_schemas import MemberTitle
from geoshops.web.tokens import Caller

log = logging.getLogger(__name__)
blueprint = Blueprint("members", __name__, description="The signed-in member")

ATTACHMENT = {"Content-Disposition": 'attachment; filename="geoshops-member.json"'}
FREE = {"type": "boolean"}


@blueprint.read(
    "/member/info", id="getMember", response=schemas.Profile, auth="required", cache="none"
)
def get_member(context: RequestContext, caller: Caller) -> Response:
    """The member's profile"""
    return json_text(queries.profile(context.db, caller))


@blueprint.read(
    "/member/nickname",
    id="isNicknameFree",
    query=schemas.NicknameArgs,
    response=FREE,
    example=True,
    auth="required",
    cache="none",
)
def is_nickname_free(context: RequestContext, args: dict[str, Any], caller: Caller) -> Response:
    """Whether a nickname is free: false if any member uses it, including this one"""
    return json_value(queries.nickname_is_free(context.db, caller, **args))


@blueprint.operation(
    "/member/nickname",
    id="changeNickname",
    method="PATCH",
    response=schemas.Profile,
    auth="required",
    cache="none",
    errors=(413, 415),
    limit=RateLimit("nickname", "10/hour", by_member),
)
@blueprint.arguments(schemas.NicknameBody)
def change_nickname(args: dict[str, Any], caller: Caller) -> Response:
    """Change the nickname; 409 if another member uses it"""
    return writes.respond(queries.change_nickname(database(), caller, **args))


@blueprint.operation(
    "/member/main-title/<id:title_id>",
    id="changeMainTitle",
    method="PATCH",
    response=MemberTitle,
    auth="required",
    cache="none",
)
def change_main_title(title_id: int, caller: Caller) -> Response:
    """Make a held title the main one, in place of the previous main title"""
    origin, zone = public_url(), settings().timezone
    return writes.respond(
        queries.change_main_title(database(), caller, title_id, origin=origin, zone=zone)
    )


@blueprint.operation(
    "/member",
    id="withdraw",
    method="DELETE",
    response=schemas.Withdrawn,
    auth="required",
    cache="none",
)
@blueprint.arguments(schemas.WithdrawArgs, location="query")
def withdraw(args: dict[str, Any], caller: Caller) -> Response:
    """Leave the service

    Deletes sessions, favorites, titles, nickname and the link to the identity provider, and sends an
    unlink request to the provider, which is retried if it fails. Reviews stay without a name unless
    `reviews=delete`."""
    link = queries.withdraw(database(), caller, with_reviews=args["reviews"] == "delete")
    if link:
        _unlink(link)
    return json_value({"id": caller.member_id}, page_cookie.dropped())


@blueprint.read(
    "/member/export", id="exportMember", response=schemas.Export, auth="required", cache="none"
)
def export_member(context: RequestContext, caller: Caller) -> Response:
    """All stored data of the member, as a file"""
    body = queries.export(context.db, caller, zone=context.settings.timezone)
    return json_text(body, ATTACHMENT)


def _unlink(link: queries.PendingUnlink) -> None:
    # The member has already left, so the request succeeds; the unlink is retried later.
    try:
        unlinking.attempt(database(), link)
    except Exception:
        log.exception("unlink %s failed; it will be retried", link.id)
