"""Names that public lists assign to the wrong region are dropped by rule, and reported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from geoshops.importing.name_checks import Claim, KoreanForms, confused, flaw, stem
from geoshops.operations.boundaries import PROVINCES
from geoshops.sample.places import sigungus
from tests.make import Maker

Summary = Callable[..., dict[str, Any]]
GYEYANG = KoreanForms("계양구", {"계양구": "ケヤンク", "계양": "ケヤン"})
SUWON = KoreanForms(
    "수원시 영통구",
    {"수원시영통구": "スウオンシヨントンク", "수원시": "スウオンシ", "수원": "スウオン", "영통구": "ヨントンク", "영통": "ヨントン"},
)  # fmt: skip
JEJU = KoreanForms(
    "제주특별자치도",
    {"제주특별자치도": "チエチユトウクヘルチヤチト", "제주도": "チエチユト", "제주": "チエチユ"},
)
SANGDO = KoreanForms("상도동", {"상도동": "サントトン", "상도": "サント"})


@pytest.mark.parametrize(
    ("forms", "lang", "good", "bad"),
    [
        (GYEYANG, "zh", ["桂陽區", "桂阳区", "桂陽"], ["洪川郡", "桂陽市", "桂", "계양구", "Gyeyang", "ケヤン区", "桂?區"]),
        (GYEYANG, "ja", ["桂陽区", "ケヤン区", "ケヤング", "けいようく"], ["仁川広域市の行政区域", "Keiyō", "アムサドン", "首都圏電鉄京義線"]),
        (SUWON, "zh", ["水原市", "水原", "靈通區", "水原市 靈通區"], ["水原郡", "靈通洞", "瑩山紹瑾"]),
        (JEJU, "zh", ["濟州特別自治道", "濟州道", "济州岛", "濟州"], ["濟州市", "濟州郡"]),
        (SANGDO, "zh", ["上道洞", "上道"], ["平洞", "上道區", "飛驒細江站"]),
        (SANGDO, "en", ["Sangdo-dong", "anything"], []),
    ],
)  # fmt: skip
def test_a_name_fits_the_korean_one(
    forms: KoreanForms, lang: str, good: list[str], bad: list[str]
) -> None:
    kana = {"ケヤン区": "ケヤン区", "ケヤング": "ケヤンク", "アムサドン": "アンサトン"}
    flaws = {name: flaw(name, kana.get(name, name), lang, forms) for name in good + bad}
    assert [name for name, why in flaws.items() if why] == bad


@pytest.mark.parametrize(
    ("korean", "stems"),
    [
        (["인제군", "인제", "인제읍"], {"인제"}), (["이매1동", "이매2동"], {"이매"}), (["광주광역시", "광주시", "광주"], {"광주"}),
        (["중구", "남구"], {"중구", "남구"}), (["충주시", "청주시"], {"충주", "청주"}),
    ],
)  # fmt: skip
def test_a_unit_suffix_does_not_make_another_region(korean: list[str], stems: set[str]) -> None:
    assert set(map(stem, korean)) == stems


def claim(line: int, korean: str, foreign: str, variants: str = "", same_as: str = "") -> Claim:
    return Claim(line, frozenset([korean]), frozenset([variants]), frozenset([foreign]), same_as)


@pytest.mark.parametrize(
    ("one", "other", "lost"),
    [
        (("강남구", "江南"), ("성남시수정구", "江南", "강남구"), {2}),
        (("강남구", "江南", "", "Q1"), ("성남시수정구", "江南", "강남구", "Q1"), {2}),
        (("강남구", "江南", "", "Q1"), ("성남시수정구", "江南", "", "Q1"), {1, 2}),
        (("강남구", "江南", "", "Q1"), ("성남시수정구", "江南", "", "Q2"), set()),
        (("강남구", "江南"), ("강남구", "江南"), set()),
        (("인제군", "麟蹄", "", "Q1"), ("인제", "麟蹄", "인제군", "Q1"), set()),
        (("남구", "南"), ("포항시남구", "南", "남구"), set()),
        (("강남구", "江南"), ("성남시수정구", "壽井", "강남구"), set()),
    ],
)
def test_rows_that_contradict_each_other(
    one: tuple[str, ...], other: tuple[str, ...], lost: set[int]
) -> None:
    assert set(confused([claim(1, *one), claim(2, *other)])) == lost


@pytest.fixture
def country(make: Maker) -> Maker:
    """Every province and district, by name and centre."""
    provinces = {name: make.region(name, level="sido") for name in PROVINCES.values()}
    for g in sigungus():
        region = make.region(g.name, parent=provinces[g.sido.name])
        make.sql(
            "UPDATE regions SET center = ST_MakePoint(%s, %s)::geography WHERE id = %s",
            g.lon, g.lat, region,
        )  # fmt: skip
    make.sql(
        "UPDATE regions p SET center = (SELECT center FROM regions c WHERE c.parent_id = p.id ORDER BY id LIMIT 1)"
        " WHERE level = 'sido'"
    )
    make.sql("SELECT add_province_aliases(), add_foreign_province_names()")
    return make


MEANT = """
SELECT array_agg(DISTINCT r.name ORDER BY r.name) FROM names_spelled(ARRAY[%s::text]) n
JOIN regions r ON n.kind = 'region' AND r.id = n.id"""


def test_wrong_names_are_dropped_and_reported(
    country: Maker, summary: Summary, write: Callable[..., Path]
) -> None:
    path = write(
        "name,variants,name_ja,name_zh,same_as,level,lon,lat",
        "강남구,,江南区,江南區,Q1,sigungu,127.05,37.50",
        "성남시수정구,강남구,江南区,江南區,Q1,sigungu,127.13,37.44",
        "충청남도,충남,忠清南道,忠清南道,Q2,sido,127.1,36.8",
        "세종특별자치시,충남|충청남도,チュンチョンナムド,忠清南道,,sido,127.29,36.48",
        "계양구,,桂陽区,洪川郡|桂陽區,,sigungu,126.73,37.54",
        "홍천군,,洪川郡,洪川郡,,sigungu,127.88,37.69",
        "광주시,광주광역시,光州広域市,光州廣域市|廣州市,,sigungu,127.25,37.41",
        "충주시|청주시,,清州市,清州市,,,127.9,36.97",
        "여주,여주시,驪州市,수북면,,village,127.63,37.30",
    )
    report = summary("import", "region-names", path)
    assert (report["inserted"], report["rejected"]) == (5, 1), report["reasons"]
    assert report["reasons"] == {"[name] 충주시|청주시 are different places": 1}
    assert {(d["reason"], d["values"], tuple(d["lines"])) for d in report["dropped"]} == {
        ("[name_ja] the name of another place in the list", 1, (3,)),
        ("[name_zh] the name of another place in the list", 2, (3, 5)),
        ("[name_ja] does not fit the Korean name", 2, (5, 8)),
        ("[name_zh] does not fit the Korean name", 2, (6, 8)),
        ("[name_zh] another script", 1, (10,)),
    }
    meant = {
        "江南区": "강남구",
        "忠清南道": "충청남도",
        "洪川郡": "홍천군",
        "廣州市": "광주시",
        "驪州市": "여주시",
    }
    assert {name: country.sql(MEANT, name) for name in meant} == {n: [k] for n, k in meant.items()}
    assert "충청남도" not in str(country.sql(MEANT, "世宗"))


def test_the_real_list_gives_no_name_to_two_districts(
    country: Maker, summary: Summary, shared_data: Path, tmp_path: Path
) -> None:
    path = shared_data / "names" / "regions_kr_whosonfirst_ko_en_ja_zh.csv"
    report = summary(
        "import", "region-names", path, "--mapping", "whosonfirst", "--rejects", tmp_path / "r.csv"
    )
    assert report["read"] == 1387 and sum(d["values"] for d in report["dropped"]) >= 30
    for name, korean in (
        ("江南区", "강남구"),
        ("忠清南道", "충청남도"),
        ("莞島郡", "완도군"),
        ("泰安郡", "태안군"),
    ):
        assert country.sql(MEANT, name) == [korean]
    shared = country.rows(
        "SELECT han_folded(a.alias), array_agg(DISTINCT substring(r.name, '^[^ ]+')) AS names"
        " FROM region_aliases a JOIN regions r ON r.id = a.region_id"
        " WHERE a.lang IN ('ja', 'zh-Hans', 'zh-Hant') GROUP BY 1 HAVING count(DISTINCT substring(r.name, '[^ ]+$')) > 1"
        " AND count(DISTINCT substring(r.name, '^[^ ]+')) > 1"
    )
    assert shared == []
    with_chinese = country.sql(
        "SELECT count(DISTINCT r.id) FROM regions r JOIN region_aliases a ON a.region_id = r.id"
        " WHERE r.level = 'sigungu' AND a.lang LIKE 'zh%'"
    )
    assert with_chinese >= 200
