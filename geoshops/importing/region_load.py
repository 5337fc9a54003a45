"""Writes staged polygons to regions, level by level: finds the parent and the existing region, then sets the boundary."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from geoshops.database.models import REGION_LEVELS
from geoshops.operations.boundaries import ALIASES, ANALYZE, CUT, apply_boundaries

REPAIR = """
UPDATE incoming_regions SET boundary = ST_Multi(ST_CollectionExtract(ST_MakeValid(boundary), 3)),
  name = CASE level WHEN 'sigungu' THEN regexp_replace(name, '^(.{2,}시)\\s*(.+구)$', '\\1 \\2') ELSE name END"""
INVALID = "SELECT count(*) FROM incoming_regions WHERE NOT ST_IsValid(boundary)"
EMPTY = "DELETE FROM incoming_regions WHERE ST_IsEmpty(boundary) RETURNING line"
REPEATED = """
DELETE FROM incoming_regions i USING incoming_regions f
WHERE f.level = i.level AND f.line < i.line AND i.code <> '' AND f.code = i.code RETURNING i.line"""
PARENTS = """
CREATE TEMP TABLE meant ON COMMIT DROP AS
SELECT i.line, i.level, nullif(i.code, '') AS code, i.name, i.name_en, i.boundary,
  CASE WHEN i.level <> 'sido' THEN coalesce(
    (SELECT region_named('sido', NULL, p.value) FROM jsonb_each_text(%(parents)s) p
      WHERE i.level = 'sigungu' AND starts_with(i.code, p.key) ORDER BY length(p.key) DESC LIMIT 1),
    (SELECT c.region_id FROM region_codes c
      WHERE c.source = %(source)s AND c.level = %(above)s AND starts_with(i.code, c.code)
      ORDER BY length(c.code) DESC LIMIT 1),
    (SELECT p.region_id FROM region_parts p
      WHERE p.level = %(above)s AND ST_Intersects(p.part, ST_PointOnSurface(i.boundary))
      ORDER BY p.region_id LIMIT 1)
  ) END AS parent_id,
  NULL::bigint AS region_id
FROM incoming_regions i WHERE i.level = %(level)s"""
MISSING_PROVINCES = """
INSERT INTO regions (level, name, source)
SELECT DISTINCT 'sido', p.value, %(source)s
FROM jsonb_each_text(%(parents)s) p JOIN incoming_regions i ON i.level = 'sigungu' AND starts_with(i.code, p.key)
WHERE region_named('sido', NULL, p.value) IS NULL
  AND NOT EXISTS (SELECT FROM incoming_regions s WHERE s.level = 'sido' AND s.name = p.value)"""
ORPHANS = "DELETE FROM meant WHERE level <> 'sido' AND parent_id IS NULL RETURNING line"
# by the source's own code first, else by name or former name below the same parent
MEANT = """
UPDATE meant m SET region_id = coalesce(
  (SELECT c.region_id FROM region_codes c
    WHERE c.source = %(source)s AND c.level = m.level AND c.code = m.code),
  region_named(m.level, m.parent_id, m.name))"""
SAME_REGION = """
DELETE FROM meant m USING meant f WHERE f.line < m.line
  AND (f.region_id = m.region_id OR (f.region_id IS NULL AND m.region_id IS NULL
    AND f.parent_id IS NOT DISTINCT FROM m.parent_id AND name_key(f.name) = name_key(m.name)))
RETURNING m.line"""
WRITE = """
WITH updated AS (
  UPDATE regions r SET boundary = m.boundary,
    center = CASE WHEN r.boundary IS NULL AND r.center IS NOT NULL THEN r.center
      ELSE ST_PointOnSurface(m.boundary)::geography END,
    name_en = CASE WHEN r.name_en = '' THEN m.name_en ELSE r.name_en END
  FROM meant m
  WHERE r.id = m.region_id AND (r.boundary IS NULL OR NOT ST_OrderingEquals(r.boundary, m.boundary)
    OR (r.name_en = '' AND m.name_en <> ''))
  RETURNING r.id
),
inserted AS (
  INSERT INTO regions (level, parent_id, name, name_en, code, center, boundary, source)
  SELECT m.level, m.parent_id, m.name, m.name_en,
    CASE WHEN NOT EXISTS (SELECT FROM regions o WHERE o.level = m.level AND o.code = m.code) THEN m.code END,
    ST_PointOnSurface(m.boundary)::geography, m.boundary, %(source)s
  FROM meant m WHERE m.region_id IS NULL
  RETURNING id
)
SELECT ARRAY(SELECT id FROM inserted), ARRAY(SELECT id FROM updated), (SELECT count(*) FROM meant)"""
CODES = """
INSERT INTO region_codes (source, level, code, region_id)
SELECT %(source)s, m.level, m.code, coalesce(m.region_id,
  (SELECT r.id FROM regions r WHERE r.level = m.level AND r.parent_id IS NOT DISTINCT FROM m.parent_id
    AND r.name_key = name_key(m.name)))
FROM meant m WHERE m.code IS NOT NULL
ON CONFLICT (source, level, code) DO NOTHING"""


@dataclass
class LoadedRegions:
    """Result of the load; `reasons` maps feature numbers to rejection reasons."""

    reasons: dict[int, str]
    repaired: int = 0
    inserted: int = 0
    updated: int = 0
    unchanged: int = 0
    shops_changed: int = 0

    def counts(self) -> dict[str, int]:
        """The counts, without the reasons."""
        return {name: count for name, count in asdict(self).items() if name != "reasons"}


def load(cursor: Any, source: str, parents: dict[str, str]) -> LoadedRegions:
    """Writes regions and boundaries, then recomputes the regions of all shops."""
    loaded = LoadedRegions({})
    cursor.execute(INVALID)
    (loaded.repaired,) = cursor.fetchone()
    cursor.execute(REPAIR)
    _drop(cursor, EMPTY, "[geometry] has no area", loaded.reasons)
    _drop(cursor, REPEATED, "[code] is that of an earlier feature", loaded.reasons)
    given = {"source": source, "parents": json.dumps(parents)}
    cursor.execute(MISSING_PROVINCES, given)
    changed: list[int] = []
    for above, level in zip((None, *REGION_LEVELS), REGION_LEVELS, strict=False):
        changed += _load_level(cursor, {**given, "level": level, "above": above}, loaded)
    cursor.execute(ALIASES)
    if changed:
        cursor.execute(ANALYZE)
        # the timeout is meant for polygons; the time for shops grows with their number
        cursor.execute("SET LOCAL statement_timeout = 0")
        loaded.shops_changed = apply_boundaries(cursor)
    return loaded


def _load_level(cursor: Any, given: dict[str, Any], loaded: LoadedRegions) -> list[int]:
    cursor.execute(PARENTS, given)
    orphans = "no region of the level above contains it: import that level first"
    _drop(cursor, ORPHANS, orphans, loaded.reasons)
    cursor.execute(MEANT, given)
    _drop(cursor, SAME_REGION, "an earlier feature is the same region", loaded.reasons)
    cursor.execute(WRITE, given)
    inserted, updated, rows = cursor.fetchone()
    cursor.execute(CODES, given)
    cursor.execute("DROP TABLE meant")
    loaded.inserted += len(inserted)
    loaded.updated += len(updated)
    loaded.unchanged += rows - len(inserted) - len(updated)
    # the next level looks up its parents in these
    cursor.execute(CUT, ([*inserted, *updated],))
    return [*inserted, *updated]


def _drop(cursor: Any, statement: str, reason: str, reasons: dict[int, str]) -> None:
    cursor.execute(statement)
    for (line,) in cursor.fetchall():
        reasons.setdefault(line, reason)
