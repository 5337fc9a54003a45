"""Tests that filters of shop searches are the same in SQL, in Python and in the query parameters."""

from __future__ import annotations

import json
from dataclasses import fields

from geoshops.web.paging import PagingArgs
from geoshops.web.shop_filters import ShopFilters
from geoshops.web.shop_schemas import FilterArgs
from tests.make import Maker

EVERY_FILTER = ShopFilters(
    box=(170.0, -1.0, -170.0, 2.5), min_rating=4.5, open_now=True, clean=0.1, retouch=0.2, props=0.3
)
ATTRIBUTES = (
    "SELECT attname FROM pg_attribute WHERE attrelid = 'shop_filters'::regclass AND attnum > 0"
)
READ = "SELECT to_json(jsonb_populate_record(NULL::shop_filters, %s))"


def test_sql_python_and_parameters_name_the_same_filters(make: Maker) -> None:
    names = {field.name for field in fields(ShopFilters)}
    parameters = FilterArgs().fields.keys() - PagingArgs().fields.keys() - {"sort"}
    attributes = {name for (name,) in make.rows(ATTRIBUTES)}
    assert names == parameters
    assert names - {"open_now"} == attributes - {"open_minute"}


def test_every_filter_reaches_the_sql_type(make: Maker) -> None:
    text = EVERY_FILTER.to_json("Asia/Seoul")
    assert text is not None
    read = make.sql(READ, text)
    assert None not in read.values()
    assert read == json.loads(text)
    assert read["box"] == [170, -1, -170, 2.5]


def test_the_minute_of_the_week_is_that_of_postgres(make: Maker) -> None:
    minute = "SELECT minute_of_week(now(), 'Asia/Kathmandu')"
    before, text, after = (
        make.sql(minute), ShopFilters(open_now=True).to_json("Asia/Kathmandu"), make.sql(minute),
    )  # fmt: skip
    assert text is not None and json.loads(text)["open_minute"] in (before, after)


def test_a_search_without_filters_sends_none() -> None:
    assert ShopFilters().to_json("Asia/Seoul") is None
