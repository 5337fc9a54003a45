"""Queries of the keyword search; each is one statement."""

from __future__ import annotations

import threading
from typing import cast

from sqlalchemy import VARCHAR, func, select

from geoshops.database.pool import Database
from geoshops.database.statements import compiled, named
from geoshops.web.paging import MAX_DEPTH, ItemList, Page, list_of_caller
from geoshops.web.sessions import ids
from geoshops.web.shop_filters import FILTERS, ShopFilters
from geoshops.web.tokens import Caller

# Per worker. Limits the most expensive queries of anonymous clients, so that others still get connections and CPU time.
AT_ONCE = threading.BoundedSemaphore(2)
WHOLE_LIST = 300
SEOUL_CITY_HALL = (126.9779, 37.5663)

KEYWORD = compiled(
    select(
        func.shops_by_keyword(
            *named(
                "keyword", "user_lon", "user_lat", "sort", "origin", "at_most", "page_size", "page_offset",
                "member", "session", "explain", "lang", filters=FILTERS,
            )
        ).cast(VARCHAR)
    )
)  # fmt: skip


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
    lang: str | None,
    origin: str,
    zone: str,
    caller: Caller | None,
) -> ItemList:
    """Shops that match the keyword, best match first, then by distance from the user, then by id.

    With `explain` the body is {"understood", "pass", "ignored", "shops"}."""
    values = {
        "keyword": keyword, "user_lon": user_lng, "user_lat": user_lat,
        "filters": filters.to_json(zone), "sort": sort, "origin": origin, "explain": explain,
        "lang": lang,
        # with another order, the first shop may be the farthest, so all matches are found before the list is cut
        "at_most": WHOLE_LIST if page is None and sort == "distance" else MAX_DEPTH,
        "page_size": page.size if page else WHOLE_LIST,
        "page_offset": page.offset if page else 0,
        **ids(caller),
    }  # fmt: skip
    with AT_ONCE:
        found = list_of_caller(db.row(KEYWORD, values))
    return found if page else found._replace(truncated=found.truncated or found.total > WHOLE_LIST)


SUGGEST = compiled(
    select(func.shops_suggest(*named("keyword", "user_lon", "user_lat", "lang")).cast(VARCHAR))
)


def suggest(
    db: Database,
    *,
    keyword: str,
    user_lng: float | None,
    user_lat: float | None,
    lang: str | None,
) -> bytes:
    """Regions, stations, brands and shops that complete the keyword, best first, as JSON.

    Without a complete position, distances are measured from Seoul's city hall: ordering by the index needs a point."""
    place = SEOUL_CITY_HALL if user_lng is None or user_lat is None else (user_lng, user_lat)
    with AT_ONCE:
        (body,) = db.row(
            SUGGEST, {"keyword": keyword, "user_lon": place[0], "user_lat": place[1], "lang": lang}
        )
    return cast(bytes, body)
