"""Copies the shops of the representative brands from PostgreSQL into Redis."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import psycopg2
import redis
from psycopg2.extras import RealDictCursor
from shop_json import COLUMNS, shop

BATCH = 5000
SHOPS = f"""
SELECT {COLUMNS} FROM shops s JOIN brands b ON b.id = s.brand_id
WHERE b.is_representative AND s.status <> 'CLOSED'"""
LATER = ("distance", "distance_m", "favorite")


def batches(url: str) -> Iterator[list[dict[str, Any]]]:
    """Yields the rows in batches."""
    with psycopg2.connect(url) as connection, connection.cursor("f", RealDictCursor) as cursor:
        cursor.itersize = BATCH
        cursor.execute(SHOPS)
        while rows := cursor.fetchmany(BATCH):
            yield rows


def card(row: dict[str, Any]) -> str:
    """Returns the summary as JSON without user-dependent fields and closing brace."""
    fixed = {
        name: value
        for name, value in shop(row, 0, os.environ["ORIGIN"]).items()
        if name not in LATER
    }
    return json.dumps(fixed, ensure_ascii=False, separators=(",", ":"))[:-1] + ","


def main() -> None:
    """Fills both keys."""
    store = redis.Redis.from_url(os.environ["REDIS_URL"])
    store.flushall()
    for rows in batches(os.environ["DATABASE_URL"]):
        triples = [value for r in rows for value in (r["longitude"], r["latitude"], r["id"])]
        store.geoadd("shops", triples)
        store.hset("cards", mapping={str(r["id"]): card(r) for r in rows})


main()
