"""The command line: collects the commands of the features."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any

import click
from flask.cli import NoAppException

from geoshops import create_app
from geoshops.__about__ import VERSION
from geoshops.config import ConfigError, Settings, keep_to_the_given_database, settings_table
from geoshops.console import Commands, as_started
from geoshops.database import migrations
from geoshops.operations.commands import JSON, failing_clearly
from geoshops.operations.connection import operator_url

keep_to_the_given_database()

# Loaded when they are called, because most commands need only part of the package.
LOADED_LATE = {
    "backup": ("geoshops.operations.backup", "backup"),
    "brands": ("geoshops.shops.commands", "brands"),
    "doctor": ("geoshops.operations.doctor", "doctor"),
    "export": ("geoshops.analysis.commands", "export"),
    "idempotency": ("geoshops.operations.idempotency_keys", "commands"),
    "import": ("geoshops.importing.commands", "group"),
    "members": ("geoshops.members.commands", "members"),
    "moderate": ("geoshops.reports.commands", "moderate"),
    "recount": ("geoshops.reviews.commands", "recount"),
    "report": ("geoshops.analysis.commands", "report"),
    "restore": ("geoshops.operations.backup", "restore"),
    "scheduler": ("geoshops.operations.scheduler", "scheduler"),
    "search": ("geoshops.search.commands", "search"),
    "seed": ("geoshops.sample.commands", "seed"),
    "sessions": ("geoshops.auth.commands", "sessions"),
    "shops": ("geoshops.shops.commands", "shops"),
    "sql": ("geoshops.analysis.commands", "sql"),
    "tiles": ("geoshops.tiles.commands", "commands"),
    "titles": ("geoshops.titles.commands", "commands"),
}
# Their libraries (the extra `operator`) are not part of the service's image.
OF_OPERATOR = {"export", "import", "report", "seed", "sql"}


class LateCommands(Commands):
    """The commands of the features, most of them loaded late."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, including those of commands that are not loaded yet."""
        return sorted({*super().list_commands(ctx), *LOADED_LATE})

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of that name; if its libraries are missing, a command that reports this when it is called."""
        if name not in LOADED_LATE:
            return super().get_command(ctx, name)
        module, attribute = LOADED_LATE[name]
        try:
            command: click.Command = getattr(import_module(module), attribute)
        except ModuleNotFoundError as error:
            if name not in OF_OPERATOR:
                raise
            return _without_library(name, str(error.name))
        return command


def _without_library(name: str, library: str) -> click.Command:
    lacking = f"geoshops {name} needs the Python package {library}, which is not installed"
    remedy = "pip install 'geoshops[operator]', or use the image geoshops-operator"

    def fail(**_: Any) -> None:
        raise click.ClickException(f"{lacking}; remedy: {remedy}")

    arguments = click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)
    return click.Command(
        name,
        callback=fail,
        params=[arguments],
        context_settings={"ignore_unknown_options": True},
        add_help_option=False,
        short_help=f"Not available: {library} is not installed.",
    )


def _create_app() -> Any:
    try:
        return create_app()
    except ConfigError as error:
        raise NoAppException(str(error)) from error


@click.group(cls=LateCommands, create_app=_create_app, add_version_option=False)
@click.version_option(VERSION, prog_name="geoshops", message="%(prog)s %(version)s")
def main() -> None:
    """geoshops: photo-booth shops on PostGIS."""


@main.command(with_appcontext=False)
def settings() -> None:
    """Print the table of settings in docs/settings.md."""
    for row in settings_table():
        click.echo(row)


@main.command("nginx-config", with_appcontext=False)
@click.option("--server", "servers", multiple=True, required=True, help="host:port or unix:/path")
@click.option("--listen", default="8080", show_default=True, help="Address on which nginx listens.")
@click.option("--run", default="/tmp", show_default=True, help="Directory of nginx's own files.")
@click.option("--user", default="", help="User of nginx's workers if it starts as root.")
@failing_clearly
def nginx_config(servers: tuple[str, ...], listen: str, run: str, user: str) -> None:
    """Print nginx.conf for nginx in front of the service."""
    # imported here, because it loads the service, which few commands need
    from geoshops.operations.nginx import config_of

    settings = Settings.from_environment()
    click.echo(config_of(settings, servers=servers, listen=listen, run=run, user=user))


@main.group(
    cls=click.Group
)  # a plain group: its commands need no application, and so no secret key
def db() -> None:
    """Manage the database schema: apply sql/, show its state."""


@db.command()
@failing_clearly
def upgrade() -> None:
    """Apply new and changed files of sql/."""
    count = migrations.upgrade(operator_url(), click.echo)
    click.echo(f"{count} files applied" if count else "up to date")


@db.command()
@JSON
@failing_clearly
def status(as_json: bool) -> None:
    """List the files of sql/ and whether they are applied."""
    states = migrations.status(operator_url())
    if as_json:
        click.echo(json.dumps([{"file": name, "state": state} for name, state in states]))
        return
    for name, state in states:
        click.echo(f"{state:8} {name}")


@db.command()
@failing_clearly
def check() -> None:
    """Exit with code 1 unless every file of sql/ is applied in its current version."""
    odd = [(name, state) for name, state in migrations.status(operator_url()) if state != "applied"]
    for name, state in odd:
        click.echo(f"{state:8} {name}")
    if odd:
        click.echo(f"remedy: {as_started('db upgrade')}", err=True)
        sys.exit(1)
    click.echo("all files of sql/ are applied")


@db.command()
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@failing_clearly
def reset(yes: bool) -> None:
    """Drop everything and apply sql/ again. Deletes all data."""
    if not yes:
        click.confirm("This deletes every shop, member and review. Continue?", abort=True)
    url = operator_url()
    migrations.reset(url)
    click.echo(f"{migrations.upgrade(url, lambda _: None)} files applied")


@db.command()
def url() -> None:
    """Print the libpq URL of the schema's owner, for psql and QGIS."""
    click.echo(operator_url())
