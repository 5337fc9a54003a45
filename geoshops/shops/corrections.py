"""Corrections by operators: overrides that imports keep, closings and merges, each with its reason."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

from psycopg2 import sql

from geoshops import opening_hours
from geoshops.database.models import Shop
from geoshops.operations.audit import write_audit
from geoshops.operations.commands import KEPT_BY_A_MERGE

# the columns that a file may fill, see importing/deriving.py
COLUMNS = (
    "place_name", "road_address", "lot_address", "status", "opened_on", "closed_on", "phone",
    "homepage", "opening_hours",
)  # fmt: skip
TYPES = {name: str(Shop.__table__.c[name].type) for name in COLUMNS}
LIMITS = {"longitude": 180, "latitude": 90}
FIELDS = (*COLUMNS, "brand", *LIMITS)
DERIVE = """
UPDATE shops s SET (sido_id, sigungu_id, dong_id) = (SELECT f.sido_id, f.sigungu_id, f.dong_id
    FROM region_of(coalesce(nullif(s.lot_address, ''), s.road_address), s.geog) f),
  brand_id = CASE WHEN s.overrides ? 'brand' THEN s.brand_id ELSE coalesce(brand_of(s.place_name), s.brand_id) END
WHERE s.id = %s"""
FACTS = sql.SQL("""
SELECT row_to_json(f) FROM (
  SELECT {columns}, b.name AS brand, ST_X(s.geog::geometry) AS longitude, ST_Y(s.geog::geometry) AS latitude,
    s.merged_into_id
  FROM shops s LEFT JOIN brands b ON b.id = s.brand_id WHERE s.id = %s
) f""").format(columns=sql.SQL(", ").join(sql.Identifier("s", name) for name in COLUMNS))
FAVORITES_OF_BOTH = """
DELETE FROM favorites f USING favorites kept
WHERE f.shop_id = %(old)s AND kept.shop_id = %(new)s AND kept.member_id = f.member_id"""

KEEP_CLOSED = """
UPDATE shops SET overrides = overrides || jsonb_build_object('status', status, 'closed_on', closed_on)
WHERE id = %(old)s"""


class NotPossible(Exception):
    """The correction cannot be made; the message says why."""


def set_fields(cursor: Any, shop_id: int, given: dict[str, str], reason: str) -> None:
    """Sets fields by hand; later imports keep them. An empty value empties the field."""
    before = facts(cursor, shop_id)
    values = {name: _cleaned(name, value) for name, value in given.items()}
    if values.get("status", "CLOSED") != "CLOSED":
        values.setdefault("closed_on", None)
    sets: list[sql.Composable] = [
        sql.SQL("{} = %({})s::{}").format(sql.Identifier(n), sql.SQL(n), sql.SQL(TYPES[n]))
        for n in COLUMNS
        if n in values
    ]
    if "status" in values or values.get("closed_on"):
        status = sql.SQL("%(status)s" if "status" in values else "status")
        sets.append(sql.SQL("closed_by = CASE {} WHEN 'CLOSED' THEN 'OPERATOR' END").format(status))
    if "brand" in values:
        sets.append(sql.SQL("brand_id = %(brand_id)s"))
    if {"longitude", "latitude"} & values.keys():
        sets.append(sql.SQL("geog = point_at(%(longitude)s, %(latitude)s)"))
    statement = sql.SQL(
        "UPDATE shops SET {}, overrides = overrides || %(overrides)s::jsonb, modified_at = now()"
        " WHERE id = %(id)s"
    ).format(sql.SQL(", ").join(sets))
    brand_id = _brand(cursor, values["brand"]) if values.get("brand") else None
    extra = {"brand_id": brand_id, "overrides": json.dumps(values), "id": shop_id}
    position = {n: before[n] for n in ("longitude", "latitude")}
    cursor.execute(statement, {**position, **values, **extra})
    cursor.execute(DERIVE, (shop_id,))
    _log(cursor, "set", shop_id, reason, {"old": {n: before[n] for n in values}, "new": values})


def release(cursor: Any, shop_id: int, names: list[str], reason: str) -> None:
    """Gives overrides up: the next import rules these fields again, and may reopen a closed shop."""
    into_id = facts(cursor, shop_id)["merged_into_id"]
    kept = [name for name in names if into_id and name in KEPT_BY_A_MERGE]
    if kept:
        raise NotPossible(
            f"shop {shop_id} is merged into {into_id} and stays closed: "
            f"{' and '.join(kept)} cannot be released"
        )
    cursor.execute("UPDATE shops SET overrides = overrides - %s WHERE id = %s", (names, shop_id))
    if "status" in names:
        cursor.execute(
            "UPDATE shops SET closed_by = 'IMPORT' WHERE id = %s AND closed_by = 'OPERATOR'",
            (shop_id,),
        )
    _log(cursor, "release", shop_id, reason, {"fields": names})


def close(cursor: Any, shop_id: int, day: str, reason: str) -> None:
    """Closes a shop by hand on a day."""
    if facts(cursor, shop_id)["status"] == "CLOSED":
        raise NotPossible(f"shop {shop_id} is closed already")
    set_fields(cursor, shop_id, {"status": "CLOSED", "closed_on": day}, reason)


def merge(cursor: Any, duplicate_id: int, into_id: int, day: str, reason: str) -> None:
    """Closes a duplicate; its reviews and favorites become those of the other shop."""
    if duplicate_id == into_id:
        raise NotPossible("a shop cannot be merged into itself")
    # an act on a merged shop holds its lock and waits for that of the other one
    _refuse_merged(cursor, duplicate_id, into_id)
    for shop_id in sorted((duplicate_id, into_id)):
        # waits for acts under way, see begin_act_on
        cursor.execute("SELECT pg_advisory_xact_lock(-%s)", (shop_id,))
    cursor.execute(
        "SELECT id FROM shops WHERE id IN %s ORDER BY id FOR UPDATE", ((duplicate_id, into_id),)
    )
    _refuse_merged(cursor, duplicate_id, into_id)
    before = facts(cursor, duplicate_id)
    both = {"old": duplicate_id, "new": into_id, "day": day}
    cursor.execute(FAVORITES_OF_BOTH, both)
    cursor.execute("UPDATE favorites SET shop_id = %(new)s WHERE shop_id = %(old)s", both)
    cursor.execute("UPDATE reviews SET shop_id = %(new)s WHERE shop_id = %(old)s", both)
    cursor.execute("UPDATE shops SET merged_into_id = %(new)s WHERE merged_into_id = %(old)s", both)
    cursor.execute(
        "UPDATE shops SET merged_into_id = %(new)s, status = 'CLOSED', closed_by = 'OPERATOR',"
        " modified_at = now(),"
        " closed_on = coalesce(closed_on, greatest(%(day)s::date, opened_on)) WHERE id = %(old)s",
        both,
    )
    cursor.execute(KEEP_CLOSED, both)
    for shop_id in sorted((duplicate_id, into_id)):
        cursor.execute("SELECT repair_counters(%s)", (shop_id,))
    _log(cursor, "merge", duplicate_id, reason, {"into": into_id, "old": before})


def _refuse_merged(cursor: Any, *shop_ids: int) -> None:
    for shop_id in shop_ids:
        if facts(cursor, shop_id)["merged_into_id"]:
            raise NotPossible(f"shop {shop_id} is merged into another one already")


def keep_apart(cursor: Any, shop_id: int, other_id: int, reason: str) -> None:
    """Notes that two shops are not the same; they are not listed as duplicates again."""
    if shop_id == other_id:
        raise NotPossible("a shop cannot be kept apart from itself")
    first, second = sorted((shop_id, other_id))
    facts(cursor, first), facts(cursor, second)
    _log(cursor, "keep-apart", first, reason, {"other": second})


def duplicates(cursor: Any) -> list[dict[str, Any]]:
    """Candidates for a decision."""
    cursor.execute("SELECT * FROM duplicate_shops()")
    names = [column.name for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def facts(cursor: Any, shop_id: int) -> dict[str, Any]:
    """What can be corrected of a shop, as it is."""
    cursor.execute(FACTS, (shop_id,))
    row = cursor.fetchone()
    if row is None:
        raise NotPossible(f"there is no shop {shop_id}")
    found: dict[str, Any] = row[0]
    return found


def _cleaned(name: str, value: str) -> str | None:
    if name not in FIELDS:
        raise NotPossible(f"{name} is none of {', '.join(FIELDS)}")
    value = unicodedata.normalize("NFC", value).strip()
    if any(unicodedata.category(c) in ("Cc", "Cs") for c in value):
        raise NotPossible(f"{name} holds a control character")
    if name == "homepage" and value and not value.startswith(("http://", "https://")):
        raise NotPossible("homepage must begin with http:// or https://")
    if name in LIMITS:
        return _degrees(name, value)
    if name == "opening_hours":
        return _hours(value)
    return value if value or TYPES.get(name, "TEXT") == "TEXT" else None


def _hours(value: str) -> str:
    try:
        return opening_hours.canonical(value)
    except ValueError as error:
        raise NotPossible(f"opening_hours {opening_hours.WANTED}") from error


def _degrees(name: str, value: str) -> str:
    # PostGIS would turn longitude 200 into -160 without a word
    try:
        fits = abs(float(value)) <= LIMITS[name]
    except ValueError:
        fits = False
    if not fits:
        raise NotPossible(f"{name} must be a number between -{LIMITS[name]} and {LIMITS[name]}")
    return value


def _brand(cursor: Any, name: str | None) -> int:
    cursor.execute("SELECT brand_named(%s)", (name,))
    (brand_id,) = cursor.fetchone()
    if brand_id is None:
        raise NotPossible(f"there is no brand {name}: geoshops brands add {name}")
    return int(brand_id)


def _log(cursor: Any, action: str, shop_id: int, reason: str, detail: dict[str, Any]) -> None:
    write_audit(
        cursor, action=action, subject="shop", subject_id=shop_id, reason=reason, detail=detail
    )
