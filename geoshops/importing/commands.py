"""`geoshops import`: shops, regions, stations and population from files."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import Any

import click
import psycopg2
from tqdm import tqdm

from geoshops.console import EXIT_INCOMPLETE, as_started, changes, committing
from geoshops.database.deferred_indexes import build_missing
from geoshops.database.models import REGION_LEVELS
from geoshops.importing.brands import import_brands
from geoshops.importing.errors import ImportRejected, WrongUsage
from geoshops.importing.mapping import read_pairs, saved_mapping, saved_mappings
from geoshops.importing.polygon_features import MOST_VERTICES
from geoshops.importing.population import import_population
from geoshops.importing.region_names import import_region_names
from geoshops.importing.regions import import_regions
from geoshops.importing.reporting import report
from geoshops.importing.request import Request
from geoshops.importing.shops import import_shops
from geoshops.importing.stations import import_stations
from geoshops.importing.transaction import follow_up, importing_into
from geoshops.operations.boundaries import MISSING, fill_missing, installed_districts
from geoshops.operations.commands import FiniteRange, day_or_today, failing_clearly
from geoshops.operations.connection import ONE_AT_A_TIME, operator_url

FILE = click.argument("file", type=click.Path(path_type=Path))
MAP = click.option("--map", "pairs", multiple=True, metavar="COLUMN=FIELD", help="Repeatable.")
ENCODING = click.option("--encoding", default="", help="utf-8, cp949 …; detected if omitted.")
DELIMITER = click.option(
    "--delimiter", default="", help="One character, or tab; detected if omitted."
)
REJECTS = click.option(
    "--rejects",
    type=click.Path(path_type=Path),
    help="List of rejected rows, in place of FILE.rejected.csv.",
)
DRY_RUN = click.option("--dry-run", is_flag=True, help="Check the file and roll back.")
FOLLOW_UP = (
    "the follow-up work (search indexes, titles, the map's clusters); "
    f"run `{as_started('db upgrade')}`, or wait for the next import, to complete it"
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON object.")


@click.group("import")
def group() -> None:
    """Import shops, brands, regions, stations or population from a file."""


def _all_of(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A decorator that adds several options to a command."""

    def decorate(command: Any) -> Any:
        for option in options:
            command = option(command)
        return command

    return decorate


READING_OPTIONS = _all_of(
    click.option("--mapping", help="A saved mapping of columns, values and coordinate system."),
    MAP,
    click.option("--source", default="", help="Name of the source; ids are unique within it."),
    click.option(
        "--crs",
        default="",
        help="An EPSG code such as EPSG:5174, or WCONGNAMUL; WGS 84 if omitted.",
    ),
    click.option(
        "--scale", default=1.0, help="Factor between the file's numbers and the units of --crs."
    ),
    ENCODING,
    REJECTS,
    DRY_RUN,
)
# of files that may be CSV
TABLE_OPTIONS = _all_of(
    DELIMITER,
    click.option(
        "--format", "format_", type=click.Choice(["csv", "geojson"]), help="Detected if omitted."
    ),
)
# of a CSV of brands or names
CSV_OPTIONS = _all_of(MAP, ENCODING, DELIMITER, REJECTS, DRY_RUN)


def reporting_rejections(command: Callable[..., None]) -> Callable[..., None]:
    """Reports a rejected import in one line with exit code 1; Ctrl-C rolls back and exits with 130."""

    @failing_clearly
    @wraps(command)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except WrongUsage as error:
            raise click.UsageError(str(error)) from error
        except (ImportRejected, OSError) as error:
            raise changes.failure(str(error), of_a_change=True) from error
        except KeyboardInterrupt:
            if changes.committed:
                click.echo(
                    f"interrupted after the commit: the import is complete, but perhaps not {FOLLOW_UP}",
                    err=True,
                )
                sys.exit(EXIT_INCOMPLETE)
            click.echo("interrupted; nothing was changed", err=True)
            sys.exit(130)

    return wrapper


@group.command()
@FILE
@READING_OPTIONS
@TABLE_OPTIONS
@click.option("--on-missing", type=click.Choice(["keep", "close"]), default="keep",
              help="Keep or close open shops of the source that the file does not list.")  # fmt: skip
@click.option("--allow-shrink", is_flag=True,
              help="Accept an import that closes more than a fifth of the source's open shops.")  # fmt: skip
@click.option(
    "--add-brands", is_flag=True, help="Add brands of the file that are not in the database."
)
@click.option(
    "--as-of",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Date on which the data was valid; today if omitted.",
)
@JSON
@reporting_rejections
def shops(file: Path, as_json: bool, **options: Any) -> None:
    """Import shops from CSV, GeoJSON or a GeoJSON sequence."""
    request = read_options(file, "shops", **options)
    with progress_bar(file) as progress:
        summary = import_shops(
            operator_url(), request, progress, lambda text: click.echo(f"warning: {text}", err=True)
        )
    if not as_json:
        report(summary, as_json)
    if not summary["dry_run"]:
        _follow_up(summary, as_json)
    if as_json:
        report(summary, as_json)
    if summary["rejection"]:
        raise ImportRejected(f"without --dry-run, the import is rejected: {summary['rejection']}")


@group.command()
@FILE
@READING_OPTIONS
@TABLE_OPTIONS
@JSON
@reporting_rejections
def stations(file: Path, as_json: bool, **options: Any) -> None:
    """Import railway stations from CSV or GeoJSON."""
    request = read_options(file, "stations", **options)
    with progress_bar(file) as progress:
        summary = import_stations(operator_url(), request, progress)
    report(summary, as_json)


@group.command()
@FILE
@READING_OPTIONS
@click.option("--level", type=click.Choice(REGION_LEVELS), help="Level of all features.")
@click.option(
    "--max-vertices", default=MOST_VERTICES, show_default=True, type=click.IntRange(1),
    help="Maximum number of vertices of a region.",
)  # fmt: skip
@click.option(
    "--max-bytes", default=1 << 20, show_default=True, type=click.IntRange(1),
    help="Maximum number of bytes of a region.",
)  # fmt: skip
@JSON
@reporting_rejections
def regions(
    file: Path, as_json: bool, level: str | None, max_vertices: int, max_bytes: int, **options: Any
) -> None:
    """Import boundaries of regions from GeoJSON and reassign shops to regions."""
    request = read_options(file, "regions", **options)
    with progress_bar(file) as progress:
        summary = import_regions(
            operator_url(), request, progress,
            level=level or "", most_vertices=max_vertices, most_bytes=max_bytes,
        )  # fmt: skip
    report(summary, as_json)
    if not as_json:
        click.echo(
            f"{summary['repaired']} polygons repaired, {summary['shops_changed']} shops moved to other regions"
        )


@group.command("region-names")
@FILE
@click.option("--mapping", help="A saved mapping of columns and values.")
@CSV_OPTIONS
@JSON
@reporting_rejections
def region_names(file: Path, as_json: bool, **options: Any) -> None:
    """Import names of regions in other languages from CSV, one row per region.

    Columns: name (Korean), name_en, name_ja, name_zh, level, longitude, latitude; separate several names by |."""
    request = read_options(file, "region-names", **options)
    with progress_bar(file) as progress:
        summary = import_region_names(operator_url(), request, progress)
    report(summary, as_json)


@group.command("boundaries")
@DRY_RUN
@reporting_rejections
def installed(dry_run: bool) -> None:
    """Load the boundaries of Korean districts and provinces that scripts/setup installs.

    Regions that have a boundary keep it; missing regions are added."""
    districts = installed_districts()
    if not districts:
        raise ImportRejected(MISSING)
    with importing_into(operator_url()) as connection, connection.cursor() as cursor:
        cursor.execute(ONE_AT_A_TIME)
        filled = fill_missing(cursor, districts)
        if not dry_run:
            with committing():
                connection.commit()
    click.echo(
        f"{filled.filled} boundaries added, {filled.kept} regions already had one,"
        f" {filled.shops_changed} shops moved to other regions"
    )
    if dry_run:
        click.echo("dry run: nothing was changed")


@group.command()
@FILE
@READING_OPTIONS
@TABLE_OPTIONS
@click.option(
    "--cell-size", default=0.0, type=FiniteRange(0),
    help="Side of the squares whose centres are the CSV rows, in the units of --crs.",
)  # fmt: skip
@click.option("--on-missing", type=click.Choice(["keep", "delete"]), default="keep",
              help="Keep or delete cells of the source that the file does not list.")  # fmt: skip
@JSON
@reporting_rejections
def population(file: Path, as_json: bool, cell_size: float, **options: Any) -> None:
    """Import population by cell from GeoJSON polygons or CSV, for `v_population`."""
    request = read_options(file, "population", **options)
    with progress_bar(file) as progress:
        summary = import_population(operator_url(), request, progress, cell_size=cell_size)
    report(summary, as_json)
    if not as_json:
        click.echo(f"{summary['repaired']} outlines repaired, {summary['removed']} cells removed")


@group.command()
@FILE
@CSV_OPTIONS
@JSON
@reporting_rejections
def brands(file: Path, as_json: bool, **options: Any) -> None:
    """Import brands and their aliases from CSV, one row per alias.

    Columns: name, alias, lang (ko, en, zh-Hans …), is_representative, parent, badge_color. Only name is required; an
    empty value leaves the brand's value unchanged."""
    request = read_options(file, "brands", mapping=None, **options)
    with progress_bar(file) as progress:
        summary = import_brands(operator_url(), request, progress)
    report(summary, as_json)
    if not as_json:
        click.echo(f"{summary['shops_changed']} shops assigned to a brand by their name")


@group.command("mappings")
def mappings() -> None:
    """List the saved mappings."""
    for kind in ("shops", "stations", "regions", "region-names"):
        for mapping in saved_mappings(kind):
            click.echo(f"{kind:12} {mapping.name:20} {mapping.title}")


def _follow_up(summary: dict[str, Any], as_json: bool) -> None:
    """Work after the commit: search indexes after a large first load, titles, clusters, statistics."""
    started = time.perf_counter()
    try:
        built = build_missing(operator_url(), lambda text: click.echo(text, err=True))
        searchable_s = summary["seconds"] + time.perf_counter() - started if built else None
        summary["keyword_seconds"] = searchable_s and round(searchable_s, 3)
        if searchable_s and not as_json:
            click.echo(f"keyword search ready after {searchable_s:.1f} s")
        follow_up(operator_url(), summary["inserted"] + summary["updated"])
    except (ImportRejected, psycopg2.Error) as error:
        click.echo(f"the import is complete, but not {FOLLOW_UP}: {error}", err=True)


def read_options(
    file: Path,
    kind: str,
    *,
    mapping: str | None,
    pairs: tuple[str, ...],
    format_: str | None = None,
    delimiter: str = "",
    as_of: datetime | None = None,
    **more: Any,
) -> Request:
    """Converts the options to an import request."""
    delimiter = "\t" if delimiter.lower() in ("tab", "\\t") else delimiter
    if len(delimiter) > 1:
        raise click.BadParameter("must be one character or tab", param_hint="--delimiter")
    return Request(
        path=file,
        today=day_or_today(as_of),
        mapping=saved_mapping(mapping, kind) if mapping else None,
        given=tuple(read_pairs(pairs)),
        format=format_ or "",
        delimiter=delimiter,
        **more,
    )


@contextmanager
def progress_bar(file: Path) -> Iterator[Callable[[int], object]]:
    """Shows the bytes read so far on standard error, if that is a terminal."""
    size = file.stat().st_size if file.is_file() else 0
    with tqdm(total=size, unit="B", unit_scale=True, disable=None, file=sys.stderr) as bar:
        yield lambda read: bar.update(max(0, read - bar.n))
