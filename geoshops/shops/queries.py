"""The questions of the shop endpoints; each is one statement."""

from __future__ import annotations

from geoshops.database.pool import Database
from geoshops.errors import ApiError, NotFound, Unauthorized
from geoshops.web.paging import MAX_DEPTH, ItemList, Page, list_of_caller
from geoshops.web.tokens import Caller

WHOLE_LIST = 1000

AROUND = "SELECT shops_around(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)::varchar"
BRAND = "SELECT brand_family(brand_named(%s))"
REPRESENTATIVE = "SELECT string_agg(name, ', ' ORDER BY id) FROM brands WHERE is_representative"


def brand_ids(db: Database, name: str) -> list[int]:
    """The brand of that name or alias with its sub-brands; refuses a name that means none."""
    (ids,) = db.row(BRAND, (name,))
    if ids is None:
        (names,) = db.row(REPRESENTATIVE)
        raise ApiError("not_one_of", name="brand", choices=names)
    found: list[int] = ids
    return found


def around(
    db: Database,
    *,
    map_lng: float,
    map_lat: float,
    user_lng: float,
    user_lat: float,
    radius_m: int,
    brands: list[int] | None,
    origin: str,
    caller: Caller | None,
) -> ItemList:
    """Shops of the brands within radius_m of the map centre, by distance from the user, then id."""
    who = (caller.member_id, caller.session_id) if caller else (None, None)
    place = (map_lng, map_lat, user_lng, user_lat, radius_m)
    return list_of_caller(db.row(AROUND, (*place, brands, origin, WHOLE_LIST, *who)))


def around_filtered(
    db: Database,
    *,
    map_lng: float,
    map_lat: float,
    user_lng: float,
    user_lat: float,
    radius_m: int | None,
    box: tuple[float, float, float, float] | None,
    brands: list[int] | None,
    all_brands: bool,
    min_rating: float | None,
    open_now: bool,
    clean: float | None,
    retouch: float | None,
    props: float | None,
    sort: str,
    page: Page | None,
    origin: str,
    zone: str,
    caller: Caller | None,
) -> ItemList:
    """The same with filters, another order, a box (minLng, minLat, maxLng, maxLat) or pages."""
    values = {
        **{k: v for k, v in locals().items() if k not in ("db", "page", "caller", "box")},
        "box": list(box) if box else None,
        "at_most": MAX_DEPTH if page else WHOLE_LIST,
        "size": page.size if page else WHOLE_LIST,
        "offset": page.offset if page else 0,
        "member": caller.member_id if caller else None,
        "session": caller.session_id if caller else None,
    }
    return list_of_caller(db.row(FILTERED, values))


FILTERED = """
SELECT shops_around_filtered(
  %(map_lng)s, %(map_lat)s, %(user_lng)s, %(user_lat)s, %(radius_m)s, %(box)s::float8[], %(brands)s, %(all_brands)s,
  %(min_rating)s, CASE WHEN %(open_now)s THEN minute_of_week(now(), %(zone)s) END,
  %(clean)s, %(retouch)s, %(props)s, %(sort)s, %(origin)s, %(at_most)s, %(size)s, %(offset)s,
  %(member)s, %(session)s)::varchar"""

DETAIL = "SELECT shop_detail(%s, %s, %s, %s, %s, %s, %s)::varchar"


def detail(
    db: Database,
    shop_id: int,
    *,
    user_lng: float | None,
    user_lat: float | None,
    origin: str,
    zone: str,
    caller: Caller | None,
) -> bytes:
    """Everything on one shop's page as JSON; NotFound when there is none."""
    who = (caller.member_id, caller.session_id) if caller else (None, None)
    (body,) = db.row(DETAIL, (shop_id, user_lng, user_lat, origin, zone, *who))
    if body is None:
        raise NotFound("shop", shop_id)
    if not body:
        raise Unauthorized("bad_token")
    found: bytes = body
    return found


BRANDS = "SELECT brands_json(%s)"


def brands(db: Database, origin: str) -> str:
    """Every brand with the number of its open shops, as JSON."""
    (body,) = db.row(BRANDS, (origin,))
    return str(body)
