"""Provider-specific behaviour of Kakao, Naver, Google and Apple, tested with a stub that sends their response formats."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from flask import Flask
from flask.testing import FlaskClient
from joserfc import jwt
from joserfc.jwk import ECKey

from geoshops import create_app
from geoshops.auth import providers
from geoshops.auth.presets import presets
from geoshops.config import ConfigError
from geoshops.database.pool import database
from geoshops.members import queries
from geoshops.members.commands import members
from tests.auth.conftest import bearer
from tests.auth.stub import Stub
from tests.conftest import SECRET_KEY
from tests.make import Maker

ADMIN_KEY = "kakao-admin-key"


def apple_key() -> str:
    return (
        ec.generate_private_key(ec.SECP256R1())
        .private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        .decode()
    )


@pytest.fixture(scope="module")
def app(stub_server: Stub, tmp_path_factory: pytest.TempPathFactory, service_url: str) -> Flask:
    """An application with every preset, whose endpoints are those of the stub."""
    endpoints = {
        "kakao": ("authorize", "token", "jwks", "profile", "unlink"),
        "naver": ("authorize", "token", "profile"),
        "google": ("authorize", "token", "jwks", "profile", "unlink"),
        "apple": ("authorize", "token", "jwks", "unlink"),
    }
    text = ""
    for name, parts in endpoints.items():
        text += f'[{name}]\nclient_id = "client"\nclient_secret = """{apple_key() if name == "apple" else "secret"}"""\n'
        text += f'admin_key = "{ADMIN_KEY}"\nteam_id = "TEAM"\nkey_id = "KEY"\nredirect_uris = ["https://app.example/"]\n'
        text += f"[{name}.endpoints]\n"
        text += "".join(f'{part}_url = "{stub_server.url}/{name}/{part}"\n' for part in parts)
        text += 'profile_url = ""\n' if name == "apple" else ""
    file = tmp_path_factory.mktemp("idp") / "more.toml"
    file.write_text(text)
    return create_app(
        {
            "database_url": service_url,
            "secret_key": SECRET_KEY,
            "testing": True,
            "log_format": "text",
            "idp_more": str(file),
        }
    )


@pytest.fixture
def web(app: Flask, db: Any) -> FlaskClient:
    providers.init_app(app, app.extensions["geoshops.settings"])
    return app.test_client()


def kakao(stub: Stub, **claims: object) -> None:
    """Sets Kakao's responses as its documentation shows them."""
    token = stub.id_token(iss="https://kauth.kakao.com", sub="4242", **claims)
    stub.responders |= {
        "/kakao/token": lambda r: r.json({**stub.tokens(token), "expires_in": 21599, "scope": "openid profile_nickname"}),
        "/kakao/jwks": lambda r: r.json({"keys": [stub.key.as_dict(private=False)]}),
        "/kakao/profile": lambda r: r.json(
            {"id": 4242, "kakao_account": {"profile": {"nickname": "홍길동"}}, "properties": {"nickname": "길동"}}
        ),
        "/kakao/unlink": lambda r: r.json({"id": 4242}),
    }  # fmt: skip


def naver(stub: Stub) -> None:
    """Sets Naver's responses: no OpenID Connect, `expires_in` as text."""
    stub.responders |= {
        "/naver/token": lambda r: r.json(
            {"access_token": "a", "refresh_token": "r", "token_type": "bearer", "expires_in": "3600"}
        ),
        "/naver/profile": lambda r: r.json(
            {"resultcode": "00", "message": "success", "response": {"id": "32742776", "nickname": "네이버"}}
        ),
    }  # fmt: skip


def sign_in(web: FlaskClient, provider: str, **more: str) -> Any:
    return web.get("/auth/login/idp", query_string={"code": "c", "provider": provider, **more})


def test_kakao_signs_in_with_its_nickname(web: FlaskClient, stub: Stub, make: Maker) -> None:
    kakao(stub)
    tokens = sign_in(web, "kakao").json
    assert web.get("/member/info", headers=bearer(tokens)).json["nickname"].startswith("홍길동")
    row = make.rows("SELECT provider, issuer, subject FROM member_identities")
    assert row == [("kakao", "https://kauth.kakao.com", "4242")]
    form = next(form for path, form, _ in stub.seen if path == "/kakao/token")
    assert form["client_id"] == "client" and form["redirect_uri"] == "https://app.example/"


def test_kakao_scopes_are_separated_by_commas(web: FlaskClient) -> None:
    url = web.get("/auth/authorize?provider=kakao").json["authorize_url"]
    query = parse_qs(urlsplit(url).query)
    assert query["scope"] == ["openid,profile_nickname"] and "nonce" in query


@pytest.mark.parametrize(
    ("body", "status", "error_code"),
    [
        ({"error": "invalid_grant", "error_description": "authorization code not found", "error_code": "KOE320"}, 400, "105"),
        ({"error": "invalid_grant", "error_description": "Redirect URI mismatch.", "error_code": "KOE303"}, 400, "105"),
        ({"error": "invalid_client", "error_description": "Not exist client_id", "error_code": "KOE101"}, 401, "106"),
        ({"error": "invalid_client", "error_description": "Bad client credentials", "error_code": "KOE010"}, 401, "106"),
        ({"error": "invalid_request", "error_description": "code_verifier is too short"}, 400, "105"),
        ({"error": "invalid_request", "error_description": "Missing PKCE parameter"}, 400, "105"),
        ({"error": "invalid_request", "error_description": "redirect_uri is missing"}, 400, "106"),
        ({"error": "invalid_request", "error_description": ["code_verifier"]}, 400, "106"),
        ({"error": "invalid_client", "error_description": "no code_verifier"}, 401, "106"),
        ({"msg": "internal", "code": -1}, 500, "106"),
    ],
)  # fmt: skip
def test_kakao_errors(
    web: FlaskClient, stub: Stub, body: dict[str, Any], status: int, error_code: str
) -> None:
    kakao(stub)
    stub.responders["/kakao/token"] = lambda r: r.json(body, status)
    assert sign_in(web, "kakao").json["error_code"] == error_code


def test_kakao_id_token_must_match_the_profile(web: FlaskClient, stub: Stub) -> None:
    kakao(stub)
    stub.responders["/kakao/profile"] = lambda r: r.json({"id": 4243})
    assert sign_in(web, "kakao").json["error_code"] == "106"


def test_kakao_nonce_is_compared(web: FlaskClient, stub: Stub) -> None:
    kakao(stub, nonce="mine")
    assert sign_in(web, "kakao", nonce="mine").status_code == 200
    assert sign_in(web, "kakao", nonce="other").json["error_code"] == "105"


def test_withdrawal_unlinks_at_kakao_with_the_admin_key(
    web: FlaskClient, stub: Stub, make: Maker
) -> None:
    kakao(stub)
    tokens = sign_in(web, "kakao").json
    assert web.delete("/member", headers=bearer(tokens)).status_code == 200
    path, form, headers = stub.seen[-1]
    assert path == "/kakao/unlink"
    assert form == {"target_id_type": "user_id", "target_id": "4242"}
    assert headers["Authorization"] == f"KakaoAK {ADMIN_KEY}"
    assert make.sql("SELECT count(*) FROM pending_unlinks") == 0


def test_kakao_reporting_no_link_counts_as_unlinked(
    web: FlaskClient, stub: Stub, make: Maker
) -> None:
    kakao(stub)
    stub.responders["/kakao/unlink"] = lambda r: r.json(
        {"msg": "NotRegisteredUser", "code": -101}, 400
    )
    web.delete("/member", headers=bearer(sign_in(web, "kakao").json))
    assert make.sql("SELECT count(*) FROM pending_unlinks") == 0


def test_the_command_retries_a_failed_unlinking(
    app: Flask, web: FlaskClient, stub: Stub, make: Maker
) -> None:
    kakao(stub)
    stub.responders["/kakao/unlink"] = lambda r: r.json({}, 500)
    tokens = sign_in(web, "kakao").json
    assert web.delete("/member", headers=bearer(tokens)).status_code == 200
    run = app.test_cli_runner().invoke
    assert "0 unlinked, 0 failed, 1 pending" in run(members, ["unlink-pending"]).output
    make.sql("UPDATE pending_unlinks SET next_attempt_at = now()")
    assert "0 unlinked, 1 failed, 1 pending" in run(members, ["unlink-pending"]).output
    (later, attempts), *_ = make.rows(
        "SELECT next_attempt_at > now() + interval '50 seconds', attempts FROM pending_unlinks"
    )
    assert later and attempts == 1
    kakao(stub)
    make.sql("UPDATE pending_unlinks SET next_attempt_at = now()")
    assert "1 unlinked, 0 failed, 0 pending" in run(members, ["unlink-pending"]).output


def test_signing_in_again_drops_the_pending_unlink(
    app: Flask, web: FlaskClient, stub: Stub, make: Maker
) -> None:
    kakao(stub)
    stub.responders["/kakao/unlink"] = lambda r: r.json({}, 500)
    web.delete("/member", headers=bearer(sign_in(web, "kakao").json))
    make.insert(
        "pending_unlinks", provider="kakao", issuer="https://kauth.kakao.com", subject="4243"
    )
    assert sign_in(web, "kakao").status_code == 200
    kakao(stub)
    stub.seen.clear()
    make.sql("UPDATE pending_unlinks SET next_attempt_at = now()")
    run = app.test_cli_runner().invoke(members, ["unlink-pending"])
    assert "1 unlinked, 0 failed, 0 pending" in run.output
    assert [form["target_id"] for _, form, _ in stub.seen] == ["4243"]


def test_signing_in_again_during_an_unlinking_keeps_the_identity(
    web: FlaskClient, stub: Stub, make: Maker
) -> None:
    kakao(stub)
    stub.responders["/kakao/unlink"] = lambda r: r.json({}, 500)
    web.delete("/member", headers=bearer(sign_in(web, "kakao").json))
    make.sql("UPDATE pending_unlinks SET next_attempt_at = now()")
    with web.application.app_context():
        entry = queries.claim_unlink(database())
        assert entry is not None
        assert sign_in(web, "kakao").status_code == 200
        assert queries.unlink_failed(database(), entry, "provider_failed") is False
        assert queries.unlinked(database(), entry) is False
    assert make.sql("SELECT count(*) FROM member_identities") == 1


def test_same_identity_after_withdrawal_is_a_new_member(web: FlaskClient, stub: Stub) -> None:
    kakao(stub)
    first = sign_in(web, "kakao").json
    old = web.get("/member/info", headers=bearer(first)).json["id"]
    web.delete("/member", headers=bearer(first))
    second = sign_in(web, "kakao").json
    assert web.get("/member/info", headers=bearer(second)).json["id"] > old
    assert web.get("/member/info", headers=bearer(first)).status_code == 401


def test_naver_needs_no_id_token_and_gets_the_state(web: FlaskClient, stub: Stub) -> None:
    naver(stub)
    response = sign_in(web, "naver", state="the-state", nonce="ignored-there")
    assert response.status_code == 200
    form = stub.seen[0][1]
    assert form["state"] == "the-state" and form["client_secret"] == "secret"
    assert stub.seen[1][2]["Authorization"] == "Bearer a"


@pytest.mark.parametrize(
    ("path", "body", "error_code"),
    [
        ("token", {"error": "invalid_request", "error_description": "no valid data in session"}, "105"),
        ("token", {"error": "invalid_request", "error_description": "wrong client id / client secret pair"}, "106"),
        ("token", {"error": "server_error"}, "106"),
        ("token", {"error": "unauthorized_client"}, "106"),
        ("profile", {"resultcode": "024", "message": "Authentication failed"}, "106"),
        ("profile", {"resultcode": "00", "message": "success", "response": {}}, "106"),
        ("profile", {"resultcode": "00", "message": "success"}, "106"),
    ],
)  # fmt: skip
def test_naver_errors_have_status_200(
    web: FlaskClient, stub: Stub, path: str, body: dict[str, Any], error_code: str
) -> None:
    naver(stub)
    stub.responders[f"/naver/{path}"] = lambda r: r.json(body)
    assert sign_in(web, "naver").json["error_code"] == error_code


def test_withdrawal_unlinks_at_naver_with_a_new_access_token(
    web: FlaskClient, stub: Stub, make: Maker
) -> None:
    naver(stub)
    web.delete("/member", headers=bearer(sign_in(web, "naver").json))
    forms = [form for path, form, _ in stub.seen if path == "/naver/token"]
    assert [form["grant_type"] for form in forms] == [
        "authorization_code",
        "refresh_token",
        "delete",
    ]
    assert forms[1]["refresh_token"] == "r" and forms[2]["access_token"] == "a"
    assert make.sql("SELECT count(*) FROM pending_unlinks") == 0


@pytest.mark.parametrize(
    ("body", "pending"),
    [
        ({"error": "invalid_request", "error_description": "no valid data in session"}, 0),
        ({"error": "invalid_grant"}, 0),
        ({"error": "invalid_request", "error_description": "wrong client id / client secret pair"}, 1),
        ({"error": "unauthorized_client"}, 1),
        ({"error": "server_error"}, 1),
    ],
)  # fmt: skip
def test_naver_counts_as_unlinked_if_the_token_is_invalid_but_not_if_the_client_is(
    web: FlaskClient, stub: Stub, make: Maker, body: dict[str, Any], pending: int
) -> None:
    naver(stub)
    tokens = sign_in(web, "naver").json
    stub.responders["/naver/token"] = lambda r: r.json(body)
    web.delete("/member", headers=bearer(tokens))
    assert make.sql("SELECT count(*) FROM pending_unlinks") == pending


def google(stub: Stub, name: str, issuer: str) -> None:
    """Sets Google's responses, or those of Apple, under the provider's name."""
    token = stub.id_token(iss=issuer, name="Gil Dong", sub="g-1")
    stub.responders |= {
        f"/{name}/token": lambda r: r.json(stub.tokens(token)),
        f"/{name}/jwks": lambda r: r.json({"keys": [stub.key.as_dict(private=False)]}),
        f"/{name}/profile": lambda r: r.json({"sub": "g-1", "name": "Gil Dong"}),
        f"/{name}/unlink": lambda r: r.bytes(b"", 200, Content_Type="text/html"),
    }


@pytest.mark.parametrize("issuer", ["https://accounts.google.com", "accounts.google.com"])
def test_both_spellings_of_googles_issuer_are_accepted(
    web: FlaskClient, stub: Stub, make: Maker, issuer: str
) -> None:
    google(stub, "google", issuer)
    assert sign_in(web, "google").status_code == 200
    assert make.sql("SELECT issuer FROM member_identities") == "https://accounts.google.com"


# Google responds 400 to an invalid token. Apple responds 200 to it, and 400 to invalid client credentials.
@pytest.mark.parametrize(
    ("name", "status", "content", "pending"),
    [
        ("google", 200, {}, 0), ("google", 204, None, 0),
        ("google", 400, {"error": "invalid_token", "error_description": "Token expired or revoked"}, 0),
        ("google", 400, {"error": "invalid_request", "error_description": "Token is not revocable."}, 1),
        ("google", 400, {}, 1), ("google", 400, None, 1), ("google", 401, {"error": "invalid_token"}, 1),
        ("google", 401, {"error": "invalid_client"}, 1), ("google", 503, {}, 1),
        ("apple", 200, None, 0), ("apple", 400, {"error": "invalid_client"}, 1),
        ("apple", 400, {"error": "invalid_grant"}, 1), ("apple", 400, {"error": ["invalid_token"]}, 1),
    ],
)  # fmt: skip
def test_withdrawal_revokes_the_token_and_the_unlink_stays_pending_on_errors(
    web: FlaskClient, stub: Stub, make: Maker, name: str, status: int, content: object, pending: int
) -> None:
    google(stub, name, presets()[name].issuer)
    body = b"" if content is None else json.dumps(content).encode()
    stub.responders[f"/{name}/unlink"] = lambda r: r.bytes(body, status)
    web.delete("/member", headers=bearer(sign_in(web, name).json))
    assert stub.seen[-1][1]["token"] == "refresh"
    assert make.sql("SELECT count(*) FROM pending_unlinks") == pending


NEW_KEY = "the key after the one of these tests, longer than thirty-two bytes"


def restart_with_keys(app: Flask, *, signing: str, previous: str = "") -> None:
    """Initialises the application's providers again with other keys."""
    settings = app.extensions["geoshops.settings"]
    providers.init_app(app, replace(settings, secret_key=signing, previous_secret_key=previous))


def test_an_unlink_token_sealed_with_a_removed_key_stays_pending_until_the_key_is_restored(
    app: Flask, web: FlaskClient, stub: Stub, make: Maker, caplog: pytest.LogCaptureFixture
) -> None:
    google(stub, "google", "https://accounts.google.com")
    tokens = sign_in(web, "google").json
    restart_with_keys(app, signing=NEW_KEY)
    assert web.delete("/member", headers=bearer(tokens)).status_code == 200
    assert "/google/unlink" not in stub.paths()
    assert make.rows("SELECT last_error FROM pending_unlinks") == [("unlink_token_sealed",)]
    assert "GEOSHOPS_PREVIOUS_SECRET_KEY" in caplog.text
    restart_with_keys(app, signing=NEW_KEY, previous=SECRET_KEY)
    make.sql("UPDATE pending_unlinks SET next_attempt_at = now()")
    run = app.test_cli_runner().invoke(members, ["unlink-pending"])
    assert "1 unlinked, 0 failed, 0 pending" in run.output
    assert stub.seen[-1][1]["token"] == "refresh"


@pytest.mark.parametrize("name", ["kakao", "google"])
def test_unlinking_without_a_stored_token_needs_no_previous_key(
    app: Flask, web: FlaskClient, stub: Stub, make: Maker, name: str
) -> None:
    if name == "kakao":
        kakao(stub)
    else:
        google(stub, name, "https://accounts.google.com")
    tokens = sign_in(web, name).json
    if name == "google":
        make.sql("UPDATE member_identities SET unlink_token = NULL")
    restart_with_keys(app, signing=NEW_KEY)
    web.delete("/member", headers=bearer(tokens))
    assert make.sql("SELECT count(*) FROM pending_unlinks") == 0
    assert ("/kakao/unlink" in stub.paths()) is (name == "kakao")


def test_apple_gets_a_signed_client_secret(web: FlaskClient, stub: Stub, app: Flask) -> None:
    google(stub, "apple", "https://appleid.apple.com")
    response = sign_in(web, "apple")
    assert response.status_code == 200, response.json
    secret = next(form for path, form, _ in stub.seen if path == "/apple/token")["client_secret"]
    client = app.extensions["geoshops.providers"].clients["apple"]
    decoded = jwt.decode(secret, ECKey.import_key(client.client_secret), algorithms=["ES256"])
    assert decoded.header["kid"] == "KEY"
    assert decoded.claims["iss"] == "TEAM" and decoded.claims["sub"] == "client"
    assert decoded.claims["aud"] == "https://appleid.apple.com"
    assert 0 < decoded.claims["exp"] - decoded.claims["iat"] <= 600


def test_presets_contain_https_urls_only() -> None:
    for name, preset in presets().items():
        for field in ("authorize_url", "token_url", "jwks_url", "profile_url", "unlink_url"):
            value = getattr(preset, field)
            assert not value or value.startswith("https://"), (name, field)


@pytest.mark.parametrize(
    "settings",
    [
        {"idp": "myspace", "idp_client_id": "x"},
        {"idp": "oidc", "idp_client_id": "x"},
        {"idp": "apple", "idp_client_id": "x"},
    ],
)
def test_invalid_provider_settings_prevent_the_start(
    service_url: str, settings: dict[str, str]
) -> None:
    with pytest.raises(ConfigError, match="provider"):
        create_app({"database_url": service_url, "testing": True, **settings})


@pytest.mark.parametrize(
    "text",
    [
        "[kakao]\nclient_id = 1",
        '[kakao]\nclient_id = "x"\nredirect_uris = "https://app.example/"',
        '[kakao]\nclient_id = "x"\ncolour = "red"',
        "[kakao]",
        "kakao = 1",
        "[kakao",
        '[myspace]\nclient_id = "x"',
    ],
)
def test_an_invalid_file_of_providers_prevents_the_start(
    service_url: str, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "more.toml"
    file.write_text(text)
    with pytest.raises(ConfigError):
        create_app({"database_url": service_url, "testing": True, "idp_more": str(file)})


def test_a_missing_file_of_providers_prevents_the_start(service_url: str) -> None:
    with pytest.raises(ConfigError, match="GEOSHOPS_IDP_MORE"):
        create_app({"database_url": service_url, "testing": True, "idp_more": "/no/such/file"})
