"""`geoshops import`: shops, regions, stations and population from files."""

from __future__ import annotations

import json
import re
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import click
import psycopg2
from tqdm import tqdm

from geoshops.config import Settings
from geoshops.console import EXIT_INCOMPLETE, as_started, changes, committing
from geoshops.database.deferred_indexes import build_missing
from geoshops.importing.brands import import_brands
from geoshops.importing.errors import ImportRejected, WrongUsage
from geoshops.importing.mapping import read_pairs, saved_mapping, saved_mappings
from geoshops.importing.population import import_population
from geoshops.importing.region_features import LEVELS
from geoshops.importing.region_names import import_region_names
from geoshops.importing.regions import import_regions
from geoshops.importing.request import Request
from geoshops.importing.shops import import_shops
from geoshops.importing.stations import import_stations
from geoshops.importing.transaction import follow_up, importing_into
from geoshops.operations.boundaries import MISSING, fill_missing, installed_districts
from geoshops.operations.commands import FiniteRange, failing_clearly
from geoshops.operations.connection import ONE_AT_A_TIME, operator_url

FILE = click.argument("file", type=click.Path(path_type=Path))
MAP = click.option("--map", "pairs", multiple=True, metavar="COLUMN=FIELD", help="Repeatable.")
ENCODING = click.option("--encoding", default="", help="utf-8, cp949 …; detected if not named.")
DELIMITER = click.option(
    "--delimiter", default="", help="One character, or tab; detected if not named."
)
REJECTS = click.option(
    "--rejects", type=click.Path(path_type=Path), help="Instead of FILE.rejected.csv."
)
DRY_RUN = click.option("--dry-run", is_flag=True, help="Do everything but the commit.")
WHAT_FOLLOWS = (
    "what follows it (indexes of the search, titles, the map's clusters); "
    f"the next import and `{as_started('db upgrade')}` make up for it"
)
BRANDS_SHOWN = 10
JSON = click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON object.")


@click.group("import")
def group() -> None:
    """Bring shops, brands, regions, stations or population in from a file."""


def reading_options(command: Any) -> Any:
    """Options that say how a file is to be read."""
    for option in (
        click.option("--mapping", help="A saved mapping: columns, words, coordinate system."),
        MAP,
        click.option(
            "--source", default="", help="Name of the source; its ids are keys within it."
        ),
        click.option(
            "--crs", default="", help="EPSG:5174 and the like, WCONGNAMUL; WGS 84 if not named."
        ),
        click.option(
            "--scale", default=1.0, help="The file's numbers are the system's times this."
        ),
        ENCODING,
        REJECTS,
        DRY_RUN,
    ):
        command = option(command)
    return command


def table_options(command: Any) -> Any:
    """Options of what may be a table, too."""
    for option in (
        DELIMITER,
        click.option(
            "--format",
            "format_",
            type=click.Choice(["csv", "geojson"]),
            help="Detected if not named.",
        ),
    ):
        command = option(command)
    return command


def csv_options(command: Any) -> Any:
    """Options of a CSV of brands or names."""
    for option in (MAP, ENCODING, DELIMITER, REJECTS, DRY_RUN):
        command = option(command)
    return command


def reporting_rejections(command: Callable[..., None]) -> Callable[..., None]:
    """Reports a rejected import in one line with exit code 1; Ctrl-C exits with 130 and changes nothing."""

    @failing_clearly
    @wraps(command)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except WrongUsage as error:
            raise click.UsageError(str(error)) from error
        except ImportRejected as error:
            raise changes.failure(str(error), of_a_change=True) from error
        except OSError as error:
            raise changes.failure(str(error), of_a_change=True) from error
        except KeyboardInterrupt:
            if changes.committed:
                click.echo(
                    f"interrupted after the commit: the import is complete, but perhaps not {WHAT_FOLLOWS}",
                    err=True,
                )
                sys.exit(EXIT_INCOMPLETE)
            click.echo("interrupted; nothing was changed", err=True)
            sys.exit(130)

    return wrapper


@group.command()
@FILE
@reading_options
@table_options
@click.option("--on-missing", type=click.Choice(["keep", "close"]), default="keep",
              help="What happens to open shops of the source that the file does not list.")  # fmt: skip
@click.option("--allow-shrink", is_flag=True,
              help="Accept an import that closes more than a fifth of the source's open shops.")  # fmt: skip
@click.option(
    "--add-brands", is_flag=True, help="Add the brands that the file names and the table lacks."
)
@click.option("--as-of", type=click.DateTime(["%Y-%m-%d"]), help="Day of the source's statement.")
@JSON
@reporting_rejections
def shops(file: Path, as_json: bool, **options: Any) -> None:
    """Import shops from CSV, GeoJSON or a GeoJSON sequence."""
    wanted = request(file, "shops", **options)
    with progress_bar(file) as progress:
        summary = import_shops(
            operator_url(), wanted, progress, lambda text: click.echo(f"warning: {text}", err=True)
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
@reading_options
@table_options
@JSON
@reporting_rejections
def stations(file: Path, as_json: bool, **options: Any) -> None:
    """Import railway stations from CSV or GeoJSON."""
    wanted = request(file, "stations", **options)
    with progress_bar(file) as progress:
        summary = import_stations(operator_url(), wanted, progress)
    report(summary, as_json)


@group.command()
@FILE
@reading_options
@click.option("--level", type=click.Choice(LEVELS), help="Level of all features.")
@click.option(
    "--max-vertices", default=10_000, show_default=True, type=click.IntRange(1),
    help="Most vertices of a region.",
)  # fmt: skip
@click.option(
    "--max-bytes", default=1 << 20, show_default=True, type=click.IntRange(1),
    help="Most bytes of a region.",
)  # fmt: skip
@JSON
@reporting_rejections
def regions(
    file: Path, as_json: bool, level: str | None, max_vertices: int, max_bytes: int, **options: Any
) -> None:
    """Import boundaries of regions from GeoJSON; shops get their regions anew."""
    wanted = request(file, "regions", **options)
    with progress_bar(file) as progress:
        summary = import_regions(
            operator_url(), wanted, progress,
            level=level or "", most_vertices=max_vertices, most_bytes=max_bytes,
        )  # fmt: skip
    report(summary, as_json)
    if not as_json:
        click.echo(
            f"{summary['repaired']} polygons repaired, {summary['shops_changed']} shops in other regions"
        )


@group.command("region-names")
@FILE
@click.option("--mapping", help="A saved mapping: columns and words.")
@csv_options
@JSON
@reporting_rejections
def region_names(file: Path, as_json: bool, **options: Any) -> None:
    """Import names of regions in other languages from CSV: a row for each region.

    Columns: name (Korean), name_en, name_ja, name_zh, level, longitude, latitude; several names are joined by |."""
    wanted = request(file, "region-names", **options)
    with progress_bar(file) as progress:
        summary = import_region_names(operator_url(), wanted, progress)
    report(summary, as_json)


@group.command("boundaries")
@DRY_RUN
@reporting_rejections
def installed(dry_run: bool) -> None:
    """Load the boundaries of Korean districts and provinces that scripts/setup installs.

    Regions that have a boundary keep it; regions that are missing are added."""
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
        f"{filled.filled} boundaries added, {filled.kept} regions had one already,"
        f" {filled.shops_changed} shops in other regions"
    )
    if dry_run:
        click.echo("dry run: nothing was changed")


@group.command()
@FILE
@reading_options
@table_options
@click.option(
    "--cell-size", default=0.0, type=FiniteRange(0),
    help="CSV rows are middles of squares this wide, in the units of --crs.",
)  # fmt: skip
@click.option("--on-missing", type=click.Choice(["keep", "delete"]), default="keep",
              help="What happens to cells of the source that the file does not state.")  # fmt: skip
@JSON
@reporting_rejections
def population(file: Path, as_json: bool, cell_size: float, **options: Any) -> None:
    """Import people by cell from GeoJSON polygons or CSV, for `v_population`."""
    wanted = request(file, "population", **options)
    with progress_bar(file) as progress:
        summary = import_population(operator_url(), wanted, progress, cell_size=cell_size)
    report(summary, as_json)
    if not as_json:
        click.echo(f"{summary['repaired']} outlines repaired, {summary['removed']} cells removed")


@group.command()
@FILE
@csv_options
@JSON
@reporting_rejections
def brands(file: Path, as_json: bool, **options: Any) -> None:
    """Import brands and their aliases from CSV: a row for each alias.

    Columns: name, alias, lang (ko, en, zh-Hans …), is_representative, parent, badge_color. Only name is required; an
    empty value leaves what the brand has."""
    wanted = request(file, "brands", mapping=None, **options)
    with progress_bar(file) as progress:
        summary = import_brands(operator_url(), wanted, progress)
    report(summary, as_json)
    if not as_json:
        click.echo(f"{summary['shops_changed']} shops got a brand by their name")


@group.command("mappings")
def mappings() -> None:
    """List the saved mappings."""
    for kind in ("shops", "stations", "regions", "region-names"):
        for mapping in saved_mappings(kind):
            click.echo(f"{kind:12} {mapping.name:20} {mapping.title}")


def _follow_up(summary: dict[str, Any], as_json: bool) -> None:
    """What may be late: the indexes of the search after a large first load, titles, clusters, statistics."""
    started = time.perf_counter()
    try:
        built = build_missing(operator_url(), lambda text: click.echo(text, err=True))
        until_found = summary["seconds"] + time.perf_counter() - started if built else None
        summary["keyword_seconds"] = until_found and round(until_found, 3)
        if until_found and not as_json:
            click.echo(f"the keyword search answers after {until_found:.1f} s")
        follow_up(operator_url(), summary["inserted"] + summary["updated"])
    except (ImportRejected, psycopg2.Error) as error:
        click.echo(f"the import is complete, but not {WHAT_FOLLOWS}: {error}", err=True)


def request(
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
    """The options as a request."""
    zone = ZoneInfo(Settings.from_environment(testing=True).timezone)
    delimiter = "\t" if delimiter.lower() in ("tab", "\\t") else delimiter
    if len(delimiter) > 1:
        raise click.BadParameter("one character, or tab", param_hint="--delimiter")
    return Request(
        path=file,
        today=(as_of or datetime.now(UTC).astimezone(zone)).date().isoformat(),
        mapping=saved_mapping(mapping, kind) if mapping else None,
        given=tuple(read_pairs(pairs)),
        format=format_ or "",
        delimiter=delimiter,
        **more,
    )


@contextmanager
def progress_bar(file: Path) -> Iterator[Callable[[int], object]]:
    """Bytes read so far, on standard error when that is a terminal."""
    size = file.stat().st_size if file.is_file() else 0
    with tqdm(total=size, unit="B", unit_scale=True, disable=None, file=sys.stderr) as bar:
        yield lambda read: bar.update(max(0, read - bar.n))


def report_unknown_brands(brands: dict[str, int]) -> None:
    """Names words of the brand column that are no brands yet."""
    shown = ", ".join(f"{name} ({rows})" for name, rows in [*brands.items()][:BRANDS_SHOWN])
    more = f" and {len(brands) - BRANDS_SHOWN} more" if len(brands) > BRANDS_SHOWN else ""
    click.echo(f"unknown brands, not added (rows): {shown}{more}")
    click.echo(
        "  if they are brands, import again with --add-brands, or add them by "
        + as_started("import brands FILE")
    )


def report_no_representative(largest: list[str]) -> None:
    """Says why the map shows no shop, and which command mends it."""
    click.echo(
        "no brand is representative: the map and /shops/brand without a brand show no shop. Choose some by"
    )
    for name in largest:
        word = name if re.fullmatch(r"\w+", name) else shlex.quote(name)
        click.echo(f"  {as_started('brands representative')} {word}")
    click.echo(f"  {as_started('import brands FILE')}, a CSV with name and is_representative")


def report(summary: dict[str, Any], as_json: bool) -> None:
    """Prints the summary for people or for programs."""
    if as_json:
        click.echo(json.dumps(summary, ensure_ascii=False))
        return
    counts = ("inserted", "updated", "unchanged", "identical", "rejected")
    told = " + ".join(f"{summary[name]} {name}" for name in counts if name in summary)
    click.echo(f"{summary['read']} read = {told}")
    for reason, count in summary["reasons"].items():
        click.echo(f"  {count:7} rejected: {reason}")
    if summary["rejects_file"]:
        click.echo(f"rejected rows: {summary['rejects_file']}")
    for value in summary.get("dropped", ()):
        lines = ", ".join(map(str, value["lines"])) + " …" * (value["values"] > len(value["lines"]))
        click.echo(
            f"  {value['values']:7} values dropped, rows kept: {value['reason']} (lines {lines})"
        )
    if summary.get("columns_not_used"):
        click.echo(f"columns not used: {', '.join(summary['columns_not_used'])}")
    if summary.get("mapped_columns_absent"):
        click.echo(f"columns that the file lacks: {', '.join(summary['mapped_columns_absent'])}")
    if summary.get("brands_added"):
        click.echo(f"brands added: {', '.join(summary['brands_added'])}")
    if summary.get("unknown_brands"):
        report_unknown_brands(summary["unknown_brands"])
    for point in summary.get("shared_points", ()):
        click.echo(
            f"warning: {point['shops']} shops of {point['cities']} cities lie on one point, "
            f"{point['longitude']:.6f}, {point['latitude']:.6f} ({', '.join(point['examples'])} …): "
            "it may be the middle of a larger area"
        )
    if summary.get("duplicate_candidates"):
        click.echo(
            f"{summary['duplicate_candidates']} pairs may be one shop each: {as_started('shops duplicates')}"
        )
    if summary.get("address_checked"):
        click.echo(
            f"{summary['address_fits']} of {summary['address_checked']} shops lie in the district of their address"
        )
    for count, what in (
        ("rekeyed", "shops recognised although their key is another now"),
        ("reopened", "shops reopened that the file lists again"),
        ("closed_stated", "shops closed that the file states as closed"),
        ("closed_missing", "shops closed that the file no longer lists"),
    ):
        if summary.get(count):
            click.echo(f"{summary[count]} {what}")
    click.echo(f"done in {summary['seconds']:.1f} s")
    if summary.get("no_brand_is_representative"):
        report_no_representative(summary["largest_brands"])
    if summary["dry_run"]:
        click.echo("dry run: nothing was changed")
    if summary["interrupted_too_late"]:
        click.echo("Ctrl-C came during the commit: the import is complete", err=True)
