"""Writes resolved rows to shops, adds brands, and closes missing shops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from psycopg2 import sql

from geoshops.console import as_started
from geoshops.database import deferred_indexes
from geoshops.importing.deriving import DEFAULTS, DERIVED, listed
from geoshops.importing.errors import ImportRejected

MOST_NEW_BRANDS = 100
# closings that need no confirmation: fewer than five shops, or at most a fifth of the source's open ones
FEWEST_TO_GUARD = 5
USUAL_SHARE = 0.2
# From this many rows that cannot be imported because their key is that of another shop, and if they exceed this share, the
# column is not a key; fewer may be errors of the source.
FEWEST_LOST = 10
LOST_SHARE = 0.01
KEYS_SHOWN = 5
# after larger loads, the index that the comparison needs may not exist yet
MOST_COMPARED = deferred_indexes.LEAST_ROWS - 1
COMPARED = (*DEFAULTS, "geog", *DERIVED)
# an open shop that the file does not list; a rejected row still counts as listing its shop
MISSING = sql.SQL(
    "s.source = %(source)s AND s.status <> 'CLOSED'"
    " AND NOT s.overrides ? 'status' AND s.source_id <> ALL (%(keys)s)"
    " AND NOT EXISTS (SELECT FROM incoming i WHERE i.source_id = s.source_id)"
    " AND NOT EXISTS (SELECT FROM known_as k WHERE k.shop_id = s.id)"
)


@dataclass(frozen=True)
class Resolved:
    """Counts of the resolved rows."""

    rows: int
    new: int
    reopened: int
    closed_stated: int
    address_checked: int
    address_fits: int


@dataclass(frozen=True)
class AmbiguousKey:
    """A key shared by rows with several names, in line order."""

    key: str
    lines: list[int]
    names: list[str]

    @property
    def lost(self) -> int:
        """Number of rows whose name differs from the first, so that they cannot be the same shop."""
        return sum(name != self.names[0] for name in self.names)

    def __str__(self) -> str:
        other = next(i for i, name in enumerate(self.names) if name != self.names[0])
        return (
            f"{self.key!r} is {self.names[0]!r} in line {self.lines[0]} "
            f"and {self.names[other]!r} in line {self.lines[other]}"
        )


@dataclass(frozen=True)
class Closings:
    """The open shops of the source that an import would close."""

    open_before: int
    missing: int
    stated: int

    @property
    def are_unusual(self) -> bool:
        """Whether there are so many that an operator has to confirm them."""
        closed = self.missing + self.stated
        return closed >= FEWEST_TO_GUARD and closed > USUAL_SHARE * self.open_before

    def message(self, source: str) -> str:
        """The error message, with the counts and the option to confirm them."""
        elsewhere = ". If other files list them, use a separate --source for each file or omit --on-missing close"
        return (
            f"this would close {self.missing + self.stated} of the {self.open_before} open shops of source "
            f"{source}: {self.missing} that the file does not list and {self.stated} that are closed in the file. "
            f"If that is correct, add --allow-shrink{elsewhere if self.missing else ''}"
        )


@dataclass
class Loaded:
    """Result of the load. A row of the file is either inserted, updated, unchanged or identical."""

    inserted: int = 0
    updated: int = 0
    # the shop already has the values of the row
    unchanged: int = 0
    # an earlier row of the file has the same values
    identical: int = 0
    closed_missing: int = 0
    closed_stated: int = 0
    reopened: int = 0
    rekeyed: int = 0
    brands_added: list[str] = field(default_factory=list)
    unknown_brands: dict[str, int] = field(default_factory=dict)
    shared_points: list[dict[str, Any]] = field(default_factory=list)
    no_brand_is_representative: bool = False
    largest_brands: list[str] = field(default_factory=list)
    address_checked: int = 0
    address_fits: int = 0
    duplicate_candidates: int | None = None
    # in a dry run, the reason for which the import would be rejected
    rejection: str | None = None
    new_ids: list[int] | None = None

    def counts(self) -> dict[str, Any]:
        """The entries of the import's summary."""
        return {name: value for name, value in vars(self).items() if name != "new_ids"}


def repeated_keys(cursor: Any) -> dict[str, int]:
    """Keys shared by several rows, each with the line of its first row."""
    cursor.execute(
        "SELECT source_id, min(line) FROM incoming GROUP BY source_id HAVING count(*) > 1"
    )
    return dict(cursor.fetchall())


def ambiguous_keys(cursor: Any, repeated: dict[str, int]) -> list[AmbiguousKey]:
    """The repeated keys whose rows have different names."""
    cursor.execute(
        "SELECT i.source_id, array_agg(i.line ORDER BY i.line), array_agg(i.place_name ORDER BY i.line)"
        " FROM incoming i JOIN unnest(%s::text[]) AS r (source_id) USING (source_id)"
        " GROUP BY i.source_id HAVING count(DISTINCT name_key(i.place_name)) > 1 ORDER BY min(i.line)",
        (list(repeated),),
    )
    return [AmbiguousKey(*row) for row in cursor.fetchall()]


def warn_of_ambiguous_keys(
    keys: list[AmbiguousKey], rows: int, warn: Callable[[str], object]
) -> None:
    """Warns of keys with several names; rejects the file if there are so many that the column cannot be a key."""
    if not keys:
        return
    lost = sum(key.lost for key in keys)
    message = (
        f"{len(keys)} keys have several names; only the first row of each can be imported, "
        f"{lost} rows cannot: {'; '.join(map(str, keys[:KEYS_SHOWN]))}"
    )
    if lost >= FEWEST_LOST and lost > LOST_SHARE * rows:
        raise ImportRejected(
            f"{message}. Map all columns that identify a row together, for example "
            "--map OFFICE=source_id --map NUMBER=source_id"
        )
    warn(message)


def drop_repeated_keys(cursor: Any, repeated: dict[str, int]) -> dict[int, int]:
    """Deletes staged rows whose key occurs in an earlier row; returns line → line of the first row."""
    # a separate statement, because the planner overestimates the number of repeated keys and would hash every row
    cursor.execute(
        "DELETE FROM incoming i USING unnest(%s::text[], %s::bigint[]) AS r (source_id, first_line)"
        " WHERE i.source_id = r.source_id AND i.line <> r.first_line RETURNING i.line, r.first_line",
        (list(repeated), list(repeated.values())),
    )
    return dict(sorted(cursor.fetchall()))


def unknown_brands(cursor: Any, stored: list[str]) -> dict[str, int]:
    """Brands of the file that are not in the database, with their numbers of rows, most first."""
    if "brand" not in stored:
        return {}
    cursor.execute(
        "SELECT min(brand), count(*) FROM incoming WHERE NOT is_blank(brand) GROUP BY name_key(brand)"
        " HAVING brand_named(min(brand)) IS NULL ORDER BY 2 DESC, 1"
    )
    return dict(cursor.fetchall())


def add_brands(cursor: Any, names: list[str]) -> None:
    """Adds brands of the file."""
    if len(names) > MOST_NEW_BRANDS:
        raise ImportRejected(
            f"{len(names)} unknown brands, among them {', '.join(names[:5])}: is the right column "
            f"mapped to brand? Without --add-brands, none is added; to add brands from a list, use {as_started('import brands')}"
        )
    cursor.execute("INSERT INTO brands (name) SELECT unnest(%s::text[])", (names,))


def keep_where_dropped(cursor: Any, source: str, lines: dict[str, list[int]]) -> None:
    """Keeps a shop's stored value where the file's value was dropped; `lines` maps fields to lines."""
    for name in sorted(DEFAULTS.keys() & lines.keys()):
        cursor.execute(
            sql.SQL(
                "UPDATE incoming i SET {name} = s.{name} FROM shops s WHERE i.line = ANY (%s) AND s.source = %s"
                " AND s.source_id = coalesce("
                "(SELECT k.current_key FROM known_as k WHERE k.source_id = i.source_id), i.source_id)"
            ).format(name=sql.Identifier(name)),
            (lines[name], source),
        )


def drop_impossible_dates(cursor: Any, stored: list[str]) -> dict[int, str]:
    """Deletes rows whose shop would close before it opens; returns line → reason."""
    if not {"opened_on", "closed_on"} & {*stored}:
        return {}
    cursor.execute("DELETE FROM resolved WHERE closed_on < opened_on RETURNING line")
    return {line: "[closed_on] before opened_on" for (line,) in cursor.fetchall()}


def count_resolved(cursor: Any) -> Resolved:
    """Counts the resolved shops in one pass."""
    cursor.execute(
        "SELECT count(*), count(*) - count(shop_id),"
        " count(*) FILTER (WHERE own_status = 'CLOSED' AND status <> 'CLOSED'),"
        " count(*) FILTER (WHERE own_status <> 'CLOSED' AND status = 'CLOSED'),"
        " count(address_sigungu_id) FILTER (WHERE has_polygon),"
        " count(*) FILTER (WHERE has_polygon AND address_sigungu_id = sigungu_id) FROM resolved"
    )
    return Resolved(*cursor.fetchone())


def count_closings(
    cursor: Any, source: str, resolved: Resolved, *, close_missing: bool, rejected_keys: list[str]
) -> Closings:
    """Counts the open shops of the source, and those that this import would close."""
    statement = sql.SQL(
        "SELECT (SELECT count(*) FROM shops WHERE source = %(source)s AND status <> 'CLOSED'),"
        " (SELECT count(*) FROM shops s WHERE %(close_missing)s AND {})"
    ).format(MISSING)
    given = {"source": source, "close_missing": close_missing, "keys": rejected_keys}
    cursor.execute(statement, given)
    open_before, missing = cursor.fetchone()
    return Closings(open_before, missing, resolved.closed_stated)


def lock_shops(cursor: Any, source: str, *, close_missing: bool, new_keys: bool) -> None:
    """Locks the shops that will change in id order, as writes of members do, so that they cannot deadlock.

    Members may have changed these shops in the meantime, but only counters, which imports do not change. Changing a
    key needs the stronger lock, which must be taken first: upgrading the weaker one could deadlock with a review."""
    mode = "UPDATE" if new_keys else "NO KEY UPDATE"
    cursor.execute(_lock_statement(mode), {"source": source, "close_missing": close_missing})


def write(cursor: Any, source: str, resolved: Resolved) -> Loaded:
    """Inserts new shops and updates changed ones.

    Of the others, at most the date of verification, the reason for closing and the key are refreshed."""
    cursor.execute(_update_statement())
    updated, _ = cursor.fetchone()
    compared = resolved.new <= MOST_COMPARED
    cursor.execute(_insert_statement(returning=compared), {"source": source})
    loaded = Loaded(cursor.rowcount, updated, resolved.rows - resolved.new - updated)
    loaded.reopened, loaded.closed_stated = resolved.reopened, resolved.closed_stated
    loaded.address_checked, loaded.address_fits = resolved.address_checked, resolved.address_fits
    loaded.new_ids = [shop_id for (shop_id,) in cursor.fetchall()] if compared else None
    return loaded


def count_duplicates(cursor: Any, new_ids: list[int] | None) -> int | None:
    """The number of possible duplicates of new shops; None if there are too many shops to compare."""
    if new_ids is None:
        return None
    # With statistics from before a first load, the planner would compare every shop with every other.
    cursor.execute("ANALYZE shops (id, geog, brand_id)")
    cursor.execute("SELECT count(*) FROM duplicate_shops(%s)", (new_ids,))
    return int(cursor.fetchone()[0])


def close_missing(cursor: Any, source: str, day: str, rejected_keys: list[str]) -> list[int]:
    """Closes the shops of the source that the file does not list, except those whose status was set manually."""
    statement = sql.SQL(
        "UPDATE shops s SET status = 'CLOSED', closed_on = greatest(%(day)s::date, s.opened_on),"
        " closed_by = 'IMPORT', modified_at = now() WHERE {} RETURNING s.id"
    ).format(MISSING)
    cursor.execute(statement, {"source": source, "day": day, "keys": rejected_keys})
    return [shop_id for (shop_id,) in cursor.fetchall()]


def _lock_statement(mode: str) -> sql.Composable:
    return sql.SQL(
        """
        SELECT count(*) FROM (
          SELECT FROM shops s LEFT JOIN resolved r ON r.shop_id = s.id
          WHERE s.source = %(source)s AND CASE WHEN r.shop_id IS NULL
            THEN %(close_missing)s AND s.status <> 'CLOSED'
            ELSE ({own}) IS DISTINCT FROM ({values})
              OR s.closed_by IS DISTINCT FROM r.closed_by OR s.source_id <> r.new_key
              OR s.verified_on IS NULL OR s.verified_on < r.verified_on END
          ORDER BY s.id FOR {mode} OF s
        ) locked
        """
    ).format(own=listed("s", COMPARED), values=listed("r", COMPARED), mode=sql.SQL(mode))


def _update_statement() -> sql.Composable:
    return sql.SQL(
        """
        WITH updated AS (
          UPDATE shops s SET ({columns}) = ROW ({values}), modified_at = now(), closed_by = r.closed_by,
            source_id = r.new_key, verified_on = greatest(s.verified_on, r.verified_on)
          FROM resolved r
          WHERE s.id = r.shop_id AND ({own}) IS DISTINCT FROM ({values})
          RETURNING s.id
        ),
        seen_again AS (
          UPDATE shops s SET verified_on = greatest(s.verified_on, r.verified_on), closed_by = r.closed_by,
            source_id = r.new_key
          FROM resolved r
          WHERE s.id = r.shop_id AND ({own}) IS NOT DISTINCT FROM ({values})
            AND (s.verified_on IS NULL OR s.verified_on < r.verified_on
              OR s.closed_by IS DISTINCT FROM r.closed_by OR s.source_id <> r.new_key)
          RETURNING s.id
        )
        SELECT (SELECT count(*) FROM updated), (SELECT count(*) FROM seen_again)
        """
    ).format(
        columns=sql.SQL(", ").join(map(sql.Identifier, COMPARED)),
        values=listed("r", COMPARED),
        own=listed("s", COMPARED),
    )


def _insert_statement(*, returning: bool) -> sql.Composable:
    return sql.SQL(
        """
        INSERT INTO shops (source, source_id, verified_on, closed_by, {columns})
        SELECT %(source)s, r.new_key, r.verified_on, r.closed_by, {values} FROM resolved r
        WHERE r.shop_id IS NULL
        -- neighbouring shops share pages, so radius searches read fewer pages
        ORDER BY r.geog::geometry
        {returning}
        """
    ).format(
        columns=sql.SQL(", ").join(map(sql.Identifier, COMPARED)),
        values=listed("r", COMPARED),
        returning=sql.SQL("RETURNING id" if returning else ""),
    )
