"""Fixtures for member tests: signed-in members who send requests."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.make import Maker


class Person:
    """A member with a session, and methods that send requests as this member."""

    def __init__(self, app: Flask, make: Maker, nickname: str | None = None) -> None:
        self.make, self.http = make, app.test_client()
        self.id = make.member(nickname)
        self.bearer = make.bearer(app, self.id)

    def get(self, path: str, **query: str) -> Any:
        return self.http.get(path, query_string=query, headers=self.bearer)

    def patch(self, path: str, body: object = None) -> Any:
        return self.http.patch(path, json=body, headers=self.bearer)

    def delete(self, path: str) -> Any:
        return self.http.delete(path, headers=self.bearer)

    def post(self, path: str, body: object = None) -> Any:
        return self.http.post(path, json=body, headers=self.bearer)

    def hold(self, title: int, *, main: bool = False) -> None:
        self.make.insert(
            "member_titles", member_id=self.id, title_id=title, awarded_at="now", is_main=main
        )


@pytest.fixture
def minji(app: Flask, client: FlaskClient, make: Maker) -> Person:
    return Person(app, make, "민지")


@pytest.fixture
def junho(app: Flask, client: FlaskClient, make: Maker) -> Person:
    return Person(app, make, "준호")


def code(response: Any) -> tuple[int, str]:
    """Returns status and error code of a response."""
    return response.status_code, response.json["error_code"]
