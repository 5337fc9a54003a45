"""Import: rows a second from the file to the commit, first and repeated, beside plain COPY of the same rows."""

from __future__ import annotations

import io
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from data import PREFIX, Bench, connect, server_url

from geoshops import migrate
from geoshops.importing.mapping import saved_mapping
from geoshops.importing.shops import Request, import_shops

ROWS = 144_563
NAME = f"{PREFIX}import"
ROOT = Path(__file__).resolve().parents[2]
PLACES = "world_cities_geonames_rg_cities1000.csv"
BARE = """
CREATE TABLE bare (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, source_id text, place_name text, lot_address text,
  geog geography(Point, 4326)
);
CREATE INDEX ON bare USING gist (geog)"""


def places() -> Path:
    """The GeoNames list beside the project, or as many generated places."""
    folder = Path(os.environ.get("GEOSHOPS_SHARED_DATA", ROOT.parent / "shared" / "data"))
    return folder / PLACES if (folder / PLACES).is_file() else generated()


def generated() -> Path:
    """A list of the same size and shape with made-up names."""
    rng = random.Random(20261120)
    path = Path(tempfile.gettempdir()) / f"{NAME}_{ROWS}.csv"
    with path.open("w", encoding="utf-8") as stream:
        stream.write("lat,lon,name,admin1,admin2,cc\n")
        for n in range(ROWS):
            name = "".join(rng.choices("aeiouklmnrst", k=rng.randrange(5, 14))).title()
            lat, lon = rng.uniform(-60, 70), rng.uniform(-180, 180)
            stream.write(f"{lat:.5f},{lon:.5f},{name},Region {n % 3000},District {n % 900},XX\n")
    return path


def empty_database() -> None:
    """The schema without a row."""
    cursor = connect("postgres").cursor()
    cursor.execute(f"DROP DATABASE IF EXISTS {NAME} WITH (FORCE)")
    cursor.execute(f"CREATE DATABASE {NAME}")
    migrate.upgrade(server_url(NAME), lambda _: None)


def run_import(path: Path) -> dict[str, Any]:
    """One import as the command does it."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = Request(
            path=path,
            today="2026-11-20",
            mapping=saved_mapping("geonames", "shops"),
            rejects=Path(folder) / "rejected.csv",
        )
        return import_shops(server_url(NAME), wanted, lambda _: None)


def copies(cursor: Any) -> dict[str, Callable[[], None]]:
    """The limits: the same rows by COPY into a bare table, and into shops as it is."""
    columns = "source_id, place_name, lot_address, geog"
    out = io.StringIO()
    cursor.copy_expert(f"COPY (SELECT {columns} FROM shops ORDER BY id) TO STDOUT", out)
    text = out.getvalue()
    cursor.execute(f"TRUNCATE shops CASCADE; DROP TABLE IF EXISTS bare; {BARE}")

    def copy(table: str) -> None:
        cursor.copy_expert(f"COPY {table} ({columns}) FROM STDIN", io.StringIO(text))

    return {"copy_bare": lambda: copy("bare"), "copy_into_shops": lambda: copy("shops")}


def main(bench: Bench) -> dict[str, object]:
    """Medians over the rounds, in rows a second."""
    path = places()
    found: dict[str, list[float]] = {}

    def measure(name: str, rows: int, act: Callable[[], object]) -> None:
        started = time.perf_counter()
        act()
        rate = rows / (time.perf_counter() - started)
        found.setdefault(name, []).append(rate)
        print(f"{name:20} {rate:10.0f} rows/s", file=sys.stderr)

    with path.open(encoding="utf-8") as stream:
        rows = sum(1 for _ in stream) - 1
    for _ in range(bench.rounds or (1 if bench.quick else 3)):
        empty_database()
        measure("import_first", rows, lambda: run_import(path))
        measure("import_repeated", rows, lambda: run_import(path))
        cursor = connect(NAME).cursor()
        for name, act in copies(cursor).items():
            measure(name, rows, act)
    medians = {f"{name}_rows_per_s": round(statistics.median(v)) for name, v in found.items()}
    first, bare = statistics.median(found["import_first"]), statistics.median(found["copy_bare"])
    return {"rows": rows, **medians, "ratio_to_copy": round(first / bare, 3)}
