"""Regions, stations and landmarks of Korea."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Sido:
    """A province or metropolitan city with its official, short, alternative and former names."""

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
    """A city, county or district with its Hanja and the names of its main roads."""

    sido: Sido
    name: str
    hanja: str
    code: str
    lon: float
    lat: float
    old_names: tuple[str, ...]
    roads: tuple[str, ...]

    @property
    def city(self) -> str:
        """The city of a city district (수원시), otherwise empty."""
        first, blank, _ = self.name.partition(" ")
        return first if blank else ""

    @property
    def short_names(self) -> tuple[str, ...]:
        """Aliases: 강남 for 강남구; 수원시, 수원, 영통구, 영통 for 수원시 영통구; none for 중구."""
        words = self.name.split() if self.city else []
        return (*words, *(word[:-1] for word in words or [self.name] if len(word) > 2))


@dataclass(frozen=True, slots=True)
class Dong:
    """A neighbourhood, town or township with its main roads.

    `hanja` is empty for Korean words and where it is not certain; `weight` is its share of shops."""

    sigungu: Sigungu
    name: str
    hanja: str
    lon: float
    lat: float
    weight: int
    roads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StationNames:
    """Names of a station in other languages; the first of several is the one on its signs.

    `english` is empty where the romanisation is the official name, `hanja` where the name has words without Chinese
    characters. `chinese` and `japanese` are given where they differ from the Hanja, in traditional characters."""

    english: tuple[str, ...] = ()
    hanja: str = ""
    chinese: tuple[str, ...] = ()
    japanese: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spot:
    """A place around which shops are generated; `kind` is station, landmark or dong, `names` those of a station."""

    kind: str
    name: str
    dong: Dong
    lon: float
    lat: float
    weight: int
    lines: tuple[str, ...] = ()
    names: StationNames = StationNames()


@cache
def sidos() -> tuple[Sido, ...]:
    """Returns all 17 시도."""
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
    """Returns all 시군구, including districts of cities such as 수원시 영통구."""
    by_short = {sido.short: sido for sido in sidos()}
    return tuple(
        Sigungu(
            by_short[r["sido"]],
            r["name"],
            r["hanja"],
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
    """Returns several hundred well-known 읍면동."""
    by_name = {(sigungu.sido.short, sigungu.name): sigungu for sigungu in sigungus()}
    return tuple(
        Dong(
            by_name[r["sido"], r["sigungu"]],
            r["name"],
            r["hanja"],
            float(r["longitude"]),
            float(r["latitude"]),
            int(r["weight"]),
            _split(r["roads"]) or by_name[r["sido"], r["sigungu"]].roads,
        )
        for r in _rows("dong")
    )


@cache
def stations() -> tuple[Spot, ...]:
    """Returns subway and railway stations, named without the suffix 역."""
    return tuple(_spots("station"))


@cache
def landmarks() -> tuple[Spot, ...]:
    """Returns landmarks such as shopping streets, sights and campus gates."""
    return tuple(_spots("landmark"))


@cache
def spots() -> tuple[Spot, ...]:
    """Returns every place with a share of shops."""
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
            _station_names(r) if kind == "station" else StationNames(),
        )


def _station_names(row: dict[str, str]) -> StationNames:
    return StationNames(
        _split(row["english"]),
        row["hanja"],
        _split(row["chinese"]),
        _split(row["japanese"]),
    )


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split("|")) if text else ()
