"""The map page's refresh token: in a cookie that only the sign-in endpoints get, and never in a body."""

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


def test_the_page_gets_its_refresh_token_as_a_cookie_and_apps_in_the_body(
    web: FlaskClient, start: Start
) -> None:
    signed = web.get("/auth/login/idp", query_string=start(), headers=PAGE)
    assert set(signed.json) == {"access_token", "expires_in"}
    kept = cookie(signed)
    assert (kept["path"], kept["samesite"], kept["httponly"]) == ("/auth", "Strict", True)
    assert 29 * 86400 < int(kept["max-age"]) <= 30 * 86400
    assert not kept["secure"], "http://127.0.0.1 has no TLS"
    app = web.get("/auth/login/idp", query_string=start())
    assert "refresh_token" in app.json and "Set-Cookie" not in app.headers


def test_over_tls_the_cookie_is_secure(web: FlaskClient, start: Start) -> None:
    base = "https://127.0.0.1"
    signed = web.get("/auth/login/idp", query_string=start(), headers=PAGE, base_url=base)
    assert cookie(signed)["secure"]


def test_the_cookie_renews_the_access_token(web: FlaskClient, start: Start) -> None:
    web.get("/auth/login/idp", query_string=start(), headers=PAGE)
    renewed = web.post("/auth/token", headers=PAGE)
    assert set(renewed.json) == {"access_token", "expires_in"}
    assert renewed.headers["Cache-Control"] == "no-store"
    assert web.get("/member/info", headers=bearer(renewed.json)).status_code == 200


def test_the_cookie_alone_does_nothing(web: FlaskClient, start: Start) -> None:
    web.get("/auth/login/idp", query_string=start(), headers=PAGE)
    forged = web.post("/auth/token", json={})
    assert (forged.status_code, forged.json["error_code"]) == (400, "003")
    assert web.get("/member/info").json["error_code"] == "100"


def test_without_a_cookie_the_page_has_to_sign_in(web: FlaskClient) -> None:
    for sent in ({}, {"refresh_token": "forged"}):
        for name, value in sent.items():
            web.set_cookie(name, value, path="/auth")
        refused = web.post("/auth/token", headers=PAGE)
        assert (refused.status_code, refused.json["error_code"]) == (401, "104")


def test_sign_out_removes_the_cookie_and_ends_its_session(web: FlaskClient, start: Start) -> None:
    signed = web.get("/auth/login/idp", query_string=start(), headers=PAGE)
    stolen = cookie(signed).value
    left = web.get("/auth/logout", headers=bearer(signed.json))
    assert (cookie(left).value, cookie(left)["max-age"], cookie(left)["path"]) == ("", "0", "/auth")
    web.set_cookie("refresh_token", stolen, path="/auth")
    assert web.post("/auth/token", headers=PAGE).json["error_code"] == "104"


def test_withdrawal_removes_the_cookie_which_it_does_not_get(
    web: FlaskClient, start: Start
) -> None:
    signed = web.get("/auth/login/idp", query_string=start(), headers=PAGE)
    left = web.delete("/member", headers=bearer(signed.json))
    assert left.status_code == 200
    assert (cookie(left).value, cookie(left)["max-age"], cookie(left)["path"]) == ("", "0", "/auth")
    assert web.post("/auth/token", headers=PAGE).json["error_code"] == "104"
    assert web.get_cookie("refresh_token", path="/auth") is None
