"""A local fake of OpenFreeMap: serves a style for the OpenMapTiles schema, its TileJSON and its vector tiles."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import psycopg2

NAMES = {"ko": "강남시장", "en": "Gangnam Market", "ja": "江南市場", "zh": "江南市场"}
LATIN_FIRST = ["concat", ["get", "name:latin"], "\n", ["get", "name:nonlatin"]]
ATTRIBUTION = (
    '<a href="https://openfreemap.org">OpenFreeMap</a> '
    '<a href="https://www.openmaptiles.org/">&copy; OpenMapTiles</a> '
    'Data from <a href="https://www.openstreetmap.org/copyright">OpenStreetMap</a>'
)
# a grid of roads and houses around Gangnam Station, a lake, and a market with names in all languages
TILE = """
WITH tile AS (SELECT ST_TileEnvelope(%(z)s, %(x)s, %(y)s) AS bounds),
lines AS (
  SELECT 'minor' AS class, format('LINESTRING(%%s 37.48, %%s 37.52)', 127 + n * 0.002, 127 + n * 0.002) AS wkt
  FROM generate_series(0, 30) AS n
  UNION ALL SELECT 'motorway', 'LINESTRING(127.0 37.4979, 127.06 37.4979)'
),
areas AS (
  SELECT 'water' AS layer, 'POLYGON((127.022 37.493, 127.026 37.493, 127.026 37.496, 127.022 37.496, 127.022 37.493))' AS wkt
  UNION ALL
  SELECT 'building', format('POLYGON((%%1$s 37.5, %%2$s 37.5, %%2$s 37.5006, %%1$s 37.5006, %%1$s 37.5))', 127.0004 + n * 0.002, 127.0016 + n * 0.002)
  FROM generate_series(0, 30) AS n
),
roads AS (
  SELECT l.class, ST_AsMVTGeom(ST_Transform(ST_GeomFromText(l.wkt, 4326), 3857), t.bounds) AS geom FROM lines AS l, tile AS t
),
water AS (
  SELECT ST_AsMVTGeom(ST_Transform(ST_GeomFromText(a.wkt, 4326), 3857), t.bounds) AS geom FROM areas AS a, tile AS t WHERE a.layer = 'water'
),
building AS (
  SELECT ST_AsMVTGeom(ST_Transform(ST_GeomFromText(a.wkt, 4326), 3857), t.bounds) AS geom FROM areas AS a, tile AS t WHERE a.layer = 'building'
),
place AS (
  SELECT %(names)s::jsonb AS names, ST_AsMVTGeom(ST_Transform(ST_SetSRID(ST_MakePoint(127.0215, 37.4985), 4326), 3857), t.bounds) AS geom FROM tile AS t
)
SELECT coalesce((SELECT ST_AsMVT(r, 'transportation') FROM roads AS r WHERE r.geom IS NOT NULL), '')
  || coalesce((SELECT ST_AsMVT(w, 'water') FROM water AS w WHERE w.geom IS NOT NULL), '')
  || coalesce((SELECT ST_AsMVT(b, 'building') FROM building AS b WHERE b.geom IS NOT NULL), '')
  || coalesce((SELECT ST_AsMVT(p, 'place') FROM place AS p WHERE p.geom IS NOT NULL), '')
  || coalesce((SELECT ST_AsMVT(p, 'poi') FROM place AS p WHERE p.geom IS NOT NULL), '')
"""


def style(origin: str) -> dict[str, Any]:
    """A style in bright colours, which the page must replace with its own."""

    def layer(name: str, kind: str, data: str, **more: Any) -> dict[str, Any]:
        return {"id": name, "type": kind, "source": "openmaptiles", "source-layer": data, **more}

    text = {"text-field": LATIN_FIRST, "text-font": ["Noto Sans Bold"], "text-size": 14}
    return {
        "version": 8,
        "sources": {"openmaptiles": {"type": "vector", "url": f"{origin}/planet"}},
        "sprite": f"{origin}/sprites/loud",
        "glyphs": f"{origin}/fonts/{{fontstack}}/{{range}}.pbf",
        "layers": [
            {"id": "background", "type": "background", "paint": {"background-color": "#ff00ff"}},
            layer("lake", "fill", "water", paint={"fill-color": "#ff0000"}),
            layer("houses", "fill", "building", paint={"fill-color": "#00ff00"}),
            layer(
                "highway_minor",
                "line",
                "transportation",
                filter=["==", ["get", "class"], "minor"],
                paint={"line-color": "#0000ff", "line-width": 4},
            ),
            layer(
                "highway_motorway_inner",
                "line",
                "transportation",
                filter=["==", ["get", "class"], "motorway"],
                paint={"line-color": "#0000ff", "line-width": 9},
            ),
            layer("cafes", "symbol", "poi", layout={**text, "icon-image": "cafe"}),
            layer("label_town", "symbol", "place", layout={**text, "icon-image": "circle"}),
        ],
    }


class Host:
    """The running tile server. `mode` is up, silent (never responds) or failing (status 500)."""

    def __init__(self, server: ThreadingHTTPServer, database_url: str) -> None:
        self.origin = f"http://127.0.0.1:{server.server_port}"
        self.mode = "up"
        self.requested: list[str] = []
        self.released = threading.Event()
        self.database_url = database_url

    def body(self, path: str) -> bytes:
        """The body of the response for a path."""
        if path == "/style.json":
            return json.dumps(style(self.origin)).encode()
        if path == "/planet":
            tiles = [f"{self.origin}/tiles/{{z}}/{{x}}/{{y}}.pbf"]
            tilejson = {"tiles": tiles, "minzoom": 0, "maxzoom": 14, "attribution": ATTRIBUTION}
            return json.dumps(tilejson).encode()
        return self.tile(*map(int, path.removeprefix("/tiles/").removesuffix(".pbf").split("/")))

    def tile(self, z: int, x: int, y: int) -> bytes:
        """A vector tile."""
        named = {f"name:{language}": name for language, name in NAMES.items()}
        names = {**named, "name": NAMES["ko"], "name:latin": "LATIN", "name:nonlatin": "FIRST"}
        connection = psycopg2.connect(self.database_url)
        try:
            with connection.cursor() as cursor:
                cursor.execute(TILE, {"z": z, "x": x, "y": y, "names": json.dumps(names)})
                return bytes(cursor.fetchone()[0])
        finally:
            connection.close()


@contextmanager
def hosting(database_url: str) -> Iterator[Host]:
    """Runs a host; the database only computes tiles."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Responds according to the host's mode."""
            host.requested.append(self.path)
            if host.mode == "silent":
                host.released.wait(30)
                return
            self.send_response(500 if host.mode == "failing" else 200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()
            if host.mode == "up":
                self.wfile.write(host.body(self.path))

        def log_message(self, *_: object) -> None:
            """Suppresses the access log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    host = Host(server, database_url)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield host
    finally:
        host.released.set()
        server.shutdown()
        server.server_close()
