"""Tests romanised spellings of words that occur only in shop names."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from tests.make import Maker
from tests.search.spellings import by_ear, romanized

AT = {"userLng": 127.0276, "userLat": 37.4979}
BRANCHES = ("가로수길점", "남포점", "용리단길", "종로귀금속점", "연트럴파크점", "신탄진 2호점", "망리단길본점", "성안길점", "왕십리역점", "문래창작촌점")  # fmt: skip
AT_GANGNAM = (127.0276, 37.4979)


@pytest.fixture
def branches(make: Maker) -> Maker:
    brand = make.brand("인생네컷")
    make.brand_alias(brand, "Life4Cuts")
    for name in BRANCHES:
        make.shop(f"인생네컷 {name}", brand_id=brand)
    make.shop("인생네컷해방촌점", brand_id=brand)
    make.shop("달빛스튜디오 강가점", brand_id=None)
    return make


@pytest.fixture
def names(client: FlaskClient) -> Callable[[str], list[str]]:
    def find_names(keyword: str) -> list[str]:
        response = client.get("/shops", query_string={"keyword": keyword, **AT})
        assert response.status_code == 200, response.text
        return [shop["place_name"] for shop in response.json or []]

    return find_names


@pytest.mark.parametrize(
    ("keyword", "branch"),
    [
        ("garosugil", "가로수길점"),
        ("Garosu-gil", "가로수길점"),
        ("garosu gil", "가로수길점"),
        ("karosookil", "가로수길점"),
        ("garosu", "가로수길점"),
        ("life4cuts garosugil", "가로수길점"),
        ("garosugil branch", "가로수길점"),
        ("near garosugil, photo booth", "가로수길점"),
        ("nampo", "남포점"),
        ("namppo", "남포점"),
        ("yongridangil", "용리단길"),
        ("yongnidangil", "용리단길"),
        ("jongno gwigeumsok", "종로귀금속점"),
        ("shintanjin", "신탄진 2호점"),
        ("wangsimni", "왕십리역점"),
        ("wangsipri", "왕십리역점"),
        ("wangsimni yeok", "왕십리역점"),
    ],
)
def test_a_romanised_branch_is_found(
    branches: Maker, names: Callable[[str], list[str]], keyword: str, branch: str
) -> None:
    assert names(keyword) == [f"인생네컷 {branch}"]


def test_names_of_one_word_and_first_words_are_found(
    branches: Maker, names: Callable[[str], list[str]]
) -> None:
    assert names("haebangchon") == ["인생네컷해방촌점"]
    assert names("dalbit") == names("talbit") == ["달빛스튜디오 강가점"]


def test_by_the_official_rule_and_by_ear(
    branches: Maker, names: Callable[[str], list[str]]
) -> None:
    for branch in BRANCHES:
        word = branch.split()[0].removesuffix("점").removesuffix("본").removesuffix("역")
        for spelling in {romanized(word), *by_ear(romanized(word))}:
            assert names(spelling) == [f"인생네컷 {branch}"], spelling


@pytest.mark.parametrize("keyword", ["garosugilx", "bamdokkaebi", "gar", "zzzz", "yongridangil bamdokkaebi"])  # fmt: skip
def test_what_no_name_sounds_like_is_not_guessed(
    branches: Maker, names: Callable[[str], list[str]], keyword: str
) -> None:
    assert names(keyword) == []


def test_explain_reports_the_language_and_the_spelling(
    branches: Maker, client: FlaskClient
) -> None:
    query = {"keyword": "life4cuts karosugil", "explain": "true", **AT}
    response = client.get("/shops", query_string=query).get_json()
    assert response["pass"] == "spelling"
    word = response["understood"][1]
    assert (word["kind"], word["text"]) == ("rest", "karosugil")
    assert (word["lang"], word["matched"]) == ("ko-Latn", "garosugil")


@pytest.mark.parametrize("typed", ["garo", "garosu", "garosug", "garosugil", "karosuk", "life4cuts garos"])  # fmt: skip
def test_each_letter_leads_to_the_branch(branches: Maker, client: FlaskClient, typed: str) -> None:
    items = client.get("/shops/suggest", query_string={"q": typed, **AT}).get_json()
    assert "인생네컷 가로수길점" in [item["label"] for item in items]


def test_a_renamed_shop_is_found_by_its_new_name_alone(
    branches: Maker, names: Callable[[str], list[str]]
) -> None:
    branches.sql(
        "UPDATE shops SET place_name = '인생네컷 달맞이길점' WHERE place_name LIKE '%가로수길점'"
    )
    assert names("garosugil") == []
    assert names("dalmajigil") == ["인생네컷 달맞이길점"]


SPOKEN = """신림 종로3가 굳이 같이 묵호 백마 독립문 압구정 닭갈비 값진 있는 좋다 국립 협력 낙낙 꽃잎 밭이 놓는 앉다 서울숲 의왕
웨딩 뛰어 쌍문 빼빼로 가에 고양이 모이 Photogray 24시"""


@pytest.mark.parametrize("word", [*" ".join(BRANCHES).split(), *SPOKEN.split()])
def test_the_sounds_of_the_index_are_those_of_the_romanisation(make: Maker, word: str) -> None:
    sounds = make.sql("SELECT tsvector_to_array(name_sounds(%s))", f"{word} 가게")
    romanised = "SELECT sound_key(romanized(%s, c)) FROM unnest(ARRAY[true, false]) c"
    assert set(sounds) == {*(row[0] for row in make.rows(romanised, word)), "kakE"}


@pytest.mark.parametrize(
    "keyword",
    [
        "로데오",
        "로데오거리",
        "rodeo",
        "apgujeong rodeo street",
        "Rodeo geori",
        "ロデオ通り",
        "罗德奥街",
    ],
)
def test_a_rodeo_street(make: Maker, names: Callable[[str], list[str]], keyword: str) -> None:
    make.station("압구정", at=(127.0285, 37.5273))
    make.shop("인생네컷 압구정로데오거리점", at=(127.029, 37.527))
    make.shop("인생네컷 압구정점", at=(127.029, 37.527))
    assert names(keyword) == ["인생네컷 압구정로데오거리점"]


@pytest.mark.parametrize(
    "keyword",
    [
        "정자동 카페거리",
        "카페거리",
        "cafe street",
        "Jeongja-dong cafe street",
        "jeongja kape geori",
        "カフェ通り",
        "咖啡街",
    ],
)
def test_a_cafe_street_in_an_address(
    make: Maker, names: Callable[[str], list[str]], keyword: str
) -> None:
    district = make.region("성남시 분당구", parent=make.region("경기도", level="sido"))
    dong = make.region("정자동", level="dong", parent=district)
    make.shop(
        "달빛", sigungu_id=district, dong_id=dong, road_address="경기도 성남시 분당구 카페거리 3"
    )
    make.shop("별빛", sigungu_id=district, dong_id=dong)
    assert names(keyword) == ["달빛"]


@pytest.mark.parametrize("keyword", ["먹자골목", "강남역 먹자골목", "food alley", "gangnam station food street", "meokja golmok", "美食街"])  # fmt: skip
def test_a_food_alley_in_a_name(
    make: Maker, names: Callable[[str], list[str]], keyword: str
) -> None:
    make.station("강남", at=AT_GANGNAM)
    make.shop("하루필름 강남먹자골목점")
    make.shop("하루필름 강남점")
    assert names(keyword) == ["하루필름 강남먹자골목점"]
