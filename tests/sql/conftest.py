"""Fixtures for tests of the analysis scripts: a town drawn in text, and a function that runs a script as the analysts' role."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import shapely
from shapely.geometry import box

from geoshops.analysis import runner, scripts
from tests.make import Maker
from tests.sql import plane

Row = dict[str, Any]


class Town:
    """Shops, brands, regions and stations drawn on a grid of metres."""

    def __init__(self, make: Maker) -> None:
        self.make = make
        self.ids: dict[str, int] = {}
        self.member = make.member("측량사")
        self.brands: dict[str, int] = {}

    def brand(self, name: str, **more: object) -> int:
        """The brand with this name, created if necessary."""
        if name not in self.brands:
            self.brands[name] = self.make.brand(name, **more)
        return self.brands[name]

    def shop(self, symbol: str, x_m: float, y_m: float, brand: str = "A", **more: Any) -> int:
        """A shop at a position in metres from the origin."""
        more.setdefault("brand_id", self.brand(brand))
        name = more.pop("name", f"{symbol} 지점")
        self.ids[symbol] = self.make.shop(name, at=plane.at(x_m, y_m), **more)
        return self.ids[symbol]

    def draw(self, *rows: str, step_m: float) -> Town:
        """Shops by symbol; the upper-case symbol is the brand: a and A belong to brand A."""
        for symbol, position in plane.points(list(rows), step_m):
            self.ids[symbol] = self.make.shop(
                f"{symbol} 지점", at=position, brand_id=self.brand(symbol.upper())
            )
        return self

    def rate(self, symbol: str, *stars: int, **more: object) -> None:
        """Reviews of a shop."""
        for star in stars:
            self.make.review(self.member, self.ids[symbol], star_rating=star, **more)

    def region(
        self, name: str, x_m: float, y_m: float, width_m: float, height_m: float, **more: Any
    ) -> int:
        """A rectangle in the plane as a region, which the shops inside belong to."""
        area = shapely.segmentize(box(x_m, y_m, x_m + width_m, y_m + height_m), 50)
        polygon = shapely.transform(
            area,
            lambda p: np.column_stack(plane.TO_DEGREES.transform(*(p + plane.ORIGIN_M).T)),
        )
        more = {"level": "sido", "code": name, **more}
        boundary = f"SRID=4326;{shapely.MultiPolygon([polygon]).wkt}"
        center = f"SRID=4326;{polygon.centroid.wkt}"
        region_id = self.make.insert("regions", name=name, boundary=boundary, center=center, **more)
        self.make.insert(
            "region_parts",
            region_id=region_id,
            level=more["level"],
            part=f"SRID=4326;{polygon.wkt}",
        )
        column = f"{more['level']}_id"
        self.make.sql(
            f"UPDATE shops SET {column} = %s WHERE ST_Intersects(geog::geometry, %s)",
            region_id,
            boundary,
        )
        return int(region_id)


@pytest.fixture
def town(make: Maker) -> Town:
    """An empty town."""
    return Town(make)


@pytest.fixture
def run_script(database_url: str, db: Any) -> Iterator[Callable[..., list[Row]]]:
    """Runs the script with a number as geoshops_reader and returns its rows as dicts."""

    def run(number: int, **values: object) -> list[Row]:
        script = scripts.find(f"{number:02}")
        given = {name: str(value) for name, value in values.items()}
        with runner.run(database_url, script, given) as result:
            names = [c.name for c in result.columns]
            rows = [dict(zip(names, row, strict=True)) for row in result.rows]
        for row in rows:
            if row.get("geom"):
                row["geom"] = shapely.from_wkb(row["geom"])
        return rows

    yield run
