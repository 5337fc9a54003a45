"""Sign-in and sessions; each query and command is one statement."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Interval, bindparam, cast, delete, func, select
from sqlalchemy.dialects.postgresql import JSON

from geoshops import nicknames
from geoshops.config import Settings
from geoshops.database.models import MemberSession
from geoshops.database.pool import Database
from geoshops.database.statements import compiled, named
from geoshops.errors import Unauthorized
from geoshops.web import tokens, writes
from geoshops.web.sessions import SESSION_IS_LIVE, ids, of_live_session
from geoshops.web.tokens import Caller, RefreshToken

SIGN_IN = compiled(
    select(
        func.sign_in(
            *named("the_issuer", "the_subject", "the_provider", "new_unlink_token"),
            *named("nicknames", "nickname_keys", "new_device", "new_refresh_hash"),
            *named("refresh_days", "session_days", "zone"),
        ).table_valued("member", "session", "issued_at", "session_ends_at")
    )
)
REFRESH = compiled(
    select(
        func.session_refresh(
            *named("session", "member", "hash", "rotate", "successor"),
            *named("refresh_days", "session_days", "grace_s"),
        ).table_valued("outcome", "refresh_issued_at", "session_ends_at")
    )
)
END = compiled(select(func.session_end(*named("member", "session", "everywhere"))))
END_OTHER = compiled(select(func.session_end_other(*named("member", "session", "other"))))
LIST = compiled(
    select(
        MemberSession.id,
        MemberSession.device,
        cast(func.date_array(MemberSession.created_at, bindparam("zone")), JSON),
        cast(func.date_array(MemberSession.last_used_at, bindparam("zone")), JSON),
        MemberSession.id == bindparam("session"),
    )
    .where(
        MemberSession.member_id == bindparam("member"),
        func.session_is_live(MemberSession.id, MemberSession.member_id),
        SESSION_IS_LIVE,
    )
    .order_by(MemberSession.last_used_at.desc(), MemberSession.id.desc())
)
PURGED = (
    delete(MemberSession)
    .where(
        func.least(MemberSession.ended_at, MemberSession.expires_at)
        < func.now() - bindparam("kept", type_=Interval)
    )
    .returning(MemberSession.id)
    .cte("purged")
)
PURGE = compiled(select(func.count()).select_from(PURGED))


@dataclass(frozen=True)
class Issued:
    """A session and its refresh token's claims."""

    caller: Caller
    jti: str
    issued_at: datetime
    session_ends_at: datetime


def sign_in(
    db: Database,
    settings: Settings,
    *,
    issuer: str,
    subject: str,
    provider: str,
    nickname: str | None,
    sealed_token: bytes | None,
    device: str,
) -> Issued:
    """Creates a session for the identity's member, who is registered if new."""
    names, jti = nicknames.candidates(nickname), tokens.new_jti()
    values = {
        "the_issuer": issuer,
        "the_subject": subject,
        "the_provider": provider,
        "new_unlink_token": sealed_token,
        "nicknames": names,
        "nickname_keys": [nicknames.key(name) for name in names],
        "new_device": device,
        "new_refresh_hash": tokens.jti_hash(jti),
        "refresh_days": settings.refresh_token_days,
        "session_days": settings.session_days,
        "zone": settings.timezone,
    }
    member, session, issued_at, ends_at = db.write(SIGN_IN, values)
    return Issued(Caller(member, session), jti, issued_at, ends_at)


@dataclass(frozen=True)
class Refresh:
    """The session after a refresh; `successor` is set if the refresh token was replaced."""

    session_ends_at: datetime
    successor: Issued | None


def refresh(db: Database, settings: Settings, token: RefreshToken, *, rotate: bool) -> Refresh:
    """Uses a refresh token; raises Unauthorized when it is expired, unknown or replayed."""
    values = {
        **ids(token.caller),
        "hash": tokens.jti_hash(token.jti),
        "rotate": rotate,
        "successor": tokens.jti_hash(token.successor_jti),
        "refresh_days": settings.refresh_token_days,
        "session_days": settings.session_days,
        "grace_s": tokens.GRACE_S,
    }
    outcome, issued_at, ends_at = db.write(REFRESH, values, idempotent=True)
    if outcome not in ("used", "rotated", "repeated"):
        raise Unauthorized("bad_refresh")
    if outcome == "used":
        return Refresh(ends_at, None)
    return Refresh(ends_at, Issued(token.caller, token.successor_jti, issued_at, ends_at))


def end(db: Database, caller: Caller, *, everywhere: bool) -> None:
    """Ends the caller's session, or all sessions of the member."""
    writes.run(db, END, {**ids(caller), "everywhere": everywhere})


def end_other(db: Database, caller: Caller, session_id: int) -> None:
    """Ends one of the caller's sessions; raises NotFound if the caller has no such session."""
    writes.run(db, END_OTHER, {**ids(caller), "other": session_id}, idempotent=True)


def listed(db: Database, caller: Caller, *, zone: str) -> list[dict[str, object]]:
    """The caller's active sessions, last used first."""
    rows = of_live_session(db.rows(LIST, {**ids(caller), "zone": zone}) or None)
    names = ("id", "device", "create_date", "last_used_date", "is_current")
    return [dict(zip(names, row, strict=True)) for row in rows]


def purge(db: Database, *, kept_days: int) -> int:
    """Deletes sessions that ended or expired more than `kept_days` ago; returns their number."""
    (count,) = db.write(PURGE, {"kept": timedelta(days=kept_days)}, idempotent=True)
    return int(count)
