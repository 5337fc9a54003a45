"""Tests GET /shops/suggest: completions of a keyword."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from tests.search.conftest import SEOUL_CITY_HALL
from tests.search.country import Country


@pytest.fixture
def suggest(app: Flask, land: Country) -> Any:
    client = app.test_client()

    def items(typed: str) -> list[dict[str, Any]]:
        query = {"q": typed, "userLng": SEOUL_CITY_HALL[0], "userLat": SEOUL_CITY_HALL[1]}
        response = client.get("/shops/suggest", query_string=query)
        assert response.status_code == 200, response.text
        suggestions: list[dict[str, Any]] = response.get_json()
        return suggestions

    return items


def test_what_is_typed_is_keyword_or_q_and_the_position_may_be_left_out(
    app: Flask, land: Country
) -> None:
    client = app.test_client()
    at = {"userLng": SEOUL_CITY_HALL[0], "userLat": SEOUL_CITY_HALL[1]}

    def response(**query: object) -> Any:
        return client.get("/shops/suggest", query_string=query).get_json()

    there = response(keyword="강남", **at)
    assert len(there) > 1
    for query in ({"q": "강남", **at}, {"keyword": "강남", "q": "부산", **at}, {"keyword": "강남"},
                  {"q": "강남"}, {"q": "강남", "userLat": 33}):  # fmt: skip
        assert response(**query) == there, query
    for query, error_code in (
        ({}, "003"),
        (at, "003"),
        ({"q": " "}, "002"),
        ({"q": "가", "userLat": "x"}, "002"),
    ):
        assert response(**query)["error_code"] == error_code, query
    assert response(**at)["error_message"].startswith("[keyword]")
    assert client.get("/shops/suggest?q=a&q=b").get_json()["error_message"].startswith("[keyword]")


def labels(items: list[dict[str, Any]], kind: str | None = None) -> list[str]:
    return [item["label"] for item in items if kind in (None, item["kind"])]


def test_an_item_has_kind_label_matches_and_position(suggest: Any, land: Country) -> None:
    items = suggest("강남")
    assert [set(item) for item in items] == [
        {"kind", "id", "label", "matches", "longitude", "latitude"}
    ] * len(items)
    assert items[0]["kind"] == "region"
    assert (items[0]["label"], items[0]["matches"]) == ("서울특별시 강남구", [[6, 8]])
    station = next(item for item in items if item["kind"] == "station")
    assert (station["label"], station["matches"]) == ("강남역", [[0, 2]])
    assert (station["longitude"], station["latitude"]) == ("127.0276", "37.4979")


def test_each_letter_narrows(suggest: Any) -> None:
    for typed in ("가", "강", "강ㄴ", "강나", "강남", "강남ㄱ", "강남구"):
        assert "서울특별시 강남구" in labels(suggest(typed), "region"), typed
    for typed in (
        "ㅇ",
        "이",
        "인",
        "인ㅅ",
        "인새",
        "인생",
        "인생ㄴ",
        "인생네",
        "인생넼",
        "인생네커",
        "인생네컷",
    ):
        assert "인생네컷" in labels(suggest(typed), "brand"), typed


def test_each_letter_leads_to_a_station(suggest: Any) -> None:
    for typed in ("강남", "강남ㅇ", "강남여", "강남역", "ㄱㄴㅇ"):
        assert "강남역" in labels(suggest(typed), "station"), typed
    assert suggest("강남ㅇ")[0]["matches"] == [[0, 3]]


def test_each_letter_leads_to_the_parts_of_a_neighbourhood(suggest: Any) -> None:
    for typed in ("역삼ㄷ", "역삼도", "역삼동", "강남 역삼도"):
        suggested = labels(suggest(typed), "region")
        assert suggested == ["서울특별시 강남구 역삼1동", "서울특별시 강남구 역삼2동"], typed
    assert labels(suggest("성수도"), "region") == ["서울특별시 성동구 성수1가1동"]


@pytest.mark.parametrize("typed", ["강남역 맛ㅈ", "gangnam station marke", "강남역 아무마"])
def test_a_name_beside_what_will_be_left_out_is_suggested(suggest: Any, typed: str) -> None:
    assert labels(suggest(typed), "station")[0] == "강남역"


@pytest.mark.parametrize("typed", ["강남역4번출", "강남오거", "강남해수욕", "강남터미", "강남신도"])
def test_a_place_before_a_half_typed_word_is_suggested(suggest: Any, typed: str) -> None:
    assert "강남역" in labels(suggest(typed), "station")


@pytest.mark.parametrize("typed", ["아무마", "강남역 아무말 다른말 또다른마", "魑魅"])
def test_an_unknown_text_has_no_suggestions(suggest: Any, typed: str) -> None:
    assert suggest(typed) == []


def test_letters_are_shown_in_the_region_that_they_name_not_in_those_above(suggest: Any) -> None:
    matches = {item["label"]: item["matches"] for item in suggest("서울 ㅅ")}
    assert matches["서울특별시 서초구"] == [[6, 7]]
    assert matches["서울특별시 성동구"] == [[6, 7]]


def test_after_a_region_its_parts(suggest: Any) -> None:
    assert labels(suggest("서울특별시 ㄱ"), "region") == ["서울특별시 강남구"]
    assert labels(suggest("서울 마"), "region") == ["서울특별시 마포구"]


def test_a_station_of_two_lines_is_one_suggestion(suggest: Any) -> None:
    assert labels(suggest("강남역"), "station") == ["강남역"]


def test_a_suggestions_label_is_a_keyword_that_finds_it(suggest: Any, search: Any) -> None:
    for typed in ("강남", "홍대입", "포토이", "중구", "인생네컷 서"):
        for item in suggest(typed):
            if item["kind"] == "shop":
                assert search(item["label"])[0] == item["label"]
            elif item["kind"] == "brand":
                assert all(name.startswith(item["label"]) for name in search(item["label"]))


def test_initials_english_and_the_wrong_keyboard(suggest: Any) -> None:
    assert labels(suggest("ㅇㅅㄴ"))[0] == "인생네컷"
    assert "포토이즘" in labels(suggest("photois"), "brand")
    assert labels(suggest("rkdska")) == labels(suggest("Rkdska")) == labels(suggest("강남"))


def test_shops_by_two_words_highlight_both_words(suggest: Any) -> None:
    shop = next(item for item in suggest("인생네컷 서울숲") if item["kind"] == "shop")
    assert (shop["label"], shop["matches"]) == ("인생네컷 서울숲점", [[0, 4], [5, 8]])


def test_signs_between_names_are_blanks(suggest: Any) -> None:
    items = suggest("인생네컷, 서울숲")
    assert labels(items, "shop")[:1] == ["인생네컷 서울숲점"]
    assert items == suggest("인생네컷 서울숲") == suggest("#인생네컷 #서울숲")


def test_regions_without_a_space_are_suggested_as_with_one(suggest: Any) -> None:
    for typed in ("서울강남", "서울특별시강남구", "부산부산진구"):
        assert suggest(typed)[0]["kind"] == "region", typed
    assert suggest("서울강남") == suggest("서울 강남")


def test_a_region_before_a_brand_half_typed_without_a_space(suggest: Any) -> None:
    assert labels(suggest("강남인생")) == labels(suggest("강남 인생")) != []


def test_nothing_is_an_empty_list(suggest: Any) -> None:
    assert suggest("꿹뛟") == []


@pytest.mark.parametrize(
    ("typed", "label"),
    [
        ("gangn", "강남역"),
        ("kangn", "강남역"),
        ("gangnam s", "강남역"),
        ("gangnam stati", "강남역"),
        ("myeongd", "서울특별시 중구 명동"),
        ("myungdo", "서울특별시 중구 명동"),
        ("ミョンド", "서울특별시 중구 명동"),
        ("カンナ", "강남역"),
        ("ﾌﾟｻ", "부산광역시"),
        ("potoij", "포토이즘"),
    ],
)
def test_names_in_other_scripts_are_suggested_while_typing(
    suggest: Any, typed: str, label: str
) -> None:
    assert label in labels(suggest(typed))


def test_a_place_comes_before_a_brand_that_begins_with_its_name(suggest: Any) -> None:
    assert labels(suggest("홍대"))[0] == "홍대입구역"
    assert "홍대네컷" in labels(suggest("홍대"))
