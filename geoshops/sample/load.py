"""Loads the sample with COPY, in one transaction and with bounded memory."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, Any, NamedTuple

from geoshops import nicknames
from geoshops.database import deferred_indexes
from geoshops.operations.boundaries import fill_missing
from geoshops.sample import rows as columns
from geoshops.sample.country import Country, Entry
from geoshops.sample.honours import honour
from geoshops.sample.members import Member
from geoshops.sample.reference import SOURCE, load_reference
from geoshops.sample.rows import Rows

CHUNK_BYTES = 1 << 20
# Blocks other writers and a second seed while keys are reserved, but not readers.
LOCK = "LOCK TABLE brands, regions, members, shops IN SHARE ROW EXCLUSIVE MODE"
RESERVE = """
WITH first AS (SELECT nextval(pg_get_serial_sequence(%(table)s, 'id')) AS id)
SELECT id, setval(pg_get_serial_sequence(%(table)s, 'id'), id + greatest(%(count)s, 1) - 1) FROM first"""
BOUNDARIES = "SELECT count(*) FROM regions WHERE boundary IS NOT NULL"
Progress = Callable[[Iterable[Entry]], Iterable[Entry]]


class Loaded(NamedTuple):
    """Numbers of loaded rows and of regions with a boundary."""

    shops: int
    reviews: int
    favorites: int
    members: int
    boundaries: int


def lock(cursor: Any) -> None:
    """Blocks other writers until the end of the transaction."""
    cursor.execute(LOCK)


def generated_shops(cursor: Any) -> int:
    """Counts the generated shops in the database."""
    cursor.execute("SELECT count(*) FROM shops WHERE source = %s", (SOURCE,))
    return int(cursor.fetchone()[0])


def load(cursor: Any, country: Country, progress: Progress) -> Loaded:
    """Loads everything. The caller locks before and commits; there must be no generated shop."""
    members = _renamed(cursor, country.roster.members)
    ids = load_reference(cursor)
    if country.ground.districts:
        fill_missing(cursor, country.ground.districts)
    first_shop_id = _reserved(cursor, "shops", country.size.shops)
    rows = Rows(country.clock, ids, first_shop_id, _reserved(cursor, "members", len(members)))
    _copy(cursor, "members", columns.MEMBER, _Stream(map(rows.member, members)))
    _copy(cursor, "member_identities", columns.IDENTITY, _Stream(map(rows.identity, members)))
    with tempfile.TemporaryFile() as reviews, tempfile.TemporaryFile() as favorites:
        lines = _shops(rows, progress(country.entries()), reviews, favorites)
        with deferred_indexes.left_out(cursor, country.size.shops):
            _copy(cursor, "shops", columns.SHOP, _Stream(lines))
        reviews.seek(0)
        favorites.seek(0)
        review_count = _copy(cursor, "reviews", columns.REVIEW, reviews)
        favorite_count = _copy(cursor, "favorites", columns.FAVORITE, favorites)
    honour(cursor, country.clock.today)
    cursor.execute(BOUNDARIES)
    (boundaries,) = cursor.fetchone()
    return Loaded(country.size.shops, review_count, favorite_count, len(members), boundaries)


def _renamed(cursor: Any, members: Sequence[Member]) -> list[Member]:
    """Renames members whose nickname is taken by a real member."""
    keys = {nicknames.key(m.nickname): m for m in members}
    cursor.execute("SELECT nickname_key FROM members WHERE nickname_key = ANY(%s)", (list(keys),))
    taken = {keys[key].number for (key,) in cursor.fetchall()}
    return [
        m._replace(nickname=f"sample-{m.number + 1}") if m.number in taken else m for m in members
    ]


def _shops(
    rows: Rows, entries: Iterable[Entry], reviews: IO[bytes], favorites: IO[bytes]
) -> Iterator[str]:
    """Yields rows of shops and buffers their dependent rows in files, since COPY loads one table at a time."""
    for entry in entries:
        yield rows.shop(entry)
        reviews.write("".join(rows.reviews(entry)).encode())
        favorites.write("".join(rows.favorites(entry)).encode())


def _reserved(cursor: Any, table: str, count: int) -> int:
    """Reserves `count` keys and returns the first."""
    cursor.execute(RESERVE, {"table": table, "count": count})
    return int(cursor.fetchone()[0])


def _copy(cursor: Any, table: str, names: str, file: Any) -> int:
    cursor.copy_expert(f"COPY {table} ({names}) FROM STDIN", file, CHUNK_BYTES)
    return int(cursor.rowcount)


class _Stream:
    """Adapts an iterable of lines to the file interface of COPY."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)

    def read(self, size: int) -> bytes:
        """Returns about `size` bytes of whole lines; empty at the end."""
        taken, length = [], 0
        for line in self._lines:
            encoded = line.encode()
            taken.append(encoded)
            length += len(encoded)
            if length >= size - 10_000:
                break
        return b"".join(taken)
