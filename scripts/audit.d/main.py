"""scripts/audit: writes the list of packages and asks a source of advisories about each."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from advisories import NotJudged, judge
from sbom import Package, document, front_end_packages, python_packages

OSV = "https://api.osv.dev"
VULNERABLE, NOT_JUDGED = 1, 3


def main() -> int:
    """Exit code 0, 1 or 3."""
    parser = argparse.ArgumentParser(prog="scripts/audit")
    parser.add_argument("--root", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--sbom", type=Path)
    parser.add_argument("--sbom-only", action="store_true")
    parser.add_argument("--advisories", default=OSV)
    given = parser.parse_args()
    packages = sorted(
        [*python_packages(), *front_end_packages(given.root)], key=lambda p: (p.ecosystem, p.name)
    )
    file = given.sbom or given.root / "artefacts" / "sbom.json"
    write(file, packages, given.root)
    print(f"{len(packages)} packages listed in {file}")
    return 0 if given.sbom_only else report(packages, given.advisories)


def write(file: Path, packages: list[Package], root: Path) -> None:
    """Writes the list."""
    about: dict[str, str] = {}
    exec((root / "geoshops" / "__about__.py").read_text(encoding="utf-8"), about)
    file.parent.mkdir(parents=True, exist_ok=True)
    listed = json.dumps(document(packages, about["VERSION"]), indent=1, ensure_ascii=False)
    file.write_text(listed + "\n", encoding="utf-8")


def report(packages: list[Package], source: str) -> int:
    """Prints what is known."""
    try:
        found = judge(packages, source)
    except NotJudged as reason:
        print(f"NOT JUDGED: {reason}")
        print("This is no pass: run it again where a source of advisories answers.")
        return NOT_JUDGED
    for package, ids in found.items():
        print(f"{package.purl}: {', '.join(ids)}")
    print(f"{len(found)} of {len(packages)} packages with known vulnerabilities, asked of {source}")
    return VULNERABLE if found else 0


if __name__ == "__main__":
    sys.exit(main())
