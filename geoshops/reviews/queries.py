"""The questions and acts of the review endpoints; each is one statement."""

from __future__ import annotations

from typing import Any

from geoshops.database.pool import Database
from geoshops.errors import NotFound
from geoshops.web.idempotency import Key
from geoshops.web.paging import MAX_DEPTH, ItemList, Page, list_of_caller
from geoshops.web.tokens import Caller
from geoshops.web.writes import Done, perform

WHOLE_LIST = 1000

ONE = "SELECT review_json(%s, %s)"


def get(db: Database, review_id: int, *, zone: str) -> str:
    """One review as JSON; NotFound when there is none."""
    (body,) = db.row(ONE, (review_id, zone))
    if body is None:
        raise NotFound("review", review_id)
    return str(body)


OF_SHOP = "SELECT shop_reviews_json(%s, %s, %s, %s, %s, %s)::varchar"


def of_shop(db: Database, shop_id: int, *, sort: str, page: Page | None, zone: str) -> ItemList:
    """Reviews of a shop; NotFound when there is no such shop."""
    (text,) = db.row(OF_SHOP, (shop_id, sort, zone, *_cut(page)))
    if text is None:
        raise NotFound("shop", shop_id)
    return ItemList.parse(text)


OWN = "SELECT member_reviews_json(%s, %s, %s, %s, %s, %s, %s)::varchar"


def own(db: Database, caller: Caller, *, sort: str, page: Page | None, zone: str) -> ItemList:
    """Reviews that the caller wrote."""
    values = (caller.member_id, caller.session_id, sort, zone, *_cut(page))
    return list_of_caller(db.row(OWN, values))


CREATE = """
SELECT refusal, status, body, location, replayed
FROM create_review(%s, %s, %s, %s, %s, %s, %s, %s, now(), %s, %s, %s, %s, %s)"""


def create(
    db: Database,
    caller: Caller,
    shop_id: int,
    review: dict[str, Any],
    *,
    key: Key,
    zone: str,
    origin: str,
    most_a_shop: int,
) -> Done:
    """Writes a review of a shop, with the shop's counters and the titles it earns."""
    who = (caller.member_id, caller.session_id, shop_id)
    rest = (zone, origin, most_a_shop, key.text, key.request_hash)
    values = (*who, *_fields(review), *rest)
    return perform(db, CREATE, values, idempotent=key.text is not None)


CHANGE = """
SELECT refusal, status, body, location
FROM change_review(%s, %s, %s, %s, %s, %s, %s, %s, now(), %s, %s)"""


def change(
    db: Database, caller: Caller, review_id: int, review: dict[str, Any], *, zone: str, origin: str
) -> Done:
    """Replaces a review of the caller's own."""
    who = (caller.member_id, caller.session_id, review_id)
    return perform(db, CHANGE, (*who, *_fields(review), zone, origin), idempotent=True)


DELETE = "SELECT refusal, status, body, location FROM delete_review(%s, %s, %s)"


def delete(db: Database, caller: Caller, review_id: int) -> Done:
    """Deletes a review of the caller's own."""
    return perform(db, DELETE, (caller.member_id, caller.session_id, review_id))


def _fields(review: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(review[name] for name in ("star_rating", "content", "purity", "retouch", "item"))


def _cut(page: Page | None) -> tuple[int, int, int]:
    return (MAX_DEPTH, page.size, page.offset) if page else (WHOLE_LIST, WHOLE_LIST, 0)
