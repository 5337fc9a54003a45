"""The questions of OGC API Features; each is one statement."""

from __future__ import annotations

from dataclasses import dataclass

from geoshops.database.pool import Database
from geoshops.errors import NotFound

Box = tuple[float, float, float, float]

# beyond that the number of matches is not told: it would take longer than the page itself
MOST_COUNTED = 10_000


@dataclass(frozen=True)
class ItemPage:
    """GeoJSON features separated by commas; `last_id` is the key after which the next page begins."""

    features: str
    returned: int
    last_id: int | None
    more: bool
    matched: int | None


PAGE = """
SELECT features, returned, last_id, more, CASE WHEN %(count)s THEN ogc_count(%(box)s::float8[], %(most)s) END
FROM ogc_page(%(box)s::float8[], %(after)s, %(limit)s)"""


def items(db: Database, *, box: Box | None, limit: int, after: int) -> ItemPage:
    """Shops that are not closed with ids above `after`, `limit` at most; counted on the first page only."""
    values = {
        "box": list(box) if box else None,
        "after": after,
        "limit": limit,
        "count": after == 0,
        "most": MOST_COUNTED,
    }
    return ItemPage(*db.row(PAGE, values))


ITEM = "SELECT ogc_features(ARRAY(SELECT id FROM shops WHERE id = %s AND status <> 'CLOSED'))"


def item(db: Database, shop_id: int) -> str:
    """One shop as a GeoJSON feature; NotFound when there is none or it is closed."""
    (feature,) = db.row(ITEM, (shop_id,))
    if not feature:
        raise NotFound("shop", shop_id)
    return str(feature)


EXTENT = "SELECT ogc_extent()"


def extent(db: Database) -> list[float]:
    """West, south, east and north of all shops; the world when there is none."""
    (found,) = db.row(EXTENT)
    return found or [-180.0, -90.0, 180.0, 90.0]
