"""Queries and commands of the signed-in member; each is one statement."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import bindparam, delete, exists, func, select, text, update

from geoshops import nicknames
from geoshops.database import models
from geoshops.database.models import Member
from geoshops.database.pool import Database
from geoshops.database.statements import Statement, compiled, named
from geoshops.errors import ApiError, SessionEnded
from geoshops.members.export import EXPORT
from geoshops.web import writes
from geoshops.web.sessions import SESSION_IS_LIVE, ids, is_live, of_live_session
from geoshops.web.tokens import Caller

PROFILE = compiled(
    select(func.member_json(Member.id)).where(Member.id == bindparam("member"), SESSION_IS_LIVE)
)
IS_FREE = compiled(
    select(~exists().where(Member.nickname_key == bindparam("nickname_key"))).where(SESSION_IS_LIVE)
)
CHANGE_NICKNAME = compiled(
    select(
        func.nickname_change(*named("member", "session", "new_nickname", "new_key")).table_valued(
            "outcome", "body"
        )
    )
)
CHANGE_MAIN_TITLE = compiled(
    select(
        func.main_title_change(*named("member", "session", "title", "origin", "zone")).table_valued(
            "outcome", "body"
        )
    )
)
WITHDRAW = compiled(
    select(
        func.member_withdraw(*named("member", "session", "with_reviews")).table_valued(
            "outcome", "unlink_id", "provider", "subject", "unlink_token"
        )
    )
)
Pending = models.PendingUnlink
NEXT_DUE = (
    select(Pending.id)
    .where(Pending.next_attempt_at <= func.now())
    .order_by(Pending.next_attempt_at, Pending.id)
    .limit(1)
    .with_for_update(skip_locked=True)
    .scalar_subquery()
)
# Claims an entry by postponing its next attempt, so that no lock is held during the call to the provider.
CLAIM = compiled(
    update(Pending)
    .where(Pending.id == NEXT_DUE)
    .values(
        attempts=Pending.attempts + 1,
        next_attempt_at=func.now()
        + func.least(
            text("interval '1 minute'") * func.power(2, func.least(Pending.attempts, 12)),
            text("interval '1 day'"),
        ),
    )
    .returning(Pending.id, Pending.provider, Pending.subject, Pending.unlink_token)
)
DONE = compiled(delete(Pending).where(Pending.id == bindparam("entry")).returning(Pending.id))
FAILED = compiled(
    update(Pending)
    .where(Pending.id == bindparam("entry"))
    .values(last_error=bindparam("reason"))
    .returning(Pending.id)
)
PENDING = compiled(select(func.count()).select_from(Pending))


@dataclass(frozen=True)
class PendingUnlink:
    """An unlink that still has to be done."""

    id: int
    provider: str
    subject: str
    sealed_token: bytes | None


def profile(db: Database, caller: Caller) -> str:
    """The caller's profile as JSON."""
    return _of_live_session(db, PROFILE, caller)


def export(db: Database, caller: Caller, *, zone: str) -> str:
    """All stored data of the caller as JSON."""
    return _of_live_session(db, EXPORT, caller, zone=zone)


def nickname_is_free(db: Database, caller: Caller, nickname: str) -> bool:
    """Whether no member, including the caller, has this nickname."""
    key = nicknames.key(nickname)
    (free,) = of_live_session(db.first(IS_FREE, {**ids(caller), "nickname_key": key}))
    return bool(free) and not nicknames.is_reserved(nickname)


def change_nickname(db: Database, caller: Caller, nickname: str) -> writes.Result:
    """Changes the nickname and returns the profile; 409 if another member has the nickname."""
    if nicknames.is_reserved(nickname):
        # an ended session takes precedence over other errors
        raise ApiError("nickname_taken") if is_live(db, caller) else SessionEnded
    new = {"new_nickname": nickname, "new_key": nicknames.key(nickname)}
    return writes.run(db, CHANGE_NICKNAME, {**ids(caller), **new}, idempotent=True)


def change_main_title(
    db: Database, caller: Caller, title_id: int, *, origin: str, zone: str
) -> writes.Result:
    """Makes a title the main one and returns it; 404 if it is unknown, 400 if not held."""
    values = {**ids(caller), "title": title_id, "origin": origin, "zone": zone}
    return writes.run(db, CHANGE_MAIN_TITLE, values, idempotent=True)


def withdraw(db: Database, caller: Caller, *, with_reviews: bool) -> PendingUnlink | None:
    """Withdraws the caller; returns the pending unlink at the provider, if any."""
    outcome, *link = db.write(WITHDRAW, {**ids(caller), "with_reviews": with_reviews})
    writes.check(outcome)
    return _pending(*link) if link[0] else None


def claim_unlink(db: Database) -> PendingUnlink | None:
    """Claims the next due unlink and postpones its next attempt (1 minute, doubling to a day); None if none is due."""
    rows = db.write_rows(CLAIM)
    return _pending(*rows[0]) if rows else None


def unlinked(db: Database, entry: PendingUnlink) -> bool:
    """Deletes a completed entry; False if it no longer exists."""
    return bool(db.write_rows(DONE, {"entry": entry.id}, idempotent=True))


def unlink_failed(db: Database, entry: PendingUnlink, reason: str) -> bool:
    """Records why an attempt failed; False if the entry no longer exists."""
    return bool(db.write_rows(FAILED, {"entry": entry.id, "reason": reason}, idempotent=True))


def pending_unlinks(db: Database) -> int:
    """Number of pending unlinks."""
    (count,) = db.row(PENDING)
    return int(count)


def _pending(id: int, provider: str, subject: str, token: memoryview | None) -> PendingUnlink:
    return PendingUnlink(id, provider, subject, None if token is None else bytes(token))


def _of_live_session(db: Database, query: Statement, caller: Caller, **values: object) -> str:
    return str(of_live_session(db.first(query, {**ids(caller), **values}))[0])
