"""A first load into an almost empty table: its indexes are built at the end, at a fraction of the cost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

LEAST_ROWS = 20_000


@contextmanager
def indexes_built_at_end(cursor: Any) -> Iterator[None]:
    """Drops the plain indexes of shops and builds them anew after the block, when that pays.

    It locks readers out of shops until the commit, so it is done only where nearly every shop is
    new and there is next to nothing to read. Keys and constraints stay in force throughout."""
    definitions = _indexes(cursor) if _pays(cursor) else []
    for name, _ in definitions:
        cursor.execute(f"DROP INDEX {name}")
    yield
    for _, definition in definitions:
        cursor.execute(definition)


def _pays(cursor: Any) -> bool:
    cursor.execute(
        "SELECT count(*) FILTER (WHERE shop_id IS NULL), (SELECT count(*) FROM"
        " (SELECT FROM shops LIMIT (SELECT count(*) / 10 + 1 FROM resolved)) s) FROM resolved"
    )
    new, present = cursor.fetchone()
    return bool(new >= LEAST_ROWS and present * 10 <= new)


def _indexes(cursor: Any) -> list[tuple[str, str]]:
    cursor.execute(
        "SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM pg_index i"
        " WHERE i.indrelid = 'shops'::regclass AND NOT i.indisunique"
        " AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)"
        " ORDER BY 1"
    )
    found: list[tuple[str, str]] = cursor.fetchall()
    return found
