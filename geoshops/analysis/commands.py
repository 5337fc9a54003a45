"""The commands geoshops sql, export and report."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click
import psycopg2

from geoshops.analysis import export as exporting
from geoshops.analysis import files, formats, runner, scripts
from geoshops.config import ConfigError, Settings
from geoshops.database.pool import libpq_url
from geoshops.operations.commands import failing_clearly, first_line
from geoshops.operations.connection import operator_url

PICTURES = ("html", "png")
FORMATS = ("table", "csv", "geojson", "parquet", "gpkg", *PICTURES)
EXTRA = "scripts/setup --extras analysis (an installed package: pip install 'geoshops[analysis]')"


def reader_url() -> str:
    """Returns the libpq URL of the read-only role, or the operator's, whose privileges the script then drops."""
    try:
        url = Settings.from_environment(testing=True).reader_database_url
    except ConfigError as error:
        raise click.ClickException(str(error)) from error
    return libpq_url(url) if url else operator_url()


def reporting_script_errors(command: Callable[..., Any]) -> Callable[..., Any]:
    """Reports errors as failing_clearly does, with exit code 2 for errors that the caller can correct."""

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
            message = first_line(error)
            if error.pgcode in runner.WRONG_VALUE:
                raise click.UsageError(message) from error
            if error.pgcode in runner.NOT_SET_UP:
                cause = runner.not_set_up(error.pgcode, message)
                raise click.ClickException(str(cause)) from error
            raise
        except ModuleNotFoundError as error:
            raise click.ClickException(f"{error.name} is missing; remedy: {EXTRA}") from error
        except BrokenPipeError:
            raise SystemExit(1) from None

    return wrapper


def assignments(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """Parses the name=value pairs of -v."""
    wrong = [text for text in given if "=" not in text or "\0" in text]
    if wrong:
        raise click.BadParameter(f"must be name=value, not {wrong[0]!r}")
    return {name: value for name, _, value in (text.partition("=") for text in given)}


def box(_: click.Context, __: click.Parameter, given: str | None) -> exporting.Bbox | None:
    """Parses minLng,minLat,maxLng,maxLat; if minLng > maxLng the box crosses the 180th meridian."""
    if given is None:
        return None
    try:
        west, south, east, north = (float(part) for part in given.split(","))
    except ValueError as error:
        raise click.BadParameter("must be minLng,minLat,maxLng,maxLat in degrees") from error
    if not (-180 <= west <= 180 and -180 <= east <= 180 and -90 <= south <= north <= 90):
        raise click.BadParameter("longitudes must be within ±180 and latitudes within ±90 degrees")
    return west, south, east, north


@click.group("sql")
def sql() -> None:
    """List, print and run the scripts of sql/analysis."""


@sql.command("list")
def list_scripts() -> None:
    """List the scripts with their questions."""
    for script in scripts.catalogue():
        click.echo(f"{script.name:28} {script.question}")


@sql.command()
@click.argument("name")
@reporting_script_errors
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
@reporting_script_errors
def run(name: str, values: dict[str, str], kind: str, output: str, timeout_s: int) -> None:
    """Run a script as the read-only role."""
    script = scripts.find(name)
    if output == files.STDOUT and kind not in formats.TEXT_FORMATS and kind != "html":
        raise click.UsageError(f"{kind} needs a file: -o {script.name}.{kind}")
    url = reader_url()
    if kind in formats.TEXT_FORMATS:
        with (
            files.text_output(output) as stream,
            runner.run(url, script, values, timeout_s) as result,
        ):
            formats.TEXT_FORMATS[kind](result, stream)
        missing = result.missing
    elif kind in PICTURES:
        from geoshops.analysis import pictures

        missing = pictures.write(url, script, values, kind=kind, output=output, timeout_s=timeout_s)
    else:
        with files.new_file(output) as path, runner.run(url, script, values, timeout_s) as result:
            formats.write_file(result, kind, path)
        missing = result.missing
    report_missing(missing)


def report_missing(missing: list[runner.MissingData]) -> None:
    """Prints warnings about missing data to standard error."""
    for data in missing:
        click.echo(f"warning: {data.text}", err=True)


@click.command()
@click.argument("what", type=click.Choice(tuple(exporting.QUERIES)))
@click.option(
    "--format", "kind", type=click.Choice(exporting.FORMATS), default="csv", show_default=True
)
@click.option(
    "--bbox",
    callback=box,
    metavar="minLng,minLat,maxLng,maxLat",
    help="Only rows inside, in degrees.",
)
@click.option("--brand", default="", help="Name or alias of a brand, sub-brands included.")
@click.option("--region", default="", help="Name, full name or code of a region.")
@click.option(
    "-o", "--output", default=files.STDOUT, metavar="FILE", help="File, or - for standard output."
)
@reporting_script_errors
def export(
    what: str, kind: str, bbox: exporting.Bbox | None, brand: str, region: str, output: str
) -> None:
    """Write all shops or reviews to a file; reviews without text and author."""
    count = exporting.export(
        reader_url(), what, kind, output, bbox=bbox, brand=brand, region=region
    )
    click.echo(f"{count} {what}", err=True)


@click.command()
@click.option(
    "--region", default="", help="Name, full name or code of a region; blank for the country."
)
@click.option("-o", "--output", required=True, metavar="FILE", help="HTML file.")
@reporting_script_errors
def report(region: str, output: str) -> None:
    """Write a self-contained HTML page with the main results for a region."""
    from geoshops.analysis import report as reporting

    reporting.write(reader_url(), region, output)
