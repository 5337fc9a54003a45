"""Every endpoint of reviews sends one statement to the database; the tests count the calls of `Database._run_once`."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from geoshops.database.pool import Database
from tests.make import Maker

REVIEW = {"star_rating": 5, "content": "조명이 밝아요"}


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Records the statements that the service sends, in order."""
    sent: list[str] = []
    run_once = Database._run_once

    def record(self: Database, statement: str, *rest: Any) -> Any:
        sent.append(statement)
        return run_once(self, statement, *rest)

    monkeypatch.setattr(Database, "_run_once", record)
    return sent


def test_a_write_with_counters_titles_and_key_is_one_statement(
    app: Flask, client: FlaskClient, make: Maker, statements: list[str]
) -> None:
    shop, headers = make.shop(), make.bearer(app)
    created = client.post(
        f"/reviews/shop/{shop}", json=REVIEW, headers={**headers, "Idempotency-Key": "k"}
    )
    assert created.json["awarded_titles"]
    path = created.headers["Location"]
    assert client.patch(path, json={**REVIEW, "star_rating": 1}, headers=headers).status_code == 200
    assert client.delete(path, headers=headers).status_code == 200
    assert len(statements) == 3, statements


def test_a_read_is_one_statement(
    app: Flask, client: FlaskClient, make: Maker, statements: list[str]
) -> None:
    shop, member = make.shop(), make.member()
    review, headers = make.review(member, shop), make.bearer(app, member)
    for path in (f"/reviews/shop/{shop}", f"/reviews/{review}", "/reviews/member"):
        del statements[:]
        assert client.get(path, headers=headers).status_code == 200
        assert len(statements) == 1, statements
