"""The fast path of read operations bypasses Flask, but behaves like a request that Flask serves."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import parse_qs, quote

import psycopg2
import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import example, given
from hypothesis import strategies as st

from geoshops import create_app
from geoshops.database.pool import Database
from geoshops.web.parsing import parse_query
from geoshops.web.service import Service
from tests.conftest import SECRET_KEY
from tests.make import GANGNAM, Maker

AROUND = "/shops/brand?userLat=37.5&userLng=127.03&mapLat=37.4979&mapLng=127.0276"
USER = "userLat=37.5&userLng=127.03"
READS = {
    "shops.list_shops_around": AROUND,
    "shops.list_meeting_shops": "/shops/meet?at=127,37.5&at=127.1,37.5",
    "shops.list_opening_hours": "/shops/hours?id=1",
    "shops.get_shop": f"/shops/1?{USER}",
    "search.list_shops_by_keyword": f"/shops?keyword={quote('강남')}&{USER}",
    "search.suggest_shops": f"/shops/suggest?q={quote('강')}&{USER}",
    "reviews.list_shop_reviews": "/reviews/shop/1",
    "reviews.list_own_reviews": "/reviews/member?page=1&size=2",
    "favorites.list_favorites": f"/favorites?{USER}",
    "shops.list_brands": "/brands",
    "reviews.get_review": "/reviews/1",
    "members.get_member": "/member/info",
    "members.is_nickname_free": f"/member/nickname?nickname={quote('새이름')}",
    "members.export_member": "/member/export",
    "titles.list_member_titles": "/member-titles",
    "titles.get_member_title": "/member-titles/1",
    "auth.list_sessions": "/auth/sessions",
    "tiles.describe_shop_tiles": "/tiles/shops.json",
    "tiles.get_shop_tile": "/tiles/shops/0/0/0.mvt",
    "ogc.landing_page": "/ogc",
    "ogc.conformance": "/ogc/conformance",
    "ogc.list_collections": "/ogc/collections",
    "ogc.get_shops": "/ogc/collections/shops",
    "ogc.get_shop_queryables": "/ogc/collections/shops/queryables",
    "ogc.list_shop_items": "/ogc/collections/shops/items",
    "ogc.get_shop_item": "/ogc/collections/shops/items/1",
    "ogc.get_regions": "/ogc/collections/regions",
    "ogc.get_region_queryables": "/ogc/collections/regions/queryables",
    "ogc.list_region_items": "/ogc/collections/regions/items",
    "ogc.get_region_item": "/ogc/collections/regions/items/1",
    "ogc.get_stations": "/ogc/collections/stations",
    "ogc.get_station_queryables": "/ogc/collections/stations/queryables",
    "ogc.list_station_items": "/ogc/collections/stations/items",
    "ogc.get_station_item": "/ogc/collections/stations/items/1",
}
CORNERS = [[127, 37], [128, 37], [128, 38], [127, 37]]
BY_SHAPE = {
    "shops.list_shops_within": ("/shops/within", {"type": "Polygon", "coordinates": [CORNERS]}),
    "shops.list_shops_along": ("/shops/along", {"type": "LineString", "coordinates": CORNERS}),
}
MEDIA_TYPES = {
    "tiles.get_shop_tile": "application/vnd.mapbox-vector-tile",
    **{
        f"ogc.{operation}": media
        for name in ("shop", "region", "station")
        for operation, media in (
            (f"list_{name}_items", "application/geo+json"),
            (f"get_{name}_item", "application/geo+json"),
            (f"get_{name}_queryables", "application/schema+json"),
        )
    },
}


class FlaskRequests:
    """Counts the requests that reach Flask."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        original = Service.request_context

        def counting(app: Service, environ: dict[str, Any]) -> Any:
            self.count += 1
            return original(app, environ)

        monkeypatch.setattr(Service, "request_context", counting)


@pytest.fixture
def flask_requests(monkeypatch: pytest.MonkeyPatch) -> FlaskRequests:
    return FlaskRequests(monkeypatch)


@pytest.fixture
def member(app: Flask, make: Maker) -> dict[str, str]:
    """The headers of a member with a favorite and reviews of a shop among several."""
    make.brand("인생네컷")
    make.station("강남", at=GANGNAM)
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


def create_client(service_url: str, **settings: Any) -> FlaskClient:
    """A client of a separate application with these settings."""
    base = {"database_url": service_url, "secret_key": SECRET_KEY, "testing": True}
    return create_app(base | settings).test_client()


@pytest.mark.parametrize("accept", ["*/*", "*/*;q=0.9, text/html;q=0.1"])
def test_reads_are_served_without_flask(
    client: FlaskClient, member: dict[str, str], flask_requests: FlaskRequests, accept: str
) -> None:
    headers = {**member, "Accept": accept, "X-Request-ID": "same"}
    for endpoint, path in READS.items():
        response = client.get(path, headers=headers)
        assert (response.status_code, len(response.data) > 1) == (200, True), endpoint
        assert response.mimetype == MEDIA_TYPES.get(endpoint, "application/json"), endpoint
        assert response.headers["X-Request-ID"] == "same", endpoint
        head = client.head(path, headers=headers)
        assert (head.status_code, head.data) == (200, b""), endpoint
        assert list(head.headers) == list(response.headers), endpoint
        assert flask_requests.count == 0, endpoint


@pytest.mark.parametrize("endpoint", BY_SHAPE)
@pytest.mark.parametrize("media_type", ["application/json", "application/geo+json"])
def test_reads_with_a_body_are_served_without_flask(
    client: FlaskClient, member: dict[str, str], flask_requests: FlaskRequests, endpoint: str, media_type: str
) -> None:  # fmt: skip
    address, shape = BY_SHAPE[endpoint]
    headers = {**member, "Accept": media_type, "X-Request-ID": "same"}
    response = client.post(f"{address}?{USER}", json=shape, headers=headers)
    assert (response.status_code, response.mimetype) == (200, media_type)
    assert response.headers["X-Request-ID"] == "same" and "ETag" not in response.headers
    assert response.headers["Cache-Control"] == "private, no-cache"
    # authentication is checked first, then the query, then the body
    bad = client.post(f"{address}?userLat=x", data=b"{", headers=headers)
    assert bad.get_json()["error_message"].startswith("[userLat] ")
    broken = client.post(f"{address}?userLat=x", data=b"{", headers={"Authorization": "Bearer x"})
    assert (broken.status_code, broken.request.input_stream.read()) == (401, b"")
    assert flask_requests.count == 0
    for method in ("GET", "HEAD", "PUT"):
        wrong = client.open(address, method=method)
        assert (wrong.status_code, wrong.allow.as_set()) == (405, {"options", "post"})


def test_every_read_operation_is_tested(app: Flask) -> None:
    views = app.view_functions.items()
    assert {name for name, view in views if hasattr(view, "read_operation")} == {*READS, *BY_SHAPE}
    contracts = {name: view.contract for name, view in views if hasattr(view, "contract")}
    reads = {name for name, contract in contracts.items() if not contract.is_command}
    # it calls the identity provider, which needs Flask's application context
    assert reads - {*READS, *BY_SHAPE} == {"auth.start_sign_in"}


PATHS = (
    ("/shops/1", 200, False), ("/shops/1/", 200, False), ("/shops/01", 200, False), ("/shops/4711", 404, False),
    ("/shops/99999999999999999999", 404, False), ("/shops//1", 308, True), ("/shops/1//", 308, True), ("/shops/-1", 404, True),
    ("/shops/x", 404, True), ("/shops/%EA%B0%95", 404, True), ("/shops/1/x", 404, True), ("/nothing", 404, True),
)  # fmt: skip


def test_paths_are_routed_as_flask_routes_them(
    client: FlaskClient, member: dict[str, str], flask_requests: FlaskRequests
) -> None:
    for path, status, served_by_flask in PATHS:
        flask_requests.count = 0
        response = client.get(path, headers=member)
        routed = response.status_code, flask_requests.count == 1
        assert routed == (status, served_by_flask), path


@pytest.mark.parametrize("method", ["POST", "OPTIONS", "PUT"])
def test_other_methods_are_served_by_flask(
    client: FlaskClient, flask_requests: FlaskRequests, method: str
) -> None:
    response = client.open("/shops/suggest", method=method)
    assert response.status_code == (200 if method == "OPTIONS" else 405)
    assert flask_requests.count == 1


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("userLat=37.5", "200"), ("userLat=undefined&userLng=null", "200"), ("userLat=&userLng=", "200"), ("a", "200"), ("&", "200"),
        ("userLat=37.5&userLat=37.5", "002"), ("userLat=%ff", "002"), ("userLat=%ED%A0%80", "002"), ("userLat=x&userLng=y", "002"),
        ("user%4Cat=x", "002"), ("unknown=%ff", "200"),
    ],
)  # fmt: skip
def test_only_declared_parameters_are_checked(
    client: FlaskClient, member: dict[str, str], query: str, code: str
) -> None:
    response = client.get(f"/shops/1?{query}")
    assert response.get_json().get("error_code", "200") == code


def test_raw_bytes_that_are_not_utf_8_are_a_client_error(
    client: FlaskClient, member: dict[str, str]
) -> None:
    for path in ("/shops/1", "/tiles/shops.json"):
        raw = {"QUERY_STRING": "userLat=\xff&brand=\xff"}
        response = client.get(path, environ_overrides=raw)
        assert (response.status_code, response.get_json()["error_code"]) == (400, "002"), path


@given(st.text(alphabet="aB=&+% 1fE\xea\xb0\x95;#", max_size=40))
@example("a=1&a=2&b")
@example("a=%EA%B0%95+b%2B&%EA=%zz&=x")
def test_queries_are_parsed_as_the_standard_library_parses_them(query: str) -> None:
    decoded = query.encode("latin-1").decode(errors="surrogateescape")
    expected = parse_qs(decoded, keep_blank_values=True, errors="surrogateescape")
    assert parse_query(query) == expected


def test_links_of_pages_repeat_the_query(client: FlaskClient, member: dict[str, str]) -> None:
    address = f"{AROUND}&size=2&brand={quote('인생네컷')}&x=%FF&x=2"
    response = client.get(address)
    following = response.headers["Link"].split('>; rel="next"')[0].rpartition("<")[2]
    assert "&x=%FF&" in following and f"brand={quote('인생네컷')}" in following
    first, second = response.get_json(), client.get(following).get_json()
    assert len({shop["id"] for shop in first + second}) == 4


@pytest.mark.parametrize(
    "address", [AROUND, f"/favorites?{USER}", "/shops/1", f"{AROUND}&radius=x"]
)
def test_an_ended_session_is_rejected_before_the_query_is_checked(
    client: FlaskClient, db: Any, member: dict[str, str], address: str
) -> None:
    db.cursor().execute("UPDATE sessions SET ended_at = now()")
    response = client.get(address, headers=member)
    assert (response.status_code, response.get_json()["error_code"]) == (401, "101")


def test_an_unchanged_response_is_304_without_content(
    client: FlaskClient, member: dict[str, str]
) -> None:
    etag = client.get(AROUND).headers["ETag"]
    for sent, status in ((etag, 304), (f'"x", {etag}', 304), ("*", 304), ('"x"', 200)):
        response = client.get(AROUND, headers={"If-None-Match": sent})
        assert (response.status_code, response.headers["ETag"]) == (status, etag), sent
        assert ("Content-Type" in response.headers, bool(response.data)) == (status == 200,) * 2


def test_a_failing_read_is_tried_once(
    client: FlaskClient, database_url: str, member: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    statements: list[str] = []
    original = Database.row
    monkeypatch.setattr(
        Database, "row", lambda self, text, *more: (statements.append(text), original(self, text, *more))[1]
    )  # fmt: skip
    locker = psycopg2.connect(database_url)
    try:
        locker.cursor().execute("LOCK TABLE shops IN ACCESS EXCLUSIVE MODE")
        response = client.get(AROUND)
    finally:
        locker.close()
    assert (response.status_code, response.headers["Retry-After"], len(statements)) == (503, "1", 1)
    # the circuit breaker stays open for a moment
    deadline = time.monotonic() + 30
    while client.get(AROUND).status_code == 503 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert client.get(AROUND).status_code == 200


def test_a_body_that_nobody_reads_is_drained(client: FlaskClient, member: dict[str, str]) -> None:
    response = client.open("/shops/1", method="GET", data=b"x" * 1000)
    assert response.status_code == 200
    assert response.request.input_stream.read() == b""


ELSEWHERE = ("https://map.example", "https://www.map.example")


@pytest.mark.parametrize("origins", [ELSEWHERE[:1], ELSEWHERE, ("*",)])
@pytest.mark.parametrize("origin", [None, *ELSEWHERE, "https://evil.example"])
@pytest.mark.parametrize("address", [AROUND, "/shops/4711", "/brands", "/nothing"])
def test_cors_is_the_same_for_reads_and_flask(
    service_url: str, origins: Any, origin: str | None, address: str
) -> None:
    client = create_client(service_url, cors_origins=origins)
    response = client.get(address, headers={"Origin": origin} if origin else {})
    allowed = response.headers.get("Access-Control-Allow-Origin")
    if origin is not None:
        assert (allowed in (origin, "*")) == (origin in origins or origins == ("*",))
    if response.status_code == 200:
        assert "Accept, Authorization, Origin" in response.headers.getlist("Vary")


def test_reads_are_counted_once(
    service_url: str, member: dict[str, str], flask_requests: FlaskRequests
) -> None:
    client = create_client(service_url, ratelimit_storage_uri="memory://")

    def left(address: str) -> int:
        response = client.get(address)
        assert response.headers["RateLimit-Policy"] == '"reads";q=600;w=60'
        return int(response.headers["RateLimit"].split("r=")[1].split(";")[0])

    failing = ["/shops/4711", "/shops/brand", f"{AROUND}&brand=%FF", "/auth/authorize?provider=x"]
    counted = [left(address) for address in (AROUND, "/shops/1", *failing)]
    assert counted == [599, 598, 597, 596, 595, 594]
    assert flask_requests.count == 1
    for address, shape in BY_SHAPE.values():
        assert client.post(address, json=shape).headers["RateLimit-Policy"] == '"reads";q=600;w=60'
    for _ in range(592):
        client.get("/shops/1")
    response = client.get("/shops/1")
    assert (response.status_code, response.get_json()["error_code"]) == (429, "429")
    assert response.headers["RateLimit"].startswith('"reads";r=0;t=')
    assert "Retry-After" in response.headers
