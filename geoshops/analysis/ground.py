"""Region outlines and place names for the background of maps."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import shapely

from geoshops.database.operator_connection import connected

# largest view in degrees that shows names of neighbourhoods, and of districts; larger views show provinces
NEAR_DEG, DETAIL_DEG = 0.12, 1.5
OUTLINES = """
SELECT level, ST_AsBinary(ST_SimplifyPreserveTopology(geom, %(tolerance)s))
FROM v_region
WHERE
  level = %(borders)s AND geom && ST_MakeEnvelope(%(west)s, %(south)s, %(east)s, %(north)s, 4326)
  OR level = 'sido' AND geom && ST_Expand(ST_MakeEnvelope(%(west)s, %(south)s, %(east)s, %(north)s, 4326), %(span)s)
ORDER BY level = 'sido' DESC, id"""
NAMES = """
SELECT name, center_longitude, center_latitude
FROM v_region
WHERE level = ANY (%(names)s)
  AND center_longitude BETWEEN %(west)s AND %(east)s AND center_latitude BETWEEN %(south)s AND %(north)s
ORDER BY level = 'dong', abs(center_longitude - (%(west)s + %(east)s) / 2) + abs(center_latitude - (%(south)s + %(north)s) / 2), id"""
OFFICIAL = re.compile(r"(?<=..)(특별시|광역시|특별자치시|특별자치도)$")


class Ground(NamedTuple):
    """Regions as (level, polygon), and place names with longitude and latitude, those near the centre first."""

    areas: list[tuple[str, Any]]
    names: list[tuple[str, float, float]]


def ground(url: str, bounds: tuple[float, float, float, float]) -> Ground:
    """Loads simplified regions and names around the data; without loaded boundaries there are no areas.

    Provinces come first and extend beyond the bounds, because a page's map can be moved."""
    west, south, east, north = (float(b) for b in bounds)
    span = max(east - west, north - south)
    nearest = ["sigungu", "dong"] if span <= NEAR_DEG else ["sigungu"]
    values = {
        "span": span, "tolerance": span / 1500,
        "names": ["sido"] if span > DETAIL_DEG else nearest,
        "borders": "sido" if span > DETAIL_DEG else "sigungu",
        "west": west, "south": south, "east": east, "north": north,
    }  # fmt: skip
    with connected(url, "analysis") as connection:
        connection.set_session(readonly=True)
        cursor = connection.cursor()
        cursor.execute(OUTLINES, values)
        areas = [(level, shapely.from_wkb(bytes(binary))) for level, binary in cursor.fetchall()]
        cursor.execute(NAMES, values)
        return Ground(areas, [(_short(name), lon, lat) for name, lon, lat in cursor.fetchall()])


def _short(name: str) -> str:
    """Shortens a name: 서울특별시 to 서울, 수원시 영통구 to 영통구."""
    return OFFICIAL.sub("", name).rpartition(" ")[2]
