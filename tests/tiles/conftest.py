"""Fixtures of the tile tests: requests tiles as a map does."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from tests.tiles.mvt import Feature, decode

GetFeatures = Callable[..., list[Feature]]


def place(lon: float, lat: float, z: int) -> tuple[int, int]:
    """Column and row of the tile, by the formula of the slippy map; the poles belong to the outermost rows."""
    north = math.asinh(math.tan(math.radians(lat)))
    x, y = int((lon + 180) / 360 * 2**z), math.floor((1 - north / math.pi) / 2 * 2**z)
    return min(x, 2**z - 1), max(0, min(y, 2**z - 1))


@pytest.fixture
def get_features(client: FlaskClient) -> GetFeatures:
    """Requests a tile and returns its features."""

    def features(z: int, x: int, y: int, query: str = "allBrands=true") -> list[Feature]:
        response = client.get(f"/tiles/shops/{z}/{x}/{y}.mvt?{query}")
        assert response.status_code == 200, response.json
        return decode(response.data)

    return features
