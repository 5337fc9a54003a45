"""The question and the acts of the favorite endpoints; each is one statement."""

from __future__ import annotations

from geoshops.database.pool import Database
from geoshops.web.idempotency import Key
from geoshops.web.paging import MAX_DEPTH, ItemList, Page, list_of_caller
from geoshops.web.tokens import Caller
from geoshops.web.writes import Done, perform

WHOLE_LIST = 1000

LIST = "SELECT favorites_json(%s, %s, %s, %s, %s, %s, %s, %s)::varchar"


def of_member(
    db: Database,
    caller: Caller,
    *,
    user_lng: float,
    user_lat: float,
    page: Page | None,
    origin: str,
) -> ItemList:
    """Favorites of the caller, most recently added first, with distances from the user."""
    cut = (MAX_DEPTH, page.size, page.offset) if page else (WHOLE_LIST, WHOLE_LIST, 0)
    values = (caller.member_id, caller.session_id, user_lng, user_lat, origin, *cut)
    return list_of_caller(db.row(LIST, values))


ADD = """
SELECT refusal, status, body, location, replayed
FROM add_favorite(%s, %s, %s, %s, %s, now(), %s, %s, %s, %s)"""


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
) -> Done:
    """Adds a favorite; when it is there already, nothing changes."""
    who = (caller.member_id, caller.session_id, shop_id, user_lng, user_lat)
    values = (*who, zone, origin, key.text, key.request_hash)
    return perform(db, ADD, values, idempotent=True)


REMOVE = "SELECT refusal, status, body, location FROM remove_favorite(%s, %s, %s)"


def remove(db: Database, caller: Caller, shop_id: int) -> Done:
    """Removes a favorite, whether it was there or not."""
    values = (caller.member_id, caller.session_id, shop_id)
    return perform(db, REMOVE, values, idempotent=True)
