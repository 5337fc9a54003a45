"""Tests GET /shops/brand: results, order, format."""

from __future__ import annotations

import json

import pytest
from flask.testing import FlaskClient

from geoshops import geo
from geoshops.web.paging import ItemList
from tests.grid import points
from tests.make import GANGNAM, Maker

HERE = {"userLng": 127.0276, "userLat": 37.4979, "mapLng": 127.0276, "mapLat": 37.4979}
SUMMARY = {
    "id", "place_name", "longitude", "latitude", "distance", "distance_m", "star_rating_avg",
    "review_cnt", "favorite_cnt", "brand", "place_address", "favorite", "status", "shop_titles",
}  # fmt: skip


def names(response: object) -> list[str]:
    return [shop["place_name"] for shop in response.get_json()]  # type: ignore[attr-defined]


def at(user: tuple[float, float], center: tuple[float, float], **more: object) -> dict[str, object]:
    return {
        "userLng": user[0], "userLat": user[1], "mapLng": center[0], "mapLat": center[1], **more,
    }  # fmt: skip


def test_an_empty_database_returns_an_empty_array(client: FlaskClient) -> None:
    response = client.get("/shops/brand", query_string=HERE)
    assert (response.status_code, response.get_json()) == (200, [])


def test_every_field_of_the_specification_is_there(client: FlaskClient, make: Maker) -> None:
    make.brand("인생네컷")
    make.shop("인생네컷 강남역점", road_address="서울 강남구 강남대로 396")
    (shop,) = client.get("/shops/brand", query_string=HERE).get_json()
    assert set(shop) == SUMMARY
    assert shop["longitude"] == "127.0276" and shop["latitude"] == "37.4979"
    assert shop["distance"] == "0m" and shop["distance_m"] == 0
    assert shop["star_rating_avg"] == 0.0 and shop["favorite"] is False
    assert shop["brand"]["brand_name"] == "인생네컷"
    assert shop["brand"]["file_path"].startswith("http://localhost/brands/")
    assert client.get(shop["brand"]["file_path"]).mimetype == "image/svg+xml"


def test_search_orders_by_distance_from_the_user_then_id(client: FlaskClient, make: Maker) -> None:
    make.brand()
    spots = points(["a . b . u", ". . . . .", "c . . . ."], step_m=100)
    for name in ("c", "b", "a"):
        make.shop(name, at=spots[name])
    make.shop("a2", at=spots["a"])
    response = client.get("/shops/brand", query_string=at(spots["u"], spots["a"]))
    assert names(response) == ["b", "a", "a2", "c"]


def test_the_circle_is_around_the_map_centre_and_inclusive(
    client: FlaskClient, make: Maker
) -> None:
    make.brand()
    spots = points(["a b c u"], step_m=1000)
    for name in ("a", "b", "c"):
        make.shop(name, at=spots[name])
    inside = client.get("/shops/brand", query_string=at(spots["u"], spots["a"], radius=1001))
    assert names(inside) == ["b", "a"]
    assert names(client.get("/shops/brand", query_string=at(spots["u"], spots["a"]))) == [
        "c",
        "b",
        "a",
    ] or (geo.geodesic_m(*spots["a"], *spots["c"]) > 2000)


def test_only_representative_brands_by_default(client: FlaskClient, make: Maker) -> None:
    photoism = make.brand("포토이즘")
    box = make.brand("포토이즘박스", representative=False, parent_id=photoism)
    other = make.brand("비룸", representative=False)
    make.insert("brand_aliases", brand_id=photoism, alias="Photoism")
    make.shop("포토이즘 본점", brand_id=photoism)
    make.shop("포토이즘박스 본점", brand_id=box)
    make.shop("비룸 본점", brand_id=other)
    make.shop("이름 없는 점포", brand_id=None)
    both = ["포토이즘 본점", "포토이즘박스 본점"]
    assert names(client.get("/shops/brand", query_string=HERE)) == both
    for text in ("포토이즘", " photoISM ", "ＰＨＯＴＯＩＳＭ"):
        assert names(client.get("/shops/brand", query_string={**HERE, "brand": text})) == both
    assert (
        names(client.get("/shops/brand", query_string={**HERE, "brand": "포토이즘박스"}))
        == both[1:]
    )
    assert names(client.get("/shops/brand", query_string={**HERE, "brand": "비룸"})) == [
        "비룸 본점"
    ]
    every = client.get("/shops/brand", query_string={**HERE, "allBrands": "true"})
    assert len(every.get_json()) == 4
    assert every.get_json()[3]["brand"] == {"brand_name": "", "file_path": ""}


def test_an_unknown_brand_is_rejected_and_the_four_are_named(
    client: FlaskClient, make: Maker
) -> None:
    for name in ("인생네컷", "하루필름"):
        make.brand(name)
    response = client.get("/shops/brand", query_string={**HERE, "brand": "없는브랜드"})
    assert response.status_code == 400 and response.get_json()["error_code"] == "002"
    assert "인생네컷, 하루필름" in response.get_json()["error_message"]


def test_a_blank_brand_and_radius_are_as_omitted(client: FlaskClient, make: Maker) -> None:
    make.brand()
    make.shop()
    for more in (
        {"brand": ""},
        {"brand": " 　"},
        {"radius": ""},
        {"radius": "undefined"},
        {"radius": "null"},
    ):
        assert len(client.get("/shops/brand", query_string={**HERE, **more}).get_json()) == 1


def test_closed_shops_are_excluded_and_temporarily_closed_ones_included(
    client: FlaskClient, make: Maker
) -> None:
    make.brand()
    make.shop("쉼", status="TEMP_CLOSED")
    make.shop("닫음", status="CLOSED")
    (shop,) = client.get("/shops/brand", query_string=HERE).get_json()
    assert (shop["place_name"], shop["status"]) == ("쉼", "TEMP_CLOSED")


def test_counters_average_and_favorite_are_live(
    client: FlaskClient, make: Maker, app: object
) -> None:
    make.brand()
    shop_id = make.shop()
    make.sql("UPDATE shops SET review_cnt = 4, star_rating_sum = 13 WHERE id = %s", shop_id)
    member = make.member()
    make.favorite(member, shop_id)
    headers = make.bearer(app, member)
    (shop,) = client.get("/shops/brand", query_string=HERE, headers=headers).get_json()
    assert (shop["star_rating_avg"], shop["review_cnt"], shop["favorite_cnt"]) == (3.3, 4, 1)
    assert shop["favorite"] is True
    (anonymous,) = client.get("/shops/brand", query_string=HERE).get_json()
    (other,) = client.get("/shops/brand", query_string=HERE, headers=make.bearer(app)).get_json()
    assert anonymous["favorite"] is False and other["favorite"] is False


def test_an_ended_session_is_rejected_at_once(
    client: FlaskClient, make: Maker, app: object
) -> None:
    headers = make.bearer(app)
    assert client.get("/shops/brand", query_string=HERE, headers=headers).status_code == 200
    make.sql("UPDATE sessions SET ended_at = now()")
    rejected = client.get("/shops/brand", query_string=HERE, headers=headers)
    assert rejected.status_code == 401 and rejected.get_json()["error_code"] == "101"
    assert 'error="invalid_token"' in rejected.headers["WWW-Authenticate"]


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("distance", ["near", "mid", "far", "new"]),
        ("rating", ["far", "mid", "near", "new"]),
        ("reviews", ["mid", "far", "near", "new"]),
        ("favorites", ["near", "mid", "far", "new"]),
    ],
)
def test_sort(client: FlaskClient, make: Maker, sort: str, order: list[str]) -> None:
    make.brand()
    spots = points(["n m f x"], step_m=50)
    figures = {"near": (2, 4, 9), "mid": (9, 27, 3), "far": (3, 15, 1), "new": (0, 0, 0)}
    for (name, (reviews, stars, favorites)), spot in zip(figures.items(), "nmfx", strict=True):
        make.shop(
            name, at=spots[spot], review_cnt=reviews, star_rating_sum=stars, favorite_cnt=favorites
        )
    query = at(spots["n"], spots["n"], sort=sort)
    assert names(client.get("/shops/brand", query_string=query)) == order


@pytest.mark.parametrize(
    ("cnt", "average"), [(25, "4.4"), (50, "1.1"), (25, "2.2"), (90, "2.7"), (50, "4.9"), (3, "5")]
)
def test_an_average_of_the_least_rating_passes(
    client: FlaskClient, make: Maker, cnt: int, average: str
) -> None:
    make.shop(brand_id=make.brand(), review_cnt=cnt, star_rating_sum=round(cnt * float(average)))
    (shop,) = client.get("/shops/brand", query_string={**HERE, "minRating": average}).json
    assert shop["star_rating_avg"] == float(average)


def test_filters(client: FlaskClient, make: Maker) -> None:
    make.brand()
    always = [{"day": day, "open": "00:00", "close": "24:00"} for day in range(1, 8)]
    good = make.shop("좋음", review_cnt=10, star_rating_sum=45, opening_hours=always)
    make.shop("모름")
    poor = make.shop("나쁨", review_cnt=10, star_rating_sum=20, opening_hours=[])
    make.insert(
        "shop_stats", shop_id=good, star_5=10, purity_good=10, retouch_good=9, retouch_bad=1
    )
    make.insert("shop_stats", shop_id=poor, star_2=10, purity_good=2, purity_bad=8, item_good=10)
    expected = {
        ("minRating", "4.5"): ["좋음"],
        ("minRating", "4.6"): [],
        ("minRating", "2"): ["좋음", "나쁨"],
        ("minRating", "0"): ["좋음", "모름", "나쁨"],
        ("openNow", "true"): ["좋음"],
        ("clean", "0.7"): ["좋음"],
        ("clean", "0.73"): [],  # Wilson's lower bound of 10 of 10 is 0.722
        ("retouch", "0.59"): ["좋음"],  # of 9 of 10 it is 0.596
        ("retouch", "0.6"): [],
        ("props", "0.5"): ["나쁨"],
    }
    for (name, value), wanted in expected.items():
        response = client.get("/shops/brand", query_string={**HERE, name: value})
        assert names(response) == wanted, (name, value)


def test_a_box_needs_no_radius(client: FlaskClient, make: Maker) -> None:
    make.brand()
    make.shop("서쪽 끝", at=(179.9, -17.0))
    make.shop("동쪽 끝", at=(-179.9, -17.0))
    make.shop("멀리", at=(170.0, -17.0))
    box = client.get("/shops/brand", query_string={**HERE, "bbox": "179,-18,-179,-16"})
    assert sorted(names(box)) == ["동쪽 끝", "서쪽 끝"]
    plain = client.get("/shops/brand", query_string={**HERE, "bbox": "170,-17,179.9,-17"})
    assert sorted(names(plain)) == ["멀리", "서쪽 끝"]
    both = at((179.9, -17.0), (179.9, -17.0), bbox="-180,-90,180,90", radius=30000)
    assert names(client.get("/shops/brand", query_string=both)) == ["서쪽 끝", "동쪽 끝"]


def test_pages_cover_the_list_without_overlap(client: FlaskClient, make: Maker) -> None:
    make.brand()
    ids = [make.shop(f"점포 {n}", at=(127.0276, 37.4979 + n * 1e-5)) for n in range(45)]
    seen: list[int] = []
    for page in (1, 2, 3):
        response = client.get("/shops/brand", query_string={**HERE, "page": page})
        seen += [shop["id"] for shop in response.get_json()]
        assert response.headers["X-Total-Count"] == "45"
    assert seen == ids
    links = response.headers["Link"]
    assert 'rel="first"' in links and 'rel="prev"' in links and 'rel="next"' not in links
    beyond = client.get("/shops/brand", query_string={**HERE, "page": 4})
    assert beyond.get_json() == []
    too_deep = client.get("/shops/brand", query_string={**HERE, "page": 101, "size": 100})
    assert too_deep.get_json()["error_code"] == "002"


def test_the_filtered_form_writes_the_same_bytes(client: FlaskClient, make: Maker) -> None:
    make.brand()
    for n in range(30):
        make.shop(
            f"점포 {n % 7}",
            at=(127.0276 + n % 5 * 1e-4, 37.4979),
            review_cnt=n,
            star_rating_sum=3 * n,
        )
        make.shop(f"맞은편 {n}", at=(127.0276 - n % 5 * 1e-4, 37.4979))
    plain = client.get("/shops/brand", query_string=HERE)
    filtered = client.get("/shops/brand", query_string={**HERE, "page": 1, "size": 100})
    assert plain.data == filtered.data


def test_the_id_breaks_ties_of_distance_in_different_directions(
    client: FlaskClient, make: Maker
) -> None:
    make.brand()
    for n in range(200, 0, -1):
        for side in (1, -1):
            make.shop(at=(round(127.0276 + side * n * 1e-5, 7), 37.4979))
    shops = client.get("/shops/brand", query_string=HERE).get_json()
    ids = [shop["id"] for shop in shops]
    assert len(ids) == 400
    assert all(west == east + 1 for east, west in zip(ids[::2], ids[1::2], strict=True))


def test_geojson_has_the_same_shops(client: FlaskClient, make: Maker) -> None:
    make.brand()
    make.shop()
    plain = client.get("/shops/brand", query_string=HERE).get_json()
    response = client.get(
        "/shops/brand", query_string=HERE, headers={"Accept": "application/geo+json"}
    )
    assert response.mimetype == "application/geo+json"
    collection = json.loads(response.data)
    assert collection["type"] == "FeatureCollection"
    assert [f["properties"] for f in collection["features"]] == plain
    assert collection["features"][0]["geometry"]["coordinates"] == list(GANGNAM)


def test_names_cannot_break_the_json(client: FlaskClient, make: Maker) -> None:
    make.brand('따옴표 " 역슬래시 \\ \u2028')
    odd = 'a"b\\c</script>\u2028😀\t'
    make.shop(odd, road_address=odd)
    (shop,) = client.get("/shops/brand", query_string=HERE).get_json()
    assert shop["place_name"] == odd and shop["place_address"] == odd


def test_a_truncated_search_keeps_the_lower_id_of_equal_distances(make: Maker) -> None:
    # mirrored places: their computed distances differ by less than a nanometre, and the first is larger
    ids = [make.shop(at=(lon, 37.5)) for lon in (126.999, 127.001)]
    metres = [
        make.sql("SELECT ST_Distance(geog, point_at(127, 37.5)) FROM shops WHERE id = %s", id)
        for id in ids
    ]
    assert metres[0] > metres[1]
    text = make.sql(
        "SELECT shops_around(127, 37.5, 127, 37.5, 2000, NULL, '', 1, all_brands => true)"
    )
    items = ItemList.parse(text.encode())
    assert items.truncated
    assert [shop["id"] for shop in json.loads(items.body)] == ids[:1]
