"""The database as operator commands use it: as the schema's owner, one load at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import click
from sqlalchemy import event

from geoshops.config import ConfigError, Settings
from geoshops.console import changes, interrupts_kept
from geoshops.database.operator_connection import cancelled_by_ctrl_c
from geoshops.database.pool import Database, libpq_url
from geoshops.database.statements import Statement, Values
from geoshops.web.request import settings

T = TypeVar("T")

# Serialises loads and corrections of shops, so that they cannot deadlock and no load overwrites a correction made after it
# read the shops. It blocks neither members nor readers.
ONE_AT_A_TIME = "LOCK TABLE brands IN SHARE UPDATE EXCLUSIVE MODE"

# The last statement of a transaction that changes the brand or the status of shops.
COUNT_BRANDS = "SELECT refresh_brand_counts()"


def operator_url() -> str:
    """libpq URL of the schema's owner; a clear message when none is configured."""
    try:
        url = Settings.from_environment(testing=True).operator_database_url
    except ConfigError as error:
        raise click.ClickException(str(error)) from error
    if not url:
        raise click.ClickException(
            "no database: set DATABASE_URL, or run scripts/setup, which makes one and writes .env"
        )
    return libpq_url(url)


class OperatorDatabase(Database):
    """A database that records its commits, so that a command interrupted by Ctrl-C reports them."""

    def _write(
        self,
        statement: Statement | str,
        values: Values,
        fetch: Callable[[Any], T],
        idempotent: bool,
    ) -> T:
        """As Database._write; Ctrl-C cancels the statement, or is raised after it when it has committed."""
        with interrupts_kept() as came:
            try:
                result = super()._write(statement, values, fetch, idempotent)
            except Exception as error:
                if came:
                    raise KeyboardInterrupt from error
                raise
            changes.committed = True
        if came:
            raise KeyboardInterrupt
        return result


def operator_database() -> Database:
    """The current application's database as the schema's owner."""
    owner = replace(settings(), database_url=settings().operator_database_url)
    database = OperatorDatabase(owner, limited=False)
    event.listen(database.engine, "connect", lambda made, _: cancelled_by_ctrl_c(made))
    return database
