"""The transaction of an import; Ctrl-C commits all of it or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg2

from geoshops.console import as_started
from geoshops.database.operator_connection import connected
from geoshops.importing.errors import ImportRejected
from geoshops.operations.commands import SCHEMA_MISSING, first_line

MANY_CHANGES = 1_000

# JIT costs more than it saves in statements that run once. A merge join would sort all names to find a few brands.
# temp_buffers keeps a staging table of a few hundred thousand rows in memory.
FOR_LOADS = """
SET LOCAL jit = off;
SET LOCAL enable_mergejoin = off;
SET LOCAL work_mem = '128MB';
SET LOCAL temp_buffers = '128MB'"""


@contextmanager
def importing_into(url: str) -> Iterator[Any]:
    """A connection in a transaction that is rolled back unless the caller commits."""
    try:
        with connected(url, "import") as connection:
            connection.cursor().execute(FOR_LOADS)
            yield connection
    except psycopg2.Error as error:
        if error.pgcode is None:
            raise ImportRejected(f"the database cannot be reached: {first_line(error)}") from error
        said = (error.diag.message_primary or str(error)).strip()
        remedy = f"; run {as_started('db upgrade')}" if error.pgcode in SCHEMA_MISSING else ""
        raise ImportRejected(f"the database rejected the import: {said}{remedy}") from error


def follow_up(url: str, changed: int) -> None:
    """Refreshes shop titles and the map's clusters after an import, and the planner's statistics after many changes.

    The import is already committed; an error here does not undo it."""
    with importing_into(url) as connection:
        if changed >= MANY_CHANGES:
            connection.cursor().execute("ANALYZE shops")
        connection.cursor().execute("SELECT refresh_shop_titles(now())")
        connection.commit()
        connection.cursor().execute("SELECT refresh_tile_grid(now())")
        connection.commit()
