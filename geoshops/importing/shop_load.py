"""From the staged rows to shops: regions and brands, one upsert, and what went missing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from psycopg2 import sql

from geoshops.importing.refusal import ImportRefused
from geoshops.importing.staging import Staging

MOST_NEW_BRANDS = 100
LEAST_FOR_GUARD = 10
MOST_COMPARED = 20_000
# columns of a shop that a file may fill, with what a new shop has without it
DEFAULTS = {
    "place_name": "''",
    "road_address": "''",
    "lot_address": "''",
    "status": "'OPEN'",
    "opened_on": "NULL::date",
    "closed_on": "NULL::date",
    "phone": "''",
    "homepage": "''",
    "opening_hours": "'[]'::jsonb",
}
DERIVED = ("brand_id", "sido_id", "sigungu_id", "dong_id")
COMPARED = (*DEFAULTS, "geog", *DERIVED)

RESOLVE = """
CREATE TEMP TABLE resolved ON COMMIT DROP AS
WITH bounds AS MATERIALIZED (SELECT ST_Extent(part)::geometry AS box FROM region_parts),
pattern AS MATERIALIZED (SELECT brand_pattern() AS text),
brand_words AS MATERIALIZED (
  SELECT q.brand, brand_named(q.brand) AS id
  FROM (SELECT DISTINCT {brand} AS brand FROM incoming i) q WHERE NOT is_blank(q.brand)
),
merged AS (
  SELECT i.line, i.source_id, s.id AS shop_id, coalesce(s.overrides ? 'brand', false) AS brand_kept,
    s.brand_id AS kept_brand_id, {brand} AS brand, {verified_on} AS verified_on, {geog} AS geog,
    {values}
  FROM incoming i LEFT JOIN shops s ON s.source = %(source)s AND s.source_id = i.source_id
)
SELECT m.line, m.source_id, m.shop_id, m.verified_on, m.geog, {names},
  CASE
    WHEN m.brand_kept THEN m.kept_brand_id
    WHEN w.id IS NOT NULL THEN w.id
    WHEN lower(normalize(m.place_name, NFKC)) ~ t.text THEN brand_of(m.place_name)
  END AS brand_id,
  coalesce(p.sido_id, a.sido_id) AS sido_id,
  CASE WHEN p.sigungu_id IS NOT NULL THEN p.sigungu_id
    WHEN p.sido_id IS NULL OR p.sido_id = a.sido_id THEN a.sigungu_id END AS sigungu_id,
  CASE WHEN p.dong_id IS NOT NULL THEN p.dong_id
    WHEN coalesce(p.sigungu_id, a.sigungu_id) = a.sigungu_id
      AND coalesce(p.sido_id, a.sido_id) = a.sido_id THEN a.dong_id END AS dong_id,
  a.sigungu_id AS address_sigungu_id, p.sigungu_id IS NOT NULL AS has_polygon
FROM merged m
CROSS JOIN bounds b CROSS JOIN pattern t
LEFT JOIN brand_words w ON w.brand = m.brand
-- OFFSET 0 keeps the condition before the call: as a join condition it would come after it
LEFT JOIN LATERAL (
  SELECT * FROM region_of_point(m.geog::geometry) WHERE m.geog::geometry && b.box OFFSET 0
) p ON true
LEFT JOIN LATERAL (
  SELECT * FROM region_of_address(coalesce(nullif(m.lot_address, ''), m.road_address))
  WHERE split_part(coalesce(nullif(m.lot_address, ''), m.road_address), ' ', 1) = ANY (%(words)s)
  OFFSET 0
) a ON true"""


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
    new_ids: list[int] = field(default_factory=list)


def drop_repeated_keys(cursor: Any) -> dict[int, str]:
    """Takes rows out of the staging whose key an earlier row has; line → reason."""
    cursor.execute(
        "WITH numbered AS ("
        "  SELECT line, source_id, first_value(line) OVER w AS first_line FROM incoming"
        "  WINDOW w AS (PARTITION BY source_id ORDER BY line)),"
        " dropped AS (DELETE FROM incoming i USING numbered n"
        "  WHERE i.line = n.line AND n.line <> n.first_line RETURNING n.line, n.first_line)"
        " SELECT line, first_line FROM dropped ORDER BY line"
    )
    return {line: f"the same key as line {first}" for line, first in cursor.fetchall()}


def drop_bad_hours(cursor: Any, staging: Staging) -> dict[int, str]:
    """The same for opening hours that are not hours."""
    if "opening_hours" not in staging.stored():
        return {}
    cursor.execute(
        "DELETE FROM incoming WHERE NOT opening_hours_are_valid(opening_hours)"
        " RETURNING line, source_id"
    )
    found = dict(cursor.fetchall())
    staging.rejected_keys += found.values()
    reason = '[opening_hours] must be [{"day": 1-7, "open": "HH:MM", "close": "HH:MM"}]'
    return dict.fromkeys(found, reason)


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


def resolve(cursor: Any, source: str, stored: list[str], verified_on: str) -> None:
    """Makes `resolved`: a row for each shop as it shall be, corrections by hand kept."""
    words_statement = sql.SQL(
        "SELECT coalesce(array_agg(word), '{{}}')"
        " FROM (SELECT DISTINCT split_part({}, ' ', 1) AS word FROM incoming) w"
        " WHERE word <> '' AND is_region_word(word)"
    )
    cursor.execute(words_statement.format(_address(stored)))
    (words,) = cursor.fetchone()
    cursor.execute(
        _resolve_statement(stored), {"source": source, "day": verified_on, "words": words}
    )
    cursor.execute("ANALYZE resolved (shop_id)")


def drop_impossible_dates(cursor: Any) -> dict[int, str]:
    """Rows whose shop would close before it opens."""
    cursor.execute("DELETE FROM resolved WHERE closed_on < opened_on RETURNING line")
    return {line: "[closed_on] before opened_on" for (line,) in cursor.fetchall()}


def guard_against_shrinking(cursor: Any, source: str) -> None:
    """Refuses a load with less than half of the shops that the source stated before."""
    cursor.execute(
        "SELECT (SELECT count(*) FROM shops WHERE source = %s AND status <> 'CLOSED'),"
        " (SELECT count(*) FROM resolved WHERE status <> 'CLOSED')",
        (source,),
    )
    before, now = cursor.fetchone()
    if before >= LEAST_FOR_GUARD and now * 2 < before:
        raise ImportRefused(
            f"the file holds {now} shops that are not closed, the database {before} of source "
            f"{source}: less than half. If that is right, add --allow-shrink"
        )


def upsert(cursor: Any, source: str) -> Loaded:
    """One statement writes every shop that is new or differs; the others are not touched."""
    cursor.execute(_upsert_statement(), {"source": source})
    new_ids, changed_ids, _ = cursor.fetchone()
    cursor.execute(
        "SELECT count(*), count(address_sigungu_id) FILTER (WHERE has_polygon),"
        " count(*) FILTER (WHERE has_polygon AND address_sigungu_id = sigungu_id) FROM resolved"
    )
    rows, checked, fits = cursor.fetchone()
    loaded = Loaded(len(new_ids), len(changed_ids), rows - len(new_ids) - len(changed_ids))
    loaded.address_checked, loaded.address_fits = checked, fits
    loaded.new_ids = new_ids
    return loaded


def count_duplicates(cursor: Any, new_ids: list[int]) -> int | None:
    """Pairs that a new shop makes with another; None where there are too many to compare them now."""
    if len(new_ids) > MOST_COMPARED:
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


def _resolve_statement(stored: list[str]) -> sql.Composable:
    return sql.SQL(RESOLVE).format(
        brand=sql.SQL("i.brand") if "brand" in stored else sql.SQL("NULL::text"),
        verified_on=sql.SQL(
            "coalesce(i.verified_on, %(day)s::date)" if "verified_on" in stored else "%(day)s::date"
        ),
        geog=sql.SQL("CASE WHEN s.overrides ?| '{longitude,latitude}' THEN s.geog ELSE i.geog END"),
        values=sql.SQL(", ").join(_value(name, stored) for name in DEFAULTS),
        names=_listed("m", [n for n in DEFAULTS if n != "closed_on"]) + _closing_day(),
    )


def _closing_day() -> sql.Composable:
    return sql.SQL(", CASE WHEN m.status = 'CLOSED' THEN m.closed_on END AS closed_on")


def _value(name: str, stored: list[str]) -> sql.Composable:
    """A field as it shall be: a correction by hand, else the file's, else what the shop has."""
    given = {
        "own": sql.Identifier("s", name),
        "new": sql.Identifier("i", name),
        "name": sql.Identifier(name),
        "key": sql.Literal(name),
        "default": sql.SQL(DEFAULTS[name]),
    }
    if name not in stored:
        return sql.SQL("coalesce({own}, {default}) AS {name}").format(**given)
    return sql.SQL("CASE WHEN s.overrides ? {key} THEN {own} ELSE {new} END AS {name}").format(
        **given
    )


def _address(stored: list[str]) -> sql.Composable:
    given = [n for n in ("lot_address", "road_address") if n in stored]
    if not given:
        return sql.SQL("''")
    parts = [sql.SQL("nullif({}, '')").format(sql.Identifier(n)) for n in given]
    return sql.SQL("coalesce({}, '')").format(sql.SQL(", ").join(parts))


def _listed(table: str, names: list[str]) -> sql.Composed:
    return sql.SQL(", ").join(sql.Identifier(table, name) for name in names)


def _upsert_statement() -> sql.Composable:
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
        ),
        inserted AS (
          INSERT INTO shops (source, source_id, verified_on, {columns})
          SELECT %(source)s, r.source_id, r.verified_on, {values} FROM resolved r
          WHERE r.shop_id IS NULL
          RETURNING id
        )
        SELECT ARRAY(SELECT id FROM inserted), ARRAY(SELECT id FROM updated),
          (SELECT count(*) FROM seen_again)
        """
    ).format(
        columns=sql.SQL(", ").join(map(sql.Identifier, compared)),
        values=_listed("r", compared),
        own=_listed("s", compared),
    )
