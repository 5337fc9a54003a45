"""Compiles SQLAlchemy Core statements once, for the driver's cursor, with named parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Dialect, bindparam, column
from sqlalchemy.dialects.postgresql import psycopg2
from sqlalchemy.sql.elements import ClauseElement

# PostgreSQL finds no function for a larger number
MAX_BIGINT = 2**63 - 1
Values = Sequence[object] | Mapping[str, object]

DIALECT: Dialect = psycopg2.dialect()  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class Statement:
    """SQL with `%(name)s` for each parameter, and the values of literals in the expression."""

    text: str
    constants: Mapping[str, object]


def compiled(expression: ClauseElement) -> Statement:
    """The statement of an expression whose parameters are `bindparam("name")`; compile it at import.

    It runs on the driver's own cursor (docs/performance.md), so rows are tuples of the driver's types."""
    sql = expression.compile(dialect=DIALECT)
    names: Mapping[BindParameter[Any], str] = getattr(sql, "bind_names", {})
    constants = {name: bind.effective_value for bind, name in names.items() if not bind.required}
    return Statement(str(sql), constants)


def limited(statement: Statement, within_ms: int) -> Statement:
    """The statement with a time limit of its own. It runs in one process, so that the limit bounds its CPU time, too."""
    limits = f"SET LOCAL statement_timeout = {within_ms}; SET LOCAL max_parallel_workers_per_gather = 0; "
    return Statement(limits + statement.text, statement.constants)


def with_values(statement: Statement | str, values: Values) -> tuple[str, Values]:
    """The arguments of the cursor's `execute`: the text, and the values of all parameters."""
    if isinstance(statement, str):
        return statement, values
    if not statement.constants:
        return statement.text, values
    given = values if isinstance(values, Mapping) else {}
    return statement.text, {**statement.constants, **given}


def execute(
    cursor: Any, expression: ClauseElement, values: Mapping[str, object] | None = None
) -> Any:
    """Runs an expression in the cursor's transaction; returns the cursor."""
    cursor.execute(*with_values(compiled(expression), values or {}))
    return cursor


def fetch_dicts(cursor: Any, expression: ClauseElement) -> list[dict[str, Any]]:
    """Runs an expression in the cursor's transaction; returns its rows by column name."""
    rows = execute(cursor, expression).fetchall()
    names = [column.name for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in rows]


def named(*parameters: str, **expressions: ColumnElement[Any]) -> list[ColumnElement[Any]]:
    """Arguments of an SQL function by their names: `shop => %(shop)s`, or an expression's `moment => now()`."""
    values = {**{name: bindparam(name) for name in parameters}, **expressions}
    return [column(name).op("=>")(value) for name, value in values.items()]
