"""`geoshops idempotency clean`: deletes stored responses that have expired."""

from __future__ import annotations

import click
from flask.cli import with_appcontext

from geoshops.database.pool import Database
from geoshops.operations.commands import failing_clearly
from geoshops.operations.connection import operator_database

# a hundred years: PostgreSQL knows no time too far back
LONGEST_KEPT_HOURS = 876_000


CLEAN = """
WITH gone AS (
  DELETE FROM idempotency_keys WHERE created_at < now() - make_interval(hours => %s) RETURNING key
)
SELECT count(*) FROM gone"""


def clean(db: Database, *, older_than_hours: int) -> int:
    """Forgets answers older than that many hours and returns how many they were."""
    return int(db.write(CLEAN, (older_than_hours,), idempotent=True)[0])


@click.group("idempotency")
def commands() -> None:
    """Stored answers of repeated requests."""


@commands.command("clean")
@click.option(
    "--older-than-hours", default=24, show_default=True, type=click.IntRange(24, LONGEST_KEPT_HOURS)
)
@with_appcontext
@failing_clearly
def clean_command(older_than_hours: int) -> None:
    """Forget stored answers; they are kept at least 24 hours.

    `geoshops timer`, which scripts/serve starts, runs it daily."""
    click.echo(f"{clean(operator_database(), older_than_hours=older_than_hours)} answers forgotten")
