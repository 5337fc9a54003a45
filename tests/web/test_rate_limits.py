"""Rate limits: who shares an allowance, the response headers, and behaviour without the store."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from marshmallow import Schema, fields

from geoshops import create_app, tiles
from geoshops.config import ConfigError
from geoshops.web.operation import Blueprint
from geoshops.web.rate_limits import RateLimit, by_member
from geoshops.web.reads import RequestContext
from geoshops.web.response import Response, json_value
from tests.conftest import SECRET_KEY
from tests.make import Maker
from tests.server import free_port, wait_for_port

ROOT = Path(__file__).resolve().parents[2]
AROUND = "/shops/brand?userLat=37.5&userLng=127&mapLat=37.5&mapLng=127"


def limited(service_url: str, store: str, **more: Any) -> Flask:
    return create_app(
        {
            "database_url": service_url, "secret_key": SECRET_KEY, "testing": True,
            "ratelimit_storage_uri": store, **more,
        }
    )  # fmt: skip


@pytest.fixture
def limited_app(service_url: str, db: Any) -> Flask:
    return limited(service_url, "memory://")


@pytest.fixture
def limited_client(limited_app: Flask) -> FlaskClient:
    return limited_app.test_client()


def test_without_a_store_there_are_no_limits(client: FlaskClient) -> None:
    headers = client.get(AROUND).headers
    assert "RateLimit" not in headers and "RateLimit-Policy" not in headers


def test_reads_are_counted_by_address(limited_client: FlaskClient) -> None:
    first = limited_client.get(AROUND)
    assert first.headers["RateLimit-Policy"] == '"reads";q=600;w=60'
    assert first.headers["RateLimit"].startswith('"reads";r=599;t=')
    for _ in range(599):
        limited_client.get("/shops/0")
    rejected = limited_client.get(AROUND)
    assert (rejected.status_code, rejected.get_json()["error_code"]) == (429, "429")
    assert 1 <= int(rejected.headers["Retry-After"]) <= 60
    forged = {"X-Forwarded-For": "10.9.8.7", "X-Real-IP": "10.9.8.7", "Forwarded": "for=10.9.8.7"}
    assert limited_client.get(AROUND, headers=forged).status_code == 429
    other = limited_client.get(AROUND, environ_overrides={"REMOTE_ADDR": "10.0.0.2"})
    assert other.status_code == 200
    assert limited_client.get("/healthz").status_code == 200


def test_a_trusted_proxy_supplies_the_address(service_url: str, db: Any) -> None:
    client = limited(service_url, "memory://", trusted_proxies=1).test_client()
    for number in range(3):
        headers = {"X-Forwarded-For": f"9.9.9.9, 10.0.0.{number}"}
        limit = client.get(AROUND, headers=headers).headers["RateLimit"]
        assert limit.startswith('"reads";r=599')


def test_reviews_are_counted_by_member(limited_app: Flask, make: Maker) -> None:
    make.brand()
    shop = make.shop()
    client = limited_app.test_client()
    one, two = make.bearer(limited_app), make.bearer(limited_app)
    review = {"star_rating": 5, "content": "좋아요"}
    statuses = [
        client.post(f"/reviews/shop/{shop}", json=review, headers=one).status_code
        for _ in range(31)
    ]
    assert statuses == [201] * 30 + [429]
    assert client.post(f"/reviews/shop/{shop}", json=review, headers=two).status_code == 201


class Echo(Schema):
    """A text, received and returned."""

    text = fields.String(required=True, metadata={"example": "hello"})


@pytest.mark.parametrize(
    ("limit", "policy"),
    [
        (None, '"reads";q=600;w=60'),
        (RateLimit("echoes", "5/hour", by_member), '"echoes";q=5;w=3600'),
    ],
)
def test_a_read_with_a_body_is_limited_as_declared(
    limit: RateLimit | None,
    policy: str,
    service_url: str,
    make: Maker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = Blueprint("echo", __name__)

    @own.read("/echo", id="echo", body=Echo, response=Echo, limit=limit)
    def echo(context: RequestContext, body: dict[str, Any]) -> Response:
        """The body"""
        return json_value(body)

    monkeypatch.setattr(tiles, "blueprint", own)
    app = limited(service_url, "memory://")
    for headers in ({}, make.bearer(app)):
        response = app.test_client().post("/echo", json={"text": "hello"}, headers=headers)
        assert (response.status_code, response.get_json()) == (200, {"text": "hello"})
        assert response.headers["RateLimit-Policy"] == policy


def test_options_of_a_command_counts_as_a_read(limited_client: FlaskClient) -> None:
    for method, name in (("options", "reads"), ("patch", "nickname")):
        headers = getattr(limited_client, method)("/member/nickname").headers
        assert headers["RateLimit-Policy"].startswith(f'"{name}";')


@pytest.mark.parametrize(
    ("path", "limited"),
    [("/robots.txt", True), ("/openapi.json", True), ("/", False), ("/healthz", False), ("/no", False)],
)  # fmt: skip
def test_the_map_and_health_checks_are_not_limited(
    path: str, limited: bool, limited_client: FlaskClient
) -> None:
    assert ("RateLimit" in limited_client.get(path).headers) == limited


def test_the_documents_list_every_limit(app: Flask) -> None:
    contracts = [getattr(view, "contract", None) for view in app.view_functions.values()]
    declared = {(c.limit.name, c.limit.allowance) for c in contracts if c}
    page = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\w-]+) \| (\d+) (?:failures )?per (\w+) \|", page, re.MULTILINE)
    assert sorted((name, f"{amount}/{unit}") for name, amount, unit in rows) == sorted(declared)


def test_failed_sign_ins_are_counted_and_valid_reads_continue(limited_client: FlaskClient) -> None:
    statuses = [limited_client.get("/auth/login/idp").status_code for _ in range(12)]
    assert statuses == [400] * 10 + [429] * 2
    assert limited_client.get(AROUND).status_code == 200


def test_refreshing_is_counted_by_token(limited_client: FlaskClient) -> None:
    def post(token: str) -> int:
        return limited_client.post("/auth/token", json={"refresh_token": token}).status_code

    assert [post("one") for _ in range(11)] == [401] * 10 + [429]
    assert post("two") == 401


@pytest.mark.parametrize(
    "body", [b'{"refresh_token": "\\ud800"}', b"[" * 60_000, b'{"refresh_token": 1}', b"\xff", b""]
)
def test_a_malformed_refresh_is_rejected_and_counted(
    limited_client: FlaskClient, body: bytes
) -> None:
    statuses = [
        limited_client.post("/auth/token", data=body, content_type="application/json").status_code
        for _ in range(11)
    ]
    assert statuses == [400] * 10 + [429]


def test_without_its_store_reads_continue_and_sign_in_is_unavailable(
    service_url: str, db: Any
) -> None:
    pytest.importorskip("redis")
    client = limited(service_url, "redis://127.0.0.1:9/0?socket_connect_timeout=1").test_client()
    assert client.get(AROUND).status_code == 200
    closed = client.get("/auth/login/idp?code=x")
    assert (closed.status_code, closed.get_json()["error_code"]) == (503, "503")


@pytest.mark.parametrize(
    "store", ["foo", "memory", "redis://:hush@h:port", "redis://:hush@h:99999", "rediss//:hush@h"]
)
def test_an_invalid_rate_limit_store_is_rejected_by_its_settings_name(store: str) -> None:
    with pytest.raises(ConfigError, match="GEOSHOPS_RATELIMIT_STORAGE_URI") as error:
        limited("postgresql://127.0.0.1/none", store)
    assert "hush" not in str(error.value)


@pytest.fixture(scope="module")
def redis_uri() -> Iterator[str]:
    """URI of a separate Redis without persistence."""
    pytest.importorskip("redis")
    program = shutil.which("redis-server")
    if not program:
        pytest.skip("redis-server is not installed")
    port = free_port()
    command = [
        program,
        "--port",
        str(port),
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--appendonly",
        "no",
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd="/tmp")
    try:
        wait_for_port(port)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait(60)


def test_a_hanging_rate_limit_store_blocks_no_request(service_url: str, db: Any) -> None:
    pytest.importorskip("redis")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        uri = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        client = limited(service_url, uri).test_client()
        began = time.monotonic()
        assert [client.get(AROUND).status_code for _ in range(20)] == [200] * 20
        assert client.get("/auth/login/idp?code=x").status_code == 503
        # without a circuit breaker, each of these requests would wait for the store's timeout of 0.25 s
        assert time.monotonic() - began < 4


def test_workers_share_an_allowance_in_redis(service_url: str, db: Any, redis_uri: str) -> None:
    workers = [limited(service_url, redis_uri).test_client() for _ in range(2)]
    statuses = [workers[n % 2].get("/auth/login/idp").status_code for n in range(12)]
    assert statuses == [400] * 10 + [429] * 2
    for number in range(600):
        workers[number % 2].get("/shops/0")
    rejected = [worker.get(AROUND) for worker in workers]
    assert [response.status_code for response in rejected] == [429, 429]
    assert all(1 <= int(response.headers["Retry-After"]) <= 60 for response in rejected)
