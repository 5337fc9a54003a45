"""The fields of a shop in a file, and what a row says by leaving one out."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence

from geoshops.importing import fields
from geoshops.importing.points import Reasons
from geoshops.importing.staging import Columns, Field, Value

REQUIRED = ("place_name", "longitude", "latitude")
LONGEST_KEY = 200
FIELDS = {
    "source_id": Field(fields.name),
    "former_id": Field(fields.text(LONGEST_KEY)),
    "place_name": Field(fields.name),
    "brand": Field(fields.text(100)),
    "road_address": Field(fields.text(500)),
    "lot_address": Field(fields.text(500)),
    "address": Field(fields.text(500), None),
    "status": Field(fields.status),
    "opened_on": Field(fields.day, "date"),
    "closed_on": Field(fields.day, "date"),
    "phone": Field(fields.text(50)),
    "homepage": Field(fields.web_address),
    "opening_hours": Field(fields.hours, "jsonb"),
    "verified_on": Field(fields.day, "date"),
}
COLUMNS = (*FIELDS, "longitude", "latitude")


def fields_for(mapped: Iterable[str]) -> dict[str, Field]:
    """The fields that the file fills, with those that follow from them."""
    named = {*mapped, "source_id"}
    if "address" in named:
        named |= {"road_address", "lot_address"}
    if "closed_on" in named:
        named.add("status")
    return {name: field for name, field in FIELDS.items() if name in named}


def complete(columns: Columns, reasons: Reasons) -> None:
    """Adds to a chunk what its other fields tell: the style of an address, the status, the key."""
    count = len(columns["place_name"])
    if "address" in columns:
        _sort_addresses(columns, count)
    if "closed_on" in columns and "status" not in columns:
        columns["status"] = ["CLOSED" if day else "OPEN" for day in columns["closed_on"]]
    if "source_id" not in columns:
        columns["source_id"] = _keys(columns, count)


def _sort_addresses(columns: Columns, count: int) -> None:
    road, lot = (list(columns.get(n, [""] * count)) for n in ("road_address", "lot_address"))
    for i, address in enumerate(columns["address"]):
        kind = road if fields.is_road_address(address or "") else lot
        kind[i] = kind[i] or address
    columns |= {"road_address": road, "lot_address": lot}


def _keys(columns: Columns, count: int) -> list[Value]:
    nothing: Sequence[Value] = [""] * count
    road, lot = (columns.get(name, nothing) for name in ("road_address", "lot_address"))
    names = columns["place_name"]
    return [_key(n or "", r or a or "") for n, r, a in zip(names, road, lot, strict=True)]


def _key(place_name: str, address: str) -> str:
    """A key for rows of a source that has none: name and address without blanks and case."""
    folded = unicodedata.normalize("NFKC", f"{place_name}|{address}").casefold()
    key = re.sub(r"\s+", "", folded)
    return key if len(key) <= LONGEST_KEY else hashlib.sha256(key.encode()).hexdigest()
