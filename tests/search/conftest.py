"""The search's country, built once a module and kept between its tests, which only read it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from tests.make import Maker
from tests.search import country

Ask = Callable[..., Any]
SEOUL_CITY_HALL = (126.9779, 37.5663)


@pytest.fixture(scope="module")
def land(make_once: Maker) -> country.Country:
    """The country."""
    return country.build(make_once)


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
