"""Reports: what members do with them, and what moderators ask and do; each is one statement."""

from __future__ import annotations

from typing import Any

from geoshops.database.pool import Database
from geoshops.web.tokens import Caller
from geoshops.web.writes import Done, perform

CREATE = """
SELECT refusal, status, body, location FROM create_report(%s, %s, %s, %s, %s, %s, now(), %s)"""


def of_review(
    db: Database, caller: Caller, review_id: int, *, reason: str, content: str, zone: str
) -> Done:
    """Reports a review; NotFound when there is no visible one."""
    values = (caller.member_id, caller.session_id, review_id, None, reason, content, zone)
    return perform(db, CREATE, values, idempotent=True)


def of_shop(
    db: Database, caller: Caller, shop_id: int, *, reason: str, content: str, zone: str
) -> Done:
    """Reports a shop; NotFound when there is none."""
    values = (caller.member_id, caller.session_id, None, shop_id, reason, content, zone)
    return perform(db, CREATE, values, idempotent=True)


LISTED = """
SELECT json_build_object(
  'id', p.id, 'review_id', p.review_id, 'shop_id', coalesce(p.shop_id, r.shop_id), 'place_name', s.place_name,
  'reason', p.reason, 'content', p.content, 'reported_by', p.member_id, 'created_at', p.created_at,
  'status', coalesce(p.outcome, 'OPEN'), 'author', r.member_id, 'star_rating', r.star_rating,
  'review_content', r.content, 'hidden', r.hidden_at IS NOT NULL)
FROM reports p
LEFT JOIN reviews r ON r.id = p.review_id
JOIN shops s ON s.id = coalesce(p.shop_id, r.shop_id)
WHERE (%(all)s OR p.closed_at IS NULL) AND (%(kind)s IS NULL OR (p.review_id IS NULL) = (%(kind)s = 'shop'))
ORDER BY p.created_at, p.id LIMIT %(at_most)s"""


def listed(
    db: Database, *, kind: str | None, closed_too: bool, at_most: int
) -> list[dict[str, Any]]:
    """Reports, oldest first, each with the review or shop that it is about."""
    values = {"kind": kind, "all": closed_too, "at_most": at_most}
    return [row[0] for row in db.rows(LISTED, values)]


HIDE = "SELECT hide_review(%s, %s, %s, now())"


def hide(db: Database, review_id: int, *, actor: str, reason: str) -> str:
    """Hides a review: `hidden`, `hidden already` or `unknown`."""
    return str(db.write(HIDE, (review_id, actor, reason), idempotent=True)[0])


SHOW = "SELECT show_review(%s, %s, %s, now(), %s)"


def show(db: Database, review_id: int, *, actor: str, reason: str, zone: str) -> str:
    """Shows a hidden review again: `visible`, `visible already` or `unknown`."""
    return str(db.write(SHOW, (review_id, actor, reason, zone), idempotent=True)[0])


SETTLE = "SELECT settle_reports(%s, %s, %s, %s, now())"


def settle(
    db: Database, report_ids: list[int], *, outcome: str, actor: str, reason: str
) -> list[int]:
    """Closes reports without touching what they are about; those that were open."""
    return list(db.write(SETTLE, (report_ids, outcome, actor, reason), idempotent=True)[0])


LOG = """
SELECT json_build_object('happened_at', happened_at, 'actor', actor, 'action', action, 'subject', subject,
  'subject_id', subject_id, 'reason', reason, 'detail', detail)
FROM audit_log ORDER BY id DESC LIMIT %s"""


def log(db: Database, *, at_most: int) -> list[dict[str, Any]]:
    """Entries of the audit log, newest first."""
    return [row[0] for row in db.rows(LOG, (at_most,))]
