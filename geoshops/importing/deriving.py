"""Computes the new state of shops from staged rows, with manual corrections, regions and brands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from psycopg2 import sql
from sqlalchemy import DefaultClause

from geoshops.database.models import KEPT_BY_A_MERGE, SHOP_ADDRESS, Shop, table_of
from geoshops.importing.shop_rows import FIELDS
from geoshops.importing.staging import analyze


def _value_of_new_shops(column: str) -> str:
    """SQL of a new shop's value for a column that the file lacks: the table's default, else null."""
    declared = table_of(Shop).c[column]
    if declared.server_default is not None:
        return str(cast(DefaultClause, declared.server_default).arg)
    # only the name has neither, but rows without a name have already been rejected
    return f"NULL::{declared.type}" if declared.nullable else "''"


# columns of a shop that a file may contain, with their values for new shops; key and date are derived
DEFAULTS = {
    name: _value_of_new_shops(name)
    for name in FIELDS
    if name in table_of(Shop).c and name not in ("source_id", "verified_on")
}
DERIVED = ("brand_id", "sido_id", "sigungu_id", "dong_id")

# Brands and regions are looked up once per distinct text, not once per row: many addresses name few regions, and many
# shops few brands.
RESOLVE = """
CREATE TEMP TABLE resolved ON COMMIT DROP AS
WITH bounds AS MATERIALIZED (SELECT ST_Extent(part)::geometry AS box FROM region_parts),
pattern AS MATERIALIZED (SELECT brand_pattern() AS text, brand_keys() AS keys, addresses_have_outlines() AS outlined),
worded AS MATERIALIZED (
  SELECT m.*,
    CASE WHEN split_part(m.address, ' ', 1) = ANY (%(words)s) THEN
      CASE WHEN t.outlined THEN address_outline(m.address) ELSE m.address END
    END AS outline,
    CASE WHEN NOT m.brand_kept AND m.brand IS NULL AND t.keys IS NOT NULL THEN brand_words(m.place_name, t.text, t.keys) END AS named
  FROM pattern t CROSS JOIN ({merged}) m
),
brands_known AS MATERIALIZED (
  SELECT q.words, brand_named(q.words) AS id
  FROM (SELECT DISTINCT coalesce(brand, named) AS words FROM worded WHERE coalesce(brand, named) <> '' OFFSET 0) q
),
places AS MATERIALIZED (
  SELECT q.outline, r.*
  FROM (SELECT DISTINCT outline FROM worded WHERE outline IS NOT NULL OFFSET 0) q
  CROSS JOIN LATERAL region_of_address(q.outline) r
)
SELECT m.line, m.new_key, m.shop_id, m.verified_on, m.geog, {names},
  CASE
    WHEN m.brand_kept THEN m.kept_brand_id
    WHEN k.id IS NOT NULL THEN k.id
    WHEN m.named IS NOT NULL OR m.brand IS NOT NULL THEN brand_of(m.place_name, t.text, t.keys)
  END AS brand_id,
  f.sido_id, f.sigungu_id, f.dong_id,
  a.sigungu_id AS address_sigungu_id, p.sigungu_id IS NOT NULL AS has_polygon, m.own_status,
  CASE WHEN m.status <> 'CLOSED' THEN NULL WHEN {states_status} AND NOT m.status_kept THEN 'SOURCE' ELSE m.closed_by END AS closed_by
FROM worded m
CROSS JOIN bounds b CROSS JOIN pattern t
LEFT JOIN brands_known k ON k.words = coalesce(m.brand, m.named)
LEFT JOIN places a ON a.outline = m.outline
-- OFFSET 0 makes PostgreSQL check the condition before calling the function
LEFT JOIN LATERAL (
  SELECT * FROM region_of_point(m.geog::geometry) WHERE m.geog::geometry && b.box OFFSET 0
) p ON true
CROSS JOIN LATERAL regions_agreed(p.sido_id, p.sigungu_id, p.dong_id, a.sido_id, a.sigungu_id, a.dong_id) f"""
MERGED = """
  SELECT q.*, {address} AS address
  FROM (
    SELECT i.line, CASE WHEN k.is_new_key THEN i.source_id ELSE coalesce(k.current_key, i.source_id) END AS new_key,
      s.id AS shop_id, coalesce(s.overrides ? 'brand', false) AS brand_kept,
      s.brand_id AS kept_brand_id, CASE WHEN NOT is_blank({brand}) THEN {brand} END AS brand,
      s.status AS own_status, s.closed_by, coalesce(s.overrides ? 'status' OR s.merged_into_id IS NOT NULL, false) AS status_kept,
      {verified_on} AS verified_on, {geog} AS geog, {values}
    FROM incoming i
    LEFT JOIN known_as k ON k.source_id = i.source_id
    LEFT JOIN shops s ON s.source = %(source)s AND s.source_id = coalesce(k.current_key, i.source_id)
  ) q"""
FIRST_WORDS = """
SELECT coalesce(array_agg(w.word), '{{}}')
FROM (
  SELECT split_part({incoming}, ' ', 1) AS word FROM incoming
  UNION SELECT split_part({current}, ' ', 1) FROM shops WHERE source = %(source)s
  OFFSET 0
) w
WHERE name_key(w.word) IN (SELECT key FROM region_words())"""


def resolve(cursor: Any, source: str, stored: list[str], verified_on: str) -> None:
    """Creates `resolved`, the new state of each shop, which keeps manual corrections."""
    addresses = {"incoming": _address(stored), "current": sql.SQL(SHOP_ADDRESS)}
    cursor.execute(sql.SQL(FIRST_WORDS).format(**addresses), {"source": source})
    (words,) = cursor.fetchone()
    cursor.execute(
        _resolve_statement(stored), {"source": source, "day": verified_on, "words": words}
    )
    analyze(cursor, "resolved", "shop_id")


def listed(table: str, names: Iterable[str]) -> sql.Composed:
    """The columns, qualified by the table's name."""
    return sql.SQL(", ").join(sql.Identifier(table, name) for name in names)


def _resolve_statement(stored: list[str]) -> sql.Composable:
    merged = sql.SQL(MERGED).format(
        address=sql.SQL(SHOP_ADDRESS),
        brand=sql.SQL("i.brand") if "brand" in stored else sql.SQL("NULL::text"),
        verified_on=sql.SQL(
            "coalesce(i.verified_on, %(day)s::date)" if "verified_on" in stored else "%(day)s::date"
        ),
        geog=sql.SQL("CASE WHEN s.overrides ?| '{longitude,latitude}' THEN s.geog ELSE i.geog END"),
        values=sql.SQL(", ").join(_value(name, stored) for name in DEFAULTS),
    )
    return sql.SQL(RESOLVE).format(
        merged=merged,
        names=listed("m", (n for n in DEFAULTS if n != "closed_on"))
        + sql.SQL(", CASE WHEN m.status = 'CLOSED' THEN m.closed_on END AS closed_on"),
        states_status=sql.Literal("status" in stored),
    )


def _value(name: str, stored: list[str]) -> sql.Composable:
    """SQL of a field's new value: from a manual correction or a merge, else from the file, else the current one."""
    given = {
        "own": sql.Identifier("s", name),
        "new": sql.Identifier("i", name),
        "name": sql.Identifier(name),
        "key": sql.Literal(name),
        "default": sql.SQL(DEFAULTS[name]),
        "merged": sql.SQL(" OR s.merged_into_id IS NOT NULL" if name in KEPT_BY_A_MERGE else ""),
    }
    if name not in stored:
        kept = "coalesce({own}, {default})"
        if name == "status":
            kept = f"CASE WHEN s.closed_by = 'IMPORT' THEN {{default}} ELSE {kept} END"
        return sql.SQL(f"{kept} AS {{name}}").format(**given)
    return sql.SQL(
        "CASE WHEN s.overrides ? {key}{merged} THEN {own} ELSE {new} END AS {name}"
    ).format(**given)


def _address(stored: list[str]) -> sql.Composable:
    given = [n for n in ("lot_address", "road_address") if n in stored]
    if not given:
        return sql.SQL("''")
    parts = [sql.SQL("nullif({}, '')").format(sql.Identifier(n)) for n in given]
    return sql.SQL("coalesce({}, '')").format(sql.SQL(", ").join(parts))
