"""Coordinate systems: accurate to a metre; implausible ones are rejected with a hint."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyproj import Geod, Transformer

from geoshops.importing.crs import projection
from geoshops.importing.errors import ImportRejected
from tests.importing.conftest import Run
from tests.make import Maker

Summary = Callable[..., dict[str, Any]]
Write = Callable[..., Path]
GEOD = Geod(ellps="WGS84")
SEOUL = (126.906320, 37.505781)
JEJU = (126.51707694663682, 33.40532008266306)
# The modified Korean central belt on Bessel as a PROJ string, with the seven datum parameters of the national survey
BESSEL = (
    "+proj=tmerc +lat_0=38 +lon_0={lon_0} +k=1 +x_0=200000 +y_0=500000 +ellps=bessel"
    " +towgs84=-115.80,474.99,674.11,1.16,-2.31,-1.63,6.43"
)
HEAD = "name,address,x,y"
OPTIONS = ("--source", "own", "--map", "address=lot_address")


def metres_between(a: tuple[float, float], b: tuple[float, float]) -> float:
    return float(GEOD.inv(*a, *b)[2])


def read(name: str, x: float, y: float, scale: float = 1.0) -> tuple[float, float]:
    lon, lat = projection(name, scale).to_wgs84(np.array([x]), np.array([y]))
    return float(lon[0]), float(lat[0])


def test_the_check_point_of_5174_is_right_to_the_metre() -> None:
    position = read("EPSG:5174", 191647.162754919, 444844.764072362)
    assert metres_between(position, SEOUL) < 1
    wrong = read("EPSG:2097", 191647.162754919, 444844.764072362)
    assert 200 < metres_between(wrong, SEOUL) < 300


@pytest.mark.parametrize(("name", "lon_0"), [("EPSG:5174", 127.0028902777778), ("EPSG:2097", 127)])
@pytest.mark.parametrize("place", [SEOUL, JEJU, (129.16, 35.16)])
def test_the_datum_shift_agrees_with_parameters_written_out(
    name: str, lon_0: float, place: tuple[float, float]
) -> None:
    x, y = Transformer.from_crs(4326, BESSEL.format(lon_0=lon_0), always_xy=True).transform(*place)
    assert metres_between(read(name, x, y), place) < 2


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        ("EPSG:5179", 947528.4, 1945333.2),
        ("EPSG:5181", 191718.6, 445148.6),
        ("EPSG:5186", 191718.6, 545148.6),
        ("WCONGNAMUL", 191718.6 * 2.5, 445148.6 * 2.5),
        ("EPSG:4326", 126.906320, 37.505781),
    ],
)
def test_one_position_in_every_system(name: str, x: float, y: float) -> None:
    assert metres_between(read(name, x, y), SEOUL) < 5


def test_systems_are_read_to_the_millimetre_where_no_datum_lies_between() -> None:
    for code in (5179, 5181, 5186):
        x, y = Transformer.from_crs(4326, code, always_xy=True).transform(*SEOUL)
        assert metres_between(read(f"EPSG:{code}", x, y), SEOUL) < 0.001
    x, y = Transformer.from_crs(4326, 5181, always_xy=True).transform(*SEOUL)
    assert metres_between(read("EPSG:5181", 2.5 * x, 2.5 * y, scale=2.5), SEOUL) < 0.001


def test_negative_numbers_are_right_in_jeju(summary: Summary, write: Write, make: Maker) -> None:
    path = write(HEAD, "제주점,제주특별자치도 제주시,155000,-10000")
    assert summary("import", "shops", path, *OPTIONS, "--crs", "EPSG:5174")["inserted"] == 1
    lon, lat = make.rows("SELECT ST_X(geog::geometry), ST_Y(geog::geometry) FROM shops")[0]
    assert metres_between((lon, lat), JEJU) < 1


def points(system: int | str, *, swapped: bool = False, factor: float = 1.0) -> list[str]:
    """Ten shops in ten provinces, as rows of a file in that system."""
    places = {
        "서울": (126.98, 37.55), "부산": (129.05, 35.15), "대구": (128.60, 35.85), "광주": (126.85, 35.15),
        "대전": (127.38, 36.35), "울산": (129.30, 35.53), "세종": (127.28, 36.50), "경기": (127.20, 37.40),
        "전북": (127.10, 35.80), "제주": (126.53, 33.45),
    }  # fmt: skip
    to = Transformer.from_crs(4326, system, always_xy=True)
    rows = []
    for province, place in places.items():
        x, y = (v * factor for v in to.transform(*place))
        if swapped:
            x, y = y, x
        rows.append(f"{province}점,{province} 어느구,{x:.4f},{y:.4f}")
    return [HEAD, *rows]


@pytest.mark.parametrize("system", [5174, 5179, 5181, 5186, 2097, 4326])
def test_shops_in_ten_provinces_are_imported(
    summary: Summary, write: Write, make: Maker, system: int
) -> None:
    report = summary("import", "shops", write(*points(system)), *OPTIONS, "--crs", f"EPSG:{system}")
    assert (report["inserted"], report["rejected"]) == (10, 0)


@pytest.mark.parametrize(
    ("lines", "crs", "hint"),
    [
        (points(5186), "", "specify the right system with --crs"),
        (points(5186), "EPSG:5174", "would fit EPSG:5186"),
        (points(5174), "EPSG:5186", "would fit EPSG:5174"),
        (points(5179), "EPSG:5181", "would fit EPSG:5179"),
        (points(5181, factor=2.5), "EPSG:5181", "would fit WCONGNAMUL"),
        (points(4326), "EPSG:5174", "look like degrees: use --crs EPSG:4326"),
        (points(4326, swapped=True), "", "longitude and latitude seem to be swapped"),
        (points(5174, swapped=True), "EPSG:5174", "seem to be swapped"),
        (points(5179, swapped=True), "EPSG:5179", "seem to be swapped"),
    ],
)
def test_wrong_systems_are_rejected_with_a_hint(
    run: Run, write: Write, make: Maker, lines: list[str], crs: str, hint: str
) -> None:
    result = run("import", "shops", write(*lines), *OPTIONS, "--crs", crs)
    assert result.exit_code == 1, result.output
    assert hint in result.output
    assert make.sql("SELECT count(*) FROM shops") == 0


@pytest.mark.parametrize("name", ["EPSG:999999", "nonsense", "EPSG:", "EPSG:5703"])
def test_unknown_systems_are_rejected(name: str) -> None:
    with pytest.raises(ImportRejected, match="--crs"):
        projection(name)


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf")])
def test_scales_must_be_positive(scale: float) -> None:
    with pytest.raises(ImportRejected, match="--scale"):
        projection("EPSG:5181", scale)
