"""The map page's refresh token: stored in a cookie for the path /auth, and never sent in a body."""

from __future__ import annotations

from collections.abc import Callable
from http.cookies import Morsel, SimpleCookie
from typing import Any

from flask.testing import FlaskClient

from tests.auth.conftest import bearer

Start = Callable[..., dict[str, str]]
PAGE = {"X-Token-Storage": "cookie"}


def cookie(response: Any) -> Morsel[str]:
    return SimpleCookie(response.headers["Set-Cookie"])["refresh_token"]


def test_the_page_gets_its_refresh_token_in_a_cookie_and_apps_in_the_body(
    web: FlaskClient, start: Start
) -> None:
    signed_in = web.get("/auth/login/idp", query_string=start(), headers=PAGE)
    assert set(signed_in.json) == {"access_token", "expires_in"}
    morsel = cookie(signed_in)
    assert (morsel["path"], morsel["samesite"], morsel["httponly"]) == ("/auth", "Strict", True)
    assert 29 * 86400 < int(morsel["max-age"]) <= 30 * 86400
    assert not morsel["secure"], "http://127.0.0.1 has no TLS"
    app = web.get("/auth/login/idp", query_string=start())
    assert "refresh_token" in app.json and "Set-Cookie" not in app.headers


def test_over_tls_the_cookie_is_secure(web: FlaskClient, start: Start) -> None:
    base = "https://127.0.0.1"
    signed_in = web.get("/auth/login/idp", query_string=start(), headers=PAGE, base_url=base)
    assert cookie(signed_in)["secure"]


def test_the_cookie_renews_the_access_token(web: FlaskClient, start: Start) -> None:
    web.get("/auth/login/idp", query_string=start(), headers=PAGE)
    renewed = web.post("/auth/token", headers=PAGE)
    assert set(renewed.json) == {"access_token", "expires_in"}
    assert renewed.headers["Cache-Control"] == "no-store"
    assert web.get("/member/info", headers=bearer(renewed.json)).status_code == 200


def test_the_cookie_without_the_storage_header_is_ignored(web: FlaskClient, start: Start) -> None:
    web.get("/auth/login/idp", query_string=start(), headers=PAGE)
    response = web.post("/auth/token", json={})
    assert (response.status_code, response.json["error_code"]) == (400, "003")
    assert web.get("/member/info").json["error_code"] == "100"


def test_a_missing_or_invalid_cookie_is_104(web: FlaskClient) -> None:
    for sent in ({}, {"refresh_token": "forged"}):
        for name, value in sent.items():
            web.set_cookie(name, value, path="/auth")
        response = web.post("/auth/token", headers=PAGE)
        assert (response.status_code, response.json["error_code"]) == (401, "104")


def test_sign_out_removes_the_cookie_and_ends_its_session(web: FlaskClient, start: Start) -> None:
    signed_in = web.get("/auth/login/idp", query_string=start(), headers=PAGE)
    stolen = cookie(signed_in).value
    signed_out = web.get("/auth/logout", headers=bearer(signed_in.json))
    removed = cookie(signed_out)
    assert (removed.value, removed["max-age"], removed["path"]) == ("", "0", "/auth")
    web.set_cookie("refresh_token", stolen, path="/auth")
    assert web.post("/auth/token", headers=PAGE).json["error_code"] == "104"


def test_withdrawal_removes_the_cookie_although_its_request_carries_none(
    web: FlaskClient, start: Start
) -> None:
    signed_in = web.get("/auth/login/idp", query_string=start(), headers=PAGE)
    response = web.delete("/member", headers=bearer(signed_in.json))
    assert response.status_code == 200
    removed = cookie(response)
    assert (removed.value, removed["max-age"], removed["path"]) == ("", "0", "/auth")
    assert web.post("/auth/token", headers=PAGE).json["error_code"] == "104"
    assert web.get_cookie("refresh_token", path="/auth") is None
