"""Shared options of operator commands, and one-line error messages."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import click
import psycopg2
from psycopg2 import errorcodes
from sqlalchemy.exc import TimeoutError as PoolTimeout

from geoshops.config import ConfigError, Settings
from geoshops.console import as_started, changes
from geoshops.database.sql_files import MigrationError
from geoshops.database.statements import MAX_BIGINT
from geoshops.errors import Unavailable, failure_cause
from geoshops.web.fields import is_blank

T = TypeVar("T")

ID = click.IntRange(1, MAX_BIGINT)
AT_MOST = click.IntRange(1, MAX_BIGINT)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

NO_RESPONSE = "the database does not respond"
# errors if sql/ has not been applied, or only an older version
SCHEMA_MISSING = (
    errorcodes.UNDEFINED_TABLE,
    errorcodes.UNDEFINED_COLUMN,
    errorcodes.UNDEFINED_OBJECT,
    errorcodes.UNDEFINED_FUNCTION,
)


class FiniteRange(click.FloatRange):
    """A number within bounds; rejects infinity and NaN, which passes every comparison."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parses the number; a usage error if it is out of bounds."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


def _not_blank(ctx: click.Context, param: click.Parameter, text: str) -> str:
    if is_blank(text):
        raise click.BadParameter("must not be blank.", ctx, param)
    return text


REASON = click.option(
    "--reason", required=True, callback=_not_blank, help="Reason, recorded in audit_log."
)


def day_or_today(day: datetime | None) -> str:
    """The day as YYYY-MM-DD; today in the service's time zone if it is None."""
    zone = ZoneInfo(Settings.from_environment(testing=True).timezone)
    return (day or datetime.now(zone)).date().isoformat()


def failing_clearly(command: Callable[..., T]) -> Callable[..., T]:
    """Reports errors of settings, files, the database and migrations in one line, with exit code 1."""

    @wraps(command)
    def wrapper(*args: Any, **kwargs: Any) -> T:
        try:
            return command(*args, **kwargs)
        except (Unavailable, PoolTimeout) as error:
            message = f"{NO_RESPONSE}; {as_started('doctor')} shows why"
            raise changes.failure(message) from error
        except psycopg2.Error as error:
            if failure_cause(error) in ("connection", "shutdown"):
                message = f"{NO_RESPONSE}: {first_line(error)}"
                raise changes.failure(message) from error
            remedy = (
                f"\nRemedy: {as_started('db upgrade')}" if error.pgcode in SCHEMA_MISSING else ""
            )
            raise click.ClickException(str(error).strip() + remedy) from error
        except (ConfigError, MigrationError) as error:
            raise click.ClickException(str(error).strip()) from error
        except UnicodeEncodeError as error:
            # the input's encoding, such as CP949, differs from the terminal's
            raise click.ClickException(not_encodable(error)) from error
        except BrokenPipeError:
            # the reader closed the pipe, as `head` does; click exits silently
            raise
        except OSError as error:
            message = f"{error.filename or 'output'}: {error.strerror or error}"
            raise changes.failure(message) from error

    return wrapper


def not_encodable(error: UnicodeEncodeError) -> str:
    """The error message for text that the output's encoding cannot represent."""
    return f"{error.object[error.start : error.end]!r} cannot be written in {error.encoding}"


def first_line(error: Exception) -> str:
    """The first line of a driver's error, without hints and the statement."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
