"""geoshops import population: grid squares, outlines and polygons with their number of inhabitants."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyproj import Geod, Transformer

from tests.importing.conftest import Run
from tests.make import Maker

Summary = Callable[..., dict[str, Any]]
Write = Callable[..., Path]
CELLS = "SELECT source, source_id, population, ST_AsText(cell, 3) FROM population_cells ORDER BY 2"


def feature(key: str | None, people: Any, west: float = 127.0, size: float = 0.5) -> dict[str, Any]:
    east, north = west + size, 37 + size
    ring = [[west, 37], [east, 37], [east, north], [west, north], [west, 37]]
    properties = {"population": people} | ({"source_id": key} if key else {})
    geometry = {"type": "Polygon", "coordinates": [ring]}
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def collection(*features: dict[str, Any]) -> str:
    return json.dumps({"type": "FeatureCollection", "features": features})


def test_polygons_are_imported_once_and_a_repeat_changes_nothing(
    summary: Summary, write: Write, make: Maker
) -> None:
    path = write(collection(feature("a", 10), feature("b", 2.5, 128)), name="in.geojson")
    report = summary("import", "population", path, "--source", "grid")
    assert (report["inserted"], report["rejected"]) == (2, 0)
    assert make.rows(CELLS) == [
        ("grid", "a", 10, "MULTIPOLYGON(((127 37,127.5 37,127.5 37.5,127 37.5,127 37)))"),
        ("grid", "b", 2.5, "MULTIPOLYGON(((128 37,128.5 37,128.5 37.5,128 37.5,128 37)))"),
    ]
    before = make.rows("SELECT id, xmin::text FROM population_cells ORDER BY id")
    assert summary("import", "population", path, "--source", "grid")["unchanged"] == 2
    assert make.rows("SELECT id, xmin::text FROM population_cells ORDER BY id") == before


def test_a_new_count_replaces_the_old_one_and_cells_are_deleted_only_on_request(
    summary: Summary, write: Write, make: Maker
) -> None:
    path = write(collection(feature("a", 10), feature("b", 2, 128)), name="in.geojson")
    summary("import", "population", path, "--source", "grid")
    summary("import", "population", path, "--source", "other")
    path = write(collection(feature("a", 11)), name="in.geojson")
    report = summary("import", "population", path, "--source", "grid")
    assert (report["updated"], report["removed"]) == (1, 0)
    report = summary("import", "population", path, "--source", "grid", "--on-missing", "delete")
    assert (report["unchanged"], report["removed"]) == (1, 1)
    assert make.rows("SELECT source, source_id, population FROM population_cells ORDER BY 1, 2") == [
        ("grid", "a", 11), ("other", "a", 10), ("other", "b", 2),
    ]  # fmt: skip


def test_a_grid_of_squares_in_a_plane_is_a_kilometre_wide(
    summary: Summary, write: Write, make: Maker
) -> None:
    path = write("code,x,y,people", "다사5050,950500,1950500,1200", "다사5150,951500,1950500,0")
    report = summary(
        "import", "population", path, "--source", "sgis", "--crs", "EPSG:5179", "--cell-size", 1000,
        "--map", "code=source_id", "--map", "people=population",
    )  # fmt: skip
    assert report["inserted"] == 2
    lon, lat = Transformer.from_crs(5179, 4326, always_xy=True).transform(950000, 1950000)
    corner, per_km2 = make.rows(
        "SELECT ST_Distance(point_at(%s, %s), (ST_Dump(ST_Points(geom))).geom::geography), people_per_km2"
        " FROM v_population WHERE source_id = '다사5050' ORDER BY 1",
        lon, lat,
    )[0]  # fmt: skip
    assert corner < 0.01
    assert per_km2 == pytest.approx(1200, rel=0.002)


def test_squares_without_a_key_are_identified_by_their_centre(
    summary: Summary, write: Write, make: Maker
) -> None:
    path = write("x,y,population", "127.1,37.1,5", "127.2,37.1,6")
    options = ("--source", "own", "--cell-size", "0.1")
    summary("import", "population", path, *options)
    report = summary(
        "import", "population", write("x,y,population", "127.1,37.1,7", "127.2,37.1,6"), *options
    )
    assert (report["updated"], report["unchanged"]) == (1, 1)
    area = make.sql("SELECT ST_Area(cell::geography) FROM population_cells WHERE population = 7")
    ring = ([127.05, 127.15, 127.15, 127.05], [37.05, 37.05, 37.15, 37.15])
    assert area == pytest.approx(Geod(ellps="WGS84").polygon_area_perimeter(*ring)[0], rel=1e-4)


def test_bad_cells_are_listed_with_their_reason(
    summary: Summary, write: Write, make: Maker
) -> None:
    good = "POLYGON((127 37,128 37,128 38,127 38,127 37))"
    bow_tie = "POLYGON((0 0,1 1,1 0,0 1,0 0))"
    rows = [
        ("a", good, "10"), ("b", bow_tie, "10"), ("c", good, "N/A"), ("d", good, "-1"), ("e", "POINT(1 1)", "1"),
        ("f", "nonsense", "1"), ("g", "POLYGON((190 0,191 0,191 1,190 0))", "1"), ("a", good, "3"),
        ("h", "POLYGON((1 1,1 1,1 1,1 1))", "1"), ("i", good, ""),
    ]  # fmt: skip
    lines = [";".join(row) for row in rows]
    path = write("source_id;cell;population", *lines, "only one value")
    report = summary("import", "population", path, "--source", "own")
    assert (report["read"], report["inserted"], report["rejected"]) == (11, 2, 9)
    with Path(report["rejects_file"]).open(encoding="utf-8", newline="") as stream:
        reasons = {int(row["line"]): row["reason"] for row in csv.DictReader(stream)}
    assert reasons[4] == "[population] 'N/A' must be a decimal number"
    assert reasons[5] == "[population] '-1' is negative"
    assert reasons[6] == "[cell] is not a polygon"
    assert reasons[7].startswith("[cell] is not WKT")
    assert reasons[8] == "[cell] lies outside EPSG:4326: specify the coordinate system with --crs"
    assert reasons[9] == "duplicate of a cell in an earlier row"
    assert reasons[10] == "[cell] has no area"
    assert reasons[11] == "[population] blank"
    assert reasons[12] == "the row has 1 values, the header 3"
    assert make.sql("SELECT bool_and(ST_IsValid(cell)) FROM population_cells") is True


def test_a_dry_run_reports_the_same_and_changes_nothing(
    summary: Summary, write: Write, make: Maker
) -> None:
    path = write(collection(feature(None, 10)), name="in.geojson")
    report = summary("import", "population", path, "--source", "own", "--dry-run")
    assert (report["inserted"], report["dry_run"]) == (1, True)
    assert make.sql("SELECT count(*) FROM population_cells") == 0


@pytest.mark.parametrize(
    ("lines", "options", "message"),
    [
        (("x,y,population", "127,37,1"), (), "and --cell-size"),
        (("x,y", "127,37"), ("--cell-size", "1"), "no column for population"),
        (("cell,population", "nonsense,1"), (), "none of the 1 cells can be imported"),
        (("cell,population",), (), "the file has no cells"),
        (('{"type":"Topology"}',), (), "convert it to GeoJSON"),
    ],
)
def test_files_without_cells_are_rejected_with_the_remedy(
    run: Run,
    write: Write,
    make: Maker,
    lines: tuple[str, ...],
    options: tuple[str, ...],
    message: str,
) -> None:
    result = run("import", "population", write(*lines), "--source", "own", *options)
    assert result.exit_code == 1
    assert message in result.output
    assert make.sql("SELECT count(*) FROM population_cells") == 0


def test_analysts_count_the_imported_population(
    summary: Summary, write: Write, make: Maker
) -> None:
    path = write(collection(feature("a", 10), feature("b", 30, 128)), name="in.geojson")
    summary("import", "population", path, "--source", "grid")
    assert make.sql("SELECT sum(population) FROM v_population") == 40
