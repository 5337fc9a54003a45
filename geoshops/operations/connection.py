"""Database access of operator commands: as the schema's owner, one load at a time."""

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

# Serialises loads and corrections of shops: they cannot deadlock, and a load cannot overwrite a correction made after
# it read the shops. The lock blocks neither members nor readers.
ONE_AT_A_TIME = "LOCK TABLE brands IN SHARE UPDATE EXCLUSIVE MODE"

# Must be the last statement of a transaction that changes the brand or the status of shops.
COUNT_BRANDS = "SELECT refresh_brand_counts()"


def operator_url() -> str:
    """libpq URL of the schema's owner; an error message if none is configured."""
    try:
        url = Settings.from_environment(testing=True).operator_database_url
    except ConfigError as error:
        raise click.ClickException(str(error)) from error
    if not url:
        raise click.ClickException(
            "no database: set DATABASE_URL, or run scripts/setup, which creates one and writes .env"
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
        """Like Database._write; Ctrl-C cancels the statement, or is raised after it if it has committed."""
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
