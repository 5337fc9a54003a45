"""Fixtures of sign-in: the real provider, an application that uses it, and signing in as a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from geoshops import create_app
from tests.auth import idp as provider
from tests.auth.stub import Stub
from tests.conftest import SECRET_KEY

REDIRECT = "http://127.0.0.1:8000/"


@pytest.fixture(scope="session")
def idp() -> Iterator[str]:
    """Issuer of the development provider."""
    with provider.running() as issuer:
        yield issuer


def settings_for(database_url: str, issuer: str, **more: Any) -> dict[str, Any]:
    """Settings of an application that signs in at the issuer."""
    return {
        "database_url": database_url,
        "secret_key": SECRET_KEY,
        "testing": True,
        "log_format": "text",
        "idp_issuer": issuer,
        "idp_client_id": provider.CLIENT,
        "idp_client_secret": provider.SECRET,
        "idp_redirect_uris": (REDIRECT, "http://localhost:5173/"),
        **more,
    }


@pytest.fixture(scope="module")
def stub_server() -> Iterator[Stub]:
    """A provider that answers what tests tell it to."""
    server = Stub()
    yield server
    server.close()


@pytest.fixture
def stub(stub_server: Stub) -> Stub:
    """The same, knowing nothing yet."""
    stub_server.reset()
    return stub_server


@pytest.fixture(scope="session")
def auth_app(service_url: str, idp: str) -> Flask:
    """The application with the development provider."""
    return create_app(settings_for(service_url, idp))


@pytest.fixture
def web(auth_app: Flask, db: Any) -> FlaskClient:
    """A client on an empty database whose sign-ins go to the development provider."""
    return auth_app.test_client()


@pytest.fixture
def start(web: FlaskClient) -> Callable[..., dict[str, str]]:
    """Begins a sign-in as a front end does; returns what it sends to /auth/login/idp, and `state`."""

    def begin(person: str = "minji", **query: str) -> dict[str, str]:
        started = web.get("/auth/authorize", query_string=query).json
        back = provider.sign_in_at(started["authorize_url"], person)
        assert back["state"] == started["state"]
        return {
            "code": back["code"],
            "nonce": started["nonce"],
            "code_verifier": started["code_verifier"],
        }

    return begin


@pytest.fixture
def sign_in(web: FlaskClient, start: Callable[..., dict[str, str]]) -> Callable[..., Any]:
    """The tokens of a person who signed in."""

    def signed(person: str = "minji") -> dict[str, str]:
        answer = web.get("/auth/login/idp", query_string=start(person))
        assert answer.status_code == 200, answer.json
        tokens: dict[str, str] = answer.json
        return tokens

    return signed


def bearer(tokens: dict[str, str]) -> dict[str, str]:
    """The Authorization header."""
    return {"Authorization": f"Bearer {tokens['access_token']}"}
