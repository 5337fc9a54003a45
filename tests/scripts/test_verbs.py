"""Every verb explains itself, and the pinned versions are complete and name no place."""

import configparser
import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERBS = sorted(p.name for p in (ROOT / "scripts").iterdir() if p.is_file() and p.suffix == "")


@pytest.mark.parametrize("verb", VERBS)
def test_help_names_the_verb_and_costs_nothing(verb: str) -> None:
    shown = subprocess.run(
        [str(ROOT / "scripts" / verb), "--help"],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert shown.returncode == 0, shown.stderr
    assert f"scripts/{verb}" in shown.stdout


@pytest.mark.parametrize("verb", ["db", "demo", "setup"])
def test_an_unknown_argument_is_wrong_usage(verb: str) -> None:
    refused = subprocess.run(
        [str(ROOT / "scripts" / verb), "nonsense"], capture_output=True, timeout=20, check=False
    )
    assert refused.returncode == 2


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_requirement_is_pinned() -> None:
    setup = configparser.ConfigParser(interpolation=None)
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    lines = setup["options"]["install_requires"].splitlines()
    for extra in setup["options.extras_require"].values():
        lines += extra.splitlines()
    wanted = {canonical(re.split(r"[<>=!~\[; ]", x)[0]) for x in lines if x and x[0] != "%"}
    pins = (ROOT / "scripts" / "constraints.txt").read_text().splitlines()
    assert wanted <= {canonical(line.split("==")[0]) for line in pins}
    assert all(re.match(r"[A-Za-z0-9_.-]+==[^/\s]+( ; .+)?$", line) for line in pins)


def test_the_lock_file_has_hashes_and_no_download_addresses() -> None:
    lock = json.loads((ROOT / "geoshops" / "map" / "package-lock.json").read_text())
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert packages
    for name, entry in packages.items():
        assert entry["integrity"].startswith("sha512-"), name
        assert "resolved" not in entry, name
