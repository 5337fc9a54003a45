"""From the staged rows to shops: regions and brands, what is written, and what went missing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from psycopg2 import sql

from geoshops import indexes
from geoshops.importing.deriving import DEFAULTS, DERIVED, listed
from geoshops.importing.refusal import ImportRefused

MOST_NEW_BRANDS = 100
LEAST_FOR_GUARD = 10
# a larger load may leave the index out by which they are compared
MOST_COMPARED = indexes.LEAST_ROWS - 1
COMPARED = (*DEFAULTS, "geog", *DERIVED)


@dataclass(frozen=True)
class Resolved:
    """What the rows of the file come to."""

    rows: int
    not_closed: int
    new: int
    address_checked: int
    address_fits: int


@dataclass
class Loaded:
    """What the load did, row by row counted once."""

    inserted: int = 0
    updated: int = 0
    unchanged: int = 0
    closed_missing: int = 0
    brands_added: list[str] = field(default_factory=list)
    address_checked: int = 0
    address_fits: int = 0
    duplicate_candidates: int | None = None
    new_ids: list[int] | None = None


def drop_repeated_keys(cursor: Any) -> dict[int, str]:
    """Takes rows out of the staging whose key an earlier row has; line → reason."""
    cursor.execute(
        "SELECT source_id, min(line) FROM incoming GROUP BY source_id HAVING count(*) > 1"
    )
    repeated = cursor.fetchall()
    # asked for by themselves: the planner takes a third of all keys to be repeated and would hash every row
    cursor.execute(
        "DELETE FROM incoming i USING unnest(%s::text[], %s::bigint[]) AS r (source_id, first_line)"
        " WHERE i.source_id = r.source_id AND i.line <> r.first_line RETURNING i.line, r.first_line",
        ([key for key, _ in repeated], [line for _, line in repeated]),
    )
    return {line: f"the same key as line {first}" for line, first in sorted(cursor.fetchall())}


def add_brands(cursor: Any, stored: list[str]) -> list[str]:
    """Brands that the file names and the table does not hold yet are added, and told."""
    if "brand" not in stored:
        return []
    cursor.execute(
        "SELECT min(brand) FROM incoming WHERE NOT is_blank(brand) GROUP BY name_key(brand)"
        " HAVING brand_named(min(brand)) IS NULL ORDER BY 1"
    )
    names = [name for (name,) in cursor.fetchall()]
    if len(names) > MOST_NEW_BRANDS:
        raise ImportRefused(
            f"{len(names)} unknown brands, among them {', '.join(names[:5])}: is the right column "
            "mapped to brand? `geoshops brands add` adds brands one by one"
        )
    cursor.execute("INSERT INTO brands (name) SELECT unnest(%s::text[])", (names,))
    return names


def drop_impossible_dates(cursor: Any, stored: list[str]) -> dict[int, str]:
    """Rows whose shop would close before it opens; what a shop has by itself is in order."""
    if not {"opened_on", "closed_on"} & {*stored}:
        return {}
    cursor.execute("DELETE FROM resolved WHERE closed_on < opened_on RETURNING line")
    return {line: "[closed_on] before opened_on" for (line,) in cursor.fetchall()}


def count_resolved(cursor: Any) -> Resolved:
    """Counts the shops as they shall be, in one pass."""
    cursor.execute(
        "SELECT count(*), count(*) FILTER (WHERE status <> 'CLOSED'), count(*) - count(shop_id),"
        " count(address_sigungu_id) FILTER (WHERE has_polygon),"
        " count(*) FILTER (WHERE has_polygon AND address_sigungu_id = sigungu_id) FROM resolved"
    )
    return Resolved(*cursor.fetchone())


def guard_against_shrinking(cursor: Any, source: str, now: int) -> None:
    """Refuses a load with less than half of the shops that the source stated before and that are not closed."""
    cursor.execute("SELECT count(*) FROM shops WHERE source = %s AND status <> 'CLOSED'", (source,))
    (before,) = cursor.fetchone()
    if before >= LEAST_FOR_GUARD and now * 2 < before:
        raise ImportRefused(
            f"the file holds {now} shops that are not closed, the database {before} of source "
            f"{source}: less than half. If that is right, add --allow-shrink"
        )


def lock_shops(cursor: Any, source: str, close_missing: bool) -> None:
    """Locks the shops that will change in the order of their ids, as acts of members do: no deadlock.

    Meanwhile members may have written to them, but only counters, which no import touches."""
    cursor.execute(_lock_statement(), {"source": source, "close_missing": close_missing})


def write(cursor: Any, source: str, found: Resolved) -> Loaded:
    """Writes every shop that is new or differs; the others are not touched."""
    cursor.execute(_update_statement())
    updated, _ = cursor.fetchone()
    compared = found.new <= MOST_COMPARED
    cursor.execute(_insert_statement(returning=compared), {"source": source})
    loaded = Loaded(cursor.rowcount, updated, found.rows - found.new - updated)
    loaded.address_checked, loaded.address_fits = found.address_checked, found.address_fits
    loaded.new_ids = [shop_id for (shop_id,) in cursor.fetchall()] if compared else None
    return loaded


def count_duplicates(cursor: Any, new_ids: list[int] | None) -> int | None:
    """Pairs that a new shop makes with another; None where there are too many to compare them now."""
    if new_ids is None:
        return None
    cursor.execute("SELECT count(*) FROM duplicate_shops(%s)", (new_ids,))
    return int(cursor.fetchone()[0])


def close_missing(cursor: Any, source: str, day: str, rejected_keys: list[str]) -> list[int]:
    """Closes the shops of the source that the file does not state, except where status was set by hand.

    A row that was rejected still states its shop."""
    cursor.execute(
        "UPDATE shops s SET status = 'CLOSED', closed_on = greatest(%(day)s::date, s.opened_on),"
        " modified_at = now()"
        " WHERE s.source = %(source)s AND s.status <> 'CLOSED' AND NOT s.overrides ? 'status'"
        " AND NOT EXISTS (SELECT FROM incoming i WHERE i.source_id = s.source_id)"
        " AND s.source_id <> ALL (%(keys)s)"
        " RETURNING s.id",
        {"source": source, "day": day, "keys": rejected_keys},
    )
    return [shop_id for (shop_id,) in cursor.fetchall()]


def _lock_statement() -> sql.Composable:
    return sql.SQL(
        """
        SELECT count(*) FROM (
          SELECT FROM shops s LEFT JOIN resolved r ON r.shop_id = s.id
          WHERE s.source = %(source)s AND CASE WHEN r.shop_id IS NULL
            THEN %(close_missing)s AND s.status <> 'CLOSED'
            ELSE ({own}) IS DISTINCT FROM ({values})
              OR s.verified_on IS NULL OR s.verified_on < r.verified_on END
          ORDER BY s.id FOR NO KEY UPDATE OF s
        ) locked
        """
    ).format(own=listed("s", [*COMPARED]), values=listed("r", [*COMPARED]))


def _update_statement() -> sql.Composable:
    compared = list(COMPARED)
    return sql.SQL(
        """
        WITH updated AS (
          UPDATE shops s SET ({columns}) = ROW ({values}), modified_at = now(),
            verified_on = greatest(s.verified_on, r.verified_on)
          FROM resolved r
          WHERE s.id = r.shop_id AND ({own}) IS DISTINCT FROM ({values})
          RETURNING s.id
        ),
        seen_again AS (
          UPDATE shops s SET verified_on = r.verified_on FROM resolved r
          WHERE s.id = r.shop_id AND ({own}) IS NOT DISTINCT FROM ({values})
            AND (s.verified_on IS NULL OR s.verified_on < r.verified_on)
          RETURNING s.id
        )
        SELECT (SELECT count(*) FROM updated), (SELECT count(*) FROM seen_again)
        """
    ).format(
        columns=sql.SQL(", ").join(map(sql.Identifier, compared)),
        values=listed("r", compared),
        own=listed("s", compared),
    )


def _insert_statement(*, returning: bool) -> sql.Composable:
    compared = list(COMPARED)
    return sql.SQL(
        """
        INSERT INTO shops (source, source_id, verified_on, {columns})
        SELECT %(source)s, r.source_id, r.verified_on, {values} FROM resolved r
        WHERE r.shop_id IS NULL
        -- Neighbours share pages: a radius search over a million shops reads 65 pages instead of 194, and
        -- a sixth more of them are answered a second; to sort them costs nothing that can be measured.
        ORDER BY r.geog::geometry
        {returning}
        """
    ).format(
        columns=sql.SQL(", ").join(map(sql.Identifier, compared)),
        values=listed("r", compared),
        returning=sql.SQL("RETURNING id" if returning else ""),
    )
