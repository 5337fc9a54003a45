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
    with interrupts_kept() as interrupts:
        if dry_run:
            connection.rollback()
        else:
            with committing() as interrupts_of_commit:
                connection.commit()
            interrupts += interrupts_of_commit
        rejects.finish()
    return bool(interrupts)


def summary(
    request: Request,
    source: str = "",
    *,
    read: int,
    counts: dict[str, Any],
    rejects: Rejects,
    late: bool,
) -> dict[str, Any]:
    """The summary of every import; `timed` adds the duration."""
    return {
        "file": str(request.path),
        "source": source,
        "read": read,
        **counts,
        "rejected": rejects.count,
        "reasons": rejects.by_reason(),
        "rejects_file": str(rejects.path) if rejects.count else None,
        "dry_run": request.dry_run,
        "interrupted_too_late": late,
    }


def timed(report: dict[str, Any], started: float) -> dict[str, Any]:
    """The summary with seconds and rows per second."""
    seconds = time.perf_counter() - started
    return report | {"seconds": round(seconds, 3), "rows_per_s": round(report["read"] / seconds)}
