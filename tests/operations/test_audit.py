"""scripts/audit: lists every package, tells known vulnerabilities, and never takes silence for a pass."""

from __future__ import annotations

import json
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

CANARIES = {"pkg:pypi/jinja2@2.10", "pkg:npm/lodash@4.17.15"}
PASS, VULNERABLE, NOT_JUDGED = 0, 1, 3


class Advisories(ThreadingHTTPServer):
    """A stand-in for api.osv.dev: purls that it knows something of, or a whole answer."""

    known: set[str] = CANARIES
    answer: bytes | None = None


class Handler(BaseHTTPRequestHandler):
    server: Advisories

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["queries"]
        results: list[Any] = [
            {"vulns": [{"id": "GHSA-x"}]} if q["package"]["purl"] in self.server.known else {}
            for q in asked
        ]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.server.answer or json.dumps({"results": results}).encode())

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def source() -> Iterator[Advisories]:
    server = Advisories(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def audit(tmp_path: Path, *words: str) -> tuple[int, str]:
    script = str(ROOT / "scripts" / "audit.d" / "main.py")
    listed = ("--sbom", str(tmp_path / "sbom.json"))
    done = subprocess.run(
        [sys.executable, script, "--root", str(ROOT), *listed, *words],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def url(source: Advisories) -> str:
    return f"http://127.0.0.1:{source.server_port}"


def test_the_list_holds_what_the_service_is_made_of(tmp_path: Path) -> None:
    assert audit(tmp_path, "--sbom-only")[0] == PASS
    listed: Any = json.loads((tmp_path / "sbom.json").read_text(encoding="utf-8"))
    assert (listed["bomFormat"], listed["specVersion"]) == ("CycloneDX", "1.5")
    purls = {component["purl"] for component in listed["components"]}
    for name in ("flask", "psycopg2-binary", "werkzeug", "sqlalchemy"):
        assert f"pkg:pypi/{name}@{metadata.version(name)}" in purls
    locked = json.loads((ROOT / "geoshops/map/package-lock.json").read_text(encoding="utf-8"))
    maplibre = locked["packages"]["node_modules/maplibre-gl"]["version"]
    assert f"pkg:npm/maplibre-gl@{maplibre}" in purls
    assert not [purl for purl in purls if "pytest" in purl or "ruff" in purl]
    by_name = {c["name"]: c for c in listed["components"]}
    assert len(by_name["maplibre-gl"]["hashes"][0]["content"]) == 128
    (flask,) = [d for d in listed["dependencies"] if d["ref"].startswith("pkg:pypi/flask@")]
    assert any(need.startswith("pkg:pypi/werkzeug@") for need in flask["dependsOn"])
    assert len(purls) == len(listed["components"]) > 30


def test_nothing_known_is_a_pass_only_when_the_source_knows_something(
    tmp_path: Path, source: Advisories
) -> None:
    assert audit(tmp_path, "--advisories", url(source))[0] == PASS
    source.known = set()
    code, said = audit(tmp_path, "--advisories", url(source))
    assert code == NOT_JUDGED and "NOT JUDGED" in said and "no pass" in said


def test_a_vulnerable_package_is_named(tmp_path: Path, source: Advisories) -> None:
    flask = f"pkg:pypi/flask@{metadata.version('flask')}"
    source.known = {*CANARIES, flask}
    code, said = audit(tmp_path, "--advisories", url(source))
    assert code == VULNERABLE and f"{flask}: GHSA-x" in said


@pytest.mark.parametrize("answer", [b"<html>", b"{}", b'{"results": []}', b"[]"])
def test_nonsense_is_not_judged(tmp_path: Path, source: Advisories, answer: bytes) -> None:
    source.answer = answer
    assert audit(tmp_path, "--advisories", url(source))[0] == NOT_JUDGED


def test_no_answer_is_not_judged(tmp_path: Path) -> None:
    assert audit(tmp_path, "--advisories", "http://127.0.0.1:9")[0] == NOT_JUDGED
    assert audit(tmp_path, "--advisories", str(tmp_path / "none"))[0] == NOT_JUDGED


def advisory(folder: Path, ecosystem: str, name: str, **affected: Any) -> None:
    about = {"package": {"ecosystem": ecosystem, "name": name}, **affected}
    number = len(list(folder.iterdir()))
    text = json.dumps({"id": f"OSV-{number}", "affected": [about]})
    (folder / f"{number}.json").write_text(text, encoding="utf-8")


def test_a_folder_of_advisories_judges_without_a_network(tmp_path: Path) -> None:
    folder = tmp_path / "osv"
    folder.mkdir()
    assert audit(tmp_path, "--advisories", str(folder))[0] == NOT_JUDGED
    advisory(folder, "PyPI", "Jinja2", versions=["2.10"])
    events = [{"introduced": "0"}, {"fixed": "4.17.21"}]
    advisory(folder, "npm", "lodash", ranges=[{"type": "SEMVER", "events": events}])
    old = [{"introduced": "0"}, {"fixed": "0.5"}, {"introduced": "1000"}]
    advisory(folder, "PyPI", "flask", ranges=[{"type": "ECOSYSTEM", "events": old}])
    assert audit(tmp_path, "--advisories", str(folder))[0] == PASS
    now = [{"introduced": "1.0"}, {"last_affected": metadata.version("flask")}]
    advisory(folder, "PyPI", "Flask", ranges=[{"type": "ECOSYSTEM", "events": now}])
    code, said = audit(tmp_path, "--advisories", str(folder))
    assert code == VULNERABLE and "OSV-3" in said and "1 of" in said
