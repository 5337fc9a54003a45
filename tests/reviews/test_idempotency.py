"""Idempotency-Key: a repeated request takes effect once and gets the stored response."""

from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.counters import assert_exact
from tests.make import Maker

GOOD = {"star_rating": 5, "content": "좋아요"}


def test_a_repeated_review_is_written_once(app: Flask, client: FlaskClient, make: Maker) -> None:
    shop = make.shop()
    headers = {**make.bearer(app), "Idempotency-Key": "a-key"}
    path = f"/reviews/shop/{shop}"
    first = client.post(path, json=GOOD, headers=headers)
    again = client.post(path, json=GOOD, headers=headers)
    respelled = client.post(
        path, data=b'{ "content":"\\uc88b\\uc544\\uc694",\n"star_rating":5,"x":1}', headers=headers
    )
    for response in (first, again, respelled):
        assert response.status_code == 201
        assert response.data == first.data
        assert response.headers["Location"] == first.headers["Location"]
        assert response.headers.get("Idempotency-Replayed") == (
            None if response is first else "true"
        )
    assert make.sql("SELECT count(*) FROM reviews") == 1
    assert_exact(make, shop)


def test_the_stored_response_remains_after_the_review_is_deleted(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    shop, member = make.shop(), make.member()
    headers = {**make.bearer(app, member), "Idempotency-Key": "k"}
    first = client.post(f"/reviews/shop/{shop}", json=GOOD, headers=headers)
    client.delete(first.headers["Location"], headers=headers)
    again = client.post(f"/reviews/shop/{shop}", json=GOOD, headers=headers)
    assert (again.status_code, again.data) == (201, first.data)
    assert make.sql("SELECT count(*) FROM reviews") == 0


def test_the_same_key_for_another_request_is_rejected(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    shop, other = make.shop(), make.shop("다른 지점")
    headers = {**make.bearer(app), "Idempotency-Key": "k"}
    assert client.post(f"/reviews/shop/{shop}", json=GOOD, headers=headers).status_code == 201
    for response in (
        client.post(f"/reviews/shop/{shop}", json={**GOOD, "star_rating": 4}, headers=headers),
        client.post(f"/reviews/shop/{other}", json=GOOD, headers=headers),
        client.post(f"/favorites/{shop}", headers=headers),
    ):
        assert (response.status_code, response.get_json()["error_code"]) == (422, "422")
        assert "Idempotency-Replayed" not in response.headers
    assert make.sql("SELECT count(*) FROM reviews") == 1
    assert make.sql("SELECT count(*) FROM favorites") == 0
    assert_exact(make, shop)


def test_members_do_not_share_keys(app: Flask, client: FlaskClient, make: Maker) -> None:
    shop = make.shop()
    ids = set()
    for _ in range(2):
        headers = {**make.bearer(app), "Idempotency-Key": "k"}
        response = client.post(f"/reviews/shop/{shop}", json=GOOD, headers=headers)
        ids.add(response.get_json()["review_info"]["id"])
    assert len(ids) == 2


def test_errors_are_not_stored(app: Flask, client: FlaskClient, make: Maker) -> None:
    shop = make.shop()
    headers = {**make.bearer(app), "Idempotency-Key": "k"}
    path = f"/reviews/shop/{shop}"
    assert client.post(path, json={**GOOD, "star_rating": 9}, headers=headers).status_code == 400
    assert client.post("/reviews/shop/999", json=GOOD, headers=headers).status_code == 404
    assert client.post(path, json=GOOD, headers=headers).status_code == 201
    assert make.sql("SELECT count(*) FROM idempotency_keys") == 1


def test_a_favorite_keeps_its_first_status(app: Flask, client: FlaskClient, make: Maker) -> None:
    shop = make.shop()
    headers = make.bearer(app)
    keyed = {**headers, "Idempotency-Key": "k"}
    first = client.post(f"/favorites/{shop}", headers=keyed)
    again = client.post(f"/favorites/{shop}", headers=keyed)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.data == first.data
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    unkeyed = client.post(f"/favorites/{shop}", headers=headers)
    assert unkeyed.status_code == 200 and "Idempotency-Replayed" not in unkeyed.headers


def test_a_repeated_request_from_another_position_gets_the_stored_response(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    shop = make.shop()
    keyed = {**make.bearer(app), "Idempotency-Key": "k"}
    first, *later = (
        client.post(f"/favorites/{shop}{position}", headers=keyed)
        for position in ("?userLat=37.5&userLng=127", "?userLat=37.4&userLng=127.1", "")
    )
    assert first.get_json()["shop"]["distance"] != ""
    assert [(response.status_code, response.data) for response in later] == [(201, first.data)] * 2


def test_another_spelling_of_the_path_is_the_same_request(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    shop = make.shop()
    for path, body in ((f"/reviews/shop/{shop}", GOOD), (f"/favorites/{shop}", None)):
        keyed = {**make.bearer(app), "Idempotency-Key": "k"}
        first = client.post(path, json=body, headers=keyed)
        for spelling in (f"{path}/", path.replace(f"/{shop}", f"/00{shop}")):
            again = client.post(spelling, json=body, headers=keyed)
            assert (again.status_code, again.data) == (201, first.data), spelling
    assert make.sql("SELECT count(*) FROM reviews") == 1


@pytest.mark.parametrize("key", ["", " ", "a b", "a" * 256, "키", "tab\there"])
def test_keys_must_be_visible_ascii(app: Flask, client: FlaskClient, make: Maker, key: str) -> None:
    shop = make.shop()
    headers = {**make.bearer(app), "Idempotency-Key": key.encode().decode("latin-1")}
    response = client.post(f"/reviews/shop/{shop}", json=GOOD, headers=headers)
    assert (response.status_code, response.get_json()["error_code"]) == (400, "002")
    assert "[Idempotency-Key]" in response.get_json()["error_message"]
    assert make.sql("SELECT count(*) FROM reviews") == 0


def test_a_stored_response_needs_an_active_session(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    shop = make.shop()
    headers = {**make.bearer(app), "Idempotency-Key": "k"}
    assert client.post(f"/reviews/shop/{shop}", json=GOOD, headers=headers).status_code == 201
    make.sql("UPDATE sessions SET ended_at = now()")
    assert client.post(f"/reviews/shop/{shop}", json=GOOD, headers=headers).status_code == 401


def test_stored_responses_are_deleted_after_a_day(
    app: Flask, client: FlaskClient, make: Maker
) -> None:
    shop = make.shop()
    headers = make.bearer(app)
    for key in ("old", "new"):
        client.post(f"/favorites/{shop}", headers={**headers, "Idempotency-Key": key})
    make.sql(
        "UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE key = 'old'"
    )
    runner = app.test_cli_runner()
    from geoshops.operations.idempotency_keys import commands

    result = runner.invoke(commands, ["clean"])
    assert (result.exit_code, result.output) == (0, "stored responses deleted: 1\n")
    assert make.rows("SELECT key FROM idempotency_keys") == [("new",)]
    assert runner.invoke(commands, ["clean", "--older-than-hours", "1"]).exit_code == 2
