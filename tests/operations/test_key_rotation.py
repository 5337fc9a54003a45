"""Rotation of the signing key with two reloads: no valid token of a signed-in member is rejected."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jwt
import pytest
import requests
from flask import Flask

from geoshops.web import tokens
from geoshops.web.tokens import Caller
from tests.conftest import ROOT, SECRET_KEY
from tests.make import Maker
from tests.server import free_port, wait_for

NEW_KEY = "the next key of these tests, longer than thirty-two bytes as well"
MEMBERS = 4


class Server:
    """Two workers that read their keys from files, and read them again on SIGHUP."""

    def __init__(self, url: str, folder: Path) -> None:
        self.folder, self.log = folder, (folder / "log").open("w+")
        self.keys(signing=SECRET_KEY, also="")
        port = free_port()
        self.process = subprocess.Popen(
            [
                sys.executable, "-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1",
                "--port", str(port), "--workers", "2", "--blocking-threads", "4",
                "--backpressure", "256", "--no-ws", "--no-access-log",
                # a worker ignores SIGTERM while it is still loading, so it must be killed
                "--workers-kill-timeout", "10", "wsgi:app",
            ],
            cwd=ROOT,
            env={
                **{k: v for k, v in os.environ.items() if k != "PROMETHEUS_MULTIPROC_DIR"},
                "DATABASE_URL": url,
                "GEOSHOPS_SECRET_KEY_FILE": str(folder / "secret"),
                "GEOSHOPS_PREVIOUS_SECRET_KEY_FILE": str(folder / "also"),
            },
            stdout=self.log,
            stderr=self.log,
        )  # fmt: skip
        self.origin = wait_for(f"http://127.0.0.1:{port}", self.process, self.log)

    def keys(self, *, signing: str, also: str) -> None:
        (self.folder / "secret").write_text(signing)
        (self.folder / "also").write_text(also)

    def reload(self) -> None:
        """Replaces both workers, one after the other."""
        before = self.count_in_log("Stopped old worker")
        self.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + 60
        while self.count_in_log("Stopped old worker") < before + 2:
            assert time.monotonic() < deadline, "the workers were not replaced"
            time.sleep(0.1)
        wait_for(self.origin, self.process, self.log)

    def count_in_log(self, words: str) -> int:
        return (self.folder / "log").read_text().count(words)


@pytest.fixture
def server(service_url: str, db: Any, tmp_path: Path) -> Iterator[Server]:
    started = Server(service_url, tmp_path)
    yield started
    started.process.send_signal(signal.SIGTERM)
    started.process.wait(30)
    started.log.close()


def signed_in(app: Flask, make: Maker) -> tuple[str, str]:
    """Access and refresh token of a new member."""
    member, jti = make.member(), tokens.new_jti()
    session = make.session(member)
    make.sql("UPDATE sessions SET refresh_hash = %s WHERE id = %s", tokens.jti_hash(jti), session)
    times = make.rows("SELECT now(), expires_at FROM sessions WHERE id = %s", session)[0]
    with app.app_context():
        caller = Caller(member, session)
        refresh = tokens.issue_refresh(caller, jti, issued_at=times[0], expires_at=times[1])
        return tokens.issue_access(caller), refresh


class Person:
    """A client that keeps using its first access token, and each new one immediately, whichever worker signed it."""

    def __init__(self, origin: str, access: str, refresh: str) -> None:
        self.origin, self.first, self.refresh = origin, access, refresh
        self.statuses: dict[int, int] = {}
        self.kids: set[str] = set()
        self.stopping = threading.Event()

    def run(self) -> None:
        while not self.stopping.is_set():
            fresh = self._request("POST", "/auth/token", json={"refresh_token": self.refresh})
            for token in (self.first, fresh and fresh["access_token"]):
                if token:
                    self.kids.add(jwt.get_unverified_header(token)["kid"])
                    bearer = {"Authorization": f"Bearer {token}"}
                    self._request("GET", "/member/info", headers=bearer)

    def _request(self, method: str, path: str, **more: Any) -> Any:
        try:
            response = requests.request(method, f"{self.origin}{path}", timeout=10, **more)
        except requests.ConnectionError:
            return None  # a worker that ends closes its connections, which is not tested here
        self.statuses[response.status_code] = self.statuses.get(response.status_code, 0) + 1
        return response.json()


@pytest.mark.full
def test_key_rotation_keeps_sessions(app: Flask, server: Server, make: Maker) -> None:
    people = [Person(server.origin, *signed_in(app, make)) for _ in range(MEMBERS)]
    threads = [threading.Thread(target=person.run) for person in people]
    for thread in threads:
        thread.start()
    try:
        time.sleep(1)
        server.keys(signing=SECRET_KEY, also=NEW_KEY)
        server.reload()
        server.keys(signing=NEW_KEY, also=SECRET_KEY)
        server.reload()
        time.sleep(2)
    finally:
        for person in people:
            person.stopping.set()
        for thread in threads:
            thread.join()
    statuses = {status for person in people for status in person.statuses}
    assert statuses == {200}, [person.statuses for person in people]
    assert sum(person.statuses[200] for person in people) > 200
    wanted = {tokens.key_id(SECRET_KEY), tokens.key_id(NEW_KEY)}
    assert all(person.kids == wanted for person in people)


@pytest.mark.full
def test_tokens_of_a_removed_key_are_rejected(app: Flask, server: Server, make: Maker) -> None:
    access, _ = signed_in(app, make)
    bearer = {"Authorization": f"Bearer {access}"}
    assert requests.get(f"{server.origin}/member/info", headers=bearer, timeout=10).ok
    server.keys(signing=NEW_KEY, also="")
    server.reload()
    response = requests.get(f"{server.origin}/member/info", headers=bearer, timeout=10)
    assert (response.status_code, response.json()["error_code"]) == (401, "101")
