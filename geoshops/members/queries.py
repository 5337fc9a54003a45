"""What the member endpoints ask and do; each is one statement."""

from __future__ import annotations

from dataclasses import dataclass

from geoshops import nicknames
from geoshops.database.pool import Database
from geoshops.errors import ApiError, NotFound, Unauthorized
from geoshops.web.tokens import Caller

PROFILE = "SELECT member_profile(%s, %s)"
EXPORT = "SELECT member_export(%s, %s, %s)"
IS_FREE = "SELECT session_ok, free FROM nickname_is_free(%s, %s, %s)"
NICKNAME = "SELECT outcome, body FROM nickname_change(%s, %s, %s, %s)"
MAIN_TITLE = "SELECT outcome, body FROM main_title_change(%s, %s, %s, %s, %s)"
WITHDRAW = """
SELECT session_ok, unlink_id, provider, subject, unlink_token FROM member_withdraw(%s, %s, %s)"""
CLAIM = "SELECT unlink_id, provider, subject, unlink_token FROM unlink_claim()"
DONE = "SELECT unlink_done(%s)"
FAILED = "SELECT unlink_failed(%s, %s)"
PENDING = "SELECT count(*) FROM pending_unlinks"


@dataclass(frozen=True)
class PendingUnlink:
    """An unlinking that is still to be done."""

    id: int
    provider: str
    subject: str
    sealed_token: bytes | None


def profile(db: Database, caller: Caller) -> str:
    """The caller's profile as JSON."""
    (body,) = db.row(PROFILE, (caller.member_id, caller.session_id))
    return _alive(body)


def export(db: Database, caller: Caller, *, zone: str) -> str:
    """Everything held on the caller as JSON."""
    (body,) = db.row(EXPORT, (caller.member_id, caller.session_id, zone))
    return _alive(body)


def nickname_is_free(db: Database, caller: Caller, nickname: str) -> bool:
    """Whether nobody holds it, the caller included."""
    values = (caller.member_id, caller.session_id, nicknames.key(nickname))
    session_ok, free = db.row(IS_FREE, values)
    if not session_ok:
        raise Unauthorized("bad_token")
    return bool(free) and not nicknames.is_reserved(nickname)


def change_nickname(db: Database, caller: Caller, nickname: str) -> str:
    """The profile with the new nickname; 409 when somebody else holds it."""
    # asked all the same: who is signed out hears that first
    if nicknames.is_reserved(nickname) and not nickname_is_free(db, caller, nickname):
        raise ApiError("nickname_taken")
    values = (caller.member_id, caller.session_id, nickname, nicknames.key(nickname))
    outcome, body = db.write(NICKNAME, values, idempotent=True)
    return _changed(outcome, body)


def change_main_title(
    db: Database, caller: Caller, title_id: int, *, origin: str, zone: str
) -> str:
    """The title, now the main one; 404 when unknown, 400 when not held."""
    values = (caller.member_id, caller.session_id, title_id, origin, zone)
    outcome, body = db.write(MAIN_TITLE, values, idempotent=True)
    return _changed(outcome, body)


def withdraw(db: Database, caller: Caller, *, with_reviews: bool) -> PendingUnlink | None:
    """The caller leaves; returns what is to be unlinked at the provider."""
    values = (caller.member_id, caller.session_id, with_reviews)
    session_ok, *link = db.write(WITHDRAW, values)
    if not session_ok:
        raise Unauthorized("bad_token")
    return _pending(link)


def claim_unlink(db: Database) -> PendingUnlink | None:
    """The next due unlinking; None when none is."""
    return _pending(db.write(CLAIM))


def unlinked(db: Database, entry: PendingUnlink) -> None:
    """Takes it off the list."""
    db.write(DONE, (entry.id,), idempotent=True)


def unlink_failed(db: Database, entry: PendingUnlink, reason: str) -> None:
    """Leaves it on the list with the reason."""
    db.write(FAILED, (entry.id, reason), idempotent=True)


def pending_unlinks(db: Database) -> int:
    """How many are on the list."""
    (count,) = db.row(PENDING)
    return int(count)


def _pending(values: tuple[object, ...] | list[object]) -> PendingUnlink | None:
    entry, provider, subject, token = values
    if not isinstance(entry, int):
        return None
    sealed = bytes(token) if isinstance(token, memoryview | bytes) else None
    return PendingUnlink(entry, str(provider), str(subject), sealed)


def _alive(body: str | None) -> str:
    if body is None:
        raise Unauthorized("bad_token")
    return body


def _changed(outcome: str, body: str) -> str:
    if outcome == "over":
        raise Unauthorized("bad_token")
    if outcome == "taken":
        raise ApiError("nickname_taken")
    if outcome == "unknown":
        raise NotFound("title")
    if outcome == "not held":
        raise ApiError("title_not_held")
    return body
