"""The questions of the tiles; each is one statement."""

from __future__ import annotations

import datetime as dt

from geoshops.database.pool import Database
from geoshops.errors import ApiError, NotFound

MAX_ZOOM = 20
EVERY_SHOP, REPRESENTATIVE = 0, -1

BRAND = "SELECT brand_named(%s), (SELECT string_agg(name, ', ' ORDER BY id) FROM brands WHERE is_representative)"


def selection(db: Database, *, brand: str | None, all_brands: bool) -> int:
    """Which shops are meant, as sql/schema/22_tiles.sql numbers them; refuses a name that means no brand."""
    if not brand:
        return EVERY_SHOP if all_brands else REPRESENTATIVE
    found, names = db.row(BRAND, (brand,))
    if found is None:
        raise ApiError("not_one_of", name="brand", choices=names)
    return int(found)


TILE = "SELECT shops_tile(%s, %s, %s, %s)"


def tile(db: Database, z: int, x: int, y: int, *, selected: int) -> bytes:
    """The tile; empty where no shop is."""
    return bytes(db.row(TILE, (z, x, y, selected))[0])


def check_place(z: int, x: int, y: int) -> None:
    """Raises NotFound for a tile outside the world or beyond the last zoom level."""
    if not 0 <= z <= MAX_ZOOM or not (0 <= x < 2**z and 0 <= y < 2**z):
        raise NotFound("tile", f"{z}/{x}/{y}")


REFRESHED = "SELECT min(refreshed_at) FROM crowded_tiles"


def refreshed_at(db: Database) -> dt.datetime | None:
    """State of shops that the counted cells show; None when all are counted live."""
    found: dt.datetime | None = db.row(REFRESHED)[0]
    return found


REFRESH = "SELECT refresh_tile_grid(now())"


def refresh(db: Database) -> int:
    """Counts the cells of crowded tiles anew; how many rows changed."""
    return int(db.write(REFRESH, idempotent=True)[0])
