"""Warnings in the summary of a shop import: different places on one point, brands that the map does not show."""

from __future__ import annotations

from typing import Any

from psycopg2 import sql

MOST_POINTS = 10
MOST_EXAMPLES = 3
MOST_BRANDS = 4
# Groups by ids of districts, because building names for every row costs more than the grouping.
SHARED = """
SELECT r.geog::geometry AS point, r.line, {place} AS place
FROM resolved r {incoming}
JOIN (
  SELECT r.geog::geometry AS point FROM resolved r {incoming} GROUP BY 1 HAVING min({place}) <> max({place})
) shared ON shared.point = r.geog::geometry"""
POINTS = """
SELECT count(*), count(DISTINCT s.place), ST_X(s.point), ST_Y(s.point),
  (array_agg(DISTINCT {name} ORDER BY {name}))[:%(examples)s]
FROM ({shared}) s {names}
WHERE s.place IS NOT NULL
GROUP BY s.point ORDER BY 1 DESC, 3, 4 LIMIT %(points)s"""
DISTRICT = {
    "place": "r.address_sigungu_id",
    "incoming": "",
    "name": "concat_ws(' ', p.name, d.name)",
    "names": "JOIN regions d ON d.id = s.place LEFT JOIN regions p ON p.id = d.parent_id",
}
CITY = {
    "place": "nullif(i.city, '')",
    "incoming": "JOIN incoming i USING (line)",
    "name": "s.place",
    "names": "",
}
UNREPRESENTED = """
SELECT b.name FROM brands b JOIN shops s ON s.brand_id = b.id AND s.status <> 'CLOSED'
WHERE NOT EXISTS (SELECT FROM brands r WHERE r.is_representative)
GROUP BY b.id ORDER BY count(*) DESC, b.id LIMIT %s"""


def shared_points(cursor: Any, stored: list[str]) -> list[dict[str, Any]]:
    """Points shared by shops of different cities, most shops first: probably positions of an area, not of a shop.

    A row's city is that of the file, else the district of its address."""
    texts = {name: sql.SQL(text) for name, text in (CITY if "city" in stored else DISTRICT).items()}
    shared = sql.SQL(SHARED).format(**texts)
    statement = sql.SQL(POINTS).format(shared=shared, **texts)
    cursor.execute(statement, {"examples": MOST_EXAMPLES, "points": MOST_POINTS})
    names = ("shops", "cities", "longitude", "latitude", "examples")
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def is_without_representative(cursor: Any) -> bool:
    """Whether no brand is representative, so that map searches without a brand find nothing."""
    cursor.execute("SELECT NOT EXISTS (SELECT FROM default_brands)")
    return bool(cursor.fetchone()[0])


def largest_brands(cursor: Any) -> list[str]:
    """Brands with the most shops; empty if a brand is representative."""
    cursor.execute(UNREPRESENTED, (MOST_BRANDS,))
    return [name for (name,) in cursor.fetchall()]
