"""scripts/demo on a fresh copy: the printed addresses work, a second run is fast, no data are lost."""

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.browser.server import free_port

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.full


def files() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


class Demo:
    """A copy of the project with a separate state folder."""

    def __init__(self, root: Path, states: Path) -> None:
        self.root, self.states = root, states
        for name in files():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)

    def run(self, *args: str) -> str:
        inherited = {k: v for k, v in os.environ.items() if "DATABASE_URL" not in k}
        done = subprocess.run(
            args,
            cwd=self.root,
            env={**inherited, "GEOSHOPS_STATE_DIR": str(self.states)},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: the files of the project are unknown")
    with tempfile.TemporaryDirectory(prefix="geoshops-state.") as states:
        Path(states).chmod(0o755)
        made = Demo(tmp_path_factory.mktemp("demo") / "a copy", Path(states))
        try:
            yield made
        finally:
            made.run("scripts/db", "destroy", "--yes")


def addresses(printed: str) -> list[str]:
    return re.findall(r"http://[^\s']+", printed)


def processes() -> list[str]:
    """Command lines of all processes."""
    listed = subprocess.run(
        ["ps", "-ww", "-eo", "args"], capture_output=True, text=True, check=True
    )
    return listed.stdout.splitlines()


def test_everything_printed_works_and_a_second_start_is_quick(demo: Demo) -> None:
    printed = demo.run("scripts/demo")
    found = addresses(printed)
    assert len(found) == 3
    for address in found:
        assert requests.get(address, timeout=10).status_code == 200, address
    assert requests.get(found[2], timeout=10).json(), "the curl line finds shops"
    count = demo.run("scripts/psql", "-Atc", "SELECT count(*) FROM shops")

    started = time.monotonic()
    assert addresses(demo.run("scripts/demo")) == found
    assert time.monotonic() - started < 30

    elsewhere = str(free_port())
    moved = addresses(demo.run("env", f"PORT={elsewhere}", "scripts/demo"))
    assert all(f":{elsewhere}/" in address for address in moved)
    os.utime(demo.root / "geoshops" / "cli.py")
    assert addresses(demo.run("scripts/demo")) == moved, "a restart keeps the address"
    scheduler = f"{demo.root}/.venv/bin/python -m geoshops.operations.scheduler"
    assert any(scheduler in line for line in processes())

    demo.run("scripts/demo", "stop")
    deadline = time.monotonic() + 60
    while any(scheduler in line for line in processes()) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not any(scheduler in line for line in processes()), "the scheduler ends with the server"
    with pytest.raises(requests.ConnectionError):
        requests.get(found[0], timeout=5)
    demo.run("scripts/demo")
    assert demo.run("scripts/psql", "-Atc", "SELECT count(*) FROM shops") == count
    assert int(count) > 0
