"""Tests words around names: sentences, particles, 店, words for stations, streets and photo booths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.make import Maker

AT = {"userLng": 127.0276, "userLat": 37.4979}
Explain = Callable[[str], Any]
STATIONS = {
    "강남": ("江南", "カンナム"), "명동": ("明洞", "ミョンドン"), "성수": ("聖水", "ソンス"), "홍대입구": ("弘大入口", "ホンデイック"),
    "건대입구": ("建大入口", "コンデイック"), "압구정": ("狎鷗亭", "アックジョン"), "이대": ("梨大", "イデ"),
}  # fmt: skip
BRANDS = {
    "인생네컷": ("Life4Cuts", "人生四格", "人生四カット"),
    "포토이즘": ("photoism", "フォトイズム"),
    "오늘의필름": ("today's film", "今日のフィルム"),
}


@pytest.fixture
def explain(make: Maker, client: FlaskClient) -> Explain:
    """Creates shops of each brand at each station and on a street in 압구정; searches a keyword with explain=true."""
    seoul = make.region("서울특별시", level="sido")
    gangnam = make.region("강남구", parent=seoul)
    brands = {}
    for name, aliases in BRANDS.items():
        brands[name] = make.brand(name)
        for alias in aliases:
            make.brand_alias(brands[name], alias)
    for number, (name, aliases) in enumerate(STATIONS.items()):
        at = (127 + number / 10, 37.5)
        station = make.station(name, at=at)
        for alias, lang in zip(aliases, ("zh-Hant", "ja"), strict=True):
            make.insert("station_aliases", station_id=station, alias=alias, lang=lang)
        district = gangnam if name in ("강남", "압구정") else None
        for brand, brand_id in brands.items():
            make.shop(
                f"{brand} {name}점", at=at, brand_id=brand_id, sido_id=seoul, sigungu_id=district
            )
    make.shop("포토이즘 압구정로데오점", at=(127.5, 37.5), brand_id=brands["포토이즘"], sido_id=seoul, sigungu_id=gangnam)  # fmt: skip
    make.shop("인생네컷 홍대 2호점", at=(127.3, 37.5), brand_id=brands["인생네컷"], sido_id=seoul)
    make.shop("인생네컷 명동본점", at=(127.1, 37.5), brand_id=brands["인생네컷"], sido_id=seoul)

    def get_explanation(keyword: str) -> Any:
        response = client.get("/shops", query_string={"keyword": keyword, "explain": "true", **AT})
        assert response.status_code == 200, response.text
        return response.get_json()

    return get_explanation


def understood_names(body: Any) -> set[str]:
    return {name for x in body["understood"] for name in x["names"]}


@pytest.mark.parametrize(
    ("keyword", "names"),
    [
        ("photo booth in gangnam district", {"강남구"}),
        ("best self photo studio near myeongdong station", {"명동역"}),
        ("best photo booths in seongsu seoul korea", {"성수역", "서울특별시"}),
        ("life four cuts photo booth near gangnam station exit 11", {"인생네컷", "강남역"}),
        ("where is the nearest photo booth in hongdae", {"홍대입구역"}),
        ("명동 무인사진관 24시간", {"명동역"}),
        ("강남역 24시 무인셀프사진관 추천", {"강남역"}),
        ("明洞のフォトイズム", {"명동역", "포토이즘"}),
        ("カンナムの人生四カット", {"강남구", "인생네컷"}),
        ("ホンデのフォトイズム", {"홍대입구역", "포토이즘"}),
        ("弘大附近的人生四格", {"홍대입구역", "인생네컷"}),
        ("人生四格弘大店", {"홍대입구역", "인생네컷"}),
        ("弘大大头贴", {"홍대입구역"}),
        ("明洞大頭貼", {"명동역"}),
        ("弘大拍照", {"홍대입구역"}),
        ("明洞写真館", {"명동역"}),
        ("ソンスのプリクラ", {"성수역"}),
        ("フォトイズム 明洞店", {"포토이즘", "명동역"}),
        ("人生四格 明洞店", {"인생네컷", "명동역"}),
        ("人生四カット 弘大店", {"인생네컷", "홍대입구역"}),
        ("明洞の今日のフィルム", {"명동역", "오늘의필름"}),
        ("ソンス 今日のフィルム", {"성수역", "오늘의필름"}),
        ("カンナムえき", {"강남역"}),
        ("ミョンドンヨク", {"명동역"}),
        ("みょんどんよく", {"명동역"}),
        ("江南地铁站", {"강남역"}),
        ("江南地下鉄駅", {"강남역"}),
        ("ホンデ入口", {"홍대입구역"}),
        ("コンデ入口駅", {"건대입구역"}),
        ("ide station", {"이대역"}),
        ("insaeng four cuts hongdae", {"인생네컷", "홍대입구역"}),
        ("홍데", {"홍대입구역"}),
        ("건데 포토이즘", {"건대입구역", "포토이즘"}),
        ("ホンデで友達とプリ撮れる場所", {"홍대입구역"}),
        ("明洞プリ撮れる店", {"명동역"}),
        ("明洞旅行 プリクラ", {"명동역"}),
        ("明洞有四格照片吗", {"명동역"}),
        ("弘大有没有拍大头贴的地方", {"홍대입구역"}),
        ("去明洞玩 附近有人生四格吗", {"명동역", "인생네컷"}),
        ("성수 네컷 찾아가는길", {"성수역"}),
        ("포토이즘 성수 가는 길", {"성수역", "포토이즘"}),
        ("성수신도시 포토이즘", {"성수역", "포토이즘"}),
    ],
)
def test_names_are_understood_and_nothing_is_left_out(
    explain: Explain, keyword: str, names: set[str]
) -> None:
    body = explain(keyword)
    assert (understood_names(body), body["ignored"]) == (names, [])
    assert body["shops"]


@pytest.mark.parametrize(
    ("keyword", "shop"),
    [
        ("압구정 로데오거리", "포토이즘 압구정로데오점"), ("로데오거리", "포토이즘 압구정로데오점"), ("アックジョンロデオ", "포토이즘 압구정로데오점"),
        ("Life4Cuts hongdae No. 2", "인생네컷 홍대 2호점"), ("人生四カット 弘大 2号店", "인생네컷 홍대 2호점"),
        ("人生四格 明洞 本店", "인생네컷 명동본점"), ("Life4Cuts Myeongdong Main", "인생네컷 명동본점"),
    ],
)  # fmt: skip
def test_streets_and_branches_are_recognised_as_in_korean(
    explain: Explain, keyword: str, shop: str
) -> None:
    assert [s["place_name"] for s in explain(keyword)["shops"]] == [shop]


@pytest.mark.parametrize(
    "keyword", ["人生四格 なにか", "明洞 なにか", "gangnam photo booth foobar"]
)
def test_other_words_are_reported_as_ignored(explain: Explain, keyword: str) -> None:
    body = explain(keyword)
    assert body["ignored"] == [keyword.split()[-1]]
    assert body["shops"]


@pytest.mark.parametrize("keyword", ["の", "店", "추천", "24시간 무인", "best in the city"])
def test_small_words_alone_find_nothing(explain: Explain, keyword: str) -> None:
    assert explain(keyword)["shops"] == []


@pytest.mark.parametrize(
    "keyword",
    [
        "写真館", "大头贴", "附近", "photo booth", "best photo booth in the city", "photo booth near me", "four cut photo",
        "포토부스", "내 주변", "근처 사진관", "네컷사진", "一番近いプリクラ", "ここから一番近いプリクラ", "私の近くのプリクラ",
    ],
)  # fmt: skip
def test_words_for_photo_booths_alone_find_the_nearest_shops(
    explain: Explain, keyword: str
) -> None:
    body = explain(keyword)
    distances = [s["distance_m"] for s in body["shops"]]
    assert len(distances) == len(STATIONS) * len(BRANDS) + 3
    assert distances == sorted(distances)
    assert body["pass"] == "small words"
