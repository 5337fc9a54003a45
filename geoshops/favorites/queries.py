"""Queries and commands of favorites; each is one statement."""

from __future__ import annotations

from sqlalchemy import VARCHAR, cast, func, select

from geoshops.database.pool import Database
from geoshops.database.statements import compiled, named
from geoshops.web import writes
from geoshops.web.idempotency import Key
from geoshops.web.paging import ItemList, Page, cut, list_of_caller
from geoshops.web.sessions import ids
from geoshops.web.tokens import Caller

LIST = compiled(
    select(
        cast(
            func.favorites_json(
                *named("member", "session", "user_lon", "user_lat", "origin"),
                *named("at_most", "page_size", "page_offset", "lang"),
            ),
            VARCHAR,
        )
    )
)
ADD = compiled(
    select(
        func.add_favorite(
            *named("member", "session", "shop", "user_lon", "user_lat", "zone", "origin"),
            *named("key", "request_hash", moment=func.now()),
        ).table_valued("outcome", "body", "item_id", "replayed")
    )
)
REMOVE = compiled(
    select(
        func.remove_favorite(*named("member", "session", "shop")).table_valued("outcome", "body")
    )
)


def of_member(
    db: Database,
    caller: Caller,
    *,
    user_lng: float,
    user_lat: float,
    page: Page | None,
    lang: str | None,
    origin: str,
) -> ItemList:
    """Favorites of the caller, most recently added first, with distances from the user's position."""
    values = {
        **ids(caller),
        "user_lon": user_lng,
        "user_lat": user_lat,
        "origin": origin,
        "lang": lang,
        **cut(page),
    }
    return list_of_caller(db.row(LIST, values))


def add(
    db: Database,
    caller: Caller,
    shop_id: int,
    *,
    user_lng: float | None,
    user_lat: float | None,
    key: Key,
    zone: str,
    origin: str,
) -> writes.Result:
    """Adds a favorite; idempotent."""
    values = {
        **ids(caller),
        "shop": shop_id,
        "user_lon": user_lng,
        "user_lat": user_lat,
        "zone": zone,
        "origin": origin,
        "key": key.text,
        "request_hash": key.request_hash,
    }
    return writes.run(db, ADD, values, idempotent=True)


def remove(db: Database, caller: Caller, shop_id: int) -> writes.Result:
    """Removes a favorite; idempotent."""
    return writes.run(db, REMOVE, {**ids(caller), "shop": shop_id}, idempotent=True)
