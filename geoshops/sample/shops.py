"""Generates shops: opening and closing days, positions, names and addresses."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from geoshops.sample.brands import Brand, brands
from geoshops.sample.clock import Clock
from geoshops.sample.ground import Ground
from geoshops.sample.hours import WEEK_TABLE
from geoshops.sample.places import Sigungu, Spot, sidos, sigungus, spots

CLOSED_SHARE = 0.15
TEMP_CLOSED_SHARE = 0.02
SHORTEST_LIFE_DAYS = 120
METRES_PER_DEGREE = 111_320
SPREAD_M = {"station": 170, "landmark": 90, "dong": 220}
# With more shops, spots widen, so that a million shops are not concentrated at a thousand places.
CROWDED_FROM = 6_000
WIDEST = 4.0
# Shops that examples and tests rely on: brand, place, suffix of the branch name.
ALWAYS_THERE = (
    ("포토이즘", "강남", "강남역점"),
    ("인생네컷", "서울숲", "서울숲점"),
    ("인생네컷", "홍대입구", "홍대입구역점"),
    ("하루필름", "서면", "서면역점"),
    ("하루필름", "전포카페거리", "전포카페거리점"),
    ("포토그레이", "전주한옥마을", "전주한옥마을점"),
    ("포토이즘", "춘천명동", "춘천명동점"),
    ("인생네컷", "강남동", "진주 강남동점"),
    ("포토이즘박스", "강남", "강남역점"),
    ("포토이즘컬러드", "신사", "신사역점"),
    ("포토그레이", "제주시청앞", "제주시청점"),
    ("인생네컷", "성안길", "청주성안길점"),
    ("포토그레이", "디지털미디어시티", "디지털미디어시티역점"),
    ("하루필름", "김포공항", "김포공항역점"),
)


class Lives(NamedTuple):
    """By shop: opening day, closing day (-1 if open) and popularity."""

    opened: array[int]
    closed: array[int]
    popularity: array[float]

    def last_day(self, number: int, clock: Clock) -> int:
        """Returns the day before which all visits take place."""
        return clock.days if self.closed[number] < 0 else self.closed[number]


class Shop(NamedTuple):
    """A shop; days count from the clock's first day, empty texts are unknown."""

    number: int
    brand: Brand
    place_name: str
    spot: Spot
    lon: float
    lat: float
    road_address: str
    lot_address: str
    status: str
    opened: int
    closed: int
    phone: str
    opening_hours: str
    verified: int


def lives(random: Random, count: int, clock: Clock) -> Lives:
    """Draws lifetimes and popularities: openings increase every year, few shops are very popular."""
    result = Lives(array("l"), array("l"), array("d"))
    for number in range(count):
        stays = number < len(ALWAYS_THERE)
        opened = int((clock.days - 10) * random.random() ** (2 if stays else 0.6))
        earliest = opened + SHORTEST_LIFE_DAYS
        closes = random.random() < CLOSED_SHARE and not stays and earliest < clock.days
        closed = earliest + int(random.random() * (clock.days - earliest)) if closes else -1
        days = (closed if closes else clock.days) - opened
        result.opened.append(opened)
        result.closed.append(closed)
        hits = max(8.0 * stays, min(random.paretovariate(1.3), 30.0))
        result.popularity.append(hits * math.sqrt(days))
    return result


def shops(random: Random, lived: Lives, clock: Clock, ground: Ground) -> Iterator[Shop]:
    """Yields the shops in the order of `lived`; keeps only their labels in memory."""
    count = len(lived.opened)
    widening = min(WIDEST, max(1.0, math.sqrt(count / CROWDED_FROM)))
    sites = Sites()
    for number in range(count):
        brand, spot, place_name = sites.next(random)
        lon, lat = ground.inside(spot, *_scattered(random, spot, SPREAD_M[spot.kind] * widening))
        road_address, lot_address = _addresses(random, spot)
        yield Shop(
            number=number,
            brand=brand,
            place_name=place_name,
            spot=spot,
            lon=lon,
            lat=lat,
            road_address=road_address,
            lot_address=lot_address,
            status=_status(random, number, lived.closed[number]),
            opened=lived.opened[number],
            closed=lived.closed[number],
            phone=_phone(random),
            opening_hours=WEEK_TABLE[int(random.random() * len(WEEK_TABLE))],
            verified=clock.days - 1 - int(random.random() * 30),
        )


@dataclass(slots=True)
class Branches:
    """Number of a brand's shops with the same label, all in one district."""

    sigungu: Sigungu
    count: int = 0


class Sites:
    """Assigns each shop a brand, a spot and a name that is unique within the brand."""

    def __init__(self) -> None:
        self._brands = [brand for brand in brands() for _ in range(brand.share)]
        self._spots = [s for s in spots() for _ in range(s.weight * (1 + (s.kind != "dong")))]
        self._branches: dict[tuple[str, str], Branches] = {}
        self._regions = {s.short for s in sidos()} | {n for s in sigungus() for n in s.short_names}
        self._wanted = list(reversed(ALWAYS_THERE))

    def next(self, random: Random) -> tuple[Brand, Spot, str]:
        """Returns the next brand, spot and place name; the fixed shops come first."""
        if self._wanted:
            return self._next_wanted()
        brand = self._brands[int(random.random() * len(self._brands))]
        spot = self._spots[int(random.random() * len(self._spots))]
        return brand, spot, self._name(random, brand, spot)

    def _next_wanted(self) -> tuple[Brand, Spot, str]:
        brand_name, spot_name, branch = self._wanted.pop()
        brand = next(b for b in brands() if b.name == brand_name)
        spot = next(s for s in spots() if s.name == spot_name)
        self._at(brand, branch.removesuffix("점"), spot).count += 1
        return brand, spot, f"{brand_name} {branch}"

    def _name(self, random: Random, brand: Brand, spot: Spot) -> str:
        label = self._label(random, spot)
        branches = self._at(brand, label, spot)
        if branches.sigungu is not spot.dong.sigungu:
            label = _label_with_region(spot, label)
            branches = self._at(brand, label, spot)
        branches.count += 1
        if branches.count > 1:
            return f"{brand.name} {label} {branches.count}호점"
        return f"{brand.name} {label}{'점' if random.random() < 0.85 else ''}"

    def _at(self, brand: Brand, label: str, spot: Spot) -> Branches:
        key = (brand.name, label.replace(" ", ""))
        return self._branches.setdefault(key, Branches(spot.dong.sigungu))

    def _label(self, random: Random, spot: Spot) -> str:
        chance = random.random()
        if spot.kind == "station":
            return f"{spot.name}역" if chance < 0.6 or spot.name in self._regions else spot.name
        if chance > 0.8:
            return f"{spot.dong.sigungu.sido.short} {spot.name}"
        stem = spot.name.removesuffix("동")
        if chance > 0.5 and len(stem) > 1 and stem not in self._regions:
            return stem
        return spot.name


def _label_with_region(spot: Spot, label: str) -> str:
    """Returns the label with province and district, for names such as 중앙동 that many cities have."""
    sigungu = spot.dong.sigungu
    short = sigungu.short_names[-1] if sigungu.short_names else sigungu.name
    return f"{sigungu.sido.short} {short} {label.removeprefix(f'{sigungu.sido.short} ')}"


def _scattered(random: Random, spot: Spot, spread_m: float) -> tuple[float, float]:
    """Draws a position around the spot, normally distributed and cut off at three spreads in each direction."""
    # Stations are often at the edge of a district, so positions are shifted to their neighbourhood.
    pull = 0.25 if spot.kind == "station" else 0.0
    centre_lon = spot.lon + pull * (spot.dong.lon - spot.lon)
    centre_lat = spot.lat + pull * (spot.dong.lat - spot.lat)
    east_m = (random.random() + random.random() + random.random() - 1.5) * 2 * spread_m
    north_m = (random.random() + random.random() + random.random() - 1.5) * 2 * spread_m
    lon = centre_lon + east_m / (METRES_PER_DEGREE * math.cos(math.radians(centre_lat)))
    return round(lon, 6), round(centre_lat + north_m / METRES_PER_DEGREE, 6)


def _addresses(random: Random, spot: Spot) -> tuple[str, str]:
    """Returns road and lot address; sometimes one of them is unknown, as in real data."""
    sigungu = spot.dong.sigungu
    within = "" if sigungu.sido.short == "세종" else f" {sigungu.name}"
    road = spot.dong.roads[int(random.random() * len(spot.dong.roads))]
    road_address = (
        f"{sigungu.sido.name}{within} {road} {1 + int(random.random() * 420)}{_floor(random)}"
    )
    lot = f"{1 + int(random.random() * 900)}-{1 + int(random.random() * 40)}"
    lot_address = f"{sigungu.sido.short}{within} {spot.dong.name} {lot}"
    chance = random.random()
    return ("" if chance < 0.05 else road_address), ("" if chance > 0.88 else lot_address)


def _floor(random: Random) -> str:
    chance = random.random()
    if chance < 0.45:
        return ""
    if chance < 0.8:
        return " 1층"
    if chance < 0.95:
        return f" {2 + int(random.random() * 3)}층"
    return " 지하 1층"


def _status(random: Random, number: int, closed: int) -> str:
    if closed >= 0:
        return "CLOSED"
    rests = random.random() < TEMP_CLOSED_SHARE and number >= len(ALWAYS_THERE)
    return "TEMP_CLOSED" if rests else "OPEN"


def _phone(random: Random) -> str:
    """Returns a phone number from an unassigned range, or none."""
    number = int(random.random() * 25_000)
    return f"0507-0000-{number:04}" if number < 10_000 else ""
