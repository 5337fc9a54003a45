"""Tests generated shops: deterministic, with unique names, in the district of their address."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from random import Random

import pytest
from pyproj import Geod

from geoshops.sample.brands import brand_of
from geoshops.sample.clock import Clock
from geoshops.sample.ground import Ground
from geoshops.sample.places import dongs, sidos, sigungus
from geoshops.sample.shops import ALWAYS_THERE, Lives, Shop, lives, shops

CLOCK = Clock(date(2026, 6, 1))
KOREA = (124.5, 33.0, 131.0, 38.7)
GEOD = Geod(ellps="WGS84")


def generate(
    seed: int, count: int = 1500, ground: Ground | None = None
) -> tuple[Lives, list[Shop]]:
    lived = lives(Random(f"{seed}:lives"), count, CLOCK)
    return lived, list(shops(Random(f"{seed}:shops"), lived, CLOCK, ground or Ground([])))


@pytest.fixture(scope="module")
def booths() -> list[Shop]:
    return generate(1)[1]


def region_of(address: str) -> tuple[str, str]:
    """Province and district read from an address by the names alone."""
    words = address.split()
    sido = next(s for s in sidos() if words[0] in (s.name, s.short))
    fitting = [
        g.name
        for g in sigungus()
        if g.sido is sido and address.split(" ", 1)[1].startswith(f"{g.name} ")
    ]
    return sido.short, fitting[0] if fitting else "세종시"


def test_the_same_seed_gives_the_same_booths_and_another_one_others(booths):
    assert generate(1)[1] == booths
    assert generate(2)[1] != booths


def test_more_booths_begin_with_the_same_examples():
    few = generate(1, len(ALWAYS_THERE))[1]
    assert [(s.brand.name, s.place_name.split(" ", 1)[1]) for s in few] == [
        (brand, branch) for brand, _, branch in ALWAYS_THERE
    ]
    assert {s.status for s in few} == {"OPEN"}


def test_there_are_many_brands_and_districts(booths):
    assert len({s.brand.name for s in booths}) >= 10
    assert len({s.spot.dong.sigungu for s in booths}) >= 60


def test_no_name_is_used_twice():
    names = Counter(s.place_name.replace(" ", "") for s in generate(3, 20_000)[1])
    assert [name for name, times in names.items() if times > 1] == []


def test_the_brand_is_the_longest_that_the_name_begins_with(booths):
    assert [s.place_name for s in booths if brand_of(s.place_name) is not s.brand] == []
    assert any(s.brand.name == "포토이즘박스" for s in booths)


def test_every_booth_is_in_korea_and_near_its_district(booths):
    west, south, east, north = KOREA
    for s in booths:
        assert west < s.lon < east and south < s.lat < north
        centre = s.spot.dong.sigungu
        assert GEOD.inv(s.lon, s.lat, centre.lon, centre.lat)[2] < 30_000, s.place_name


def test_a_crowded_country_stays_near_its_districts():
    for s in generate(4, 30_000)[1]:
        centre = s.spot.dong.sigungu
        assert GEOD.inv(s.lon, s.lat, centre.lon, centre.lat)[2] < 30_000, s.place_name


def test_addresses_lead_back_to_the_region(booths):
    for s in booths:
        sigungu = s.spot.dong.sigungu
        written = [a for a in (s.road_address, s.lot_address) if a]
        assert written, s.place_name
        assert {region_of(a) for a in written} == {(sigungu.sido.short, sigungu.name)}


def test_lot_addresses_name_the_neighbourhood(booths):
    named = {(d.sigungu.sido.short, d.sigungu.name, d.name) for d in dongs()}
    for s in booths:
        if s.lot_address:
            *_, dong, lot = s.lot_address.split()
            assert (*region_of(s.lot_address), dong) in named
            assert lot.replace("-", "").isdigit()


def test_both_styles_and_gaps_occur(booths):
    assert any(not s.road_address for s in booths)
    assert any(not s.lot_address for s in booths)
    assert any(s.road_address.startswith("서울특별시 강남구 ") for s in booths)
    assert any(s.lot_address.startswith("서울 강남구 ") for s in booths)


def test_states_and_days_fit_together(booths):
    states = Counter(s.status for s in booths)
    assert states["OPEN"] > states["CLOSED"] > states["TEMP_CLOSED"] > 0
    for s in booths:
        assert (s.closed >= 0) == (s.status == "CLOSED")
        assert 0 <= s.opened < CLOCK.days
        assert s.closed < 0 or s.opened + 120 <= s.closed < CLOCK.days


def test_openings_grow_over_six_years(booths):
    years = Counter(s.opened // 365 for s in booths)
    assert sorted(years) == [0, 1, 2, 3, 4, 5]
    assert years[5] > years[0]


def test_telephone_numbers_belong_to_an_exchange_that_is_never_assigned(booths):
    numbers = {s.phone for s in booths}
    assert "" in numbers
    assert all(n == "" or n.startswith("0507-0000-") for n in numbers)


def test_opening_hours_of_every_kind_occur(booths):
    weeks = [json.loads(s.opening_hours) for s in booths]
    spans = {(h["open"], h["close"]) for week in weeks for h in week}
    assert [] in weeks
    assert any(len(week) == 6 for week in weeks)
    assert ("00:00", "24:00") in spans
    assert any(close < open_ for open_, close in spans)
