"""Tests the places of the sample data: enough of them, unique below their parent, at the right positions."""

from __future__ import annotations

import re

from pyproj import Geod

from geoshops.sample.brands import brand_of, brands
from geoshops.sample.places import dongs, landmarks, sidos, sigungus, spots, stations

GEOD = Geod(ellps="WGS84")


def distance_m(a: object, b: object) -> float:
    _, _, metres = GEOD.inv(a.lon, a.lat, b.lon, b.lat)  # type: ignore[attr-defined]
    return float(metres)


def test_there_are_enough_facts():
    assert len(sidos()) == 17
    assert len(sigungus()) >= 250
    assert len(dongs()) >= 250
    assert len({s.name for s in stations()}) >= 120
    assert len(landmarks()) >= 100


def test_names_and_codes_are_unique():
    assert len({s.name for s in sidos()}) == len({s.code for s in sidos()}) == 17
    assert len({(s.sido, s.name) for s in sigungus()}) == len(sigungus())
    assert len({s.code for s in sigungus()}) == len(sigungus())
    assert len({(d.sigungu, d.name) for d in dongs()}) == len(dongs())
    assert len({(s.kind, s.dong, s.name) for s in spots()}) == len(spots())


def test_a_district_code_begins_with_its_province():
    assert [s.name for s in sigungus() if not s.code.startswith(s.sido.code)] == []


def test_centres_lie_near_their_parents():
    assert [s.name for s in spots() if distance_m(s, s.dong.sigungu) > 29_000] == []
    assert [s.name for s in spots() if distance_m(s, s.dong) > 8_000] == []


def test_every_district_of_the_metropolitan_cities_is_there():
    counted = {s.short: sum(g.sido is s for g in sigungus()) for s in sidos()}
    metropolitan = {"서울": 25, "부산": 16, "대구": 9, "인천": 10, "광주": 5, "대전": 5, "울산": 5}
    assert {name: counted[name] for name in metropolitan} == metropolitan


def test_old_names_are_kept_as_other_names():
    by_name = {(g.sido.short, g.name): g for g in sigungus()}
    assert "남구" in by_name["인천", "미추홀구"].old_names
    assert {s.name: s.old_names for s in sidos()}["강원특별자치도"] == ("강원도",)


def test_a_district_of_a_city_is_also_known_by_the_city():
    yeongtong = next(g for g in sigungus() if g.name == "수원시 영통구")
    assert set(yeongtong.short_names) == {"수원시", "수원", "영통구", "영통"}
    junggu = next(g for g in sigungus() if g.name == "중구")
    assert junggu.short_names == ()


def test_station_names_carry_no_ending():
    assert [s.name for s in stations() if s.name.endswith("역")] == []
    assert all(s.lines for s in stations())


def test_every_spot_has_a_road():
    assert [s.name for s in spots() if not s.dong.roads] == []


def test_four_brands_are_representative_and_sub_brands_follow_their_parents():
    names = [brand.name for brand in brands()]
    assert len(names) >= 12
    representative = {brand.name for brand in brands() if brand.is_representative}
    assert representative == {"인생네컷", "하루필름", "포토이즘", "포토그레이"}
    for brand in brands():
        assert not brand.parent or names.index(brand.parent) < names.index(brand.name)


def test_no_two_brands_share_a_name_or_an_alias():
    keys = [
        n.replace(" ", "").casefold() for brand in brands() for n in (brand.name, *brand.aliases)
    ]
    assert len(keys) == len(set(keys))
    assert len({brand.badge_color for brand in brands()}) == len(brands())


def test_a_brand_is_never_taken_by_mere_prefix():
    assert brand_of("포토이즘박스 강남역점").name == "포토이즘박스"
    assert brand_of("포토이즘 강남역점").name == "포토이즘"
    assert brand_of("포토 강남역점") is None


UNITS = dict(zip("시군구읍면동로가", "市郡區邑面洞路街", strict=True))


def test_regions_have_one_chinese_character_for_each_syllable():
    regions = [(r.name.replace(" ", ""), r.hanja.replace(" ", "")) for r in (*sigungus(), *dongs())]
    named = [(name, hanja) for name, hanja in regions if hanja]
    assert [n for n, h in named if len(h) != len(n) or UNITS[n[-1]] != h[-1]] == []
    assert [r.name for r in sigungus() if not r.hanja] == []
    assert len(named) >= len(regions) - 12


def test_names_of_stations_have_the_script_of_their_language():
    chinese, english = re.compile(r"[一-鿿0-9·]+"), re.compile(r"[ -~·]+")
    for station in stations():
        names = station.names
        assert all(map(english.fullmatch, names.english)), station.name
        assert all(map(chinese.fullmatch, names.chinese)), station.name
        assert not names.hanja or chinese.fullmatch(names.hanja), station.name
        assert len(names.hanja) in (0, len(station.name)), station.name
        assert names.hanja or names.chinese or station.name == "센텀시티", station.name
