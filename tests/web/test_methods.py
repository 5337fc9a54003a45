"""What methods mean: HEAD changes nothing, OPTIONS says what there is, authentication comes before content."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.make import Maker


@pytest.mark.parametrize("path", ["/auth/logout", "/auth/login/idp?code=x"])
def test_head_does_not_act(app: Flask, client: FlaskClient, make: Maker, path: str) -> None:
    bearer = make.bearer(app)
    refused = client.head(path, headers=bearer)
    assert refused.status_code == 405
    assert set(refused.headers["Allow"].replace(" ", "").split(",")) == {"GET", "OPTIONS"}
    assert client.get("/member/info", headers=bearer).status_code == 200
    assert make.sql("SELECT count(*) FROM sessions WHERE ended_at IS NOT NULL") == 0


@pytest.mark.parametrize("path", ["/auth/logout", "/auth/login/idp?code=x"])
def test_allow_names_head_only_where_it_is_accepted(client: FlaskClient, path: str) -> None:
    options = client.options(path)
    assert (options.status_code, options.get_json()) == (200, {"methods": ["GET", "OPTIONS"]})
    for answer in (options, *(client.open(path, method=m) for m in ("POST", "PUT", "BREW"))):
        assert set(answer.headers["Allow"].replace(" ", "").split(",")) == {"GET", "OPTIONS"}
    elsewhere = client.post("/member/info")
    assert (elsewhere.status_code, "HEAD" in elsewhere.headers["Allow"]) == (405, True)


def test_head_of_a_read_is_its_get_without_the_body(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    shop = make.shop()
    asked, head = client.get(f"/shops/{shop}"), client.head(f"/shops/{shop}")
    assert (head.status_code, head.data) == (200, b"")
    assert head.headers["ETag"] == asked.headers["ETag"]


def test_options_has_a_body_like_every_response(client: FlaskClient) -> None:
    answer = client.options("/reviews/1")
    body: Any = answer.get_json()
    assert answer.status_code == 200
    assert set(body["methods"]) == {"GET", "HEAD", "OPTIONS", "PATCH", "DELETE"}
    assert set(answer.headers["Allow"].replace(" ", "").split(",")) == set(body["methods"])


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/favorites?userLat=200&userLng=127"),
        ("GET", "/favorites"),
        ("GET", "/reviews/member?page=x"),
        ("POST", "/reviews/shop/1"),
        ("POST", "/shops/1/reports"),
        ("GET", "/shops?keyword=%20&userLat=37&userLng=127"),
    ],
)
def test_signed_out_callers_hear_so_before_their_mistakes(
    app: Flask, client: FlaskClient, make: Maker, method: str, path: str
) -> None:
    bearer = make.bearer(app)
    assert client.get("/auth/logout", headers=bearer).status_code == 200
    answer = client.open(path, method=method, headers=bearer)
    assert (answer.status_code, answer.get_json()["error_code"]) == (401, "101")


def test_only_https_promises_https(client: FlaskClient) -> None:
    assert "Strict-Transport-Security" not in client.get("/healthz").headers
    secure = client.get("/healthz", base_url="https://shops.example")
    assert secure.headers["Strict-Transport-Security"] == "max-age=31536000"


def test_the_document_has_no_schema_that_nothing_uses(client: FlaskClient) -> None:
    text = client.get("/openapi.json").get_data(as_text=True)
    names = client.get("/openapi.json").get_json()["components"]["schemas"]
    assert [name for name in names if f"#/components/schemas/{name}" not in text] == []
