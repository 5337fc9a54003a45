"""Known vulnerabilities: pip-audit judges the Python packages, npm those of the front end.

Both report "nothing found" when their source does not know a package, so each is believed only when it finds the
vulnerabilities of an old version that has some."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PYTHON_CANARY = "jinja2==2.10"
NPM_CANARY = ("lodash", "4.17.15")
TIMEOUT_S = 600

Advisories = dict[str, list[str]]


class NotJudged(Exception):
    """A source could not be asked, or cannot be believed; the message says which and why."""


def of_python(pins: list[str], osv_url: str | None) -> Advisories:
    """Identifiers of advisories by `name==version`."""
    if not _pip_audit([PYTHON_CANARY], osv_url):
        raise NotJudged(f"pip-audit's source knows no advisory of {PYTHON_CANARY}, which has some")
    return _pip_audit(pins, osv_url)


def of_front_end(folder: Path) -> Advisories:
    """Identifiers of advisories by name of a package that the lock file in `folder` names."""
    name, version = NPM_CANARY
    with tempfile.TemporaryDirectory() as canary:
        package = {"dependencies": {name: version}}
        packages = {"": package, f"node_modules/{name}": {"version": version}}
        Path(canary, "package.json").write_text(json.dumps(package))
        lock = {"lockfileVersion": 3, "requires": True, "packages": packages}
        Path(canary, "package-lock.json").write_text(json.dumps(lock))
        if not _npm_audit(Path(canary)):
            raise NotJudged(f"npm's source knows no advisory of {name} {version}, which has some")
    return _npm_audit(folder)


def _pip_audit(pins: list[str], osv_url: str | None) -> Advisories:
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as requirements:
        requirements.write("\n".join(pins))
        requirements.flush()
        command = [
            *(sys.executable, "-m", "pip_audit", "-r", requirements.name, "--no-deps"),
            *("--disable-pip", "--progress-spinner", "off", "-f", "json", "-s", "osv"),
            *(("--osv-url", osv_url) if osv_url else ()),
        ]
        report = _report("pip-audit", command)
    try:
        judged = {f"{d['name']}=={d['version']}": d["vulns"] for d in report["dependencies"]}
        if len(judged) != len(pins):
            raise NotJudged(f"pip-audit judged {len(judged)} of {len(pins)} packages")
        return {pin: [v["id"] for v in found] for pin, found in judged.items() if found}
    except (KeyError, TypeError) as error:
        # a package that it skipped has no version
        raise NotJudged(f"pip-audit did not judge every package: {error}") from error


def _npm_audit(folder: Path) -> Advisories:
    command = ["npm", "audit", "--package-lock-only", "--omit=dev", "--json"]
    report = _report("npm audit", command, folder)
    try:
        return {
            name: [str(via["url"]) if isinstance(via, dict) else str(via) for via in about["via"]]
            for name, about in report["vulnerabilities"].items()
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise NotJudged(f"npm audit: {report.get('message', 'no report')}") from error


def _report(name: str, command: list[str], folder: Path | None = None) -> dict[str, Any]:
    # both exit with 1 when they find something, and when they fail
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    try:
        report = json.loads(done.stdout)
    except ValueError:
        last = (done.stderr.strip() or "no report").splitlines()[-1]
        raise NotJudged(f"{name} could not ask its source: {last}") from None
    if not isinstance(report, dict):
        raise NotJudged(f"{name} printed no report")
    return report
