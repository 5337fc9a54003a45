"""Bodies of reviews: invalid ones are rejected with the right error code, valid text is returned unchanged."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.counters import assert_exact
from tests.make import Maker

GOOD = {"star_rating": 5, "content": "좋아요"}

TEXTS = [
    "a",
    "가" * 4000,
    "😀" * 4000,
    "  가장자리 빈칸  ",
    "줄\n바꿈\r\n과\t탭",
    "<script>alert('x')</script><b>&amp;</b>",
    "'; DROP TABLE reviews; --",
    "100%_\\ %s %(x)s {0} {name} $1 :id",
    "👨‍👩‍👧‍👦 🏳️‍🌈 👩🏽‍🚀",
    "مرحبا بالعالم \u202eשלום\u202c",
    "e\u0301 é ﬁ ① ＡＢＣ",
    "하\u1112\u1161\u11ab",
    "\u200b보이는 글\u200b",
    "𝒳𝕐 \U0010ffff \uffff",
    '"quoted" \\ back/slash \u2028\u2029',
    "null",
    "0",
]

BLANKS = [
    "", " ", "\t\r\n ", "\u3000", "\u00a0\u2003", "\u200b", "\u200b \u200b \ufeff", "\u2060\u3164\u00ad",
    "\u200e\u202e", "\ufe0f",
]  # fmt: skip

BAD_VALUES: list[tuple[str, Any]] = [
    *[("star_rating", v) for v in (0, 6, -1, 10**30, "5", 4.0, 4.5, 1e0, True, False, [], [5], {}, "", "five")],
    *[("content", v) for v in (5, 1.5, True, [], ["a"], {}, {"a": "b"}, *BLANKS)],
    ("content", "a" * 4001),
    ("content", "nul\x00"),
    ("content", "bell\x07"),
    ("content", "c1\x85"),
    ("content", "del\x7f"),
    ("content", "lone \ud800 surrogate"),
    ("content", "\udfff"),
    *[(facet, v) for facet in ("purity", "retouch", "item")
      for v in ("good", "BEST", "", " GOOD", 1, True, [], ["GOOD"], {}, "GOOD\x00", "\ud800")],
    ("star_rating", None),
    ("content", None),
]  # fmt: skip


@pytest.fixture
def shop(make: Maker) -> int:
    return make.shop()


@pytest.fixture
def headers(app: Flask, make: Maker) -> dict[str, str]:
    return make.bearer(app)


def post(client: FlaskClient, shop: int, headers: dict[str, str], body: object) -> TestResponse:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return client.post(
        f"/reviews/shop/{shop}", data=raw, headers=headers, content_type="application/json"
    )


def code(response: TestResponse) -> tuple[int, str]:
    return response.status_code, response.get_json()["error_code"]


@pytest.mark.parametrize("text", TEXTS)
def test_text_is_returned_unchanged(
    client: FlaskClient, shop: int, headers: dict[str, str], text: str
) -> None:
    response = post(client, shop, headers, {**GOOD, "content": text})
    assert response.status_code == 201, response.text
    review = response.get_json()["review_info"]
    assert review["content"] == text
    assert client.get(f"/reviews/{review['id']}").get_json()["review_info"]["content"] == text
    listed = client.get(f"/reviews/shop/{shop}").get_json()
    assert listed[0]["review_info"]["content"] == text
    reversed_text = text[::-1] if len(text) < 4000 else text
    changed = client.patch(
        f"/reviews/{review['id']}", json={**GOOD, "content": reversed_text}, headers=headers
    )
    assert changed.get_json()["review_info"]["content"] == reversed_text


@pytest.mark.parametrize(("field", "value"), BAD_VALUES)
def test_invalid_values_are_rejected_with_the_name_of_the_field(
    client: FlaskClient, make: Maker, shop: int, headers: dict[str, str], field: str, value: Any
) -> None:
    review = post(client, shop, headers, GOOD).get_json()["review_info"]["id"]
    body = json.dumps({**GOOD, field: value}).encode()
    for response in (
        post(client, shop, headers, body),
        client.patch(
            f"/reviews/{review}", data=body, headers=headers, content_type="application/json"
        ),
    ):
        assert code(response) == (400, "002"), response.text
        assert response.get_json()["error_message"].startswith(f"[{field}] ")
    assert make.rows("SELECT star_rating, content FROM reviews") == [(5, "좋아요")]
    assert_exact(make, shop)


@pytest.mark.parametrize("missing", ["star_rating", "content"])
def test_missing_fields_are_reported_before_invalid_ones(
    client: FlaskClient, shop: int, headers: dict[str, str], missing: str
) -> None:
    body = {"star_rating": 99, "content": "", "purity": "?"}
    del body[missing]
    response = post(client, shop, headers, body)
    assert code(response) == (400, "003")
    assert response.get_json()["error_message"] == f"[{missing}] required parameter is missing"
    assert code(post(client, shop, headers, {"x": 1})) == (400, "003")


def test_an_empty_object_is_rejected_with_the_name_of_the_first_field(
    client: FlaskClient, make: Maker, shop: int, headers: dict[str, str]
) -> None:
    response = post(client, shop, headers, b"{}")
    assert code(response) == (400, "003")
    assert response.get_json()["error_message"].startswith("[star_rating]")


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"null",
        b'"text"',
        b"{",
        b'{"star_rating":5,"content":"a"',
        b"\xff\xfe",
        b'{"star_rating":5,"content":"\xed\xa0\x80"}',
        b'{"star_rating":NaN,"content":"a"}',
        b'{"star_rating":' + b"9" * 5000 + b',"content":"a"}',
        b"[" * 30_000,
        b'{"a":' * 10_000,
        b"star_rating=5&content=a",
    ],
)
def test_bodies_that_are_not_a_json_object_are_rejected(
    client: FlaskClient, make: Maker, shop: int, headers: dict[str, str], raw: bytes
) -> None:
    assert code(post(client, shop, headers, raw)) == (400, "001")
    assert make.sql("SELECT count(*) FROM reviews") == 0


def test_deep_json_in_a_field_is_rejected(
    client: FlaskClient, shop: int, headers: dict[str, str]
) -> None:
    for depth in (10, 500, 20_000):
        raw = b'{"star_rating":5,"content":' + b"[" * depth + b"]" * depth + b"}"
        assert code(post(client, shop, headers, raw))[0] == 400


def test_large_bodies_are_413(client: FlaskClient, shop: int, headers: dict[str, str]) -> None:
    assert code(post(client, shop, headers, b" " * 65_537)) == (413, "413")
    huge = b'{"star_rating":5,"content":"' + b"a" * 30_000_000 + b'"}'
    assert code(post(client, shop, headers, huge)) == (413, "413")


@pytest.mark.parametrize(("size", "expected"), [(1000, 201), (65_536, 413), (1_000_000, 413)])
def test_chunked_bodies_have_the_same_limit(
    client: FlaskClient, shop: int, headers: dict[str, str], size: int, expected: int
) -> None:
    response = client.post(
        f"/reviews/shop/{shop}",
        input_stream=io.BytesIO(json.dumps(GOOD).encode().ljust(size)),
        headers=headers,
        content_type="application/json",
        environ_overrides={"wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"},
    )
    assert response.status_code == expected, response.text


def test_another_content_type_is_rejected(
    client: FlaskClient, shop: int, headers: dict[str, str]
) -> None:
    body = json.dumps(GOOD)
    path = f"/reviews/shop/{shop}"
    as_text = client.post(path, data=body, headers=headers, content_type="text/plain")
    assert code(as_text) == (415, "415")
    assert client.post(path, data=body, headers=headers).status_code == 201
    with_charset = client.post(
        path, data=body, headers=headers, content_type="application/json; charset=utf-8"
    )
    assert with_charset.status_code == 201


def test_unknown_keys_have_no_effect(
    client: FlaskClient, make: Maker, shop: int, headers: dict[str, str]
) -> None:
    other = make.member()
    response = post(
        client,
        shop,
        headers,
        {
            **GOOD,
            "id": 4711,
            "member_id": other,
            "shop_id": 99,
            "create_date": [2000, 1, 1, 0, 0, 0],
            "created_at": "2000-01-01",
            "hidden_at": "2000-01-01",
            "review_cnt": 50,
        },
    )
    assert response.status_code == 201
    created = response.get_json()
    assert created["review_info"]["id"] != 4711
    assert created["member_info"]["id"] != other
    assert created["shop_info"]["id"] == shop
    assert created["review_info"]["create_date"][0] > 2000
    assert_exact(make, shop)


def test_facets_that_are_null_count_as_omitted(
    client: FlaskClient, shop: int, headers: dict[str, str]
) -> None:
    body = {**GOOD, "purity": None, "retouch": "UNSELECTED", "item": "GOOD"}
    info = post(client, shop, headers, body).get_json()["review_info"]
    assert (info["purity"], info["retouch"], info["item"]) == ("UNSELECTED", "UNSELECTED", "GOOD")


def test_body_errors_come_before_not_found_and_not_author(
    app: Flask, client: FlaskClient, make: Maker, shop: int, headers: dict[str, str]
) -> None:
    assert code(post(client, 999_999, headers, {**GOOD, "star_rating": 9})) == (400, "002")
    review = make.review(make.member(), shop)
    incomplete = client.patch(f"/reviews/{review}", json={"star_rating": 5}, headers=headers)
    assert code(incomplete) == (400, "003")


def test_messages_are_korean_on_request(
    client: FlaskClient, shop: int, headers: dict[str, str]
) -> None:
    korean = {**headers, "Accept-Language": "ko-KR,ko;q=0.9"}
    response = post(client, shop, korean, {**GOOD, "content": " "})
    assert response.get_json()["error_message"] == "[content] 값은 비워 둘 수 없어요"
    response = client.delete("/reviews/9999", headers=korean)
    assert response.get_json()["error_message"] == "리뷰를 찾을 수 없어요"
