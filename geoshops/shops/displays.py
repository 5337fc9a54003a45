"""Builds the display texts of shops in other languages before they are requested."""

from __future__ import annotations

from sqlalchemy import func, select

from geoshops.database.pool import Database
from geoshops.database.statements import compiled, named

BATCH = 500
REFRESH = compiled(
    select(
        func.refresh_shop_displays(*named("after_id", "at_most", "every")).table_valued(
            "last_id", "changed"
        )
    )
)


def refresh(db: Database, *, every: bool) -> int:
    """Builds missing and outdated displays, or all of them with `every`; returns the number of changed rows."""
    changed = 0
    last_id: int | None = 0
    while last_id is not None:
        values = {"after_id": last_id, "at_most": BATCH, "every": every}
        last_id, changed_now = db.write(REFRESH, values, idempotent=True)
        changed += changed_now
    return changed
