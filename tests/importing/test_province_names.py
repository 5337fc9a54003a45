"""Names of the provinces in other languages, which every load of regions adds: official, short and colloquial."""

from __future__ import annotations

import pytest

from geoshops.operations.boundaries import PROVINCES
from tests.make import Maker

NAMED = {
    "ソウル特別市": "서울특별시", "首爾市": "서울특별시", "首尔特别市": "서울특별시", "首爾特別市": "서울특별시", "漢城": "서울특별시",
    "釜山広域市": "부산광역시", "釜山市": "부산광역시", "大邱广域市": "대구광역시", "仁川廣域市": "인천광역시", "仁川": "인천광역시",
    "光州広域市": "광주광역시", "大田市": "대전광역시", "蔚山广域市": "울산광역시", "世宗特別自治市": "세종특별자치시",
    "京畿道": "경기도", "京畿": "경기도", "江原道": "강원특별자치도", "江原特別自治道": "강원특별자치도", "Gangwon State": "강원특별자치도",
    "忠清北道": "충청북도", "忠淸南道": "충청남도", "忠南": "충청남도", "全羅北道": "전북특별자치도", "全北特别自治道": "전북특별자치도",
    "全罗南道": "전라남도", "慶尚北道": "경상북도", "庆尚南道": "경상남도", "慶南": "경상남도", "濟州道": "제주특별자치도",
    "済州特別自治道": "제주특별자치도", "济州": "제주특별자치도",
}  # fmt: skip


def test_every_official_name_is_found_as_its_province(make: Maker) -> None:
    for name in PROVINCES.values():
        make.region(name, level="sido")
    added = make.sql("SELECT add_foreign_province_names()")
    assert added > 100 and make.sql("SELECT add_foreign_province_names()") == 0
    meant = {
        keyword: make.rows(
            "SELECT DISTINCT r.name FROM names_spelled(ARRAY[%s::text]) n JOIN regions r ON r.id = n.id",
            keyword,
        )
        for keyword in NAMED
    }
    assert meant == {keyword: [(name,)] for keyword, name in NAMED.items()}


@pytest.mark.parametrize(
    ("name", "displayed"),
    [
        ("서울특별시", ["ソウル", "首尔", "首爾"]),
        ("부산광역시", ["釜山"] * 3),
        ("강원특별자치도", ["江原道"] * 3),
        ("전북특별자치도", ["全北"] * 3),
        ("전라남도", ["全羅南道", "全罗南道", "全羅南道"]),
        ("제주특별자치도", ["済州", "济州", "濟州"]),
    ],
)
def test_addresses_show_the_short_name(make: Maker, name: str, displayed: list[str]) -> None:
    region = make.region(name, level="sido")
    make.sql("SELECT add_foreign_province_names()")
    languages = ("ja", "zh-Hans", "zh-Hant")
    assert [make.sql("SELECT region_in(%s, %s)", region, lang) for lang in languages] == displayed
