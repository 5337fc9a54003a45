"""Every question on imported real files: boundaries, stations, booths and 9,736 animal hospitals."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from geoshops.analysis import runner, scripts
from geoshops.cli import main
from tests.conftest import execute, with_database

NAMES = [s.name for s in scripts.catalogue()]
HAVE_ROWS = {name[:2] for name in NAMES} - {"02", "03", "12", "13", "16", "22", "24", "25"}
IMPORTS = [
    ("regions", "boundaries_kr_2018/skorea-provinces-2018-simple.geojson", "kostat"),
    ("regions", "boundaries_kr_2018/skorea-municipalities-2018-simple.geojson", "kostat"),
    ("stations", "subway_stations_kr_standard_202202_cp949.csv", "stations"),
    ("shops", "localdata_animal_hospital_202307_cp949_epsg5174.csv", "localdata"),
    ("shops", "photobooths_kr_chalkak/photoheim_geocoded.csv", "booths"),
    ("shops", "photobooths_kr_chalkak/dontlxxkup_geocoded.csv", "booths"),
]


@pytest.fixture(scope="module")
def korea(
    server_url: str, template_name: str, shared_data: Path, tmp_path_factory: Any
) -> Iterator[str]:
    """A database with the files in it."""
    name = f"geoshops_korea_{os.getpid()}"
    execute(server_url, f"CREATE DATABASE {name} TEMPLATE {template_name}")
    url = with_database(server_url, name)
    folder = tmp_path_factory.mktemp("rejects")
    environment = {"DATABASE_URL": url, "GEOSHOPS_OWNER_DATABASE_URL": url}
    for kind, file, mapping in IMPORTS:
        arguments = ["import", kind, str(shared_data / file), "--mapping", mapping]
        arguments += ["--rejects", str(folder / "rejected.csv")]
        if mapping == "booths":
            arguments += ["--source", Path(file).stem]
        done = CliRunner().invoke(main, arguments, env=environment)
        # 1 means that rows were rejected, which these files have
        assert done.exit_code in (0, 1), done.output
    execute(url, "ANALYZE")
    yield url
    execute(server_url, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@pytest.fixture
def ask(korea: str) -> Callable[..., list[dict[str, Any]]]:
    """Asks a script by its number."""

    def asked(number: str, **values: str) -> list[dict[str, Any]]:
        with runner.answer(korea, scripts.find(number), values) as answer:
            names = [c.name for c in answer.columns]
            return [dict(zip(names, row, strict=True)) for row in answer.rows]

    return asked


@pytest.mark.parametrize("name", NAMES)
def test_every_question_is_answered(ask: Any, name: str) -> None:
    rows = ask(name)
    assert rows or name[:2] not in HAVE_ROWS
    # hospitals have no brand, and on Jeju they neither crowd nor lie off the island
    assert ask(name, region="제주특별자치도") or name[:2] not in HAVE_ROWS - {"08", "17", "23"}


def test_the_hospitals_of_the_register_are_there(ask: Any) -> None:
    assert 4500 < sum(row["shops"] for row in ask("07", edge_m="20000")) < 5400


def test_territories_add_up_to_every_province(ask: Any, korea: str) -> None:
    import psycopg2

    found: dict[str, float] = {}
    for row in ask("10"):
        found[row["region_code"]] = found.get(row["region_code"], 0) + row["area_km2"]
    connection = psycopg2.connect(korea)
    cursor = connection.cursor()
    cursor.execute("SELECT code, area_km2 FROM v_region WHERE level = 'sido' AND geom IS NOT NULL")
    provinces = dict(cursor.fetchall())
    connection.close()
    assert len(provinces) == 17
    for code, km2 in provinces.items():
        assert found[code] == pytest.approx(km2, rel=1e-5)


def test_few_hospitals_lie_outside_the_district_of_their_address(ask: Any) -> None:
    total = sum(row["shops"] for row in ask("07", edge_m="20000"))
    assert len(ask("23")) < 0.05 * total
