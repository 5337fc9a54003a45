"""Chords in place of geodesics: never another answer than ST_DWithin and ST_Distance give."""

from __future__ import annotations

import json
import random

import pytest

from geoshops.web.paging import ItemList
from tests.make import Maker

# places anywhere, each with another in a direction and distance of its own
PAIRS = """
WITH places AS (
  SELECT point_at(lon, lat) AS place, ST_Project(point_at(lon, lat), metres, radians(azimuth)) AS other
  FROM unnest(%s::float8[], %s::float8[], %s::float8[], %s::float8[]) AS p (lon, lat, metres, azimuth)
), spots AS (
  SELECT *, spot_at(place) AS spot, spot_at(other) AS other_spot, ST_Distance(place, other) AS geodesic FROM places
  WHERE ST_Distance(place, other) > 0  -- which PostGIS says of all that is nearer than a third of a micrometre
)"""
ROUNDED_M = 2e-8  # ST_Distance is rounded to 10 nm
NEAR_EDGE_M = (-1e-2, -1e-3, -1e-5, -1e-7, -1e-9, 0.0, 1e-9, 1e-7, 1e-5, 1e-3, 1e-2)


def pairs(dice: random.Random, reach_m: float) -> tuple[list[float], ...]:
    count = range(20_000)
    return (
        [dice.uniform(-180, 180) for _ in count],
        [dice.choice((dice.uniform(-90, 90), dice.choice((-90, 0, 90)))) for _ in count],
        [reach_m * dice.random() ** dice.choice((0.5, 8)) for _ in count],
        [dice.choice((dice.uniform(0, 360), dice.choice((0, 90, 180, 270)))) for _ in count],
    )


def test_up_to_ten_kilometres_a_chord_gives_the_geodesic_to_nanometres(make: Maker) -> None:
    off, longest = make.rows(
        PAIRS
        + """
          SELECT max(abs(geodesic - arc_m(
              ST_3DDistance(spot, other_spot), ST_Z(other_spot) - ST_Z(spot), bend_at(spot)))),
            max(geodesic)
          FROM spots""",
        *pairs(random.Random(1), 10_000),
    )[0]
    assert longest > 9_900
    assert off < ROUNDED_M


def test_the_worst_direction_stays_below_what_is_said(make: Maker) -> None:
    count = range(2000)
    turned = [dice * 360 / len(count) for dice in count]
    ((off,),) = make.rows(
        PAIRS
        + """
          SELECT max(abs(geodesic - arc_m(
            ST_3DDistance(spot, other_spot), ST_Z(other_spot) - ST_Z(spot), bend_at(spot))))
          FROM spots""",
        turned, [45.0 for _ in count], [9_990.0 for _ in count], [0.0 for _ in count],
    )  # fmt: skip
    assert off < ROUNDED_M


@pytest.mark.parametrize("tiny", [1e-7, 1e-170, 1e-300, 2.3e-308, 5e-324])
def test_squares_too_small_for_a_number_refuse_nobody(make: Maker, tiny: float) -> None:
    make.brand()
    for lon, lat in (
        (127.0, 0.0),
        (127.0, tiny),
        (tiny, 37.5),
        (0.0, 37.5),
        (tiny, tiny),
        (0.0, 0.0),
    ):
        make.shop(at=(lon, lat))
    for lon, lat in ((127.0, tiny), (127.0, 0.0), (tiny, 37.5), (tiny, tiny), (0.0, -tiny)):
        text = make.sql(
            "SELECT shops_around(%s, %s, %s, %s, 500, NULL, '', 1000)", lon, lat, lon, lat
        )
        assert [shop["distance_m"] for shop in json.loads(ItemList.parse(text.encode()).body)] == [
            0,
            0,
        ]


def test_no_geodesic_is_longer_than_its_chord_allows(make: Maker) -> None:
    for reach_m in (10, 2_000, 100_000, 10_000_000):
        shorter, wrong, certain = make.rows(
            PAIRS
            + """
              SELECT count(*) FILTER (WHERE geodesic < chord - 2e-8),
                count(*) FILTER (WHERE chord <= chord_within(radius_m) AND geodesic > radius_m),
                count(*) FILTER (WHERE chord <= chord_within(radius_m))
              FROM (
                SELECT geodesic, ST_3DDistance(spot, other_spot) AS chord, geodesic + metres AS radius_m
                FROM spots, (VALUES (-0.01), (0.0), (0.002), (1.0)) AS more (metres)
              ) q""",
            *pairs(random.Random(reach_m), reach_m),
        )[0]
        assert (shorter, wrong) == (0, 0)
        assert certain > 5_000


def test_at_the_edge_of_the_circle_the_geodesic_decides(make: Maker) -> None:
    make.brand()
    dice = random.Random(3)
    for radius_m in (1, 500, 2000, 9000, 50_000):
        make.sql("DELETE FROM shops")
        make.sql(
            "INSERT INTO shops (brand_id, place_name, geog) SELECT 1, '점포',"
            " ST_Project(point_at(127.0276, 37.4979), metres, radians(azimuth)) FROM unnest(%s, %s) AS p (metres, azimuth)",
            [radius_m + off for off in NEAR_EDGE_M for _ in range(20)],
            [dice.uniform(0, 360) for _ in NEAR_EDGE_M for _ in range(20)],
        )
        text = make.sql(
            "SELECT shops_around(127.0276, 37.4979, 127.0276, 37.4979, %s, NULL, '', 1000)",
            radius_m,
        )
        found = {shop["id"] for shop in json.loads(ItemList.parse(text.encode()).body)}
        within = make.rows("SELECT id FROM shops_near(point_at(127.0276, 37.4979), %s)", radius_m)
        assert found == {id for (id,) in within}
        assert 0 < len(found) < 20 * len(NEAR_EDGE_M)


def test_next_to_half_a_metre_the_geodesic_rounds(make: Maker) -> None:
    make.brand()
    dice = random.Random(4)
    make.sql(
        "INSERT INTO shops (brand_id, place_name, geog) SELECT 1, '점포',"
        " ST_Project(point_at(127.03, 37.5), metres, radians(azimuth)) FROM unnest(%s, %s) AS p (metres, azimuth)",
        [dice.randrange(1, 1900) + 0.5 + off for off in NEAR_EDGE_M for _ in range(80)],
        [dice.uniform(0, 360) for _ in NEAR_EDGE_M for _ in range(80)],
    )
    text = make.sql("SELECT shops_around(127.0276, 37.4979, 127.03, 37.5, 5000, NULL, '', 1000)")
    told = {
        shop["id"]: shop["distance_m"] for shop in json.loads(ItemList.parse(text.encode()).body)
    }
    exact = make.rows("SELECT id, metres(ST_Distance(geog, point_at(127.03, 37.5))) FROM shops")
    assert told == dict(exact)
    assert len(told) == 80 * len(NEAR_EDGE_M)
