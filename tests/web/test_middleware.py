"""Middleware: errors, request ids, logs, caching, security headers, CORS, health, metrics; and settings."""

from __future__ import annotations

import json
import logging
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from geoshops import create_app, messages
from geoshops.config import ConfigError, Settings, keep_to_the_given_database
from geoshops.errors import NotFound
from geoshops.web import error_handlers
from geoshops.web.operation import LIST_HEADERS
from tests.conftest import SECRET_KEY
from tests.make import Maker

AROUND = "/shops/brand?userLat=37.5&userLng=127&mapLat=37.5&mapLng=127"
# nothing listens on this port
NOWHERE = "postgresql://nobody@127.0.0.1:9/nothing"


@pytest.fixture
def lost(service_url: str) -> FlaskClient:
    """A client of a service whose database is unreachable."""
    settings = {
        "database_url": NOWHERE,
        "secret_key": SECRET_KEY,
        "testing": True,
        "log_format": "text",
    }
    return create_app(settings).test_client()


# Accept-Language → language of the response
LANGUAGES_PREFERRED = {
    "": "en", "fr": "en", "*": "en", "en": "en", "en, ko": "en", "en,ko;q=0.5": "en", "en-GB;q=0.9, ko;q=0.8": "en",
    "ko": "ko", "ko-KR,en;q=0.5": "ko", "ko, en": "ko", "en;q=0, ko;q=.5": "ko", "en;q=.3, KO-kr;q=.8": "ko",
    "ko;q=0": "en", "ko;q=0.0, fr": "en", "ko-KP;q=0, ja": "ja", "kok, ja": "ja", "x-ko, ja": "ja", "english, ja": "ja",
    "ja": "ja", "ja-JP,ja;q=0.9,en-US;q=0.8": "ja", "fr,ja;q=0.2": "ja", "en;q=.1, zh-CN;q=.2, ja;q=.9": "ja",
    "zh": "zh-Hans", "zh-CN,zh;q=0.9": "zh-Hans", "ZH-SG": "zh-Hans", "zh-Hans-HK": "zh-Hans", "zh-Hans": "zh-Hans",
    "zh-TW,zh;q=0.9,en-US;q=0.8": "zh-Hant", "zh-HK": "zh-Hant", "zh-mo": "zh-Hant", "zh-Hant": "zh-Hant",
    "zh-Hant-CN": "zh-Hant", "zh-TW;q=0, zh": "zh-Hans", "zh-two": "zh-Hans",
}  # fmt: skip


def test_every_constraint_that_has_a_message_exists(make: Maker) -> None:
    known = {name for (name,) in make.rows("SELECT conname FROM pg_constraint")}
    known |= {name for (name,) in make.rows("SELECT indexname FROM pg_indexes")}
    assert set(error_handlers.CONSTRAINTS) <= known
    assert set(error_handlers.CONSTRAINTS.values()) <= set(messages.CODES)


def test_an_unexpected_error_shows_no_internals(service_url: str, caplog: Any) -> None:
    app = create_app({"database_url": service_url, "secret_key": SECRET_KEY, "testing": True})
    app.add_url_rule("/broken", "broken", lambda: 1 / 0)
    response = app.test_client().get("/broken", headers={"X-Request-ID": "find-me"})
    assert (response.status_code, response.get_json()["error_code"]) == (500, "500")
    assert "zero" not in response.get_data(as_text=True)
    assert response.headers["X-Request-ID"] == "find-me"
    assert any(record.exc_info for record in caplog.records)


def test_errors_are_in_the_preferred_language(client: FlaskClient) -> None:
    for header, language in LANGUAGES_PREFERRED.items():
        body = client.get("/nope", headers={"Accept-Language": header}).get_json()
        assert body["error_message"] == NotFound("route").message(language), header


def test_request_ids_are_returned_or_generated(client: FlaskClient) -> None:
    assert (
        client.get("/healthz", headers={"X-Request-ID": "a-B.9_"}).headers["X-Request-ID"]
        == "a-B.9_"
    )
    for bad in ("", "a b", "x" * 129, "ä"):
        made = client.get("/healthz", headers={"X-Request-ID": bad}).headers["X-Request-ID"]
        assert re.fullmatch("[0-9a-f]{32}", made)


def test_logs_are_one_json_line_and_hold_no_secret(service_url: str, capsys: Any) -> None:
    app = create_app(
        {
            "database_url": service_url,
            "secret_key": SECRET_KEY,
            "log_format": "json",
            "log_level": "INFO",
        }
    )
    client = app.test_client()
    began = datetime.now(UTC)
    client.get("/auth/login/idp?code=SECRET-CODE", headers={"X-Request-ID": "one"})
    client.get(f"{AROUND}&keyword=x", headers={"Authorization": "Bearer SECRET-TOKEN"})
    client.post("/auth/token", json={"refresh_token": "SECRET-REFRESH"})
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) >= 3 and lines[0]["request_id"] == "one"
    assert {"method", "endpoint", "path", "status", "ms"} <= set(lines[0])
    times = [datetime.fromisoformat(line["time"]) for line in lines]
    assert times == sorted(times) and times[-1] <= datetime.now(UTC)
    assert began - times[0] < timedelta(milliseconds=1), "whole milliseconds"
    assert "SECRET" not in json.dumps(lines)
    logging.getLogger("geoshops").handlers.clear()


def test_an_unchanged_response_is_304(client: FlaskClient, make: Maker) -> None:
    make.brand()
    shop = make.shop()
    first = client.get(AROUND)
    assert first.headers["ETag"].startswith('W/"')
    again = client.get(AROUND, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    make.sql("UPDATE shops SET favorite_cnt = 1 WHERE id = %s", shop)
    assert client.get(
        AROUND, headers={"If-None-Match": first.headers["ETag"]}
    ).status_code == 200 or (client.get(AROUND).get_json() == [])


def test_caching_depends_on_the_authorization(client: FlaskClient, make: Maker, app: Flask) -> None:
    assert client.get(AROUND).headers["Cache-Control"] == "public, no-cache"
    signed_in = client.get(AROUND, headers=make.bearer(app))
    assert signed_in.headers["Cache-Control"] == "private, no-cache"
    assert "Authorization" in signed_in.headers["Vary"]
    assert client.get("/nope").headers["Cache-Control"] == "no-store"


def test_security_headers_are_everywhere(client: FlaskClient) -> None:
    for path in ("/", "/docs", "/healthz", "/nope", AROUND, "/brands"):
        headers = client.get(path).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src" in headers["Content-Security-Policy"]
        assert "unsafe-eval" not in headers["Content-Security-Policy"]
    assert "script-src 'self'" in client.get("/").headers["Content-Security-Policy"]


def test_a_host_header_cannot_inject_into_the_response(client: FlaskClient, make: Maker) -> None:
    make.brand()
    make.shop("가", at=(127, 37.5))
    for host in ('evil"}],"x":"', "a b", "x\\", "<script>"):
        response = client.get(AROUND, headers={"Host": host})
        if response.status_code == 200:
            (shop,) = response.get_json()
            assert shop["brand"]["file_path"].startswith("http://localhost/")


def test_only_listed_origins_may_call(service_url: str) -> None:
    settings = {
        "database_url": service_url, "secret_key": SECRET_KEY, "testing": True,
        "cors_origins": ("https://map.example",),
    }  # fmt: skip
    client = create_app(settings).test_client()
    preflight = {"Access-Control-Request-Method": "GET"}
    good = client.options("/brands", headers={"Origin": "https://map.example", **preflight})
    assert good.headers["Access-Control-Allow-Origin"] == "https://map.example"
    assert "Access-Control-Allow-Credentials" not in good.headers
    plain = client.get("/brands", headers={"Origin": "https://map.example"})
    exposed = plain.headers["Access-Control-Expose-Headers"]
    for name in (*LIST_HEADERS, "ETag", "Location", "X-Request-ID", "WWW-Authenticate", "Retry-After",
                 "Idempotency-Replayed"):  # fmt: skip
        assert name in exposed.split(", ")
    assert "Origin" in plain.headers.get("Vary", "")
    for origin in ("https://evil.example", "null", "https://map.example.evil"):
        bad = client.get("/brands", headers={"Origin": origin})
        assert "Access-Control-Allow-Origin" not in bad.headers


def test_without_a_database_the_process_is_healthy_and_responds_503(lost: FlaskClient) -> None:
    assert lost.get("/healthz").status_code == 200
    for path in ("/readyz", AROUND, "/shops/1", "/brands"):
        response = lost.get(path)
        assert (response.status_code, response.get_json()["error_code"]) == (503, "503"), path
        assert int(response.headers["Retry-After"]) >= 1
        assert "9" not in response.get_json()["error_message"]


def test_metrics_name_endpoints_not_paths(client: FlaskClient) -> None:
    client.get("/shops/123456789")
    text = client.get("/metrics").get_data(as_text=True)
    assert 'endpoint="shops.get_shop"' in text and "123456789" not in text


def test_metrics_do_not_grow_with_invented_methods(client: FlaskClient) -> None:
    for method in ("BREW", "WHEN", "geo"):
        assert client.open("/brands", method=method).status_code == 405
    text = client.get("/metrics").get_data(as_text=True)
    assert 'method="other"' in text and "BREW" not in text


def test_every_response_has_cache_control(client: FlaskClient) -> None:
    for path in ("/", "/docs", "/openapi.json", "/healthz", "/metrics", "/brands", "/nope"):
        assert "Cache-Control" in client.get(path).headers, path


def test_a_short_secret_is_rejected_outside_tests() -> None:
    for key in ("", "short", "x" * 31):
        with pytest.raises(ConfigError, match="32 bytes"):
            Settings(secret_key=key)
    assert Settings(secret_key="x" * 32).secret_key


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GEOSHOPS_POOL_SIZE", "0"),
        ("GEOSHOPS_ACCESS_TOKEN_MINUTES", "-5"),
        ("GEOSHOPS_IDP_CONCURRENCY", "0"),
        ("GEOSHOPS_TRUSTED_PROXIES", "-1"),
        ("GEOSHOPS_MAX_BODY_BYTES", "many"),
        ("GEOSHOPS_LOG_LEVEL", "LOUD"),
        ("GEOSHOPS_READ_YOUR_WRITES", "banana"),
        ("GEOSHOPS_READ_YOUR_WRITES", "t"),
        ("GEOSHOPS_READ_YOUR_WRITES", ""),
        ("GEOSHOPS_POOL_TIMEOUT_S", "nan"),
        ("GEOSHOPS_POOL_TIMEOUT_S", "inf"),
        ("DATABASE_URL", "foo"),
        ("GEOSHOPS_OWNER_DATABASE_URL", "host=127.0.0.1"),
        ("READ_DATABASE_URL", "mysql://127.0.0.1/x"),
    ],
)
def test_settings_that_cannot_work_are_rejected_by_name(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=name):
        Settings.from_environment({"GEOSHOPS_SECRET_KEY": SECRET_KEY, name: value})


@pytest.mark.parametrize(
    ("words", "meant"),
    [(("1", "true", "Yes", " ON "), True), (("0", "FALSE", "no", "Off"), False)],
)
def test_yes_and_no_have_four_words_each(words: tuple[str, ...], meant: bool) -> None:
    for word in words:
        given = {"GEOSHOPS_READ_YOUR_WRITES": word}
        assert Settings.from_environment(given, testing=True).read_your_writes is meant


def test_secrets_may_come_from_files(tmp_path: Any) -> None:
    file = tmp_path / "key"
    file.write_text("k" * 40 + "\n")
    settings = Settings.from_environment(
        {"GEOSHOPS_SECRET_KEY_FILE": str(file), "GEOSHOPS_POOL_SIZE": "7"}
    )
    assert (settings.secret_key, settings.pool_size) == ("k" * 40, 7)
    with pytest.raises(ConfigError, match="GEOSHOPS_POOL_SIZE"):
        Settings.from_environment({"GEOSHOPS_POOL_SIZE": "many"}, testing=True)


def test_a_given_database_is_not_mixed_with_another_one() -> None:
    given = {"DATABASE_URL": "postgresql://mine"}
    keep_to_the_given_database(given)
    settings = Settings.from_environment(
        {"GEOSHOPS_OWNER_DATABASE_URL": "other", **given}, testing=True
    )
    assert settings.operator_database_url == "postgresql://mine"
    nothing: dict[str, str] = {}
    keep_to_the_given_database(nothing)
    assert nothing == {}


def test_an_unknown_time_zone_is_rejected() -> None:
    with pytest.raises(ConfigError, match="GEOSHOPS_TIMEZONE"):
        Settings(testing=True, timezone="Mars/Olympus")
