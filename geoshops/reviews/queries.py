"""Queries and commands of reviews; each is one statement."""

from __future__ import annotations

from typing import Any

from sqlalchemy import VARCHAR, cast, func, select

from geoshops.database.pool import Database
from geoshops.database.statements import compiled, named
from geoshops.errors import NotFound
from geoshops.web import writes
from geoshops.web.idempotency import Key
from geoshops.web.paging import ItemList, Page, cut, list_of_caller
from geoshops.web.review_schemas import ReviewBody
from geoshops.web.sessions import ids
from geoshops.web.tokens import Caller

# parameters of create_review and change_review
FIELDS = tuple(ReviewBody().fields)
CUT = ("at_most", "page_size", "page_offset")

ONE = compiled(select(func.review_json(*named("review", "zone", "lang"))))
OF_SHOP = compiled(
    select(cast(func.shop_reviews_json(*named("shop", "sort", "zone", *CUT, "lang")), VARCHAR))
)
OWN = compiled(
    select(
        cast(
            func.member_reviews_json(*named("member", "session", "sort", "zone", *CUT, "lang")),
            VARCHAR,
        )
    )
)
CREATE = compiled(
    select(
        func.create_review(
            *named(
                *("member", "session", "shop", *FIELDS, "zone", "origin", "most_a_shop"),
                *("key", "request_hash"),
                moment=func.now(),
            )
        ).table_valued("outcome", "body", "item_id", "replayed")
    )
)
CHANGE = compiled(
    select(
        func.change_review(
            *named("member", "session", "review", *FIELDS, "zone", "origin", moment=func.now())
        ).table_valued("outcome", "body")
    )
)
DELETE = compiled(
    select(
        func.delete_review(*named("member", "session", "review")).table_valued("outcome", "body")
    )
)


def get(db: Database, review_id: int, *, zone: str, lang: str | None) -> str:
    """One review as JSON; raises NotFound if it does not exist."""
    (body,) = db.row(ONE, {"review": review_id, "zone": zone, "lang": lang})
    if body is None:
        raise NotFound("review", review_id)
    return str(body)


def of_shop(
    db: Database, shop_id: int, *, sort: str, page: Page | None, zone: str, lang: str | None
) -> ItemList:
    """Reviews of a shop; raises NotFound if the shop does not exist."""
    values = {"shop": shop_id, "sort": sort, "zone": zone, "lang": lang}
    (text,) = db.row(OF_SHOP, {**values, **cut(page)})
    if text is None:
        raise NotFound("shop", shop_id)
    return ItemList.parse(text)


def own(
    db: Database, caller: Caller, *, sort: str, page: Page | None, zone: str, lang: str | None
) -> ItemList:
    """The caller's reviews."""
    values = {**ids(caller), "sort": sort, "zone": zone, "lang": lang}
    return list_of_caller(db.row(OWN, {**values, **cut(page)}))


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
) -> writes.Result:
    """Creates a review, updates the shop's counters and awards titles."""
    values = {
        **review,
        **ids(caller),
        "shop": shop_id,
        "zone": zone,
        "origin": origin,
        "most_a_shop": most_a_shop,
        "key": key.text,
        "request_hash": key.request_hash,
    }
    return writes.run(db, CREATE, values, idempotent=key.text is not None)


def change(
    db: Database, caller: Caller, review_id: int, review: dict[str, Any], *, zone: str, origin: str
) -> writes.Result:
    """Replaces one of the caller's reviews."""
    values = {**review, **ids(caller), "review": review_id, "zone": zone, "origin": origin}
    return writes.run(db, CHANGE, values, idempotent=True)


def delete(db: Database, caller: Caller, review_id: int) -> writes.Result:
    """Deletes one of the caller's reviews."""
    return writes.run(db, DELETE, {**ids(caller), "review": review_id})
