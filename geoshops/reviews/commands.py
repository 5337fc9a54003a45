"""`geoshops recount`: the counters of shops and brands against the rows that they count."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import click
from flask.cli import with_appcontext

from geoshops.database.pool import Database
from geoshops.operations.commands import failing_clearly
from geoshops.operations.connection import COUNT_BRANDS, operator_database

DIFFERENCES = "SELECT shop_id FROM counter_differences ORDER BY shop_id"
WRONG = """
SELECT d.shop_id, k.key, coalesce((to_jsonb(s) || coalesce(to_jsonb(t), '{}')) ->> k.key, '0'), k.value::text
FROM unnest(%s) WITH ORDINALITY AS d (shop_id, place)
JOIN counted_shops c ON c.shop_id = d.shop_id
JOIN shops s ON s.id = d.shop_id
LEFT JOIN shop_stats t ON t.shop_id = d.shop_id
CROSS JOIN jsonb_each(to_jsonb(c) - 'shop_id') k
WHERE coalesce((to_jsonb(s) || coalesce(to_jsonb(t), '{}')) ->> k.key, '0') <> k.value::text
ORDER BY d.place, k.key"""
BRANDS = "SELECT brand_id, shop_cnt, counted FROM brand_counter_differences ORDER BY brand_id"
SHOWN = 20
REPAIR = "SELECT repair_counters(%s)"


def differing(db: Database) -> list[int]:
    """Shops whose counters do not equal their rows."""
    return [row[0] for row in db.rows(DIFFERENCES)]


def wrong_counters(db: Database, shop_ids: list[int]) -> Iterator[str]:
    """Each counter of these shops that differs, with what it is and what it should be."""
    for shop_id, name, stored, counted in db.rows(WRONG, (shop_ids,)):
        yield f"shop {shop_id}: {name} is {stored}, counted {counted}"


def repair(db: Database, shop_ids: list[int]) -> None:
    """Counts the shops anew, each in a transaction of its own, and the shops of all brands."""
    for shop_id in shop_ids:
        db.write(REPAIR, (shop_id,), idempotent=True)
    db.write(COUNT_BRANDS, idempotent=True)


@click.command("recount")
@click.option("--check", is_flag=True, help="Repair nothing; exit with 1 when counters differ.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_appcontext
@failing_clearly
def recount(check: bool, as_json: bool) -> None:
    """Compare review, rating and favorite counters of all shops, and the numbers of shops of brands, with the rows
    and repair them."""
    db = operator_database()
    found, brands = differing(db), db.rows(BRANDS)
    lines = [] if as_json or not found else list(wrong_counters(db, found[:SHOWN]))
    lines += [f"brand {i}: shop_cnt is {stored}, counted {n}" for i, stored, n in brands[:SHOWN]]
    if not check:
        repair(db, found)
    if as_json:
        differ = len(found) + len(brands)
        ids = {"shop_ids": found, "brand_ids": [row[0] for row in brands]}
        click.echo(json.dumps({"differing": differ, "repaired": 0 if check else differ, **ids}))
    else:
        for line in lines:
            click.echo(line)
        wrong = found or brands
        told = f"{len(found)} shops and {len(brands)} brands differed"
        click.echo(told + ("" if check or not wrong else ", repaired"))
    if check and (found or brands):
        sys.exit(1)
