"""`geoshops idempotency clean`: deletes stored responses that have expired."""

from __future__ import annotations

from datetime import timedelta

import click
from flask.cli import with_appcontext
from sqlalchemy import Interval, bindparam, delete, func, select

from geoshops.database.models import IdempotencyKey
from geoshops.database.pool import Database
from geoshops.database.statements import compiled
from geoshops.operations.commands import failing_clearly
from geoshops.operations.connection import operator_database

# a hundred years, so that the computed time stays in PostgreSQL's range
LONGEST_KEPT_HOURS = 876_000


EXPIRED = (
    delete(IdempotencyKey)
    .where(IdempotencyKey.created_at < func.now() - bindparam("kept", type_=Interval))
    .returning(IdempotencyKey.key)
    .cte("expired")
)
CLEAN = compiled(select(func.count()).select_from(EXPIRED))


def clean(db: Database, *, older_than_hours: int) -> int:
    """Deletes stored responses older than that many hours and returns their number."""
    kept = timedelta(hours=older_than_hours)
    return int(db.write(CLEAN, {"kept": kept}, idempotent=True)[0])


@click.group("idempotency")
def commands() -> None:
    """Manage stored responses to requests with an Idempotency-Key."""


@commands.command("clean")
@click.option(
    "--older-than-hours", default=24, show_default=True, type=click.IntRange(24, LONGEST_KEPT_HOURS)
)
@with_appcontext
@failing_clearly
def clean_command(older_than_hours: int) -> None:
    """Delete stored responses that have expired; they are kept at least 24 hours.

    `geoshops scheduler`, which scripts/serve starts, runs it daily."""
    deleted = clean(operator_database(), older_than_hours=older_than_hours)
    click.echo(f"stored responses deleted: {deleted}")
