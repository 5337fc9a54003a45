"""Tests all analysis scripts: correct headers, quoted variables, safe handling of hostile values."""

from __future__ import annotations

import csv
import re
import subprocess

import pytest

from geoshops.analysis import runner, scripts

ALL = scripts.catalogue()
NAMES = [s.name for s in ALL]
# a variable without quotes: :name, but not ::type, :'name', :"name" or :{?name}
UNQUOTED = re.compile(r"(?<![:\w]):(?=[A-Za-z_])")
# a quote for psql, one escaped by a backslash, and a number that no comparison rejects
HOSTILE = ["\\'; DROP TABLE shops; --", "NaN"]


def unquoted(text: str) -> list[str]:
    """Lines of SQL with an unquoted psql variable."""
    code = [line for line in text.splitlines() if not line.startswith(("--", "\\"))]
    return [line for line in code if UNQUOTED.search(re.sub(r":'\w+'", "", line))]


def test_the_numbers_have_no_gaps():
    assert len(NAMES) >= 25
    assert [int(name[:2]) for name in NAMES] == list(range(1, len(NAMES) + 1))


def test_the_lint_finds_what_it_is_for():
    assert unquoted("SELECT :radius") == ["SELECT :radius"]
    assert unquoted("WHERE x=:y::int") == ["WHERE x=:y::int"]
    assert unquoted("SELECT :'radius'::float8, a[1:2]\n\\set x :y") == []


@pytest.mark.parametrize("script", ALL, ids=NAMES)
def test_variables_are_quoted_declared_and_explained(script):
    assert unquoted(script.text) == []
    assert ':"' not in script.text
    used = set(re.findall(r":'(\w+)'", script.text))
    assert used == set(script.parameters) == set(script.meanings)
    assert "\\set ON_ERROR_STOP on" in script.text
    for heading in ("Question", "Columns", "Method", "QGIS"):
        assert re.search(rf"^-- {heading}: +\S", script.text, re.MULTILINE)


@pytest.mark.parametrize("script", ALL, ids=NAMES)
def test_views_only(script, db):
    cursor = db.cursor()
    cursor.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
    )
    code = "\n".join(line for line in script.text.splitlines() if not line.startswith("--"))
    read = set(re.findall(r"(?:FROM|JOIN)\s+(\w+)", code))
    assert not read & {name for (name,) in cursor.fetchall()}


@pytest.mark.parametrize("script", ALL, ids=NAMES)
def test_a_database_without_shops_gives_the_documented_columns(script, town, database_url):
    town.region("서울특별시", 0, 0, 1000, 1000)
    with runner.run(database_url, script, {}) as response:
        assert [c.name for c in response.columns] == list(script.columns)
        assert response.geometry in (None, len(response.columns) - 1)
        assert all(len(row) == len(response.columns) for row in response.rows)


@pytest.mark.parametrize("script", ALL, ids=NAMES)
def test_hostile_values_are_rejected_or_harmless(script, town, database_url):
    town.draw("a b", step_m=100)
    for name in script.parameters:
        for value in HOSTILE:
            try:
                with runner.run(database_url, script, {name: value}) as response:
                    list(response.rows)
            except runner.ScriptError as error:
                assert "syntax error at" not in str(error)
    assert town.make.sql("SELECT count(*) FROM shops") == 2


def test_plain_psql_runs_a_script_with_a_parameter(town, database_url):
    town.draw("a . b", step_m=100)
    result = subprocess.run(
        ["psql", "-X", "-At", "-v", "near_m=50", "-f", str(scripts.find("01").path), database_url],
        capture_output=True,
        text=True,
        check=True,
    )
    assert len([line for line in result.stdout.splitlines() if "|" in line]) == 2
    assert result.stderr == ""


@pytest.mark.parametrize("script", ALL, ids=NAMES)
def test_psql_prints_one_table_and_nothing_else(script, town, database_url):
    town.draw("a b", step_m=100)
    town.region("서울특별시", -500, -500, 1000, 1000)
    cell = "SRID=4326;MULTIPOLYGON(((127 37,128 37,128 38,127 38,127 37)))"
    town.make.insert("population_cells", population=1, cell=cell)
    result = subprocess.run(
        ["psql", "-X", "--csv", "-f", str(script.path), database_url],
        capture_output=True,
        text=True,
        check=True,
    )
    header, *rows = csv.reader(result.stdout.splitlines())
    assert header == list(script.columns)
    assert {len(row) for row in rows} <= {len(header)}
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("07", {"region": "없는구"}, "unknown region"),
        ("07", {"brand": "없는브랜드"}, "unknown brand"),
        ("07", {"edge_m": "wide"}, "parameter edge_m must be a number above 0"),
        ("07", {"region": "\udcbc\udcad"}, r"parameter region is not UTF-8: '\\udcbc\\udcad'"),
        ("07", {"radius": "1"}, "has no parameter radius; it has: region, brand, edge_m, srid"),
        ("07", {"ON_ERROR_STOP": "off"}, "has no parameter"),
        ("07", {"edge_m": "0.001"}, "parameter edge_m must be metres from 0.01 to 2000000"),
        ("03", {"radius_m": "99999999"}, "parameter radius_m must be metres from 0.01 to 2000000"),
        ("14", {"minutes": "99999"}, "detour = radius_m must be metres from 0.01 to 2000000"),
        ("08", {"min_shops": "0"}, "parameter min_shops must be above 0"),
        ("14", {"minutes": "999999999999"}, "detour = radius_m must be"),
        ("07", {"srid": "abc"}, "parameter srid must be the EPSG number of a plane in metres"),
        ("17", {"srid": "-1"}, "parameter srid must be the EPSG number of a plane in metres"),
        ("17", {"srid": "999999"}, "parameter srid must be the EPSG number of a plane in metres"),
        ("17", {"srid": "4326"}, "parameter srid must be .* not '4326'"),  # degrees
        ("17", {"srid": "3857"}, "parameter srid must be .* not '3857'"),  # Web Mercator
        ("17", {"srid": "2225"}, "parameter srid must be .* not '2225'"),  # feet
        ("17", {"srid": "4978"}, "parameter srid must be .* not '4978'"),  # through the earth
        ("15", {"from_month": "-1"}, "parameter from_month must be a month"),
        ("15", {"to_month": "2024-13"}, "parameter to_month must be a month"),
        ("11", {"level": "city"}, "must be one of sido, sigungu, dong"),
    ],
)
def test_wrong_values_are_named(town, database_url, name, values, message):
    with (
        pytest.raises(runner.WrongValueError, match=message),
        runner.run(database_url, scripts.find(name), values) as response,
    ):
        list(response.rows)


def test_a_name_of_several_regions_lists_them(town, database_url):
    for city in ("서울특별시", "부산광역시"):
        top = town.region(city, 0, 0, 100, 100)
        town.region("중구", 0, 0, 10, 10, level="sigungu", parent_id=top, code=city + "중구")
    with (
        pytest.raises(
            runner.WrongValueError, match=r"2 regions have the name '중구'.*서울특별시 중구"
        ),
        runner.run(database_url, scripts.find("07"), {"region": "중구"}) as response,
    ):
        list(response.rows)
