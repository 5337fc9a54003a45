"""geoshops import shops: imported values, the summary, and repeated runs."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.importing.conftest import Run
from tests.make import Maker

HEAD = "name,brand,address,roadAddress,longitude,latitude"
GANGNAM = "인생네컷 강남역점,인생네컷,서울 강남구 역삼동 1,서울 강남구 강남대로 1,127.0276,37.4979"
HONGDAE = "하루필름 홍대점,하루필름,서울 마포구 서교동 2,,126.9236,37.5563"
Summary = Callable[..., dict[str, Any]]
Write = Callable[..., Path]


def shops(make: Maker, columns: str) -> list[tuple[Any, ...]]:
    return make.rows(f"SELECT {columns} FROM shops ORDER BY id")


def test_csv_is_imported_and_found_on_the_map(
    summary: Summary, write: Write, make: Maker, client: FlaskClient
) -> None:
    make.brand("인생네컷")
    make.brand("하루필름")
    report = summary("import", "shops", write(HEAD, GANGNAM, HONGDAE), "--mapping", "booths")
    assert report["inserted"] == 2
    response = client.get(
        "/shops/brand?userLat=37.5&userLng=127&mapLat=37.4979&mapLng=127.0276&radius=100"
    )
    assert [s["place_name"] for s in response.json or []] == ["인생네컷 강남역점"]
    assert (response.json or [])[0]["place_address"] == "서울 강남구 강남대로 1"


def test_columns_are_selected_with_the_option_map(
    summary: Summary, write: Write, make: Maker
) -> None:
    path = write("상호;경도;위도;번호", "인생네컷;127.1;37.5;A-1")
    report = summary(
        "import", "shops", path, "--source", "own", "--map", "상호=place_name",
        "--map", "경도=longitude", "--map", "위도=latitude", "--map", "번호=source_id",
    )  # fmt: skip
    assert report["inserted"] == 1
    assert shops(
        make, "place_name, source, source_id, ST_X(geog::geometry), ST_Y(geog::geometry)"
    ) == [("인생네컷", "own", "A-1", 127.1, 37.5)]


@pytest.mark.parametrize("sequence", [False, True])
def test_geojson_is_imported(summary: Summary, write: Write, make: Maker, sequence: bool) -> None:
    features = [
        {
            "type": "Feature",
            "id": number,
            "geometry": {"type": "Point", "coordinates": [127 + number / 10, 37.5]},
            "properties": {"place_name": f"인생네컷 {number}호점"},
        }
        for number in range(3)
    ]
    collection = json.dumps({"type": "FeatureCollection", "features": features})
    lines = map(json.dumps, features) if sequence else [collection]
    report = summary("import", "shops", write(*lines, name="in.json"), "--source", "own")
    assert report["inserted"] == 3
    assert shops(make, "source_id, ST_X(geog::geometry)") == [
        ("0", 127.0),
        ("1", 127.1),
        ("2", 127.2),
    ]


def test_a_repeated_import_changes_nothing(summary: Summary, write: Write, make: Maker) -> None:
    path = write(HEAD, GANGNAM, HONGDAE)
    summary("import", "shops", path, "--mapping", "booths")
    before = shops(make, "shops.*, xmin::text")
    again = summary("import", "shops", path, "--mapping", "booths")
    assert (again["unchanged"], again["inserted"], again["updated"]) == (2, 0, 0)
    assert shops(make, "shops.*, xmin::text") == before


def test_a_changed_row_is_updated_and_only_that(
    summary: Summary, write: Write, make: Maker
) -> None:
    summary("import", "shops", write(HEAD, GANGNAM, HONGDAE), "--mapping", "booths")
    make.sql("UPDATE shops SET modified_at = '2020-01-01'")
    moved = GANGNAM.replace("127.0276", "127.0286")
    report = summary("import", "shops", write(HEAD, moved, HONGDAE), "--mapping", "booths")
    assert (report["updated"], report["unchanged"]) == (1, 1)
    assert [row[0] for row in shops(make, "modified_at > '2021-01-01'")] == [True, False]


def test_rejected_rows_are_listed_with_line_reason_and_themselves(
    summary: Summary, write: Write, make: Maker
) -> None:
    path = write(
        HEAD,
        GANGNAM,
        "이름만",
        "좌표 없음,,서울 강남구,,,",
        "글자 좌표,,서울 강남구,,abc,37.5",
        "  ,,서울 강남구,,127,37.5",
        "먼 곳,,인천광역시 남동구 만수동,,123.736581,37.448179",
        moved := GANGNAM.replace("127.0276", "127.0277"),
        HONGDAE,
    )
    report = summary("import", "shops", path, "--mapping", "booths")
    assert (report["inserted"], report["rejected"]) == (2, 6)
    with Path(report["rejects_file"]).open(encoding="utf-8", newline="") as stream:
        listed = list(csv.reader(stream))
    assert listed[0] == ["line", "reason", *HEAD.split(",")]
    by_line = {int(row[0]): row for row in listed[1:]}
    assert by_line[3][1] == "the row has 1 values, the header 6"
    assert by_line[4][1] == "no coordinates"
    assert by_line[5][1] == "[longitude] 'abc' must be a decimal number"
    assert by_line[6][1] == "[place_name] blank"
    assert by_line[7][1].startswith("suspicious position 123.736581, 37.448179: far outside 인천")
    assert by_line[8][1] == "same key as line 2, but different values"
    assert by_line[8][2:] == moved.split(",")


def test_a_dry_run_reports_the_same_and_changes_nothing(
    summary: Summary, write: Write, make: Maker
) -> None:
    report = summary("import", "shops", write(HEAD, GANGNAM), "--mapping", "booths", "--dry-run")
    assert (report["inserted"], report["dry_run"], report["brands_added"]) == (
        1,
        True,
        ["인생네컷"],
    )
    assert shops(make, "id") == []
    assert make.sql("SELECT count(*) FROM brands") == 0


def test_booth_lists_are_imported(
    summary: Summary, run: Run, shared_data: Path, make: Maker, client: FlaskClient, tmp_path: Path
) -> None:
    rows = {"dontlxxkup_geocoded": 35, "hongdae4cut_geocoded": 11, "photoheim_geocoded": 16}
    for name, count in rows.items():
        path = shared_data / "photobooths_kr_chalkak" / f"{name}.csv"
        report = summary(
            "import", "shops", path, "--mapping", "booths", "--source", name,
            "--rejects", tmp_path / "rejected.csv",
        )  # fmt: skip
        assert (report["read"], report["inserted"]) == (count, count)
    response = client.get(
        "/shops/brand?userLat=37.55&userLng=126.99&mapLat=37.5511&mapLng=126.9878"
        "&radius=300&brand=돈룩업"
    )
    assert [s["place_name"] for s in response.json or []] == ["돈독업 남산서울타워"]
    missing = shared_data / "photobooths_kr_chalkak" / "dontlxxkup_not_geocoded.csv"
    rejected = run("import", "shops", missing, "--mapping", "booths")
    assert rejected.exit_code == 1
    assert "no column for longitude, latitude" in rejected.output


def test_every_list_of_booths_is_a_separate_source(
    summary: Summary, write: Write, make: Maker
) -> None:
    long = [f"인생네컷 {n}호점,인생네컷,,,127.{n:03},37.5" for n in range(30)]
    summary("import", "shops", write(HEAD, *long, name="long.csv"), "--mapping", "booths")
    short = write(HEAD, GANGNAM, HONGDAE, name="short.csv")
    for inserted in (2, 0):
        report = summary("import", "shops", short, "--mapping", "booths", "--on-missing", "close")
        assert (report["inserted"], report["closed_missing"]) == (inserted, 0)
        assert report["source"] == "booths-short"
    assert make.rows("SELECT source, count(*) FROM shops GROUP BY 1 ORDER BY 1") == [
        ("booths-long", 30),
        ("booths-short", 2),
    ]


def test_the_map_counts_imported_shops(summary: Summary, write: Write, make: Maker) -> None:
    make.insert("crowded_tiles", zoom=0, x=0, y=0, refreshed_at="2026-11-20 10:00+09")
    file = write(HEAD, GANGNAM, HONGDAE)
    summary("import", "shops", file, "--mapping", "booths", "--dry-run")
    assert make.sql("SELECT count(*) FROM crowded_tiles") == 1
    summary("import", "shops", file, "--mapping", "booths")
    assert make.sql("SELECT count(*) FROM crowded_tiles") == 0, "two shops are no crowd"


def test_imported_shops_are_found_by_keyword(
    summary: Summary, write: Write, make: Maker, client: FlaskClient
) -> None:
    make.brand("인생네컷")
    seoul = make.insert("regions", level="sido", name="서울특별시")
    make.insert("regions", level="sigungu", name="강남구", parent_id=seoul)
    make.insert("region_aliases", region_id=seoul, alias="서울")
    summary("import", "shops", write(HEAD, GANGNAM, HONGDAE), "--mapping", "booths")
    for keyword in ("강남구", "강남구 인생네컷", "인생네컷 강남역점"):
        response = client.get(f"/shops?keyword={keyword}&userLat=37.5&userLng=127")
        assert [s["place_name"] for s in response.json or []] == ["인생네컷 강남역점"], keyword
    renamed = GANGNAM.replace("강남역점", "새이름점")
    summary(
        "import", "shops", write(HEAD, renamed), "--mapping", "booths", "--map", "name=place_name"
    )
    response = client.get("/shops?keyword=새이름점&userLat=37.5&userLng=127")
    assert [s["place_name"] for s in response.json or []] == ["인생네컷 새이름점"]


def test_a_first_load_leaves_every_index_as_it_was(
    summary: Summary, write: Write, make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'shops' ORDER BY 1"
    before = make.rows(query)
    monkeypatch.setattr("geoshops.database.deferred_indexes.LEAST_ROWS", 1)
    rows = [f"가게 {n},,,,127.{n:03},37.5" for n in range(30)]
    assert summary("import", "shops", write(HEAD, *rows), "--mapping", "booths")["inserted"] == 30
    assert make.rows(query) == before


def test_the_list_of_rejects_never_replaces_the_file(run: Run, write: Write) -> None:
    path = write(HEAD, GANGNAM, "x")
    text = path.read_text(encoding="utf-8")
    assert run("import", "shops", path, "--mapping", "booths", "--rejects", path).exit_code == 2
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--source", "own", "--map", "name"),
        ("--source", "own", "--map", "name=colour"),
        ("--source", "own", "--crs", "EPSG:1"),
        ("--source", "own", "--scale", "0"),
        ("--source", "own", "--delimiter", "ab"),
        ("--mapping", "nonsense"),
        ("--mapping", "stations"),
        ("--mapping", "booths", "--on-missing", "burn"),
    ],
)
def test_wrong_usage_is_exit_code_2(run: Run, write: Write, options: tuple[str, ...]) -> None:
    assert run("import", "shops", write(HEAD, GANGNAM), *options).exit_code == 2
