"""Runs a script of sql/analysis through psql and returns typed rows."""

from __future__ import annotations

import csv
import datetime as dt
import re
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import IO, Any, NamedTuple

from psycopg2.extensions import make_dsn, parse_dsn

from geoshops.analysis.scripts import Script
from geoshops.console import as_started

csv.field_size_limit(1 << 30)
TIMEOUT_S = 120
LONGEST_TIMEOUT_S = 2_147_483  # PostgreSQL counts its milliseconds in 31 bits
# Switches to the read-only role if the connection's role is a member of it.
PRELUDE = """\\set QUIET on
\\set ON_ERROR_STOP on
SET default_transaction_read_only = on;
SET jit = off;
SET work_mem = '64MB';
SELECT format('SET statement_timeout = %L', :'timeout_s' || 's') \\gexec
SELECT format('SET ROLE %I', rolname) FROM pg_roles
WHERE rolname = 'geoshops_reader' AND rolname <> current_user AND pg_has_role(oid, 'MEMBER') \\gexec
"""
ERROR = re.compile(r"ERROR:  ([0-9A-Z]{5}): (.*)")
WARNING = re.compile(r"WARNING:  ([0-9A-Z]{5}): (.*)(?:\nHINT:  (.*))?")
HINT = re.compile(r"^HINT:  (.*)$", re.MULTILINE)
# errors of parameter values: invalid or out of range, not a number or date, unknown name
WRONG_VALUE = ("22023", "22P02", "22007", "22008", "22003", "P0002")
NOT_SET_UP = {
    "42P01": "the database has no views for analysts",
    "42883": "the database has no function that the script uses",
    "42501": "this role may not read the views",
}


class ScriptError(Exception):
    """A script failed; the message is for the analyst."""


class WrongValueError(ScriptError):
    """A parameter is unknown or has an invalid value."""


@dataclass(frozen=True)
class Column:
    """A column of the result with PostgreSQL's type name."""

    name: str
    type: str

    @property
    def is_geometry(self) -> bool:
        """True for the spatial column."""
        return self.type.startswith(("geometry", "geography"))


class MissingData(NamedTuple):
    """Data that a script lacked: the code in sql/functions/99_analysis.sql, and how to load the data."""

    code: str
    text: str


@dataclass(frozen=True)
class Result:
    """Columns, and rows that can be read once; geometry is hexadecimal EWKB.

    `missing` is complete when the context of `run` has ended."""

    columns: list[Column]
    rows: Iterator[list[Any]]
    missing: list[MissingData]

    @property
    def geometry(self) -> int | None:
        """The index of the spatial column, if there is one."""
        return next((i for i, c in enumerate(self.columns) if c.is_geometry), None)


READERS: dict[str, Callable[[str], Any]] = {
    "bigint": int,
    "integer": int,
    "smallint": int,
    "numeric": float,
    "double precision": float,
    "real": float,
    "boolean": lambda text: text == "t",
    "date": dt.date.fromisoformat,
}


@contextmanager
def run(
    url: str, script: Script, values: Mapping[str, str], timeout_s: int = TIMEOUT_S
) -> Iterator[Result]:
    """Runs the script with these parameters; raises WrongValueError or ScriptError."""
    unknown = set(values) - set(script.parameters)
    if unknown:
        raise WrongValueError(
            f"{script.name} has no parameter {', '.join(sorted(unknown))}; "
            f"it has: {', '.join(script.parameters)}"
        )
    for name, value in values.items():
        _check_encodable(name, value)
    null = f"null-{secrets.token_hex(8)}"
    end = f"end-{secrets.token_hex(8)}"
    missing: list[MissingData] = []
    command = _command(values, timeout_s, null)
    with _psql(url, _described(script, end), command, timeout_s, missing) as output:
        lines = csv.reader(output)
        description = list(takewhile(lambda row: row != [end], lines))[1:]
        # Without a header line psql has failed; leaving the context raises its error.
        if next(lines, None) is not None:
            columns = [Column(name, kind) for name, kind in description]
            yield Result(columns, _typed(lines, columns, null), missing)
            for _ in output:  # drained so that psql ends with its own exit code instead of SIGPIPE
                pass


def not_set_up(state: str, message: str) -> ScriptError:
    """The error for a SQLSTATE of NOT_SET_UP, with its cause and remedy."""
    return ScriptError(f"{NOT_SET_UP[state]} ({message}); remedy: {as_started('db upgrade')}")


def _check_encodable(name: str, value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        # psql omits a value that it cannot quote, which would make the statement invalid
        raise WrongValueError(f"parameter {name} is not UTF-8: {value!r}") from error


def _described(script: Script, end: str) -> str:
    """The script with a description of its result before it, ended by a line of its own: names and types of columns."""
    return f"{script.text.rstrip().removesuffix(';')} \\gdesc\n\\echo {end}\n\\g\n"


def _typed(lines: Iterator[list[str]], columns: list[Column], null: str) -> Iterator[list[Any]]:
    readers = [READERS.get(c.type, str) for c in columns]
    for line in lines:
        yield [
            None if text == null else read(text) for read, text in zip(readers, line, strict=True)
        ]


@contextmanager
def _psql(
    url: str, text: str, command: list[str], timeout_s: int, missing: list[MissingData]
) -> Iterator[IO[str]]:
    """Runs psql on the text; yields its output, adds its warnings to `missing`, raises ScriptError if it fails."""
    with tempfile.TemporaryDirectory(prefix="geoshops-") as folder:
        source, errors = Path(folder, "script.sql"), Path(folder, "errors")
        source.write_text(PRELUDE + text, encoding="utf-8")
        with errors.open("wb") as error_output:
            process = subprocess.Popen(
                [*command, "-f", str(source), "-d", _connection(url, Path(folder, "password"))],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=error_output,
                encoding="utf-8",
            )
        assert process.stdout is not None
        try:
            yield process.stdout
        finally:
            process.stdout.close()
            failed = process.wait()
        reported = errors.read_text(encoding="utf-8", errors="replace")
        if failed:
            raise _failure(reported, timeout_s)
        warned = dict.fromkeys(WARNING.findall(reported))
        missing += [
            MissingData(code, f"{message}. {hint}".strip()) for code, message, hint in warned
        ]


def _command(values: Mapping[str, str], timeout_s: int, null: str) -> list[str]:
    if shutil.which("psql") is None:
        raise ScriptError("psql is missing; on Debian: apt-get install -y postgresql-client")
    arguments = {**values, "timeout_s": str(timeout_s), "VERBOSITY": "verbose"}
    given = [part for name, value in arguments.items() for part in ("-v", f"{name}={value}")]
    return ["psql", "-X", "-q", "--csv", "-P", f"null={null}", *given]


def _connection(url: str, password_file: Path) -> str:
    """Returns the connection string without its password, because every user can read command lines."""
    parts = parse_dsn(url)
    password = parts.pop("password", "").replace("\\", "\\\\").replace(":", "\\:")
    if password:
        password_file.touch(mode=0o600)
        password_file.write_text(f"*:*:*:*:{password}\n", encoding="utf-8")
        parts["passfile"] = str(password_file)
    parts.update(client_encoding="UTF8", application_name="geoshops-analysis")
    return str(make_dsn(**parts))


def _failure(message: str, timeout_s: int) -> ScriptError:
    reported = ERROR.search(message)
    if reported is None:
        return ScriptError(message.strip() or "psql failed")
    state, text = reported.groups()
    if state in NOT_SET_UP:
        return not_set_up(state, text)
    if state == "57014":
        return ScriptError(f"timed out after {timeout_s} s; restrict the region or raise --timeout")
    hint = HINT.search(message, reported.end())
    full = text + (f". {hint[1]}" if hint else "")
    return WrongValueError(full) if state in WRONG_VALUE else ScriptError(full)
