"""Sessions: token refresh, rotation with its grace period, replay, sign-out, and the client flow of the specification."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from geoshops.auth.commands import sessions
from geoshops.web import tokens
from geoshops.web.tokens import Caller
from tests.auth import forged
from tests.conftest import SECRET_KEY
from tests.make import Maker


class Device:
    """A signed-in client with its access and refresh token."""

    def __init__(self, app: Flask, make: Maker, member: int | None = None) -> None:
        self.app, self.http = app, app.test_client()
        self.member = member or make.member()
        jti = tokens.new_jti()
        session = make.session(self.member)
        make.sql(
            "UPDATE sessions SET refresh_hash = %s WHERE id = %s", tokens.jti_hash(jti), session
        )
        now = dt.datetime.now(dt.UTC)
        self.caller = Caller(self.member, session)
        with app.app_context():
            self.access = tokens.issue_access(self.caller)
            ends = now + dt.timedelta(days=30)
            self.refresh = tokens.issue_refresh(self.caller, jti, issued_at=now, expires_at=ends)

    def info(self) -> Any:
        return self.http.get("/member/info", headers=self.bearer)

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.access}"}

    def renew(self, token: str | None = None, **more: object) -> Any:
        return self.http.post("/auth/token", json={"refresh_token": token or self.refresh, **more})


@pytest.fixture
def device(client: FlaskClient, app: Flask, make: Maker) -> Device:
    return Device(app, make)


def code(response: Any) -> tuple[int, str | None]:
    return response.status_code, response.json.get("error_code")


def test_client_flow_of_the_specification(device: Device, make: Maker) -> None:
    header, claims, _ = forged.parts_of(device.access)
    past = {name: claims[name] - 7200 for name in ("iat", "nbf", "exp")}
    device.access = forged.signed(header, {**claims, **past}, SECRET_KEY)
    assert device.info().status_code == 401
    response = device.renew()
    assert response.status_code == 200 and set(response.json) == {"access_token", "expires_in"}
    device.access = response.json["access_token"]
    assert device.info().json["id"] == device.member
    assert device.renew().status_code == 200


def test_rotation_returns_both_tokens_and_the_new_one_works(device: Device) -> None:
    response = device.renew(rotate=True)
    assert set(response.json) == {"access_token", "expires_in", "refresh_token"}
    assert response.json["refresh_token"] != device.refresh
    assert device.renew(response.json["refresh_token"]).status_code == 200


@pytest.mark.parametrize("rotate", [None, False])
def test_rotation_is_off_when_rotate_is_null_or_false(device: Device, rotate: bool | None) -> None:
    response = device.renew(rotate=rotate)
    assert (response.status_code, set(response.json)) == (200, {"access_token", "expires_in"})


def test_repeating_a_rotation_returns_the_same_refresh_token(device: Device) -> None:
    first, again = device.renew(rotate=True), device.renew(rotate=True)
    assert again.status_code == 200
    assert again.json["refresh_token"] == first.json["refresh_token"]


def test_repeating_a_rotation_works_after_the_signing_key_was_replaced(
    device: Device, service_url: str
) -> None:
    from geoshops import create_app

    first = device.renew(rotate=True).json["refresh_token"]
    keys = {
        "secret_key": "another key for tests, also longer than 32 bytes",
        "previous_secret_key": SECRET_KEY,
    }
    later = create_app({"database_url": service_url, "testing": True, **keys}).test_client()
    again = later.post("/auth/token", json={"refresh_token": device.refresh, "rotate": True}).json
    assert forged.parts_of(again["refresh_token"])[1] == forged.parts_of(first)[1]


def test_using_the_predecessor_after_its_successor_ends_the_session(device: Device) -> None:
    successor = device.renew(rotate=True).json["refresh_token"]
    assert device.renew(successor).status_code == 200
    assert code(device.renew()) == (401, "104")
    assert code(device.renew(successor)) == (401, "104")
    assert code(device.info()) == (401, "101")


def test_replay_after_the_grace_period_ends_the_session(device: Device, make: Maker) -> None:
    successor = device.renew(rotate=True).json["refresh_token"]
    make.sql(
        "UPDATE sessions SET rotated_at = rotated_at - interval '31 s', last_used_at = rotated_at - interval '31 s'"
    )
    assert code(device.renew(rotate=True)) == (401, "104")
    assert code(device.renew(successor)) == (401, "104")
    assert code(device.info()) == (401, "101")


def test_the_grace_period_covers_one_generation_of_tokens(device: Device) -> None:
    second = device.renew(rotate=True).json["refresh_token"]
    third = device.renew(second, rotate=True).json["refresh_token"]
    assert code(device.renew()) == (401, "104")
    assert code(device.renew(third)) == (401, "104")


def test_replay_leaves_other_devices_signed_in(device: Device, app: Flask, make: Maker) -> None:
    other = Device(app, make, device.member)
    second = device.renew(rotate=True).json["refresh_token"]
    device.renew(second, rotate=True)
    device.renew()
    assert code(device.info()) == (401, "101")
    assert other.info().status_code == 200


def test_rotation_extends_the_session_to_at_most_180_days(device: Device, make: Maker) -> None:
    make.sql("UPDATE sessions SET created_at = now() - interval '170 days'")
    token = device.renew(rotate=True).json["refresh_token"]
    claims = forged.parts_of(token)[1]
    assert 9.9 * 86400 < claims["exp"] - claims["iat"] < 10.1 * 86400


def test_access_token_never_outlives_its_session(device: Device, make: Maker) -> None:
    make.sql("UPDATE sessions SET expires_at = now() + interval '5 minutes'")
    renewed = device.renew().json
    claims = forged.parts_of(renewed["access_token"])[1]
    assert abs(renewed["expires_in"] - (claims["exp"] - claims["iat"])) <= 1
    assert 290 <= claims["exp"] - claims["iat"] <= 300


def test_expired_refresh_token_is_103(device: Device, app: Flask) -> None:
    ago = dt.datetime.now(dt.UTC) - dt.timedelta(days=31)
    with app.app_context():
        token = tokens.issue_refresh(
            device.caller, "j", issued_at=ago, expires_at=ago + dt.timedelta(days=30)
        )
    response = device.renew(token)
    assert code(response) == (401, "103")
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="geoshops"'


def test_access_and_refresh_tokens_are_not_interchangeable(device: Device) -> None:
    response = device.renew(device.access)
    assert code(response) == (401, "104")
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="geoshops"'
    headers = {"Authorization": f"Bearer {device.refresh}"}
    assert code(device.http.get("/member/info", headers=headers)) == (401, "101")


@pytest.mark.parametrize(
    ("body", "error_code"),
    [
        (b"", "001"), (b"{", "001"), (b"[]", "001"), (b"{}", "003"), (b"null", "001"), (b"\xff", "001"),
        (b"[" * 50000, "001"), (b'{"x": NaN}', "001"),
        (b'{"rotate": true}', "003"), (b'{"refresh_token": null}', "002"),
        (b'{"refresh_token": ""}', "002"), (b'{"refresh_token": "  "}', "002"),
        (b'{"refresh_token": 1}', "002"), (b'{"refresh_token": ["a"]}', "002"),
        (b'{"refresh_token": "a\\u0000"}', "002"), (b'{"refresh_token": "\\ud800"}', "002"),
        (b'{"refresh_token": "x", "rotate": "true"}', "002"),
        (b'{"refresh_token": "x", "rotate": 1}', "002"),
        (b'{"refresh_token": "' + b"x" * 5000 + b'"}', "002"),
        (b'{"refresh_token": "\xf0\x9f\x98\x80"}', "104"), (b'{"refresh_token": "x"}', "104"),
    ],
)  # fmt: skip
def test_invalid_refresh_bodies_are_rejected(
    client: FlaskClient, body: bytes, error_code: str
) -> None:
    response = client.post("/auth/token", data=body, content_type="application/json")
    assert response.json["error_code"] == error_code


def test_huge_body_is_413_and_other_types_415(client: FlaskClient) -> None:
    assert client.post("/auth/token", data=b"x" * 70_000).status_code == 413
    assert client.post("/auth/token", data={"refresh_token": "x"}).status_code == 415


@pytest.mark.parametrize(
    ("headers", "error_code"),
    [
        ({"Content-Type": "application/json; charset=UTF-8"}, "104"),
        ({"Content-Type": 'application/json;charset="utf8"'}, "104"),
        ({"Content-Type": "application/merge-patch+json"}, "104"),
        ({"Content-Type": "application/json; charset=euc-kr"}, "415"),
        ({"Content-Type": "application/json; charset=utf-16"}, "415"),
        ({"Content-Encoding": "identity"}, "104"),
        ({"Content-Encoding": "gzip"}, "415"),
        ({"Content-Encoding": "identity, gzip"}, "415"),
        ({"Content-Encoding": "none"}, "415"),
    ],
)
def test_only_unencoded_utf_8_json_bodies_are_accepted(
    client: FlaskClient, headers: dict[str, str], error_code: str
) -> None:
    sent = {"Content-Type": "application/json", **headers}
    response = client.post("/auth/token", data=b'{"refresh_token": "x"}', headers=sent)
    assert response.json["error_code"] == error_code
    if error_code == "415":
        (name,) = headers
        assert response.json["error_message"].startswith(f"[{name}]")
        expected = "identity" if name == "Content-Encoding" else None
        assert response.headers.get("Accept-Encoding") == expected


def test_sign_out_invalidates_access_and_refresh_token(
    device: Device, app: Flask, make: Maker
) -> None:
    other = Device(app, make, device.member)
    response = device.http.get("/auth/logout", headers=device.bearer)
    assert response.json == {"logged_out": True} and response.headers["Cache-Control"] == "no-store"
    assert code(device.info()) == (401, "101")
    assert code(device.renew()) == (401, "104")
    assert code(device.http.get("/auth/logout", headers=device.bearer)) == (401, "101")
    assert other.info().status_code == 200


def test_sign_out_everywhere(device: Device, app: Flask, make: Maker) -> None:
    other, stranger = Device(app, make, device.member), Device(app, make)
    assert device.http.get("/auth/logout?all=true", headers=device.bearer).status_code == 200
    assert code(other.info()) == (401, "101")
    assert stranger.info().status_code == 200


def test_signed_out_token_is_rejected_on_optional_endpoints(device: Device, make: Maker) -> None:
    shop = make.shop()
    device.http.get("/auth/logout", headers=device.bearer)
    assert code(device.http.get(f"/shops/{shop}", headers=device.bearer)) == (401, "101")


def test_session_list_and_ending_another_device(device: Device, app: Flask, make: Maker) -> None:
    other = Device(app, make, device.member)
    Device(app, make)
    listed = device.http.get("/auth/sessions", headers=device.bearer).json
    assert {s["id"]: s["is_current"] for s in listed} == {
        device.caller.session_id: True, other.caller.session_id: False,
    }  # fmt: skip
    assert set(listed[0]) == {"id", "device", "create_date", "last_used_date", "is_current"}
    assert 6 <= len(listed[0]["create_date"]) <= 7
    path = f"/auth/sessions/{other.caller.session_id}"
    assert device.http.delete(path, headers=device.bearer).json == {"id": other.caller.session_id}
    assert code(other.info()) == (401, "101")
    assert code(device.http.delete(path, headers=device.bearer)) == (404, "404")


@pytest.mark.parametrize("path", ["0", "99999999999999999999", "x", "-1", "1.5"])
def test_invalid_session_ids_are_404(device: Device, path: str) -> None:
    response = device.http.delete(f"/auth/sessions/{path}", headers=device.bearer)
    assert code(response) == (404, "404")


def test_a_member_cannot_end_another_members_session(
    device: Device, app: Flask, make: Maker
) -> None:
    stranger = Device(app, make)
    path = f"/auth/sessions/{stranger.caller.session_id}"
    assert code(device.http.delete(path, headers=device.bearer)) == (404, "404")
    assert stranger.info().status_code == 200


def test_old_sessions_are_purged(device: Device, app: Flask, make: Maker) -> None:
    Device(app, make)
    make.sql(
        "UPDATE sessions SET ended_at = now() - interval '40 days' WHERE id = %s",
        device.caller.session_id,
    )
    result = app.test_cli_runner().invoke(sessions, ["purge"])
    assert result.output == "1 sessions deleted\n"
    assert make.sql("SELECT count(*) FROM sessions") == 1


def test_purge_rejects_negative_and_too_many_days(device: Device, app: Flask, make: Maker) -> None:
    for days in ("-5", "-400", "10000000"):
        result = app.test_cli_runner().invoke(sessions, ["purge", "--days", days])
        assert result.exit_code == 2, result.output
    assert app.test_cli_runner().invoke(sessions, ["purge", "--days", "0"]).exit_code == 0
    assert make.sql("SELECT count(*) FROM sessions") == 1
