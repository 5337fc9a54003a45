"""What operators' commands share: the database as its owner, and clear failures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, TypeVar

import click
import psycopg2
from psycopg2 import errorcodes
from sqlalchemy import event
from sqlalchemy.exc import TimeoutError as PoolTimeout

from geoshops.config import ConfigError, Settings
from geoshops.console import as_started, changes, interrupts_kept
from geoshops.database.interrupts import heeding
from geoshops.database.pool import Database, libpq_url
from geoshops.database.sql_files import MigrationError
from geoshops.database.statements import Statement, Values
from geoshops.errors import Unavailable, trouble_of
from geoshops.web.fields import is_blank
from geoshops.web.middleware import settings

T = TypeVar("T")

# Loads and corrections of shops one at a time: none waits for rows that another holds, and no load writes what it read
# before a correction. Members and readers go on.
ONE_AT_A_TIME = "LOCK TABLE brands IN SHARE UPDATE EXCLUSIVE MODE"

# Last in the same transaction, for whatever changes the brand or the status of shops.
COUNT_BRANDS = "SELECT refresh_brand_counts()"

# What a source that does not know of a merge states otherwise: as open, or as closed without a day. Of a merged shop both
# stay its own, whether set by hand or not: shops_merged_is_closed refuses an open one.
KEPT_BY_A_MERGE = ("status", "closed_on")

# identifiers of rows; a greater one would be answered as if a function were missing
ID = click.IntRange(1, 2**63 - 1)
# LIMIT counts no further
AT_MOST = click.IntRange(1, 2**63 - 1)

NO_ANSWER = "the database does not answer"
# what a command meets where sql/ is not applied, or an older one
SCHEMA_MISSING = (
    errorcodes.UNDEFINED_TABLE,
    errorcodes.UNDEFINED_COLUMN,
    errorcodes.UNDEFINED_OBJECT,
    errorcodes.UNDEFINED_FUNCTION,
)


class FiniteRange(click.FloatRange):
    """A number between bounds: nan, which passes every comparison, and infinity are none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, refused in one line where it does not fit."""
        found = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return found


def _not_blank(ctx: click.Context, param: click.Parameter, text: str) -> str:
    if is_blank(text):
        raise click.BadParameter("must not be blank.", ctx, param)
    return text


REASON = click.option(
    "--reason", required=True, callback=_not_blank, help="Why; kept in audit_log."
)


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


def failing_clearly(command: Callable[..., T]) -> Callable[..., T]:
    """Turns errors of settings, files, the database and the migration runner into one line and exit code 1."""

    @wraps(command)
    def wrapper(*args: Any, **kwargs: Any) -> T:
        try:
            return command(*args, **kwargs)
        except (Unavailable, PoolTimeout) as error:
            said = f"{NO_ANSWER}; {as_started('doctor')} tells more"
            raise changes.failure(said) from error
        except psycopg2.Error as error:
            if trouble_of(error) in ("connection", "shutdown"):
                said = f"{NO_ANSWER}: {first_line(error)}"
                raise changes.failure(said) from error
            remedy = (
                f"\nRemedy: {as_started('db upgrade')}" if error.pgcode in SCHEMA_MISSING else ""
            )
            raise click.ClickException(str(error).strip() + remedy) from error
        except (ConfigError, MigrationError) as error:
            raise click.ClickException(str(error).strip()) from error
        except UnicodeEncodeError as error:
            # words typed or pasted in another encoding than the terminal's, such as CP949
            raise click.ClickException(not_encodable(error)) from error
        except BrokenPipeError:
            # click ends without a word: whoever reads our output has enough
            raise
        except OSError as error:
            said = f"{error.filename or 'output'}: {error.strerror or error}"
            raise changes.failure(said) from error

    return wrapper


def not_encodable(error: UnicodeEncodeError) -> str:
    """What cannot be written, and in which encoding."""
    return f"{error.object[error.start : error.end]!r} cannot be written in {error.encoding}"


def first_line(error: Exception) -> str:
    """What the driver says first; after it come hints and the statement."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


class OperatorDatabase(Database):
    """Notes what it commits, so that Ctrl-C is reported as what it did."""

    def _write(
        self,
        statement: Statement | str,
        values: Values,
        fetch: Callable[[Any], T],
        idempotent: bool,
    ) -> T:
        """As Database._write; Ctrl-C cancels the statement, or comes too late for it and is raised after it."""
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
    found = settings()
    database = OperatorDatabase(
        replace(found, database_url=found.operator_database_url), limited=False
    )
    event.listen(database.engine, "connect", lambda connection, _: heeding(connection))
    return database
