"""Queries and commands of reports, for members and moderators; each is one statement."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, func, select

from geoshops.database.models import AuditEntry, Report, Review, Shop
from geoshops.database.pool import Database
from geoshops.database.statements import compiled, named
from geoshops.web import writes
from geoshops.web.sessions import ids
from geoshops.web.tokens import Caller

CREATE = compiled(
    select(
        func.create_report(
            *named("member", "session", "review", "shop", "reason", "content", "zone"),
            *named(moment=func.now()),
        ).table_valued("outcome", "body")
    )
)
SHOP_ID = func.coalesce(Report.shop_id, Review.shop_id)
LISTED = (
    select(
        func.json_build_object(
            *("id", Report.id, "review_id", Report.review_id, "shop_id", SHOP_ID),
            *("place_name", Shop.place_name, "reason", Report.reason, "content", Report.content),
            *("reported_by", Report.member_id, "created_at", Report.created_at),
            *("status", func.coalesce(Report.outcome, "OPEN"), "author", Review.member_id),
            *("star_rating", Review.star_rating, "review_content", Review.content),
            *("hidden", Review.hidden_at.is_not(None)),
        )
    )
    .select_from(Report)
    .outerjoin(Review, Review.id == Report.review_id)
    .join(Shop, Shop.id == SHOP_ID)
    .order_by(Report.created_at, Report.id)
    .limit(bindparam("at_most"))
)
HIDE = compiled(select(func.hide_review(*named("review", "actor", "reason", moment=func.now()))))
SHOW = compiled(
    select(func.show_review(*named("review", "actor", "reason", "zone", moment=func.now())))
)
SETTLE = compiled(
    select(
        func.settle_reports(
            *named("wanted", "result", "actor", "reason", moment=func.now()),
        )
    )
)
LOG = compiled(
    select(
        func.json_build_object(
            *("happened_at", AuditEntry.happened_at, "actor", AuditEntry.actor),
            *("action", AuditEntry.action, "subject", AuditEntry.subject),
            *("subject_id", AuditEntry.subject_id, "reason", AuditEntry.reason),
            *("detail", AuditEntry.detail),
        )
    )
    .order_by(AuditEntry.id.desc())
    .limit(bindparam("at_most"))
)


def create(
    db: Database,
    caller: Caller,
    *,
    review_id: int | None = None,
    shop_id: int | None = None,
    reason: str,
    content: str,
    zone: str,
) -> writes.Result:
    """Reports a review or a shop; raises NotFound if it does not exist or the review is hidden."""
    values = {
        **ids(caller), "review": review_id, "shop": shop_id,
        "reason": reason, "content": content, "zone": zone,
    }  # fmt: skip
    return writes.run(db, CREATE, values, idempotent=True)


def listed(
    db: Database, *, kind: str | None, closed_too: bool, at_most: int
) -> list[dict[str, Any]]:
    """Reports, oldest first, each with its review or shop."""
    query = LISTED
    if not closed_too:
        query = query.where(Report.closed_at.is_(None))
    if kind:
        query = query.where(Report.review_id.is_(None) == (kind == "shop"))
    return [report for (report,) in db.rows(compiled(query), {"at_most": at_most})]


def hide(db: Database, review_id: int, *, actor: str, reason: str) -> str:
    """Hides a review: `hidden`, `hidden already` or `unknown`."""
    values = {"review": review_id, "actor": actor, "reason": reason}
    return str(db.write(HIDE, values, idempotent=True)[0])


def show(db: Database, review_id: int, *, actor: str, reason: str, zone: str) -> str:
    """Shows a hidden review again: `visible`, `visible already` or `unknown`."""
    values = {"review": review_id, "actor": actor, "reason": reason, "zone": zone}
    return str(db.write(SHOW, values, idempotent=True)[0])


def settle(
    db: Database, report_ids: list[int], *, outcome: str, actor: str, reason: str
) -> list[int]:
    """Closes reports and returns those that were open; reviews and shops are not changed."""
    values = {"wanted": report_ids, "result": outcome, "actor": actor, "reason": reason}
    return list(db.write(SETTLE, values, idempotent=True)[0])


def log(db: Database, *, at_most: int) -> list[dict[str, Any]]:
    """Entries of the audit log, newest first."""
    return [entry for (entry,) in db.rows(LOG, {"at_most": at_most})]
