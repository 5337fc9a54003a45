"""The peers: how to start them, request them and parse their responses, and what they lack."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Question = tuple[
    float, float, float, float
]  # map longitude and latitude, user longitude and latitude

RADIUS_M = 2000
DEGREE_M = 111_320.0
GRANIAN = ("granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", "{port}", "--workers", "2",
           "--blocking-threads", "4", "--backpressure", "2048", "--no-ws", "--no-access-log")  # fmt: skip
UVICORN = ("uvicorn", "--host", "127.0.0.1", "--port", "{port}", "--workers", "2", "--no-access-log",
           "--log-level", "warning")  # fmt: skip


@dataclass(frozen=True)
class Peer:
    """A stack that serves the radius search.

    `margin` is the share of the radius by which its circle may differ from the service's; `box`: it searches a box
    instead; `ordered`: it orders by distance from the user."""

    name: str
    folder: str
    package: str
    command: tuple[str, ...]
    path: Callable[[Question], str]
    read: Callable[[Any], list[int]]
    times: float | None = None
    less: str = ""
    ordered: bool = True
    margin: float = 0.0
    box: bool = False


def contract(prefix: str) -> Callable[[Question], str]:
    """Returns the query string of the service."""

    def path(q: Question) -> str:
        return f"{prefix}?userLat={q[3]}&userLng={q[2]}&mapLat={q[1]}&mapLng={q[0]}"

    return path


def same_area_box(lon: float, lat: float) -> tuple[float, float, float, float]:
    """Returns west, south, east, north of the square with the circle's area."""
    half_m = RADIUS_M * math.sqrt(math.pi) / 2
    up = half_m / DEGREE_M
    across = up / math.cos(math.radians(lat))
    return tuple(round(x, 7) for x in (lon - across, lat - up, lon + across, lat + up))  # type: ignore[return-value]


def boxed(prefix: str) -> Callable[[Question], str]:
    """Returns the query string of a feature server."""

    def path(q: Question) -> str:
        return f"{prefix}?limit=1000&f={{}}&bbox={','.join(map(str, same_area_box(q[0], q[1])))}"

    return path


def tipg_function(q: Question) -> str:
    """Returns the query string of a function, whose parameters are lower case."""
    return (
        f"/collections/bench_peers.shops_within/items?limit=1000&f=geojson&sortby=distance_m"
        f"&maplng={q[0]}&maplat={q[1]}&userlng={q[2]}&userlat={q[3]}&radius={RADIUS_M}"
    )


def plain(answer: Any) -> list[int]:
    """Parses the ids of an array of shops."""
    return [int(shop["id"]) for shop in answer]


def features(answer: Any) -> list[int]:
    """Parses the ids of a FeatureCollection."""
    return [int(feature["id"]) for feature in answer["features"]]


def properties(answer: Any) -> list[int]:
    """Parses the ids of a function's FeatureCollection, which are properties."""
    return [int(feature["properties"]["id"]) for feature in answer["features"]]


BOX = "a box of the circle's area over a copied table: no circle, no distance, no order, counters not live"
PEERS = [
    Peer("tipg, function", "tipg", "tipg", (*UVICORN, "tipg.main:app"), tipg_function, properties, 7,
         less="no favorite flag, no brand filter by name"),
    Peer("tipg, box", "tipg", "tipg", (*UVICORN, "tipg.main:app"),
         lambda q: boxed("/collections/bench_peers.shops/items")(q).format("geojson"), properties,
         less=BOX, ordered=False, box=True),
    Peer("pygeoapi, box", "pygeoapi", "pygeoapi", (*GRANIAN, "pygeoapi.flask_app:APP"),
         lambda q: boxed("/collections/shops/items")(q).format("json"), features, 18,
         less=BOX, ordered=False, box=True),
    Peer("GeoDjango, DRF-GIS", "geodjango", "django", (*GRANIAN, "app:app"), contract("/shops/brand"), plain, 8),
    Peer("FastAPI, asyncpg rows", "fastapi_asyncpg", "fastapi", (*UVICORN, "app:app"), contract("/rows"), plain, 1.6),
    Peer("FastAPI, rows by orjson", "fastapi_asyncpg", "fastapi", (*UVICORN, "app:app"), contract("/orjson"), plain),
    Peer("FastAPI, our function", "fastapi_asyncpg", "fastapi", (*UVICORN, "app:app"), contract("/function"), plain, 1),
    Peer("Flask, Redis GEOSEARCH", "redis_geosearch", "redis", (*GRANIAN, "app:app"), contract("/shops/brand"), plain, 1,
         less="sphere instead of spheroid; a copy: writes are not seen", ordered=False, margin=0.006),
    Peer("Flask, ORM, marshmallow", "flask_orm", "sqlalchemy", (*GRANIAN, "app:app"), contract("/shops/brand"), plain),
]  # fmt: skip
