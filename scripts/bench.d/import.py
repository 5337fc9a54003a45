"""Import: rows per second until the radius search responds, and seconds until the keyword search does, compared with
plain COPY.

Without --shops the file is the GeoNames list or a generated one; with --shops N it has N Korean shops of the sample
data, whose regions and brands the import must recognise in addresses and names."""

from __future__ import annotations

import csv
import io
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import psycopg2
from data import PREFIX, Bench, cursor_of, recreate, server_url
from load import ROOT

from geoshops.database.deferred_indexes import build_missing
from geoshops.importing.mapping import saved_mapping
from geoshops.importing.request import Request
from geoshops.importing.shops import import_shops
from geoshops.sample.clock import Clock
from geoshops.sample.ground import Ground
from geoshops.sample.reference import load_reference
from geoshops.sample.shops import lives
from geoshops.sample.shops import shops as generated_shops

ROWS = 144_563
NAME = f"{PREFIX}import"
PLACES = "world_cities_geonames_rg_cities1000.csv"
TODAY = date(2026, 11, 20)
KOREAN = (
    "source_id", "place_name", "longitude", "latitude", "road_address", "lot_address",
    "status", "opened_on", "closed_on", "phone",
)  # fmt: skip
RADIUS = "SELECT shops_around(127.0276, 37.4979, 127.0276, 37.4979, 2000, NULL, '', 1000)"
KEYWORD = """
SELECT shops_by_keyword('서울숲점', 127.0276, 37.4979, NULL, 'distance', '', 300, 20, 0)"""
BARE = """
CREATE TABLE bare (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, source_id text, place_name text, lot_address text,
  geog geography(Point, 4326)
);
CREATE INDEX ON bare USING gist (geog)"""


def places() -> Path:
    """Returns the GeoNames file next to the project, or as many generated places."""
    folder = Path(os.environ.get("GEOSHOPS_SHARED_DATA", ROOT.parent / "shared" / "data"))
    return folder / PLACES if (folder / PLACES).is_file() else generated()


def generated() -> Path:
    """Generates a file of the same size and columns with generated names."""
    rng = random.Random(20261120)
    path = Path(tempfile.gettempdir()) / f"{NAME}_{ROWS}.csv"
    with path.open("w", encoding="utf-8") as stream:
        stream.write("lat,lon,name,admin1,admin2,cc\n")
        for n in range(ROWS):
            name = "".join(rng.choices("aeiouklmnrst", k=rng.randrange(5, 14))).title()
            lat, lon = rng.uniform(-60, 70), rng.uniform(-180, 180)
            stream.write(f"{lat:.5f},{lon:.5f},{name},Region {n % 3000},District {n % 900},XX\n")
    return path


def korean(shops: int) -> Path:
    """Writes the sample data as a file with names, addresses, days and telephone, without brands and regions."""
    path = Path(tempfile.gettempdir()) / f"{NAME}_korea_{shops}.csv"
    if path.is_file():
        return path
    rng, clock, part = random.Random(20261120), Clock(TODAY), path.with_suffix(".part")
    with part.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(KOREAN)
        for shop in generated_shops(rng, lives(rng, shops, clock), clock, Ground([])):
            closed = clock.date_text(shop.closed) if shop.closed >= 0 else ""
            writer.writerow((
                shop.number, shop.place_name, shop.lon, shop.lat, shop.road_address, shop.lot_address,
                shop.status, clock.date_text(shop.opened), closed, shop.phone,
            ))  # fmt: skip
    return part.rename(path)


def load_dictionaries() -> None:
    """Loads brands, regions and stations of the sample data."""
    with closing(psycopg2.connect(server_url(NAME))) as connection:
        load_reference(connection.cursor())
        connection.commit()


def run_import(path: Path, mapping: str) -> dict[str, float]:
    """Runs an import as the command does; returns the seconds until each search responds."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        wanted = Request(
            path=path,
            today=TODAY.isoformat(),
            source="benchmark",
            mapping=saved_mapping(mapping, "shops") if mapping else None,
            rejects=Path(folder) / "rejected.csv",
        )
        import_shops(server_url(NAME), wanted, progress=lambda _: None, warn=lambda _: None)
    cursor = cursor_of(server_url(NAME))
    cursor.execute(RADIUS)
    until_radius = time.perf_counter() - started
    build_missing(server_url(NAME), lambda text: print(text, file=sys.stderr))
    cursor.execute(KEYWORD)
    return {"radius_s": until_radius, "keyword_s": time.perf_counter() - started}


def copies(cursor: Any) -> dict[str, Callable[[], None]]:
    """Measures the limits: COPY of the same rows into a bare table and into shops."""
    columns = "source_id, place_name, lot_address, geog"
    out = io.StringIO()
    cursor.copy_expert(f"COPY (SELECT {columns} FROM shops ORDER BY id) TO STDOUT", out)
    text = out.getvalue()
    cursor.execute(f"TRUNCATE shops CASCADE; DROP TABLE IF EXISTS bare; {BARE}")

    def copy(table: str) -> None:
        cursor.copy_expert(f"COPY {table} ({columns}) FROM STDIN", io.StringIO(text))

    return {"copy_bare": lambda: copy("bare"), "copy_into_shops": lambda: copy("shops")}


class Figures:
    """Collects and prints figures."""

    def __init__(self) -> None:
        self.found: dict[str, list[float]] = {}

    def note(self, name: str, figure: float) -> None:
        """Records a figure of a round."""
        self.found.setdefault(name, []).append(figure)
        print(f"{name:28} {figure:10.1f}", file=sys.stderr)

    def medians(self) -> dict[str, float]:
        """Returns the medians over the rounds."""
        return {name: round(statistics.median(v), 2) for name, v in self.found.items()}


def world(rounds: int) -> dict[str, Any]:
    """Imports the GeoNames file twice, and copies the same rows with plain COPY."""
    path, figures = places(), Figures()
    with path.open(encoding="utf-8") as stream:
        rows = sum(1 for _ in stream) - 1
    for _ in range(rounds):
        recreate(NAME)
        first = run_import(path, "geonames")
        figures.note("radius_s", first["radius_s"])
        figures.note("keyword_s", first["keyword_s"])
        figures.note("import_rows_per_s", rows / first["radius_s"])
        figures.note("import_repeated_rows_per_s", rows / run_import(path, "geonames")["radius_s"])
        cursor = cursor_of(server_url(NAME))
        for name, act in copies(cursor).items():
            started = time.perf_counter()
            act()
            figures.note(f"{name}_rows_per_s", rows / (time.perf_counter() - started))
    medians = figures.medians()
    ratio = medians["import_rows_per_s"] / medians["copy_bare_rows_per_s"]
    return {"rows": rows, **medians, "ratio_to_copy": round(ratio, 3)}


def korea(shops: int, rounds: int) -> dict[str, Any]:
    """Imports the Korean file into a database with its regions and brands."""
    path, figures, name = korean(shops), Figures(), "million" if shops == 1_000_000 else "korea"
    for _ in range(rounds):
        recreate(NAME)
        load_dictionaries()
        found = run_import(path, "")
        figures.note(f"{name}_radius_s", found["radius_s"])
        figures.note(f"{name}_index_s", found["keyword_s"] - found["radius_s"])
    return {f"{name}_shops": shops, **figures.medians()}


def main(bench: Bench) -> dict[str, object]:
    """Returns medians over the rounds; with --shops only of the Korean file with that many shops."""
    if bench.shops:
        return korea(bench.shops, bench.rounds or 1)
    rounds = bench.rounds or (1 if bench.quick else 3)
    return {**world(rounds), **korea(100_000 if bench.quick else 1_000_000, 1)}
