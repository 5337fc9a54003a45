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
PASS, VULNERABLE, NOT_CHECKED = 0, 1, 3


class Advisories(ThreadingHTTPServer):
    """Stands for OSV and for npm's registry: the versions that have a vulnerability, or one fixed response."""

    known: set[tuple[str, str, str]] = CANARIES
    response: bytes | None = None


class Handler(BaseHTTPRequestHandler):
    server: Advisories

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        query = json.loads(body)
        found = self.osv(query) if self.path == "/v1/query" else self.npm(query)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.server.response or json.dumps(found).encode())

    def osv(self, query: dict[str, Any]) -> dict[str, Any]:
        name = query["package"]["name"]
        if ("PyPI", name, query["version"]) not in self.server.known:
            return {}
        affected = [{"package": {"ecosystem": "PyPI", "name": name}}]
        return {"vulns": [{"id": "GHSA-x", "affected": affected}]}

    def npm(self, query: dict[str, Any]) -> dict[str, Any]:
        advisory = {"id": 1, "url": "https://example.org/GHSA-y", "title": "a hole",
                    "severity": "high", "vulnerable_versions": "*"}  # fmt: skip
        return {
            name: [advisory]
            for name, versions in query.items()
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


SCRIPT = ROOT / "scripts" / "audit.d" / "main.py"
# the part of the script that checks a list
CHECK = """
import json, sys
from pathlib import Path
from main import report
sys.exit(report(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]), sys.argv[3]))"""


def audit(folder: Path, *words: str, port: int = 9) -> tuple[int, str]:
    """Exit code and output, with both sources on this port."""
    file = ("--sbom", str(folder / "sbom.json"), "--osv-url", f"http://127.0.0.1:{port}/v1/query")
    return run(port, str(SCRIPT), "--root", str(ROOT), *file, *words)


def check(folder: Path, *, port: int) -> tuple[int, str]:
    """Exit code and output of checking an existing list."""
    front_end = str(ROOT / "geoshops" / "map")
    url = f"http://127.0.0.1:{port}/v1/query"
    return run(port, "-c", CHECK, str(folder / "sbom.json"), front_end, url)


def run(port: int, *words: str) -> tuple[int, str]:
    # as scripts/audit does: without a system npm, the environment has one
    path = os.pathsep.join((os.environ["PATH"], str(Path(sys.executable).parent)))
    npm = {"npm_config_registry": f"http://127.0.0.1:{port}", "npm_config_fetch_retries": "0"}
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, **npm, "PATH": path, "PYTHONPATH": str(SCRIPT.parent)},
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the list."""
    folder = tmp_path_factory.mktemp("audit")
    assert audit(folder, "--sbom-only")[0] == PASS
    return folder


def locked(name: str) -> str:
    lock = json.loads((ROOT / "geoshops/map/package-lock.json").read_text(encoding="utf-8"))
    return str(lock["packages"][f"node_modules/{name}"]["version"])


def sbom(folder: Path) -> Any:
    return json.loads((folder / "sbom.json").read_text(encoding="utf-8"))


def test_the_list_contains_the_packages_of_the_service(listed: Path) -> None:
    document = sbom(listed)
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.5")
    purls = {component["purl"] for component in document["components"]}
    for name in ("flask", "psycopg2-binary", "werkzeug", "sqlalchemy", "redis"):
        assert f"pkg:pypi/{name}@{metadata.version(name)}" in purls
    assert f"pkg:npm/maplibre-gl@{locked('maplibre-gl')}" in purls
    assert not [purl for purl in purls if "pytest" in purl or "ruff" in purl or "axe-core" in purl]
    by_name = {c["name"]: c for c in document["components"]}
    assert len(by_name["maplibre-gl"]["hashes"][0]["content"]) == 128
    references = {c["bom-ref"]: c["purl"] for c in document["components"]}
    (flask,) = [d for d in document["dependencies"] if d["ref"].lower().startswith("flask==")]
    assert any(references[r].startswith("pkg:pypi/werkzeug@") for r in flask["dependsOn"])
    assert len(purls) == len(document["components"]) > 30


def test_passes_only_if_each_source_knows_its_test_package(
    listed: Path, tmp_path: Path, source: Advisories
) -> None:
    assert audit(tmp_path, port=source.server_port)[0] == PASS
    for unknown in CANARIES:
        source.known = CANARIES - {unknown}
        code, said = check(listed, port=source.server_port)
        assert (code, said.count("NOT CHECKED")) == (NOT_CHECKED, 1)
        assert "does not count as passed" in said


def test_a_vulnerable_package_is_named(listed: Path, source: Advisories) -> None:
    flask, maplibre = metadata.version("flask"), locked("maplibre-gl")
    source.known = {*CANARIES, ("PyPI", "flask", flask), ("npm", "maplibre-gl", maplibre)}
    code, said = check(listed, port=source.server_port)
    assert code == VULNERABLE
    assert f"flask=={flask}: GHSA-x" in said.splitlines()
    assert "maplibre-gl: https://example.org/GHSA-y" in said.splitlines()
    assert "2 packages with known vulnerabilities" in said


@pytest.mark.parametrize("response", [b"<html>", b'{"results": []}', b"[]"])
def test_an_invalid_response_of_a_source_is_not_checked(
    listed: Path, source: Advisories, response: bytes
) -> None:
    source.response = response
    assert check(listed, port=source.server_port)[0] == NOT_CHECKED


def test_without_sources_the_list_is_written_and_nothing_checked(tmp_path: Path) -> None:
    code, said = audit(tmp_path, port=9)
    assert (code, said.count("NOT CHECKED")) == (NOT_CHECKED, 2)
    assert len(sbom(tmp_path)["components"]) > 30
