"""Imports stations from CSV or GeoJSON: staged as shops are, written in one statement."""

from __future__ import annotations

import re
import time
from typing import Any

from geoshops.importing import fields
from geoshops.importing.errors import ImportRejected
from geoshops.importing.finishing import finish, summary, timed
from geoshops.importing.mapping import plan
from geoshops.importing.points import Reasons
from geoshops.importing.request import Progress, Request
from geoshops.importing.shop_load import drop_repeated_keys, repeated_keys
from geoshops.importing.shops import about, open_table, positions, reject_lines
from geoshops.importing.staging import Columns, Field, Staging
from geoshops.importing.transaction import importing_into

REQUIRED = ("name", "longitude", "latitude")
IN_BRACKETS = re.compile(r"\s*[(（\[].*$")
# repeated: a source that appends 역 to every name has 서울역역, and a stored name must not end in 역
ENDINGS = re.compile(r"(?<=\S)(\s*역)+$")
UPSERT = """
WITH given AS (
  SELECT i.source_id, i.geog, i.name, {name_en} AS name_en, {line_name} AS line_name, s.id
  FROM incoming i LEFT JOIN stations s ON s.source = %(source)s AND s.source_id = i.source_id
),
updated AS (
  UPDATE stations s SET name = g.name, name_en = g.name_en, line = g.line_name, geog = g.geog
  FROM given g WHERE s.id = g.id
    AND (s.name, s.name_en, s.line, s.geog) IS DISTINCT FROM (g.name, g.name_en, g.line_name, g.geog)
  RETURNING 1
),
inserted AS (
  INSERT INTO stations (source, source_id, name, name_en, line, geog)
  SELECT %(source)s, g.source_id, g.name, g.name_en, g.line_name, g.geog FROM given g WHERE g.id IS NULL
  RETURNING 1
)
SELECT (SELECT count(*) FROM inserted), (SELECT count(*) FROM updated), (SELECT count(*) FROM given)"""


# Names without 역, 驛, 駅 and 站. The source has a question mark for each character that its code page lacks.
FOREIGN_NAMES = """
WITH given AS (
  SELECT i.name, i.geog, btrim(regexp_replace(regexp_replace(v.alias, '\\s*[(（].*$', ''), '[驛駅站]$', '')) AS alias, v.lang
  FROM incoming i CROSS JOIN LATERAL (VALUES {names}) v (alias, lang)
)
INSERT INTO station_aliases (station_id, alias, lang)
SELECT s.id, g.alias,
  CASE WHEN g.lang <> 'zh' THEN g.lang WHEN han_folded(g.alias) = g.alias THEN 'zh-Hans' ELSE 'zh-Hant' END
FROM given g JOIN stations s ON s.name_key = name_key(g.name) AND ST_DWithin(s.geog, g.geog, 2000)
WHERE g.alias <> '' AND g.alias !~ '[?？]'
ORDER BY s.id, g.lang DESC, g.alias
ON CONFLICT DO NOTHING"""
FOREIGN_FIELDS = {"name_hanja": "zh-Hant", "name_ja": "ja", "name_zh": "zh"}


def station_name(value: str) -> str:
    """The name without brackets and the ending 역, as users search it (서울역 becomes 서울)."""
    name = fields.name(value)
    # checked again, because only invisible characters may remain
    return fields.name(ENDINGS.sub("", IN_BRACKETS.sub("", name) or name))


FIELDS = {
    "source_id": Field(fields.key, optional=False),
    "name": Field(station_name, optional=False),
    "name_en": Field(fields.words(100)),
    "name_hanja": Field(fields.words(100)),
    "name_ja": Field(fields.words(100)),
    "name_zh": Field(fields.words(100)),
    "line_name": Field(fields.words(100)),
    "address": Field(fields.words(500), None),
}


def import_stations(url: str, wanted: Request, progress: Progress) -> dict[str, Any]:
    """Runs the import and returns its summary; raises ImportRejected when nothing was changed."""
    started = time.perf_counter()
    source = wanted.source_of("stations")
    file, table, rejects = open_table(wanted)
    with rejects:
        found = plan(
            table.columns,
            (*FIELDS, "longitude", "latitude"),
            REQUIRED,
            wanted.mapping,
            wanted.given,
        )
        named = {n: f for n, f in FIELDS.items() if n in found.places or n == "source_id"}
        staging = Staging(table, found, named, positions(wanted), rejects, _complete, progress)
        with importing_into(url) as connection, connection.cursor() as cursor:
            counts = _load(cursor, staging, source) | about(file, staging)
            late = finish(connection, file, rejects, wanted.dry_run)
    report = summary(wanted, source, read=staging.read, counts=counts, rejects=rejects, late=late)
    return timed(report, started)


def _load(cursor: Any, staging: Staging, source: str) -> dict[str, Any]:
    staging.run(cursor)
    stored = staging.stored()
    repeated = drop_repeated_keys(cursor, repeated_keys(cursor))
    if staging.rejects.count + len(repeated) == staging.read:
        raise ImportRejected(f"none of the {staging.read} rows can be imported")
    texts = {n: f"i.{n}" if n in stored else "''" for n in ("name_en", "line_name")}
    cursor.execute(UPSERT.format(**texts), {"source": source})
    inserted, updated, rows = cursor.fetchone()
    if names := [f"(i.{n}, '{lang}')" for n, lang in FOREIGN_FIELDS.items() if n in stored]:
        cursor.execute(FOREIGN_NAMES.format(names=", ".join(names)))
    identical = reject_lines(staging.table, staging.rejects, {}, repeated)
    unchanged = rows - inserted - updated
    return {
        "inserted": inserted, "updated": updated, "unchanged": unchanged, "identical": identical,
    }  # fmt: skip


def _complete(columns: Columns, reasons: Reasons) -> None:
    if "source_id" not in columns:
        lines = columns.get("line_name", [""] * len(columns["name"]))
        columns["source_id"] = [f"{n}|{k}" for n, k in zip(columns["name"], lines, strict=True)]
