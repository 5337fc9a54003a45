"""geoshops import stations: names as users search them, and reports of doubtful positions."""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from geoshops.importing.stations import station_name
from tests.importing.conftest import Run
from tests.make import Maker

Summary = Callable[..., dict[str, Any]]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("강남역", "강남"),
        ("서울역", "서울"),
        ("서면역(2호선)", "서면"),
        ("홍대입구", "홍대입구"),
        ("역", "역"),
        ("역역", "역"),
        ("구역역", "구"),
        ("서울역역(1호선)", "서울"),
        ("서울역 역", "서울"),
        ("역삼", "역삼"),
        ("(구)역", "(구)"),
        (unicodedata.normalize("NFD", "(가야역"), "(가야"),
    ],
)
def test_names_lose_suffix_and_brackets(given: str, name: str) -> None:
    assert station_name(given) == name


def test_a_doubled_ending_does_not_stop_the_others(
    summary: Summary, write: Callable[..., Path], make: Maker
) -> None:
    path = write(
        "name,line_name,lon,lat",
        "구역역,1호선,127.0276,37.4979",
        "강남역,2호선,127.0276,37.4979",
        "\u3164(강남),3호선,127.0276,37.4979",
        "\u3164역,4호선,127.0276,37.4979",
    )
    report = summary("import", "stations", path, "--source", "own")
    assert (report["inserted"], report["reasons"]) == (2, {"[name] blank": 2})
    assert make.rows("SELECT name FROM stations ORDER BY line") == [("구",), ("강남",)]


def test_stations_are_imported_by_name_and_line(
    summary: Summary, write: Callable[..., Path], make: Maker
) -> None:
    path = write(
        "name,line_name,lon,lat",
        "강남역,2호선,127.0276,37.4979",
        "강남역,신분당선,127.0276,37.4979",
    )
    report = summary("import", "stations", path, "--source", "own")
    assert report["inserted"] == 2
    assert make.rows("SELECT name, line FROM stations ORDER BY line") == [
        ("강남", "2호선"),
        ("강남", "신분당선"),
    ]
    assert summary("import", "stations", path, "--source", "own")["unchanged"] == 2


def test_a_mapping_for_other_columns_names_the_expected_ones(
    run: Run, write: Callable[..., Path]
) -> None:
    path = write("name,lon,lat", "강남역,127.0276,37.4979")
    result = run("import", "stations", path, "--mapping", "stations")
    assert result.exit_code == 1
    assert "no column for name, longitude, latitude: " in result.output
    assert "the mapping stations expects 역사명, 역경도, 역위도; " in result.output
    assert "the file has name, lon, lat" in result.output


def test_the_standard_data_is_imported_and_wrong_positions_are_reported(
    summary: Summary, shared_data: Path, make: Maker, tmp_path: Path
) -> None:
    path = shared_data / "subway_stations_kr_standard_202202_cp949.csv"
    rejects = tmp_path / "rejected.csv"
    report = summary("import", "stations", path, "--mapping", "stations", "--rejects", rejects)
    assert report["read"] == 994
    with rejects.open(encoding="utf-8", newline="") as stream:
        listed = [(row["역사명"], row["reason"]) for row in csv.DictReader(stream)]
    suspicious = {name for name, reason in listed if reason.startswith("suspicious")}
    assert suspicious == {"남동구청", "양원역", "교대역", "송정역", "신천"}
    assert all(r.startswith(("suspicious", "same key as line")) for _, r in listed)
    assert make.sql("SELECT count(*) FROM stations WHERE name LIKE '%_역'") == 0
    assert make.sql("SELECT count(*) FROM stations WHERE name = '강남'") >= 1


def test_names_in_other_languages_go_to_every_row_of_the_station(
    summary: Summary, write: Callable[..., Path], make: Maker
) -> None:
    first = write("name,line_name,lon,lat", "명동,4호선,126.986,37.561", "명동,1호선,128.0,35.0")
    summary("import", "stations", first, "--source", "own")
    second = write(
        "name,name_en,name_hanja,name_ja,name_zh,lon,lat",
        "명동역,Myeong-dong,明洞驛,ミョンドン,明洞站,126.986,37.561",
        "신설동,,新設洞,シンソルドン,新设洞,127.02,37.57",
        "답십리,,踏十里(?),?,,127.05,37.57",
    )
    summary("import", "stations", second, "--source", "other")
    aliases = make.rows(
        "SELECT s.name, s.line, s.source, array_agg(a.alias || ' ' || a.lang ORDER BY a.alias)"
        " FROM station_aliases a JOIN stations s ON s.id = a.station_id GROUP BY s.id ORDER BY s.source DESC, s.name"
    )
    assert aliases == [
        ("명동", "4호선", "own", ["ミョンドン ja", "明洞 zh-Hans", "明洞 zh-Hant"]),
        ("답십리", "", "other", ["踏十里 zh-Hant"]),
        ("명동", "", "other", ["ミョンドン ja", "明洞 zh-Hans", "明洞 zh-Hant"]),
        ("신설동", "", "other", ["シンソルドン ja", "新設洞 zh-Hant", "新设洞 zh-Hans"]),
    ]
