"""Compiles a CQL2 condition to an SQLAlchemy expression over the published properties of a collection."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Double,
    Numeric,
    and_,
    cast,
    false,
    func,
    literal,
    not_,
    or_,
    true,
    type_coerce,
)

from geoshops.errors import ApiError
from geoshops.ogc.cql2 import (
    Arithmetic,
    Comparison,
    Condition,
    Intersects,
    Literal,
    Logical,
    Property,
    Truth,
    Value,
    parse_date,
)

GEOMETRY = "geometry"
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, ">": operator.gt,
    "<=": operator.le, ">=": operator.ge,
}  # fmt: skip
# of numbers in double precision; a quotient by zero is null
CALCULATE: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "^": func.power,
    "/": lambda a, b: a / func.nullif(b, 0, type_=Double),
    "%": lambda a, b: func.mod(cast(a, Numeric), func.nullif(cast(b, Numeric), 0)),
    "div": lambda a, b: func.trunc(a / func.nullif(b, 0, type_=Double)),
}  # fmt: skip
NUMBERS = ("integer", "number")
NUMBER = re.compile(r"-?\d+(\.\d+)?", re.ASCII)


@dataclass(frozen=True)
class Queryable:
    """A property that filters may use: its column, and its type in JSON Schema, `date` or `geometry`.

    intersects: the condition that the geometry intersects a shape, if the column itself has no index."""

    column: Any
    type: str
    intersects: Callable[[Any], ColumnElement[bool]] | None = None


def compile_filter(
    condition: Condition, queryables: Mapping[str, Queryable]
) -> ColumnElement[bool]:
    """Compiles the condition, with literals as parameters; raises ApiError for unknown properties and wrong types."""
    if isinstance(condition, Logical):
        parts = [compile_filter(part, queryables) for part in condition.conditions]
        if condition.operator == "not":
            return not_(parts[0])
        return and_(*parts) if condition.operator == "and" else or_(*parts)
    if isinstance(condition, Truth):
        return true() if condition.value else false()
    if isinstance(condition, Intersects):
        found = _queryable(condition.property, queryables)
        if found.type != GEOMETRY:
            raise _error(condition.property.at, "S_INTERSECTS takes the geometry")
        return intersect(found, condition.wkts)
    return _compared(condition, queryables)


def intersect(found: Queryable, wkts: Iterable[str]) -> ColumnElement[bool]:
    """Whether a geometry intersects any of some in WKT."""
    shapes = [func.ST_GeomFromText(wkt, 4326) for wkt in wkts]
    if found.intersects:
        return or_(*map(found.intersects, shapes))
    return or_(*(type_coerce(func.ST_Intersects(found.column, shape), Boolean) for shape in shapes))


def _compared(condition: Comparison, queryables: Mapping[str, Queryable]) -> ColumnElement[bool]:
    value, kind = _value(condition.value, queryables)
    if condition.operator == "null":
        return value.is_(None)
    others = [_value(_typed(other, kind), queryables) for other in condition.others]
    if kind == GEOMETRY or not all(_comparable(kind, other) for _, other in others):
        is_property = isinstance(condition.value, Property)
        subject = "the literals of this property" if is_property else "the values"
        raise _error(condition.at, f"{subject} must have the type {kind}")
    first, last = others[0][0], others[-1][0]
    if condition.operator == "between":
        return and_(value >= first, value <= last)
    if condition.operator == "in":
        return or_(*(value == other for other, _ in others))
    if condition.operator == "like":
        if kind != "string":
            raise _error(condition.at, "LIKE takes text")
        return value.like(first)
    compared: ColumnElement[bool] = COMPARE[condition.operator](value, first)
    return compared


def _value(value: Value, queryables: Mapping[str, Queryable]) -> tuple[ColumnElement[Any], str]:
    """The expression of a value and its type."""
    if isinstance(value, Property):
        found = _queryable(value, queryables)
        return found.column, found.type
    if not isinstance(value, Arithmetic):
        return literal(value), _type(value)
    operands = [_value(operand, queryables) for operand in value.operands]
    if any(kind not in NUMBERS for _, kind in operands):
        raise _error(value.at, "arithmetic takes numbers")
    numbers = (cast(operand, Double) for operand, _ in operands)
    return CALCULATE[value.operator](*numbers), "number"


def _typed(value: Value, kind: str) -> Value:
    """Converts a literal in quotes to a date or number. QGIS quotes numbers where the first features have null."""
    if not isinstance(value, str):
        return value
    if kind == "date":
        return parse_date(value) or value
    if kind in NUMBERS and NUMBER.fullmatch(value):
        return float(value) if "." in value else int(value)
    return value


def _type(value: Literal) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    return "date" if isinstance(value, date) else "number"


def _comparable(kind: str, other: str) -> bool:
    return kind == other or (kind in NUMBERS and other in NUMBERS)


def _queryable(property: Property, queryables: Mapping[str, Queryable]) -> Queryable:
    found = queryables.get(property.name)
    if found is None:
        raise _error(property.at, f"the property must be one of {', '.join(queryables)}")
    return found


def _error(at: int, rule: str) -> ApiError:
    return ApiError("bad_filter", name="filter", at=at, rule=rule)
