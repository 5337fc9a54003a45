"""Races of sign-in, refresh and sign-out: one member per identity, one successor per token, no use of ended sessions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import requests
from flask import Flask

from geoshops.database.pool import database
from geoshops.members import queries
from tests.auth import idp as provider
from tests.auth.conftest import REDIRECT
from tests.auth.stub import Request, Stub
from tests.auth.test_sessions import Device
from tests.conftest import SECRET_KEY
from tests.make import Maker
from tests.races.conftest import THREADS, Crowd
from tests.server import serving

ROUNDS = [pytest.param(3, id="few"), pytest.param(100, id="many", marks=pytest.mark.full)]


@pytest.fixture(scope="module")
def provider_stub() -> Iterator[Stub]:
    """A provider that uses the code as the subject, and the same nickname for everyone."""
    stub = Stub()
    stub.serve_openid()

    def token(request: Request) -> None:
        code = request.form["code"]
        request.json({**stub.tokens(stub.id_token(sub=code)), "access_token": code})

    def profile(request: Request) -> None:
        request.json({"sub": request.headers["Authorization"][7:], "nickname": "쌍둥이"})

    stub.responders |= {"/token": token, "/me": profile}
    yield stub
    stub.close()


@pytest.fixture(scope="module")
def origin(service_url: str, provider_stub: Stub) -> Iterator[str]:
    """A server that signs people in at the stub."""
    settings = {
        "GEOSHOPS_IDP_ISSUER": provider_stub.url,
        "GEOSHOPS_IDP_CLIENT_ID": "client",
        "GEOSHOPS_IDP_REDIRECT_URIS": REDIRECT,
        # All threads may call the provider at once, so that the race is in the database.
        "GEOSHOPS_IDP_CONCURRENCY": "4",
    }
    with serving(service_url, SECRET_KEY, **settings) as address:
        yield address


def sign_ins(crowd: Crowd, subjects: list[str]) -> list[requests.Response]:
    paths = [f"/auth/login/idp?code={subject}" for subject in subjects]
    return crowd.at_once([crowd.call("GET", path, {}) for path in paths])


@pytest.mark.parametrize("rounds", ROUNDS)
def test_concurrent_first_sign_ins_of_one_identity_create_one_member(
    crowd: Crowd, make: Maker, rounds: int
) -> None:
    for number in range(rounds):
        responses = sign_ins(crowd, [f"person-{number}"] * THREADS)
        assert [a.status_code for a in responses] == [200] * THREADS, responses[0].text
        assert make.sql("SELECT count(*) FROM members") == number + 1
        assert make.sql("SELECT count(*) FROM sessions") == (number + 1) * THREADS
        assert make.sql("SELECT count(*) FROM member_titles") == number + 1


@pytest.mark.parametrize("rounds", ROUNDS)
def test_concurrent_first_sign_ins_with_one_nickname_create_one_member_each(
    crowd: Crowd, make: Maker, rounds: int
) -> None:
    for number in range(rounds):
        responses = sign_ins(crowd, [f"twin-{number}-{place}" for place in range(THREADS)])
        assert [a.status_code for a in responses] == [200] * THREADS
    whole = rounds * THREADS
    assert make.sql("SELECT count(*) FROM members") == whole
    assert make.sql("SELECT count(DISTINCT nickname_key) FROM members") == whole


def test_one_authorization_code_signs_in_once(service_url: str, app: Flask, make: Maker) -> None:
    with provider.running() as issuer:
        settings = {
            "GEOSHOPS_IDP_ISSUER": issuer,
            "GEOSHOPS_IDP_CLIENT_ID": provider.CLIENT,
            "GEOSHOPS_IDP_CLIENT_SECRET": provider.SECRET,
            "GEOSHOPS_IDP_REDIRECT_URIS": REDIRECT,
        }
        with serving(service_url, SECRET_KEY, **settings) as origin:
            crowd = Crowd(origin, app, make)
            started = requests.get(f"{origin}/auth/authorize", timeout=10).json()
            code = provider.sign_in_at(started["authorize_url"])["code"]
            path = f"/auth/login/idp?code={code}&code_verifier={started['code_verifier']}"
            responses = crowd.at_once([crowd.call("GET", path, {})] * THREADS)
    statuses = sorted(a.status_code for a in responses)
    assert statuses[:1] in ([200], [400]) and statuses.count(200) <= 1
    assert all(status in (200, 400, 502) for status in statuses)
    assert make.sql("SELECT count(*) FROM sessions") <= 1


@pytest.mark.parametrize("rounds", ROUNDS)
def test_one_refresh_token_rotated_by_all_has_one_successor(
    crowd: Crowd, app: Flask, make: Maker, rounds: int
) -> None:
    device = Device(app, make)
    token = device.refresh
    for _ in range(rounds):
        body = {"refresh_token": token, "rotate": True}
        responses = crowd.at_once([crowd.call("POST", "/auth/token", {}, body)] * THREADS)
        assert {a.status_code for a in responses} == {200}
        successors = {a.json()["refresh_token"] for a in responses}
        assert len(successors) == 1 and successors != {token}
        token = successors.pop()


@pytest.mark.parametrize("rounds", ROUNDS)
def test_sign_out_during_refreshes_ends_the_session(
    crowd: Crowd, app: Flask, make: Maker, rounds: int
) -> None:
    for _ in range(rounds):
        device = Device(app, make)
        body = {"refresh_token": device.refresh, "rotate": True}
        calls = [crowd.call("POST", "/auth/token", {}, body)] * (THREADS - 1)
        responses = crowd.at_once([crowd.call("GET", "/auth/logout", device.bearer), *calls])
        assert responses[0].status_code == 200
        assert {a.status_code for a in responses[1:]} <= {200, 401}
        tokens = [a.json()["access_token"] for a in responses[1:] if a.status_code == 200]
        for token in [device.access, *tokens[:3]]:
            headers = {"Authorization": f"Bearer {token}"}
            response = requests.get(f"{crowd.origin}/member/info", headers=headers, timeout=10)
            assert response.status_code == 401


@pytest.mark.parametrize("rounds", ROUNDS)
def test_sign_out_takes_effect_in_every_worker_at_once(
    crowd: Crowd, app: Flask, make: Maker, rounds: int
) -> None:
    for _ in range(rounds):
        device = Device(app, make)
        info = crowd.call("GET", "/member/info", device.bearer)
        assert {a.status_code for a in crowd.at_once([info] * THREADS)} == {200}
        requests.get(f"{crowd.origin}/auth/logout", headers=device.bearer, timeout=10)
        assert {a.status_code for a in crowd.at_once([info] * THREADS)} == {401}


@pytest.mark.parametrize("rounds", ROUNDS)
def test_signing_in_again_during_retries_drops_the_pending_unlink(
    crowd: Crowd, app: Flask, make: Maker, rounds: int
) -> None:
    def retry_unlinks(_: requests.Session) -> requests.Response:
        with app.app_context():
            for _ in range(5):
                if entry := queries.claim_unlink(database()):
                    queries.unlink_failed(database(), entry, "provider_failed")
        return requests.Response()

    for number in range(rounds):
        subjects = [f"returner-{number}-{place}" for place in range(8)]
        for response in sign_ins(crowd, subjects):
            bearer = {"Authorization": f"Bearer {response.json()['access_token']}"}
            requests.delete(f"{crowd.origin}/member", headers=bearer, timeout=10)
        make.sql("UPDATE pending_unlinks SET next_attempt_at = now()")
        assert make.sql("SELECT count(*) FROM pending_unlinks") == len(subjects)
        again = [crowd.call("GET", f"/auth/login/idp?code={subject}", {}) for subject in subjects]
        responses = crowd.at_once([*again, *again, *[retry_unlinks] * 4])
        assert {a.status_code for a in responses if a.status_code} == {200}
        assert make.sql("SELECT count(*) FROM pending_unlinks") == 0


@pytest.mark.parametrize("rounds", ROUNDS)
def test_withdrawal_during_new_sign_ins_leaves_no_member_without_identity(
    crowd: Crowd, make: Maker, rounds: int
) -> None:
    for number in range(rounds):
        subject = f"leaver-{number}"
        (first,) = sign_ins(crowd, [subject])
        bearer = {"Authorization": f"Bearer {first.json()['access_token']}"}
        again = crowd.call("GET", f"/auth/login/idp?code={subject}", {})
        responses = crowd.at_once([crowd.call("DELETE", "/member", bearer), *[again] * 15])
        assert {a.status_code for a in responses} == {200}
        old = responses[0].json()["id"]
        assert make.sql("SELECT count(*) FROM sessions WHERE member_id = %s", old) == 0
        linked = make.sql("SELECT count(*) FROM member_identities WHERE subject = %s", subject)
        without_identity = make.sql(
            "SELECT count(*) FROM members m WHERE withdrawn_at IS NULL"
            " AND NOT EXISTS (SELECT FROM member_identities i WHERE i.member_id = m.id)"
        )
        assert (linked <= 1, without_identity) == (True, 0)
        entries = "SELECT count(*) FROM pending_unlinks WHERE subject = %s"
        assert make.sql(entries, subject) == 1 - linked
