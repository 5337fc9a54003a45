"""`geoshops recount`: compares the counters of shops and brands with the rows they count, and repairs them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import click
from flask.cli import with_appcontext
from sqlalchemy import BigInteger, Text, bindparam, cast, column, func, select, table, true

from geoshops.database.models import Shop, ShopStats, table_of
from geoshops.database.pool import Database
from geoshops.database.statements import compiled, named
from geoshops.operations.commands import JSON, failing_clearly
from geoshops.operations.connection import COUNT_BRANDS, operator_database

# the views of sql/views/30_counters.sql
COUNTED = table("counted_shops", column("shop_id", BigInteger))
SHOP_DIFFERENCES = table("counter_differences", column("shop_id"))
BRAND_DIFFERENCES = table(
    "brand_counter_differences", column("brand_id"), column("shop_cnt"), column("counted")
)

# a shop's counters as JSON, stored and recounted
STORED = func.to_jsonb(table_of(Shop).table_valued()).op("||")(
    func.coalesce(func.to_jsonb(table_of(ShopStats).table_valued()), "{}")
)
COUNTER = func.jsonb_each(func.to_jsonb(COUNTED.table_valued()).op("-")("shop_id")).table_valued(
    "key", "value", name="counter"
)
VALUE = func.coalesce(STORED.op("->>")(COUNTER.c.key), "0")
SHOULD_BE = cast(COUNTER.c.value, Text)

DIFFERENCES = compiled(select(SHOP_DIFFERENCES).order_by("shop_id"))
BRANDS = compiled(select(BRAND_DIFFERENCES).order_by("brand_id"))
WRONG = compiled(
    select(COUNTED.c.shop_id, COUNTER.c.key, VALUE, SHOULD_BE)
    .join(Shop, Shop.id == COUNTED.c.shop_id)
    .outerjoin(ShopStats, ShopStats.shop_id == COUNTED.c.shop_id)
    .join(COUNTER, true())
    .where(COUNTED.c.shop_id == func.any(bindparam("shop_ids")), VALUE != SHOULD_BE)
    .order_by(COUNTED.c.shop_id, COUNTER.c.key)
)
REPAIR = compiled(select(func.repair_counters(*named("shop"))))
SHOWN = 20


def differing(db: Database) -> list[int]:
    """Ids of shops whose counters differ from their rows."""
    return [row[0] for row in db.rows(DIFFERENCES)]


def wrong_counters(db: Database, shop_ids: list[int]) -> Iterator[str]:
    """Describes each differing counter of these shops, with its stored and its correct value."""
    for shop_id, name, stored, counted in db.rows(WRONG, {"shop_ids": shop_ids}):
        yield f"shop {shop_id}: {name} is {stored}, counted {counted}"


def repair(db: Database, shop_ids: list[int]) -> None:
    """Recounts these shops, each in its own transaction, and the shops of all brands."""
    for shop_id in shop_ids:
        db.write(REPAIR, {"shop": shop_id}, idempotent=True)
    db.write(COUNT_BRANDS, idempotent=True)


@click.command("recount")
@click.option("--check", is_flag=True, help="Repair nothing; exit with code 1 if counters differ.")
@JSON
@with_appcontext
@failing_clearly
def recount(check: bool, as_json: bool) -> None:
    """Recount reviews, ratings and favorites of all shops, and the shops of all brands, and repair wrong counters."""
    db = operator_database()
    shop_ids, brands = differing(db), db.rows(BRANDS)
    lines = [] if as_json or not shop_ids else list(wrong_counters(db, shop_ids[:SHOWN]))
    lines += [f"brand {i}: shop_cnt is {stored}, counted {n}" for i, stored, n in brands[:SHOWN]]
    if not check:
        repair(db, shop_ids)
    if as_json:
        differ = len(shop_ids) + len(brands)
        ids = {"shop_ids": shop_ids, "brand_ids": [row[0] for row in brands]}
        click.echo(json.dumps({"differing": differ, "repaired": 0 if check else differ, **ids}))
    else:
        for line in lines:
            click.echo(line)
        wrong = shop_ids or brands
        result = f"{len(shop_ids)} shops and {len(brands)} brands differed"
        click.echo(result + ("" if check or not wrong else ", repaired"))
    if check and (shop_ids or brands):
        sys.exit(1)
