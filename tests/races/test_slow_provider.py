"""A hanging provider: sign-ins are rejected quickly, and other requests are not affected."""

from __future__ import annotations

import statistics
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from flask import Flask

from tests.auth.stub import Stub
from tests.conftest import SECRET_KEY
from tests.make import Maker
from tests.server import serving

SIGN_INS = 200


def make_hang(stub: Stub) -> None:
    """Makes the token endpoint accept connections without responding."""
    stub.serve_openid()
    stub.responders["/token"] = lambda _: time.sleep(30)


@pytest.mark.full
def test_two_hundred_hanging_sign_ins_do_not_slow_other_requests(
    service_url: str, app: Flask, make: Maker
) -> None:
    stub = Stub()
    make_hang(stub)
    settings = {"GEOSHOPS_IDP_ISSUER": stub.url, "GEOSHOPS_IDP_CLIENT_ID": "client"}
    bearer = make.bearer(app)
    with serving(service_url, SECRET_KEY, **settings) as origin:
        url = f"{origin}/auth/login/idp?code=x"
        times_s: list[float] = []
        failed: list[int] = []
        finished = threading.Event()

        def probe() -> None:
            session = requests.Session()
            while not finished.is_set():
                started = time.monotonic()
                response = session.get(f"{origin}/member/info", headers=bearer, timeout=30)
                times_s.append(time.monotonic() - started)
                if response.status_code != 200:
                    failed.append(response.status_code)
                time.sleep(0.01)

        prober = threading.Thread(target=probe)
        prober.start()
        with ThreadPoolExecutor(SIGN_INS) as pool:
            responses = list(pool.map(lambda _: requests.get(url, timeout=60), range(SIGN_INS)))
        finished.set()
        prober.join()
        assert Counter(a.json()["error_code"] for a in responses) == {"106": SIGN_INS}
        p95_s = statistics.quantiles(times_s, n=20)[18]
        print(
            f"{len(times_s)} concurrent requests, p95 {p95_s * 1000:.0f} ms, maximum {max(times_s):.3f} s"
        )
        assert failed == []
        assert p95_s < 1 and max(times_s) < 4
        stub.serve_openid()
        started = time.monotonic()
        response = requests.get(url, timeout=10)
        assert response.status_code == 200, response.text
        assert time.monotonic() - started < 4
    stub.close()
    assert make.sql("SELECT count(*) FROM members WHERE withdrawn_at IS NULL") == 2
