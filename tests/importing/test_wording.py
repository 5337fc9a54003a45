"""Looking up regions and brands once per distinct text gives the same results as once per row."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from geoshops.importing import fields
from geoshops.importing.fields import InvalidValue
from geoshops.importing.points import ewkb_hex
from tests.make import Maker

PIECES = ("서울", "경기", "강남구", "수원시", "영통구", "역삼1동", "역삼동", "강남대로", "12길", "825-1", "1층", "101호", "(", ")", ",", "3", "지하", "12구", "제3")  # fmt: skip
ADDRESSES = st.lists(st.sampled_from(PIECES), min_size=1, max_size=9).map(" ".join)


@pytest.fixture
def regions(make: Maker) -> Maker:
    seoul = make.insert("regions", level="sido", name="서울특별시")
    gyeonggi = make.insert("regions", level="sido", name="경기도")
    make.insert("region_aliases", region_id=seoul, alias="서울")
    make.insert("region_aliases", region_id=gyeonggi, alias="경기")
    gangnam = make.insert("regions", level="sigungu", name="강남구", parent_id=seoul)
    make.insert("regions", level="sigungu", name="수원시 영통구", parent_id=gyeonggi)
    make.insert("regions", level="dong", name="역삼동", parent_id=gangnam)
    make.insert("regions", level="dong", name="역삼1동", parent_id=gangnam)
    return make


def test_an_address_and_its_outline_name_the_same_regions(regions: Maker) -> None:
    assert regions.sql("SELECT addresses_have_outlines()") is True

    @given(st.lists(ADDRESSES, min_size=20, max_size=60))
    def check(addresses: list[str]) -> None:
        different = regions.rows(
            "SELECT a FROM unnest(%s::text[]) a"
            " WHERE region_of_address(a) IS DISTINCT FROM region_of_address(address_outline(a))",
            addresses,
        )
        assert different == []

    check()
    assert regions.sql("SELECT address_outline('서울 강남구 역삼1동 825-1 (2층, 3호)')") == (
        "서울 강남구 역삼1동 0-0 (0층, 0호)"
    )


@pytest.mark.parametrize(
    ("level", "name"), [("dong", "5가"), ("sigungu", "제3시"), ("dong", "가-2")]
)
def test_a_region_called_by_a_number_ends_outlines(regions: Maker, level: str, name: str) -> None:
    parent = regions.sql(
        "SELECT id FROM regions WHERE name = %s", "경기도" if level == "sigungu" else "강남구"
    )
    regions.insert("regions", level=level, name=name, parent_id=parent)
    assert regions.sql("SELECT addresses_have_outlines()") is False


def test_first_words_may_be_the_beginning_of_a_district(regions: Maker) -> None:
    words = {key for (key,) in regions.rows("SELECT key FROM region_words()")}
    assert {"서울", "서울특별시", "경기", "수원시", "수원시영통구", "강남구"} <= words
    assert not {"역삼동", "paris", ""} & words


def alone(convert: fields.Text, text: str) -> str | None:
    try:
        return convert(text)
    except InvalidValue:
        return None


@given(st.lists(st.text(max_size=12), max_size=8), st.booleans())
def test_a_column_is_cleaned_as_its_texts_one_by_one(texts: list[str], needed: bool) -> None:
    convert = fields.Text(8, needed=needed)
    each = [alone(convert, text) for text in texts]
    try:
        assert convert.column(texts) == each
    except InvalidValue:
        assert None in each
    assert all(t == unicodedata.normalize("NFC", t) for t in each if t)


@given(st.lists(st.tuples(st.floats(-180, 180), st.floats(-90, 90)), max_size=5))
def test_points_are_written_as_shapely_writes_them(places: list[tuple[float, float]]) -> None:
    lon, lat = np.array(places).reshape(-1, 2).T
    points = shapely.set_srid(shapely.points(lon, lat), 4326)
    assert ewkb_hex(lon, lat) == [
        text.lower() for text in shapely.to_wkb(points, hex=True, include_srid=True, byte_order=1)
    ]


ASCII = st.characters(min_codepoint=1, max_codepoint=127)
SYLLABLES = st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3)
PLAIN = st.one_of(
    st.text(ASCII, max_size=20), st.text(ASCII | SYLLABLES | st.just(" "), max_size=20)
)


def test_letters_of_a_simple_name_equal_those_of_the_general_case(make: Maker) -> None:
    @given(st.lists(PLAIN, min_size=1, max_size=40))
    def check(texts: list[str]) -> None:
        different = make.rows(
            "SELECT t FROM unnest(%s::text[]) t WHERE jamo(t) <> normalize(name_key(t), NFD)", texts
        )
        assert different == []

    check()


NAMES = st.lists(
    st.sampled_from(("포토", "이즘", "포토이즘", "박스", "인생", "네컷", "인생네컷", "강남점", "(", "-", "·", "c++", "4", "Photo", "ism")),
    min_size=1, max_size=6,
).flatmap(lambda words: st.sampled_from((" ".join(words), "".join(words), "  ".join(words))))  # fmt: skip


def test_the_fast_path_for_brands_gives_the_same_results_as_the_pattern(make: Maker) -> None:
    for name in (
        "포토",
        "포토이즘",
        "포토이즘박스",
        "인생네컷",
        "인생 네컷 포토",
        "c++ 4",
        "photoism",
    ):
        make.brand(name)

    @given(st.lists(NAMES, min_size=20, max_size=60))
    def check(names: list[str]) -> None:
        different = make.rows(
            "SELECT n FROM unnest(%s::text[]) n"
            " WHERE name_key(brand_words(n, brand_pattern(), brand_keys()))"
            " IS DISTINCT FROM name_key(brand_words(n, brand_pattern(), NULL))",
            names,
        )
        assert different == []

    check()
