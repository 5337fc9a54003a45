"""Imports region names in other languages from CSV, one row per region; regions are found by Korean name and position."""

from __future__ import annotations

import time
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from geoshops.database.models import REGION_LEVELS
from geoshops.importing import fields, name_checks
from geoshops.importing.csv_table import CsvTable
from geoshops.importing.errors import ImportRejected
from geoshops.importing.fields import InvalidValue
from geoshops.importing.finishing import finish, summary, timed
from geoshops.importing.mapping import JOINT, Plan, plan_columns
from geoshops.importing.name_checks import Claim
from geoshops.importing.opening import open_input
from geoshops.importing.reading import dropped_values
from geoshops.importing.rejects import Rejects, rejects_path
from geoshops.importing.request import Progress, Request
from geoshops.importing.staging import Dropped
from geoshops.importing.tables import Rejected
from geoshops.importing.transaction import importing_into
from geoshops.operations.connection import ONE_AT_A_TIME

LANGUAGES = {"name_en": "en", "name_ja": "ja", "name_zh": "zh"}
COLUMNS = ("name", "variants", *LANGUAGES, "level", "longitude", "latitude", "same_as")
NAME = fields.Text(500, needed=True, encoded=True)
FOREIGN_NAME = fields.words(100)
# Regions at a position: inside the boundary or just outside, near the centre if no boundary is loaded.
NEAR = """
SELECT array_agg(n.id) FROM (
  SELECT p.region_id AS id FROM region_parts p WHERE ST_DWithin(p.part, ST_SetSRID(ST_MakePoint(%(lon)s, %(lat)s), 4326), 0.05)
  UNION
  SELECT r.id FROM regions r
  WHERE r.boundary IS NULL AND ST_DWithin(r.center, ST_MakePoint(%(lon)s, %(lat)s)::geography, 50000)) n"""
# If several regions share a name, the position decides. The name of a city is the name of all its districts.
FOUND = """
SELECT array_agg(DISTINCT r.id), bool_and(starts_with(r.name, (%(names)s)[1] || ' '))
FROM search_names(ARRAY(SELECT jamo(n) FROM unnest(%(names)s) n)) f JOIN regions r ON f.kind = 'region' AND r.id = f.id
WHERE r.level = coalesce(nullif(%(level)s, ''), r.level)
  AND (starts_with(r.name, (%(names)s)[1] || ' ') OR %(lon)s::float8 IS NULL OR r.id = ANY (%(near)s::bigint[]))"""
# Lists of settlements have cities, counties and provinces as well, each at its town hall.
FOUND_AROUND_TOWN = """
SELECT t.ids, true
FROM (
  SELECT n, array_agg(r.id) AS ids
  FROM unnest(%(names)s::text[] || %(variants)s::text[]) n JOIN regions r ON r.name = n OR starts_with(r.name, n || ' ')
  WHERE r.level <> 'dong' GROUP BY n, r.parent_id HAVING bool_or(r.id = ANY (%(near)s::bigint[]))) t
ORDER BY t.n LIMIT 1"""
FORMS = """
SELECT min(r.name), n.form, min(kana_folded(in_kana(n.form)))
FROM regions r CROSS JOIN LATERAL (
  SELECT normalize(k, NFC) FROM unnest(region_name_keys(r.name, r.level)) k
  UNION SELECT a.alias_key FROM region_aliases a WHERE a.region_id = r.id AND a.kind IN ('short', 'old') AND a.lang = '') n (form)
WHERE r.id = ANY (%s) GROUP BY n.form"""
FOLD = "SELECT n, kana_folded(han_folded(n)) FROM unnest(%s::text[]) n"
ADD = """
INSERT INTO region_aliases (region_id, alias, kind, lang)
SELECT region, n, CASE WHEN %(lang)s = 'en' THEN 'english' ELSE 'foreign' END,
  {tag}
FROM unnest(%(regions)s) region CROSS JOIN unnest(%(names)s::text[]) n
ON CONFLICT DO NOTHING"""


@dataclass(frozen=True)
class NameRow:
    """A row of the file: Korean names, others of the same or another place, and the foreign names by field."""

    line: int
    values: tuple[str, ...]
    korean: tuple[str, ...]
    variants: tuple[str, ...]
    foreign: Mapping[str, tuple[str, ...]]
    level: str
    longitude: float | None
    latitude: float | None
    same_as: str


def import_region_names(url: str, request: Request, progress: Progress) -> dict[str, Any]:
    """Runs the import and returns its summary; raises ImportRejected when nothing was changed."""
    started = time.perf_counter()
    file = open_input(request.path, request.encoding)
    table = CsvTable(file, request.delimiter)
    plan = plan_columns(table.columns, COLUMNS, ("name",), request.mapping, request.given)
    rejects = Rejects(rejects_path(request.path, request.rejects), table.columns)
    words = request.mapping.values.get("level", {}) if request.mapping else {}
    with rejects, importing_into(url) as connection, connection.cursor() as cursor:
        load = _Load(cursor, rejects)
        rows = list(load.read(table, plan, words, progress))
        cursor.execute(ONE_AT_A_TIME)
        load.write(rows)
        if not load.inserted + load.unchanged:
            raise ImportRejected(f"none of the {load.rows} rows can be imported")
        cursor.execute("ANALYZE region_aliases")
        late = finish(connection, file, rejects, request.dry_run)
    counts = {
        "inserted": load.inserted,
        "updated": 0,
        "unchanged": load.unchanged,
        "columns_not_used": plan.unused,
        "dropped": dropped_values(load.dropped),
    }
    report = summary(request, read=load.rows, counts=counts, rejects=rejects, late=late)
    return timed(report, started)


class _Load:
    """Reads all rows first, because only together they show which names are mixed up, then writes the other names."""

    def __init__(self, cursor: Any, rejects: Rejects) -> None:
        self._cursor, self._rejects = cursor, rejects
        self.rows = self.inserted = self.unchanged = 0
        self.dropped: list[Dropped] = []

    def read(
        self, table: CsvTable, plan: Plan, level_words: Mapping[str, str], progress: Progress
    ) -> Iterator[NameRow]:
        """Yields valid rows and rejects the others."""
        for chunk in table.chunks():
            self.rows += len(chunk)
            self._rejects.add(chunk.rejected)
            for line, values in zip(chunk.lines, map(tuple, chunk.rows), strict=True):
                texts = {
                    name: JOINT.join(values[p] for p in plan.places.get(name, ()))
                    for name in COLUMNS
                }
                try:
                    yield _name_row(line, values, texts, level_words)
                except InvalidValue as error:
                    self._rejects.add([Rejected(line, str(error), values)])
            progress(chunk.bytes_read)

    def write(self, rows: list[NameRow]) -> None:
        """Adds the names of all rows, except those that cannot be right."""
        folded = self._folded(rows)
        confused = name_checks.confused(_claim(row, folded) for row in rows)
        for row in rows:
            try:
                regions = self._find(row)
            except InvalidValue as error:
                self._rejects.add([Rejected(row.line, str(error), row.values)])
                continue
            added = self._add(row, regions, folded, confused.get(row.line, set()))
            self.inserted += added > 0
            self.unchanged += added == 0

    def _folded(self, rows: list[NameRow]) -> dict[str, str]:
        names = {name for row in rows for names in row.foreign.values() for name in names}
        self._cursor.execute(FOLD, (list(names),))
        return dict(self._cursor.fetchall())

    def _find(self, row: NameRow) -> list[int]:
        """The regions that a row names: one, or the districts of a city."""
        name = row.korean[0]
        position = {"lon": row.longitude, "lat": row.latitude}
        near = None
        if row.longitude is not None:
            self._cursor.execute(NEAR, position)
            (near,) = self._cursor.fetchone()
        place = position | {
            "near": near,
            "names": list(row.korean),
            "variants": [v for v in row.variants if name_checks.stem(v) == name_checks.stem(name)],
            "level": row.level,
        }
        ids, are_of_a_city = None, False
        if row.level == "dong":
            self._cursor.execute(FOUND_AROUND_TOWN, place)
            ids, are_of_a_city = self._cursor.fetchone() or (None, False)
        if not ids:
            self._cursor.execute(FOUND, place)
            ids, are_of_a_city = self._cursor.fetchone()
        if not ids:
            raise InvalidValue(f"[name] no region {name[:40]} at this position")
        if len(ids) > 1 and not are_of_a_city:
            raise InvalidValue(
                f"[name] {name[:40]} is ambiguous ({len(ids)} regions): add level and position"
            )
        return list(ids)

    def _add(
        self, row: NameRow, regions: list[int], folded: Mapping[str, str], confused: Container[str]
    ) -> int:
        """Adds names to regions; returns how many are new."""
        self._cursor.execute(FORMS, (regions,))
        forms = name_checks.korean_forms(self._cursor.fetchall())
        add = ADD.format(tag=name_checks.language_tag("%(lang)s", "n"))
        added = 0
        for field, lang in LANGUAGES.items():
            names = []
            for name in row.foreign[field]:
                if folded[name] in confused:
                    reason = "the name of another place in the list"
                else:
                    reason = name_checks.flaw(name, folded[name], lang, forms)
                if reason:
                    self.dropped.append(Dropped(row.line, field, reason))
                else:
                    names.append(name)
            self._cursor.execute(add, {"regions": regions, "names": names, "lang": lang})
            added += self._cursor.rowcount
        return added


def _name_row(
    line: int, values: tuple[str, ...], texts: Mapping[str, str], level_words: Mapping[str, str]
) -> NameRow:
    korean = tuple(NAME(texts["name"]).split(JOINT))
    if len({*map(name_checks.stem, korean)}) > 1:
        raise InvalidValue(f"[name] {JOINT.join(korean)[:40]} are different places")
    level = level_words.get(texts["level"], texts["level"])
    if level not in REGION_LEVELS:
        level = "dong" if level else ""
    longitude, latitude = _position(texts)
    return NameRow(
        line=line,
        values=values,
        korean=korean,
        variants=tuple(filter(None, texts["variants"].split(JOINT))),
        foreign={field: _foreign_names(texts[field]) for field in LANGUAGES},
        level=level,
        longitude=longitude,
        latitude=latitude,
        same_as=texts["same_as"].strip(),
    )


def _foreign_names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(JOINT) if (name := FOREIGN_NAME(part)))


def _claim(row: NameRow, folded: Mapping[str, str]) -> Claim:
    foreign = frozenset(folded[name] for names in row.foreign.values() for name in names)
    return Claim(row.line, frozenset(row.korean), frozenset(row.variants), foreign, row.same_as)


def _position(texts: Mapping[str, str]) -> tuple[float | None, float | None]:
    try:
        return float(texts["longitude"]), float(texts["latitude"])
    except ValueError:
        return None, None
