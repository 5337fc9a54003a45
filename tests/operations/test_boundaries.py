"""District boundaries that scripts/setup installs: complete, without overlaps, and with gaps only where there is water."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely.geometry import Point, box

from geoshops.operations import boundaries, polygon_coverage
from geoshops.sample.ground import Ground
from geoshops.sample.places import dongs, landmarks, sidos, sigungus, spots, stations


@pytest.fixture(scope="module")
def districts() -> list[boundaries.District]:
    return boundaries.installed_districts()


def test_overlaps_go_to_the_first_and_gaps_to_the_neighbour() -> None:
    left = box(0, 0, 1, 1)
    right = box(0.999, 0, 2, 1)
    above = shapely.Polygon([(0, 1), (2, 1), (2, 2), (0, 2)])
    beyond = shapely.Polygon([(2, 0), (3, 0), (3, 2), (2, 2), (2.00001, 1)])
    areas = polygon_coverage.cleaned([left, right, above, beyond])
    assert shapely.coverage_is_valid(areas)
    assert shapely.area(areas[0]) == pytest.approx(1)
    assert shapely.area(areas[1]) == pytest.approx(1, abs=1e-4)
    assert polygon_coverage.union(areas).equals(box(0, 0, 3, 2))


def test_water_between_neighbours_belongs_to_no_district() -> None:
    around = box(0, 0, 1, 1) - box(0.4, 0.4, 0.6, 0.6)
    halves = [around & box(0, 0, 0.5, 1), around & box(0.5, 0, 1, 1)]
    assert shapely.area(polygon_coverage.union(polygon_coverage.cleaned(halves))) == pytest.approx(
        0.96
    )


def test_the_installed_districts_are_those_of_the_sample(districts) -> None:
    assert {d.code: d.name for d in districts} == {g.code: g.name for g in sigungus()}
    assert {s.code: s.name for s in sidos()} == boundaries.PROVINCES


def test_installed_neighbours_share_their_borders(districts) -> None:
    areas = np.array([d.area for d in districts])
    assert shapely.is_valid(areas).all()
    assert shapely.coverage_is_valid(areas)


def test_every_place_of_the_sample_lies_in_its_district(districts) -> None:
    area = {d.code: d.area for d in districts}
    placed = [(g.code, g) for g in sigungus()] + [(d.sigungu.code, d) for d in dongs()]
    placed += [(s.dong.sigungu.code, s) for s in (*stations(), *landmarks(), *spots())]
    outside = [p.name for code, p in placed if not area[code].contains(Point(p.lon, p.lat))]
    assert outside == []


def test_a_position_beyond_the_border_is_moved_back_towards_its_spot() -> None:
    spot = next(s for s in spots() if s.name == "강남" and s.kind == "station")
    area = box(spot.lon - 0.01, spot.lat - 0.01, spot.lon + 0.001, spot.lat + 0.01)
    ground = Ground([boundaries.District(spot.dong.sigungu.code, "강남구", area)])
    assert ground.inside(spot, spot.lon + 0.0005, spot.lat) == (spot.lon + 0.0005, spot.lat)
    lon, lat = ground.inside(spot, spot.lon + 0.003, spot.lat + 0.004)
    assert area.contains(Point(lon, lat))
    assert (lon - spot.lon, lat - spot.lat) == pytest.approx((0.00075, 0.001), abs=2e-6)


def test_without_the_package_there_are_no_districts(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(boundaries, "DISTRICTS", tmp_path / "districts.geojson.gz")
    assert boundaries.installed_districts() == []
