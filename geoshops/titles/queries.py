"""Queries and commands of titles; each is one statement."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import bindparam, func, null, select

from geoshops.database.models import Member, Title
from geoshops.database.pool import Database
from geoshops.database.statements import compiled, named
from geoshops.errors import NotFound
from geoshops.web.sessions import ids, of_live_session
from geoshops.web.tokens import Caller

OF_MEMBER = compiled(
    select(func.member_titles_json(*named("member", "session", "wanted", "origin", "zone")))
)
MEDAL = compiled(
    select(Title.color, Title.emblem, Title.name).where(Title.id == bindparam("title"))
)
BATCH = 500
NEXT_MEMBERS = compiled(
    select(Member.id)
    .where(Member.withdrawn_at.is_(None), Member.id > bindparam("after"))
    .order_by(Member.id)
    .limit(BATCH)
)
LOCKED = (
    select(Member.id)
    .where(Member.id == func.any(bindparam("members")), Member.withdrawn_at.is_(None))
    .order_by(Member.id)
    .with_for_update(key_share=True)
    .subquery()
)
AWARD = compiled(
    select(
        func.award_titles(
            *named("zone", member=LOCKED.c.id, activity=null(), moment=func.now()),
        )
    )
)
REFRESH = compiled(select(func.refresh_shop_titles(*named(moment=func.now()))))


def of_member(db: Database, caller: Caller, *, title_id: int | None, origin: str, zone: str) -> str:
    """One title, or all titles with counts, and the caller's progress, as JSON."""
    values = {**ids(caller), "wanted": title_id, "origin": origin, "zone": zone}
    body = of_live_session(db.row(OF_MEMBER, values)[0])
    if not body:
        raise NotFound("title", title_id)
    return str(body)


def medal(db: Database, title_id: int) -> tuple[str, str, str]:
    """Colour, emblem (an SVG path) and name of a title."""
    row = db.first(MEDAL, {"title": title_id})
    if row is None:
        raise NotFound("title", title_id)
    color, emblem, name = row
    return color, emblem, name


def award_all(db: Database, *, zone: str) -> Counter[int]:
    """Awards titles that members have earned but do not hold; returns the number of awards by title."""
    awards: Counter[int] = Counter()
    last = 0
    while members := [member for (member,) in db.rows(NEXT_MEMBERS, {"after": last})]:
        last = members[-1]
        for (titles,) in db.write_rows(AWARD, {"zone": zone, "members": members}, idempotent=True):
            awards.update(titles)
    return awards


def refresh_shop_titles(db: Database) -> int:
    """Refreshes shops.shop_titles; returns the number of changed shops."""
    return int(db.write(REFRESH, idempotent=True)[0])
