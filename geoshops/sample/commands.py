"""geoshops seed: loads sample data."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import click
from tqdm import tqdm

from geoshops.console import as_started, committing
from geoshops.database.deferred_indexes import build_missing
from geoshops.database.operator_connection import connected
from geoshops.operations.boundaries import MISSING, installed_districts
from geoshops.operations.commands import failing_clearly
from geoshops.operations.connection import COUNT_BRANDS, operator_url
from geoshops.sample.clear import clear, reviews_of_others
from geoshops.sample.country import Country, Entry, Size
from geoshops.sample.ground import Ground
from geoshops.sample.load import Loaded, generated_shops, load, lock

KOREA = timedelta(hours=9)


def korean_today() -> date:
    """Returns the current day in Korea, which has no daylight saving time."""
    return (datetime.now(UTC) + KOREA).date()


@click.command()
@click.option("--shops", default=Size().shops, type=click.IntRange(0), show_default=True)
@click.option("--reviews", default=Size().reviews, type=click.IntRange(0), show_default=True)
@click.option("--members", default=Size().members, type=click.IntRange(1), show_default=True)
@click.option("--seed", "number", default=1, show_default=True, help="Seed of the random numbers.")
@click.option(
    "--today",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Last day of the generated data; today in Korea if omitted.",
)
@click.option("--reset", is_flag=True, help="Replace existing generated rows.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@failing_clearly
def seed(
    shops: int,
    reviews: int,
    members: int,
    number: int,
    today: datetime | None,
    reset: bool,
    yes: bool,
) -> None:
    """Load sample data: real places with generated shops, members and reviews.

    The same options on the same day generate the same rows, except that positions near borders depend on whether the
    boundaries from scripts/setup are installed. If the database already has generated rows, nothing is changed
    without --reset."""
    size = Size(shops, reviews, members)
    last_day = today.date() if today else korean_today()

    def country() -> Country:
        return Country(number, size, last_day, Ground(installed_districts()))

    with connected(operator_url(), "seed") as connection:
        cursor = connection.cursor()
        if reset and not yes:
            _confirm(cursor)
        loaded = _seed(cursor, country, reset)
        cursor.execute(COUNT_BRANDS)
        with committing():
            connection.commit()
    _say(loaded)
    build_missing(operator_url(), lambda text: click.echo(text, err=True))


def _confirm(cursor: Any) -> None:
    click.confirm(
        f"This deletes {generated_shops(cursor):,} generated shops and dependent rows, including"
        f" {reviews_of_others(cursor):,} reviews by real members. Continue?",
        abort=True,
    )


def _seed(cursor: Any, country: Callable[[], Country], reset: bool) -> Loaded | None:
    lock(cursor)
    if reset:
        clear(cursor)
    if count := generated_shops(cursor):
        click.echo(f"{count:,} generated shops exist already; nothing changed (see --reset)")
        return None
    return load(cursor, country(), _with_progress)


def _with_progress(entries: Iterable[Entry]) -> Iterable[Entry]:
    return tqdm(entries, unit=" shops", disable=None)


def _say(loaded: Loaded | None) -> None:
    if loaded is None:
        return
    click.echo(
        f"generated data: {loaded.shops:,} shops, {loaded.reviews:,} reviews,"
        f" {loaded.favorites:,} favorites, {loaded.members:,} members; boundaries of"
        f" {loaded.boundaries:,} regions. The places are real,"
        " the shops and everything about them are generated."
    )
    if not loaded.boundaries:
        click.echo(
            f"regions have no boundaries: {MISSING}, then {as_started('import boundaries')}",
            err=True,
        )
