"""Favorites over HTTP: adding, removing and listing them."""

from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.counters import assert_exact
from tests.geodesy import distance_text, geodesic_m
from tests.make import GANGNAM, Maker

HERE = "userLat=37.4979&userLng=127.0276"
SHOP_KEYS = {
    "id", "place_name", "distance", "distance_m", "star_rating_avg", "review_cnt", "favorite_cnt",
    "brand", "longitude", "latitude", "place_address", "status", "shop_titles", "favorite",
}  # fmt: skip


def test_adding_twice_adds_once(app: Flask, client: FlaskClient, make: Maker) -> None:
    shop, headers = make.shop("인생네컷 강남역점", road_address="서울 강남구 1"), make.bearer(app)
    first = client.post(f"/favorites/{shop}", headers=headers)
    assert first.status_code == 201
    assert first.headers["Location"] == f"/favorites/{shop}"
    body = first.get_json()
    assert set(body) == {"id", "shop", "awarded_titles"}
    assert set(body["shop"]) == SHOP_KEYS
    assert (body["shop"]["distance"], body["shop"]["favorite_cnt"]) == ("", 1)
    assert body["shop"]["favorite"] is True
    assert body["shop"]["place_address"] == "서울 강남구 1"
    assert [title["id"] for title in body["awarded_titles"]] == [4]
    again = client.post(f"/favorites/{shop}?{HERE}", headers=headers)
    assert again.status_code == 200
    assert "Location" not in again.headers
    assert again.get_json()["id"] == body["id"]
    assert again.get_json()["shop"]["distance"] == "0m"
    assert again.get_json()["awarded_titles"] == []
    assert make.sql("SELECT count(*) FROM favorites") == 1
    assert_exact(make, shop)


def test_removing_is_idempotent(app: Flask, client: FlaskClient, make: Maker) -> None:
    shop, headers = make.shop(), make.bearer(app)
    make.favorite(make.member(), shop)
    client.post(f"/favorites/{shop}", headers=headers)
    for _ in range(2):
        response = client.delete(f"/favorites/{shop}", headers=headers)
        assert response.status_code == 200
        assert response.get_json() == {"shop_id": shop, "favorite": False, "favorite_cnt": 1}
    assert_exact(make, shop)


def test_unknown_shops_are_not_found(app: Flask, client: FlaskClient, make: Maker) -> None:
    headers = make.bearer(app)
    for method in ("POST", "DELETE"):
        for shop in ("999999", str(2**63 - 1), str(2**63), "x"):
            response = client.open(f"/favorites/{shop}", method=method, headers=headers)
            assert (response.status_code, response.get_json()["error_code"]) == (404, "404")


def test_the_list_is_newest_first_with_distances(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    member = make.member()
    headers = make.bearer(app, member)
    places = {"가": GANGNAM, "나": (127.04, 37.51), "다": (129.04, 35.11)}
    shops = {name: make.shop(name, at=at) for name, at in places.items()}
    for shop in shops.values():
        client.post(f"/favorites/{shop}", headers=headers)
    make.favorite(make.member(), shops["가"])
    items = client.get(f"/favorites?{HERE}", headers=headers).get_json()
    assert [item["shop"]["place_name"] for item in items] == ["다", "나", "가"]
    for item in items:
        assert set(item) == {"id", "shop"}
        assert set(item["shop"]) == SHOP_KEYS
        lon, lat = places[item["shop"]["place_name"]]
        expected = geodesic_m(lon, lat, *GANGNAM)
        assert item["shop"]["distance"] == distance_text(expected)
        assert item["shop"]["distance_m"] == int(expected + 0.5)
    assert items[2]["shop"]["favorite_cnt"] == 2
    client.post(f"/favorites/{shops['가']}", headers=headers)
    names = [
        i["shop"]["place_name"] for i in client.get(f"/favorites?{HERE}", headers=headers).json
    ]
    assert names == ["다", "나", "가"], "adding again must not move it"
    client.delete(f"/favorites/{shops['가']}", headers=headers)
    client.post(f"/favorites/{shops['가']}", headers=headers)
    names = [
        i["shop"]["place_name"] for i in client.get(f"/favorites?{HERE}", headers=headers).json
    ]
    assert names == ["가", "다", "나"]


def test_closed_shops_stay_in_the_list(app: Flask, client: FlaskClient, make: Maker) -> None:
    member = make.member()
    shop = make.shop()
    make.favorite(member, shop)
    make.sql("UPDATE shops SET status = 'CLOSED'")
    items = client.get(f"/favorites?{HERE}", headers=make.bearer(app, member)).get_json()
    assert [item["shop"]["status"] for item in items] == ["CLOSED"]


def test_searches_and_details_show_whether_a_shop_is_a_favorite(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    shop, headers = make.shop(), make.bearer(app)
    around = f"/shops/brand?{HERE}&mapLat=37.4979&mapLng=127.0276"
    for method, is_favorite in (("POST", True), ("DELETE", False)):
        client.open(f"/favorites/{shop}", method=method, headers=headers)
        for shown in (
            client.get(around, headers=headers).get_json()[0],
            client.get(f"/shops/{shop}", headers=headers).get_json(),
        ):
            assert (shown["favorite"], shown["favorite_cnt"]) == (is_favorite, int(is_favorite))
        assert client.get(around).get_json()[0]["favorite"] is False


@pytest.mark.parametrize(
    ("query", "expected", "name"),
    [
        ("", "003", "userLat"),
        ("userLng=127", "003", "userLat"),
        ("userLat=37", "003", "userLng"),
        ("userLat=&userLng=127", "003", "userLat"),
        ("userLat=nan&userLng=127", "002", "userLat"),
        ("userLat=127&userLng=37", "002", "userLat"),
        ("userLat=37&userLng=181", "002", "userLng"),
        ("userLat=37&userLng=127&page=0", "002", "page"),
        ("userLat=37&userLng=127&size=101", "002", "size"),
    ],
)
def test_invalid_queries_are_rejected(
    app: Flask, client: FlaskClient, make: Maker, query: str, expected: str, name: str
) -> None:
    response = client.get(f"/favorites?{query}", headers=make.bearer(app))
    assert (response.status_code, response.get_json()["error_code"]) == (400, expected)
    assert response.get_json()["error_message"].startswith(f"[{name}]")


def test_pages_and_the_limit_of_a_thousand(app: Flask, client: FlaskClient, make: Maker) -> None:
    member = make.member()
    headers = make.bearer(app, member)
    make.shop()
    make.sql(
        "INSERT INTO shops (place_name, geog) SELECT 's' || n, 'SRID=4326;POINT(127 37)'"
        " FROM generate_series(1, 1000) n"
    )
    make.sql(
        "INSERT INTO favorites (member_id, shop_id, created_at)"
        " SELECT %s, id, now() + id * interval '1 s' FROM shops",
        member,
    )
    whole = client.get(f"/favorites?{HERE}", headers=headers)
    assert len(whole.get_json()) == 1000
    assert whole.headers["X-Result-Truncated"] == "true"
    last = client.get(f"/favorites?{HERE}&page=11&size=100", headers=headers)
    assert len(last.get_json()) == 1
    assert last.headers["X-Total-Count"] == "1001"
    assert "X-Total-Count-Capped" not in last.headers
    assert 'rel="prev"' in last.headers["Link"]


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", f"/favorites?{HERE}"), ("POST", "/favorites/1"), ("DELETE", "/favorites/1")],
)
def test_every_endpoint_needs_an_active_session(
    app: Flask, client: FlaskClient, make: Maker, method: str, path: str
) -> None:
    shop, member = make.shop(), make.member()
    headers = make.bearer(app, member)
    make.favorite(member, shop)
    assert client.open(path, method=method).get_json()["error_code"] == "100"
    make.sql("UPDATE sessions SET expires_at = created_at + interval '1 us'")
    ended = client.open(path, method=method, headers=headers)
    assert (ended.status_code, ended.get_json()["error_code"]) == (401, "101")
    assert make.sql("SELECT count(*) FROM favorites") == 1
    assert_exact(make, shop)


def test_responses_are_never_cached(app: Flask, client: FlaskClient, make: Maker) -> None:
    response = client.get(f"/favorites?{HERE}", headers=make.bearer(app))
    assert response.headers["Cache-Control"] == "no-store"


def test_a_response_405_lists_the_allowed_methods(client: FlaskClient, make: Maker) -> None:
    response = client.get("/favorites/1")
    assert response.status_code == 405
    assert {"POST", "DELETE"} <= {m.strip() for m in response.headers["Allow"].split(",")}
