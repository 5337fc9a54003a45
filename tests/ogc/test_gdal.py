"""Tests that GDAL (through pyogrio) reads the collections from a running server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conftest import SECRET_KEY, empty
from tests.server import serving

pyogrio = pytest.importorskip("pyogrio")
COUNT = 2500
FILL = """
INSERT INTO brands (name) VALUES ('인생네컷');
INSERT INTO shops (place_name, brand_id, geog, status)
SELECT '네컷 ' || n, 1, point_at(126 + n / 1000.0, 37), CASE WHEN n > 2500 THEN 'CLOSED' ELSE 'OPEN' END
FROM generate_series(1, 2600) n;
INSERT INTO regions (level, name, boundary)
SELECT 'sido', n || '도', ST_Multi(ST_MakeEnvelope(n / 10.0, 0, n / 10.0 + 0.1, 1, 4326)) FROM generate_series(1, 250) n;
SELECT cut_boundaries(array_agg(id)) FROM regions;
INSERT INTO regions (level, name) VALUES ('sido', '경계없는도');
INSERT INTO stations (name, line, geog) VALUES ('강남', '2호선', point_at(127.0276, 37.4979))"""


@pytest.fixture(scope="module")
def address(service_url: str, connection: object) -> Iterator[str]:
    """The address, in GDAL's notation, of a running server with 2500 open shops."""
    empty(connection)
    connection.cursor().execute(FILL)  # type: ignore[attr-defined]
    with serving(service_url, SECRET_KEY) as origin:
        yield f"OAPIF:{origin}/ogc"
    empty(connection)


def test_it_lists_the_collections(address: str) -> None:
    layers = pyogrio.list_layers(address).tolist()
    assert [name for name, _ in layers] == ["shops", "regions", "stations"]
    assert dict(layers)["shops"] == dict(layers)["stations"] == "Point"


def test_it_reads_every_page(address: str) -> None:
    shops = pyogrio.read_dataframe(address, layer="shops")
    assert len(shops) == COUNT
    assert shops["place_name"].tolist() == [f"네컷 {n}" for n in range(1, COUNT + 1)]
    assert set(shops["brand_name"]) == {"인생네컷"}
    assert shops.crs.to_epsg() in (4326, None)
    assert shops.geometry.iloc[0].coords[0] == (126.001, 37.0)


def test_it_requests_a_box(address: str) -> None:
    shops = pyogrio.read_dataframe(address, layer="shops", bbox=(126.0, 36.0, 126.1005, 38.0))
    assert len(shops) == 100


def test_it_reads_boundaries_with_and_without_a_box(address: str) -> None:
    regions = pyogrio.read_dataframe(address, layer="regions")
    assert len(regions) == 251
    assert list(regions["name"])[-1] == "경계없는도"
    assert regions.geometry.iloc[-1] is None
    assert set(regions.geometry.iloc[:-1].geom_type) == {"MultiPolygon"}
    some = pyogrio.read_dataframe(address, layer="regions", bbox=(1.05, 0.5, 1.15, 0.6))
    assert list(some["name"]) == ["10도", "11도"]


def test_it_reads_stations(address: str) -> None:
    stations = pyogrio.read_dataframe(address, layer="stations")
    assert stations[["name", "line"]].to_numpy().tolist() == [["강남", "2호선"]]
