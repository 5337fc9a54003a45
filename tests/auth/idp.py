"""Starts the development identity provider, and signs people in at it as a browser does."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urljoin, urlsplit

import pytest
import requests

ROOT = Path(__file__).resolve().parents[2]
CLIENT = "geoshops"
SECRET = "a client secret for tests"


def free_port() -> int:
    """Returns a TCP port that is not in use."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(**environment: str) -> Iterator[str]:
    """Runs the provider on a free port; yields its issuer URL."""
    port = free_port()
    prepared = subprocess.run(
        [str(ROOT / "scripts" / "idp"), "install"], capture_output=True, text=True, check=False
    )
    if prepared.returncode != 0:
        pytest.skip(f"no identity provider: {prepared.stderr.strip()[-200:]}")
    settings = {"IDP_PORT": str(port), "IDP_CLIENT_SECRET": SECRET, **environment}
    node = shutil.which("node") or str(ROOT / ".venv" / "bin" / "node")
    process = subprocess.Popen(
        [node, str(ROOT / "scripts" / "idp.d" / "server.mjs")],
        env={**os.environ, **settings},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    issuer = f"http://127.0.0.1:{port}"
    try:
        _wait(f"{issuer}/.well-known/openid-configuration", process)
        yield issuer
    finally:
        process.terminate()
        process.wait(60)


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline, last = time.monotonic() + 60, "no request was sent"
    while time.monotonic() < deadline:
        assert process.poll() is None, "the provider process exited"
        try:
            response = requests.get(url, timeout=2)
            if response.ok:
                return
            last = f"status {response.status_code}"
        except requests.RequestException as error:
            last = str(error)
        time.sleep(0.1)
    raise AssertionError(f"the provider did not start: {last}")


def sign_in_at(authorize_url: str, person: str = "minji") -> dict[str, str]:
    """Signs a person in; returns the query of the redirect to the client: `code` and `state`."""
    browser = requests.Session()
    page = browser.get(authorize_url, timeout=10)
    assert page.status_code == 200, page.text
    assert f'value="{person}"' in page.text or person not in ("minji", "junho", "haneul")
    action = re.search(r'action="([^"]+)"', page.text)
    assert action
    response = browser.post(
        urljoin(page.url, action[1]), data={"sub": person}, allow_redirects=False, timeout=10
    )
    while urlsplit(response.headers["Location"]).netloc in ("", urlsplit(page.url).netloc):
        response = browser.get(
            urljoin(page.url, response.headers["Location"]), allow_redirects=False, timeout=10
        )
        assert response.is_redirect, response.text
    query = parse_qs(urlsplit(response.headers["Location"]).query)
    return {name: values[0] for name, values in query.items()}
