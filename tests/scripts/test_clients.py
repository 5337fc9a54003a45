"""scripts/clients: the generated TypeScript client type-checks and works against the running service."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from tests.auth.forged import parts_of, signed
from tests.auth.test_sessions import Device
from tests.conftest import SECRET_KEY
from tests.make import Maker
from tests.server import serving

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def clients() -> Path:
    """The folder of all three generated clients."""
    done = subprocess.run(
        [str(ROOT / "scripts" / "clients")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return ROOT / "artefacts" / "clients"


@pytest.mark.full
def test_three_clients_are_generated(clients: Path) -> None:
    for name, file in (
        ("typescript-fetch", "apis/ReviewsApi.ts"),
        ("kotlin", "src/main/kotlin/org/openapitools/client/apis/ReviewsApi.kt"),
        ("swift6", "Sources/OpenAPIClient/APIs/ReviewsAPI.swift"),
    ):
        assert "createReview" in (clients / name / file).read_text()


@pytest.mark.full
def test_typescript_client_writes_a_review_after_its_token_expired(
    clients: Path, service_url: str, app: Flask, make: Maker, db: Any
) -> None:
    node = shutil.which("node") or str(ROOT / ".venv" / "bin" / "node")
    shop = make.shop()
    device = Device(app, make)
    header, claims, _ = parts_of(device.access)
    past = {name: claims[name] - 7200 for name in ("iat", "nbf", "exp")}
    expired = signed(header, {**claims, **past}, SECRET_KEY)
    with serving(service_url, SECRET_KEY) as origin:
        done = subprocess.run(
            [node, str(clients / "built" / "example.js"), origin, expired, device.refresh],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    assert done.returncode == 0, done.stderr
    assert make.sql("SELECT content FROM reviews WHERE shop_id = %s", shop) == (
        "깨끗하고 소품이 많아요"
    )
