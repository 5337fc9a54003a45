"""The service's own tokens: forged ones are rejected, keys rotate, access and refresh tokens are not interchangeable."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from geoshops import create_app
from geoshops.errors import Unauthorized
from geoshops.web import tokens
from geoshops.web.tokens import Caller
from tests.auth import forged
from tests.conftest import SECRET_KEY
from tests.make import Maker

OTHER_KEY = "another key for tests, also longer than thirty-two bytes"


@pytest.fixture
def good(app: Flask, make: Maker) -> str:
    return make.bearer(app, make.member("김민지"))["Authorization"].removeprefix("Bearer ")


def test_a_valid_token_is_accepted(client: FlaskClient, good: str) -> None:
    response = client.get("/member/info", headers={"Authorization": f"Bearer {good}"})
    assert response.json["nickname"] == "김민지"


def test_forged_tokens_are_rejected_on_every_kind_of_endpoint(
    client: FlaskClient, make: Maker, good: str
) -> None:
    make.shop()
    forgeries = forged.all_forgeries(good, SECRET_KEY)
    assert len(forgeries) >= 190
    accepted = []
    for name, token in forgeries:
        headers = {"Authorization": f"Bearer {token}".encode().decode("latin-1")}
        for method, path in (("GET", "/member/info"), ("GET", "/shops/1"), ("DELETE", "/member")):
            response = client.open(path, method=method, headers=headers)
            rejected = (response.status_code, response.json.get("error_code")) == (401, "101")
            if not rejected or 'error="invalid_token"' not in response.headers["WWW-Authenticate"]:
                accepted.append((name, path, response.status_code))
    assert accepted == []
    assert make.sql("SELECT count(*) FROM members WHERE withdrawn_at IS NULL") == 1


def test_forged_refresh_tokens_are_104(
    app: Flask, client: FlaskClient, make: Maker, good: str
) -> None:
    accepted = []
    for name, token in forged.all_forgeries(good, SECRET_KEY):
        response = client.post("/auth/token", json={"refresh_token": token})
        if (response.status_code, response.json["error_code"]) not in ((401, "104"), (400, "002")):
            accepted.append((name, response.status_code))
    assert accepted == []


def test_tokens_are_read_from_the_authorization_header_only(client: FlaskClient, good: str) -> None:
    client.set_cookie("access_token_cookie", good)
    for response in (
        client.get(f"/member/info?access_token={good}&jwt={good}"),
        client.delete("/member", json={"access_token": good}),
    ):
        assert response.json["error_code"] == "100"


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Basic eDp5", "Token x", "Bearer a, Bearer b"]
)
def test_other_authorization_headers_are_101(client: FlaskClient, header: str) -> None:
    response = client.get("/member/info", headers={"Authorization": header})
    assert (response.status_code, response.json["error_code"]) == (401, "101")


def test_no_header_is_100_with_the_plain_challenge(client: FlaskClient) -> None:
    response = client.get("/member/info")
    assert (response.status_code, response.json["error_code"]) == (401, "100")
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="geoshops"'


def _expired(app: Flask, make: Maker) -> str:
    member = make.member()
    with app.app_context():
        token = tokens.issue_access(Caller(member, make.session(member)))
    header, claims, _ = forged.parts_of(token)
    past = {k: claims[k] - 7200 for k in ("iat", "nbf", "exp")}
    return forged.signed(header, {**claims, **past}, SECRET_KEY)


def test_expired_access_token_is_102(app: Flask, client: FlaskClient, make: Maker) -> None:
    headers = {"Authorization": f"Bearer {_expired(app, make)}"}
    for path in ("/member/info", "/shops/1"):
        response = client.get(path, headers=headers)
        assert (response.status_code, response.json["error_code"]) == (401, "102")
        assert 'error="invalid_token"' in response.headers["WWW-Authenticate"]


def test_an_accepted_token_expires(
    client: FlaskClient, good: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Verified signatures are cached, so the expiry must be checked on every request."""
    headers = {"Authorization": f"Bearer {good}"}
    assert client.get("/member/info", headers=headers).status_code == 200
    ends_at = forged.parts_of(good)[1]["exp"] + tokens.LEEWAY_S
    monkeypatch.setattr("geoshops.web.tokens.time.time", lambda: ends_at - 0.1)
    assert client.get("/member/info", headers=headers).status_code == 200
    monkeypatch.setattr("geoshops.web.tokens.time.time", lambda: ends_at)
    assert client.get("/member/info", headers=headers).json["error_code"] == "102"


def test_an_access_token_is_not_accepted_as_a_refresh_token(app: Flask, good: str) -> None:
    with app.app_context():
        assert tokens.caller_of(f"Bearer {good}", tokens.keys())
        with pytest.raises(Unauthorized):
            tokens.read_refresh(good)


def test_an_expired_token_that_is_also_invalid_is_101(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    header, claims, _ = forged.parts_of(_expired(app, make))
    token = forged.signed(header, {**claims, "aud": "other"}, SECRET_KEY)
    response = client.get("/member/info", headers={"Authorization": f"Bearer {token}"})
    assert response.json["error_code"] == "101"


def _app(service_url: str, **keys: str) -> Flask:
    settings = {"database_url": service_url, "testing": True, "log_format": "text"}
    return create_app({**settings, **keys})


def test_two_keys_are_valid_while_rotating(service_url: str, make: Maker) -> None:
    member = make.member("김민지")
    before = _app(service_url, secret_key=SECRET_KEY)
    during = _app(service_url, secret_key=OTHER_KEY, previous_secret_key=SECRET_KEY)
    after = _app(service_url, secret_key=OTHER_KEY)
    old, new = make.bearer(before, member), make.bearer(during, member)
    assert during.test_client().get("/member/info", headers=old).status_code == 200
    assert during.test_client().get("/member/info", headers=new).status_code == 200
    assert after.test_client().get("/member/info", headers=new).status_code == 200
    assert after.test_client().get("/member/info", headers=old).json["error_code"] == "101"
    assert before.test_client().get("/member/info", headers=new).json["error_code"] == "101"


def test_kid_does_not_reveal_the_key(good: str) -> None:
    header, claims, _ = forged.parts_of(good)
    assert header == {"alg": "HS256", "typ": "JWT", "kid": tokens.key_id(SECRET_KEY)}
    assert SECRET_KEY[:8] not in json.dumps([header, claims])


def test_a_signature_with_a_changed_padding_bit_is_rejected(app: Flask, good: str) -> None:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    last = alphabet[alphabet.index(good[-1]) ^ 1]
    signature, loose = good.rpartition(".")[2], good.rpartition(".")[2][:-1] + last
    decode: Any = base64.urlsafe_b64decode
    assert decode(loose + "=") == decode(signature + "=")
    with app.app_context(), pytest.raises(Unauthorized):
        tokens.caller_of(f"Bearer {good[:-1]}{last}", tokens.keys())
