"""SQLAlchemy Core statements on the driver's own cursor."""

from __future__ import annotations

import pytest
from flask import Flask
from sqlalchemy import bindparam, func, select, values
from sqlalchemy.sql import column

from geoshops.database.models import Brand
from geoshops.database.pool import database
from geoshops.database.statements import Statement, compiled, named
from tests.make import Maker


def test_parameters_are_named_and_keep_the_values_of_the_expression(
    app: Flask, make: Maker
) -> None:
    brand = make.brand("100% 사진")
    make.brand("인생네컷")
    named_like = compiled(
        select(Brand.id, Brand.name)
        .where(Brand.name.like("%100%%"), Brand.id >= bindparam("least"))
        .limit(3)
    )
    with app.app_context():
        assert database().rows(named_like, {"least": 1}) == [(brand, "100% 사진")]
        assert database().first(named_like, {"least": brand + 1}) is None


def test_functions_take_their_arguments_by_name(app: Flask, make: Maker) -> None:
    minute = compiled(
        select(func.minute_of_week(*named("zone", moment=func.to_timestamp(345_600 + 60))))
    )
    with app.app_context():
        assert database().row(minute, {"zone": "UTC"}) == (1,)


def test_a_statement_without_parameters_takes_percent_signs(app: Flask) -> None:
    with app.app_context():
        assert database().row(compiled(select(func.concat("a%", "%%b")))) == ("a%%%b",)


def test_text_of_a_statement_is_the_same_at_every_import() -> None:
    made = [compiled(select(Brand.id).where(Brand.id == bindparam("id"))) for _ in range(2)]
    assert made[0] == made[1] == Statement(made[0].text, {})


@pytest.mark.parametrize("method", ["write", "write_rows"])
def test_writes_take_statements_too(app: Flask, make: Maker, method: str) -> None:
    rows = select(values(column("n"), name="v").data([(7,)]))
    with app.app_context():
        written = getattr(database(), method)(compiled(rows))
    assert written == (7,) if method == "write" else [(7,)]
