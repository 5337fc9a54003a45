"""Compiles a CQL2 condition to an SQLAlchemy expression over the published properties of a collection."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import Boolean, ColumnElement, and_, false, func, not_, or_, true, type_coerce

from geoshops.errors import ApiError
from geoshops.ogc.cql2 import (
    Comparison,
    Condition,
    Intersects,
    Literal,
    Logical,
    Property,
    Truth,
    parse_date,
)

GEOMETRY = "geometry"
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, ">": operator.gt,
    "<=": operator.le, ">=": operator.ge,
}  # fmt: skip
# JSON Schema type → types of its literals
LITERALS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int, float),
    "number": (int, float),
    "date": (date,),
}


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
    found = _queryable(condition.property, queryables)
    if isinstance(condition, Intersects):
        if found.type != GEOMETRY:
            raise _error(condition.property, "S_INTERSECTS takes the geometry")
        return intersect(found, condition.wkts)
    return _compared(condition, found)


def intersect(found: Queryable, wkts: Iterable[str]) -> ColumnElement[bool]:
    """Whether a geometry intersects any of some in WKT."""
    shapes = [func.ST_GeomFromText(wkt, 4326) for wkt in wkts]
    if found.intersects:
        return or_(*map(found.intersects, shapes))
    return or_(*(type_coerce(func.ST_Intersects(found.column, shape), Boolean) for shape in shapes))


def _compared(condition: Comparison, found: Queryable) -> ColumnElement[bool]:
    literals = [_typed(literal, found.type) for literal in condition.literals]
    if not all(_fits(literal, found.type) for literal in literals):
        raise _error(
            condition.property, f"the literals of this property must have the type {found.type}"
        )
    column: ColumnElement[Any] = found.column
    if condition.operator == "null":
        return column.is_(None)
    if condition.operator == "between":
        low, high = literals
        return and_(column >= low, column <= high)
    if condition.operator == "in":
        return or_(*(column == literal for literal in literals))
    if condition.operator == "like":
        if found.type != "string":
            raise _error(condition.property, "LIKE takes text")
        return column.like(literals[0])
    compared: ColumnElement[bool] = COMPARE[condition.operator](column, literals[0])
    return compared


def _typed(literal: Literal, kind: str) -> Literal:
    """Converts a date in quotes if the property is a date."""
    day = parse_date(literal) if kind == "date" and isinstance(literal, str) else None
    return literal if day is None else day


def _fits(literal: Literal, kind: str) -> bool:
    # bool is a subclass of int, but no property is boolean
    return type(literal) is not bool and isinstance(literal, LITERALS.get(kind, ()))


def _queryable(property: Property, queryables: Mapping[str, Queryable]) -> Queryable:
    found = queryables.get(property.name)
    if found is None:
        raise _error(property, f"the property must be one of {', '.join(queryables)}")
    return found


def _error(property: Property, rule: str) -> ApiError:
    return ApiError("bad_filter", name="filter", at=property.at, rule=rule)
