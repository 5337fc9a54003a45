"""The list of what the service is made of, in CycloneDX: Python packages as installed, front-end packages as locked."""

from __future__ import annotations

import base64
import datetime as dt
import json
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

PRODUCT = "geoshops"
# what production may install beyond the bare service
EXTRAS = ("redis", "analysis", "geo")
LOCK = Path("geoshops/map/package-lock.json")


@dataclass(frozen=True)
class Package:
    """One component, with what it needs by name."""

    ecosystem: str
    name: str
    version: str
    licence: str = ""
    sha512: str = ""
    needs: tuple[str, ...] = field(default=(), compare=False)

    @property
    def purl(self) -> str:
        """Its package URL."""
        name = self.name.replace("@", "%40", 1) if self.ecosystem == "npm" else self.name
        return f"pkg:{self.ecosystem.lower()}/{name}@{self.version}"


def canonical(name: str) -> str:
    """The one spelling of a Python package's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def python_packages() -> Iterator[Package]:
    """The service's requirements and theirs, as installed here."""
    seen: set[str] = set()
    waiting = list(_needs(PRODUCT, EXTRAS))
    while waiting:
        name, extras = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # of an extra that is not installed
        further = list(_needs(name, extras))
        waiting += further
        licence = found.metadata.get("License-Expression") or ""
        needs = tuple(sorted({need for need, _ in further}))
        yield Package("PyPI", name, found.version, licence, needs=needs)


def _needs(name: str, extras: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for line in metadata.requires(name) or []:
        need = Requirement(line)
        marked = need.marker is None or any(
            need.marker.evaluate({"extra": extra}) for extra in ("", *extras)
        )
        if marked and canonical(need.name) != PRODUCT:
            yield canonical(need.name), tuple(sorted(need.extras))


def front_end_packages(root: Path) -> Iterator[Package]:
    """What the map page is served with, with the hashes of the lock file; what only builds it is left out."""
    locked = json.loads((root / LOCK).read_text(encoding="utf-8"))["packages"]
    for path, about in locked.items():
        if path and not about.get("dev"):
            name = path.rpartition("node_modules/")[2]
            algorithm, _, digest = about.get("integrity", "").partition("-")
            sha512 = base64.b64decode(digest).hex() if algorithm == "sha512" else ""
            yield Package("npm", name, about["version"], str(about.get("license", "")), sha512)


def document(packages: list[Package], version: str) -> dict[str, Any]:
    """The list in CycloneDX 1.5."""
    known = {p.name: p.purl for p in packages if p.ecosystem == "PyPI"}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid4()}",
        "version": 1,
        "metadata": {
            "timestamp": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
            "component": {"type": "application", "name": PRODUCT, "version": version, "bom-ref": PRODUCT},
        },
        "components": [_component(package) for package in packages],
        "dependencies": [
            {"ref": PRODUCT, "dependsOn": sorted(p.purl for p in packages)},
            *({"ref": p.purl, "dependsOn": [known[n] for n in p.needs if n in known]} for p in packages),
        ],
    }  # fmt: skip


def _component(package: Package) -> dict[str, Any]:
    found: dict[str, Any] = {
        "type": "library",
        "bom-ref": package.purl,
        "name": package.name,
        "version": package.version,
        "purl": package.purl,
    }
    if package.licence:
        found["licenses"] = [{"expression": package.licence}]
    if package.sha512:
        found["hashes"] = [{"alg": "SHA-512", "content": package.sha512}]
    return found
