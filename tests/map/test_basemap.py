"""Tests basemap tiles: borders, names and stations of the loaded regions."""

from __future__ import annotations

import math

import pytest
from flask.testing import FlaskClient

from tests.make import GANGNAM, Maker
from tests.tiles.mvt import messages, scalar, varints

MVT = "application/vnd.mapbox-vector-tile"


def tile_of(lon: float, lat: float, z: int) -> tuple[int, int]:
    """Column and row of the tile, by the formula of the slippy map."""
    y = math.asinh(math.tan(math.radians(lat)))
    return int((lon + 180) / 360 * 2**z), int((1 - y / math.pi) / 2 * 2**z)


def tile(client: FlaskClient, z: int, at: tuple[float, float] = GANGNAM) -> bytes:
    x, y = tile_of(*at, z)
    response = client.get(f"/basemap/{z}/{x}/{y}.mvt")
    assert (response.status_code, response.mimetype) == (200, MVT)
    return response.data


def areas(tile: bytes) -> list[tuple[str, list[int]]]:
    """Level and drawing of each area, from below to the top."""
    for number, layer in messages(tile):
        parts = list(messages(layer)) if number == 3 else []
        if (1, b"areas") in parts:
            values = [scalar(value) for number, value in parts if number == 4]
            features = [dict(messages(value)) for number, value in parts if number == 2]
            return [(values[list(varints(f[2]))[1]], list(varints(f[4]))) for f in features]
    return []


def region(make: Maker, level: str, name: str, parent: int | None = None) -> int:
    lon, lat = GANGNAM
    box = f"SRID=4326;MULTIPOLYGON((({lon - 1} {lat - 1},{lon + 1} {lat - 1},{lon + 1} {lat + 1},{lon - 1} {lat + 1},{lon - 1} {lat - 1})))"
    center = f"SRID=4326;POINT({lon} {lat})"
    return int(
        make.insert(
            "regions", level=level, name=name, parent_id=parent, center=center, boundary=box
        )
    )


def test_a_tile_without_data_is_empty(client: FlaskClient) -> None:
    assert tile(client, 12) == b""


def test_names_come_by_level_and_stations_from_near(client: FlaskClient, make: Maker) -> None:
    sido = region(make, "sido", "서울특별시")
    gu = region(make, "sigungu", "강남구", sido)
    region(make, "dong", "역삼동", gu)
    make.insert("stations", name="강남", line="2호선", geog="SRID=4326;POINT(127.0276 37.4979)")
    make.insert("stations", name="강남", line="신분당선", geog="SRID=4326;POINT(127.0276 37.4979)")
    shown = {z: tile(client, z) for z in (6, 11, 14)}
    names = {"서울특별시": {6}, "강남구": {11}, "역삼동": {14}, "2호선, 신분당선": {14}}
    for name, zooms in names.items():
        assert {z for z in shown if name.encode() in shown[z]} == zooms
    assert all(b"areas" in shown[z] for z in shown)


def test_a_tile_names_places_in_every_language(client: FlaskClient, make: Maker) -> None:
    sido = region(make, "sido", "서울특별시")
    gu = region(make, "sigungu", "강남구", sido)
    for alias, lang in (("江南區", "zh-Hant"), ("カンナム区", "ja")):
        make.insert("region_aliases", region_id=gu, alias=alias, lang=lang, kind="foreign")
    at = "SRID=4326;POINT(127.0276 37.4979)"
    lines = [
        make.insert("stations", name="역삼", line=line, geog=at) for line in ("2호선", "9호선")
    ]
    make.insert("station_aliases", station_id=lines[1], alias="驛三", lang="zh-Hant")
    make.insert("stations", name="신논현", line="9호선", geog=at)
    for z, names in ((11, ("江南區", "江南区")), (14, ("驛三", "驿三", "駅三", "シンノンヒョン"))):
        assert [name for name in names if name.encode() not in tile(client, z)] == []


def test_districts_have_borders_from_zoom_8_and_provinces_everywhere(
    client: FlaskClient, make: Maker
) -> None:
    sido = region(make, "sido", "서울특별시")
    region(make, "sigungu", "강남구", sido)
    shown = {z: [level for level, _ in areas(tile(client, z))] for z in (5, 7, 8, 9, 10, 14)}
    assert shown[5] == shown[7] == ["sido"]
    # provinces are drawn over their districts
    assert shown[8] == shown[9] == shown[10] == shown[14] == ["sigungu", "sido"]


def test_low_zoom_levels_show_the_simplified_boundary(client: FlaskClient, make: Maker) -> None:
    sido = region(make, "sido", "서울특별시")
    lon, lat = GANGNAM
    whole = [areas(tile(client, z)) for z in (7, 9, 10)]
    triangle = f"SRID=4326;MULTIPOLYGON((({lon - 1} {lat - 1},{lon + 1} {lat - 1},{lon} {lat},{lon - 1} {lat - 1})))"
    for detail in (1, 2):
        make.insert("region_outlines", region_id=sido, detail=detail, outline=triangle)
    simplified = [areas(tile(client, z)) for z in (7, 9, 10)]
    assert [a == b for a, b in zip(whole, simplified, strict=True)] == [False, False, True]


@pytest.mark.parametrize(
    "path", ["3/8/0", "3/0/8", "21/0/0", "99999/0/0", f"3/{10**30}/0", f"{10**30}/0/0"]
)
def test_a_tile_outside_the_world_is_not_found(client: FlaskClient, path: str) -> None:
    assert client.get(f"/basemap/{path}.mvt").status_code == 404
