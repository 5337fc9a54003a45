"""The examples of docs/contributing.md work as they are written."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg2
import pytest
from sqlalchemy import func, select

from geoshops import create_app, tiles
from geoshops.database.models import Brand
from geoshops.database.statements import execute, named
from geoshops.shops import queries, routes, schemas
from geoshops.web.operation import Blueprint
from geoshops.web.response import json_value
from tests.conftest import SECRET_KEY
from tests.make import Maker

PAGE = (Path(__file__).parent.parent / "docs" / "contributing.md").read_text(encoding="utf-8")


def example(language: str, word: str) -> str:
    """The only code block of the language that contains the word."""
    blocks = re.findall(rf"^ *```{language}\n(.*?)^ *```$", PAGE, re.MULTILINE | re.DOTALL)
    (block,) = (block for block in blocks if word in block)
    return textwrap.dedent(block)


def names_of(code: str, module: Any, **more: object) -> dict[str, Any]:
    """The names after the code ran within a module, which stays as it is."""
    names = {**vars(module), **more}
    exec(code, names)
    return names


def test_the_endpoint(service_url: str, make: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Blueprint("example", __name__)
    names_of(
        example("python", "blueprint.read"),
        routes,
        blueprint=own,
        json_value=json_value,
        queries=SimpleNamespace(**names_of(example("python", "ONE_BRAND"), queries, Brand=Brand)),
        schemas=SimpleNamespace(**names_of(example("python", "class BrandCount"), schemas)),
    )
    # in the place of another feature, as an application registers a fixed list
    monkeypatch.setattr(tiles, "blueprint", own)
    app = create_app({"database_url": service_url, "secret_key": SECRET_KEY, "testing": True})
    brand = make.brand("하루필름")
    make.shop(brand_id=brand)
    client = app.test_client()
    assert client.get(f"/brands/{brand}").get_json() == {"brand_name": "하루필름", "shop_cnt": 1}
    assert client.get("/brands/0").get_json()["error_code"] == "404"


def test_the_sql(database_url: str) -> None:
    connection = psycopg2.connect(database_url)
    try:
        cursor = connection.cursor()
        cursor.execute(example("sql", "brand_shop_count"))
        count = select(func.brand_shop_count(*named("brand")))
        assert execute(cursor, count, {"brand": 0}).fetchone() == (0,)
        cursor.execute(example("sql", "ALTER TYPE"))
        condition = example("sql", "(filters).min_reviews IS NULL").removeprefix("AND ")
        filters = """jsonb_populate_record(NULL::shop_filters, '{"min_reviews": 2}')"""
        cursor.execute(f"SELECT {condition} FROM shops AS s, (SELECT {filters} AS filters) AS f")
    finally:
        connection.rollback()
        connection.close()
