"""Adds the sample's brands, regions and stations unless they exist."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from psycopg2.extras import execute_values

from geoshops.sample.brands import brands
from geoshops.sample.foreign_names import load_foreign_names, region_names, source_id
from geoshops.sample.places import Dong, Sido, Sigungu, dongs, sidos, sigungus, stations

SOURCE = "sample"
INSERT_REGIONS = """
INSERT INTO regions (level, parent_id, name, name_en, code, center, source)
SELECT v.level, v.parent_id, v.name, coalesce(nullif(v.name_en, ''), romanized_place(v.name)),
  -- Boundary files number regions their own way; a code that is taken stays with its owner.
  CASE WHEN NOT EXISTS (SELECT FROM regions o WHERE o.level = v.level AND o.code = v.code) THEN v.code END,
  ST_MakePoint(v.lon, v.lat)::geography, v.source
FROM (VALUES %s) v (level, parent_id, name, name_en, code, lon, lat, source)
RETURNING id, parent_id, name"""
LEVELS = {Sido: "sido", Sigungu: "sigungu", Dong: "dong"}
P = TypeVar("P", Sido, Sigungu, Dong)
REGION = "(%s, %s::bigint, %s, %s, %s, %s::float8, %s::float8, %s)"
INSERT_ALIASES = (
    "INSERT INTO region_aliases (region_id, alias, kind, lang) VALUES %s ON CONFLICT DO NOTHING"
)
# displays use the first name of a language; an alias that is already there gets the capitals of the file
INSERT_BRAND_ALIASES = """
INSERT INTO brand_aliases (brand_id, alias, lang) VALUES %s
ON CONFLICT (alias_key) DO UPDATE SET alias = excluded.alias WHERE brand_aliases.brand_id = excluded.brand_id"""
# a station that is already there gets the English name of the file
INSERT_STATIONS = """
INSERT INTO stations (name, name_en, line, geog, source, source_id)
SELECT v.name, coalesce(nullif(v.name_en, ''), romanized(v.name)), v.line, ST_MakePoint(v.lon, v.lat)::geography, v.source, v.source_id
FROM (VALUES %s) v (name, name_en, line, lon, lat, source, source_id)
ON CONFLICT (source, source_id) DO UPDATE SET name_en = excluded.name_en WHERE stations.name_en <> excluded.name_en"""


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
    sido_ids = regions.of(dict.fromkeys(sidos()))
    sigungu_ids = regions.of({g: sido_ids[g.sido] for g in sigungus()})
    cursor.execute("SELECT add_foreign_province_names(), add_shared_district_names()")
    dong_ids = regions.of({d: sigungu_ids[d.sigungu] for d in dongs()})
    load_foreign_names(cursor, SOURCE)
    return Ids(_load_brands(cursor), sido_ids, sigungu_ids, dong_ids)


def _load_brands(cursor: Any) -> dict[str, int]:
    ids: dict[str, int] = {}
    for brand in brands():
        cursor.execute("SELECT brand_named(%s)", (brand.name,))
        (brand_id,) = cursor.fetchone()
        if brand_id is None:
            cursor.execute(
                "INSERT INTO brands (name, parent_id, is_representative, badge_color)"
                " VALUES (%s, %s, %s, %s) RETURNING id",
                (brand.name, ids.get(brand.parent), brand.is_representative, brand.badge_color),
            )
            (brand_id,) = cursor.fetchone()
        ids[brand.name] = brand_id
        execute_values(
            cursor,
            INSERT_BRAND_ALIASES,
            [(brand_id, name, lang) for lang, name in brand.foreign]
            + [(brand_id, alias, "en" if alias.isascii() else "") for alias in brand.aliases],
        )
    return ids


def _load_stations(cursor: Any) -> None:
    rows = [
        (s.name, "".join(s.names.english[:1]), line, s.lon, s.lat, SOURCE, source_id(s, line))
        for s in stations()
        for line in s.lines
    ]
    execute_values(cursor, INSERT_STATIONS, rows, page_size=len(rows))


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

    def of(self, places: Mapping[P, int | None]) -> dict[P, int]:
        """The keys of regions of one level, by place and the key of its parent; adds missing ones and other names."""
        missing = [
            _row(place, parent) for place, parent in places.items() if not self._find(place, parent)
        ]
        size = max(len(missing), 1)
        for region, parent, name in execute_values(
            self._cursor, INSERT_REGIONS, missing, REGION, size, fetch=True
        ):
            self._ids[parent, _key(name)] = region
        regions = {
            place: region
            for place, parent in places.items()
            if (region := self._find(place, parent)) is not None
        }
        aliases = [alias for place, region in regions.items() for alias in _aliases(place, region)]
        execute_values(self._cursor, INSERT_ALIASES, aliases, page_size=max(len(aliases), 1))
        return regions

    def _find(self, place: Sido | Sigungu | Dong, parent: int | None) -> int | None:
        old_names = place.old_names if isinstance(place, Sido) else ()
        keys = ((parent, _key(name)) for name in (place.name, *old_names))
        return next((self._ids[key] for key in keys if key in self._ids), None)


def _row(place: Sido | Sigungu | Dong, parent: int | None) -> tuple[object, ...]:
    english = place.english if isinstance(place, Sido) else ""
    code = None if isinstance(place, Dong) else place.code
    return (LEVELS[type(place)], parent, place.name, english, code, place.lon, place.lat, SOURCE)


def _aliases(place: Sido | Sigungu | Dong, region: int) -> Iterator[tuple[int, str, str, str]]:
    """Other names of a region, as rows."""
    if not isinstance(place, Sido):
        yield from ((region, *name) for name in region_names(place))
    if isinstance(place, Dong):
        return
    short = (place.short, *place.also_called) if isinstance(place, Sido) else place.short_names
    yield from ((region, name, "short", "") for name in short)
    yield from ((region, name, "old", "") for name in place.old_names)
    if isinstance(place, Sido):
        yield (region, place.english, "english", "en")


def _key(name: str) -> str:
    """Returns name_key as computed by the database; sufficient for the sample's names."""
    return unicodedata.normalize("NFKC", name).replace(" ", "").lower()
