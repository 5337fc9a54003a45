"""Corrections by operators, each with a reason: field overrides, which imports keep, closings and merges."""

from __future__ import annotations

import json
import shlex
import unicodedata
from typing import Any

from geoalchemy2 import Geometry
from sqlalchemy import (
    ARRAY,
    Date,
    Text,
    case,
    cast,
    delete,
    func,
    literal,
    literal_column,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import aliased

from geoshops import opening_hours
from geoshops.console import as_started
from geoshops.database.models import (
    KEPT_BY_A_MERGE,
    SHOP_ADDRESS,
    Brand,
    Favorite,
    Report,
    Review,
    Shop,
    table_of,
)
from geoshops.database.statements import execute, fetch_dicts
from geoshops.operations.audit import write_audit

# the columns that an import can set, see FIELDS in importing/shop_rows.py
COLUMNS = (
    "place_name", "road_address", "lot_address", "status", "opened_on", "closed_on", "phone",
    "homepage", "opening_hours",
)  # fmt: skip
TYPES = {name: str(table_of(Shop).c[name].type) for name in COLUMNS}
LIMITS = {"longitude": 180, "latitude": 90}
FIELDS = (*COLUMNS, "brand", *LIMITS)
POINT = cast(Shop.geog, Geometry)
FACTS = (
    select(
        func.json_build_object(
            *(part for name in COLUMNS for part in (name, table_of(Shop).c[name])),
            *("brand", Brand.name, "longitude", func.ST_X(POINT), "latitude", func.ST_Y(POINT)),
            *("merged_into_id", Shop.merged_into_id),
        )
    )
    .select_from(Shop)
    .outerjoin(Brand, Brand.id == Shop.brand_id)
)
REGIONS = func.region_of(literal_column(SHOP_ADDRESS), Shop.geog).table_valued(
    "sido_id", "sigungu_id", "dong_id"
)
# the regions of a shop's address and position, and the brand in its name
DERIVE = update(Shop).values(
    {
        tuple_(Shop.sido_id, Shop.sigungu_id, Shop.dong_id): select(
            REGIONS.c.sido_id, REGIONS.c.sigungu_id, REGIONS.c.dong_id
        ).scalar_subquery(),
        Shop.brand_id: case(
            (Shop.overrides.has_key("brand"), Shop.brand_id),
            else_=func.coalesce(func.brand_of(Shop.place_name), Shop.brand_id),
        ),
    }
)


class NotPossible(Exception):
    """The correction is invalid; the message gives the reason."""


def set_fields(cursor: Any, shop_id: int, given: dict[str, str], reason: str) -> None:
    """Sets fields manually; later imports keep them. An empty value clears the field."""
    before = facts(cursor, shop_id)
    values = {name: _cleaned(name, value) for name, value in given.items()}
    if values.get("status", "CLOSED") != "CLOSED":
        values.setdefault("closed_on", None)
    sets: dict[str, Any] = {name: values[name] for name in COLUMNS if name in values}
    if "status" in values or values.get("closed_on"):
        status = literal(values["status"]) if "status" in values else Shop.status
        sets["closed_by"] = case((status == "CLOSED", "OPERATOR"))
    if "brand" in values:
        sets["brand_id"] = id_of_brand(cursor, values["brand"]) if values["brand"] else None
    if {"longitude", "latitude"} & values.keys():
        place = {**{name: before[name] for name in LIMITS}, **values}
        sets["geog"] = func.point_at(place["longitude"], place["latitude"])
    overrides = Shop.overrides.op("||")(cast(literal(json.dumps(values)), JSONB))
    changed = update(Shop).where(Shop.id == shop_id).values(sets)
    execute(cursor, changed.values(overrides=overrides, modified_at=func.now()))
    execute(cursor, DERIVE.where(Shop.id == shop_id))
    _log(cursor, "set", shop_id, reason, {"old": {n: before[n] for n in values}, "new": values})


def release(cursor: Any, shop_id: int, names: list[str], reason: str) -> None:
    """Removes overrides: the next import sets these fields again, and may reopen a closed shop."""
    into_id = facts(cursor, shop_id)["merged_into_id"]
    kept = [name for name in names if into_id and name in KEPT_BY_A_MERGE]
    if kept:
        raise NotPossible(
            f"shop {shop_id} is merged into {into_id} and stays closed: "
            f"{' and '.join(kept)} cannot be released"
        )
    shop = update(Shop).where(Shop.id == shop_id)
    execute(
        cursor, shop.values(overrides=Shop.overrides.op("-")(cast(literal(names), ARRAY(Text))))
    )
    if "status" in names:
        execute(cursor, shop.where(Shop.closed_by == "OPERATOR").values(closed_by="IMPORT"))
    _log(cursor, "release", shop_id, reason, {"fields": names})


def close(cursor: Any, shop_id: int, day: str, reason: str) -> None:
    """Closes a shop as of a day."""
    if facts(cursor, shop_id)["status"] == "CLOSED":
        raise NotPossible(f"shop {shop_id} is already closed")
    set_fields(cursor, shop_id, {"status": "CLOSED", "closed_on": day}, reason)


def merge(cursor: Any, duplicate_id: int, into_id: int, day: str, reason: str) -> None:
    """Closes a duplicate and moves its reviews, favorites and open reports to the other shop."""
    if duplicate_id == into_id:
        raise NotPossible("a shop cannot be merged into itself")
    _lock(cursor, duplicate_id, into_id)
    before = facts(cursor, duplicate_id)
    _move_favorites_and_reviews(cursor, duplicate_id, into_id)
    _move_open_reports(cursor, duplicate_id, into_id)
    earlier = update(Shop).where(Shop.merged_into_id == duplicate_id)
    execute(cursor, earlier.values(merged_into_id=into_id))
    _close_duplicate(cursor, duplicate_id, into_id, day)
    for shop_id in sorted((duplicate_id, into_id)):
        execute(cursor, select(func.repair_counters(shop_id)))
    _log(cursor, "merge", duplicate_id, reason, {"into": into_id, "old": before})


def _lock(cursor: Any, duplicate_id: int, into_id: int) -> None:
    """Locks two shops that are not merged yet; waits for running commands, see begin_command_on."""
    # a command on a merged shop holds its lock while it waits for that of the other shop
    _reject_merged(cursor, duplicate_id, into_id)
    for shop_id in sorted((duplicate_id, into_id)):
        execute(cursor, select(func.pg_advisory_xact_lock(-shop_id)))
    both = or_(Shop.id == duplicate_id, Shop.id == into_id)
    execute(cursor, select(Shop.id).where(both).order_by(Shop.id).with_for_update())
    _reject_merged(cursor, duplicate_id, into_id)


def _move_favorites_and_reviews(cursor: Any, duplicate_id: int, into_id: int) -> None:
    """Moves them, except favorites of members who have the other shop as a favorite, too."""
    kept = aliased(Favorite)
    of_both = delete(Favorite).where(
        Favorite.shop_id == duplicate_id,
        kept.shop_id == into_id,
        kept.member_id == Favorite.member_id,
    )
    execute(cursor, of_both)
    for model in (Favorite, Review):
        moved = update(model).where(model.shop_id == duplicate_id)
        execute(cursor, moved.values(shop_id=into_id))


def _move_open_reports(cursor: Any, duplicate_id: int, into_id: int) -> None:
    """Moves open reports, except those of members who already have an open report of the other shop."""
    kept = aliased(Report)
    is_reported = (
        select(kept.id)
        .where(
            kept.shop_id == into_id,
            kept.member_id == Report.member_id,
            kept.closed_at.is_(None),
        )
        .exists()
    )
    moved = update(Report).where(
        Report.shop_id == duplicate_id, Report.closed_at.is_(None), ~is_reported
    )
    execute(cursor, moved.values(shop_id=into_id))


def _close_duplicate(cursor: Any, duplicate_id: int, into_id: int, day: str) -> None:
    """Closes the duplicate, as of the day unless it has a day already; later imports keep it closed."""
    duplicate = update(Shop).where(Shop.id == duplicate_id)
    closed_on = func.coalesce(
        Shop.closed_on, func.greatest(cast(literal(day), Date), Shop.opened_on)
    )
    closed = duplicate.values(
        merged_into_id=into_id,
        status="CLOSED",
        closed_by="OPERATOR",
        modified_at=func.now(),
        closed_on=closed_on,
    )
    execute(cursor, closed)
    closing = func.jsonb_build_object("status", Shop.status, "closed_on", Shop.closed_on)
    execute(cursor, duplicate.values(overrides=Shop.overrides.op("||")(closing)))


def _reject_merged(cursor: Any, *shop_ids: int) -> None:
    for shop_id in shop_ids:
        if facts(cursor, shop_id)["merged_into_id"]:
            raise NotPossible(f"shop {shop_id} is already merged into another shop")


def keep_apart(cursor: Any, shop_id: int, other_id: int, reason: str) -> None:
    """Records that two shops are different; they are not listed as duplicates again."""
    if shop_id == other_id:
        raise NotPossible("a shop cannot be kept apart from itself")
    first, second = sorted((shop_id, other_id))
    facts(cursor, first), facts(cursor, second)
    _log(cursor, "keep-apart", first, reason, {"other": second})


def duplicates(cursor: Any) -> list[dict[str, Any]]:
    """Pairs of possible duplicates."""
    return fetch_dicts(cursor, select(literal_column("*")).select_from(func.duplicate_shops()))


def facts(cursor: Any, shop_id: int) -> dict[str, Any]:
    """The current values of the fields that can be corrected."""
    row = execute(cursor, FACTS.where(Shop.id == shop_id)).fetchone()
    if row is None:
        raise NotPossible(f"no shop with id {shop_id}")
    found: dict[str, Any] = row[0]
    return found


def id_of_brand(cursor: Any, name: str) -> int:
    """Id of the brand with that name or alias."""
    (brand_id,) = execute(cursor, select(func.brand_named(name))).fetchone()
    if brand_id is None:
        raise NotPossible(
            f"unknown brand {name}; add it with {as_started('brands add')} {shlex.quote(name)}"
        )
    return int(brand_id)


def _cleaned(name: str, value: str) -> str | None:
    if name not in FIELDS:
        raise NotPossible(f"{name} must be one of {', '.join(FIELDS)}")
    value = unicodedata.normalize("NFC", value).strip()
    if any(unicodedata.category(c) in ("Cc", "Cs") for c in value):
        raise NotPossible(f"{name} must not contain control characters")
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
    # PostGIS would silently convert longitude 200 to -160
    try:
        fits = abs(float(value)) <= LIMITS[name]
    except ValueError:
        fits = False
    if not fits:
        raise NotPossible(f"{name} must be a number between -{LIMITS[name]} and {LIMITS[name]}")
    return value


def _log(cursor: Any, action: str, shop_id: int, reason: str, detail: dict[str, Any]) -> None:
    write_audit(
        cursor, action=action, subject="shop", subject_id=shop_id, reason=reason, detail=detail
    )
