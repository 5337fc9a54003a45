"""Tests romanisation by 고시 2000-8 with the examples of the rule and the official English names of all regions."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from tests.make import Maker

# Copied from the notification, chapters II and III; one half of it is in the shared data.
NAMES = {
    "구미": "Gumi", "옥천": "Okcheon", "호법": "Hobeop", "월곶": "Wolgot", "벚꽃": "beotkkot", "한밭": "Hanbat",
    "임실": "Imsil", "신문로": "Sinmunno", "왕십리": "Wangsimni", "학여울": "Hangnyeoul", "굳히다": "guchida",
    "놓다": "nota", "묵호": "Mukho", "집현전": "Jiphyeonjeon", "낙동강": "Nakdonggang", "낙성대": "Nakseongdae",
    "샛별": "saetbyeol", "세운": "Seun", "한복남": "Han Boknam", "홍빛나": "Hong Bitna", "속리산": "Songnisan",
    "금강": "Geumgang", "독도": "Dokdo", "경복궁": "Gyeongbokgung", "무량수전": "Muryangsujeon", "연화교": "Yeonhwagyo",
    "극락전": "Geungnakjeon", "남한산성": "Namhansanseong", "화랑대": "Hwarangdae", "현충사": "Hyeonchungsa",
    "선릉": "Seolleung", "독립문": "Dongnimmun", "넋이": "neoksi", "싫다": "silta", "않고": "anko", "값": "gap",
}  # fmt: skip
PLACES = {
    "신창읍": "Sinchang-eup", "삼죽면": "Samjuk-myeon", "당산동": "Dangsan-dong", "종로 2가": "Jongno 2(i)-ga",
    "봉천 1동": "Bongcheon 1(il)-dong", "퇴계로 3가": "Toegyero 3(sam)-ga", "서울특별시 강남구": "Seoul Gangnam-gu",
    "강원특별자치도": "Gangwon-do", "수원시 영통구": "Suwon-si Yeongtong-gu", "성수1가1동": "Seongsu 1(il)-ga 1(il)-dong",
    "종로1·2·3·4가동": "Jongno 1·2·3·4-ga-dong", "강남대로": "Gangnam-daero", "강남대로96길": "Gangnam-daero 96-gil",
    "성수동2가": "Seongsu-dong 2(i)-ga", "신문로1가": "Sinmunno 1(il)-ga", "내수동로": "Naesudong-ro", "중앙로12번길": "Jungang-ro 12beon-gil", "명동길": "Myeongdong-gil", "대구광역시 중구": "Daegu Jung-gu", "연제구": "Yeonje-gu",
}  # fmt: skip
# Deviations of the official list from the rule: no unit or city, the name of another district, spelling errors, 사이동
# read as 사2동, ㅎ joined in a noun.
DIFFERENT = [
    "광주시", "사이동", "세종특별자치시", "압해읍", "영해면", "창원시마산합포구", "창원시마산회원구", "창원시성산구",
    "창원시의창구", "창원시진해구", "철원군", "포항시남구", "포항시북구",
]  # fmt: skip


def letters(text: str) -> str:
    """In lower case, without hyphens and blanks, which are optional by the rule."""
    return re.sub(r"[-_ ]", "", text).lower()


@pytest.mark.parametrize("korean", NAMES)
def test_names_in_the_rule(make: Maker, korean: str) -> None:
    wanted = NAMES[korean]
    assert make.sql("SELECT romanized(%s)", korean) == wanted[0].upper() + wanted[1:]


@pytest.mark.parametrize("korean", PLACES)
def test_places_in_the_rule(make: Maker, korean: str) -> None:
    assert make.sql("SELECT romanized_place(%s)", korean) == PLACES[korean]


def test_other_signs_stay(make: Maker) -> None:
    given = "포토이즘 BOX 홍대-2호점 ☆ 写真"
    assert make.sql("SELECT romanized(%s)", given) == "Potoijeum BOX Hongdae-2hojeom ☆ 写真"
    assert make.sql("SELECT romanized('')") == ""


def test_letter_by_letter(make: Maker) -> None:
    given = ("종로", "신림", "백암")
    romanizations = [make.sql("SELECT romanized(%s, false)", name) for name in given]
    assert romanizations == ["Jongro", "Sinrim", "Baekam"]


def test_the_official_examples(make: Maker, shared_data: Path) -> None:
    path = shared_data / "names" / "romanization_official_examples.csv"
    if not path.exists():
        pytest.skip("no examples of the rule in the shared data")
    rows = list(csv.DictReader(path.open(encoding="utf-8")))
    wrong = []
    for row in rows:
        is_place = row["rule"] == "administrative unit"
        function = "romanized_place" if is_place else "romanized"
        korean = row["korean"]
        if row["rule"] == "administrative unit may be dropped":
            korean = korean[:-1]
        romanization = make.sql(f"SELECT {function}(%s)", korean)
        if (
            (romanization != row["romanized"])
            if is_place
            else letters(romanization) != letters(row["romanized"])
        ):
            wrong.append((korean, romanization))
    assert (wrong, len(rows)) == ([], 48)


def test_words_are_spoken_alike_within_longer_names(make: Maker) -> None:
    spoken = {
        "학여울역": "Hangnyeouryeok",
        "신문로네컷": "Sinmunnonekeot",
        "포토 학여울점": "Poto Hangnyeouljeom",
        "한복남길": "Hanbongnamgil",
    }
    assert {name: make.sql("SELECT romanized(%s)", name) for name in spoken} == spoken
    assert make.sql("SELECT romanized('학여울', false)") == "Hakyeoul"


def test_a_unit_without_a_hyphen_is_part_of_the_name(make: Maker) -> None:
    joined = {
        "포곡읍": "Pogogeup",
        "강남구": "Gangnamgu",
        "김삿갓면": "Gimsatganmyeon",
        "서울특별시": "Seoul",
        "역삼": "Yeoksam",
    }
    assert {n: make.sql("SELECT romanized_place(%s, false)", n) for n in joined} == joined


def test_official_names_of_regions(make: Maker, shared_data: Path) -> None:
    """The list decides whether a unit has a hyphen; then every letter counts."""
    names = []
    for kind in ("provinces", "municipalities", "submunicipalities"):
        path = shared_data / "boundaries_kr_2018" / f"skorea-{kind}-2018-simple.geojson"
        if not path.exists():
            pytest.skip("no boundaries in the shared data")
        for feature in json.loads(path.read_text(encoding="utf-8"))["features"]:
            properties = feature["properties"]
            if not re.search(r"[0-9·.]", properties["name"]):
                names.append((properties["name"], properties["name_eng"]))
    korean, official = zip(*names, strict=True)
    rows = make.rows(
        "SELECT name, official, romanized_place(name, strpos(official, '-') > 0) FROM unnest(%s, %s) n (name, official)",
        [*korean],
        [*official],
    )
    wrong = [name for name, official, latin in rows if letters(official) != letters(latin)]
    assert sorted(wrong) == DIFFERENT
    assert 1 - len(wrong) / len(rows) >= 0.995 and len(rows) >= 2693
