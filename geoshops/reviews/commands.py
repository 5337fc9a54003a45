"""`geoshops recount`: the shops' counters against the rows that they count."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import click
from flask.cli import with_appcontext

from geoshops.db import Database
from geoshops.operators import failing_clearly, operator_database

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
    """Counts the shops anew, each in a transaction of its own."""
    for shop_id in shop_ids:
        db.act(REPAIR, (shop_id,), idempotent=True)


@click.command("recount")
@click.option("--check", is_flag=True, help="Repair nothing; exit with 1 when counters differ.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_appcontext
@failing_clearly
def recount(check: bool, as_json: bool) -> None:
    """Compare review, rating and favorite counters of all shops with the rows and repair them."""
    db = operator_database()
    found = differing(db)
    lines = [] if as_json or not found else list(wrong_counters(db, found[:SHOWN]))
    if not check:
        repair(db, found)
    if as_json:
        repaired = 0 if check else len(found)
        click.echo(json.dumps({"differing": len(found), "repaired": repaired, "shop_ids": found}))
    else:
        for line in lines:
            click.echo(line)
        click.echo(f"{len(found)} shops differed" + ("" if check or not found else ", repaired"))
    if check and found:
        sys.exit(1)
