"""Sign-in at a real OpenID provider, with the requests that a client application sends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import requests
from flask import Flask
from flask.testing import FlaskClient

from tests.auth.conftest import REDIRECT, bearer
from tests.auth.idp import CLIENT, SECRET, sign_in_at
from tests.make import Maker

Start = Callable[..., dict[str, str]]
SignIn = Callable[..., dict[str, str]]


def test_first_sign_in_registers_a_member_with_the_newbie_title(
    web: FlaskClient, sign_in: SignIn
) -> None:
    tokens = sign_in("minji")
    assert set(tokens) == {"access_token", "expires_in", "refresh_token"}
    assert tokens["expires_in"] == 1800
    profile = web.get("/member/info", headers=bearer(tokens)).json
    assert profile["nickname"].startswith("김민지") and profile["nickname"][3:].isdigit()
    assert profile["main_member_title"] == "" and profile["member_title_cnt"] == 1


def test_second_sign_in_is_the_same_member_with_another_session(
    web: FlaskClient, sign_in: SignIn
) -> None:
    first, second = sign_in("minji"), sign_in("minji")
    infos = [web.get("/member/info", headers=bearer(t)).json["id"] for t in (first, second)]
    assert infos[0] == infos[1]
    sessions = web.get("/auth/sessions", headers=bearer(second)).json
    assert [s["is_current"] for s in sessions] == [True, False]


def test_two_people_are_two_members(web: FlaskClient, sign_in: SignIn) -> None:
    ids = {
        web.get("/member/info", headers=bearer(sign_in(p))).json["id"] for p in ("minji", "junho")
    }
    assert len(ids) == 2


def test_sign_in_responses_are_not_stored(web: FlaskClient, start: Start) -> None:
    started = web.get("/auth/authorize")
    signed_in = web.get("/auth/login/idp", query_string=start())
    assert started.headers["Cache-Control"] == signed_in.headers["Cache-Control"] == "no-store"
    assert "ETag" not in signed_in.headers


def test_authorize_returns_new_state_nonce_and_verifier(web: FlaskClient) -> None:
    one, two = web.get("/auth/authorize").json, web.get("/auth/authorize").json
    for name in ("state", "nonce", "code_verifier"):
        assert len(one[name]) >= 43 and one[name] != two[name]
    assert "code_challenge_method=S256" in one["authorize_url"]
    assert one["code_verifier"] not in one["authorize_url"]
    assert one["expires_in_s"] == 600


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("code_verifier", "x" * 43),
        ("code_verifier", "short"),
        ("code_verifier", "é" * 43),
        ("nonce", "another sign-in"),
        ("code", "no-such-code"),
    ],
)
def test_wrong_verifier_nonce_or_code_is_105(
    web: FlaskClient, start: Start, make: Maker, name: str, value: str
) -> None:
    response = web.get("/auth/login/idp", query_string={**start(), name: value})
    assert (response.status_code, response.json["error_code"]) == (400, "105")
    assert make.sql("SELECT count(*) FROM members") == 0


def test_missing_verifier_is_rejected_if_the_sign_in_started_with_one(
    web: FlaskClient, start: Start
) -> None:
    sent = start()
    del sent["code_verifier"]
    assert web.get("/auth/login/idp", query_string=sent).json["error_code"] == "105"


def test_nonce_is_optional(web: FlaskClient, start: Start) -> None:
    sent = start()
    del sent["nonce"]
    assert web.get("/auth/login/idp", query_string=sent).status_code == 200


def test_a_code_is_accepted_once(web: FlaskClient, start: Start, make: Maker) -> None:
    sent = start()
    responses = [web.get("/auth/login/idp", query_string=sent) for _ in range(3)]
    assert [a.status_code for a in responses] == [200, 400, 400]
    assert make.sql("SELECT count(*) FROM sessions") == 1


def test_tokens_of_the_provider_are_rejected(
    web: FlaskClient, sign_in: SignIn, start: Start, idp: str
) -> None:
    sign_in("minji")
    sent = start("minji")
    form = {
        "grant_type": "authorization_code",
        "code": sent["code"],
        "code_verifier": sent["code_verifier"],
        "redirect_uri": REDIRECT,
        "client_id": CLIENT,
        "client_secret": SECRET,
    }
    provider_tokens = requests.post(f"{idp}/token", data=form, timeout=10).json()
    for name in ("id_token", "access_token", "refresh_token"):
        headers = {"Authorization": f"Bearer {provider_tokens[name]}"}
        for path in ("/member/info", "/shops?keyword=강남&userLat=37.5&userLng=127"):
            response = web.get(path, headers=headers)
            assert (response.status_code, response.json["error_code"]) == (401, "101"), name
        response = web.post("/auth/token", json={"refresh_token": provider_tokens[name]})
        assert (response.status_code, response.json["error_code"]) == (401, "104"), name


def test_a_redirect_uri_other_than_the_one_at_authorize_is_105(web: FlaskClient) -> None:
    other = "http://localhost:5173/"
    started = web.get("/auth/authorize", query_string={"redirect_uri": other}).json
    callback = sign_in_at(started["authorize_url"])
    sent = {"code": callback["code"], "code_verifier": started["code_verifier"]}
    response = web.get("/auth/login/idp", query_string={**sent, "redirect_uri": REDIRECT})
    assert response.json["error_code"] == "105"


def test_sign_in_with_the_second_redirect_uri(web: FlaskClient, start: Start) -> None:
    other = "http://localhost:5173/"
    sent = start(redirect_uri=other)
    response = web.get("/auth/login/idp", query_string={**sent, "redirect_uri": other})
    assert response.status_code == 200


@pytest.mark.parametrize("path", ["/auth/authorize", "/auth/login/idp?code=x"])
@pytest.mark.parametrize(
    "query", [{"redirect_uri": "https://evil.example/"}, {"provider": "myspace"}]
)
def test_unknown_redirect_uri_or_provider_is_107(
    web: FlaskClient, path: str, query: dict[str, str]
) -> None:
    separator = "&" if "?" in path else "?"
    (name, value), *_ = query.items()
    response = web.get(f"{path}{separator}{name}={value}")
    assert (response.status_code, response.json["error_code"]) == (400, "107")
    assert response.json["error_message"].startswith(f"[{name}]")


def test_without_a_configured_provider_sign_in_is_107(client: FlaskClient) -> None:
    assert client.get("/auth/login/idp?code=x").json["error_code"] == "107"


def test_code_is_required_and_not_blank(web: FlaskClient) -> None:
    assert web.get("/auth/login/idp").json == {
        "error_code": "003",
        "error_message": "[code] required parameter is missing",
    }
    assert web.get("/auth/login/idp?code=%20").json["error_code"] == "002"
    assert web.get("/auth/login/idp?code=%00").json["error_code"] == "002"
    assert web.get("/auth/login/idp?code=a&code=b").json["error_code"] == "002"
    assert web.get("/auth/login/idp", query_string={"code": "x" * 5000}).json["error_code"] == "002"


def test_an_unreachable_provider_is_106_and_creates_no_member(
    service_url: str, db: Any, make: Maker
) -> None:
    from geoshops import create_app
    from tests.auth.conftest import settings_for

    app = create_app(settings_for(service_url, "http://127.0.0.1:9"))
    response = app.test_client().get("/auth/login/idp?code=x")
    assert (response.status_code, response.json["error_code"]) == (502, "106")
    assert make.sql("SELECT count(*) FROM members") == 0


def test_unlink_token_is_stored_encrypted(auth_app: Flask, sign_in: SignIn, make: Maker) -> None:
    sign_in()
    sealed = bytes(make.sql("SELECT unlink_token FROM member_identities"))
    token = auth_app.extensions["geoshops.providers"].sealer.open(sealed)
    assert token and token.encode() not in sealed
