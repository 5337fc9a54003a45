"""Fixtures for sign-in tests: identity providers, an application that uses one, and sign-in helpers."""

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
    """Starts the development provider; yields its issuer URL."""
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
    """A stub provider, whose responses each test sets."""
    server = Stub()
    yield server
    server.close()


@pytest.fixture
def stub(stub_server: Stub) -> Stub:
    """The stub provider without responses or recorded requests."""
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
    """Starts a sign-in as a client application does; returns the parameters for /auth/login/idp."""

    def begin(person: str = "minji", **query: str) -> dict[str, str]:
        started = web.get("/auth/authorize", query_string=query).json
        callback = provider.sign_in_at(started["authorize_url"], person)
        assert callback["state"] == started["state"]
        return {
            "code": callback["code"],
            "nonce": started["nonce"],
            "code_verifier": started["code_verifier"],
        }

    return begin


@pytest.fixture
def sign_in(web: FlaskClient, start: Callable[..., dict[str, str]]) -> Callable[..., Any]:
    """Signs a person in; returns the tokens."""

    def sign_in_as(person: str = "minji") -> dict[str, str]:
        response = web.get("/auth/login/idp", query_string=start(person))
        assert response.status_code == 200, response.json
        tokens: dict[str, str] = response.json
        return tokens

    return sign_in_as


def bearer(tokens: dict[str, str]) -> dict[str, str]:
    """The Authorization header."""
    return {"Authorization": f"Bearer {tokens['access_token']}"}
