"""Recognises shops whose key in the source has changed: by former key, by name and position, or after a merge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from psycopg2 import sql

# geocoders differ by at most this distance; a chain may have another shop farther away
WITHIN_M = 100
# a shop with the same key and name moves only within its municipality
MOVED_WITHIN_M = 10_000

KNOWN_AS = """
CREATE TEMP TABLE known_as (
  source_id text NOT NULL, shop_id bigint NOT NULL, current_key text NOT NULL, is_new_key boolean NOT NULL
) ON COMMIT DROP"""
# The row of a merged shop stands for the shop into which it was merged, unless the file also lists that one.
FOLLOW_MERGES = """
INSERT INTO known_as (source_id, shop_id, current_key, is_new_key)
SELECT DISTINCT ON (kept.id) i.source_id, kept.id, kept.source_id, false
FROM shops merged
JOIN shops kept ON kept.id = merged.merged_into_id AND kept.source = merged.source
JOIN incoming i ON i.source_id = merged.source_id
WHERE merged.source = %(source)s AND kept.source_id IS NOT NULL
  AND NOT EXISTS (SELECT FROM incoming o WHERE o.source_id = kept.source_id)
ORDER BY kept.id, merged.id"""
# A key generated from name and address contains the source's name, even if an operator has changed the shop's name.
UNLISTED = """
CREATE TEMP TABLE unlisted ON COMMIT DROP AS
SELECT q.id, q.source_id, q.geog, q.status = 'CLOSED' AS is_closed, n.name,
  floor(ST_X(q.spot) / {within}) AS x, floor(ST_Y(q.spot) / {within}) AS y, floor(ST_Z(q.spot) / {within}) AS z
FROM (
  SELECT s.* FROM shops s
  WHERE s.source = %(source)s AND s.source_id IS NOT NULL AND s.merged_into_id IS NULL
    AND NOT EXISTS (SELECT FROM incoming i WHERE i.source_id = s.source_id)
    AND NOT EXISTS (SELECT FROM known_as k WHERE k.shop_id = s.id)
  OFFSET 0
) q
CROSS JOIN LATERAL (
  SELECT name_key(q.place_name) AS name
  UNION SELECT name_key(split_part(q.source_id, '|', 1)) WHERE q.overrides ? 'place_name'
) n
WHERE {is_candidate}"""
HAS_A_MADE_KEY = "q.source_id ~ '^[0-9a-f]{64}$' OR starts_with(q.source_id, n.name || '|')"
HAS_A_FORMER_KEY = "q.source_id IN (SELECT former_id FROM incoming)"
UNKNOWN = """
CREATE TEMP TABLE unknown ON COMMIT DROP AS
SELECT q.*, floor(ST_X(q.spot) / {within}) AS x, floor(ST_Y(q.spot) / {within}) AS y, floor(ST_Z(q.spot) / {within}) AS z
FROM (
  SELECT i.line, i.source_id, i.geog, {former_id} AS former_id, name_key(i.place_name) AS name,
    ST_Transform(ST_Force3DZ(i.geog::geometry), 4978) AS spot
  FROM incoming i
  WHERE NOT EXISTS (SELECT FROM shops s WHERE s.source = %(source)s AND s.source_id = i.source_id)
  OFFSET 0
) q"""
# Shops within WITHIN_M lie in the same or in neighbouring cubes of that width.
PAIRS = """
SELECT p.source_id, p.id
FROM (
  SELECT 1 AS rank, u.line, u.source_id, l.id, l.is_closed, ST_Distance(l.geog, u.geog) AS distance_m
  FROM unknown u
  CROSS JOIN generate_series(-1, 1) dx CROSS JOIN generate_series(-1, 1) dy CROSS JOIN generate_series(-1, 1) dz
  JOIN unlisted l ON l.name = u.name AND l.x = u.x + dx AND l.y = u.y + dy AND l.z = u.z + dz
  WHERE ST_DWithin(l.geog, u.geog, {within})
  UNION ALL
  SELECT 0, u.line, u.source_id, l.id, l.is_closed, ST_Distance(l.geog, u.geog)
  FROM unknown u JOIN unlisted l ON l.source_id = u.former_id
  WHERE ST_DWithin(l.geog, u.geog, CASE WHEN l.name = u.name THEN {moved_within} ELSE {within} END)
) p
ORDER BY p.rank, p.is_closed, p.distance_m, p.line, p.id"""


def match(cursor: Any, source: str, stored: list[str], *, has_ids: bool) -> int:
    """Creates `known_as`, the rows whose shop is stored under another key; returns the number of new keys.

    If the source has ids (`has_ids`), a row matches only a shop with a key generated from name and address, or the
    shop under the row's former key. Two different ids never match otherwise."""
    cursor.execute(KNOWN_AS)
    cursor.execute("SELECT EXISTS (SELECT FROM shops WHERE source = %s)", (source,))
    if not cursor.fetchone()[0]:
        return 0
    given = {"source": source}
    cursor.execute(FOLLOW_MERGES, given)
    has_former = "former_id" in stored
    literals = {
        "within": sql.Literal(WITHIN_M),
        "moved_within": sql.Literal(MOVED_WITHIN_M),
        "former_id": sql.SQL("i.former_id" if has_former else "NULL::text"),
        "is_candidate": _candidates(has_ids, has_former),
    }
    cursor.execute(sql.SQL(UNLISTED).format(**literals), given)
    if not cursor.rowcount:
        return 0
    cursor.execute(sql.SQL(UNKNOWN).format(**literals), given)
    cursor.execute("ANALYZE unlisted")
    cursor.execute("ANALYZE unknown")
    cursor.execute(sql.SQL(PAIRS).format(**literals))
    matches = _one_to_one(cursor.fetchall())
    cursor.execute(
        "INSERT INTO known_as (source_id, shop_id, current_key, is_new_key)"
        " SELECT m.source_id, s.id, s.source_id, true"
        " FROM unnest(%s::text[], %s::bigint[]) AS m (source_id, shop_id) JOIN shops s ON s.id = m.shop_id",
        (list(matches), list(matches.values())),
    )
    return len(matches)


def _candidates(has_ids: bool, has_former: bool) -> sql.Composable:
    if not has_ids:
        return sql.SQL("true")
    return sql.SQL(HAS_A_MADE_KEY + (f" OR {HAS_A_FORMER_KEY}" if has_former else ""))


def _one_to_one(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    """The best pairs; each row and each shop is used once."""
    matches: dict[str, int] = {}
    taken: set[int] = set()
    for source_id, shop_id in pairs:
        if source_id not in matches and shop_id not in taken:
            matches[source_id] = shop_id
            taken.add(shop_id)
    return matches
