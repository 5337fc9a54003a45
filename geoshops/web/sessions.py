"""The caller's session in SQL: its parameters, and the results of statements after it has ended.

The outcome of a command is then `session_ended` (writes.py); a read returns no row or null."""

from __future__ import annotations

from typing import TypeVar

from sqlalchemy import func, select

from geoshops.database.pool import Database
from geoshops.database.statements import compiled, named
from geoshops.errors import SessionEnded
from geoshops.web.tokens import Caller

T = TypeVar("T")

SESSION_IS_LIVE = func.session_is_live(*named("session", "member"))
CHECK = compiled(select(SESSION_IS_LIVE))


def ids(caller: Caller | None) -> dict[str, int | None]:
    """The parameters `member` and `session` of a statement; nulls without a caller."""
    if caller is None:
        return {"member": None, "session": None}
    return {"member": caller.member_id, "session": caller.session_id}


def of_live_session(value: T | None) -> T:
    """The row or value returned by a read; raises SessionEnded if there is none."""
    if value is None:
        raise SessionEnded
    return value


def is_live(db: Database, caller: Caller) -> bool:
    """Whether the caller's session has neither ended nor expired."""
    return bool(db.row(CHECK, ids(caller))[0])
