"""`geoshops titles`: award earned titles, refresh the titles of shops."""

from __future__ import annotations

import json

import click
from flask.cli import with_appcontext

from geoshops.operations.commands import JSON, failing_clearly
from geoshops.operations.connection import operator_database
from geoshops.titles import queries
from geoshops.web.request import settings


@click.group("titles")
def commands() -> None:
    """Titles of members and of shops."""


@commands.command()
@JSON
@with_appcontext
@failing_clearly
def award(as_json: bool) -> None:
    """Award titles that members have earned but do not hold; no title is withdrawn."""
    awards = queries.award_all(operator_database(), zone=settings().timezone)
    if as_json:
        click.echo(json.dumps({"awarded": awards.total(), "by_title": awards}))
        return
    click.echo(f"{awards.total()} titles awarded")


@commands.command()
@JSON
@with_appcontext
@failing_clearly
def refresh(as_json: bool) -> None:
    """Refresh the titles of shops. `geoshops scheduler`, which scripts/serve starts, runs it hourly."""
    changed = queries.refresh_shop_titles(operator_database())
    click.echo(json.dumps({"changed": changed}) if as_json else f"{changed} shops changed")
