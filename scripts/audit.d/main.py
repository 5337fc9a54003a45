"""scripts/audit: writes the list of packages and reports their known vulnerabilities."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import advisories
from advisories import NotChecked
from sbom import FRONT_END, Document, bill_of_materials

VULNERABLE, NOT_CHECKED = 1, 3


def main() -> int:
    """Exit code 0, 1 or 3."""
    parser = argparse.ArgumentParser(prog="scripts/audit")
    parser.add_argument("--root", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--sbom", type=Path)
    parser.add_argument("--sbom-only", action="store_true")
    parser.add_argument("--osv-url")
    given = parser.parse_args()
    document = bill_of_materials(given.root)
    file = given.sbom or given.root / "artefacts" / "sbom.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(document['components'])} packages listed in {file}")
    return 0 if given.sbom_only else report(document, given.root / FRONT_END, given.osv_url)


def report(document: Document, front_end: Path, osv_url: str | None) -> int:
    """Prints vulnerable packages, and sources that could not be queried."""
    pins = [
        f"{component['name']}=={component['version']}"
        for component in document["components"]
        if component["purl"].startswith("pkg:pypi/")
    ]
    vulnerable, is_checked = 0, True
    sources: list[Callable[[], advisories.Advisories]] = [
        lambda: advisories.of_python(pins, osv_url),
        lambda: advisories.of_front_end(front_end),
    ]
    for source in sources:
        try:
            found = source()
        except (NotChecked, subprocess.TimeoutExpired) as reason:
            print(f"NOT CHECKED: {reason}")
            is_checked = False
        else:
            vulnerable += len(found)
            for package, identifiers in found.items():
                print(f"{package}: {', '.join(identifiers)}")
    print(f"{vulnerable} packages with known vulnerabilities")
    if not is_checked:
        print("This does not count as passed: run it again when the sources of advisories respond.")
    return VULNERABLE if vulnerable else 0 if is_checked else NOT_CHECKED


if __name__ == "__main__":
    sys.exit(main())
