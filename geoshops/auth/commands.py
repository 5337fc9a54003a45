"""Commands on sessions."""

from __future__ import annotations

import click
from flask.cli import with_appcontext

from geoshops.auth import queries
from geoshops.operators import operator_database


@click.group()
def sessions() -> None:
    """Sessions of members."""


@sessions.command()
@click.option("--days", default=30, show_default=True, help="Keep those that ended since.")
@with_appcontext
def purge(days: int) -> None:
    """Delete sessions that are over. They are dead in any case: this only saves room.

    `geoshops timer`, which scripts/serve starts, runs it daily."""
    click.echo(f"{queries.purge(operator_database(), kept_days=days)} sessions deleted")
