"""Rules that clean names of stations: sign texts, characters lost in an encoding, names of the next station."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from geoshops.importing.fields import InvalidValue
from geoshops.importing.stations import (
    chinese_name,
    english_name,
    japanese_name,
    station_name,
)
from tests.make import Maker

Summary = Callable[..., dict[str, Any]]
ENGLISH = {
    "Seoul Station": "Seoul", "Dongdaegu sta.": "Dongdaegu", "Stadium": "Stadium", "Station": "Station",
    "Sookmyung Women`s Univ.": "Sookmyung Women's Univ.", "Busan Nat''''''''l Univ. of Edu.": "Busan Nat'l Univ. of Edu.",
    "Gimpo Int’l Airport": "Gimpo Int'l Airport", "Geum  neung": "Geum neung", "Seokchon(Hansol Hospital)": "Seokchon",
    "Jongno 3(sam)-ga": "Jongno 3(sam)-ga", "KANGNAM UNIV": "Kangnam Univ", "BEXCO": "BEXCO", "-": "", "": "",
}  # fmt: skip
CHINESE = {
    "水 原": "水原", "成 均 館 大": "成均館大", "首爾站": "首爾", "驛三驛": "驛三", "金浦机场": "金浦机场", "三成(会展中心)": "三成",
    "高速巴士客运站": "高速巴士客运站", "鶴洞ㆍ證心寺入口": "鶴洞·證心寺入口", "鍾路3街": "鍾路3街", "仁川机场 1号": "仁川机场 1号", "없음": "", "站": "站",
}  # fmt: skip
JAPANESE = {
    "サムソン(三成)": "サムソン",
    "キョデ\xa0": "キョデ",
    "明洞駅": "明洞",
    "鼎鉢山": "鼎鉢山",
}
INVALID = {
    "野?": "lacks a character", "蠶室-驛": "lacks a character", "外大앞": "another script", "Saejeol": "another script",
    "デジタル": "another script", "釜山大Campus": "another script",
}  # fmt: skip


def test_names_are_those_on_signs() -> None:
    assert {name: english_name(name) for name in ENGLISH} == ENGLISH
    assert {name: chinese_name(name) for name in CHINESE} == CHINESE
    assert {name: japanese_name(name) for name in JAPANESE} == JAPANESE
    assert (station_name("남 산"), station_name("인천공항 1터미널")) == ("남산", "인천공항 1터미널")


@pytest.mark.parametrize("name", INVALID)
def test_a_name_that_an_encoding_has_spoilt_is_invalid(name: str) -> None:
    with pytest.raises(InvalidValue, match=INVALID[name]):
        chinese_name(name)


def test_an_english_name_that_is_cut_off_is_invalid() -> None:
    with pytest.raises(InvalidValue, match="cut off"):
        english_name("Int''''''''")


def test_a_station_keeps_no_name_of_the_next_one(
    summary: Summary, write: Callable[..., Path], make: Maker
) -> None:
    path = write(
        "name,line_name,name_en,name_ja,name_zh,lon,lat",
        "강남,2호선,GANGNAM,カンナム,江南,127.028,37.497",
        "신논현,9호선,Sinnonhyeon,シンノンヒョン,新论岘,127.025,37.505",
        "신논현,신분당선,Sinnonhyeon,カンナム,江南,127.025,37.505",
        "한양대,2호선,Hanyang Univ.,ハンヤンデ,汉阳大学,127.043,37.555",
        "한대앞,4호선,,ハンデアプ,汉阳大学,126.853,37.31",
        "장산,2호선,Jangsan,チャンサン,山,129.177,35.17",
    )
    report = summary("import", "stations", path, "--source", "own")
    assert {(d["reason"], tuple(d["lines"])) for d in report["dropped"]} == {
        ("[name_ja] the name of the next station", (4,)),
        ("[name_zh] the name of the next station", (4,)),
        ("[name_zh] lacks a character", (7,)),
    }
    names = make.rows(
        "SELECT s.name, s.name_en, array_agg(DISTINCT a.alias ORDER BY a.alias) FROM stations s"
        " JOIN station_aliases a ON a.station_id = s.id GROUP BY 1, 2 ORDER BY 1"
    )
    assert names == [
        ("강남", "Gangnam", ["カンナム", "江南"]),
        ("신논현", "Sinnonhyeon", ["シンノンヒョン", "新论岘"]),
        ("장산", "Jangsan", ["チャンサン"]),
        ("한대앞", "", ["ハンデアプ", "汉阳大学"]),
        ("한양대", "Hanyang Univ.", ["ハンヤンデ", "汉阳大学"]),
    ]


@pytest.mark.parametrize(
    ("file", "mapping", "named"),
    [
        ("subway_stations_kr_standard_202202_cp949.csv", "stations", {"en": 0.99, "zh": 0.93}),
        (
            "names/seoul_metro_stations_multilingual_202408.csv",
            "seoul-metro",
            {"en": 1, "zh": 0.98, "ja": 0.96},
        ),
    ],
)
def test_the_real_lists_bring_names_of_nearly_every_station(
    summary: Summary,
    shared_data: Path,
    make: Maker,
    tmp_path: Path,
    file: str,
    mapping: str,
    named: dict[str, float],
) -> None:
    summary(
        "import", "stations", shared_data / file, "--mapping", mapping, "--rejects", tmp_path / "r"
    )
    total = make.sql("SELECT count(DISTINCT name) FROM stations")
    counts = {"en": make.sql("SELECT count(DISTINCT name) FROM stations WHERE name_en <> ''")} | {
        lang: make.sql(
            "SELECT count(DISTINCT s.name) FROM stations s JOIN station_aliases a ON a.station_id = s.id WHERE a.lang LIKE %s",
            f"{lang}%",
        )
        for lang in ("ja", "zh")
    }
    assert {lang: counts[lang] for lang in named if counts[lang] < named[lang] * total} == {}
    spoilt = make.rows(
        "SELECT alias FROM station_aliases WHERE alias ~ '[가-힣?]|[一-鿿] [一-鿿]'"
        " UNION ALL SELECT name_en FROM stations WHERE name_en ~* '''''|[`’]| station$|  '"
    )
    assert spoilt == []
