"""Imports region names in other languages from CSV, one row per region; regions are found by Korean name and position."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from geoshops.importing import fields
from geoshops.importing.csv_table import CsvTable
from geoshops.importing.errors import ImportRejected
from geoshops.importing.fields import InvalidValue
from geoshops.importing.finishing import finish, summary, timed
from geoshops.importing.mapping import JOINT, plan
from geoshops.importing.opening import open_input
from geoshops.importing.region_features import LEVELS
from geoshops.importing.rejects import Rejects, rejects_path
from geoshops.importing.request import Progress, Request
from geoshops.importing.tables import Rejected
from geoshops.importing.transaction import importing_into
from geoshops.operations.connection import ONE_AT_A_TIME

LANGUAGES = {"name_en": "en", "name_ja": "ja", "name_zh": "zh"}
COLUMNS = ("name", *LANGUAGES, "level", "longitude", "latitude")
NAME = fields.Text(500, needed=True, encoded=True)
# If several regions share a name, the position decides: inside the boundary, or near the center if no boundary is loaded.
# The name of a city is the name of all its districts.
FOUND = """
SELECT array_agg(DISTINCT r.id), bool_and(starts_with(r.name, (%(names)s)[1] || ' '))
FROM search_names(ARRAY(SELECT jamo(n) FROM unnest(%(names)s) n)) f JOIN regions r ON f.kind = 'region' AND r.id = f.id
WHERE r.level = coalesce(nullif(%(level)s, ''), r.level)
  AND (starts_with(r.name, (%(names)s)[1] || ' ') OR %(lon)s::float8 IS NULL OR CASE
    WHEN r.boundary IS NOT NULL THEN ST_DWithin(r.boundary, ST_SetSRID(ST_MakePoint(%(lon)s, %(lat)s), 4326), 0.05)
    ELSE ST_DWithin(r.center, ST_MakePoint(%(lon)s, %(lat)s)::geography, 50000) END)"""
ADD = """
INSERT INTO region_aliases (region_id, alias, kind, lang)
SELECT region, n, CASE WHEN %(lang)s = 'en' THEN 'english' ELSE 'foreign' END,
  CASE WHEN %(lang)s <> 'zh' THEN %(lang)s WHEN han_folded(n) = n THEN 'zh-Hans' ELSE 'zh-Hant' END
FROM unnest(%(regions)s) region CROSS JOIN unnest(%(names)s) n WHERE NOT is_blank(n) AND n !~ '[?？]'
ON CONFLICT DO NOTHING"""


def import_region_names(url: str, wanted: Request, progress: Progress) -> dict[str, Any]:
    """Runs the import and returns its summary; raises ImportRejected when nothing was changed."""
    started = time.perf_counter()
    file = open_input(wanted.path, wanted.encoding or None)
    table = CsvTable(file, wanted.delimiter or None)
    found = plan(table.columns, COLUMNS, ("name",), wanted.mapping, wanted.given)
    rejects = Rejects(rejects_path(wanted.path, wanted.rejects), table.columns)
    words = wanted.mapping.values.get("level", {}) if wanted.mapping else {}
    read = inserted = unchanged = 0
    with rejects, importing_into(url) as connection, connection.cursor() as cursor:
        cursor.execute(ONE_AT_A_TIME)
        for line, row in _rows(table, rejects, progress):
            read += 1
            texts = {
                name: JOINT.join(row[p] for p in found.places.get(name, ())) for name in COLUMNS
            }
            try:
                added = _add(cursor, texts, words)
            except InvalidValue as error:
                rejects.add([Rejected(line, str(error), row)])
                continue
            inserted, unchanged = inserted + (added > 0), unchanged + (added == 0)
        if not inserted + unchanged:
            raise ImportRejected(f"none of the {read} rows can be imported")
        cursor.execute("ANALYZE region_aliases")
        late = finish(connection, file, rejects, wanted.dry_run)
    counts = {
        "inserted": inserted,
        "updated": 0,
        "unchanged": unchanged,
        "columns_not_used": found.unused,
    }
    report = summary(wanted, read=read, counts=counts, rejects=rejects, late=late)
    return timed(report, started)


def _rows(
    table: CsvTable, rejects: Rejects, progress: Progress
) -> Iterator[tuple[int, tuple[str, ...]]]:
    for chunk in table.chunks():
        rejects.add(chunk.rejected)
        yield from zip(chunk.lines, map(tuple, chunk.rows), strict=True)
        progress(chunk.bytes_read)


def _add(cursor: Any, texts: dict[str, str], words: dict[str, str]) -> int:
    """Adds the names of one row; returns the number of new names."""
    name = NAME(texts["name"])
    level = words.get(texts["level"], texts["level"])
    if level not in LEVELS:
        level = "dong" if level else ""
    place = {"names": name.split(JOINT), "level": level, **_position(texts)}
    cursor.execute(FOUND, place)
    ids, are_of_a_city = cursor.fetchone()
    if not ids:
        raise InvalidValue(f"[name] no region {name[:40]} at this position")
    if len(ids) > 1 and not are_of_a_city:
        raise InvalidValue(
            f"[name] {name[:40]} is ambiguous ({len(ids)} regions): add level and position"
        )
    added = 0
    for column, lang in LANGUAGES.items():
        names = [fields.words(100)(n) for n in texts[column].split(JOINT)]
        cursor.execute(ADD, {"regions": ids, "names": names, "lang": lang})
        added += cursor.rowcount
    return added


def _position(texts: dict[str, str]) -> dict[str, float | None]:
    try:
        return {"lon": float(texts["longitude"]), "lat": float(texts["latitude"])}
    except ValueError:
        return {"lon": None, "lat": None}
