"""The direct way of plain reading requests: that it is taken, and that the framework's answers the same."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import quote

import psycopg2
import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug.test import TestResponse

from geoshops import create_app
from geoshops.database.pool import Database
from geoshops.web.middleware import Service
from tests.conftest import SECRET_KEY
from tests.make import GANGNAM, Maker

AROUND = "/shops/brand?userLat=37.5&userLng=127.03&mapLat=37.4979&mapLng=127.0276"
USER = "userLat=37.5&userLng=127.03"
# a request with a body is the framework's; an empty one changes nothing
THE_OTHER_WAY = {"CONTENT_LENGTH": "0"}
PLAIN = {
    "shops.list_shops_around": AROUND,
    "shops.get_shop": f"/shops/1?{USER}",
    "search.list_shops_by_keyword": f"/shops?keyword={quote('강남')}&{USER}",
    "search.suggest_shops": f"/shops/suggest?q={quote('강')}&{USER}",
    "reviews.list_shop_reviews": "/reviews/shop/1",
    "reviews.list_own_reviews": "/reviews/member?page=1&size=2",
    "favorites.list_favorites": f"/favorites?{USER}",
}


class Framework:
    """Counts the requests that reach the framework."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached = 0
        original = Service.request_context

        def counting(app: Service, environ: dict[str, Any]) -> Any:
            self.reached += 1
            return original(app, environ)

        monkeypatch.setattr(Service, "request_context", counting)


@pytest.fixture
def framework(monkeypatch: pytest.MonkeyPatch) -> Framework:
    return Framework(monkeypatch)


@pytest.fixture
def member(app: Flask, make: Maker) -> dict[str, str]:
    """The headers of a member with a favorite and reviews of a shop among several."""
    make.brand("인생네컷")
    district = make.region("강남구", parent=make.region("서울특별시", level="sido"))
    places = [(GANGNAM[0] + n / 500, GANGNAM[1]) for n in range(5)]
    shops = [
        make.shop(f"인생네컷 {n}호점", at=at, sigungu_id=district) for n, at in enumerate(places)
    ]
    member = make.member("단골")
    make.favorite(member, shops[0])
    for shop in shops[:3]:
        make.review(member, shop, content="또 올게요")
    make.review(member, shops[0])
    return make.bearer(app, member)


def told(response: TestResponse) -> tuple[int, list[tuple[str, str]], bytes]:
    return response.status_code, list(response.headers), response.get_data()


def ask_both(client: FlaskClient, address: str, headers: dict[str, str]) -> TestResponse:
    """Asks both ways; the answers are the same to the last byte."""
    named = {"X-Request-ID": "same", **headers}
    first = client.get(address, headers=named)
    second = client.get(address, headers=named, environ_overrides=THE_OTHER_WAY)
    assert told(first) == told(second), address
    return first


@pytest.mark.parametrize("endpoint", PLAIN)
def test_plain_requests_are_answered_without_the_framework_and_the_same(
    client: FlaskClient, member: dict[str, str], framework: Framework, endpoint: str
) -> None:
    address = PLAIN[endpoint]
    assert client.get(address, headers=member).status_code == 200
    assert framework.reached == 0
    answer = ask_both(client, address, member)
    assert len(answer.get_json()) > 0 and framework.reached == 1
    assert answer.headers["X-Request-ID"] == "same"


def test_every_reading_operation_is_tried(app: Flask) -> None:
    readings = {name for name, view in app.view_functions.items() if hasattr(view, "reading")}
    assert readings == set(PLAIN)


@pytest.mark.parametrize(
    ("address", "headers"),
    [
        ("/shops/1/", {}), ("//shops/1", {}), ("/shops/01", {}), ("/shops/99999999999999999999", {}), ("/shops/4711", {}),
        ("/shops/1?", {}), ("/shops/1?&", {}), ("/shops/1?a", {}), ("/shops/1?a=", {}), ("/shops/1?userLat=37.5", {}),
        ("/shops/1?userLat=37.5&userLat=37.5", {}), ("/shops/1?userLat=undefined&userLng=null", {}),
        (AROUND + "&radius=200&sort=rating", {}), (AROUND + "&radius=0", {}), (AROUND + "&radius=", {}), (AROUND + "&x=1=2", {}),
        (AROUND + "&page=1&size=2", {}), (AROUND + "&size=2&page=2&sort=reviews&brand=%EC%9D%B8%EC%83%9D%EB%84%A4%EC%BB%B7", {}),
        (AROUND + "&brand=%EC%9D%B8", {}), (AROUND + "&brand=%ff", {}), (AROUND + "&brand=100%25", {}), (AROUND + "&brand=a+b", {}),
        (AROUND + "&brand=%", {}), (AROUND + "&brand=%00", {}), (AROUND + "&brand=%ED%A0%80", {}), (AROUND + "&page=2&x=%41+%2B", {}),
        (AROUND.replace("37.5", "127.0"), {}), ("/shops/brand", {}), (AROUND + "&bbox=126,37,128,38", {}),
        (AROUND, {"Accept": "application/geo+json"}), (AROUND, {"Accept": "text/html"}), (AROUND, {"Accept": "application/json"}),
        (AROUND, {"Authorization": ""}), (AROUND, {"Authorization": "Bearer x.y.z"}), ("/favorites?userLat=1", {}),
        ("/reviews/shop/1?sort=bad", {}), ("/reviews/shop/1", {"Authorization": "Bearer x"}), ("/reviews/shop/0", {}),
        (AROUND, {"Accept-Language": "ko"}), ("/shops/0", {"Accept-Language": "ko"}), (AROUND, {"Host": "shops.example:80"}),
        (AROUND, {"Host": "a b"}), (AROUND, {"Host": ""}), (AROUND, {"Host": "[::1]:8000"}), (AROUND, {"Origin": "https://a.example"}),
        (f"/shops?keyword={quote('강남')}&{USER}&explain=true", {"Accept": "application/geo+json"}),
        (f"/shops?keyword={quote('강남')}&{USER}&page=1&size=1", {}), (f"/shops?keyword=+&{USER}", {}), (f"/shops?keyword=%09&{USER}", {}),
        (f"/shops/suggest?q=%ea&{USER}", {}), (f"/shops/suggest?keyword=a&q=%ea&{USER}", {}), ("/shops/suggest?q=%EA%B0%95", {}),
        ("/shops/suggest?keyword=%EA%B0%95&userLat=37", {}), (f"/shops/suggest?{USER}", {}), ("/shops/suggest?q=&userLat=x", {}),
    ],
)  # fmt: skip
def test_what_is_not_plain_or_refused_is_the_same_too(
    client: FlaskClient, member: dict[str, str], address: str, headers: dict[str, str]
) -> None:
    ask_both(client, address, headers)
    ask_both(client, address, member | headers)


TEXTS = st.sampled_from(
    ["37.5", "127", "-0", "1e2", "", "nan", "undefined", "2000", "1", "rating", "true", "%EA%B0%95", "%2", "a b", "강", "+", "=", "%26"]
)  # fmt: skip
NAMES = st.sampled_from(
    ["userLat", "userLng", "mapLat", "mapLng", "radius", "brand", "page", "size", "sort", "openNow", "keyword", "q", "bbox", "x"]
)  # fmt: skip
WHERE = st.sampled_from([*PLAIN.values(), "/shops/2", "/reviews/shop/2", "/shops/brand", "/shops"])


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(where=WHERE, pairs=st.lists(st.tuples(NAMES, TEXTS), max_size=3), signed=st.booleans())
def test_both_ways_answer_any_query_the_same(
    client: FlaskClient, member: dict[str, str], where: str, pairs: list[Any], signed: bool
) -> None:
    more = "&".join(f"{name}={text}" for name, text in pairs)
    ask_both(client, where + ("&" if "?" in where else "?") + more, member if signed else {})


def test_a_session_that_ended_is_refused_as_ever(
    client: FlaskClient, db: Any, member: dict[str, str]
) -> None:
    db.cursor().execute("UPDATE sessions SET ended_at = now()")
    for address in (AROUND, f"/favorites?{USER}", "/shops/1", AROUND + "&radius=bad"):
        answer = ask_both(client, address, member)
        assert (answer.status_code, answer.get_json()["error_code"]) == (401, "101"), address


def test_what_the_database_does_not_answer_is_asked_once(
    client: FlaskClient, database_url: str, member: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    original = Database.row
    monkeypatch.setattr(
        Database, "row", lambda self, text, *more: (asked.append(text), original(self, text, *more))[1]
    )  # fmt: skip
    locker = psycopg2.connect(database_url)
    try:
        locker.cursor().execute("LOCK TABLE shops IN ACCESS EXCLUSIVE MODE")
        answer = client.get(AROUND)
    finally:
        locker.close()
    assert (answer.status_code, answer.headers["Retry-After"], len(asked)) == (503, "1", 1)
    # the service looks for the lock for a moment after it has met one
    deadline = time.monotonic() + 5
    while client.get(AROUND).status_code == 503 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert client.get(AROUND).status_code == 200


ELSEWHERE = ("https://map.example", "https://www.map.example")


@pytest.mark.parametrize("origins", [ELSEWHERE[:1], ELSEWHERE, ("*",)])
@pytest.mark.parametrize("origin", [None, *ELSEWHERE, "https://evil.example"])
def test_pages_of_other_origins_are_told_the_same(
    service_url: str, member: dict[str, str], framework: Framework, origins: Any, origin: str | None
) -> None:
    settings = {"database_url": service_url, "secret_key": SECRET_KEY, "testing": True}
    client = create_app(settings | {"cors_origins": origins}).test_client()
    answer = ask_both(client, AROUND, {"Origin": origin} if origin else {})
    assert framework.reached == 1
    assert "Accept, Authorization, Origin" in answer.headers.getlist("Vary")
    told = answer.headers.get("Access-Control-Allow-Origin")
    if origin is not None:
        assert (told in (origin, "*")) == (origin in origins or origins == ("*",))


def test_reads_are_counted_once_on_either_way(
    service_url: str, member: dict[str, str], framework: Framework
) -> None:
    settings = {"database_url": service_url, "secret_key": SECRET_KEY, "testing": True}
    client = create_app(settings | {"ratelimit_storage_uri": "memory://"}).test_client()

    def left(address: str) -> int:
        answer = client.get(address)
        assert answer.headers["RateLimit-Policy"] == '"reads";q=600;w=60'
        return int(answer.headers["RateLimit"].split("r=")[1].split(";")[0])

    assert [left(AROUND), left("/shops/1"), framework.reached] == [599, 598, 0]
    refused = [
        left(AROUND + "&brand=%EC%97%86%EC%9D%8C"),
        left("/shops/4711"),
        left("/shops/brand"),
    ]
    assert refused == [597, 596, 595] and framework.reached == 3
    for _ in range(595):
        client.get("/shops/1")
    assert framework.reached == 3
    answer = client.get("/shops/1")
    assert (answer.status_code, answer.get_json()["error_code"]) == (429, "429")
    assert (
        answer.headers["RateLimit"].startswith('"reads";r=0;t=') and "Retry-After" in answer.headers
    )
