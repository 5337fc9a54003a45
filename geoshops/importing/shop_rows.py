"""The fields of a shop in a file, and the defaults of missing ones."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import replace

from geoshops.importing import fields
from geoshops.importing.points import Reasons
from geoshops.importing.staging import Columns, Field, Value

HANGUL = re.compile("[가-힣]")
REQUIRED = ("place_name", "longitude", "latitude")
LONGEST_KEY = 200
FIELDS = {
    "source_id": Field(fields.key, optional=False),
    "former_id": Field(fields.text(LONGEST_KEY)),
    "place_name": Field(fields.name, optional=False),
    "brand": Field(fields.words(100)),
    "road_address": Field(fields.words(500)),
    "lot_address": Field(fields.words(500)),
    "address": Field(fields.words(500), None),
    "city": Field(fields.words(100)),
    "state": Field(fields.words(100), None),
    "country": Field(fields.words(100), None),
    # an unknown status word must not open a shop
    "status": Field(fields.status, optional=False),
    "opened_on": Field(fields.day, "date"),
    "closed_on": Field(fields.day, "date"),
    "phone": Field(fields.phone),
    "homepage": Field(fields.web_address),
    "opening_hours": Field(fields.hours, "jsonb"),
    "verified_on": Field(fields.day, "date"),
}
COLUMNS = (*FIELDS, "longitude", "latitude")
# parts of an address, smallest first
PLACES = ("city", "state", "country")
ADDRESSES = ("road_address", "lot_address", "address")
LONGEST_ADDRESS = 500
COUNTRY = ("대한민국", "한국")


def fields_for(mapped: Collection[str]) -> dict[str, Field]:
    """The fields of the file and the fields derived from them."""
    named = {*mapped, "source_id"}
    if {"address", *PLACES} & named:
        named |= {"road_address", "lot_address"}
    if "closed_on" in named:
        named.add("status")
    found = {name: field for name, field in FIELDS.items() if name in named}
    if "closed_on" in named and "status" not in mapped:
        # without a status column, the closing date determines whether the shop is closed
        found["closed_on"] = replace(found["closed_on"], optional=False)
    return found


def complete(columns: Columns, reasons: Reasons) -> None:
    """Derives fields from others: the kind of address, the status, the key."""
    count = len(columns["place_name"])
    if any(name in columns for name in PLACES):
        _add_places(columns, count)
    if "address" in columns:
        _sort_addresses(columns, count)
    if "closed_on" in columns and "status" not in columns:
        columns["status"] = ["CLOSED" if day else "OPEN" for day in columns["closed_on"]]
    if "source_id" not in columns:
        columns["source_id"] = _keys(columns, count)


def _add_places(columns: Columns, count: int) -> None:
    """Adds city, state and country to each address; they become the address of a row without one."""
    nothing: Sequence[Value] = [""] * count
    columns["address"] = [*columns.get("address", nothing)]
    named = [columns[name] for name in ADDRESSES if name in columns]
    places = [*zip(*(columns.get(name, nothing) for name in PLACES), strict=True)]
    lacking = [not any(texts) for texts in zip(*named, strict=True)]
    for name in ADDRESSES:
        if name in columns:
            texts = zip(columns[name], places, strict=True)
            columns[name] = [_joined(text, parts) if text else "" for text, parts in texts]
    for i in (i for i, none in enumerate(lacking) if none):
        columns["address"][i] = _joined("", places[i])  # type: ignore[index]


def _joined(address: str, places: Sequence[Value]) -> str:
    """The address with the places that it does not contain: before it in Korean, after it otherwise."""
    named = [p for p in dict.fromkeys(places) if p]
    if HANGUL.search("".join([address, *named])):
        words = address.split()
        larger = [p for p in reversed(named) if HANGUL.search(p) and p not in COUNTRY]
        # 서울 stands for 서울특별시
        more = [p for p in larger if not any(w.startswith(p) or p.startswith(w) for w in words)]
        whole = " ".join([*more, *words])
    else:
        words = re.split(r"[\s,]+", address.casefold())
        more = [p for p in named if not {*p.casefold().split()} <= {*words}]
        whole = ", ".join([address, *more] if address else more)
    return whole if len(whole) <= LONGEST_ADDRESS else address


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
    """A key for rows of a source without ids: name and address, ignoring blanks and case."""
    folded = unicodedata.normalize("NFKC", f"{place_name}|{address}").casefold()
    key = re.sub(r"\s+", "", folded)
    return key if len(key) <= LONGEST_KEY else hashlib.sha256(key.encode()).hexdigest()
