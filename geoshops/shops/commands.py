"""`geoshops shops` and `geoshops brands`: manual corrections, which imports keep, and brands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import click
import psycopg2
from flask.cli import with_appcontext
from tqdm import tqdm

from geoshops.console import as_started, changes, committing
from geoshops.database.operator_connection import connected
from geoshops.operations.commands import ID, JSON, REASON, day_or_today, failing_clearly
from geoshops.operations.connection import (
    COUNT_BRANDS,
    ONE_AT_A_TIME,
    operator_database,
    operator_url,
)
from geoshops.shops import brands as brand_table
from geoshops.shops import corrections, displays, merging
from geoshops.shops.corrections import NotPossible

DAY = click.option(
    "--on", "day", type=click.DateTime(["%Y-%m-%d"]), help="Day of closing; today if omitted."
)
# constraint → the rule that it enforces
CONSTRAINT_MESSAGES = {
    "shops_status_known": "status must be OPEN, TEMP_CLOSED or CLOSED",
    "shops_place_name_not_blank": "place_name must not be blank",
    "shops_place_name_at_most_200": "place_name must have at most 200 characters",
    "shops_closed_on_only_when_closed": "closed_on requires status=CLOSED",
    "shops_closed_on_after_opened_on": "closed_on must not be before opened_on",
    "shops_merged_is_closed": "a merged shop stays closed",
    "brands_name_not_blank": "the name must not be blank",
    "brands_badge_color_is_hex": "a colour must be #rrggbb, with the digits 0-9 and a-f",
    "brand_aliases_alias_not_blank": "the alias must not be blank",
    "brand_aliases_lang_is_a_tag": "a language must be a tag such as ko, en, ja or zh-Hans",
}


@contextmanager
def correcting() -> Iterator[Any]:
    """A cursor for changing shops. Waits for a running import, which would overwrite the changes."""
    with transaction() as cursor:
        cursor.execute(ONE_AT_A_TIME)
        yield cursor
        cursor.execute(COUNT_BRANDS)
        with committing():
            cursor.connection.commit()


@contextmanager
def transaction() -> Iterator[Any]:
    """A cursor in one transaction; database errors are reported in one line."""
    try:
        with connected(operator_url(), "shops") as connection:
            yield connection.cursor()
    except NotPossible as error:
        raise changes.failure(str(error), of_a_change=True) from error
    except (psycopg2.IntegrityError, psycopg2.DataError) as error:
        constraint = error.diag.constraint_name or ""
        broken = CONSTRAINT_MESSAGES.get(constraint) or constraint or error.diag.message_primary
        raise changes.failure(f"not possible: {broken}", of_a_change=True) from error


@click.group("shops")
def shops() -> None:
    """Correct shops; later imports keep manual corrections."""


@shops.command("displays")
@click.option(
    "--every", is_flag=True, help="Rebuild all of them, for example after changes of foreign names."
)
@JSON
@with_appcontext
@failing_clearly
def make_displays(every: bool, as_json: bool) -> None:
    """Build missing and outdated names and addresses in other languages. `geoshops scheduler` runs it hourly."""
    changed = displays.refresh(operator_database(), every=every)
    click.echo(json.dumps({"changed": changed}) if as_json else f"{changed} displays made")


@shops.command("set")
@click.argument("shop_id", type=ID)
@click.argument("changes", nargs=-1, metavar="FIELD=VALUE...")
@click.option(
    "--release", multiple=True, type=click.Choice([*corrections.FIELDS]), metavar="FIELD",
    help="Field that the next import may change again.",
)  # fmt: skip
@REASON
@failing_clearly
def set_(shop_id: int, changes: tuple[str, ...], release: tuple[str, ...], reason: str) -> None:
    """Set fields of a shop manually."""
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
    """Close a shop: it disappears from searches, but its page stays."""
    with correcting() as cursor:
        corrections.close(cursor, shop_id, day_or_today(day), reason)
    click.echo(f"shop {shop_id} is closed")


@shops.command("merge")
@click.argument("duplicate_id", type=ID, required=False)
@click.argument("into_id", type=ID, required=False)
@click.option(
    "--from", "file", type=click.Path(path_type=Path), metavar="FILE",
    help="CSV of pairs with the columns duplicate_id and into_id, as printed by `duplicates --csv`.",
)  # fmt: skip
@click.option(
    "--all-certain", is_flag=True,
    help="All pairs with the same brand and name at most 20 m apart; the lower id stays.",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="List the merges without making them.")
@REASON
@failing_clearly
def merge(
    duplicate_id: int | None,
    into_id: int | None,
    file: Path | None,
    all_certain: bool,
    dry_run: bool,
    reason: str,
) -> None:
    """Merge duplicates into other shops, including reviews and favorites.

    Give DUPLICATE_ID and INTO_ID, or --from FILE, or --all-certain. All pairs are checked before the first is merged.
    Each pair is merged and recorded in audit_log in its own transaction, so an interrupted command can be run again:
    pairs that are already merged are counted and skipped.
    """
    if [into_id is not None, file is not None, all_certain].count(True) != 1:
        raise click.UsageError("give either DUPLICATE_ID INTO_ID, or --from FILE, or --all-certain")
    with transaction() as cursor:
        if file:
            pairs = merging.read_pairs(file)
        elif duplicate_id and into_id:
            pairs = [merging.Pair(duplicate_id, into_id)]
        else:
            pairs = merging.certain_pairs(cursor)
        merges = merging.plan(cursor, pairs)
        cursor.connection.rollback()
        if dry_run:
            _list_merges(merges)
            return
        with _counting_once(cursor):
            for pair in tqdm(merges.pairs, unit=" shops", disable=None):
                cursor.execute(ONE_AT_A_TIME)
                corrections.merge(
                    cursor, pair.duplicate_id, pair.into_id, day_or_today(None), reason
                )
                with committing():
                    cursor.connection.commit()
    if len(merges.pairs) <= merging.MOST_SHOWN:
        for pair in merges.pairs:
            click.echo(f"shop {pair.duplicate_id} is merged into {pair.into_id}")
    click.echo(f"{len(merges.pairs)} shops merged, {merges.already} pairs were already merged")


@contextmanager
def _counting_once(cursor: Any) -> Iterator[None]:
    """Counts the shops of brands once after many transactions, also after Ctrl-C: counting reads every shop."""
    try:
        yield
    finally:
        cursor.connection.rollback()
        cursor.execute(ONE_AT_A_TIME)
        cursor.execute(COUNT_BRANDS)
        with committing():
            cursor.connection.commit()


def _list_merges(merges: merging.Merges) -> None:
    for pair in merges.pairs:
        click.echo(
            f"{pair.duplicate_id} {merges.names[pair.duplicate_id]} → "
            f"{pair.into_id} {merges.names.get(pair.into_id, '')}"
        )
    click.echo(
        f"dry run: {len(merges.pairs)} shops would be merged, {merges.already} pairs are already merged"
    )


@shops.command("duplicates")
@JSON
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV for `merge --from`.")
@failing_clearly
def duplicates(as_json: bool, as_csv: bool) -> None:
    """List possible duplicates: pairs within 50 m with the same brand and similar names."""
    with transaction() as cursor:
        pairs = corrections.duplicates(cursor)
    if as_json:
        click.echo(json.dumps(pairs, ensure_ascii=False))
        return
    if as_csv:
        click.echo(merging.pairs_as_csv(pairs), nl=False)
        return
    for pair in pairs:
        click.echo(
            f"{pair['shop_id']} {pair['place_name']} | {pair['other_id']} {pair['other_name']} | "
            f"{pair['distance_m']:.0f} m, {pair['similarity']:.2f}"
        )
    click.echo(
        f"{len(pairs)} pairs: {as_started('shops merge')} or {as_started('shops keep-apart')}",
        err=True,
    )


@shops.command("keep-apart")
@click.argument("shop_id", type=ID)
@click.argument("other_id", type=ID)
@REASON
@failing_clearly
def keep_apart(shop_id: int, other_id: int, reason: str) -> None:
    """Record that two possible duplicates are different shops, so that they are not listed again."""
    with correcting() as cursor:
        corrections.keep_apart(cursor, shop_id, other_id, reason)
    click.echo(f"shops {shop_id} and {other_id} stay apart")


@click.group("brands")
def brands() -> None:
    """Manage brands."""


@brands.command("list")
@JSON
@failing_clearly
def list_(as_json: bool) -> None:
    """List brands with parents, aliases and shops."""
    with transaction() as cursor:
        listed = brand_table.listed(cursor)
    if as_json:
        click.echo(json.dumps(listed, ensure_ascii=False))
        return
    for brand in listed:
        mark = "*" if brand["is_representative"] else " "
        of = f" (of {brand['parent']})" if brand["parent"] else ""
        languages = brand["languages"]
        named = [f"{a} ({languages[a]})" if a in languages else a for a in brand["aliases"]]
        aliases = f": {', '.join(named)}" if named else ""
        click.echo(
            f"{mark} {brand['id']:4} {brand['name']}{of}, {brand['shop_cnt']} shops{aliases}"
        )


@brands.command("add")
@click.argument("name")
@click.option("--parent", help="Brand of which it is a sub-brand.")
@click.option(
    "--representative", is_flag=True, help="Include the brand in map searches without a brand."
)
@click.option("--color", help="Colour of the badge, #rrggbb.")
@failing_clearly
def add(name: str, parent: str | None, representative: bool, color: str | None) -> None:
    """Add a brand."""
    _change(lambda c: brand_table.add(c, name, parent, representative, color))


@brands.command("alias")
@click.argument("name")
@click.argument("alias")
@click.option("--lang", default="", help="Language of the alias: ko, en, ja, zh-Hans …")
@click.option("--remove", is_flag=True, help="Remove the alias.")
@failing_clearly
def alias_(name: str, alias: str, lang: str, remove: bool) -> None:
    """Add or remove an alias of a brand."""
    if remove:
        _change(lambda c: brand_table.remove_alias(c, name, alias))
    else:
        _change(lambda c: brand_table.add_alias(c, name, alias, lang))


@brands.command("parent")
@click.argument("name")
@click.argument("parent", required=False)
@failing_clearly
def parent_(name: str, parent: str | None) -> None:
    """Make NAME a sub-brand of PARENT, or independent if PARENT is omitted."""
    _change(lambda c: brand_table.set_parent(c, name, parent))


@brands.command("representative")
@click.argument("name")
@click.option("--no", "is_not", is_flag=True, help="Exclude the brand again.")
@failing_clearly
def representative_(name: str, is_not: bool) -> None:
    """Include a brand in map searches without a brand."""
    _change(lambda c: brand_table.set_representative(c, name, not is_not))


@brands.command("color")
@click.argument("name")
@click.argument("color")
@failing_clearly
def color_(name: str, color: str) -> None:
    """Set the colour of the badge, #rrggbb."""
    _change(lambda c: brand_table.set_color(c, name, color))


def _change(command: Callable[[Any], None]) -> None:
    with correcting() as cursor:
        command(cursor)
        count = brand_table.refresh(cursor)
    click.echo(f"done; {count} shops assigned to a brand by their name")


def _pair(change: str) -> tuple[str, str]:
    field, separator, value = change.partition("=")
    if not separator or field not in corrections.FIELDS:
        known = ", ".join(corrections.FIELDS)
        raise click.UsageError(f"{change}: must be FIELD=VALUE with one of the fields {known}")
    return field, value
