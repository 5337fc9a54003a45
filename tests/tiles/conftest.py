"""Tiles as a map asks for them."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from tests.tiles.mvt import Feature, decode

Ask = Callable[..., list[Feature]]


def place(lon: float, lat: float, z: int) -> tuple[int, int]:
    """Column and row of the tile, by the formula of the slippy map; the poles go to the outermost rows."""
    north = math.asinh(math.tan(math.radians(lat)))
    x, y = int((lon + 180) / 360 * 2**z), math.floor((1 - north / math.pi) / 2 * 2**z)
    return min(x, 2**z - 1), max(0, min(y, 2**z - 1))


@pytest.fixture
def ask(client: FlaskClient) -> Ask:
    """Features of a tile."""

    def features(z: int, x: int, y: int, query: str = "allBrands=true") -> list[Feature]:
        answer = client.get(f"/tiles/shops/{z}/{x}/{y}.mvt?{query}")
        assert answer.status_code == 200, answer.json
        return decode(answer.data)

    return features
