"""Commands on sessions."""

from __future__ import annotations

import click
from flask.cli import with_appcontext

from geoshops.auth import queries
from geoshops.operations.commands import failing_clearly
from geoshops.operations.connection import operator_database

# A negative number would delete active sessions; a larger one exceeds the range of PostgreSQL's dates.
LONGEST_KEPT_DAYS = 36_500


@click.group()
def sessions() -> None:
    """Sessions of members."""


@sessions.command()
@click.option(
    "--days", default=30, show_default=True, type=click.IntRange(0, LONGEST_KEPT_DAYS),
    help="Days for which ended sessions are kept.",
)  # fmt: skip
@with_appcontext
@failing_clearly
def purge(days: int) -> None:
    """Delete sessions that ended or expired long ago.

    `geoshops scheduler`, which scripts/serve starts, runs it daily."""
    click.echo(f"{queries.purge(operator_database(), kept_days=days)} sessions deleted")
