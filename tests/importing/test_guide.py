"""Runs the examples of the import guide, which all describe the same shop, and reads the reference of fields."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from geoshops.importing.brands import COLUMNS as BRAND_FIELDS
from geoshops.importing.mapping import MAPPINGS, saved_mapping
from geoshops.importing.shop_rows import COLUMNS
from geoshops.importing.stations import FIELDS as STATION_FIELDS
from tests.make import Maker

DOCS = Path(__file__).resolve().parents[2] / "docs"
GUIDE = (DOCS / "importing.md").read_text(encoding="utf-8")
FIELDS = (DOCS / "import-files.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(
    r"### ([^\n]+)\n[^#]*?```csv\n(.+?)```\n```sh\n\.venv/bin/geoshops (.+?)\n```", GUIDE, re.S
)


def test_there_is_an_example_for_every_system() -> None:
    titles = " ".join(title for title, _, _ in EXAMPLES)
    for name in ("4326", "5174", "2097", "5179", "5181", "5186", "WCONGNAMUL"):
        assert name in titles


@pytest.mark.parametrize(("title", "text", "command"), EXAMPLES)
def test_examples_import_the_same_position(
    summary: Callable[..., dict[str, Any]],
    tmp_path: Path,
    make: Maker,
    title: str,
    text: str,
    command: str,
) -> None:
    path = tmp_path / "in.csv"
    path.write_text(text, encoding="utf-8")
    report = summary(*(path if word == "FILE" else word for word in shlex.split(command)))
    assert report["inserted"] == 1, title
    assert make.sql("SELECT ST_Distance(geog, point_at(126.906320, 37.505781)) FROM shops") < 1
    assert make.sql("SELECT road_address || lot_address FROM shops") in (
        "",
        "서울 영등포구 가마산로 449-1",
    )


def test_the_example_of_stations_is_imported(
    summary: Callable[..., dict[str, Any]], tmp_path: Path, make: Maker
) -> None:
    path = tmp_path / "in.csv"
    path.write_text("역명,호선,경도,위도\n서울역,1호선,126.97,37.55\n", encoding="utf-8")
    (command,) = re.findall(r"```sh\n\.venv/bin/geoshops (import stations .+?)\n```", GUIDE)
    report = summary(*(path if word == "FILE" else word for word in shlex.split(command)))
    assert (report["inserted"], report["columns_not_used"]) == (1, [])
    assert make.rows("SELECT name, line FROM stations") == [("서울", "1호선")]


def test_the_example_of_brands_is_imported(
    summary: Callable[..., dict[str, Any]], tmp_path: Path, make: Maker
) -> None:
    path = tmp_path / "in.csv"
    ((text, command),) = re.findall(
        r"```csv\n([^`]+)```\n```sh\n\.venv/bin/geoshops (import brands .+?)\n```", GUIDE
    )
    path.write_text(text, encoding="utf-8")
    report = summary(*(path if word == "FILE" else word for word in shlex.split(command)))
    assert (report["inserted"], report["rejected"]) == (4, 0)
    assert make.sql("SELECT array_agg(lang ORDER BY id) FROM brand_aliases") == [
        "en", "zh-Hans", "en", "en",
    ]  # fmt: skip


def test_the_reference_names_every_field_and_mapping() -> None:
    for name in (
        *COLUMNS,
        *STATION_FIELDS,
        *BRAND_FIELDS,
        *(path.stem for path in MAPPINGS.glob("*.json")),
    ):
        assert f"`{name}`" in FIELDS, name


KINDS = {
    "kostat": "regions",
    "stations": "stations",
    "seoul-metro": "stations",
    "whosonfirst": "region-names",
}


@pytest.mark.parametrize("path", sorted(MAPPINGS.glob("*.json")), ids=lambda path: path.stem)
def test_saved_mappings_are_complete(path: Path) -> None:
    kind = KINDS.get(path.stem, "shops")
    mapping = saved_mapping(path.stem, kind)
    assert mapping.title
    assert mapping.source or kind == "region-names"
    assert {"longitude", "latitude"} <= mapping.columns.keys() or kind == "regions"
