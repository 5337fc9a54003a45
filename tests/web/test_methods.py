"""HTTP methods: HEAD changes nothing, OPTIONS lists the methods, authentication is checked before the input."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.make import Maker


@pytest.mark.parametrize("path", ["/auth/logout", "/auth/login/idp?code=x"])
def test_head_of_a_command_is_rejected_and_changes_nothing(
    app: Flask, client: FlaskClient, make: Maker, path: str
) -> None:
    bearer = make.bearer(app)
    response = client.head(path, headers=bearer)
    assert response.status_code == 405
    assert set(response.headers["Allow"].replace(" ", "").split(",")) == {"GET", "OPTIONS"}
    assert client.get("/member/info", headers=bearer).status_code == 200
    assert make.sql("SELECT count(*) FROM sessions WHERE ended_at IS NOT NULL") == 0


@pytest.mark.parametrize("path", ["/auth/logout", "/auth/login/idp?code=x"])
def test_allow_names_head_only_where_it_is_accepted(client: FlaskClient, path: str) -> None:
    options = client.options(path)
    assert (options.status_code, options.get_json()) == (200, {"methods": ["GET", "OPTIONS"]})
    for response in (options, *(client.open(path, method=m) for m in ("POST", "PUT", "BREW"))):
        assert set(response.headers["Allow"].replace(" ", "").split(",")) == {"GET", "OPTIONS"}
    elsewhere = client.post("/member/info")
    assert (elsewhere.status_code, "HEAD" in elsewhere.headers["Allow"]) == (405, True)


def test_head_of_a_read_is_its_get_without_the_body(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    shop = make.shop()
    get, head = client.get(f"/shops/{shop}"), client.head(f"/shops/{shop}")
    assert (head.status_code, head.data) == (200, b"")
    assert head.headers["ETag"] == get.headers["ETag"]


def test_options_has_a_body_like_every_response(client: FlaskClient) -> None:
    response = client.options("/reviews/1")
    body: Any = response.get_json()
    assert response.status_code == 200
    assert set(body["methods"]) == {"GET", "HEAD", "OPTIONS", "PATCH", "DELETE"}
    assert set(response.headers["Allow"].replace(" ", "").split(",")) == set(body["methods"])


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
def test_authentication_is_checked_before_the_input(
    app: Flask, client: FlaskClient, make: Maker, method: str, path: str
) -> None:
    bearer = make.bearer(app)
    assert client.get("/auth/logout", headers=bearer).status_code == 200
    response = client.open(path, method=method, headers=bearer)
    assert (response.status_code, response.get_json()["error_code"]) == (401, "101")


def test_hsts_is_sent_only_over_https(client: FlaskClient) -> None:
    assert "Strict-Transport-Security" not in client.get("/healthz").headers
    secure = client.get("/healthz", base_url="https://shops.example")
    assert secure.headers["Strict-Transport-Security"] == "max-age=31536000"


def test_the_document_has_no_schema_that_nothing_uses(client: FlaskClient) -> None:
    text = client.get("/openapi.json").get_data(as_text=True)
    names = client.get("/openapi.json").get_json()["components"]["schemas"]
    assert [name for name in names if f"#/components/schemas/{name}" not in text] == []
