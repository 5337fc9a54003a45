"""What sign-in asks of the database; each act is one statement."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from geoshops import nicknames
from geoshops.config import Settings
from geoshops.database.pool import Database
from geoshops.errors import NotFound, Unauthorized
from geoshops.web import tokens
from geoshops.web.tokens import Caller, RefreshToken

GRACE_S = 30

SIGN_IN = """
SELECT member, session, issued_at, session_ends_at
FROM sign_in(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"""
REFRESH = """
SELECT outcome, refresh_issued_at, session_ends_at
FROM session_refresh(%s, %s, %s, %s, %s, %s, %s, %s)"""
END = "SELECT session_end(%s, %s, %s)"
END_OTHER = "SELECT session_ok, ended FROM session_end_other(%s, %s, %s)"
LIST = "SELECT sessions_json(%s, %s, %s)"
PURGE = "SELECT sessions_purge(%s)"


@dataclass(frozen=True)
class Issued:
    """A session and what its refresh token says."""

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
    """A session of the identity's member, who is registered when new."""
    names, jti = nicknames.candidates(nickname), tokens.new_jti()
    values = (
        issuer,
        subject,
        provider,
        sealed_token,
        names,
        [nicknames.key(name) for name in names],
        device,
        tokens.jti_hash(jti),
        settings.refresh_token_days,
        settings.session_days,
        settings.timezone,
    )
    member, session, issued_at, ends_at = db.write(SIGN_IN, values)
    return Issued(Caller(member, session), jti, issued_at, ends_at)


@dataclass(frozen=True)
class Refresh:
    """The session after a refresh; `successor` when its refresh token was replaced."""

    session_ends_at: datetime
    successor: Issued | None


def refresh(db: Database, settings: Settings, token: RefreshToken, *, rotate: bool) -> Refresh:
    """Uses a refresh token; Unauthorized when it is over, unknown or replayed."""
    values = (
        token.caller.session_id,
        token.caller.member_id,
        tokens.jti_hash(token.jti),
        rotate,
        tokens.jti_hash(token.successor_jti),
        settings.refresh_token_days,
        settings.session_days,
        GRACE_S,
    )
    outcome, issued_at, ends_at = db.write(REFRESH, values, idempotent=True)
    if outcome not in ("used", "rotated", "repeated"):
        raise Unauthorized("bad_refresh")
    if outcome == "used":
        return Refresh(ends_at, None)
    return Refresh(ends_at, Issued(token.caller, token.successor_jti, issued_at, ends_at))


def end(db: Database, caller: Caller, *, everywhere: bool) -> None:
    """Ends the caller's session, or all of the member's."""
    (ended,) = db.write(END, (caller.member_id, caller.session_id, everywhere))
    if not ended:
        raise Unauthorized("bad_token")


def end_other(db: Database, caller: Caller, session_id: int) -> None:
    """Ends one of the caller's sessions; NotFound when the caller has no such one."""
    values = (caller.member_id, caller.session_id, session_id)
    session_ok, ended = db.write(END_OTHER, values, idempotent=True)
    if not session_ok:
        raise Unauthorized("bad_token")
    if not ended:
        raise NotFound("session", session_id)


def listed(db: Database, caller: Caller, *, zone: str) -> str:
    """The caller's living sessions as JSON, last used first."""
    (body,) = db.row(LIST, (caller.member_id, caller.session_id, zone))
    if body is None:
        raise Unauthorized("bad_token")
    return str(body)


def purge(db: Database, *, kept_days: int) -> int:
    """Deletes sessions that were over for so long; how many."""
    (count,) = db.write(PURGE, (kept_days,), idempotent=True)
    return int(count)
