"""Checks for known vulnerabilities: pip-audit for the Python packages, npm audit for the front end.

Both report no vulnerabilities if their source does not know a package. So each must first find the known
vulnerabilities of an old version."""

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


class NotChecked(Exception):
    """A source could not be queried or is unreliable; the message names it and the reason."""


def of_python(pins: list[str], osv_url: str | None) -> Advisories:
    """Identifiers of advisories by `name==version`."""
    if not _pip_audit([PYTHON_CANARY], osv_url):
        raise NotChecked(
            f"pip-audit's source has no advisory for {PYTHON_CANARY}, which is known to be vulnerable"
        )
    return _pip_audit(pins, osv_url)


def of_front_end(folder: Path) -> Advisories:
    """Identifiers of advisories by package name, for the lock file in `folder`."""
    name, version = NPM_CANARY
    with tempfile.TemporaryDirectory() as canary:
        package = {"dependencies": {name: version}}
        packages = {"": package, f"node_modules/{name}": {"version": version}}
        Path(canary, "package.json").write_text(json.dumps(package))
        lock = {"lockfileVersion": 3, "requires": True, "packages": packages}
        Path(canary, "package-lock.json").write_text(json.dumps(lock))
        if not _npm_audit(Path(canary)):
            raise NotChecked(
                f"npm's source has no advisory for {name} {version}, which is known to be vulnerable"
            )
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
        checked = {f"{d['name']}=={d['version']}": d["vulns"] for d in report["dependencies"]}
        if len(checked) != len(pins):
            raise NotChecked(f"pip-audit checked {len(checked)} of {len(pins)} packages")
        return {pin: [v["id"] for v in found] for pin, found in checked.items() if found}
    except (KeyError, TypeError) as error:
        # skipped packages have no version
        raise NotChecked(f"pip-audit did not check every package: {error}") from error


def _npm_audit(folder: Path) -> Advisories:
    command = ["npm", "audit", "--package-lock-only", "--omit=dev", "--json"]
    report = _report("npm audit", command, folder)
    try:
        return {
            name: [str(via["url"]) if isinstance(via, dict) else str(via) for via in about["via"]]
            for name, about in report["vulnerabilities"].items()
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise NotChecked(f"npm audit: {report.get('message', 'no report')}") from error


def _report(name: str, command: list[str], folder: Path | None = None) -> dict[str, Any]:
    # both exit with 1 if they find vulnerabilities and if they fail
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    try:
        report = json.loads(done.stdout)
    except ValueError:
        last = (done.stderr.strip() or "no report").splitlines()[-1]
        raise NotChecked(f"{name} could not query its source: {last}") from None
    if not isinstance(report, dict):
        raise NotChecked(f"{name} printed no report")
    return report
