"""Looks up the brand that a request names."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, literal, select
from sqlalchemy.dialects.postgresql import aggregate_order_by

from geoshops.database.models import Brand
from geoshops.database.pool import Database
from geoshops.database.statements import Statement, compiled, named
from geoshops.errors import ApiError

# id of the brand with this name or alias
BRAND_ID = func.brand_named(*named("wanted"))
REPRESENTATIVE = compiled(
    select(func.string_agg(Brand.name, aggregate_order_by(literal(", "), Brand.id))).where(
        Brand.is_representative
    )
)


def value_of(db: Database, statement: Statement, brand: str) -> Any:
    """The value that the statement selects of BRAND_ID; raises ApiError if no brand has that name or alias."""
    (value,) = db.row(statement, {"wanted": brand})
    if value is None:
        (choices,) = db.row(REPRESENTATIVE)
        raise ApiError("not_one_of", name="brand", choices=choices)
    return value
