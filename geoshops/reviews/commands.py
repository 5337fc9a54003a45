"""`geoshops recount`: the shops' counters against the rows that they count."""

from __future__ import annotations

import json
import sys

import click
from flask.cli import with_appcontext

from geoshops.db import Database
from geoshops.operators import operator_database

DIFFERENCES = "SELECT shop_id FROM counter_differences ORDER BY shop_id"
REPAIR = "SELECT repair_counters(%s)"


def differing(db: Database) -> list[int]:
    """Shops whose counters do not equal their rows."""
    return [row[0] for row in db.rows(DIFFERENCES)]


def repair(db: Database, shop_ids: list[int]) -> None:
    """Counts the shops anew, each in a transaction of its own."""
    for shop_id in shop_ids:
        db.act(REPAIR, (shop_id,), idempotent=True)


@click.command("recount")
@click.option("--check", is_flag=True, help="Repair nothing; exit with 1 when counters differ.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_appcontext
def recount(check: bool, as_json: bool) -> None:
    """Compare review, rating and favorite counters of all shops with the rows and repair them."""
    db = operator_database()
    found = differing(db)
    if not check:
        repair(db, found)
    if as_json:
        repaired = 0 if check else len(found)
        click.echo(json.dumps({"differing": len(found), "repaired": repaired, "shop_ids": found}))
    else:
        click.echo(f"{len(found)} shops differed" + ("" if check or not found else ", repaired"))
    if check and found:
        sys.exit(1)
