"""Writes the audit log: actor, change and reason."""

from __future__ import annotations

import getpass
import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import func, select

from geoshops.database.statements import execute, named

WRITE = select(
    func.write_audit(*named("actor", "action", "subject", "subject_id", "reason", "detail"))
)


def operator() -> str:
    """The operating-system user, who is logged as the actor."""
    return getpass.getuser()


def write_audit(
    cursor: Any,
    *,
    action: str,
    subject: str,
    subject_id: int,
    reason: str,
    detail: Mapping[str, Any],
) -> None:
    """Adds an entry in the caller's transaction."""
    values = {
        "actor": operator(), "action": action, "subject": subject, "subject_id": subject_id,
        "reason": reason, "detail": json.dumps(detail, ensure_ascii=False),
    }  # fmt: skip
    execute(cursor, WRITE, values)
