"""Facts about Korea that the generator builds on: regions, stations, meeting places."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Sido:
    """A province or metropolitan city: official name, everyday one, others in use, former ones."""

    name: str
    short: str
    english: str
    code: str
    lon: float
    lat: float
    also_called: tuple[str, ...]
    old_names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sigungu:
    """A city, county or district with the names of its best known roads."""

    sido: Sido
    name: str
    code: str
    lon: float
    lat: float
    old_names: tuple[str, ...]
    roads: tuple[str, ...]

    @property
    def city(self) -> str:
        """The city of a district of a city (수원시), empty for everything else."""
        first, blank, _ = self.name.partition(" ")
        return first if blank else ""

    @property
    def short_names(self) -> tuple[str, ...]:
        """강남 for 강남구; 수원시, 수원, 영통구, 영통 for 수원시 영통구; none for 중구."""
        words = self.name.split() if self.city else []
        return (*words, *(word[:-1] for word in words or [self.name] if len(word) > 2))


@dataclass(frozen=True, slots=True)
class Dong:
    """A neighbourhood, town or township with its main roads; `weight` is its share of booths."""

    sigungu: Sigungu
    name: str
    lon: float
    lat: float
    weight: int
    roads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Spot:
    """A place that booths gather around. `kind` is station, landmark or dong."""

    kind: str
    name: str
    dong: Dong
    lon: float
    lat: float
    weight: int
    lines: tuple[str, ...] = ()


@cache
def sidos() -> tuple[Sido, ...]:
    """All 17 시도."""
    return tuple(
        Sido(
            r["name"],
            r["short"],
            r["english"],
            r["code"],
            float(r["longitude"]),
            float(r["latitude"]),
            _split(r["also_called"]),
            _split(r["old_names"]),
        )
        for r in _rows("sido")
    )


@cache
def sigungus() -> tuple[Sigungu, ...]:
    """All 시군구, the districts of cities such as 수원시 영통구 on their own."""
    by_short = {sido.short: sido for sido in sidos()}
    return tuple(
        Sigungu(
            by_short[r["sido"]],
            r["name"],
            r["code"],
            float(r["longitude"]),
            float(r["latitude"]),
            _split(r["old_names"]),
            _split(r["roads"]),
        )
        for r in _rows("sigungu")
    )


@cache
def dongs() -> tuple[Dong, ...]:
    """Well-known 읍면동, several hundred of them."""
    by_name = {(sigungu.sido.short, sigungu.name): sigungu for sigungu in sigungus()}
    return tuple(
        Dong(
            by_name[r["sido"], r["sigungu"]],
            r["name"],
            float(r["longitude"]),
            float(r["latitude"]),
            int(r["weight"]),
            _split(r["roads"]) or by_name[r["sido"], r["sigungu"]].roads,
        )
        for r in _rows("dong")
    )


@cache
def stations() -> tuple[Spot, ...]:
    """Subway and railway stations, named without the ending 역."""
    return tuple(_spots("station"))


@cache
def landmarks() -> tuple[Spot, ...]:
    """Shopping streets, sights, campus gates."""
    return tuple(_spots("landmark"))


@cache
def spots() -> tuple[Spot, ...]:
    """Every place with a share of booths."""
    neighbourhoods = (Spot("dong", d.name, d, d.lon, d.lat, d.weight) for d in dongs() if d.weight)
    return (*stations(), *landmarks(), *neighbourhoods)


def _spots(kind: str) -> Iterator[Spot]:
    by_name = {(d.sigungu.sido.short, d.sigungu.name, d.name): d for d in dongs()}
    for r in _rows(kind):
        yield Spot(
            kind,
            r["name"],
            by_name[r["sido"], r["sigungu"], r["dong"]],
            float(r["longitude"]),
            float(r["latitude"]),
            int(r["weight"]),
            _split(r.get("lines", "")),
        )


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split("|")) if text else ()
