"""Sources of advisories: a service that speaks as api.osv.dev does, or a folder of OSV files."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version
from sbom import Package, canonical

TIMEOUT_S = 20
MAX_ANSWER_BYTES = 32 * 1024 * 1024
# vulnerable beyond doubt: a source that does not say so says nothing about the others either
CANARIES = (Package("PyPI", "jinja2", "2.10"), Package("npm", "lodash", "4.17.15"))

Found = dict[Package, list[str]]


class NotJudged(Exception):
    """No source told; that is no pass."""


def judge(packages: list[Package], source: str) -> Found:
    """Advisories by package; NotJudged when the source does not answer or cannot be believed."""
    asked = [*CANARIES, *packages]
    found = by_service(asked, source) if "://" in source else by_folder(asked, Path(source))
    ecosystems = {package.ecosystem for package in packages}
    for canary in CANARIES:
        if canary.ecosystem in ecosystems and not found.get(canary):
            raise NotJudged(f"{source} knows no advisory of {canary.purl}, which has several")
    return {package: ids for package, ids in found.items() if package not in CANARIES and ids}


def by_service(packages: list[Package], url: str) -> Found:
    """What the service says in one question for all."""
    queries = [{"package": {"purl": package.purl}} for package in packages]
    request = urllib.request.Request(
        f"{url.rstrip('/')}/v1/querybatch",
        data=json.dumps({"queries": queries}).encode(),
        headers={"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
            results = json.loads(answer.read(MAX_ANSWER_BYTES))["results"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotJudged(f"{url} did not answer as it should: {error}") from error
    if len(results) != len(packages):
        raise NotJudged(f"{url} answered {len(results)} of {len(packages)} questions")
    if any(result.get("next_page_token") for result in results):
        raise NotJudged(f"{url} has more to say than it did")
    return {
        package: sorted(entry["id"] for entry in result.get("vulns") or [])
        for package, result in zip(packages, results, strict=True)
    }


def by_folder(packages: list[Package], folder: Path) -> Found:
    """What the files of the folder say."""
    if not folder.is_dir():
        raise NotJudged(f"{folder} is no folder")
    wanted = defaultdict(list)
    for package in packages:
        wanted[package.ecosystem, _spelling(package.ecosystem, package.name)].append(package)
    found: Found = defaultdict(list)
    for advisory in _advisories(folder):
        if "withdrawn" in advisory:
            continue
        for affected in advisory.get("affected", []):
            about = affected.get("package", {})
            key = about.get("ecosystem"), _spelling(about.get("ecosystem"), about.get("name", ""))
            for package in wanted.get(key, []):
                if is_affected(package, affected) and advisory["id"] not in found[package]:
                    found[package].append(advisory["id"])
    return found


def _advisories(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.rglob("*.json")):
        try:
            yield json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise NotJudged(f"{path} cannot be read: {error}") from error


def _spelling(ecosystem: str | None, name: str) -> str:
    return canonical(name) if ecosystem == "PyPI" else name


def is_affected(package: Package, affected: dict[str, Any]) -> bool:
    """Whether the version is listed, or lies in one of the ranges."""
    if package.version in affected.get("versions", []):
        return True
    ranges = (r for r in affected.get("ranges", []) if r.get("type") in ("ECOSYSTEM", "SEMVER"))
    return any(_in_range(package.version, r.get("events", [])) for r in ranges)


def _in_range(version: str, events: Iterable[dict[str, str]]) -> bool:
    inside = False
    for event in events:
        for kind, bound in event.items():
            at = _version(bound)
            if kind == "introduced" and (bound == "0" or _version(version) >= at):
                inside = True
            elif (kind == "fixed" and _version(version) >= at) or (
                kind == "last_affected" and _version(version) > at
            ):
                inside = False
    return inside


def _version(text: str) -> Version:
    # what semantic versioning writes behind a hyphen is not always a version to Python
    for candidate in (text, text.partition("-")[0]):
        try:
            return Version(candidate)
        except InvalidVersion:
            continue
    raise NotJudged(f"{text} is a version that cannot be compared")
