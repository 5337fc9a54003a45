"""File formats: delimiters, encodings, and malformed and hostile files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from geoshops.importing.csv_table import CsvTable
from geoshops.importing.errors import ImportRejected
from geoshops.importing.geojson import features
from geoshops.importing.opening import open_input
from geoshops.importing.tables import CHUNK_ROWS
from tests.importing.conftest import Run
from tests.make import Maker

Summary = Callable[..., dict[str, Any]]
Write = Callable[..., Path]
HEAD = "name,address,lon,lat"
ROW = "인생네컷 강남점,서울 강남구 역삼동 1,127.0276,37.4979"
OPTIONS = ("--source", "own", "--map", "address=lot_address")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949", "utf-16"])
def test_encodings_are_detected(summary: Summary, write: Write, make: Maker, encoding: str) -> None:
    report = summary("import", "shops", write(HEAD, ROW, encoding=encoding), *OPTIONS)
    assert report["inserted"] == 1
    assert make.sql("SELECT place_name FROM shops") == "인생네컷 강남점"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_detected(
    summary: Summary, write: Write, make: Maker, delimiter: str
) -> None:
    lines = [line.replace(",", delimiter) for line in (HEAD, ROW)]
    assert summary("import", "shops", write(*lines), *OPTIONS)["inserted"] == 1


def test_a_delimiter_can_be_named(summary: Summary, write: Write, make: Maker) -> None:
    lines = [line.replace(",", "~") for line in (HEAD, ROW)]
    report = summary("import", "shops", write(*lines), *OPTIONS, "--delimiter", "~")
    assert report["inserted"] == 1


def test_wrong_encodings_are_rejected(run: Run, write: Write) -> None:
    french = write(HEAD, "Café à Orléans,,2.1,48.1", encoding="latin-1")
    result = run("import", "shops", french, *OPTIONS)
    assert (result.exit_code, "--encoding" in result.output) == (1, True)
    korean = write(HEAD, ROW, encoding="cp949")
    result = run("import", "shops", korean, *OPTIONS, "--encoding", "utf-8")
    assert (result.exit_code, "is not utf-8" in result.output or "not utf-8" in result.output) == (
        1,
        True,
    )
    assert run("import", "shops", korean, *OPTIONS, "--encoding", "nonsense").exit_code == 1


def test_unusual_values_are_kept_as_text(summary: Summary, write: Write, make: Maker) -> None:
    path = write(
        HEAD,
        '=cmd|\' /C calc\'!A0,"서울 강남구 ""1"", 2층",127.1,37.5',
        "탭\\t과 \\N 역슬래시\\,@SUM(A1),127.2,37.5",
        '"두 줄\n이름",+1,127.3,37.5',
        "   ㄱㅏ   ,-1,127.4,37.5",
    )
    assert summary("import", "shops", path, *OPTIONS)["inserted"] == 4
    assert make.rows("SELECT place_name, lot_address FROM shops ORDER BY id") == [
        ("=cmd|' /C calc'!A0", '서울 강남구 "1", 2층'),
        ("탭\\t과 \\N 역슬래시\\", "@SUM(A1)"),
        ("두 줄 이름", "+1"),
        ("ㄱㅏ", "-1"),
    ]


def test_names_are_stored_composed(summary: Summary, write: Write, make: Maker) -> None:
    summary("import", "shops", write(HEAD, "\u1100\u1161\u11a8,,127,37.5"), *OPTIONS)
    assert make.sql("SELECT place_name FROM shops") == "각"


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("이름\x00,,127,37.5", "[place_name] contains the control character U+0000"),
        ("이름\x1b[31m,,127,37.5", "[place_name] contains the control character U+001B"),
        ("가" * 201 + ",,127,37.5", "[place_name] longer than 200 characters"),
        ("\u200b\u3164,,127,37.5", "[place_name] blank"),
        ("이름,,127", "the row has 3 values, the header 4"),
        ("이름,,127,37.5,5", "the row has 5 values, the header 4"),
        ('"이름"x,,127,37.5', "invalid CSV: ',' expected after '\"'"),
        ("이름,,1e999,37.5", "[longitude] '1e999' is too large"),
        ("이름,,nan,37.5", "[longitude] 'nan' must be a decimal number"),
        ("이름,,1_2,37.5", "[longitude] '1_2' must be a decimal number"),
        ("이름,,１２７,37.5", "[longitude] '１２７' must be a decimal number"),
        ('이름,,"127,5",37.5', "[longitude] '127,5' must be a decimal number"),
        ("이름,,0,0", "no coordinates: 0, 0 stands for missing ones"),
        ("이름,,37.5,127", "37.5, 127 lies outside EPSG:4326 (-180 to 180 east, -90 to 90 north)"
         "; longitude and latitude seem to be swapped"),
    ],
)  # fmt: skip
def test_bad_rows_are_rejected_with_a_reason(
    summary: Summary, write: Write, make: Maker, bad: str, reason: str
) -> None:
    path = write(HEAD, ROW, bad, "끝,,127.2,37.6")
    report = summary("import", "shops", path, *OPTIONS)
    assert (report["inserted"], report["rejected"]) == (2, 1)
    listed = Path(report["rejects_file"]).read_text(encoding="utf-8")
    line = listed.split("\n", 1)[1]
    assert line.startswith("3,")
    assert reason in line.replace('""', '"')


def test_an_unclosed_quote_swallows_nothing_silently(
    summary: Summary, write: Write, make: Maker
) -> None:
    report = summary(
        "import", "shops", write(HEAD, ROW, '"offen,,127,37.5', "끝,,127.2,37.6"), *OPTIONS
    )
    assert (report["inserted"], report["rejected"]) == (1, 1)
    assert "끝,,127.2,37.6" in Path(report["rejects_file"]).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([HEAD], "a header but no rows"),
        ([HEAD, "a,b"], "none of the 1 rows can be imported"),
        ([",,,"], "no header"),
        (["a,b,c", "1,2,3"], "no column for place_name, longitude, latitude"),
        (["name,lon,lon,lat", "1,2,3,4"], "two columns are named 'lon'"),
        (['{"type": "FeatureCollection"}'], "no features"),
        (['{"type": "FeatureCollection", "features": []}'], "no feature"),
        (['{"type": "FeatureCollection", "features": [{'], "not valid JSON"),
        (['{"type": "FeatureCollection", "features": [' + "[" * 100_000], "nested too deeply"),
        (['{"type": "Topology"}'], "TopoJSON"),
        (["{}"], "no features"),
    ],
)
def test_rejected_files_change_nothing(
    run: Run, write: Write, make: Maker, lines: list[str], message: str
) -> None:
    path = write(*lines)
    result = run("import", "shops", path, "--source", "own")
    assert result.exit_code == 1, result.output
    assert message in result.output
    assert "Nothing was changed" in result.output
    assert make.sql("SELECT count(*) FROM shops") == 0
    assert sorted(p.name for p in path.parent.iterdir()) == ["in.csv"]


def test_a_path_that_is_not_a_file_is_reported(run: Run, tmp_path: Path) -> None:
    empty = tmp_path / "empty.csv"
    empty.touch()
    os.mkfifo(tmp_path / "pipe")
    for path, message in (
        (tmp_path, "not a regular file"),
        (tmp_path / "pipe", "not a regular file"),
        (Path("/dev/zero"), "not a regular file"),
        (empty, "is empty"),
        (tmp_path / "absent.csv", "No such file"),
    ):
        result = run("import", "shops", path, "--source", "own")
        assert result.exit_code == 1, path
        assert message in result.output


def test_a_file_without_permission_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secret.csv"
    path.write_text(HEAD)

    def reject(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    # the tests may run as root, for whom file modes have no effect
    monkeypatch.setattr(Path, "open", reject)
    with pytest.raises(ImportRejected, match="cannot be read: Permission denied"):
        open_input(path)


def test_a_line_longer_than_the_limit_is_rejected(
    summary: Summary, write: Write, make: Maker
) -> None:
    path = write(HEAD, f"{'가' * 3_500_000},,127,37.5", ROW)
    report = summary("import", "shops", path, *OPTIONS)
    assert (report["inserted"], report["rejected"]) == (1, 1)
    assert Path(report["rejects_file"]).stat().st_size > 10_000_000


LONG_NAME = f"{'가' * 201},,127,37.5"


def test_a_block_with_only_rejected_rows_does_not_end_the_import(
    summary: Summary, write: Write, make: Maker
) -> None:
    path = write(HEAD, *[LONG_NAME] * (2 * CHUNK_ROWS), ROW)
    report = summary("import", "shops", path, *OPTIONS)
    assert (report["read"], report["inserted"]) == (2 * CHUNK_ROWS + 1, 1)


def test_a_file_with_only_invalid_rows_is_rejected(run: Run, write: Write) -> None:
    result = run("import", "shops", write(HEAD, LONG_NAME), *OPTIONS)
    assert result.exit_code == 1
    assert "none of the 1 rows can be imported: [place_name] longer" in result.output


def test_blocks_larger_than_one_read_are_complete(
    summary: Summary, write: Write, make: Maker
) -> None:
    pages = [f"https://{n:04}{'가' * 480}" for n in range(1_500)]
    rows = (f"가게 {n},,{100 + n / 100},37.5,{page}" for n, page in enumerate(pages))
    report = summary("import", "shops", write(f"{HEAD},homepage", *rows), *OPTIONS)
    assert report["inserted"] == len(pages)
    assert make.sql("SELECT array_agg(homepage ORDER BY homepage) FROM shops") == pages


def test_a_line_without_end_is_rejected(run: Run, write: Write) -> None:
    result = run("import", "shops", write(HEAD, "x" * (17 << 20)), "--source", "own")
    assert result.exit_code == 1
    assert "longer than 16 MiB" in result.output


def test_ten_thousand_columns_are_imported(summary: Summary, write: Write, make: Maker) -> None:
    wide = ",".join(f"c{n}" for n in range(10_000))
    path = write(f"{HEAD},{wide}", f"{ROW},{',' * 9_999}")
    assert summary("import", "shops", path, *OPTIONS)["inserted"] == 1


def test_a_file_that_changes_while_being_read_is_rejected(write: Write) -> None:
    path = write(HEAD, ROW)
    file = open_input(path)
    table = CsvTable(file)
    with path.open("a", encoding="utf-8") as stream:
        stream.write(ROW)
    list(table.chunks())
    with pytest.raises(ImportRejected, match="changed while it was read"):
        file.check_unchanged()
    path.unlink()
    with pytest.raises(ImportRejected, match="was deleted"):
        file.check_unchanged()


@pytest.mark.parametrize("block", [1, 2, 7, 64])
def test_geojson_is_read_with_any_block_size(
    write: Write, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr("geoshops.importing.geojson.BLOCK", block)
    given = [
        {"type": "Feature", "geometry": None, "properties": {"n": n, "text": "가나]}다\\"}}
        for n in range(5)
    ]
    whole = {
        "bbox": [1, 2, 3, 4],
        "n": 12345,
        "type": "FeatureCollection",
        "features": given,
        "after": 1,
    }
    path = write(json.dumps(whole, indent=1))
    assert [feature for _, feature, _ in features(open_input(path))] == given


def test_record_separators_of_sequences_are_understood(
    summary: Summary, write: Write, make: Maker
) -> None:
    feature = {
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [127, 37.5]},
        "properties": {"place_name": "가"},
    }
    pretty = json.dumps(feature, indent=1, ensure_ascii=False)
    broken = '{"type": "Feature", '
    path = write(f"\x1e{pretty}", f"\x1e{broken}", f"\x1e{pretty.replace('가', '나')}")
    report = summary("import", "shops", path, "--source", "own")
    assert (report["inserted"], report["rejected"]) == (2, 1)


def test_features_that_are_not_points_are_rejected(
    summary: Summary, write: Write, make: Maker
) -> None:
    def feature(geometry: Any) -> dict[str, Any]:
        return {"type": "Feature", "geometry": geometry, "properties": {"place_name": "가"}}

    odd: list[Any] = [
        {"type": "LineString", "coordinates": [[1, 2], [3, 4]]},
        {"type": "Point", "coordinates": [1]},
        {"type": "Point", "coordinates": ["a", "b"]},
        {"type": "Point", "coordinates": [[1], 2]},
        {"type": "Point", "coordinates": [None, 2]},
        {"type": "Point", "coordinates": []},
        {"type": "Point"},
        None,
    ]
    good = feature({"type": "Point", "coordinates": [127, 37.5, 10]})
    whole = {"type": "FeatureCollection", "features": [good, *map(feature, odd), 5, {"type": "x"}]}
    report = summary("import", "shops", write(json.dumps(whole)), "--source", "own")
    assert (report["inserted"], report["rejected"]) == (1, 10)


def test_a_named_crs_other_than_wgs84_is_rejected(run: Run, write: Write) -> None:
    whole = {
        "type": "FeatureCollection",
        "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::5179"}},
        "features": [],
    }
    result = run("import", "shops", write(json.dumps(whole)), "--source", "own")
    assert result.exit_code == 1
    assert "EPSG::5179" in result.output
