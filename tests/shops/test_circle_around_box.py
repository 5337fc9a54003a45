"""Tests that the circle around a box contains the whole box, with distances by GeographicLib."""

from __future__ import annotations

import random

from geoshops.geo import HALF_CIRCUMFERENCE_M
from tests.geodesy import WGS84
from tests.make import Maker

CIRCLE = """
SELECT ST_X(center::geometry), ST_Y(center::geometry), radius_m FROM circle_around(%s)"""


def random_box(dice: random.Random) -> tuple[float, float, float, float]:
    size = dice.choice((0.01, 1, 30, 180))
    west, south = dice.uniform(-180, 180), dice.uniform(-90, 90)
    east, north = west + dice.uniform(0, 2 * size), min(90, south + dice.uniform(0, size))
    return west, south, east - 360 if east > 180 else east, north


def test_no_point_of_a_box_lies_outside_its_circle(make: Maker) -> None:
    dice = random.Random(7)
    for _ in range(300):
        west, south, east, north = box = random_box(dice)
        ((lon, lat, radius_m),) = make.rows(CIRCLE, list(box))
        width = (east - west) % 360
        for i in range(9):
            for edge in (south, north, dice.uniform(south, north)):
                _, _, off_m = WGS84.inv(lon, lat, west + width * i / 8, edge)
                assert off_m <= radius_m, box


def test_the_circle_of_a_city_passes_through_its_farthest_corner(make: Maker) -> None:
    ((lon, lat, radius_m),) = make.rows(CIRCLE, [126.8, 37.4, 127.2, 37.7])
    farthest_m = max(WGS84.inv(lon, lat, 127.2, corner)[2] for corner in (37.4, 37.7))
    assert farthest_m <= radius_m < farthest_m + 2


def test_the_circle_of_the_world_has_the_largest_radius(make: Maker) -> None:
    ((_, _, radius_m),) = make.rows(CIRCLE, [-180, -90, 180, 90])
    assert radius_m == HALF_CIRCUMFERENCE_M
