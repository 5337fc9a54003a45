"""Tests GET /shops with a keyword: order, filters, pages, the caller's favorites, invalid input."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.geodesy import geodesic_m
from tests.make import Maker

HERE = (127.0276, 37.4979)
AT = {"userLng": HERE[0], "userLat": HERE[1]}
# Longitudes of two points west and east of the user: equally distant, but with computed distances that differ by rounding.
NEARLY_EQUAL = """
SELECT array_agg(lon ORDER BY distance_m DESC)
FROM generate_series(1, 1000) AS step
CROSS JOIN LATERAL (VALUES (%s - step * 0.00037::float8), (%s + step * 0.00037::float8)) AS side (lon)
CROSS JOIN LATERAL (SELECT ST_Distance(point_at(lon, %s), point_at(%s, %s)) AS distance_m) AS measured
GROUP BY step
HAVING max(distance_m) > min(distance_m) AND max(distance_m) < min(distance_m) + 1e-6
ORDER BY step LIMIT 1"""


def get_shops(client: FlaskClient, keyword: str, **more: Any) -> Any:
    response = client.get("/shops", query_string={"keyword": keyword, **AT, **more})
    assert response.status_code == 200, response.text
    return response


def names(client: FlaskClient, keyword: str, **more: Any) -> list[str]:
    return [shop["place_name"] for shop in get_shops(client, keyword, **more).json]


def error_code(client: FlaskClient, path: str = "/shops", **query: Any) -> tuple[int, str]:
    response = client.get(path, query_string=query)
    return response.status_code, response.json["error_code"]


def east(metres: float) -> tuple[float, float]:
    return HERE[0] + metres / 88_350, HERE[1]


def test_exact_names_come_before_prefixes_and_other_matches_each_by_distance(
    client: FlaskClient, make: Maker
) -> None:
    make.shop("달빛 사진관", at=east(3000))
    make.shop("달빛 사진관 2호점", at=east(2000))
    make.shop("달빛 사진관 3호점", at=east(1500))
    make.shop("우리동네 달빛 사진관", at=east(100))
    make.shop("별빛 사진관", at=east(10))
    assert names(client, "달빛 사진관") == [
        "달빛 사진관", "달빛 사진관 3호점", "달빛 사진관 2호점", "우리동네 달빛 사진관",
    ]  # fmt: skip


def test_the_id_breaks_ties_of_distance(client: FlaskClient, make: Maker) -> None:
    shop_ids = [make.shop("달빛 사진관") for _ in range(5)]
    assert [shop["id"] for shop in get_shops(client, "달빛").json] == shop_ids


def test_distances_that_differ_by_rounding_are_equal(client: FlaskClient, make: Maker) -> None:
    ((farther_first,),) = make.rows(NEARLY_EQUAL, HERE[0], HERE[0], HERE[1], *HERE)
    shop_ids = [make.shop("달빛 사진관", at=(lon, HERE[1])) for lon in farther_first]
    assert [shop["id"] for shop in get_shops(client, "달빛").json] == shop_ids
    around = {"mapLng": HERE[0], "mapLat": HERE[1], "radius": 100000, "allBrands": "true", **AT}
    assert [shop["id"] for shop in client.get("/shops/brand", query_string=around).json] == shop_ids


def test_closed_shops_are_excluded_and_temporarily_closed_ones_included(
    client: FlaskClient, make: Maker
) -> None:
    make.shop("달빛 사진관", status="CLOSED")
    resting = make.shop("달빛 사진관", status="TEMP_CLOSED")
    assert [(shop["id"], shop["status"]) for shop in get_shops(client, "달빛").json] == [
        (resting, "TEMP_CLOSED")
    ]


def test_a_list_is_truncated_to_the_nearest_three_hundred(client: FlaskClient, make: Maker) -> None:
    rng = random.Random(5)
    brand = make.brand()
    for number in range(420):
        make.shop(
            f"인생네컷 {number}호점",
            brand_id=brand,
            at=(rng.uniform(126, 129), rng.uniform(34, 38)),
        )
    response = get_shops(client, "인생네컷")
    assert response.headers["X-Result-Truncated"] == "true"
    rows = make.rows("SELECT id, ST_X(geog::geometry), ST_Y(geog::geometry) FROM shops")
    nearest = sorted((geodesic_m(*HERE, lon, lat), id) for id, lon, lat in rows)[:300]
    assert [shop["id"] for shop in response.json] == [id for _, id in nearest]


@pytest.mark.parametrize("sort", ["rating", "reviews", "favorites"])
def test_sorting_is_applied_before_the_list_is_truncated(
    client: FlaskClient, make: Maker, sort: str
) -> None:
    for number in range(301):
        make.shop(f"달빛 사진관 {number}호점", at=east(100 + number))
    counts = {"review_cnt": 9, "star_rating_sum": 45, "favorite_cnt": 9}
    best = make.shop("달빛 사진관 본점", at=east(9000), **counts)
    response = get_shops(client, "달빛", sort=sort)
    assert (response.json[0]["id"], len(response.json)) == (best, 300)
    assert response.headers["X-Result-Truncated"] == "true"
    assert response.json[:20] == get_shops(client, "달빛", sort=sort, page=1).json


def test_pages_report_the_total_count(client: FlaskClient, make: Maker) -> None:
    for number in range(7):
        make.shop(f"달빛 사진관 {number}호점", at=east(number * 100))
    response = get_shops(client, "달빛", page=2, size=3)
    assert [shop["place_name"] for shop in response.json] == [
        f"달빛 사진관 {n}호점" for n in (3, 4, 5)
    ]
    assert response.headers["X-Total-Count"] == "7"
    assert 'rel="next"' in response.headers["Link"]


def test_filters_orders_and_the_box(client: FlaskClient, make: Maker) -> None:
    near = make.shop("달빛 하나", at=east(100), review_cnt=2, star_rating_sum=6, favorite_cnt=9)
    far = make.shop("달빛 둘", at=east(900), review_cnt=5, star_rating_sum=24)
    none = make.shop("달빛 셋", at=east(5000))

    def ids(**more: Any) -> list[int]:
        return [shop["id"] for shop in get_shops(client, "달빛", **more).json]

    assert ids() == [near, far, none]
    assert ids(sort="rating") == [far, near, none]
    assert ids(sort="reviews") == [far, near, none]
    assert ids(sort="favorites") == [near, far, none]
    assert ids(minRating="4.5") == [far]
    assert ids(minRating="0") == [near, far, none]
    assert ids(bbox=f"{HERE[0]},37,{HERE[0] + 0.02},38") == [near, far]


def test_a_filter_that_no_shop_passes_does_not_start_typo_correction(
    client: FlaskClient, make: Maker
) -> None:
    make.shop("달빛네컷 강남점")
    make.shop("달빛네켓 역삼점", review_cnt=1, star_rating_sum=5)
    assert names(client, "달빛네컷", minRating=4) == []


def test_the_caller_sees_favorites_and_an_ended_session_is_401(
    client: FlaskClient, make: Maker, app: Any
) -> None:
    member, shop = make.member(), make.shop("달빛 사진관")
    make.favorite(member, shop)
    headers = make.bearer(app, member)
    query = {"keyword": "달빛", **AT}
    assert client.get("/shops", query_string=query, headers=headers).json[0]["favorite"] is True
    assert client.get("/shops", query_string=query).json[0]["favorite"] is False
    make.sql("UPDATE sessions SET ended_at = now()")
    response = client.get("/shops", query_string=query, headers=headers)
    assert (response.status_code, response.json["error_code"]) == (401, "101")


def test_geojson_by_accept(client: FlaskClient, make: Maker) -> None:
    make.shop("달빛 사진관")
    response = client.get(
        "/shops", query_string={"keyword": "달빛", **AT}, headers={"Accept": "application/geo+json"}
    )
    assert response.json["features"][0]["properties"]["place_name"] == "달빛 사진관"


def test_explain_reports_meaning_pass_and_rank(client: FlaskClient, make: Maker) -> None:
    seoul = make.region("서울특별시", level="sido")
    gangnam = make.region("강남구", parent=seoul)
    brand = make.brand("포토이즘")
    make.shop("포토이즘 역삼점", brand_id=brand, sido_id=seoul, sigungu_id=gangnam)
    body = get_shops(client, "강남 포토이즌", explain="true").json
    assert body["pass"] == "typo"
    assert body["understood"] == [
        {"text": "강남", "kind": "region", "ids": [gangnam], "names": ["강남구"]},
        {"text": "포토이즘", "kind": "brand", "ids": [brand], "names": ["포토이즘"]},
    ]
    assert body["shops"][0]["why"] == {"place": 1, "tier": 4, "match": "typo"}
    nothing = get_shops(client, "없는말", explain="true").json
    assert (nothing["pass"], nothing["shops"]) == ("none", [])
    assert nothing["understood"] == [{"text": "없는말", "kind": "rest", "ids": [], "names": []}]


def test_explain_writes_letters_as_they_were_typed_and_each_id_once(
    client: FlaskClient, make: Maker
) -> None:
    seoul = make.region("서울특별시", level="sido")
    gangnam = make.region("강남구", parent=seoul)
    make.region_alias(gangnam, "강남", "short")
    brand = make.brand("포토이즘")
    make.shop("포토이즘 홍대점", brand_id=brand, sido_id=seoul, sigungu_id=gangnam)
    understood = get_shops(client, "ㅍㅌㅇㅈ 강남 홍ㄷ", explain="true").json["understood"]
    assert [piece["text"] for piece in understood] == ["ㅍㅌㅇㅈ", "강남", "홍ㄷ"]
    assert [piece["ids"] for piece in understood] == [[brand], [gangnam], []]
    odd = get_shops(client, "ㅘ ㄳ", explain="true").json["understood"]
    assert [piece["text"] for piece in odd] == ["ㅘ", "ㄳ"]


def test_a_name_of_a_township_and_a_station_is_the_station_unless_its_county_is_named(
    client: FlaskClient, make: Maker
) -> None:
    gangwon = make.region("강원특별자치도", level="sido")
    chuncheon = make.region("춘천시", parent=gangwon)
    township = make.region("서면", level="dong", parent=chuncheon)
    make.station("서면", at=(129.0592, 35.1578))
    make.shop("부전점", at=(129.0600, 35.1580))
    make.shop(
        "박사마을점", at=(127.66, 37.90),
        sido_id=gangwon, sigungu_id=chuncheon, dong_id=township, road_address="",
    )  # fmt: skip
    for keyword in ("서면", "서면역"):
        assert names(client, keyword) == ["부전점"], keyword
    for keyword in ("춘천 서면", "강원도 춘천시 서면"):
        assert names(client, keyword) == ["박사마을점"], keyword
    assert get_shops(client, "춘천 서면", explain="true").json["pass"] == "region"


def test_a_city_after_its_province_is_no_station_of_both_names(
    client: FlaskClient, make: Maker
) -> None:
    gyeonggi = make.region("경기도", level="sido")
    make.region("광주광역시", level="sido")
    city = make.region("광주시", parent=gyeonggi)
    make.station("경기광주", at=(127.2585, 37.3990))
    make.shop("역앞점", at=(127.2586, 37.3991), sido_id=gyeonggi, sigungu_id=city)
    make.shop("퇴촌점", at=(127.3200, 37.4700), sido_id=gyeonggi, sigungu_id=city)
    for keyword in ("경기 광주", "경기도 광주", "경기 광주시"):
        assert sorted(names(client, keyword)) == ["역앞점", "퇴촌점"], keyword
    for keyword in ("경기광주", "경기광주역", "경기 광주역"):
        assert names(client, keyword) == ["역앞점"], keyword


def test_new_rows_are_searchable_at_once(client: FlaskClient, make: Maker) -> None:
    seoul = make.region("서울특별시", level="sido")
    shop = make.shop("사진관", sido_id=seoul, road_address="")
    assert names(client, "누리구") == []
    new = make.region("누리구", parent=seoul)
    make.sql("UPDATE shops SET sigungu_id = %s WHERE id = %s", new, shop)
    assert names(client, "서울 누리") == ["사진관"]


@pytest.mark.parametrize("keyword", ["", " ", "\u3000", "\u200b", "\u00a0 \u2003"])
def test_a_blank_keyword_is_002(client: FlaskClient, keyword: str) -> None:
    assert error_code(client, keyword=keyword, **AT) == (400, "002")
    assert error_code(client, "/shops/suggest", q=keyword, **AT) == (400, "002")


@pytest.mark.parametrize("keyword", ["가" * 101, "강남\x00", "강남\n", "\x7f"])
def test_a_long_keyword_and_control_characters_are_002(client: FlaskClient, keyword: str) -> None:
    assert error_code(client, keyword=keyword, **AT) == (400, "002")
    assert error_code(client, "/shops/suggest", q=keyword, **AT) == (400, "002")


def test_a_missing_parameter_is_003_and_named(client: FlaskClient) -> None:
    assert error_code(client, **AT) == (400, "003")
    assert error_code(client, "/shops/suggest", **AT) == (400, "003")
    response = client.get("/shops", query_string={"keyword": " ", "userLat": "1"})
    assert (response.json["error_code"], "[userLng]" in response.json["error_message"]) == (
        "003",
        True,
    )


def random_text(rng: random.Random) -> str:
    """Up to a hundred random characters of all planes, with ligatures, jamo and special characters of SQL and tsquery."""
    kinds = (
        lambda: chr(rng.randrange(0x20, 0x7F)), lambda: chr(rng.randrange(0xAC00, 0xD7A4)),
        lambda: chr(rng.randrange(0x1100, 0x1200)), lambda: chr(rng.randrange(0x3131, 0x318F)),
        lambda: chr(rng.randrange(0xFB00, 0xFE00)), lambda: chr(rng.randrange(0x1F300, 0x1FAFF)),
        lambda: chr(rng.choice([0x300, 0x327, 0x1160, 0xFFA0, 0xFDFA, 0xFFFD, 0x202E, 0x2028, 0xE000, 0x10FFFF])),
        lambda: rng.choice("'\"\\%_:*&|!()<-> \u3000\u00a0\u200d"),
    )  # fmt: skip
    few = rng.sample(kinds, rng.randrange(1, 4))
    return "".join(rng.choice(few)() for _ in range(rng.randrange(1, 101)))


def test_random_unicode_is_never_an_error_and_never_slow(client: FlaskClient, make: Maker) -> None:
    make.shop("인생네컷 강남역점", road_address="서울특별시 강남구 테헤란로 1")
    make.region("강남구", parent=make.region("서울특별시", level="sido"))
    rng = random.Random(11)
    for _ in range(100):
        text = random_text(rng)
        for path, name in (("/shops", "keyword"), ("/shops/suggest", "q")):
            started = time.perf_counter()
            response = client.get(path, query_string={name: text, **AT})
            assert response.status_code in (200, 400), (text, response.text)
            assert time.perf_counter() - started < 5, text
