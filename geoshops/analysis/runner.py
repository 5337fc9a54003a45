"""Runs a script through psql, the way analysts do, and gives its rows with their types."""

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
from pathlib import Path
from typing import IO, Any, NamedTuple

from psycopg2.extensions import make_dsn, parse_dsn

from geoshops.analysis.scripts import Script
from geoshops.console import as_started

csv.field_size_limit(1 << 30)
TIMEOUT_S = 120
LONGEST_TIMEOUT_S = 2_147_483  # PostgreSQL counts its milliseconds in 31 bits
# Whoever runs a script as the schema's owner gives the owner's rights up first.
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
# values that a person can correct: parameter, text that is no number or date, name that does not exist
WRONG_VALUE = ("22023", "22P02", "22007", "22008", "22003", "P0002")
NOT_SET_UP = {
    "42P01": "the database has no views for analysts",
    "42883": "the database lacks a function that the script uses",
    "42501": "this role may not read the views",
}


class ScriptError(Exception):
    """The script failed; the message says why."""


class WrongValueError(ScriptError):
    """A parameter is unknown or its value does not do."""


@dataclass(frozen=True)
class Column:
    """A column of the answer with PostgreSQL's name of its type."""

    name: str
    type: str

    @property
    def is_geometry(self) -> bool:
        """True for the spatial column."""
        return self.type.startswith(("geometry", "geography"))


class Lack(NamedTuple):
    """What a script did without: its code in sql/functions/99_analysis.sql, and what to load."""

    code: str
    text: str


@dataclass(frozen=True)
class Answer:
    """Columns, and rows that can be read once; geometry comes as hexadecimal EWKB.

    `lacks` is complete when the block that holds the answer has ended."""

    columns: list[Column]
    rows: Iterator[list[Any]]
    lacks: list[Lack]

    @property
    def geometry(self) -> int | None:
        """Place of the spatial column, if there is one."""
        return next((i for i, c in enumerate(self.columns) if c.is_geometry), None)


def boolean(text: str) -> bool:
    """PostgreSQL's t or f."""
    return text == "t"


READERS: dict[str, Callable[[str], Any]] = {
    "bigint": int,
    "integer": int,
    "smallint": int,
    "numeric": float,
    "double precision": float,
    "real": float,
    "boolean": boolean,
    "date": dt.date.fromisoformat,
}


@contextmanager
def answer(
    url: str, script: Script, values: Mapping[str, str], timeout_s: int = TIMEOUT_S
) -> Iterator[Answer]:
    """Runs the script with these parameters. Raises WrongValueError or ScriptError."""
    unknown = set(values) - set(script.parameters)
    if unknown:
        raise WrongValueError(
            f"{script.name} has no parameter {', '.join(sorted(unknown))}; "
            f"it has: {', '.join(script.parameters)}"
        )
    for name, value in values.items():
        _check_encodable(name, value)
    null = f"null-{secrets.token_hex(8)}"
    columns = _describe(url, script, values, timeout_s)
    lacks: list[Lack] = []
    with _psql(url, script.text, values, timeout_s, null, lacks) as output:
        lines = csv.reader(output)
        # Without a heading there is no answer: psql has failed and says why when it is left.
        if next(lines, None) is not None:
            yield Answer(columns, _typed(lines, columns, null), lacks)
            for _ in output:  # to the end, so that psql's own exit code is the last word
                pass


def _check_encodable(name: str, value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        # psql leaves out what it cannot quote, and the statement is no SQL without it
        raise WrongValueError(f"parameter {name} is not UTF-8: {value!r}") from error


def _describe(url: str, script: Script, values: Mapping[str, str], timeout_s: int) -> list[Column]:
    question = script.text.rstrip().removesuffix(";") + " \\gdesc\n"
    with _psql(url, question, values, timeout_s, "", []) as output:
        return [Column(name, kind) for name, kind in list(csv.reader(output))[1:]]


def _typed(lines: Iterator[list[str]], columns: list[Column], null: str) -> Iterator[list[Any]]:
    readers = [READERS.get(c.type, str) for c in columns]
    for line in lines:
        yield [
            None if text == null else read(text) for read, text in zip(readers, line, strict=True)
        ]


@contextmanager
def _psql(
    url: str, text: str, values: Mapping[str, str], timeout_s: int, null: str, lacks: list[Lack]
) -> Iterator[IO[str]]:
    """psql with the text as its input; its output as lines, its warnings in `lacks`. Fails as psql fails."""
    with tempfile.TemporaryDirectory(prefix="geoshops-") as folder:
        source, errors = Path(folder, "script.sql"), Path(folder, "errors")
        source.write_text(PRELUDE + text, encoding="utf-8")
        with errors.open("wb") as error_output:
            process = subprocess.Popen(
                [
                    *_command(values, timeout_s, null),
                    *("-f", str(source), "-d", _connection(url, Path(folder, "password"))),
                ],
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
        lacks += [Lack(code, f"{message}. {hint}".strip()) for code, message, hint in warned]


def _command(values: Mapping[str, str], timeout_s: int, null: str) -> list[str]:
    if shutil.which("psql") is None:
        raise ScriptError("psql is missing; on Debian: apt-get install -y postgresql-client")
    arguments = {**values, "timeout_s": str(timeout_s), "VERBOSITY": "verbose"}
    given = [part for name, value in arguments.items() for part in ("-v", f"{name}={value}")]
    return ["psql", "-X", "-q", "--csv", "-P", f"null={null}", *given]


def _connection(url: str, password_file: Path) -> str:
    """The connection string without its password: an argument list is for everybody on the machine to read."""
    parts = parse_dsn(url)
    password = parts.pop("password", "").replace("\\", "\\\\").replace(":", "\\:")
    if password:
        password_file.touch(mode=0o600)
        password_file.write_text(f"*:*:*:*:{password}\n", encoding="utf-8")
        parts["passfile"] = str(password_file)
    parts.update(client_encoding="UTF8", application_name="geoshops-analysis")
    return str(make_dsn(**parts))


def _failure(message: str, timeout_s: int) -> ScriptError:
    found = ERROR.search(message)
    if found is None:
        return ScriptError(message.strip() or "psql failed")
    state, text = found.groups()
    if state in NOT_SET_UP:
        return ScriptError(f"{NOT_SET_UP[state]} ({text}); remedy: {as_started('db upgrade')}")
    if state == "57014":
        return ScriptError(
            f"not done after {timeout_s} s; ask for a region, or for more with --timeout"
        )
    hint = HINT.search(message, found.end())
    full = text + (f". {hint[1]}" if hint else "")
    return WrongValueError(full) if state in WRONG_VALUE else ScriptError(full)
