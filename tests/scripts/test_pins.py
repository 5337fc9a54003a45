"""Every installed package has one pinned version, and the pin files contain no download URLs."""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
CONSTRAINTS = SCRIPTS / "constraints.txt"
PIN = re.compile(r"[A-Za-z0-9_.-]+==[^/\s*]+( ; .+)?")
REQUIREMENTS = sorted(SCRIPTS.rglob("requirements.txt"))
NPM = [ROOT / "geoshops" / "map", SCRIPTS / "idp.d", SCRIPTS / "clients.d"]


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def versions(path: Path) -> dict[str, set[str]]:
    """Pinned versions by package; several if markers select one."""
    found: dict[str, set[str]] = {}
    for line in lines(path):
        name, version = line.partition(" ;")[0].split("==")
        found.setdefault(canonical(name), set()).add(version)
    return found


def identifier(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize(
    "path", [CONSTRAINTS, SCRIPTS / "setup.d" / "pip.txt", *REQUIREMENTS], ids=identifier
)
def test_every_line_names_one_version(path: Path) -> None:
    assert lines(path)
    assert [line for line in lines(path) if not PIN.fullmatch(line)] == []


@pytest.mark.parametrize("path", REQUIREMENTS, ids=identifier)
def test_requirements_are_compiled_from_the_declared_ones(path: Path) -> None:
    required = {canonical(Requirement(line).name) for line in lines(path.with_suffix(".in"))}
    assert required and required <= versions(path).keys()


def wanted() -> Iterator[Requirement]:
    """The requirements in setup.cfg, of all extras."""
    setup = configparser.ConfigParser(interpolation=None)
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    extras = setup["options.extras_require"].values()
    for line in "\n".join([setup["options"]["install_requires"], *extras]).splitlines():
        if line and not line.startswith("%"):
            yield Requirement(line)


def test_the_constraints_hold_whatever_setup_asks_for() -> None:
    assert {canonical(one.name) for one in wanted()} <= versions(CONSTRAINTS).keys()


def installed() -> dict[str, str]:
    """Installed versions of the direct and indirect requirements in setup.cfg."""
    found: dict[str, str] = {}
    waiting = list(wanted())
    while waiting:
        one = waiting.pop()
        try:
            package = metadata.distribution(one.name)
        except metadata.PackageNotFoundError:
            continue
        if canonical(one.name) in found:
            continue
        found[canonical(one.name)] = package.version
        needs = [Requirement(text) for text in package.requires or ()]
        waiting += [
            need for need in needs if need.marker is None or need.marker.evaluate({"extra": ""})
        ]
    return found


def test_what_is_installed_is_what_is_pinned() -> None:
    pins = versions(CONSTRAINTS)
    here = installed()
    assert len(here) > 60
    assert {
        name: version for name, version in here.items() if version not in pins.get(name, ())
    } == {}


def test_the_build_is_pinned() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    assert all(PIN.fullmatch(line) for line in build["requires"])


def test_every_npm_package_has_a_lock_file() -> None:
    listed = ROOT.glob("*/**/package.json")
    # except files that tools installed or generated
    others = {"node_modules", "vendor", ".venv", "artefacts"}
    ours = [p.parent for p in listed if not others & set(p.parts)]
    assert sorted(ours) == sorted(NPM)


@pytest.mark.parametrize("folder", NPM, ids=identifier)
def test_npm_packages_have_one_version_a_hash_and_no_download_address(folder: Path) -> None:
    package = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    required = {**package.get("dependencies", {}), **package.get("devDependencies", {})}
    assert required and all(
        re.fullmatch(r"\d+\.\d+\.\d+", version) for version in required.values()
    )
    locked = json.loads((folder / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for name, version in required.items():
        assert locked[f"node_modules/{name}"]["version"] == version
    for name, entry in locked.items():
        if name:
            assert entry["integrity"].startswith("sha512-"), name
            assert "resolved" not in entry, name


def test_the_page_about_pins_names_every_file() -> None:
    page = (ROOT / "docs" / "pins.md").read_text(encoding="utf-8")
    files = [CONSTRAINTS, SCRIPTS / "setup.d" / "pip.txt", ROOT / "pyproject.toml"]
    files += [folder / "package-lock.json" for folder in NPM]
    files += [*sorted((SCRIPTS / "deploy").glob("Dockerfile*")), ROOT / "docker-compose.yml"]
    assert [identifier(path) for path in files if f"`{identifier(path)}`" not in page] == []
