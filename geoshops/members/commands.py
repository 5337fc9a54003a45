"""Commands on members."""

from __future__ import annotations

import click
from flask.cli import with_appcontext

from geoshops.console import changes
from geoshops.database.pool import database
from geoshops.members import queries, unlinking
from geoshops.operations.commands import AT_MOST, failing_clearly


@click.group()
def members() -> None:
    """Members."""


@members.command()
@click.option(
    "--at-most",
    default=1000,
    show_default=True,
    type=AT_MOST,
    help="Maximum number of unlinks to try.",
)
@with_appcontext
@failing_clearly
def unlink_pending(at_most: int) -> None:
    """Retry unlinking members who left at their identity providers.

    `geoshops scheduler`, which scripts/serve starts, runs it every five minutes. Each unlink is
    retried after 1, 2, 4 … minutes, then daily."""
    done = failed = 0
    db = database()
    while done + failed < at_most and (entry := queries.claim_unlink(db)):
        changes.committed = True
        if unlinking.attempt(db, entry):
            done += 1
        else:
            failed += 1
    click.echo(f"{done} unlinked, {failed} failed, {queries.pending_unlinks(db)} pending")
