"""Fixtures of the search tests: a small country, loaded once per module because tests only read it, and a search in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from tests.make import Maker
from tests.search import country

Search = Callable[..., Any]
SEOUL_CITY_HALL = (126.9779, 37.5663)


@pytest.fixture(scope="module")
def land(make_once: Maker) -> country.Country:
    """The country of tests/search/country.py."""
    return country.build(make_once)


@pytest.fixture
def search(app: Flask, land: country.Country) -> Search:
    """Sends GET /shops with a keyword, by default from Seoul's city hall, and returns the shop names in order."""
    client = app.test_client()

    def names(keyword: str, at: tuple[float, float] = SEOUL_CITY_HALL, **more: Any) -> list[str]:
        query = {"keyword": keyword, "userLng": at[0], "userLat": at[1], **more}
        response = client.get("/shops", query_string=query)
        assert response.status_code == 200, response.text
        return [shop["place_name"] for shop in response.json]

    return names
