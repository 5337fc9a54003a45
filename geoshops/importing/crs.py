"""Transforms a file's coordinates to longitude and latitude in WGS 84, and suggests systems when they do not fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from pyproj import CRS, Transformer
from pyproj.exceptions import ProjError

from geoshops.importing import korea
from geoshops.importing.errors import WrongUsage

WORLD = (-180.0, -90.0, 180.0, 90.0)
KOREAN = (5174, 5179, 5181, 5186, 2097, 5185, 5187, 5188, 5178, 5183, 5184)
ALTERNATIVES = ("EPSG:5174", "EPSG:2097", "EPSG:5179", "EPSG:5181", "EPSG:5186", "WCONGNAMUL")
# Kakao's and Daum's coordinate system: EPSG:5181 times 2.5
WCONGNAMUL = ("EPSG:5181", 2.5)


@dataclass(frozen=True)
class Projection:
    """A coordinate system, its factor, and its area of use (west, south, east, north)."""

    name: str
    scale: float
    transformer: Transformer | None
    area: tuple[float, float, float, float]

    def to_wgs84(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Longitudes and latitudes in degrees; infinite where the system is not defined."""
        if self.transformer is None:
            return x / self.scale, y / self.scale
        lon, lat = self.transformer.transform(x / self.scale, y / self.scale)
        return np.asarray(lon), np.asarray(lat)

    def transform(self, shapes: Any) -> Any:
        """The geometries with longitudes and latitudes in degrees."""
        return shapely.transform(shapes, lambda p: np.column_stack(self.to_wgs84(p[:, 0], p[:, 1])))

    def holds(self, lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
        """True for each position in the area of use; false for NaN and infinity."""
        west, south, east, north = self.area
        return (lon >= west) & (lon <= east) & (lat >= south) & (lat <= north)


def projection(name: str, scale: float = 1.0) -> Projection:
    """The coordinate system with a name such as EPSG:5174 or WCONGNAMUL, with the most accurate datum shift."""
    if not (np.isfinite(scale) and scale > 0):
        raise WrongUsage("--scale must be a positive number")
    code, factor = WCONGNAMUL if name.upper() == "WCONGNAMUL" else (name, 1.0)
    try:
        crs = CRS.from_user_input(code)
        if crs.is_geographic and crs.to_epsg() == 4326:
            return Projection(name, scale * factor, None, WORLD)
        # without ballpark transformations, PROJ raises an error instead of omitting a datum shift of some hundred metres
        transformer = Transformer.from_crs(crs, 4326, always_xy=True, allow_ballpark=False)
    except ProjError as error:
        raise WrongUsage(f"--crs {name}: {error}") from error
    return Projection(name, scale * factor, transformer, _area(crs))


def _area(crs: CRS) -> tuple[float, float, float, float]:
    # each belt of Korea is defined for two degrees of longitude but used for the whole country
    if crs.to_epsg() in KOREAN:
        return korea.EXTENT
    if crs.area_of_use is None:
        return WORLD
    west, south, east, north = crs.area_of_use.bounds
    if west > east:
        return WORLD
    return west - 1, south - 1, east + 1, north + 1


def hint(used: Projection, x: np.ndarray, y: np.ndarray, addresses: list[str]) -> str:
    """Advice on coordinates that do not fit the specified system."""
    if np.median(np.abs(x)) <= 90 < np.median(np.abs(y)) <= 180:
        return "longitude and latitude seem to be swapped: exchange them in --map"
    if np.median(np.abs(x)) <= 180 and np.median(np.abs(y)) <= 90 and used.transformer:
        return "these look like degrees: use --crs EPSG:4326"
    fitting = [p.name for p in _others(used) if _fits(p, x, y, addresses)]
    if fitting:
        return f"they would fit {' or '.join(fitting)}: specify the right system with --crs"
    if _fits(used, y, x, addresses):
        return "x and y seem to be swapped: exchange them in --map"
    swapped = [p.name for p in _others(used) if _fits(p, y, x, addresses)]
    if swapped:
        return f"x and y seem to be swapped, in {' or '.join(swapped)}"
    return "specify the right system with --crs, and check which columns are mapped"


def _others(used: Projection) -> list[Projection]:
    return [projection(name) for name in ALTERNATIVES if name != used.name.upper()]


def _fits(candidate: Projection, x: np.ndarray, y: np.ndarray, addresses: list[str]) -> bool:
    lon, lat = candidate.to_wgs84(x, y)
    off = korea.degrees_off(addresses, lon, lat)
    known = ~np.isnan(off)
    inside = off[known] < 0.1 if known.any() else candidate.holds(lon, lat)
    return bool(np.mean(inside) > 0.9)
