"""Vector tiles: latency of the service by zoom level, compared with plain ST_AsMVT over all points of the tiles."""

from __future__ import annotations

import http.client
import statistics
import sys
import time
from typing import Any
from urllib.parse import quote

from data import BRANDS, CENTERS, cursor_of, downtown_points
from load import metered, server, wrk

ZOOMS = range(0, 21)
SECONDS = 4
GOAL_P99_MS = 50
PLAIN_ZOOMS = (0, 4, 8, 10, 12, 14, 16)  # plain ST_AsMVT takes seconds per tile at low zoom levels
REPEATED = 3
WORST_OF, TRIES = 60, 5
QUERIES = ("", "?allBrands=true", f"?brand={quote(BRANDS[1])}")

PLACES = "SELECT DISTINCT grid_column(%(lon)s) >> (32 - %(z)s), grid_row(%(lat)s) >> (32 - %(z)s)"
# the query of martin and pg_tileserv for a table of points
PLAIN = """
SELECT length(ST_AsMVT(t, 'shops', 4096, 'geom')) FROM (
  SELECT s.id, s.place_name, s.brand_id,
    ST_AsMVTGeom(ST_Transform(s.geog::geometry, 3857), ST_TileEnvelope(%(z)s, %(x)s, %(y)s), 4096, 64, true) AS geom
  FROM shops s
  WHERE s.geog::geometry(POINT, 4326) && ST_Transform(ST_TileEnvelope(%(z)s, %(x)s, %(y)s, margin => 64.0 / 4096), 4326)
) t WHERE t.geom IS NOT NULL"""
OURS = "SELECT length(shops_tile(%(z)s, %(x)s, %(y)s, 0))"

Tile = dict[str, int]


def crowded_places(cursor: Any, z: int) -> list[Tile]:
    """Returns tiles in cities, the fullest first."""
    points = [
        (lon, lat) for lon, lat, _ in sorted(CENTERS, key=lambda c: -c[2])
    ] + downtown_points()
    found: dict[tuple[int, int], Tile] = {}
    for lon, lat in points:
        cursor.execute(PLACES, {"lon": lon, "lat": lat, "z": z})
        x, y = cursor.fetchone()
        found.setdefault((x, y), {"z": z, "x": x, "y": y})
    return list(found.values())


def median_ms(cursor: Any, statement: str, tile: Tile) -> tuple[float, float]:
    """Returns a statement's median time on a tile, and the KiB of its result."""
    times = []
    for _ in range(REPEATED):
        started = time.perf_counter()
        cursor.execute(statement, tile)
        size = cursor.fetchone()[0] or 0
        times.append((time.perf_counter() - started) * 1000)
    return round(statistics.median(times), 2), round(size / 1024, 1)


def worst_ms(origin: str, paths: list[str]) -> float:
    """Returns the time of the slowest path, each measured by the best of a few requests to exclude noise."""
    connection = http.client.HTTPConnection(origin.removeprefix("http://"))
    return round(max(min(_once_ms(connection, path) for _ in range(TRIES)) for path in paths), 2)


def _once_ms(connection: http.client.HTTPConnection, path: str) -> float:
    started = time.perf_counter()
    connection.request("GET", path)
    connection.getresponse().read()
    return (time.perf_counter() - started) * 1000


def measure(cursor: Any, origin: str, z: int) -> dict[str, float]:
    """Measures a zoom level: the service over HTTP, and both statements on the same connection."""
    tiles = crowded_places(cursor, z)
    paths = [f"/tiles/shops/{t['z']}/{t['x']}/{t['y']}.mvt{q}" for t in tiles for q in QUERIES]
    load = wrk(origin, paths, seconds=SECONDS, connections=1)
    ours_ms, ours_kib = median_ms(cursor, OURS, tiles[0])
    level = {
        "z": z,
        "p50_ms": load.p50_ms,
        "p99_ms": load.p99_ms,
        "worst_tile_ms": worst_ms(origin, paths[:WORST_OF]),
        "errors": load.errors,
        "sql_ms": ours_ms,
        "kib": ours_kib,
    }
    if z in PLAIN_ZOOMS:
        level["plain_sql_ms"], level["plain_kib"] = median_ms(cursor, PLAIN, tiles[0])
    return level


def main(database_url: str) -> dict[str, object]:
    """Prints the table and returns the figures."""
    cursor = cursor_of(database_url)
    started = time.perf_counter()
    cursor.execute("SELECT refresh_tile_grid(now())")
    refresh_s = round(time.perf_counter() - started, 1)
    cursor.execute("VACUUM (ANALYZE) tile_cells, crowded_tiles")
    cursor.execute("SELECT count(*), pg_total_relation_size('tile_cells') FROM tile_cells")
    cells, size = cursor.fetchone()
    with server(database_url) as origin, metered() as noise:
        levels = [measure(cursor, origin, z) for z in ZOOMS]
    for level in levels:
        print("  ".join(f"{name} {value}" for name, value in level.items()), file=sys.stderr)
    worst = max(level["p99_ms"] for level in levels)
    return {
        "worst_p99_ms": worst,
        "worst_tile_ms": max(level["worst_tile_ms"] for level in levels),
        "goal_p99_ms": GOAL_P99_MS,
        "goal_met": worst < GOAL_P99_MS,
        "errors": sum(level["errors"] for level in levels),
        "refresh_s": refresh_s,
        "cells": cells,
        "cells_mib": round(size / 2**20, 1),
        "largest_kib": max(level["kib"] for level in levels),
        "foreign_cpu_percent": noise["foreign_percent"],
        "levels": levels,
    }
