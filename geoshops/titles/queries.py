"""The questions of the title endpoints and commands."""

from __future__ import annotations

from geoshops.database.pool import Database
from geoshops.errors import NotFound, Unauthorized
from geoshops.web.tokens import Caller

TITLES = "SELECT session_ok, body FROM member_titles_json(%s, %s, %s, %s, %s)"


def of_member(db: Database, caller: Caller, *, title_id: int | None, origin: str, zone: str) -> str:
    """One title, or all of them with counts, as they stand for the caller, as JSON."""
    values = (caller.member_id, caller.session_id, title_id, origin, zone)
    session_ok, body = db.row(TITLES, values)
    if not session_ok:
        raise Unauthorized("bad_token")
    if body is None:
        raise NotFound("title", title_id)
    return str(body)


MEDAL = "SELECT color, emblem, name FROM titles WHERE id = %s"


def medal(db: Database, title_id: int) -> tuple[str, str, str]:
    """Colour, emblem (an SVG path) and name of a title."""
    rows = db.rows(MEDAL, (title_id,))
    if not rows:
        raise NotFound("title", title_id)
    color, emblem, name = rows[0]
    return color, emblem, name


ACTIVE = """
SELECT m.id FROM members m
WHERE m.withdrawn_at IS NULL AND m.id > %s
ORDER BY m.id LIMIT %s"""
AWARD = """
SELECT m.id, award_titles(m.id, NULL, now(), %s)
FROM (
  SELECT id FROM members WHERE id = ANY (%s) AND withdrawn_at IS NULL ORDER BY id FOR NO KEY UPDATE
) AS m"""
BATCH = 500


def award_all(db: Database, *, zone: str) -> dict[int, int]:
    """Gives every member the titles earned but not held; how many of each title were given."""
    given: dict[int, int] = {}
    last = 0
    while ids := [row[0] for row in db.rows(ACTIVE, (last, BATCH))]:
        last = ids[-1]
        for _, titles in db.rows(AWARD, (zone, ids)):
            for title in titles:
                given[title] = given.get(title, 0) + 1
    return given


def refresh_shop_titles(db: Database) -> int:
    """Brings shops.shop_titles up to date; how many shops changed."""
    return int(db.write("SELECT refresh_shop_titles(now())", idempotent=True)[0])
