"""Tests invalid values of every parameter of the shop endpoints: the documented error code, never a 500."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from tests.make import Maker

AROUND = {"userLat": "37.5", "userLng": "127", "mapLat": "37.5", "mapLng": "127"}
KEYWORD = {"keyword": "강남", "userLat": "37.5", "userLng": "127"}
COORDINATES = ("userLat", "userLng", "mapLat", "mapLng")

ODD_NUMBERS = [
    "nan", "NaN", "-nan", "inf", "-inf", "Infinity", "1e400", "1_0", "１２７", "0x10", "1,5", "1.", ".5",
    "--1", "1e", "+1", "abc", "1 2", "٣٧", "\x00", "1\x00", "37.5\n", "1" * 5000, "9" * 20, "$", "1;2",
    "'; DROP TABLE shops; --",
]  # fmt: skip
ODD_TEXTS = ["\x00", "a\x00b", "a\x1fb", "\x7f", "\n"]
BLANK_TEXTS = ["", " ", "\u3000", "\u200b", "\ufeff \u2060", "\u00a0", "\t", "\r\n", "\u3000\n\u200b\x85"]  # fmt: skip
HOSTILE_TEXTS = [
    "'", '"', "\\", "%", "_", "';--", "{0}", "%s", "%(a)s", "<b>", "😀", "👨‍👩‍👧‍👦", "a" * 100, "Ω≈ç√", "a\u202eb", "🇰🇷", "[]",
    "$1", "\\x00", "NULL", "a'||'b",
]  # fmt: skip


def assert_rejected(
    client: FlaskClient, path: str, query: dict[str, object], code: str, name: str
) -> None:
    response = client.get(path, query_string=query)
    assert response.status_code == 400, (query, response.data)
    body = response.get_json()
    assert set(body) == {"error_code", "error_message"}
    assert (body["error_code"], f"[{name}]" in body["error_message"]) == (code, True), (query, body)


@pytest.mark.parametrize(
    "name", [*COORDINATES, "radius", "page", "size", "minRating", "clean", "retouch", "props"]
)
def test_odd_numbers_are_002(client: FlaskClient, name: str) -> None:
    for value in ODD_NUMBERS:
        assert_rejected(client, "/shops/brand", {**AROUND, name: value}, "002", name)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("userLat", ["90.0000001", "-91"]),
        ("mapLng", ["180.0001", "-181", "540"]),
        ("radius", ["0", "-1", "1.5", "2e3", "20040001", "99999999999999999999"]),
        ("page", ["0", "-1", "10001"]),
        ("size", ["0", "101"]),
        ("minRating", ["-1", "5.1"]),
        ("sort", ["", "nearest", "DISTANCE"]),
        ("openNow", ["yes", "2", "TRUE"]),
        ("bbox", ["", "1,2,3", "1,2,3,4,5", "a,b,c,d", "0,5,1,4", "-181,0,1,1", "nan,0,1,1", "0,-91,1,1"]),
    ],
)  # fmt: skip
def test_values_out_of_range_are_002(client: FlaskClient, name: str, values: list[str]) -> None:
    for value in values:
        if not (name == "openNow" and value == ""):
            assert_rejected(client, "/shops/brand", {**AROUND, name: value}, "002", name)


@pytest.mark.parametrize("path_query", [("/shops/brand", AROUND), ("/shops", KEYWORD)])
def test_missing_parameters_are_reported_before_invalid_ones_in_order(
    client: FlaskClient, path_query: tuple[str, dict[str, str]]
) -> None:
    path, query = path_query
    for missing in query:
        others = {name: "bad\x00" for name in query if name != missing}
        assert_rejected(client, path, others, "003", missing)
    for first, second in zip(list(query), list(query)[1:], strict=False):
        rest = {k: v for k, v in query.items() if k not in (first, second)}
        assert_rejected(client, path, rest, "003", first)


def test_an_empty_number_is_missing_and_a_blank_text_is_blank(client: FlaskClient) -> None:
    for name in COORDINATES:
        assert_rejected(client, "/shops/brand", {**AROUND, name: ""}, "003", name)
        assert_rejected(client, "/shops/brand", {**AROUND, name: "undefined"}, "002", name)
    for blank in BLANK_TEXTS:
        response = client.get("/shops", query_string={**KEYWORD, "keyword": blank})
        assert response.get_json() == {
            "error_code": "002",
            "error_message": "[keyword] must not be blank",
        }


def test_repeated_parameters_are_002(client: FlaskClient) -> None:
    for name in (*COORDINATES, "radius", "brand", "sort", "page", "bbox"):
        response = client.get(f"/shops/brand?{name}=1&{name}=1", query_string=None)
        assert response.get_json()["error_code"] == "003"
        query = "&".join(f"{k}={v}" for k, v in AROUND.items() if k != name)
        response = client.get(f"/shops/brand?{query}&{name}=1&{name}=1")
        assert (
            response.get_json()["error_code"] == "002"
            and name in response.get_json()["error_message"]
        )


def test_a_blank_brand_is_as_omitted(client: FlaskClient, make: Maker) -> None:
    make.brand()
    make.shop(at=(float(AROUND["mapLng"]), float(AROUND["mapLat"])))
    for blank in BLANK_TEXTS:
        response = client.get("/shops/brand", query_string={**AROUND, "brand": blank})
        assert (response.status_code, len(response.get_json())) == (200, 1), blank


def test_bad_characters_in_texts_are_002(client: FlaskClient) -> None:
    for text in ODD_TEXTS:
        response = client.get("/shops", query_string={**KEYWORD, "keyword": f"강{text}남"})
        assert response.get_json()["error_code"] == "002"
        response = client.get("/shops/brand", query_string={**AROUND, "brand": f"인{text}"})
        assert response.get_json()["error_code"] == "002"
    for raw in ("%ff", "%ed%a0%80", "%c0%80"):
        response = client.get(f"/shops?keyword={raw}&userLat=1&userLng=1")
        assert response.status_code in (200, 400)


def test_hostile_texts_are_literal(client: FlaskClient, make: Maker) -> None:
    make.brand()
    make.shop("평범한 점포")
    for text in HOSTILE_TEXTS:
        response = client.get("/shops", query_string={**KEYWORD, "keyword": text})
        assert (response.status_code, response.get_json()) == (200, []), text
        response = client.get("/shops/brand", query_string={**AROUND, "brand": text})
        assert response.get_json()["error_code"] == "002"
    assert_rejected(client, "/shops", {**KEYWORD, "keyword": "가" * 101}, "002", "keyword")


def test_swapped_coordinates_are_named(client: FlaskClient) -> None:
    query = {**AROUND, "userLat": "127", "userLng": "37.5"}
    message = client.get("/shops/brand", query_string=query).get_json()["error_message"]
    assert message.startswith("[userLat]") and "swapped" in message
    korean = client.get(
        "/shops/brand", query_string=query, headers={"Accept-Language": "ko-KR,ko;q=0.9"}
    )
    assert "위도와 경도" in korean.get_json()["error_message"]


@pytest.mark.parametrize("path", ["/shops/0", "/shops/9223372036854775807", "/shops/9223372036854775808",
                                  "/shops/" + "9" * 5000, "/shops/abc", "/shops/-1", "/shops/１", "/shops/1.5",
                                  "/shops/%00", "/nope", "/shops/1/2"])  # fmt: skip
def test_ids_that_do_not_exist_are_404(client: FlaskClient, path: str) -> None:
    response = client.get(path)
    assert (response.status_code, response.get_json()["error_code"]) == (404, "404")


def test_methods_and_representations(client: FlaskClient) -> None:
    posted = client.post("/shops/brand")
    assert (posted.status_code, posted.get_json()["error_code"]) == (405, "405")
    assert "GET" in posted.headers["Allow"]
    image = client.get("/shops/brand", query_string=AROUND, headers={"Accept": "image/png"})
    assert (image.status_code, image.get_json()["error_code"]) == (406, "406")
    html = client.get(
        "/shops/brand", query_string=AROUND, headers={"Accept": "text/html,*/*;q=0.1"}
    )
    assert html.status_code == 200


def test_unknown_names_are_ignored(client: FlaskClient) -> None:
    assert client.get("/shops/brand", query_string={**AROUND, "utm_source": "x"}).status_code == 200


@pytest.mark.parametrize(
    ("header", "code"),
    [("Bearer", "101"), ("Bearer x", "101"), ("Basic abc", "101"), ("", "101"), ("Bearer a.b.c", "101"),
     ("Bearer " + "x" * 5000, "101"), ("bearer \x00", "101")],
)  # fmt: skip
def test_a_bad_token_is_401_even_where_none_is_needed(
    client: FlaskClient, header: str, code: str
) -> None:
    response = client.get("/shops/brand", query_string=AROUND, headers={"Authorization": header})
    assert (response.status_code, response.get_json()["error_code"]) == (401, code)


def test_text_that_is_not_utf8_is_002(client: FlaskClient) -> None:
    for odd in ("%FF", "%ED%A0%80", "%C0%AF", "%F8%88%80%80%80"):
        response = client.get("/shops", query_string=f"keyword=a{odd}&userLat=37.5&userLng=127")
        body = response.get_json()
        assert (response.status_code, body["error_code"]) == (400, "002"), odd
        assert "[keyword]" in body["error_message"]
    spelled = client.get("/shops", query_string="keyword=%EF%BF%BD&userLat=37.5&userLng=127")
    assert spelled.status_code == 200
