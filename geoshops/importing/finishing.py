"""The end of every import: commit, list of rejected rows, summary."""

from __future__ import annotations

import time
from typing import Any

from geoshops.console import committing, interrupts_kept
from geoshops.importing.opening import InputFile
from geoshops.importing.rejects import Rejects
from geoshops.importing.request import Request


def finish(connection: Any, file: InputFile, rejects: Rejects, dry_run: bool) -> bool:
    """Commits except in a dry run, then moves the list of rejected rows to its path; true if Ctrl-C interrupted the commit."""
    file.check_unchanged()
    rejects.flush()
    with interrupts_kept() as came:
        if dry_run:
            connection.rollback()
        else:
            with committing() as came_during_commit:
                connection.commit()
            came += came_during_commit
        rejects.finish()
    return bool(came)


def summary(
    wanted: Request,
    source: str = "",
    *,
    read: int,
    counts: dict[str, Any],
    rejects: Rejects,
    late: bool,
) -> dict[str, Any]:
    """The summary of every import; `timed` adds the duration."""
    return {
        "file": str(wanted.path),
        "source": source,
        "read": read,
        **counts,
        "rejected": rejects.count,
        "reasons": rejects.by_reason(),
        "rejects_file": str(rejects.path) if rejects.count else None,
        "dry_run": wanted.dry_run,
        "interrupted_too_late": late,
    }


def timed(found: dict[str, Any], started: float) -> dict[str, Any]:
    """The summary with seconds and rows per second."""
    seconds = time.perf_counter() - started
    return found | {"seconds": round(seconds, 3), "rows_per_s": round(found["read"] / seconds)}
