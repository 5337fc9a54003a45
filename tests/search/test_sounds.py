"""Tests phonetic spellings: McCune-Reischauer with breves, and kana that sound alike."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from tests.make import Maker

AT = {"userLng": 127.0276, "userLat": 37.4979}
FindNames = Callable[[str], list[str]]
STATIONS = (
    "전포",
    "천호",
    "청담",
    "서면",
    "선릉",
    "흑석",
    "병점",
    "평촌",
    "여의도",
    "죽전",
    "춘천",
    "안국",
    "판교",
    "압구정",
    "신길",
    "을지로3가",
)
DONGS = ("장전동", "창전동", "창천동", "첨단동", "이도동", "인계동", "단계동", "인사동")


@pytest.fixture
def find_names(make: Maker, client: FlaskClient) -> FindNames:
    """Creates a shop at each station and in each 동; returns the names of the shops that a keyword finds."""
    seoul = make.region("서울특별시", level="sido")
    for number, name in enumerate(STATIONS):
        at = (127 + number / 10, 37)
        make.station(name, at=at)
        make.shop(name, at=at, brand_id=None, sido_id=seoul)
    for number, name in enumerate(DONGS):
        district = make.region(f"{number}번구", parent=seoul)
        dong = make.region(name, level="dong", parent=district)
        make.shop(name, sigungu_id=district, dong_id=dong, brand_id=None, sido_id=seoul)

    def names(keyword: str) -> list[str]:
        response = client.get("/shops", query_string={"keyword": keyword, **AT})
        assert response.status_code == 200, response.text
        return [shop["place_name"] for shop in response.get_json()]

    return names


@pytest.mark.parametrize(
    ("keyword", "name"),
    [
        ("Sŏmyŏn", "서면"), ("Sŏllŭng station", "선릉"), ("Hŭksŏk station", "흑석"), ("Pyŏngjŏm station", "병점"),
        ("Yŏŭido", "여의도"), ("Chukchŏn station", "죽전"), ("Ch'ŏnho", "천호"), ("Ch‘unch‘ŏn station", "춘천"), ("SŎLLŬNG", "선릉"),
        ("So\u0306llu\u0306ng", "선릉"), ("Ŭljiro 3-ga", "을지로3가"), ("Anguk", "안국"), ("Pangyo", "판교"),
    ],
)  # fmt: skip
def test_breves_mark_vowels_that_are_heard_alike(
    find_names: FindNames, keyword: str, name: str
) -> None:
    assert find_names(keyword) == [name]


def test_seoul_with_a_breve(find_names: FindNames) -> None:
    assert len(find_names("Sŏul")) == len(STATIONS) + len(DONGS)


@pytest.mark.parametrize(
    ("keyword", "name"),
    [
        ("チョンポ", "전포"), ("チョンポ駅", "전포"), ("チョンホ", "천호"), ("チョンダム", "청담"), ("ちょんぽ", "전포"), ("ﾁｮﾝﾎﾟ", "전포"),
        ("チャンジョンドン", None), ("チャンチョンドン", "창천동"), ("チョムダンドン", "첨단동"), ("ピョンジョム", "병점"), ("ピョンチョン駅", "평촌"),
        ("アングク", "안국"), ("パンギョ", "판교"), ("インゲドン", "인계동"), ("タンゲドン", "단계동"), ("シンギル駅", "신길"),
        ("アックジョン", "압구정"), ("アプクジョン駅", "압구정"), ("ウルチロサムガ", "을지로3가"), ("ウルジロ3ガ駅", "을지로3가"),
    ],
)  # fmt: skip
def test_of_kana_that_sound_alike_those_written_so_are_meant(
    find_names: FindNames, keyword: str, name: str | None
) -> None:
    assert find_names(keyword) == ([name] if name else ["장전동", "창전동"])


def test_a_whole_name_without_shops_is_not_the_beginning_of_another(
    make: Maker, find_names: FindNames
) -> None:
    make.sql("UPDATE shops SET status = 'CLOSED' WHERE place_name = '청담'")
    assert find_names("チョンダム") == []


@pytest.mark.parametrize(
    "keyword", ["濟州島", "济州岛", "済州島", "濟州", "チェジュ島", "チェジュ道"]
)
def test_a_province_may_be_called_an_island(
    make: Maker, find_names: FindNames, keyword: str
) -> None:
    jeju = make.region("제주특별자치도", level="sido")
    make.insert("region_aliases", region_id=jeju, alias="濟州", kind="foreign", lang="zh-Hant")
    make.region_alias(jeju, "제주", "short")
    make.shop("함덕해변", brand_id=None, sido_id=jeju)
    assert find_names(keyword) == ["함덕해변"]


def test_a_station_may_precede_other_words_without_a_space(
    make: Maker, find_names: FindNames
) -> None:
    make.shop("사진 롯데월드몰점", at=(127.2, 37), brand_id=None)
    make.shop("사진 롯데월드", at=(128, 37), brand_id=None)
    assert find_names("청담 롯데월드몰") == find_names("청담롯데월드몰") == ["사진 롯데월드몰점"]
    assert find_names("서면롯데월드몰") == []
    assert find_names("청담롯데") == []
