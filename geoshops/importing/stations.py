"""Imports stations from CSV or GeoJSON: staged as shops are, written in one statement."""

from __future__ import annotations

import re
import time
from typing import Any

from geoshops.importing import fields, name_checks
from geoshops.importing.errors import ImportRejected
from geoshops.importing.fields import InvalidValue
from geoshops.importing.finishing import finish, summary, timed
from geoshops.importing.mapping import plan_columns
from geoshops.importing.points import Reasons
from geoshops.importing.reading import about, open_table, positions, reject_lines
from geoshops.importing.request import Progress, Request
from geoshops.importing.shop_load import drop_repeated_keys, repeated_keys
from geoshops.importing.staging import Columns, Dropped, Field, Staging
from geoshops.importing.transaction import importing_into

REQUIRED = ("name", "longitude", "latitude")
NAME_EN_IN_SMALL_LETTERS = """
CASE WHEN i.name_en = upper(i.name_en) AND lower(i.name_en) = lower(romanized(i.name)) THEN romanized(i.name) ELSE i.name_en END"""
IN_BRACKETS = re.compile(r"\s*[(（\[].*$")
# repeated: a source that appends 역 to every name has 서울역역, and a stored name must not end in 역
ENDINGS = re.compile(r"(?<=\S)(\s*역)+$")
SYLLABLES = re.compile(r"[가-힣](?: [가-힣])+")
QUOTES = re.compile("[`´‘’']")
STATION_WORD = re.compile(r"(?<=\w) (?:station|sta\.?|stn\.?)$", re.IGNORECASE)
LAST_BRACKETS = re.compile(r"\s*\([^()]*\)$")
SIGN_OF_STATION = re.compile("(?<=.)(?:[驛駅]|(?<!客[运運])站)$")
BETWEEN_HAN = re.compile("(?<=[\u3400-\u9fff])[ \u3000]+(?=[\u3400-\u9fff])")
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
STAGE_NAMES = """
CREATE TEMP TABLE incoming_names ON COMMIT DROP AS
SELECT i.line, i.name, i.geog, v.field, v.alias, v.lang, kana_folded(han_folded(v.alias)) AS folded
FROM incoming i CROSS JOIN LATERAL (VALUES {names}) v (field, alias, lang) WHERE v.alias <> ''"""
# Each syllable has a Chinese character. A single one for a longer name means that the source's encoding lacked the others.
INCOMPLETE = """
DELETE FROM incoming_names WHERE length(alias) = 1 AND length(name) > 1 RETURNING line, field"""
# In the sources, rows of transfer stations sometimes have the foreign names of a neighbouring station.
CONFUSED = """
DELETE FROM incoming_names i
WHERE EXISTS (
    SELECT FROM incoming_names o
    WHERE o.folded = i.folded AND name_key(o.name) <> name_key(i.name) AND ST_DWithin(o.geog, i.geog, 2000)
      AND NOT EXISTS (SELECT FROM incoming_names p WHERE p.name = o.name AND p.field = o.field AND p.folded <> o.folded))
  AND EXISTS (SELECT FROM incoming_names p WHERE p.name = i.name AND p.field = i.field AND p.folded <> i.folded)
RETURNING i.line, i.field"""
ADD_NAMES = """
INSERT INTO station_aliases (station_id, alias, lang)
SELECT s.id, g.alias, {tag}
FROM incoming_names g JOIN stations s ON s.name_key = name_key(g.name) AND ST_DWithin(s.geog, g.geog, 2000)
ORDER BY s.id, g.lang DESC, g.alias
ON CONFLICT DO NOTHING"""
FOREIGN_FIELDS = {"name_hanja": "zh-Hant", "name_ja": "ja", "name_zh": "zh"}
DROPPED_NAMES = ((INCOMPLETE, "lacks a character"), (CONFUSED, "the name of the next station"))


def station_name(value: str) -> str:
    """The name without brackets and the ending 역, as users search it (서울역 becomes 서울, and 남 산 남산)."""
    name = fields.name(value)
    # checked again, because only invisible characters may remain
    name = fields.name(ENDINGS.sub("", IN_BRACKETS.sub("", name) or name))
    return name.replace(" ", "") if SYLLABLES.fullmatch(name) else name


def english_name(value: str) -> str:
    """The name without the word station and without brackets at its end; 3(sam)-ga keeps them."""
    name = QUOTES.sub("'", " ".join(fields.words(100)(value).split()))
    # a source that escapes apostrophes again and again fills its column with them
    if name.endswith("''"):
        raise InvalidValue("cut off")
    name = STATION_WORD.sub("", LAST_BRACKETS.sub("", re.sub("'+", "'", name)))
    return name.title() if name.isupper() and " " in name else name


def chinese_name(value: str) -> str:
    """The name in Chinese characters, without 驛, 駅 or 站."""
    return _foreign_name(value, "zh")


def japanese_name(value: str) -> str:
    """The name in kana or Chinese characters, without 駅."""
    return _foreign_name(value, "ja")


def _foreign_name(value: str, lang: str) -> str:
    name = IN_BRACKETS.sub("", fields.words(100)(value).translate(str.maketrans("ㆍ･", "··")))
    name = SIGN_OF_STATION.sub("", BETWEEN_HAN.sub("", name.strip()))
    if name and (reason := name_checks.script_flaw(name, lang)):
        raise InvalidValue(reason)
    return name


FIELDS = {
    "source_id": Field(fields.key, optional=False),
    "name": Field(station_name, optional=False),
    "name_en": Field(english_name),
    "name_hanja": Field(chinese_name),
    "name_ja": Field(japanese_name),
    "name_zh": Field(chinese_name),
    "line_name": Field(fields.words(100)),
    "address": Field(fields.words(500), None),
}


def import_stations(url: str, request: Request, progress: Progress) -> dict[str, Any]:
    """Runs the import and returns its summary; raises ImportRejected when nothing was changed."""
    started = time.perf_counter()
    source = request.source_of("stations")
    file, table, rejects = open_table(request)
    with rejects:
        plan = plan_columns(
            table.columns,
            (*FIELDS, "longitude", "latitude"),
            REQUIRED,
            request.mapping,
            request.given,
        )
        named = {n: f for n, f in FIELDS.items() if n in plan.places or n == "source_id"}
        staging = Staging(table, plan, named, positions(request), rejects, _complete, progress)
        with importing_into(url) as connection, connection.cursor() as cursor:
            counts = _load(cursor, staging, source) | about(file, staging)
            late = finish(connection, file, rejects, request.dry_run)
    report = summary(request, source, read=staging.read, counts=counts, rejects=rejects, late=late)
    return timed(report, started)


def _load(cursor: Any, staging: Staging, source: str) -> dict[str, Any]:
    staging.run(cursor)
    stored = staging.stored()
    repeated = drop_repeated_keys(cursor, repeated_keys(cursor))
    if staging.rejects.count + len(repeated) == staging.read:
        raise ImportRejected(f"none of the {staging.read} rows can be imported")
    texts = {
        "name_en": NAME_EN_IN_SMALL_LETTERS if "name_en" in stored else "''",
        "line_name": "i.line_name" if "line_name" in stored else "''",
    }
    cursor.execute(UPSERT.format(**texts), {"source": source})
    inserted, updated, rows = cursor.fetchone()
    _add_foreign_names(cursor, staging, stored)
    identical = reject_lines(staging.table, staging.rejects, {}, repeated)
    unchanged = rows - inserted - updated
    return {
        "inserted": inserted, "updated": updated, "unchanged": unchanged, "identical": identical,
    }  # fmt: skip


def _add_foreign_names(cursor: Any, staging: Staging, stored: list[str]) -> None:
    """Adds the names in other languages to every row of their station, except those that cannot be right."""
    names = [f"('{n}', i.{n}, '{lang}')" for n, lang in FOREIGN_FIELDS.items() if n in stored]
    if not names:
        return
    cursor.execute(STAGE_NAMES.format(names=", ".join(names)))
    for statement, reason in DROPPED_NAMES:
        cursor.execute(statement)
        staging.dropped += [Dropped(line, field, reason) for line, field in cursor.fetchall()]
    cursor.execute(ADD_NAMES.format(tag=name_checks.language_tag("g.lang", "g.alias")))


def _complete(columns: Columns, reasons: Reasons) -> None:
    if "source_id" not in columns:
        lines = columns.get("line_name", [""] * len(columns["name"]))
        columns["source_id"] = [f"{n}|{k}" for n, k in zip(columns["name"], lines, strict=True)]
