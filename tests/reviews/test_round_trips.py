"""How often an endpoint of reviews asks the database: every message there is one through `_run_once`."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from geoshops.database.pool import Database
from tests.make import Maker

REVIEW = {"star_rating": 5, "content": "조명이 밝아요"}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that the service sends, in their order."""
    sent: list[str] = []
    run_once = Database._run_once

    def noted(self: Database, statement: str, *rest: Any) -> Any:
        sent.append(statement)
        return run_once(self, statement, *rest)

    monkeypatch.setattr(Database, "_run_once", noted)
    return sent


def test_writing_with_counters_titles_and_key_is_one(
    app: Flask, client: FlaskClient, make: Maker, asked: list[str]
) -> None:
    shop, headers = make.shop(), make.bearer(app)
    answer = client.post(
        f"/reviews/shop/{shop}", json=REVIEW, headers={**headers, "Idempotency-Key": "k"}
    )
    assert answer.json["awarded_titles"]
    path = answer.headers["Location"]
    assert client.patch(path, json={**REVIEW, "star_rating": 1}, headers=headers).status_code == 200
    assert client.delete(path, headers=headers).status_code == 200
    assert len(asked) == 3, asked


def test_reading_is_one(app: Flask, client: FlaskClient, make: Maker, asked: list[str]) -> None:
    shop, member = make.shop(), make.member()
    review, headers = make.review(member, shop), make.bearer(app, member)
    for path in (f"/reviews/shop/{shop}", f"/reviews/{review}", "/reviews/member"):
        del asked[:]
        assert client.get(path, headers=headers).status_code == 200
        assert len(asked) == 1, asked
