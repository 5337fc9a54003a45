"""`geoshops shops` and `geoshops brands`: corrections that imports keep, and the table of brands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import click
import psycopg2

from geoshops.config import Settings
from geoshops.console import changes, committing
from geoshops.interrupts import heeding
from geoshops.operators import ID, ONE_AT_A_TIME, REASON, failing_clearly, operator_url
from geoshops.shops import brands as brand_table
from geoshops.shops import corrections
from geoshops.shops.corrections import NotPossible

DAY = click.option("--on", "day", type=click.DateTime(["%Y-%m-%d"]), help="Day of closing; today.")
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
# constraint → what it wants
REFUSED = {
    "shops_status_known": "status is OPEN, TEMP_CLOSED or CLOSED",
    "shops_place_name_not_blank": "place_name must not be blank",
    "shops_place_name_at_most_200": "place_name has at most 200 characters",
    "shops_closed_on_only_when_closed": "closed_on goes with status=CLOSED only",
    "shops_closed_on_after_opened_on": "closed_on must not lie before opened_on",
    "shops_merged_is_closed": "what is merged into another shop stays closed",
    "brands_name_not_blank": "the name must not be blank",
    "brands_badge_color_is_hex": "a colour is written #rrggbb with digits 0-9 and a-f",
    "brand_aliases_alias_not_blank": "the alias must not be blank",
}


@contextmanager
def correcting() -> Iterator[Any]:
    """A cursor that changes shops: after a load that is under way, which would write over it."""
    with asking() as cursor:
        cursor.execute(ONE_AT_A_TIME)
        yield cursor
        with committing():
            cursor.connection.commit()


@contextmanager
def asking() -> Iterator[Any]:
    """A cursor in one transaction; what the database refuses is told in one line."""
    connection = heeding(psycopg2.connect(operator_url(), application_name="geoshops-shops"))
    try:
        with connection.cursor() as cursor:
            yield cursor
    except NotPossible as error:
        raise changes.failure(str(error), of_a_change=True) from error
    except (psycopg2.IntegrityError, psycopg2.DataError) as error:
        constraint = error.diag.constraint_name or ""
        broken = REFUSED.get(constraint) or constraint or error.diag.message_primary
        raise changes.failure(f"not possible: {broken}", of_a_change=True) from error
    finally:
        connection.close()


@click.group("shops")
def shops() -> None:
    """Correct shops; later imports keep what was set by hand."""


@shops.command("set")
@click.argument("shop_id", type=ID)
@click.argument("changes", nargs=-1, metavar="FIELD=VALUE...")
@click.option(
    "--release", multiple=True, type=click.Choice([*corrections.FIELDS]), metavar="FIELD",
    help="Field that the next import shall rule again.",
)  # fmt: skip
@REASON
@failing_clearly
def set_(shop_id: int, changes: tuple[str, ...], release: tuple[str, ...], reason: str) -> None:
    """Set fields of a shop by hand."""
    given = dict(_pair(change) for change in changes)
    if not given and not release:
        raise click.UsageError("nothing to set: give FIELD=VALUE or --release FIELD")
    with correcting() as cursor:
        if release:
            corrections.release(cursor, shop_id, list(release), reason)
        if given:
            corrections.set_fields(cursor, shop_id, given, reason)
    click.echo(f"shop {shop_id}: {', '.join([*given, *(f'{n} released' for n in release)])}")


@shops.command("close")
@click.argument("shop_id", type=ID)
@DAY
@REASON
@failing_clearly
def close(shop_id: int, day: datetime | None, reason: str) -> None:
    """Close a shop: searches no longer find it, its page stays."""
    with correcting() as cursor:
        corrections.close(cursor, shop_id, _day(day), reason)
    click.echo(f"shop {shop_id} is closed")


@shops.command("merge")
@click.argument("duplicate_id", type=ID)
@click.argument("into_id", type=ID)
@REASON
@failing_clearly
def merge(duplicate_id: int, into_id: int, reason: str) -> None:
    """Merge a duplicate into another shop, reviews and favorites included."""
    with correcting() as cursor:
        corrections.merge(cursor, duplicate_id, into_id, _day(None), reason)
    click.echo(f"shop {duplicate_id} is merged into {into_id}")


@shops.command("duplicates")
@JSON
@failing_clearly
def duplicates(as_json: bool) -> None:
    """List pairs within 50 m with one brand and similar names, for a decision."""
    with asking() as cursor:
        found = corrections.duplicates(cursor)
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
        return
    for pair in found:
        click.echo(
            f"{pair['shop_id']} {pair['place_name']} | {pair['other_id']} {pair['other_name']} | "
            f"{pair['distance_m']:.0f} m, {pair['similarity']:.2f}"
        )
    click.echo(f"{len(found)} pairs: geoshops shops merge or geoshops shops keep-apart", err=True)


@shops.command("keep-apart")
@click.argument("shop_id", type=ID)
@click.argument("other_id", type=ID)
@REASON
@failing_clearly
def keep_apart(shop_id: int, other_id: int, reason: str) -> None:
    """Note that two candidates are two shops; they are not listed again."""
    with correcting() as cursor:
        corrections.keep_apart(cursor, shop_id, other_id, reason)
    click.echo(f"shops {shop_id} and {other_id} stay apart")


@click.group("brands")
def brands() -> None:
    """Keep the table of brands."""


@brands.command("list")
@JSON
@failing_clearly
def list_(as_json: bool) -> None:
    """List brands with parents, aliases and shops."""
    with asking() as cursor:
        found = brand_table.listed(cursor)
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
        return
    for brand in found:
        mark = "*" if brand["is_representative"] else " "
        of = f" (of {brand['parent']})" if brand["parent"] else ""
        aliases = f": {', '.join(brand['aliases'])}" if brand["aliases"] else ""
        click.echo(
            f"{mark} {brand['id']:4} {brand['name']}{of}, {brand['shop_cnt']} shops{aliases}"
        )


@brands.command("add")
@click.argument("name")
@click.option("--parent", help="Brand of which it is a sub-brand.")
@click.option("--representative", is_flag=True, help="Found by a map search without a brand.")
@click.option("--color", help="Colour of the badge, #rrggbb.")
@failing_clearly
def add(name: str, parent: str | None, representative: bool, color: str | None) -> None:
    """Add a brand."""
    _change(lambda c: brand_table.add(c, name, parent, representative, color))


@brands.command("alias")
@click.argument("name")
@click.argument("alias")
@click.option("--remove", is_flag=True, help="Take the alias away.")
@failing_clearly
def alias_(name: str, alias: str, remove: bool) -> None:
    """Add another name of a brand."""
    act = brand_table.remove_alias if remove else brand_table.add_alias
    _change(lambda c: act(c, name, alias))


@brands.command("parent")
@click.argument("name")
@click.argument("parent", required=False)
@failing_clearly
def parent_(name: str, parent: str | None) -> None:
    """Make NAME a sub-brand of PARENT, or without PARENT a brand of its own."""
    _change(lambda c: brand_table.set_parent(c, name, parent))


@brands.command("representative")
@click.argument("name")
@click.option("--no", "is_not", is_flag=True, help="Take the mark away.")
@failing_clearly
def representative_(name: str, is_not: bool) -> None:
    """Let a map search without a brand find it."""
    _change(lambda c: brand_table.set_representative(c, name, not is_not))


@brands.command("color")
@click.argument("name")
@click.argument("color")
@failing_clearly
def color_(name: str, color: str) -> None:
    """Set the colour of the badge, #rrggbb."""
    _change(lambda c: brand_table.set_color(c, name, color))


def _change(act: Callable[[Any], None]) -> None:
    with correcting() as cursor:
        act(cursor)
        count = brand_table.refresh(cursor)
    click.echo(f"done; {count} shops got a brand by their name")


def _pair(change: str) -> tuple[str, str]:
    field, separator, value = change.partition("=")
    if not separator or field not in corrections.FIELDS:
        known = ", ".join(corrections.FIELDS)
        raise click.UsageError(f"{change}: write FIELD=VALUE with a field of {known}")
    return field, value


def _day(given: datetime | None) -> str:
    zone = ZoneInfo(Settings.from_environment(testing=True).timezone)
    return (given or datetime.now(UTC).astimezone(zone)).date().isoformat()
