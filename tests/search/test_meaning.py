"""Tests the meaning of keywords: regions, brands, stations, branches, spelling variants, and words that look like names."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from flask import Flask

from tests.make import Maker
from tests.search.conftest import Search

GANGNAM_GU = {
    "인생네컷 강남역점", "인생네컷 역삼점", "포토이즘 강남구청역점", "포토이즘박스 신사점",
}  # fmt: skip
NEAR_GANGNAM_STATION = {"인생네컷 강남역점", "포토이즘 강남역점", "인생네컷 역삼점"}


@pytest.mark.parametrize(
    "keyword", ["강남구", "강남", "서울 강남구", "서울특별시 강남구", "서울시강남구", "강남구 서울"]
)
def test_a_region_is_all_its_booths(search: Search, keyword: str) -> None:
    assert set(search(keyword)) == GANGNAM_GU


@pytest.mark.parametrize(
    "keyword", ["경상남도 진주시 강남동", "경남 진주 강남동", "경남진주강남동", "진주 강남동"]
)
def test_the_longest_match_wins(search: Search, keyword: str) -> None:
    assert search(keyword) == ["인생네컷 진주점"]


@pytest.mark.parametrize(
    "keyword",
    ["강남구 포토이즘", "포토이즘 강남구", "강남포토이즘", "포토이즘강남", "photoism 강남구"],
)
def test_a_region_and_a_brand_in_any_order(search: Search, keyword: str) -> None:
    assert set(search(keyword)) == {"포토이즘 강남구청역점", "포토이즘박스 신사점"}


@pytest.mark.parametrize("keyword", ["강남역", "강남역 2호선", "2호선 강남역", "강남 역"])
def test_a_station_is_a_kilometre_around_it(search: Search, keyword: str) -> None:
    assert set(search(keyword)) == NEAR_GANGNAM_STATION


@pytest.mark.parametrize("keyword", ["서울 서면", "강남 서면", "서면 강남 하루필름"])
def test_a_region_does_not_become_a_second_station(search: Search, keyword: str) -> None:
    assert search(keyword) == []


@pytest.mark.parametrize("keyword", ["홍대입구", "홍대 입구역", "홍대입구역", "홍대 입구"])
def test_a_station_may_be_written_with_spaces_and_without_its_ending(
    search: Search, keyword: str
) -> None:
    assert set(search(keyword)) == {"인생네컷 홍대점", "포토그레이 홍대입구역점"}


def test_a_station_inside_a_branch_name_is_no_station(search: Search) -> None:
    assert search("포토이즘 강남역점") == ["포토이즘 강남역점"]


@pytest.mark.parametrize(
    "keyword",
    [
        "인생네컷 서울숲점",
        "서울숲 인생네컷",
        "인생 네컷 서울숲",
        "인생네컷서울숲점",
        "서울숲인생네컷",
    ],
)
def test_the_branch_comes_first(search: Search, keyword: str) -> None:
    assert search(keyword)[0] == "인생네컷 서울숲점"


def test_a_name_of_several_cities_is_all_of_them_nearest_first(search: Search) -> None:
    assert search("중구") == [
        "신강남 스튜디오", "인생네컷", "하루필름 명동점",
        "하루필름 인천점", "포토그레이 대구동성로점", "하루필름 남포점",
    ]  # fmt: skip


def test_it_works_outside_seoul(search: Search) -> None:
    assert search("부산진구 하루필름") == ["하루필름 서면점"]


@pytest.mark.parametrize(
    "keyword", ["강원도 춘천", "강원특별자치도 춘천시", "강원 춘천", "춘천", "강원도"]
)
def test_old_short_and_official_names_are_one(search: Search, keyword: str) -> None:
    assert search(keyword) == ["인생네컷 춘천명동점"]


@pytest.mark.parametrize(
    ("keyword", "same_as"),
    [
        ("강남구테헤란로", "강남구 테헤란로"), ("서울강남구테헤란로152", "서울 강남구 테헤란로 152"), ("강남대로396", "강남대로 396"),
        ("역삼2동테헤란로", "역삼2동 테헤란로"), ("중구스튜디오", "중구 스튜디오"), ("강남인생", "강남 인생"),
    ],
)  # fmt: skip
def test_a_region_or_a_street_may_precede_other_words_without_a_space(
    search: Search, keyword: str, same_as: str
) -> None:
    assert search(keyword) == search(same_as) != []


@pytest.mark.parametrize(
    "keyword",
    ["강남구아무말", "서울강남구아무말", "중구대로3"],
)
def test_remaining_words_must_match(search: Search, keyword: str) -> None:
    assert search(keyword) == []


@pytest.mark.parametrize(
    ("keyword", "same_as"),
    [
        ("강남역 근처", "강남역"), ("강남역근처", "강남역"), ("강남구에서", "강남구"), ("홍대입구역 2번 출구", "홍대입구역"),
        ("홍대입구역 2번출구 앞", "홍대입구역"), ("홍대입구역9번출구 인생네컷", "홍대입구역 인생네컷"), ("강남 포토부스", "강남"),
        ("강남구 셀프사진관", "강남구"), ("강남네컷사진", "강남"), ("#강남 #포토부스", "강남"), ("photo booths near Gangnam", "Gangnam"),
    ],
)  # fmt: skip
def test_what_people_write_around_a_place(search: Search, keyword: str, same_as: str) -> None:
    assert search(keyword) == search(same_as) != []


def test_what_every_shop_is_may_be_in_a_name(search: Search) -> None:
    assert search("대전 사진관") == ["100% 사진관"]


@pytest.mark.parametrize(
    ("keyword", "provinces"),
    [
        ("강원도", ["강원"]), ("경상도", ["경남"]), ("경상", ["경남"]), ("전라도", ["전북"]), ("호남", ["전북", "광주광역시"]),
        ("영남", ["부산", "대구", "울산", "경남"]), ("수도권", ["서울", "인천", "경기"]),
    ],
)  # fmt: skip
def test_provinces_that_are_named_together(
    search: Search, keyword: str, provinces: list[str]
) -> None:
    assert sorted(search(keyword)) == sorted(
        name for province in provinces for name in search(province)
    )


def test_a_city_of_provinces_that_are_named_together(search: Search) -> None:
    assert search("전라도 전주") == search("전주") != []


@pytest.mark.parametrize("keyword", ["경상대", "충청로"])
def test_a_university_and_a_street_are_no_misspelt_provinces(search: Search, keyword: str) -> None:
    assert search(keyword) == []


def test_initial_consonants(search: Search) -> None:
    everywhere = set(search("인생네컷"))
    assert len(everywhere) == 10
    assert set(search("ㅇㅅㄴㅋ")) == everywhere
    assert set(search("ㅍㅌㅇㅈ 강남")) == {"포토이즘 강남구청역점", "포토이즘박스 신사점"}


@pytest.mark.parametrize(
    ("keyword", "brand"),
    [
        ("인생네ㅋ", "인생네컷"),
        ("인생넼", "인생네컷"),
        ("하루필르", "하루필름"),
        ("하루피", "하루필름"),
    ],
)
def test_syllables_half_typed(search: Search, keyword: str, brand: str) -> None:
    shop_names = search(keyword)
    assert shop_names
    assert shop_names[0].startswith(brand)


def test_a_region_half_typed(search: Search) -> None:
    assert set(search("강ㄴ")) >= GANGNAM_GU


@pytest.mark.parametrize(
    ("keyword", "brand"),
    [
        ("life4cuts", "인생네컷"),
        ("photoism", "포토이즘"),
        ("haru film", "하루필름"),
        ("PHOTOGRAY", "포토그레이"),
    ],
)
def test_names_in_english(search: Search, keyword: str, brand: str) -> None:
    shop_names = search(keyword)
    assert len(shop_names) > 1
    assert all(name.startswith(brand) for name in shop_names)


@pytest.mark.parametrize(
    "keyword", ["_", "\\", "'", '"', "😀", "%", "강_구", "강%", "' OR 1=1 --", ":*", "&|!()"]
)
def test_signs_are_themselves(search: Search, keyword: str) -> None:
    assert search(keyword) in ([], ["100% 사진관"])


@pytest.mark.parametrize(
    "keyword",
    ["포토이즘, 강남구", "포토이즘 / 강남구", "포토이즘 - 강남구", "포토이즘(강남구)", "“강남구” 포토이즘", "강남구·포토이즘", "포토이즘-강남구", "포토이즘…강남구",
     "#포토이즘 #강남구", "#강남구#포토이즘", "포토이즘📸 강남구", "강남구❤️ 포토이즘", "포토이즘&강남구", "@포토이즘 강남구.",
     "포토이즘 • 강남구", "포토이즘ㆍ강남구", "포토이즘→강남구", "\u202a포토이즘 강남구\u202c", "\u3164강남구\u3164포토이즘"],
)  # fmt: skip
def test_signs_between_names_are_blanks(search: Search, keyword: str) -> None:
    assert set(search(keyword)) == {"포토이즘 강남구청역점", "포토이즘박스 신사점"}


@pytest.mark.parametrize(
    "keyword", ["인생네%", "인생%컷", "인생네\\", "아무말 인생네%", "인생네_", "%인생네컷"]
)
def test_signs_in_a_misspelt_name(search: Search, keyword: str) -> None:
    assert all(name.startswith("인생네컷") for name in search(keyword))


@pytest.mark.parametrize("keyword", ["포토이즘(강남점)", "포토이즘-강남점", "#포토이즘 #강남점"])
def test_signs_may_be_beside_a_branch_that_does_not_exist(search: Search, keyword: str) -> None:
    assert search(keyword) == search("포토이즘 강남점") != []


def test_a_percent_sign_is_literal(search: Search) -> None:
    assert search("100%") == ["100% 사진관"]


@pytest.mark.parametrize(
    "keyword",
    [
        "아무말",
        "꿹뛟",
        "강남구아무말",
        "아무말 어디",
        "서울 강남구 해운대구",
        "서울 해운대구 아무말",
    ],
)
def test_an_unknown_word_finds_nothing(search: Search, keyword: str) -> None:
    assert search(keyword) == []


@pytest.mark.parametrize(
    ("keyword", "same_as", "ignored"),
    [
        ("강남구 아무말", "강남구", "아무말"),
        ("아무말 강남구 가나다라", "강남구", "아무말 가나다라"),
        ("인생네컷 아무말", "인생네컷", "아무말"),
        ("홍대입구 서면도시철도", "홍대입구", "서면도시철도"),
        ("gangnam station blahblah", "강남역", "blahblah"),
    ],
)
def test_an_unknown_word_beside_a_name_is_ignored_and_reported(
    app: Flask, search: Search, keyword: str, same_as: str, ignored: str
) -> None:
    assert search(keyword) == search(same_as) != []
    query = {"keyword": keyword, "userLng": 126.9779, "userLat": 37.5663}
    response = app.test_client().get("/shops", query_string=query)
    assert unquote(response.headers["X-Ignored-Words"]) == ignored
    body = app.test_client().get("/shops", query_string=query | {"explain": "true"}).get_json()
    assert (body["pass"], body["ignored"]) == ("known names", ignored.split())


@pytest.mark.parametrize(
    ("keyword", "same_as"),
    [
        ("강남역 추천", "강남역"),
        ("강남역 무인 24시간", "강남역"),
        ("near Gangnam Stn. exit 2", "강남역"),
        ("gangnam station line 2", "강남역 2호선"),
        ("포토이즘 어디", "포토이즘"),
        ("カンナム駅 周辺", "강남역"),
        ("カンナム駅2番出口の近く", "강남역"),
    ],
)
def test_filler_words_are_ignored(app: Flask, search: Search, keyword: str, same_as: str) -> None:
    assert search(keyword) == search(same_as) != []
    query = {"keyword": keyword, "userLng": 126.9779, "userLat": 37.5663}
    assert "X-Ignored-Words" not in app.test_client().get("/shops", query_string=query).headers


@pytest.mark.parametrize(
    ("keyword", "names"),
    [
        ("신강남", ["신강남 스튜디오"]),
        ("강남스타일", ["강남스타일 사진관"]),
        ("take31", ["Take 31"]),
        ("Take 31", ["Take 31"]),
        ("포토그라피", ["포토그라피 진주"]),
        ("포토", ["100% 사진관", "포토 경기광주점"]),
        ("인생네컷길", ["하루필름 종로점"]),
        ("강남동", ["인생네컷 진주점"]),
        ("전라북도 홍대네컷", ["홍대네컷 전북대점"]),
        ("경기 광주", ["포토 경기광주점"]),
        ("수원", ["인생네컷 수원영통점"]),
        ("영통", ["인생네컷 수원영통점"]),
        ("신촌", ["포토이즘 신촌점"]),
        ("신천", []),
        ("제주도", ["하루필름 제주점"]),
    ],
)
def test_false_friends(search: Search, keyword: str, names: list[str]) -> None:
    assert sorted(search(keyword)) == sorted(names)


@pytest.mark.parametrize(
    ("keyword", "same_as"),
    [
        ("rkdska", "강남"), ("dlstodspzjt", "인생네컷"), ("DLSTODSPZJT", "인생네컷"), ("rkdska dlstodspzjt", "강남 인생네컷"),
        ("ghdeodlqrn", "홍대입구"), ("photoism rkdska", "포토이즘 강남"),
        ("Rkdska", "강남"), ("Rkdska dlstodspzjt", "강남 인생네컷"), ("Tjdtn", "성수"),
    ],
)  # fmt: skip
def test_hangul_on_a_latin_keyboard(search: Search, keyword: str, same_as: str) -> None:
    assert search(keyword) == search(same_as) != []


@pytest.mark.parametrize(
    ("keyword", "same_as"),
    [
        ("인셍네컷", "인생네컷"), ("하루필림", "하루필름"), ("포토그래이", "포토그레이"), ("강남구 인셍네컷", "강남구 인생네컷"),
        ("강남구인셍네컷", "강남구 인생네컷"), ("강낭구", "강남구"), ("인네컷", "인생네컷"), ("인생네네컷", "인생네컷"),
        ("photoizm", "포토이즘"), ("phtoism", "포토이즘"), ("홍대입고", "홍대입구"),
        ("인생 내컷", "인생네컷"), ("강남 인생 내컷", "강남 인생네컷"), ("홍데 입구역", "홍대입구역"), ("라이프 포 켯", "인생네컷"),
        ("Life 4 Cut 강남", "인생네컷 강남"), ("인생’네컷", "인생네컷"),
    ],
)  # fmt: skip
def test_one_letter_wrong_or_missing(search: Search, keyword: str, same_as: str) -> None:
    assert search(keyword) == search(same_as) != []


@pytest.mark.parametrize("keyword", ["인생네컷 서울숭점", "서울숭점", "서울숩점"])
def test_one_letter_wrong_in_the_name_of_a_branch(search: Search, keyword: str) -> None:
    assert search(keyword) == ["인생네컷 서울숲점"]


def test_the_documentation_describes_every_pass_in_its_order(make: Maker) -> None:
    page = (Path(__file__).parents[2] / "docs" / "search.md").read_text(encoding="utf-8")
    section = page.split("\n## Passes\n")[1].split("\n## ")[0]
    (passes,) = make.rows("SELECT search_passes()")[0]
    assert re.findall(r"^\| ([a-z ]+) \| ", section, re.M) == ["pass", *passes, "none"]
