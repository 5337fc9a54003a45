"""The questions of the keyword search; each is one statement."""

from __future__ import annotations

import threading

from geoshops.database.pool import Database
from geoshops.web.paging import MAX_DEPTH, ItemList, Page, list_of_caller
from geoshops.web.shop_filters import ShopFilters
from geoshops.web.tokens import Caller

# Per worker. The most expensive statements of anonymous clients must leave connections and processors to the others.
AT_ONCE = threading.BoundedSemaphore(2)
WHOLE_LIST = 300
SEOUL_CITY_HALL = (126.9779, 37.5663)

KEYWORD = """
SELECT shops_by_keyword(
  %(keyword)s, %(user_lng)s, %(user_lat)s, %(box)s::float8[],
  %(min_rating)s, CASE WHEN %(open_now)s THEN minute_of_week(now(), %(zone)s) END,
  %(clean)s, %(retouch)s, %(props)s, %(sort)s, %(origin)s, %(at_most)s, %(size)s, %(offset)s,
  %(member)s, %(session)s, %(explain)s)::varchar"""


def by_keyword(
    db: Database,
    *,
    keyword: str,
    user_lng: float,
    user_lat: float,
    filters: ShopFilters,
    sort: str,
    page: Page | None,
    explain: bool,
    origin: str,
    zone: str,
    caller: Caller | None,
) -> ItemList:
    """Shops that the keyword means, best match first, then by distance from the user, then id.

    With `explain` the body is {"understood", "pass", "shops"}."""
    values = {
        **{k: v for k, v in locals().items() if k not in ("db", "page", "caller", "filters")},
        **vars(filters),
        "box": list(filters.box) if filters.box else None,
        # the best by another order may be the farthest: all are found before the list is cut
        "at_most": WHOLE_LIST if page is None and sort == "distance" else MAX_DEPTH,
        "size": page.size if page else WHOLE_LIST,
        "offset": page.offset if page else 0,
        "member": caller.member_id if caller else None,
        "session": caller.session_id if caller else None,
    }
    with AT_ONCE:
        found = list_of_caller(db.row(KEYWORD, values))
    return found if page else found._replace(truncated=found.truncated or found.total > WHOLE_LIST)


SUGGEST = "SELECT shops_suggest(%s, %s, %s)::varchar"


def suggest(db: Database, *, keyword: str, user_lng: float | None, user_lat: float | None) -> bytes:
    """Regions, stations, brands and shops that the keyword may become, best first, as JSON.

    Without a full position what is near Seoul's city hall comes first: an order by index needs a place."""
    place = SEOUL_CITY_HALL if user_lng is None or user_lat is None else (user_lng, user_lat)
    with AT_ONCE:
        (body,) = db.row(SUGGEST, (keyword, *place))
    found: bytes = body
    return found
