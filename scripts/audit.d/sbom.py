"""The packages of the service in CycloneDX: Python's as installed, listed by cyclonedx-py, and the front end's as locked,
listed by npm."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PRODUCT = "geoshops"
# extras that production may install
EXTRAS = ("redis", "analysis")
FRONT_END = Path("geoshops/map")
SPEC_VERSION = "1.5"

Document = dict[str, Any]


def bill_of_materials(root: Path) -> Document:
    """One document with the packages of Python and the front end, without those for tests and development."""
    python, front_end = _python(), _front_end(root)
    names = production_names()
    kept = [c for c in python["components"] if canonicalize_name(c["name"]) in names]
    components = [*kept, *front_end["components"]]
    references = {component["bom-ref"] for component in components}
    version = metadata.version(PRODUCT)
    product = {"type": "application", "name": PRODUCT, "version": version, "bom-ref": PRODUCT}
    dependencies = [
        {"ref": d["ref"], "dependsOn": sorted({*d.get("dependsOn", [])} & references)}
        for d in [*python["dependencies"], *front_end["dependencies"]]
        if d["ref"] in references
    ]
    return {
        **python,
        "metadata": {**python["metadata"], "component": product},
        "components": components,
        "dependencies": [{"ref": PRODUCT, "dependsOn": sorted(references)}, *dependencies],
    }


def production_names() -> set[str]:
    """Names of the service's direct and indirect requirements; cyclonedx-py lists those of every installed extra."""
    names: set[str] = set()
    waiting = list(_needs(PRODUCT, EXTRAS))
    while waiting:
        name, extras = waiting.pop()
        if name not in names:
            names.add(name)
            waiting += _needs(name, extras)
    return names - {PRODUCT}


def _needs(name: str, extras: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    try:
        lines = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return  # belongs to an extra that is not installed
    for need in map(Requirement, lines):
        marker = need.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            # an extra of the service may include another one
            more = extras if canonicalize_name(need.name) == name else ()
            yield canonicalize_name(need.name), (*sorted(need.extras), *more)


def _python() -> Document:
    command = [
        *(sys.executable, "-m", "cyclonedx_py", "environment", "--sv", SPEC_VERSION),
        *("--short-PURLs", "--no-validate", "--output-file", "-", sys.executable),
    ]
    return _printed(command)


def _front_end(root: Path) -> Document:
    command = ["npm", "sbom", "--sbom-format=cyclonedx", "--package-lock-only", "--omit=dev"]
    return _printed(command, root / FRONT_END)


def _printed(command: list[str], folder: Path | None = None) -> Document:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"the packages cannot be listed: {' '.join(command[:3])}: {done.stderr.strip()}")
    document: Document = json.loads(done.stdout)
    return document
