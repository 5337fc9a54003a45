"""Tests malls, parks and other words that other languages translate instead of transcribing (place_words()), and similar sounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.make import GANGNAM, Maker

AT = {"userLng": 127.0276, "userLat": 37.4979}
BRANCHES = (
    "코엑스점", "롯데월드몰점", "스타필드하남점", "스타필드고양점", "타임스퀘어점", "판교현대백화점 2호점", "더현대서울점", "광안리해수욕장점",
    "전주한옥마을점", "여의도한강공원점", "남산서울타워점", "서울대입구점", "고속터미널점", "DDP점", "에버랜드점", "가로수길점", "동성로스파크점", "북촌점", "복정점", "복정역점", "파크랜드점",
    "여주아울렛점", "유성온천점",
)  # fmt: skip
STATIONS = {
    "하남": ((127.22, 37.54), "河南"),
    "판교": ((127.11, 37.39), "板橋"),
    "전주": ((127.15, 35.82), "全州"),
    "서울대입구": ((126.95, 37.48), "首爾大入口"),
    "고속터미널": ((127.0, 37.505), "高速巴士客運站"),
}
# words of the list that are also names of the stations above
STATION_WORDS = ("서울대", "고속터미널")
EXPECTED_BRANCHES = {
    "coex": "코엑스점", "COEX Mall": "코엑스점", "コエックス": "코엑스점", "life4cuts coex": "코엑스점", "coex 인생네컷": "코엑스점",
    "lotte world": "롯데월드몰점", "Lotte World Mall": "롯데월드몰점", "ロッテワールド": "롯데월드몰점", "乐天世界": "롯데월드몰점", "樂天世界": "롯데월드몰점",
    "樂天世界購物中心": "롯데월드몰점", "photo booth near lotte world": "롯데월드몰점", "ロッテワールドのプリクラ": "롯데월드몰점",
    "starfield hanam": "스타필드하남점", "hanam starfield": "스타필드하남점", "スターフィールド ハナム": "스타필드하남점", "スターフィールド河南": "스타필드하남점",
    "times square": "타임스퀘어점", "タイムズスクエア": "타임스퀘어점", "时代广场": "타임스퀘어점",
    "SNU": "서울대입구점", "snu station": "서울대입구점", "高速バスターミナル駅": "고속터미널점", "express bus terminal": "고속터미널점",
    "pangyo hyundai department store": "판교현대백화점 2호점", "板橋現代百貨店": "판교현대백화점 2호점",    "gwangalli beach": "광안리해수욕장점", "広安里": "광안리해수욕장점", "广安里海水浴场": "광안리해수욕장점", "jeonju hanok village": "전주한옥마을점",
    "全州韓屋村": "전주한옥마을점", "namsan tower": "남산서울타워점", "南山塔": "남산서울타워점", "dongdaemun design plaza": "DDP점",
    "Yeoju Premium Outlets": "여주아울렛점", "Yuseong hot springs": "유성온천점", "ブクチョン": "북촌점", "プクチョン": "북촌점", "everland": "에버랜드점", "爱宝乐园": "에버랜드점", "エバーランド": "에버랜드점", "カロスキル": "가로수길점", "かろすきる": "가로수길점", "林荫道": "가로수길점",
}  # fmt: skip
BEGUN = {
    "coex": "코엑스점", "lotte w": "롯데월드몰점", "lotte world mall photobo": "롯데월드몰점", "times sq": "타임스퀘어점", "everl": "에버랜드점", "スターフ": "스타필드고양점", "乐天世": "롯데월드몰점",
}  # fmt: skip


@pytest.fixture
def get_json(make: Maker, client: FlaskClient) -> Callable[..., Any]:
    """Creates a shop at each place; requests GET /shops or GET /shops/suggest with a keyword and returns the body."""
    brand = make.brand("인생네컷")
    make.brand_alias(brand, "Life4Cuts")
    for branch in BRANCHES:
        at = next((at for name, (at, _) in STATIONS.items() if name in branch), GANGNAM)
        make.shop(f"인생네컷 {branch}", brand_id=brand, at=at)
    for name, (at, hanja) in STATIONS.items():
        make.insert("station_aliases", station_id=make.station(name, at=at), alias=hanja, lang="zh-Hant")  # fmt: skip

    def request_json(keyword: str, path: str = "/shops", **more: str) -> Any:
        response = client.get(path, query_string={"keyword": keyword, **AT, **more})
        assert response.status_code == 200, response.text
        return response.json

    return request_json


@pytest.mark.parametrize(("keyword", "branch"), EXPECTED_BRANCHES.items())
def test_a_place_is_found_by_its_foreign_name(
    get_json: Callable[..., Any], keyword: str, branch: str
) -> None:
    assert [shop["place_name"] for shop in get_json(keyword)] == [f"인생네컷 {branch}"]


@pytest.mark.parametrize(
    "keyword",
    [
        "Olympic-ro",
        "olympic ro 300",
        "300 Olympic-ro",
        "オリンピック路",
        "オリンピック路300",
        "奧林匹克路",
    ],
)
def test_a_road_with_a_loan_word_is_found(
    get_json: Callable[..., Any], make: Maker, keyword: str
) -> None:
    make.shop("달빛 송파점", road_address="서울특별시 송파구 올림픽로 300", brand_id=None)
    assert [shop["place_name"] for shop in get_json(keyword)] == ["달빛 송파점"]


@pytest.mark.parametrize(("typed", "branch"), BEGUN.items())
def test_a_begun_place_is_suggested(get_json: Callable[..., Any], typed: str, branch: str) -> None:
    labels = [item["label"] for item in get_json(typed, "/shops/suggest")]
    assert f"인생네컷 {branch}" in labels


def test_the_explanation_names_language_and_spelling(get_json: Callable[..., Any]) -> None:
    body = get_json("ロッテワールド", explain="true")
    assert body["pass"] == "spelling"
    (part,) = body["understood"]
    assert (part["text"], part["lang"], part["matched"]) == (
        "ロッテワールド",
        "ja",
        "ロッテワールド",
    )


@pytest.mark.parametrize("keyword", ["lotte cinema", "rotunda", "airport", "図書館", "シネマ"])
def test_a_place_without_shops_finds_none(get_json: Callable[..., Any], keyword: str) -> None:
    assert get_json(keyword) == []


def test_a_shop_name_takes_precedence_over_a_similar_sound(
    get_json: Callable[..., Any], make: Maker
) -> None:
    province = make.region("경상남도", level="sido")
    make.region("북천면", level="dong", parent=make.region("하동군", parent=province))
    make.region("동성로1가", level="dong", parent=make.region("중구", parent=province))
    assert [shop["place_name"] for shop in get_json("bukchon")] == ["인생네컷 북촌점"]
    assert [shop["place_name"] for shop in get_json("dongseongno")] == ["인생네컷 동성로스파크점"]


def test_an_exact_spelling_is_not_replaced_by_a_similar_sound(
    get_json: Callable[..., Any], make: Maker
) -> None:
    make.station("신촌", at=(129.3, 36.0))
    make.shop("달빛 신천점", brand_id=None)
    assert get_json("sinchon") == []
    assert [shop["place_name"] for shop in get_json("sincheon")] == ["달빛 신천점"]


@pytest.mark.parametrize("lang", ["en", "ja", "zh-Hans", "zh-Hant"])
def test_displayed_words_are_found(make: Maker, get_json: Callable[..., Any], lang: str) -> None:
    """Searches each word of the list as it is displayed in its language."""
    column = lang[:2]
    words = make.rows(
        f"""SELECT DISTINCT ON (spelling) korean, spelling FROM (
          SELECT ltrim(korean, '-') AS korean, hanja_in(split_part({column}, '|', 1), %s) AS spelling, place
          FROM place_words() WITH ORDINALITY AS w (korean, en, ja, zh, place)) AS w ORDER BY spelling, place""",
        lang,
    )
    for number, (korean, _) in enumerate(words):
        make.shop(f"달빛 {number}{korean}점", brand_id=None)
    missed = [
        (korean, written)
        for number, (korean, written) in enumerate(words)
        if f"달빛 {number}{korean}점" not in {shop["place_name"] for shop in get_json(written)}
    ]
    # excluded: ignored kinds of places, and words that are also stations
    assert {korean for korean, _ in missed} <= {"해수욕장", "시청", "한국외대", *STATION_WORDS}
