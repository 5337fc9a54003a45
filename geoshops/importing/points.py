"""Parses the positions of a chunk and converts them to WGS 84, with a reason for each invalid one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from geoshops.importing import fields, korea
from geoshops.importing.crs import Projection, hint
from geoshops.importing.errors import ImportRejected

# an address may lie slightly outside the rough box of its province, but not by half a degree
MISPLACED_DEGREES = 0.5
DOUBTFUL_DEGREES = 0.1
Reasons = dict[int, str]
EWKB = np.dtype([("order", "u1"), ("type", "<u4"), ("srid", "<u4"), ("x", "<f8"), ("y", "<f8")])


class Positions:
    """Converts positions chunk by chunk, and rejects the file if most of them are implausible."""

    def __init__(self, projection: Projection) -> None:
        self.projection = projection
        self.seen = self.outside = self.checked = self.doubtful = 0

    def convert(
        self, xs: Sequence[str], ys: Sequence[str], addresses: list[str], reasons: Reasons
    ) -> tuple[np.ndarray, np.ndarray]:
        """Longitudes and latitudes in degrees; NaN where `reasons` has an entry."""
        x, y = _numbers("longitude", xs, reasons), _numbers("latitude", ys, reasons)
        for i in _places((x == 0) & (y == 0)):
            reasons.setdefault(i, "no coordinates: 0, 0 stands for missing ones")
            x[i] = np.nan
        lon, lat = self.projection.to_wgs84(x, y)
        numeric = ~(np.isnan(x) | np.isnan(y))
        inside = self.projection.holds(lon, lat)
        off = korea.degrees_off(addresses, lon, lat)
        self._count(numeric, inside, off)
        if self._cannot_be_right():
            raise self._rejection(x, y, addresses, _places(numeric))
        for i in _places(numeric & ~inside):
            reasons.setdefault(i, self._outside(xs[i], ys[i]))
        for i in _places(numeric & inside & (off > MISPLACED_DEGREES)):
            reasons.setdefault(i, _misplaced(lon[i], lat[i], addresses[i]))
        return lon, lat

    def _count(self, numeric: np.ndarray, inside: np.ndarray, off: np.ndarray) -> None:
        known = numeric & inside & ~np.isnan(off)
        self.seen += int(numeric.sum())
        self.outside += int((numeric & ~inside).sum())
        self.checked += int(known.sum())
        self.doubtful += int((known & (off > DOUBTFUL_DEGREES)).sum())

    def _cannot_be_right(self) -> bool:
        wrong_place = self.doubtful * 2 > self.checked and self.doubtful >= 3
        return self.outside * 2 > self.seen or wrong_place

    def _rejection(
        self, x: np.ndarray, y: np.ndarray, addresses: list[str], kept: list[int]
    ) -> ImportRejected:
        """The error, with the first numeric position and the coordinate systems that would fit."""
        advice = hint(self.projection, x[kept], y[kept], [addresses[i] for i in kept])
        first = kept[0]
        return ImportRejected(
            f"the coordinates do not fit {self.projection.name} (the first are "
            f"{x[first]:g}, {y[first]:g}): {advice}"
        )

    def _outside(self, x: str, y: str) -> str:
        west, south, east, north = self.projection.area
        reason = f"{x}, {y} lies outside {self.projection.name} ({west:g} to {east:g} east, {south:g} to {north:g} north)"
        if self.projection.transformer is None and abs(float(x)) <= 90 < abs(float(y)) <= 180:
            reason += "; longitude and latitude seem to be swapped"
        return reason


def ewkb_hex(lon: np.ndarray, lat: np.ndarray) -> list[str]:
    """Points as hexadecimal EWKB for COPY: byte order, type with the SRID flag, SRID, x, y."""
    points = np.empty(len(lon), EWKB)
    points["order"], points["type"], points["srid"] = 1, 0x20000001, 4326
    points["x"], points["y"] = lon, lat
    text, size = points.tobytes().hex(), 2 * EWKB.itemsize
    return [text[i : i + size] for i in range(0, len(text), size)]


def _numbers(field: str, values: Sequence[str], reasons: Reasons) -> np.ndarray:
    joined = "".join(values)
    if joined.isascii() and "_" not in joined:
        try:
            found = np.array(list(map(float, values)))
            if np.isfinite(found).all():
                return found
        except ValueError:
            pass
    return np.array([_number(field, i, value, reasons) for i, value in enumerate(values)])


def _number(field: str, i: int, value: str, reasons: Reasons) -> float:
    try:
        return fields.number(value)
    except fields.InvalidValue as error:
        said = "no coordinates" if str(error) == "blank" else f"[{field}] {error}"
        reasons.setdefault(i, said)
        return np.nan


def _places(chosen: np.ndarray) -> list[int]:
    found: list[int] = np.flatnonzero(chosen).tolist()
    return found


def _misplaced(lon: float, lat: float, address: str) -> str:
    return (
        f"suspicious position {lon:.6f}, {lat:.6f}: far outside "
        f"{korea.province(address)} of its address"
    )
