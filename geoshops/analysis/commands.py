"""geoshops sql, export and report: the analysts' commands."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click
import psycopg2

from geoshops.analysis import export as exporting
from geoshops.analysis import files, formats, runner, scripts
from geoshops.config import ConfigError, Settings
from geoshops.console import as_started
from geoshops.database.pool import libpq_url
from geoshops.operations.commands import failing_clearly, first_line
from geoshops.operations.connection import operator_url

PICTURES = ("html", "png")
FORMATS = ("table", "csv", "geojson", "parquet", "gpkg", *PICTURES)
EXTRA = "scripts/setup --extras analysis (an installed package: pip install 'geoshops[analysis]')"


def reader_url() -> str:
    """libpq URL of the analysts' role; the operator's where none is set, which then gives its rights up."""
    try:
        url = Settings.from_environment(testing=True).reader_database_url
    except ConfigError as error:
        raise click.ClickException(str(error)) from error
    return libpq_url(url) if url else operator_url()


def answering_clearly(command: Callable[..., Any]) -> Callable[..., Any]:
    """Fails as every command of operators does, but with exit code 2 for what the caller can correct."""

    @failing_clearly
    @functools.wraps(command)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except (runner.WrongValueError, scripts.UnknownScriptError) as error:
            raise click.UsageError(str(error)) from error
        except runner.ScriptError as error:
            raise click.ClickException(str(error)) from error
        except psycopg2.Error as error:
            said = first_line(error)
            if error.pgcode in runner.WRONG_VALUE:
                raise click.UsageError(said) from error
            if error.pgcode in runner.NOT_SET_UP:
                lacking = f"{runner.NOT_SET_UP[error.pgcode]} ({said})"
                raise click.ClickException(
                    f"{lacking}; remedy: {as_started('db upgrade')}"
                ) from error
            raise
        except ModuleNotFoundError as error:
            raise click.ClickException(f"{error.name} is missing; remedy: {EXTRA}") from error
        except BrokenPipeError:
            raise SystemExit(1) from None

    return wrapper


def assignments(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """name=value pairs of -v."""
    wrong = [text for text in given if "=" not in text or "\0" in text]
    if wrong:
        raise click.BadParameter(f"give name=value, not {wrong[0]!r}")
    return {name: value for name, _, value in (text.partition("=") for text in given)}


def box(_: click.Context, __: click.Parameter, given: str | None) -> exporting.Bbox | None:
    """minLng,minLat,maxLng,maxLat; a minimum above the maximum crosses the 180th meridian."""
    if given is None:
        return None
    try:
        west, south, east, north = (float(part) for part in given.split(","))
    except ValueError as error:
        raise click.BadParameter("give minLng,minLat,maxLng,maxLat in degrees") from error
    if not (-180 <= west <= 180 and -180 <= east <= 180 and -90 <= south <= north <= 90):
        raise click.BadParameter("longitudes lie within 180 and latitudes within 90 degrees")
    return west, south, east, north


@click.group("sql")
def sql() -> None:
    """The questions of sql/analysis: list them, read them, ask them."""


@sql.command("list")
def list_scripts() -> None:
    """Name and question of every script."""
    for script in scripts.catalogue():
        click.echo(f"{script.name:28} {script.question}")


@sql.command()
@click.argument("name")
@answering_clearly
def show(name: str) -> None:
    """Print a script: question, parameters, columns, method and SQL."""
    click.echo(scripts.find(name).text, nl=False)


@sql.command()
@click.argument("name")
@click.option(
    "-v", "values", multiple=True, metavar="NAME=VALUE", callback=assignments, help="A parameter."
)
@click.option("--format", "kind", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option(
    "-o", "--output", default=files.STDOUT, metavar="FILE", help="File instead of standard output."
)
@click.option(
    "--timeout", "timeout_s", default=runner.TIMEOUT_S, show_default=True,
    type=click.IntRange(1, runner.LONGEST_TIMEOUT_S),
)  # fmt: skip
@answering_clearly
def run(name: str, values: dict[str, str], kind: str, output: str, timeout_s: int) -> None:
    """Ask a script as the read-only role."""
    script = scripts.find(name)
    if output == files.STDOUT and kind not in formats.TEXT_FORMATS and kind != "html":
        raise click.UsageError(f"{kind} needs a file: -o {script.name}.{kind}")
    url = reader_url()
    if kind in formats.TEXT_FORMATS:
        with (
            files.text_output(output) as stream,
            runner.answer(url, script, values, timeout_s) as answer,
        ):
            formats.TEXT_FORMATS[kind](answer, stream)
        report_lacks(answer.lacks)
        return
    if kind in PICTURES:
        from geoshops.analysis import pictures

        report_lacks(pictures.write(url, script, values, kind, output, timeout_s))
        return
    with files.new_file(output) as path, runner.answer(url, script, values, timeout_s) as answer:
        formats.write_file(answer, kind, path)
    report_lacks(answer.lacks)


def report_lacks(lacks: list[runner.Lack]) -> None:
    """Says on standard error what the script did without and how to load it."""
    for lack in lacks:
        click.echo(f"warning: {lack.text}", err=True)


@click.command()
@click.argument("what", type=click.Choice(tuple(exporting.SOURCES)))
@click.option(
    "--format", "kind", type=click.Choice(exporting.FORMATS), default="csv", show_default=True
)
@click.option(
    "--bbox", callback=box, metavar="minLng,minLat,maxLng,maxLat", help="Only inside, in degrees."
)
@click.option("--brand", default="", help="Name or alias of a brand, sub-brands included.")
@click.option("--region", default="", help="Name, full name or code of a region.")
@click.option(
    "-o", "--output", default=files.STDOUT, metavar="FILE", help="File, or - for standard output."
)
@answering_clearly
def export(
    what: str, kind: str, bbox: exporting.Bbox | None, brand: str, region: str, output: str
) -> None:
    """Write all shops or reviews into a file; reviews come without text and author."""
    count = exporting.export(
        reader_url(), what, kind, output, bbox=bbox, brand=brand, region=region
    )
    click.echo(f"{count} {what}", err=True)


@click.command()
@click.option(
    "--region", default="", help="Name, full name or code of a region; blank for the country."
)
@click.option("-o", "--output", required=True, metavar="FILE", help="The page.")
@answering_clearly
def report(region: str, output: str) -> None:
    """One self-contained page with the main answers for a region."""
    from geoshops.analysis import report as reporting

    reporting.write(reader_url(), region, output)
