"""The development provider for tests: started once a run, driven as a browser would."""

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
    """A port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(**environment: str) -> Iterator[str]:
    """The provider on a port of its own; yields its issuer."""
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
    until, last = time.monotonic() + 60, "nothing was asked"
    while time.monotonic() < until:
        assert process.poll() is None, "the provider ended"
        try:
            answer = requests.get(url, timeout=2)
            if answer.ok:
                return
            last = f"status {answer.status_code}"
        except requests.RequestException as error:
            last = str(error)
        time.sleep(0.1)
    raise AssertionError(f"the provider did not start: {last}")


def sign_in_at(authorize_url: str, person: str = "minji") -> dict[str, str]:
    """What a browser brings back after the person has signed in: code and state."""
    browser = requests.Session()
    page = browser.get(authorize_url, timeout=10)
    assert page.status_code == 200, page.text
    assert f'value="{person}"' in page.text or person not in ("minji", "junho", "haneul")
    action = re.search(r'action="([^"]+)"', page.text)
    assert action
    answer = browser.post(
        urljoin(page.url, action[1]), data={"sub": person}, allow_redirects=False, timeout=10
    )
    while urlsplit(answer.headers["Location"]).netloc in ("", urlsplit(page.url).netloc):
        answer = browser.get(
            urljoin(page.url, answer.headers["Location"]), allow_redirects=False, timeout=10
        )
        assert answer.is_redirect, answer.text
    back = parse_qs(urlsplit(answer.headers["Location"]).query)
    return {name: values[0] for name, values in back.items()}
