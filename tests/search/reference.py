"""Reference search for tests: brute force over all shops in Python, independent of the SQL.

It does not parse keywords. Its input is their meaning: regions, brands, stations, a part of the name."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from tests.geodesy import geodesic_m
from tests.make import Maker

Position = tuple[float, float]
STATION_REACH_M = 1000
SIDO_ENDINGS = ("특별자치도", "특별자치시", "특별시", "광역시", "도")


@dataclass(frozen=True)
class Shop:
    id: int
    name: str
    brand: int | None
    regions: frozenset[int]
    address: str
    at: Position


@dataclass(frozen=True)
class Intent:
    """The meaning of a keyword; None matches any shop."""

    regions: frozenset[int] | None = None
    brands: frozenset[int] | None = None
    stations: tuple[Position, ...] | None = None
    piece: str | None = None
    branch: str | None = None
    # within these districts, a 동 also matches shops whose address or name contains this text
    spoken: str | None = None
    districts: frozenset[int] = frozenset()


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text).lower())


@dataclass
class Country:
    """The shops, brands, regions and stations of a database, in memory."""

    shops: list[Shop] = field(default_factory=list)
    brand_names: dict[str, int] = field(default_factory=dict)
    children: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    regions: dict[int, tuple[str, str, int | None]] = field(default_factory=dict)
    region_names: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    stations: dict[str, list[Position]] = field(default_factory=lambda: defaultdict(list))

    def family(self, brand: int) -> frozenset[int]:
        return frozenset({brand} | self.children[brand])

    def path(self, region: int) -> list[int]:
        """The region and its ancestors."""
        parent = self.regions[region][2]
        return [region, *(self.path(parent) if parent else [])]

    def called(self, name: str, *, above: int | None = None) -> frozenset[int]:
        """All regions with this name, optionally only descendants of `above`."""
        return frozenset(
            r for r in self.region_names[name] if above is None or above in self.path(r)[1:]
        )

    def find(self, intent: Intent, at: Position) -> list[Shop]:
        """Matching shops, ordered by relevance, then geodesic distance, then id."""
        kept = [shop for shop in self.shops if matches(intent, shop)]
        return sorted(kept, key=lambda s: (tier(intent, s), geodesic_m(*at, *s.at), s.id))


def matches(intent: Intent, shop: Shop) -> bool:
    """Whether the shop matches region AND brand AND station AND part of the name."""
    if intent.regions is not None and not (
        intent.regions & shop.regions or mentions_dong(intent, shop)
    ):
        return False
    if intent.brands is not None and shop.brand not in intent.brands:
        return False
    if intent.stations is not None and not near(intent.stations, shop):
        return bool(intent.branch) and squeezed(str(intent.branch)) in squeezed(shop.name)
    piece = squeezed(intent.piece or "")
    words = [squeezed(word) for word in shop.address.split()]
    return piece in squeezed(shop.name) or any(word.startswith(piece) for word in words)


def mentions_dong(intent: Intent, shop: Shop) -> bool:
    """Whether the shop is in one of the districts and has the 동 in its address or name."""
    if intent.spoken is None or not intent.districts & shop.regions:
        return False
    words = [squeezed(word) for word in shop.address.split()]
    return intent.spoken in squeezed(shop.name) or any(w.startswith(intent.spoken) for w in words)


def near(stations: tuple[Position, ...], shop: Shop) -> bool:
    return any(geodesic_m(*shop.at, *station) <= STATION_REACH_M for station in stations)


def tier(intent: Intent, shop: Shop) -> int:
    """Relevance: 1 for the exact name, 2 for a prefix of the name or a branch named after the station, 3 for the rest."""
    name = squeezed(shop.name)
    if intent.branch:
        return 2 if squeezed(intent.branch) in name else 3
    if not intent.piece:
        return 3
    wanted = squeezed(intent.piece)
    return 1 if name in (wanted, f"{wanted}점") else 2 if name.startswith(wanted) else 3


def own_names(name: str, level: str) -> set[str]:
    """A region's usual names: 서울특별시, 서울시, 서울; 수원시 영통구, 영통구, 영통, 수원시, 수원; 역삼1동, 역삼동."""
    names = {name}
    if level == "sido":
        short = next(name.removesuffix(end) for end in SIDO_ENDINGS if name.endswith(end))
        names |= {short, f"{short}시" if name.endswith("시") else f"{short}도"}
    elif level == "sigungu":
        city, _, district = name.rpartition(" ")
        for part in filter(None, (city, district)):
            names |= {part, part[:-1]} if len(part) > 2 else {part}
    else:
        names.add(re.sub(r"[0-9·.,]+(동|가)$", r"\1", name))
    return names


def read(make: Maker) -> Country:
    """Loads the country from the database."""
    country = Country()
    for brand, name, parent in make.rows("SELECT id, name, parent_id FROM brands"):
        country.brand_names[name] = brand
        if parent:
            country.children[parent].add(brand)
    for region, name, level, parent in make.rows("SELECT id, name, level, parent_id FROM regions"):
        country.regions[region] = (name, level, parent)
        for own in own_names(name, level):
            country.region_names[own].add(region)
    for region, alias in make.rows("SELECT region_id, alias FROM region_aliases"):
        country.region_names[alias].add(region)
    for name, lon, lat in make.rows(
        "SELECT name, ST_X(geog::geometry), ST_Y(geog::geometry) FROM stations"
    ):
        country.stations[name].append((lon, lat))
    country.shops = [_shop(*row) for row in make.rows(SHOPS)]
    return country


SHOPS = """
SELECT id, place_name, brand_id, sido_id, sigungu_id, dong_id, road_address || ' ' || lot_address,
  ST_X(geog::geometry), ST_Y(geog::geometry)
FROM shops WHERE status <> 'CLOSED'"""


def _shop(
    id: int,
    name: str,
    brand: int | None,
    sido: Any,
    sigungu: Any,
    dong: Any,
    address: str,
    lon: float,
    lat: float,
) -> Shop:
    regions = frozenset(r for r in (sido, sigungu, dong) if r)
    return Shop(id, name, brand, regions, address, (lon, lat))
