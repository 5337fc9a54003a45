"""`geoshops tiles`: recount the clusters of crowded tiles."""

from __future__ import annotations

import json

import click
from flask.cli import with_appcontext

from geoshops.operations.commands import JSON, failing_clearly
from geoshops.operations.connection import operator_database
from geoshops.tiles import queries


@click.group("tiles")
def commands() -> None:
    """Vector tiles of shops."""


@commands.command()
@JSON
@with_appcontext
@failing_clearly
def refresh(as_json: bool) -> None:
    """Recount the clusters of crowded tiles. `geoshops scheduler`, which scripts/serve starts, runs it hourly."""
    changed = queries.refresh(operator_database())
    click.echo(json.dumps({"changed": changed}) if as_json else f"{changed} cells changed")
