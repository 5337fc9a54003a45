"""Every operation of the OpenAPI document rejects tokens without an active session."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from geoshops import create_app
from tests.auth.forged import parts_of, signed
from tests.conftest import SECRET_KEY
from tests.make import Maker

DOCUMENT: dict[str, Any] = (
    create_app({"testing": True, "database_url": "postgresql:///none"})
    .test_client()
    .get("/openapi.json")
    .json
)
PLACE = {"userLat": "37.5", "userLng": "127.0", "mapLat": "37.5", "mapLng": "127.0"}
QUERY = {**PLACE, "keyword": "네컷", "nickname": "새이름", "at": ["127,37.5", "127.1,37.5"]}
BODY = {"star_rating": 5, "content": "x", "nickname": "새이름"}
CORNERS = [[127, 37], [128, 37], [128, 38], [127, 37]]
SHAPES = {
    "/shops/within": {"type": "Polygon", "coordinates": [CORNERS]},
    "/shops/along": {"type": "LineString", "coordinates": CORNERS},
}


def operations(*, optional: bool) -> list[Any]:
    """(method, path) of the operations that require a token, or of those that accept one."""
    security = [{}, {"bearer": []}] if optional else [{"bearer": []}]
    return [
        pytest.param(method.upper(), path, id=f"{method.upper()} {path}")
        for path, item in DOCUMENT["paths"].items()
        for method, operation in item.items()
        if method in ("get", "post", "patch", "delete", "put") and operation["security"] == security
    ]


def send(client: FlaskClient, method: str, path: str, bearer: dict[str, str]) -> tuple[int, str]:
    """Sends a request that is valid except for its token; returns status and error code."""
    while "{" in path:
        path = f"{path[: path.index('{')]}1{path[path.index('}') + 1 :]}"
    body = SHAPES.get(path, BODY) if method in ("POST", "PATCH") else None
    response = client.open(path, method=method, query_string=QUERY, json=body, headers=bearer)
    error = response.json if response.status_code >= 400 else {}
    return response.status_code, error.get("error_code", "")


def callers(app: Flask, make: Maker) -> dict[str, tuple[dict[str, str], str]]:
    """Headers of callers without an active session, each with the expected error code."""
    active = make.bearer(app)
    header, claims, _ = parts_of(active["Authorization"][7:])
    past = {name: claims[name] - 7200 for name in ("iat", "nbf", "exp")}
    client = app.test_client()
    signed_out, withdrawn = make.bearer(app), make.bearer(app)
    assert client.get("/auth/logout", headers=signed_out).status_code == 200
    assert client.delete("/member", headers=withdrawn).status_code == 200
    expired = make.bearer(app)
    make.sql("UPDATE sessions SET expires_at = now() WHERE id = (SELECT max(id) FROM sessions)")
    mixed = signed(header, {**claims, "sub": str(int(claims["sub"]) + 1)}, SECRET_KEY)
    return {
        "expired": ({"Authorization": f"Bearer {signed(header, {**claims, **past}, SECRET_KEY)}"}, "102"),
        "signed out": (signed_out, "101"),
        "withdrawn": (withdrawn, "101"),
        "session expired": (expired, "101"),
        "another member's session": ({"Authorization": f"Bearer {mixed}"}, "101"),
        "broken": ({"Authorization": "Bearer x.y.z"}, "101"),
    }  # fmt: skip


@pytest.mark.parametrize(("method", "path"), operations(optional=False))
def test_protected_operations_reject_requests_without_an_active_session(
    app: Flask, client: FlaskClient, make: Maker, method: str, path: str
) -> None:
    shop = make.shop()
    make.review(make.member(), shop)
    assert send(client, method, path, {}) == (401, "100")
    for name, (bearer, expected) in callers(app, make).items():
        assert send(client, method, path, bearer) == (401, expected), name


@pytest.mark.parametrize(("method", "path"), operations(optional=True))
def test_public_operations_reject_invalid_tokens(
    app: Flask, client: FlaskClient, make: Maker, method: str, path: str
) -> None:
    make.shop()
    assert send(client, method, path, {})[0] == 200
    for name, (bearer, expected) in callers(app, make).items():
        assert send(client, method, path, bearer) == (401, expected), name


def test_the_openapi_document_marks_protected_operations() -> None:
    protected = {case.id for case in operations(optional=False)}
    assert {
        "GET /auth/logout", "GET /member/info", "GET /member/nickname", "PATCH /member/nickname",
        "DELETE /member", "GET /reviews/member", "GET /favorites", "GET /member-titles",
    } <= protected  # fmt: skip
    assert not any(name.startswith("GET /shops") for name in protected)
