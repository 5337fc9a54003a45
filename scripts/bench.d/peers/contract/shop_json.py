"""Formats shops as in the contract, for the peers that build responses in Python."""

from __future__ import annotations

from typing import Any

COLUMNS = """
  s.id, s.place_name, ST_X(s.geog::geometry) AS longitude, ST_Y(s.geog::geometry) AS latitude,
  CASE WHEN s.road_address = '' THEN s.lot_address ELSE s.road_address END AS place_address,
  s.status, s.shop_titles, b.name AS brand_name, b.image_path, s.review_cnt, s.star_rating_sum, s.favorite_cnt"""


def degrees(value: float) -> str:
    """Formats degrees with at most seven decimal places."""
    return f"{value:.7f}".rstrip("0").rstrip(".")


def distance_text(metres: int) -> str:
    """Formats a distance: 212m, 1.4km, 3km."""
    if metres < 1000:
        return f"{metres}m"
    tenths = (metres + 50) // 100
    if tenths >= 1000:
        return f"{(metres + 500) // 1000}km"
    return f"{tenths // 10}km" if tenths % 10 == 0 else f"{tenths // 10}.{tenths % 10}km"


def rating(total: int, count: int) -> float:
    """Returns the average with one decimal, rounded half up; 0 without reviews."""
    return (20 * total + count) // (2 * count) / 10 if count else 0.0


def shop(row: Any, distance_m: float, origin: str) -> dict[str, Any]:
    """Returns the summary of a row with the columns above."""
    metres = int(distance_m + 0.5)
    return {
        "id": row["id"],
        "place_name": row["place_name"],
        "longitude": degrees(row["longitude"]),
        "latitude": degrees(row["latitude"]),
        "place_address": row["place_address"],
        "status": row["status"],
        "shop_titles": list(row["shop_titles"]),
        "brand": {"brand_name": row["brand_name"], "file_path": f"{origin}{row['image_path']}"},
        "distance": distance_text(metres),
        "distance_m": metres,
        "star_rating_avg": rating(row["star_rating_sum"], row["review_cnt"]),
        "review_cnt": row["review_cnt"],
        "favorite_cnt": row["favorite_cnt"],
        "favorite": False,
    }
