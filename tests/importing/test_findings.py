"""Findings in imported files: columns, repeated rows, invalid values, doubtful positions, brands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.importing.conftest import Run
from tests.make import Maker

Summary = Callable[..., dict[str, Any]]
Write = Callable[..., Path]
OWN = ("--source", "own")


def test_columns_that_are_not_used_are_listed(run: Run, write: Write) -> None:
    path = write("name,lon,lat,location,notes", "가,127,37,Aspen,x")
    done = run("import", "shops", path, *OWN)
    assert "columns not used: location, notes\n" in done.output
    done = run("import", "stations", path, *OWN)
    assert "columns not used: location, notes\n" in done.output
    cells = write("population,lon,lat,notes", "5,127,37,x", name="cells.csv")
    done = run("import", "population", cells, *OWN, "--cell-size", "0.01")
    assert "columns not used: notes\n" in done.output
    done = run("import", "shops", path, "--mapping", "booths", "--map", "lon=longitude",
               "--map", "lat=latitude")  # fmt: skip
    assert "columns that the file lacks: brand, address, roadAddress" in done.output


def test_identical_rows_are_not_rejected(summary: Summary, run: Run, write: Write) -> None:
    row = "가,127,37,Aspen"
    path = write("name,lon,lat,location", row, row, "나,127.1,37,Aspen", "가,127,37,Boulder", row)
    report = summary("import", "shops", path, *OWN)
    assert (report["inserted"], report["identical"], report["rejected"]) == (2, 2, 1)
    assert report["reasons"] == {"same key as line …, but different values": 1}
    listed = Path(report["rejects_file"]).read_text(encoding="utf-8").splitlines()[1:]
    assert listed == ['5,"same key as line 2, but different values",가,127,37,Boulder']
    done = run("import", "shops", write("name,lon,lat", "가,127,37", "가,127,37"), "--source", "b")
    assert "2 read = 1 inserted + 0 updated + 0 unchanged + 1 identical + 0 rejected" in done.output


def test_identical_stations_are_not_rejected(summary: Summary, write: Write) -> None:
    row = "강남역,2호선,127.0276,37.4979"
    path = write("name,line_name,lon,lat", row, row, row.replace("127.0", "127.1"))
    report = summary("import", "stations", path, *OWN)
    assert (report["inserted"], report["identical"], report["rejected"]) == (1, 1, 1)


def test_columns_are_found_regardless_of_case(summary: Summary, write: Write, make: Maker) -> None:
    path = write("NAME,Lon,LAT,Phone", "가,127,37,02-1")
    assert summary("import", "shops", path, *OWN)["inserted"] == 1
    path = write("Name,BRAND,Address,ROADADDRESS,Longitude,Latitude", "나,,,,127,37")
    assert summary("import", "shops", path, "--mapping", "booths")["columns_not_used"] == []
    path = write("Title,X,Y", "다,127,37")
    report = summary("import", "shops", path, *OWN, "--map", "TITLE=place_name")
    assert report["inserted"] == 1
    assert make.rows("SELECT place_name, phone FROM shops ORDER BY id") == [
        ("가", "02-1"),
        ("나", ""),
        ("다", ""),
    ]


def test_columns_that_differ_in_case_only_are_named_exactly(
    summary: Summary, run: Run, write: Write
) -> None:
    path = write("Title,TITLE,lon,lat", "가,나,127,37")
    rejected = run("import", "shops", path, *OWN, "--map", "title=place_name")
    assert rejected.exit_code == 1
    assert "'title' is ambiguous: 'Title' or 'TITLE'; write the exact name" in rejected.output
    assert summary("import", "shops", path, *OWN, "--map", "TITLE=place_name")["inserted"] == 1


def test_properties_of_regions_and_cells_are_found_regardless_of_case(
    summary: Summary, write: Write, make: Maker
) -> None:
    square = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]}
    properties = {"NAME": "작은구", "Code": "11", "Population": 5}
    feature = {"type": "Feature", "geometry": square, "properties": properties}
    path = write(json.dumps(feature), name="in.geojson")
    assert summary("import", "regions", path, *OWN, "--level", "sido")["inserted"] == 1
    assert make.rows("SELECT name FROM regions") == [("작은구",)]
    assert summary("import", "population", path, *OWN)["inserted"] == 1


@pytest.mark.parametrize(
    ("head", "row", "address"),
    [
        ("address,city,state,country", '"1 Main St",Denver,CO,USA', "1 Main St, Denver, CO, USA"),
        ("address,city,state,country", '"1 Main St, Denver, CO",Denver,CO,', "1 Main St, Denver, CO"),
        ("City,State", "Denver,CO", "Denver, CO"),
        ("address,city,state", "[NO ADDRESS],Denver,CO", "Denver, CO"),
        ("address,city,state,country", "강남대로 1,강남구,서울,대한민국", "서울 강남구 강남대로 1"),
        ("address,city,state,country", "서울 강남구 역삼동 1,강남구,서울특별시,KR", "서울 강남구 역삼동 1"),
        ("roadAddress,city", "강남대로 1,서울", "강남대로 1"),
    ],
)  # fmt: skip
def test_city_state_and_country_complete_the_address(
    summary: Summary, write: Write, make: Maker, head: str, row: str, address: str
) -> None:
    path = write(f"name,lon,lat,{head}", f"가,127.03,37.5,{row}")
    mapped = ("--map", "roadAddress=road_address", "--map", "city=source_id")
    summary("import", "shops", path, *OWN, *(mapped if "roadAddress" in head else ()))
    assert make.sql("SELECT road_address || lot_address FROM shops") == address


def test_a_value_that_does_not_fit_is_dropped_and_its_row_kept(
    summary: Summary, run: Run, write: Write, make: Maker
) -> None:
    path = write(
        "id;name;lon;lat;brand;homepage;phone;opened_on;status;opening_hours",
        f"1;가;127;37;{'가' * 101};www.example.org;call us;2020-13-45;OPEN;daily",
        "2;나;127;37;;http://example.org/?a=1&amp=2;02-123;2020-01-31;OPEN;",
        "3;다;127;37;;;;;burnt;",
    )
    options = (*OWN, "--map", "id=source_id")
    report = summary("import", "shops", path, *options)
    assert (report["inserted"], report["rejected"]) == (2, 1)
    assert {(d["reason"], d["values"], *d["lines"]) for d in report["dropped"]} == {
        ("[brand] longer than … characters", 1, 2),
        ("[homepage] must begin with http:// or https://", 1, 2),
        ("[phone] … must contain a digit", 1, 2),
        ("[opened_on] … must be a date such as ………", 1, 2),
        ('[opening_hours] must be JSON such as [{"day": …, "open": "…:…", "close": "…:…"}], day … to …',
         1, 2),
    }  # fmt: skip
    assert make.rows(
        "SELECT homepage, phone, opened_on::text, opening_hours::text FROM shops ORDER BY source_id"
    ) == [
        ("", "", None, "[]"),
        ("http://example.org/?a=1&amp=2", "02-123", "2020-01-31", "[]"),
    ]
    worse = write("id;name;lon;lat;homepage;phone;opened_on", "2;나;127;37;example;none known;soon")
    done = run("import", "shops", worse, *options)
    assert "1 values dropped, rows kept: [homepage] must begin with" in done.output
    assert make.rows(
        "SELECT homepage, phone, opened_on::text FROM shops WHERE source_id = '2'"
    ) == [("http://example.org/?a=1&amp=2", "02-123", "2020-01-31")], (
        "a shop keeps its own value where the file's does not fit"
    )


def test_an_invalid_closing_date_without_status_rejects_the_row(
    summary: Summary, write: Write, make: Maker
) -> None:
    path = write("name,lon,lat,closed_on", "가,127,37,some day", "나,127,37,N/A")
    report = summary("import", "shops", path, *OWN)
    assert (report["inserted"], report["rejected"], report["dropped"]) == (1, 1, [])


def test_a_long_english_name_of_a_station_is_dropped(
    summary: Summary, write: Write, make: Maker
) -> None:
    path = write("name,name_en,lon,lat", f"강남역,{'x' * 101},127,37", "역삼역,Yeoksam,127.1,37")
    report = summary("import", "stations", path, *OWN)
    assert (report["inserted"], report["rejected"]) == (2, 0)
    assert report["dropped"] == [
        {"reason": "[name_en] longer than … characters", "values": 1, "lines": [2]}
    ]
    assert make.rows("SELECT name, name_en FROM stations ORDER BY id") == [
        ("강남", ""),
        ("역삼", "Yeoksam"),
    ]


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("Tom &amp; Jerry&#39;s", "Tom & Jerry's"),
        ("Caf&eacute;", "Café"),
        ("A &amp;amp; B", "A & B"),
        ("&#xAC00;&#44032;", "가가"),
        ("AT&T Q&LTD &copy", "AT&T Q&LTD &copy"),
        ("&nbsp;빈칸&#10;둘&nbsp;", "빈칸 둘"),
    ],
)
def test_entities_in_names_are_decoded(
    summary: Summary, write: Write, make: Maker, given: str, stored: str
) -> None:
    path = write("name|lon|lat|id|address", f"{given}|127|37|a&amp;b|{given}")
    summary("import", "shops", path, *OWN, "--map", "id=source_id", "--delimiter", "|")
    assert make.rows("SELECT place_name, lot_address, source_id FROM shops") == [
        (stored, stored, "a&amp;b")
    ]


@pytest.mark.parametrize(
    "given", ["[NO ADDRESS]", "N/A", "-", "none", "NULL", "없음", "(주소 없음)", "?"]
)
def test_words_for_a_missing_value_are_empty(
    summary: Summary, write: Write, make: Maker, given: str
) -> None:
    path = write("name,lon,lat,address,phone,homepage,brand,opened_on",
                 f"None,127,37,{given},{given},{given},{given},{given}")  # fmt: skip
    report = summary("import", "shops", path, *OWN, "--add-brands")
    assert (report["inserted"], report["dropped"], report["brands_added"]) == (1, [], [])
    assert make.rows("SELECT place_name, lot_address, phone, homepage FROM shops") == [
        ("None", "", "", "")
    ]


def test_cities_on_one_point_are_reported(run: Run, summary: Summary, write: Write) -> None:
    cities = ("Denver", "Aspen", "Boulder", "Denver")
    shared = [f"가게 {n},-105.5,39.0,{city},CO" for n, city in enumerate(cities)]
    mall = [f"상가 {n},-104.9,39.7,Denver,CO" for n in range(5)]
    path = write("name,lon,lat,city,state", *shared, *mall)
    report = summary("import", "shops", path, *OWN)
    assert report["inserted"] == 9
    assert report["shared_points"] == [
        {"shops": 4, "cities": 3, "longitude": -105.5, "latitude": 39.0,
         "examples": ["Aspen", "Boulder", "Denver"]}
    ]  # fmt: skip
    output = run("import", "shops", path, *OWN).output
    assert (
        "warning: 4 shops of 3 cities lie on one point, -105.500000, 39.000000 (Aspen, " in output
    )


def test_districts_of_addresses_on_one_point_are_reported(
    summary: Summary, write: Write, make: Maker
) -> None:
    seoul = make.region("서울특별시", level="sido")
    for name in ("강남구", "서초구"):
        make.region(name, parent=seoul)
    rows = [
        f"가 {n},서울특별시 {gu} 길 {n},127.01,37.5" for n, gu in enumerate(("강남구", "서초구"))
    ]
    report = summary("import", "shops", write("name,address,lon,lat", *rows), *OWN)
    assert [(p["shops"], p["examples"]) for p in report["shared_points"]] == [
        (2, ["서울특별시 강남구", "서울특별시 서초구"])
    ]


def test_categories_do_not_become_brands(
    run: Run, summary: Summary, write: Write, make: Maker
) -> None:
    rows = [
        f"가게 {n},{word},127.{n},37" for n, word in enumerate(("피자", "ATM", "제조업", "피자"))
    ]
    path = write("name,brand,lon,lat", *rows)
    report = summary("import", "shops", path, *OWN)
    assert (report["inserted"], report["brands_added"]) == (4, [])
    assert report["unknown_brands"] == {"피자": 2, "ATM": 1, "제조업": 1}
    assert make.sql("SELECT count(*) FROM brands") == 0
    output = run("import", "shops", path, *OWN).output
    assert "unknown brands, not added (number of rows): 피자 (2), ATM (1), 제조업 (1)" in output
    assert "--add-brands" in output
    report = summary("import", "shops", path, *OWN, "--add-brands")
    assert (report["updated"], report["brands_added"]) == (4, ["ATM", "제조업", "피자"])


def test_an_import_reports_that_no_brand_is_representative(
    run: Run, write: Write, make: Maker, client: FlaskClient
) -> None:
    make.brand("하루필름", representative=False)
    make.brand("인생네컷 플러스", representative=False)
    path = write("name,lon,lat", "인생네컷 플러스 1호점,127.03,37.5", "인생네컷 플러스 2호점,127.03,37.5",
                 "하루필름 강남점,127.03,37.5")  # fmt: skip
    search = "/shops/brand?userLat=37.5&userLng=127.03&mapLat=37.5&mapLng=127.03"
    output = run("import", "shops", path, *OWN).output
    assert client.get(search).json == []
    command = "  geoshops brands representative '인생네컷 플러스'\n  geoshops brands representative 하루필름\n"
    assert "no brand is representative" in output and command in output
    assert run("brands", "representative", "인생네컷 플러스").exit_code == 0
    assert len(client.get(search).json or []) == 2
    assert "no brand is representative" not in run("import", "shops", path, *OWN).output


READ = """
SELECT pg_stat_force_next_flush();
SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'shops'"""


def test_duplicates_are_found_by_index_in_a_table_that_was_analysed_empty(
    summary: Summary, write: Write, make: Maker
) -> None:
    rows = 600
    make.sql(
        "INSERT INTO shops (place_name, geog) SELECT 'x', point_at(127, 37) FROM generate_series(1, 2000)"
    )
    make.sql("DELETE FROM shops")
    make.sql("ANALYZE shops")
    path = write(
        "name,lon,lat", *(f"동물병원 {n},{126 + n / 1000},{35 + n / 1000}" for n in range(rows))
    )
    before = make.sql(READ)
    assert summary("import", "shops", path, *OWN)["inserted"] == rows
    # comparing every shop with every other would take 360,000 comparisons
    assert make.sql(READ) - before < rows * rows / 4
