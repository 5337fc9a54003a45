"""The wheel that images install contains every file that the service reads at run time."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Files that only set-up reads, from the checkout.
SETUP_ONLY = {"geoshops/map/.npmrc"}

# files that set-up builds from the page's sources
BUNDLE = ("main.js", "main.js.gz", "main.css", "main.css.gz", "sources.sha256")


def tracked(*folders: str) -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *folders], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(listed.stdout.split("\0")) - {""}


@pytest.mark.full
def test_the_wheel_holds_every_file(tmp_path: Path) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: the files of the project are unknown")
    # Built in a copy, because setuptools would ship leftovers in build/.
    source = tmp_path / "source"
    for name in tracked():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    bundle = {f"geoshops/map/static/built/{name}" for name in BUNDLE}
    for name in bundle:
        (source / name).parent.mkdir(exist_ok=True)
        (source / name).touch()
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path), "."]
    subprocess.run(build, cwd=source, check=True, timeout=300)
    (wheel,) = tmp_path.glob("geoshops-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    wanted = {f"geoshops/{name}" if name.startswith("sql/") else name for name in tracked("sql")}
    wanted |= bundle | tracked("geoshops") - SETUP_ONLY
    assert not wanted - names
    assert not [name for name in names if "node_modules" in name or name.startswith("tests/")]
