"""Adds the sample's brands, regions and stations unless they exist."""

from __future__ import annotations

import csv
import unicodedata
from dataclasses import dataclass
from typing import Any

from psycopg2.extras import execute_values

from geoshops.sample.brands import brands
from geoshops.sample.places import DATA, Dong, Sido, Sigungu, dongs, sidos, sigungus, stations

SOURCE = "sample"
INSERT_REGION = """
INSERT INTO regions (level, parent_id, name, name_en, code, center, source)
SELECT v.level, v.parent_id, v.name, v.name_en,
  -- Boundary files number regions their own way; a code that is taken stays with its owner.
  CASE WHEN NOT EXISTS (SELECT FROM regions o WHERE o.level = v.level AND o.code = v.code) THEN v.code END,
  v.center, %(source)s
FROM (SELECT %(level)s AS level, %(parent_id)s::bigint AS parent_id, %(name)s AS name, %(name_en)s AS name_en,
  %(code)s AS code, ST_MakePoint(%(lon)s, %(lat)s)::geography AS center) v
RETURNING id"""


# By the rules, with units as Japanese lists of Korean regions write them.
GENERATED_NAMES = """
UPDATE stations SET name_en = romanized(name) WHERE source = %(source)s AND name_en = '';
INSERT INTO station_aliases (station_id, alias, lang)
SELECT id, in_kana(name), 'ja' FROM stations WHERE source = %(source)s ON CONFLICT DO NOTHING;
UPDATE regions SET name_en = romanized_place(name) WHERE source = %(source)s AND name_en = '';
INSERT INTO region_aliases (region_id, alias, kind, lang)
SELECT r.id, string_agg(in_kana(n[1]) || translate(n[2], '시군구읍면동리가', '市郡区邑面洞里街'), ' ' ORDER BY o), 'foreign', 'ja'
FROM regions r CROSS JOIN regexp_split_to_table(r.name, ' ') WITH ORDINALITY w (word, o)
CROSS JOIN regexp_matches(w.word, '^(.+)(.)$') n
WHERE r.source = %(source)s AND r.level <> 'sido' GROUP BY r.id ON CONFLICT DO NOTHING"""
HANJA = {
    "station": "INSERT INTO station_aliases (station_id, alias, lang) SELECT s.id, v.hanja, 'zh-Hant' FROM (VALUES %s) v (name, hanja)"
    " JOIN stations s ON s.name = v.name AND s.source = 'sample' ON CONFLICT DO NOTHING",
    "region": "INSERT INTO region_aliases (region_id, alias, kind, lang) SELECT r.id, v.hanja, 'foreign', 'zh-Hant'"
    " FROM (VALUES %s) v (name, hanja) JOIN regions r ON r.name = v.name AND r.source = 'sample' ON CONFLICT DO NOTHING",
}


@dataclass(frozen=True, slots=True)
class Ids:
    """Primary keys by brand name, region and station."""

    brands: dict[str, int]
    sidos: dict[Sido, int]
    sigungus: dict[Sigungu, int]
    dongs: dict[Dong, int]


def load_reference(cursor: Any) -> Ids:
    """Adds missing brands, regions and stations; returns the keys of all."""
    _load_stations(cursor)
    regions = _Regions(cursor)
    sido_ids = {s: regions.sido(s) for s in sidos()}
    sigungu_ids = {g: regions.sigungu(g, sido_ids[g.sido]) for g in sigungus()}
    cursor.execute("SELECT add_foreign_province_names(), add_shared_district_names()")
    dong_ids = {d: regions.dong(d, sigungu_ids[d.sigungu]) for d in dongs()}
    _load_foreign_names(cursor)
    return Ids(_load_brands(cursor), sido_ids, sigungu_ids, dong_ids)


def _load_brands(cursor: Any) -> dict[str, int]:
    ids: dict[str, int] = {}
    for brand in brands():
        cursor.execute("SELECT brand_named(%s)", (brand.name,))
        (found,) = cursor.fetchone()
        if found is None:
            cursor.execute(
                "INSERT INTO brands (name, parent_id, is_representative, badge_color)"
                " VALUES (%s, %s, %s, %s) RETURNING id",
                (brand.name, ids.get(brand.parent), brand.is_representative, brand.badge_color),
            )
            (found,) = cursor.fetchone()
        ids[brand.name] = found
        execute_values(
            cursor,
            "INSERT INTO brand_aliases (brand_id, alias, lang) VALUES %s ON CONFLICT (alias_key) DO NOTHING",
            [(found, alias, "en" if alias.isascii() else "") for alias in brand.aliases]
            + [(found, name, lang) for lang, name in brand.foreign],
        )
    return ids


def _load_stations(cursor: Any) -> None:
    execute_values(
        cursor,
        "INSERT INTO stations (name, line, geog, source, source_id) VALUES %s"
        " ON CONFLICT (source, source_id) DO NOTHING",
        [
            (
                s.name,
                line,
                f"SRID=4326;POINT({s.lon} {s.lat})",
                SOURCE,
                f"{s.dong.name}-{s.name}-{line}",
            )
            for s in stations()
            for line in s.lines
        ],
    )


def _load_foreign_names(cursor: Any) -> None:
    cursor.execute(GENERATED_NAMES, {"source": SOURCE})
    with (DATA / "hanja.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for kind, statement in HANJA.items():
        names = [(r["name"], r["hanja"]) for r in rows if r["kind"] == kind]
        execute_values(cursor, statement, names, page_size=len(names))


class _Regions:
    """Finds regions by current or former name below their parent and adds missing ones."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor
        cursor.execute(
            "SELECT r.parent_id, a.alias_key, r.id FROM region_aliases a JOIN regions r ON r.id = a.region_id"
            " WHERE a.kind = 'old' UNION ALL SELECT parent_id, name_key, id FROM regions"
        )
        # Names come last, so that they override other regions' former names.
        self._ids = {(parent, key): region for parent, key, region in cursor.fetchall()}

    def sido(self, sido: Sido) -> int:
        """Returns the key of a province, with its short name as an alias."""
        names = (sido.name, *sido.old_names)
        region = self._find(None, names) or self._add("sido", None, sido, sido.code, sido.english)
        everyday = (sido.short, *sido.also_called)
        self._alias(region, short=everyday, old=sido.old_names, english=(sido.english,))
        return region

    def sigungu(self, sigungu: Sigungu, parent: int) -> int:
        """Returns the key of a district."""
        region = self._find(parent, (sigungu.name,))
        region = region or self._add("sigungu", parent, sigungu, sigungu.code)
        self._alias(region, short=sigungu.short_names, old=sigungu.old_names)
        return region

    def dong(self, dong: Dong, parent: int) -> int:
        """Returns the key of a neighbourhood."""
        return self._find(parent, (dong.name,)) or self._add("dong", parent, dong, None)

    def _find(self, parent: int | None, names: tuple[str, ...]) -> int | None:
        return next((i for name in names if (i := self._ids.get((parent, _key(name))))), None)

    def _add(
        self,
        level: str,
        parent: int | None,
        place: Sido | Sigungu | Dong,
        code: str | None,
        english: str = "",
    ) -> int:
        values = {
            "level": level,
            "parent_id": parent,
            "name": place.name,
            "name_en": english,
            "code": code,
            "lon": place.lon,
            "lat": place.lat,
            "source": SOURCE,
        }
        self._cursor.execute(INSERT_REGION, values)
        (region,) = self._cursor.fetchone()
        self._ids[parent, _key(place.name)] = region
        return int(region)

    def _alias(self, region: int, **aliases: tuple[str, ...]) -> None:
        execute_values(
            self._cursor,
            "INSERT INTO region_aliases (region_id, alias, kind, lang) VALUES %s ON CONFLICT DO NOTHING",
            [
                (region, alias, kind, "en" if kind == "english" else "")
                for kind, names in aliases.items()
                for alias in names
            ],
        )


def _key(name: str) -> str:
    """Returns name_key as computed by the database; sufficient for the sample's names."""
    return unicodedata.normalize("NFKC", name).replace(" ", "").lower()
