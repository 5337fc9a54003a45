"""A provider that fails or sends invalid data: sign-in is rejected within a time limit and registers nobody."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from joserfc import jwt
from joserfc.jwk import RSAKey

from geoshops import create_app
from geoshops.auth import outbound, providers
from tests.auth import forged
from tests.auth.conftest import settings_for
from tests.auth.stub import Request, Stub
from tests.make import Maker

Fault = Callable[[Request], None]


@pytest.fixture(scope="module")
def stub_app(stub_server: Stub, service_url: str) -> Flask:
    return create_app(settings_for(service_url, stub_server.url, idp_client_id="client"))


@pytest.fixture
def stub_client(stub: Stub, stub_app: Flask, db: Any) -> FlaskClient:
    """A client whose provider is the stub, which responds correctly at first; nothing is cached."""
    stub.serve_openid()
    providers.init_app(stub_app, stub_app.extensions["geoshops.settings"])
    return stub_app.test_client()


def _hang(request: Request) -> None:
    time.sleep(8)


def _close(request: Request) -> None:
    request.close_connection = True


def _truncated(request: Request) -> None:
    request.send_response(200)
    request.send_header("Content-Type", "application/json")
    request.send_header("Content-Length", "5000")
    request.end_headers()
    request.wfile.write(b'{"access_token": "a"')
    request.close_connection = True


def _endless(request: Request) -> None:
    request.stream(itertools.repeat(b" " * 65536, 4096))


def _drip(request: Request) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(100):
            time.sleep(0.1)
            yield b" "

    request.stream(chunks())


def _drip_headers(request: Request) -> None:
    request.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    try:
        for _ in range(100):
            time.sleep(0.1)
            request.wfile.write(b"x")
            request.wfile.flush()
    except OSError:
        request.close_connection = True


def _redirect(request: Request) -> None:
    host = request.headers["Host"]
    request.bytes(b"{}", 302, Location=f"http://{host}/elsewhere")


FAULTS: dict[str, Fault] = {
    "slow": _hang,
    "closed": _close,
    "500": lambda r: r.json({"error": "server_error"}, 500),
    "503": lambda r: r.json({}, 503),
    "429": lambda r: r.json({"error": "slow_down"}, 429),
    "truncated": _truncated,
    "256 MB": _endless,
    "dripping body": _drip,
    "dripping headers": _drip_headers,
    "redirect": _redirect,
    "deep JSON": lambda r: r.bytes(b'{"a":' * 10_000),
    "deep array": lambda r: r.bytes(b"[" * 60_000),
    "HTML": lambda r: r.bytes(b"<html></html>", Content_Type="text/html"),
    "JSON as text": lambda r: r.bytes(b'{"access_token": "a"}', Content_Type="text/plain"),
    "an array": lambda r: r.json([1, 2]),
    "empty body": lambda r: r.bytes(b""),
    "not UTF-8": lambda r: r.bytes(b'{"access_token": "\xff\xfe"}'),
    "long number": lambda r: r.bytes(b'{"sub": ' + b"9" * 5000 + b"}"),
    "compressed": lambda r: r.bytes(b"\x1f\x8b\x08\x00" + b"\0" * 100, Content_Encoding="gzip"),
    "not HTTP": lambda r: (r.wfile.write(b"nonsense\r\n\r\n"), _close(r))[1],
}


@pytest.fixture
def short_timeouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shortens the time limits of requests to the provider, so that slow faults are detected early."""
    monkeypatch.setattr(outbound, "TOTAL_S", 1.2)
    monkeypatch.setattr(outbound, "READ_S", 0.9)


def assert_rejected(stub_client: FlaskClient, make: Maker, within_s: float) -> None:
    started = time.monotonic()
    response = stub_client.get("/auth/login/idp?code=x")
    assert time.monotonic() - started < within_s
    assert (response.status_code, response.json["error_code"]) == (502, "106"), response.json
    assert make.sql("SELECT count(*) FROM members") == 0


@pytest.mark.parametrize("endpoint", ["/token", "/me"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_106_within_the_time_limit_and_the_next_sign_in_works(
    stub_client: FlaskClient,
    stub: Stub,
    make: Maker,
    short_timeouts: None,
    fault: str,
    endpoint: str,
) -> None:
    working = stub.responders[endpoint]
    stub.responders[endpoint] = FAULTS[fault]
    assert_rejected(stub_client, make, within_s=5)
    assert "/elsewhere" not in stub.paths()
    stub.responders[endpoint] = working
    started = time.monotonic()
    assert stub_client.get("/auth/login/idp?code=x").status_code == 200
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("endpoint", ["/.well-known/openid-configuration", "/jwks"])
@pytest.mark.parametrize("fault", ["closed", "500", "256 MB", "redirect", "deep JSON", "an array"])
def test_a_fault_of_the_metadata_is_106_and_not_cached(
    stub_client: FlaskClient,
    stub: Stub,
    make: Maker,
    short_timeouts: None,
    fault: str,
    endpoint: str,
) -> None:
    working = stub.responders[endpoint]
    stub.responders[endpoint] = FAULTS[fault]
    assert_rejected(stub_client, make, within_s=5)
    stub.responders[endpoint] = working
    assert stub_client.get("/auth/login/idp?code=x").status_code == 200


@pytest.mark.parametrize(
    ("missing", "error"),
    [
        ("threading.Thread.start", RuntimeError("can't start new thread")),
        ("requests.Session", OSError(24, "Too many open files")),
    ],
)
def test_lack_of_threads_or_files_is_106_and_occupies_no_slot(
    stub_client: FlaskClient, make: Maker, stub_app: Flask, missing: str, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    places = stub_app.extensions["geoshops.providers"].pool.places
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"geoshops.auth.outbound.{missing}", fail)
        for _ in range(places + 1):
            assert_rejected(stub_client, make, within_s=5)
    assert stub_client.get("/auth/login/idp?code=x").status_code == 200


@pytest.mark.full
@pytest.mark.parametrize("fault", ["slow", "dripping body", "dripping headers"])
def test_requests_to_slow_providers_time_out_after_five_seconds(
    stub_client: FlaskClient, stub: Stub, make: Maker, fault: str
) -> None:
    stub.responders["/token"] = FAULTS[fault]
    assert_rejected(stub_client, make, within_s=7.5)


def _claims(stub: Stub) -> dict[str, Any]:
    return forged.parts_of(stub.id_token())[1]


def _by_other_key(stub: Stub) -> str:
    other = RSAKey.generate_key(2048, {"kid": "one"})
    return jwt.encode({"alg": "RS256", "kid": "one"}, _claims(stub), other)


def _by_public_key(stub: Stub) -> str:
    pem = stub.key.as_pem(private=False)
    return forged.signed({"alg": "HS256", "kid": "one"}, _claims(stub), pem)


def _unsigned(stub: Stub) -> str:
    head = "eyJhbGciOiJub25lIn0"
    return f"{head}.{stub.id_token().split('.')[1]}."


NOW = int(time.time())
INVALID_ID_TOKENS: dict[str, Callable[[Stub], object]] = {
    "no id_token": lambda s: None,
    "not a token": lambda s: "x.y.z",
    "unsigned": _unsigned,
    "signed by another key": _by_other_key,
    "signed with the public key as secret": _by_public_key,
    "unknown kid": lambda s: s.id_token(header={"alg": "RS256", "kid": "two"}),
    "another issuer": lambda s: s.id_token(iss="https://evil.example"),
    "another audience": lambda s: s.id_token(aud="other"),
    "several audiences and no azp": lambda s: s.id_token(aud=["client", "other"]),
    "another azp": lambda s: s.id_token(aud=["client", "other"], azp="other"),
    "azp of another": lambda s: s.id_token(azp="other"),
    "expired": lambda s: s.id_token(exp=NOW - 600),
    "no exp": lambda s: s.id_token(exp=None),
    "issued in the future": lambda s: s.id_token(iat=NOW + 6000),
    "no iat": lambda s: s.id_token(iat=None),
    "not valid yet": lambda s: s.id_token(nbf=NOW + 6000),
    "no subject": lambda s: s.id_token(sub=None),
    "another subject than the profile's": lambda s: s.id_token(sub="other"),
    "subject not a string": lambda s: s.id_token(sub=12),
    "blank subject": lambda s: s.id_token(sub=" "),
    "no audience": lambda s: s.id_token(aud=None),
    "no issuer": lambda s: s.id_token(iss=None),
}  # fmt: skip


@pytest.mark.parametrize("case", INVALID_ID_TOKENS)
def test_invalid_id_tokens_are_rejected(
    stub_client: FlaskClient, stub: Stub, make: Maker, case: str
) -> None:
    token = INVALID_ID_TOKENS[case](stub)
    stub.responders["/token"] = lambda r: r.json(stub.tokens(token))
    assert_rejected(stub_client, make, within_s=2)


@pytest.mark.parametrize(
    "profile",
    [{}, {"sub": "other"}, {"sub": None}, {"sub": ["somebody"]}, {"sub": "somebody\u0000"}],
)
def test_a_profile_of_another_subject_is_rejected(
    stub_client: FlaskClient, stub: Stub, make: Maker, profile: dict[str, object]
) -> None:
    stub.responders["/me"] = lambda r: r.json(profile)
    assert_rejected(stub_client, make, within_s=2)


@pytest.mark.parametrize(
    "tokens",
    [
        {"access_token": ""},
        {"access_token": 1},
        {"access_token": None},
        {"access_token": "x" * 9000},
    ],
)
def test_invalid_access_tokens_of_the_provider_are_106(
    stub_client: FlaskClient, stub: Stub, make: Maker, tokens: dict[str, object]
) -> None:
    stub.responders["/token"] = lambda r: r.json({**stub.tokens(stub.id_token()), **tokens})
    assert_rejected(stub_client, make, within_s=2)


def test_metadata_of_another_issuer_is_rejected(
    stub_client: FlaskClient, stub: Stub, make: Maker
) -> None:
    metadata = {**stub.metadata(), "issuer": "https://evil.example"}
    stub.responders["/.well-known/openid-configuration"] = lambda r: r.json(metadata)
    assert_rejected(stub_client, make, within_s=2)
    assert "/token" not in stub.paths()


@pytest.mark.parametrize(
    ("methods", "in_header"),
    [(["client_secret_basic"], True), (["client_secret_post"], False), (None, True)],
)
def test_the_client_secret_is_sent_by_the_providers_method(
    stub_client: FlaskClient, stub: Stub, methods: list[str] | None, in_header: bool
) -> None:
    metadata = {**stub.metadata(), "token_endpoint_auth_methods_supported": methods}
    stub.responders["/.well-known/openid-configuration"] = lambda r: r.json(metadata)
    assert stub_client.get("/auth/login/idp?code=x").status_code == 200
    _, form, headers = next(request for request in stub.seen if request[0] == "/token")
    assert ("client_secret" in form) is not in_header
    assert headers.get("Authorization", "").startswith("Basic ") is in_header


def test_two_identities_with_one_nickname_become_two_members(
    stub_client: FlaskClient, stub: Stub, make: Maker
) -> None:
    for subject in ("one", "two"):
        stub.serve_openid(sub=subject)
        stub.responders["/me"] = lambda r, s=subject: r.json(
            {"sub": s, "nickname": "Twin", "email": "x@example"}
        )
        assert stub_client.get("/auth/login/idp?code=x").status_code == 200
    assert make.sql("SELECT count(*) FROM members") == 2


def test_keys_are_cached_and_an_unknown_kid_does_not_refetch_them_at_once(
    stub_client: FlaskClient, stub: Stub, make: Maker
) -> None:
    for _ in range(3):
        assert stub_client.get("/auth/login/idp?code=x").status_code == 200
    unknown = stub.id_token(header={"alg": "RS256", "kid": "two"})
    stub.responders["/token"] = lambda r: r.json(stub.tokens(unknown))
    for _ in range(3):
        assert stub_client.get("/auth/login/idp?code=x").json["error_code"] == "106"
    assert stub.paths().count("/jwks") == 1
    assert stub.paths().count("/.well-known/openid-configuration") == 1


def test_rotated_keys_of_the_provider_are_fetched(
    stub_client: FlaskClient, stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert stub_client.get("/auth/login/idp?code=x").status_code == 200
    stub.key = RSAKey.generate_key(2048, {"kid": "two", "use": "sig"})
    token = stub.id_token(header={"alg": "RS256", "kid": "two"})
    stub.responders["/token"] = lambda r: r.json(stub.tokens(token))
    monkeypatch.setattr("geoshops.auth.id_token.UNKNOWN_KID_EVERY_S", -1)
    assert stub_client.get("/auth/login/idp?code=x").status_code == 200


def test_codes_and_tokens_are_not_logged(
    stub_client: FlaskClient, stub: Stub, caplog: pytest.LogCaptureFixture, capfd: Any
) -> None:
    response = stub_client.get(
        "/auth/login/idp?code=very-secret-code&code_verifier=very-secret-verifier"
    )
    stub.responders["/token"] = FAULTS["500"]
    stub_client.get("/auth/login/idp?code=very-secret-code")
    logged = caplog.text + "".join(capfd.readouterr())
    for secret in ("very-secret", response.json["access_token"], response.json["refresh_token"]):
        assert secret not in logged
