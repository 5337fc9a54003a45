"""Keeps generated shops within the installed boundaries of their districts."""

from __future__ import annotations

from collections.abc import Iterable

import shapely

from geoshops.operations.boundaries import District
from geoshops.sample.places import Spot

HALVINGS = 24  # reduces any distance to less than a millionth of a degree


class Ground:
    """Moves positions into the district of their address; without boundaries it accepts all."""

    def __init__(self, districts: Iterable[District]) -> None:
        self.districts = list(districts)
        self._areas = {district.code: district.area for district in self.districts}
        shapely.prepare(list(self._areas.values()))

    def inside(self, spot: Spot, lon: float, lat: float) -> tuple[float, float]:
        """Moves the position towards the spot until it is in the spot's district.

        Uses no random numbers, so that the other rows are the same with and without boundaries."""
        area = self._areas.get(spot.dong.sigungu.code)
        if area is None or shapely.contains_xy(area, lon, lat):
            return lon, lat
        for n in range(1, HALVINGS + 1):
            nearer_lon = round(spot.lon + (lon - spot.lon) / 2**n, 6)
            nearer_lat = round(spot.lat + (lat - spot.lat) / 2**n, 6)
            if shapely.contains_xy(area, nearer_lon, nearer_lat):
                return nearer_lon, nearer_lat
        return spot.lon, spot.lat
