"""Selects and checks pairs of shops to merge: pairs in a file, or certain duplicates by name and position."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import ARRAY, BigInteger, func, literal, select

from geoshops.database.models import Shop
from geoshops.database.statements import MAX_BIGINT, execute, named
from geoshops.shops.corrections import NotPossible

# closer than two shops of one chain ever are; an operator decides on pairs with equal names that are farther apart
CERTAIN_WITHIN_M = 20
COLUMNS = ("duplicate_id", "into_id")
MOST_SHOWN = 10
DUPLICATES = func.duplicate_shops(
    *named(within_m=literal(CERTAIN_WITHIN_M), least_similarity=literal(1))
).table_valued("shop_id", "place_name", "other_id", "other_name")
CERTAIN = (
    select(DUPLICATES.c.other_id, DUPLICATES.c.shop_id)
    .where(func.name_key(DUPLICATES.c.place_name) == func.name_key(DUPLICATES.c.other_name))
    .order_by(DUPLICATES.c.shop_id, DUPLICATES.c.other_id)
)


@dataclass(frozen=True)
class Pair:
    """A duplicate and the shop that stays; `place` is the pair's line in the file."""

    duplicate_id: int
    into_id: int
    place: str = ""

    @property
    def at(self) -> str:
        """The beginning of error messages."""
        return f"{self.place}: " if self.place else ""


@dataclass(frozen=True)
class Merges:
    """The pairs to merge, the names of their shops, and the number of pairs that are already merged."""

    pairs: list[Pair]
    names: dict[int, str]
    already: int


def read_pairs(path: Path) -> list[Pair]:
    """The pairs of a CSV file with the columns duplicate_id and into_id; other columns are ignored."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
            if missing:
                raise NotPossible(f"{path} has no column {', '.join(missing)}")
            return [_pair(row, f"line {reader.line_num}") for row in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        raise NotPossible(f"{path} is not a CSV file in UTF-8: {error}") from error


def pairs_as_csv(duplicates: Iterable[dict[str, Any]]) -> str:
    """Possible duplicates as a file for read_pairs; the older shop of a pair stays."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*COLUMNS, "duplicate_name", "into_name", "distance_m", "similarity"])
    writer.writerows(
        [
            pair["other_id"],
            pair["shop_id"],
            pair["other_name"],
            pair["place_name"],
            f"{pair['distance_m']:.1f}",
            f"{pair['similarity']:.2f}",
        ]
        for pair in duplicates
    )
    return text.getvalue()


def certain_pairs(cursor: Any) -> list[Pair]:
    """Pairs with the same brand and name at most CERTAIN_WITHIN_M apart; the shop with the lower id stays."""
    pairs: list[Pair] = []
    gone: set[int] = set()
    for duplicate_id, into_id in execute(cursor, CERTAIN).fetchall():
        # a third shop is only compared with the one that stays
        if not gone & {duplicate_id, into_id}:
            gone.add(duplicate_id)
            pairs.append(Pair(duplicate_id, into_id))
    return pairs


def plan(cursor: Any, pairs: Iterable[Pair]) -> Merges:
    """The pairs that still have to be merged; raises NotPossible and lists every pair that cannot be merged."""
    pairs = list(pairs)
    ids = [shop_id for pair in pairs for shop_id in (pair.duplicate_id, pair.into_id)]
    named_shops = select(Shop.id, Shop.merged_into_id, Shop.place_name).where(
        Shop.id == func.any(literal(ids, ARRAY(BigInteger)))
    )
    rows = execute(cursor, named_shops).fetchall()
    names = {shop_id: name for shop_id, _, name in rows}
    merged = {shop_id: into_id for shop_id, into_id, _ in rows if into_id}
    todo: list[Pair] = []
    faults: list[str] = []
    for pair in pairs:
        stays, into = _kept(merged, pair.duplicate_id), _kept(merged, pair.into_id)
        unknown = [i for i in (pair.duplicate_id, pair.into_id) if i not in names]
        if unknown:
            faults.append(f"{pair.at}no shop with id {unknown[0]}")
        elif pair.duplicate_id == pair.into_id:
            faults.append(f"{pair.at}shop {into} cannot be merged into itself")
        elif stays not in (pair.duplicate_id, into):
            faults.append(f"{pair.at}shop {pair.duplicate_id} is already merged into {stays}")
        elif stays != into:
            todo.append(Pair(pair.duplicate_id, into, pair.place))
            merged[pair.duplicate_id] = into
    if faults:
        more = f" and {len(faults) - MOST_SHOWN} more" if len(faults) > MOST_SHOWN else ""
        raise NotPossible("; ".join(faults[:MOST_SHOWN]) + more)
    return Merges(todo, names, len(pairs) - len(todo))


def _pair(row: dict[str, str | None], place: str) -> Pair:
    numbers = []
    for name in COLUMNS:
        text = (row[name] or "").strip()
        if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MAX_BIGINT):
            raise NotPossible(f"{place}: [{name}] {text!r} is not a shop id")
        numbers.append(int(text))
    return Pair(numbers[0], numbers[1], place)


def _kept(merged: dict[int, int], shop_id: int) -> int:
    while shop_id in merged:
        shop_id = merged[shop_id]
    return shop_id
