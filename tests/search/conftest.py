"""The search's country, built once a module and kept between its tests, which only read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask

from tests.conftest import empty
from tests.make import Maker
from tests.search import country

Ask = Callable[..., Any]
SEOUL_CITY_HALL = (126.9779, 37.5663)


@pytest.fixture(scope="module")
def land(connection: Any) -> Iterator[country.Country]:
    """The country; its tables are emptied before and by whoever comes after."""
    empty(connection)
    yield country.build(Maker(connection))


@pytest.fixture
def ask(app: Flask, land: country.Country) -> Ask:
    """GET /shops from Seoul's city hall unless told otherwise; the names in order."""
    client = app.test_client()

    def names(keyword: str, at: tuple[float, float] = SEOUL_CITY_HALL, **more: Any) -> list[str]:
        query = {"keyword": keyword, "userLng": at[0], "userLat": at[1], **more}
        answer = client.get("/shops", query_string=query)
        assert answer.status_code == 200, answer.text
        return [shop["place_name"] for shop in answer.json]

    return names
