"""The districts' boundaries under the generated booths, where they are installed."""

from __future__ import annotations

from collections.abc import Iterable

import shapely

from geoshops.boundaries import District
from geoshops.sample.places import Spot

HALVINGS = 24  # less than a millionth of a degree is then left of any distance


class Ground:
    """Keeps booths inside the district of their address; without boundaries every position is taken."""

    def __init__(self, districts: Iterable[District]) -> None:
        self.districts = list(districts)
        self._areas = {district.code: district.area for district in self.districts}
        shapely.prepare(list(self._areas.values()))

    def inside(self, spot: Spot, lon: float, lat: float) -> tuple[float, float]:
        """The position, drawn towards the spot until it lies in the spot's district.

        Nothing random: the rest of the country is the same with and without boundaries."""
        area = self._areas.get(spot.dong.sigungu.code)
        if area is None or shapely.contains_xy(area, lon, lat):
            return lon, lat
        for n in range(1, HALVINGS + 1):
            nearer_lon = round(spot.lon + (lon - spot.lon) / 2**n, 6)
            nearer_lat = round(spot.lat + (lat - spot.lat) / 2**n, 6)
            if shapely.contains_xy(area, nearer_lon, nearer_lat):
                return nearer_lon, nearer_lat
        return spot.lon, spot.lat
