"""scripts/audit: lists every package, reports known vulnerabilities, and never takes silence for a pass."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

CANARIES = {("PyPI", "jinja2", "2.10"), ("npm", "lodash", "4.17.15")}
PASS, VULNERABLE, NOT_JUDGED = 0, 1, 3


class Advisories(ThreadingHTTPServer):
    """Stands for OSV and for npm's registry: the versions that have a vulnerability, or one fixed answer."""

    known: set[tuple[str, str, str]] = CANARIES
    answer: bytes | None = None


class Handler(BaseHTTPRequestHandler):
    server: Advisories

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        asked = json.loads(body)
        found = self.osv(asked) if self.path == "/v1/query" else self.npm(asked)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.server.answer or json.dumps(found).encode())

    def osv(self, asked: dict[str, Any]) -> dict[str, Any]:
        name = asked["package"]["name"]
        if ("PyPI", name, asked["version"]) not in self.server.known:
            return {}
        affected = [{"package": {"ecosystem": "PyPI", "name": name}}]
        return {"vulns": [{"id": "GHSA-x", "affected": affected}]}

    def npm(self, asked: dict[str, Any]) -> dict[str, Any]:
        advisory = {"id": 1, "url": "https://example.org/GHSA-y", "title": "a hole",
                    "severity": "high", "vulnerable_versions": "*"}  # fmt: skip
        return {
            name: [advisory]
            for name, versions in asked.items()
            if any(("npm", name, version) in self.server.known for version in versions)
        }

    def log_message(self, *_: object) -> None:
        """Logs nothing."""


@pytest.fixture
def source() -> Iterator[Advisories]:
    server = Advisories(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def audit(tmp_path: Path, *words: str, port: int = 9) -> tuple[int, str]:
    """Exit code and output, with both sources on this port."""
    script = str(ROOT / "scripts" / "audit.d" / "main.py")
    url = f"http://127.0.0.1:{port}"
    listed = ("--sbom", str(tmp_path / "sbom.json"), "--osv-url", f"{url}/v1/query")
    # as scripts/audit does: without a system npm, the environment has one
    path = os.pathsep.join((os.environ["PATH"], str(Path(sys.executable).parent)))
    npm = {"PATH": path, "npm_config_registry": url, "npm_config_fetch_retries": "0"}
    done = subprocess.run(
        [sys.executable, script, "--root", str(ROOT), *listed, *words],
        env={**os.environ, **npm}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def locked(name: str) -> str:
    lock = json.loads((ROOT / "geoshops/map/package-lock.json").read_text(encoding="utf-8"))
    return str(lock["packages"][f"node_modules/{name}"]["version"])


def sbom(tmp_path: Path) -> Any:
    return json.loads((tmp_path / "sbom.json").read_text(encoding="utf-8"))


def test_the_list_holds_what_the_service_is_made_of(tmp_path: Path) -> None:
    assert audit(tmp_path, "--sbom-only")[0] == PASS
    listed = sbom(tmp_path)
    assert (listed["bomFormat"], listed["specVersion"]) == ("CycloneDX", "1.5")
    purls = {component["purl"] for component in listed["components"]}
    for name in ("flask", "psycopg2-binary", "werkzeug", "sqlalchemy", "redis"):
        assert f"pkg:pypi/{name}@{metadata.version(name)}" in purls
    assert f"pkg:npm/maplibre-gl@{locked('maplibre-gl')}" in purls
    assert not [purl for purl in purls if "pytest" in purl or "ruff" in purl or "axe-core" in purl]
    by_name = {c["name"]: c for c in listed["components"]}
    assert len(by_name["maplibre-gl"]["hashes"][0]["content"]) == 128
    references = {c["bom-ref"]: c["purl"] for c in listed["components"]}
    (flask,) = [d for d in listed["dependencies"] if d["ref"].lower().startswith("flask==")]
    assert any(references[r].startswith("pkg:pypi/werkzeug@") for r in flask["dependsOn"])
    assert len(purls) == len(listed["components"]) > 30


def test_nothing_known_is_a_pass_only_when_the_sources_know_something(
    tmp_path: Path, source: Advisories
) -> None:
    assert audit(tmp_path, port=source.server_port)[0] == PASS
    for unknown in CANARIES:
        source.known = CANARIES - {unknown}
        code, said = audit(tmp_path, port=source.server_port)
        assert (code, said.count("NOT JUDGED")) == (NOT_JUDGED, 1)
        assert "no pass" in said


def test_a_vulnerable_package_is_named(tmp_path: Path, source: Advisories) -> None:
    flask, maplibre = metadata.version("flask"), locked("maplibre-gl")
    source.known = {*CANARIES, ("PyPI", "flask", flask), ("npm", "maplibre-gl", maplibre)}
    code, said = audit(tmp_path, port=source.server_port)
    assert code == VULNERABLE
    assert f"\nflask=={flask}: GHSA-x\n" in said
    assert "\nmaplibre-gl: https://example.org/GHSA-y\n" in said
    assert "2 packages with known vulnerabilities" in said


@pytest.mark.parametrize("answer", [b"<html>", b'{"results": []}', b"[]"])
def test_nonsense_is_not_judged(tmp_path: Path, source: Advisories, answer: bytes) -> None:
    source.answer = answer
    assert audit(tmp_path, port=source.server_port)[0] == NOT_JUDGED


def test_without_sources_the_list_is_written_and_nothing_judged(tmp_path: Path) -> None:
    code, said = audit(tmp_path, port=9)
    assert (code, said.count("NOT JUDGED")) == (NOT_JUDGED, 2)
    assert len(sbom(tmp_path)["components"]) > 30
