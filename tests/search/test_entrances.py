"""Tests that stations called 입구 or 대입구 are found by their colloquial short names: 홍대, 서울대역, 숭실."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from tests.make import Maker
from tests.search.spellings import romanized

FindNumbers = Callable[[str], list[str]]
AT = {"userLng": 127.0276, "userLat": 37.4979}
ENTRANCES = ("건대입구", "경인교대입구", "남한산성입구", "동대입구", "서울대입구", "성신여대입구", "숙대입구",
    "숭실대입구", "을지로입구", "인천대입구", "총신대입구", "태릉입구", "한성대입구", "홍대입구")  # fmt: skip


@pytest.fixture
def stations(make: Maker) -> None:
    """The stations, each with a shop next to it; Seoul and Incheon are also regions."""
    seoul = make.region("서울특별시", level="sido")
    make.region("인천광역시", level="sido")
    make.region("관악구", parent=seoul)
    for number, name in enumerate((*ENTRANCES, "서울", "을지로4가")):
        make.station(name, at=(127 + number / 10, 37))
        make.shop(f"{number}번 사진관", at=(127 + number / 10, 37))


@pytest.fixture
def find_numbers(client: FlaskClient, stations: None) -> FindNumbers:
    def numbers(keyword: str) -> list[str]:
        response = client.get("/shops", query_string={"keyword": keyword, **AT})
        assert response.status_code == 200, response.text
        return [shop["place_name"].split("번")[0] for shop in response.get_json()]

    return numbers


@pytest.mark.parametrize("number", range(len(ENTRANCES)))
def test_every_entrance_is_found_by_its_short_names(find_numbers: FindNumbers, number: int) -> None:
    name = ENTRANCES[number]
    short = name.removesuffix("입구")
    latin = romanized(short)
    keywords = [name, f"{name}역", short, f"{short}역", f"{short} 입구", f"{latin} station", f"{latin}ipgu",
        f"{latin} ipgu station", f"near {latin.upper()} stn"]  # fmt: skip
    for keyword in keywords:
        assert find_numbers(keyword) == [str(number)], keyword


@pytest.mark.parametrize("keyword", ["숭실", "숭실역", "한성", "한성역", "성신여역", "총신"])
def test_a_university_is_found_without_its_word(find_numbers: FindNumbers, keyword: str) -> None:
    name = f"{keyword.removesuffix('역')}대입구"
    assert find_numbers(keyword) == [str(ENTRANCES.index(name))]


def test_a_name_of_its_own_is_no_university(find_numbers: FindNumbers) -> None:
    assert find_numbers("서울역") == [str(len(ENTRANCES))]
    assert str(ENTRANCES.index("서울대입구")) not in find_numbers("서울")
    assert str(ENTRANCES.index("인천대입구")) not in find_numbers("인천")


@pytest.mark.parametrize(
    ("keyword", "name"),
    [("ホンデイック駅", "홍대입구"), ("ホンデイプク駅", "홍대입구"), ("ほんでいぷく", "홍대입구"), ("ソウルデイプク駅", "서울대입구"), ("ウルジロイプク", "을지로입구")],
)  # fmt: skip
def test_an_entrance_is_found_in_kana_as_lists_and_guides_write_it(
    client: FlaskClient, stations: None, keyword: str, name: str
) -> None:
    response = client.get("/shops", query_string={"keyword": keyword, "explain": "true", **AT})
    body = response.get_json()
    assert body["pass"] == "understood"
    assert [shop["place_name"].split("번")[0] for shop in body["shops"]] == [
        str(ENTRANCES.index(name))
    ]
