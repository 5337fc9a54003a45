"""Region outlines as the ground of a map."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import psycopg2
import shapely

from geoshops.interrupts import heeding

# sido for a country, sigungu once a city fills the picture
DETAIL_DEG = 1.5
STATEMENT = """
SELECT ST_AsBinary(ST_SimplifyPreserveTopology(geom, %(tolerance)s))
FROM v_region
WHERE
  level = %(level)s AND geom && ST_MakeEnvelope(%(west)s, %(south)s, %(east)s, %(north)s, 4326)
  OR level = 'sido' AND geom && ST_Expand(ST_MakeEnvelope(%(west)s, %(south)s, %(east)s, %(north)s, 4326), %(span)s)
ORDER BY level = 'sido' DESC, id"""


def outlines(url: str, bounds: tuple[float, float, float, float]) -> list[Any]:
    """Polygons of the regions in view, simplified to what the eye can see; none where none is loaded.

    The provinces around come first and go beyond the view: a page is wider than what it shows, and moved.
    """
    west, south, east, north = (float(b) for b in bounds)
    span = max(east - west, north - south)
    values = {
        "span": span,
        "tolerance": span / 1500,
        "level": "sido" if span > DETAIL_DEG else "sigungu",
        "west": west,
        "south": south,
        "east": east,
        "north": north,
    }
    with closing(
        heeding(psycopg2.connect(url, application_name="geoshops-analysis"))
    ) as connection:
        connection.set_session(readonly=True)
        cursor = connection.cursor()
        cursor.execute(STATEMENT, values)
        return [shapely.from_wkb(bytes(row[0])) for row in cursor.fetchall()]
